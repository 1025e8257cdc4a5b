"""How a trigger set is told from other JSON and YAML: by its flags, its two lists, its outcomes.

In: the first bytes of a file. Out: whether they look like a trigger set.
Must not know: how one is read.
"""

import re

Q = rb"[\"']?"
LIST = re.compile(
    rb"\s*(\xef\xbb\xbf)?(#.*\n|---.*\n|\s)*(\[\s*\{|- +[\"'\w]|\{\s*\"(query|prompt)\")"
)
"""A list of mappings from the first byte on, in JSON, JSON lines or YAML."""
HELD = re.compile(
    rb"(^|[{,])\s*" + Q + rb"(queries|prompts|tests|test_cases|test_queries|trigger_evals"
    rb"|trigger_tests|triggers|evals)" + Q + rb"\s*:",
    re.MULTILINE,
)
"""A list of them under one of the keys in use."""
ASKED = re.compile(rb"(^|[{,\-])\s*" + Q + rb"(query|prompt)" + Q + rb"\s*:", re.MULTILINE)
FLAG = re.compile(
    Q + rb"should_?trigger" + Q + rb"\s*:\s*" + Q + rb"(true|false|yes|no)\b", re.IGNORECASE
)
OUTCOME = re.compile(Q + rb"expected" + Q + rb"\s*:\s*" + Q + rb"(no[_-])?trigger\b")
KIND = re.compile(
    Q + rb"type" + Q + rb"\s*:\s*" + Q + rb"(explicit|implicit|contextual|negative)\b"
)
SCENARIOS = re.compile(rb"^" + Q + rb"scenarios" + Q + rb"\s*:", re.MULTILINE)
TRIGGERED = re.compile(rb"\bskill_triggered" + Q + rb"\s*:")
LISTS = re.compile(
    Q + rb"(should(?P<not>_?not)?_?trigger(_?(prompts|queries))?"
    rb"|(positive|(?P<neg>negative))_triggers)" + Q + rb"\s*:\s*(\[|\n|\r|#|$)",
    re.IGNORECASE,
)
PLAIN = re.compile(Q + rb"(positives?|(?P<neg>negatives?))" + Q + rb"\s*:\s*(\[|\n|\r|$)")
"""Names that mean this only in a file that is named after triggers."""
OTHERS = re.compile(
    rb"\"(evals|output_evals|behavior_evals)\"\s*:\s*\[|\"(assertions|expectations)\""
    rb"|\"(pass|passed|triggered|trigger_rate|triggers)\"\s*:\s*(true|false|\d)"
    rb"|^(cases|graders)\s*:|^(\s+|\s*-\s+)instruction\s*:|^(expected|inputs)\s*:",
    re.MULTILINE,
)
"""What evals, results, our own suites, waza and skillgrade have, and a trigger set has not."""


def is_trigger_set(head: bytes, *, by_name: bool) -> bool:
    """Whether the bytes begin a trigger set; `by_name` if the file is named after triggers."""
    if OTHERS.search(head):
        return False
    if _two(LISTS, head) or (by_name and _two(PLAIN, head)):
        return True
    if SCENARIOS.search(head):
        return TRIGGERED.search(head) is not None
    if not ASKED.search(head) or not (LIST.match(head) or HELD.search(head)):
        return False
    return bool(FLAG.search(head) or (OUTCOME.search(head) and KIND.search(head)))


def _two(pattern: re.Pattern[bytes], head: bytes) -> bool:
    """Whether both lists are there: those that should, and those that should not."""
    found = {
        any(each for key, each in match.groupdict().items() if key in ("not", "neg"))
        for match in pattern.finditer(head)
    }
    return len(found) == 2
