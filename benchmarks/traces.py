"""Sessions as Claude Code prints them (`--output-format stream-json`), made up by a fixed seed.

In: a seed and a size in bytes. Out: the text of a trace: one init line, pairs of a tool
call and its result, a closing answer, one result line.
"""

import json
import random
from pathlib import Path

WORDS = 'the skill reads rows → "quoted" café\\path {braces} totals by region then writes it\n'
TOOLS = ("Bash", "Bash", "Read", "Write", "Edit")


def prose(dice: random.Random, size: int) -> str:
    """About that many characters, with what makes JSON escape."""
    words = WORDS.split(" ")
    return " ".join(dice.choices(words, k=max(1, size // 6)))


def call_input(dice: random.Random, tool: str, step: int, size: int) -> dict[str, str]:
    """Arguments of the shape that the tool takes."""
    if tool == "Skill":
        return {"skill": "report-maker"}
    if tool == "Bash":
        return {"command": f"python3 count.py --step {step} && cat out.txt", "description": "go"}
    path = {"file_path": f"/w/part{step}.md"}
    if tool == "Write":
        return path | {"content": prose(dice, size // 3)}
    if tool == "Edit":
        return path | {"old_string": prose(dice, 60), "new_string": prose(dice, 80)}
    return path


def make_trace(seed: int, size: int, output_size: int) -> str:
    """One session of about `size` bytes whose tool results have about `output_size`."""
    dice = random.Random(seed)
    session = f"{dice.getrandbits(128):032x}"
    lines: list[str] = []
    written = 0

    def say(kind: str, **fields: object) -> None:
        nonlocal written
        line = {"type": kind, **fields, "session_id": session, "uuid": f"{dice.getrandbits(128):x}"}
        lines.append(json.dumps(line, ensure_ascii=False, separators=(",", ":")))
        written += len(lines[-1].encode()) + 1

    def reply(stop: str, *blocks: dict[str, object]) -> None:
        usage = {"input_tokens": dice.randint(5, 3000), "output_tokens": dice.randint(9, 900)}
        message = {"id": f"msg_{dice.getrandbits(64):x}", "type": "message", "role": "assistant"}
        message |= {"model": "made-up", "content": list(blocks), "stop_reason": stop}
        say("assistant", message=message | {"usage": usage}, parent_tool_use_id=None)

    tools = ["Bash", "Read", "Write", "Edit", "Skill"]
    say(
        "system", subtype="init", cwd="/w", tools=tools, mcp_servers=[], skills=["report-maker"],
        model="made-up", permissionMode="default",
    )  # fmt: skip
    step = 0
    while written < size - 1500:
        tool = dice.choice(TOOLS) if step else "Skill"
        name = f"toolu_{dice.getrandbits(96):x}"
        wanted = call_input(dice, tool, step, output_size)
        call = {"type": "tool_use", "id": name, "name": tool, "input": wanted}
        reply("tool_use", {"type": "text", "text": prose(dice, 120)}, call)
        output = prose(dice, dice.randint(output_size // 2, output_size * 3 // 2))
        result = {"tool_use_id": name, "type": "tool_result", "content": output, "is_error": False}
        say("user", message={"role": "user", "content": [result]}, parent_tool_use_id=None)
        step += 1
    answer = f"The report is written. TOTAL: {seed * 7 + 3} rows."
    reply("end_turn", {"type": "text", "text": answer})
    say(
        "result", subtype="success", is_error=False, duration_ms=1234, num_turns=step + 1,
        result=answer, total_cost_usd=0.01, usage={"input_tokens": 5000, "output_tokens": 900},
    )  # fmt: skip
    return "\n".join(lines) + "\n"


def write_traces(folder: Path) -> None:
    """small0 … small49 of about 20 KB, big0 … big7 of about 2 MB."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(50):
        (folder / f"small{seed}.jsonl").write_text(make_trace(seed, 20_000, 900), "utf-8")
    for seed in range(8):
        text = make_trace(1000 + seed, 2_000_000, 4000)
        (folder / f"big{seed}.jsonl").write_text(text, "utf-8")


def write_suite(folder: Path, cases: int) -> Path:
    """A skill, and a suite of that many cases with the four checks."""
    skill = folder / "skills" / "report-maker"
    skill.mkdir(parents=True, exist_ok=True)
    front = "---\nname: report-maker\ndescription: Writes a report of totals by region.\n---\n"
    (skill / "SKILL.md").write_text(f"{front}\nCount the rows and write report.md.\n", "utf-8")
    checks = """\
  checks:
    - answer_matches: {pattern: 'TOTAL: [0-9]+ rows'}
    - tool_used: {tool: Skill}
    - max_commands: {count: 100000}
    - file_exists: {path: report.md}"""
    head = f"skills: [skills/report-maker]\ndefaults:\n  skill: report-maker\n{checks}\ncases:\n"
    body = "".join(
        f"  - {{id: c{number}, prompt: 'Write report {number}.'}}\n" for number in range(cases)
    )
    path = folder / f"{cases}.cases.yaml"
    path.write_text(head + body, "utf-8")
    return path
