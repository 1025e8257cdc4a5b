"""The least that Python can do for the same work: posix_spawn, typed msgspec, four checks.

    floor.py run N AT_ONCE STUB FOLDER    ask and grade
    floor.py grade N FOLDER               read what `run` left, and grade it again

No isolation, no evidence, no events: only what the four checks need is decoded.
"""

import os
import re
import sys

import msgspec

TOTAL = re.compile(r"TOTAL: \d+ rows")


class Block(msgspec.Struct):
    type: str
    name: str = ""


class Message(msgspec.Struct):
    content: msgspec.Raw = msgspec.Raw(b"[]")


class Line(msgspec.Struct):
    type: str
    message: Message | None = None
    result: str = ""


read_lines = msgspec.json.Decoder(Line).decode_lines
read_blocks = msgspec.json.Decoder(list[Block]).decode
write = msgspec.json.encode


def grade(number: int, place: str) -> bytes:
    """One line of results for the trial that left its trace and folder here."""
    answer, commands, asked = "", 0, False
    with open(f"{place}.jsonl", "rb") as trace:
        lines = read_lines(trace.read())
    for line in lines:
        if line.type == "assistant" and line.message:
            for block in read_blocks(line.message.content):
                if block.type == "tool_use":
                    commands += block.name == "Bash"
                    asked = asked or block.name == "Skill"
        elif line.type == "result":
            answer = line.result
    verdicts = {
        "case": number,
        "answer_matches": bool(TOTAL.search(answer)),
        "tool_used": asked,
        "max_commands": commands <= 100_000,
        "file_exists": os.path.exists(f"{place}/report.md"),
    }
    if not all(verdicts[each] for each in verdicts if each != "case"):
        sys.exit(f"the floor disagrees with its own traces: {verdicts}")
    return write(verdicts) + b"\n"


def run(trials: int, at_once: int, stub: str, folder: str) -> None:
    """Spawn, reap, grade: one loop, no threads."""
    running: dict[int, tuple[int, str]] = {}
    how = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with open(f"{folder}/results.jsonl", "wb") as results:

        def reap() -> None:
            child, _ = os.waitpid(-1, 0)
            results.write(grade(*running.pop(child)))

        for number in range(trials):
            if len(running) >= at_once:
                reap()
            place = f"{folder}/{number}"
            os.mkdir(place)
            to_file = [(os.POSIX_SPAWN_OPEN, 1, f"{place}.jsonl", how, 0o644)]
            child = os.posix_spawn(stub, [stub, "-C", place], os.environ, file_actions=to_file)
            running[child] = number, place
        while running:
            reap()


def grade_again(trials: int, folder: str) -> None:
    """Grade what a run left; no agent."""
    with open(f"{folder}/again.jsonl", "wb") as results:
        results.writelines(grade(number, f"{folder}/{number}") for number in range(trials))


if __name__ == "__main__":
    if sys.argv[1] == "run":
        run(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5])
    else:
        grade_again(int(sys.argv[2]), sys.argv[3])
