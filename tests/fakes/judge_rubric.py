"""A judge that answers pkbllm's rubric: judge_rubric.py true|false|prose."""

import json
import sys

sys.stdin.read()
if sys.argv[1] == "prose":
    print("fine")
else:
    good = sys.argv[1] == "true"
    checks = [{"id": "outcome", "pass": good, "notes": "looked"}]
    print("```json\n" + json.dumps({"overall_pass": good, "score": 20, "checks": checks}) + "\n```")
