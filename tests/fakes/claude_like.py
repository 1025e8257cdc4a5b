"""An agent that speaks Claude Code's lines and has the habit that its prompt names.

claude_like.py … -- HABIT   (other arguments are passed over, as are unknown flags)
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

if "--version" in sys.argv:
    print("9.9.9 (Fake Code)")
    sys.exit(0)

words = sys.argv[1:]
prompt = words[words.index("--") + 1] if "--" in words else sys.stdin.read()
habit = prompt.split()[0] if prompt.split() else "good"


def say(**event):
    print(json.dumps({"session_id": "s", **event}), flush=True)


def assistant(*blocks):
    say(type="assistant", message={"id": "m", "role": "assistant", "content": list(blocks)})


def call_skill(name, failed=False):
    assistant({"type": "tool_use", "id": "t1", "name": "Skill", "input": {"skill": name}})
    result = {"type": "tool_result", "tool_use_id": "t1", "content": f"Launching skill: {name}"}
    say(type="user", message={"role": "user", "content": [{**result, "is_error": failed}]})


def end(answer="SALVE Ada", **more):
    assistant({"type": "text", "text": answer})
    usage = {"input_tokens": 10, "output_tokens": 5}
    fields = {"subtype": "success", "is_error": False, "terminal_reason": "completed"}
    say(type="result", **{**fields, "num_turns": 2, "result": answer, "usage": usage, **more})


def begin():
    say(type="system", subtype="init", cwd=os.getcwd(), tools=["Skill"], mcp_servers=[])


def raw(data):
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


if habit not in ("mute", "unspeakable"):
    begin()
match habit:
    case "good":
        call_skill("greeting")
        Path("report.md").write_text("# done\n")
        end()
    case "quiet":
        end("plain")
    case "wrong":
        call_skill("farewell")
        end()
    case "refused":
        call_skill("greeting", failed=True)
        end()
    case "hang":
        call_skill("greeting")
        time.sleep(600)
    case "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(600)
    case "daemon":
        call_skill("greeting")
        subprocess.Popen(["sleep", "600"], start_new_session=True)
        end()
    case "deaf":
        call_skill("greeting")
        end()
        sys.stdout.flush()
        os.close(1)
        time.sleep(0.5)
    case "silent":
        call_skill("greeting")
        end("")
    case "unended":
        call_skill("greeting")
    case "crash":
        sys.exit(3)
    case "mute":
        pass
    case "junk":
        raw(b"\x00\x00\xff\xfe not json\n" + b'{"type": NaN}\n' + b"[" * 100_000 + b"\n")
        call_skill("greeting")
        raw(b'{"type":"assistant","message":{"content":[{"type":"text","text":"\\ud800"}]}}\n')
        end()
        raw(b'{"type":"assis')
    case "flood":
        line = b"x" * 65536 + b"\n"
        while True:
            raw(line)
    case "badkey":
        end("Invalid API key", is_error=True, terminal_reason="api_error", api_error_status=401)
    case "turns":
        assistant({"type": "text", "text": "still at it"})
        say(type="result", subtype="error_max_turns", is_error=True, terminal_reason="max_turns",
            errors=["Reached maximum number of turns (1)"])  # fmt: skip
    case "unspeakable":
        sys.stdout.write("\n".join(["??? new format"] * 5))
    case "renamed":
        call_skill("greeting")
        say(type="outcome", subtype="success", result="SALVE Ada")
    case "nousage":
        call_skill("greeting")
        end(usage=None)
    case "slow":
        call_skill("greeting")
        time.sleep(0.3)
        end()
    case "outside":
        call_skill("greeting")
        os.symlink("/etc/passwd", "link.txt")
        os.mkfifo("pipe")
        end()
    case "vanish":
        call_skill("greeting")
        here = os.getcwd()
        subprocess.run(["rm", "-rf", here], check=False)
        end()
if habit in ("mute", "unspeakable"):
    sys.exit(0)
