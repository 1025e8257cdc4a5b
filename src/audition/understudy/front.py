"""What a SKILL.md says about itself, as the harness understands it, without its readers.

In: the text of a SKILL.md. Out: its front matter apart from its body, and the plain keys of a
front matter that is read the same by everybody.
Must not know: YAML; what a key is for.

To import the harness's reader (`audition.front_matter`: msgspec, a YAML parser) takes 30 ms, a
whole session without it 50, and a trial starts an agent anew. Two readers of YAML come to two
opinions. So here is read only what leaves no room for one: keys at the margin with a word, a
sentence, a quoted text or a simple block, as nearly every skill has them. For anything else, a
comment already, `read_plain` has no answer, and the harness's reader is asked.
"""

import re

# Characters that no reader of YAML refuses, takes for a line's end or for white space of its own.
SAFE = (
    r"[ -~\u00a1-\u1fff\u2010-\u2027\u2030-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
# Begins with no sign, holds neither `: ` nor ` #`, and is not one of the words for nothing.
WORDS = rf"(?!(?i:null) *$)(?![ -/:-@\[-`{{-~]){SAFE}(?:(?!: |:$| #){SAFE})*"
QUOTED = rf'"(?P<double>(?:(?!["\\]){SAFE})*)"|' + rf"'(?P<single>(?:(?!'){SAFE})*)'"
LISTED = r"\[[\w ,.()-]*\]"
ENTRY = re.compile(
    r"(?P<key>[A-Za-z_][\w.-]{0,63}):(?: +(?P<value>"
    rf"(?P<block>[>|]-?)|(?P<words>{WORDS})|{QUOTED}|(?P<listed>{LISTED})) *| *)",
    re.ASCII,
)
BELOW = re.compile(rf"(?: |- )(?:(?![\"'\[\]{{}}|>&*!%@`#?]){SAFE})*")
IN_BLOCK = re.compile(rf"(?P<indent> +)(?P<text>(?! ){SAFE}+)")


def split_front(text: str) -> tuple[str, str]:
    """The front matter, empty where it has none that ends, and the body behind it."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if lines[0].rstrip() == "---":
        for number, line in enumerate(lines[1:], start=1):
            if line.rstrip() in ("---", "..."):
                return "\n".join(lines[1:number]), "\n".join(lines[number + 1 :])
    return "", "\n".join(lines)


def read_plain(front: str) -> dict[str, str | None] | None:
    """The texts by key, None where it is no text; no dict if a line may be read in two ways."""
    found: dict[str, str | None] = {}
    lines = front.split("\n")
    at = 0
    while at < len(lines):
        entry = ENTRY.fullmatch(lines[at])
        end = at + 1
        while end < len(lines) and lines[end].startswith((" ", "- ")):
            end += 1
        below = lines[at + 1 : end]
        if entry is None or entry["key"] in found or not _is_plain(entry, below):
            return None
        found[entry["key"]] = _read_text(entry, below)
        at = end
    return found


def _is_plain(entry: re.Match[str], below: list[str]) -> bool:
    if entry["block"]:
        indents = {each and each["indent"] for each in map(IN_BLOCK.fullmatch, below)}
        return len(indents) == 1 and None not in indents
    return not below or (not entry["value"] and all(map(BELOW.fullmatch, below)))


def _read_text(entry: re.Match[str], below: list[str]) -> str | None:
    if entry["block"]:
        indent = len(below[0]) - len(below[0].lstrip(" "))
        return ("\n" if entry["block"][0] == "|" else " ").join(each[indent:] for each in below)
    if entry["listed"] or below:
        return None
    texts = (entry["words"], entry["double"], entry["single"])
    return next((each for each in texts if each is not None), "").strip(" ")
