"""A program of its own: says one turn after another to an agent that reads them from a pipe.

In: JSON on standard input: `argv`, and `turns`, each as the agent reads it. Out: what the agent
prints, byte for byte; its exit code. Must not know: trials, what the output means beyond
the line that ends a turn.

Claude Code 2.1.327 takes a line that it finds while it works as a remark on the running turn,
and puts it beside the next tool result. So the second prompt must wait for the first answer.
"""

import json
import subprocess
import sys
from typing import IO


def ends_turn(line: bytes) -> bool:
    """Whether the agent says with this line that its turn is over."""
    if b'"result"' not in line:
        return False
    try:
        said = json.loads(line)
    except ValueError:
        return False
    return isinstance(said, dict) and said.get("type") == "result"


def feed(turns: list[str], stdin: IO[bytes], stdout: IO[bytes]) -> None:
    """Say each turn when the one before is over, and pass everything on."""
    left = [turn.encode() for turn in turns]
    stdin.write(left.pop(0))
    stdin.flush()
    for line in stdout:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
        if ends_turn(line) and not stdin.closed:
            if left:
                stdin.write(left.pop(0))
                stdin.flush()
            else:
                stdin.close()


def main() -> int:
    """Start the agent, feed it, and end as it ends."""
    asked = json.load(sys.stdin)
    child = subprocess.Popen(asked["argv"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    if child.stdin is None or child.stdout is None:
        return 2
    try:
        feed(asked["turns"], child.stdin, child.stdout)
    except BrokenPipeError:
        sys.stdout.buffer.write(child.stdout.read())
    code = child.wait()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
