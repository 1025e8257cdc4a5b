"""What the scripted judges share: a prompt read as the parts that a judge looks at."""

import json
import re
import sys


def read_prompt():
    """(questions by id, events by id in order, the whole prompt)."""
    prompt = sys.stdin.read()
    nonce = re.search(r"^=== (\S+) session begins$", prompt, re.MULTILINE)[1]
    page = prompt.split(f"=== {nonce} session begins\n")[1]
    page, rest = page.split(f"=== {nonce} session ends\n")[:2]
    events = {}
    for line in page.splitlines():
        if found := re.match(rf"\[({nonce}-\d+)\] (.*)", line):
            name = found[1]
            events[name] = [found[2]]
        elif line.startswith("| ") and events:
            events[name].append(line[2:])
    questions = dict(re.findall(r"^- id `(\S+)`: (.*)$", rest, re.MULTILINE))
    return questions, events, prompt


def answer(*answers):
    names = ("criterion", "citations", "reason", "verdict")
    print(json.dumps({"answers": [dict(zip(names, each, strict=True)) for each in answers]}))


def cite(event, text):
    return {"event": event, "quote": text}
