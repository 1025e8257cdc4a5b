"""The front matter of a SKILL.md, read the way people write it.

In: the file's bytes. Out: name, description, when to use it, argument hint, who may invoke it,
the body, and what was odd. YAML where it is YAML; line by line where it is not: `description: Use when: x`
is the most common mistake there is, and agents forgive it.
Must not know: folders, files, what a skill is for.
"""

import re

from audition.model import Finding, Value
from audition.yaml_file import SIZE_CAP as SIZE_CAP
from audition.yaml_file import Node, parse_yaml

BODY_CAP = 64 * 1024
KEY = re.compile(r"([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*:(?:[ \t]+(.*)|)$")
AT_LOAD = re.compile(r"(?<![\w`])!`[^`\n]+`")
"""A command in a body that Claude Code runs when the skill is loaded, where that is allowed."""
BLOCK = re.compile(r"[>|][>|0-9+-]*(?:[ \t]+#.*)?")
YES = {"true", "yes", "on", "1"}
NO = {"false", "no", "off", "0"}


class FrontMatter(Value, frozen=True, kw_only=True):
    """What a SKILL.md says about itself; empty where it says nothing."""

    name: str = ""
    description: str = ""
    when_to_use: str = ""
    argument_hint: str = ""
    model_invocable: bool = True
    user_invocable: bool = True
    body: str = ""
    problems: tuple[Finding, ...] = ()


def read_front_matter(raw: bytes, file: str) -> FrontMatter:
    """Read the bytes of a SKILL.md; never raises."""
    problems: list[Finding] = []
    text = raw.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")
    if "\ufffd" in text and not _is_utf8(raw):
        problems.append(_warn(file, 1, "not UTF-8; the odd bytes are replaced", "save it as UTF-8"))
    front, body = _split(text, file, problems)
    fields = _read_fields(front, file, problems) if front else {}
    disabled, odd = _flag(fields, "disable-model-invocation", front, file)
    invocable, odder = _flag(fields, "user-invocable", front, file)
    problems += (*odd, *odder)
    return FrontMatter(
        name=_one_line(fields.get("name", "")),
        description=fields.get("description", "").strip(),
        when_to_use=_one_line(fields.get("when_to_use", fields.get("when-to-use", ""))),
        argument_hint=_one_line(fields.get("argument-hint", fields.get("argument_hint", ""))),
        model_invocable=disabled is not True,
        user_invocable=invocable is not False,
        body=body,
        problems=tuple(problems),
    )


def first_paragraph(body: str) -> str:
    """What stands in for a description, on one line; a heading only if there is nothing else."""
    blocks = [" ".join(block.split()) for block in body[:BODY_CAP].split("\n\n")]
    texts = [block for block in blocks if block and not block.startswith(("#", "```", "<!--"))]
    return (texts or [block.lstrip("# ") for block in blocks if block] or [""])[0][:1024]


def _warn(
    file: str, line: int, message: str, hint: str = "", field: str = "", column: int = 1
) -> Finding:
    return Finding(
        path=file,
        line=line,
        column=column,
        message=message,
        hint=hint,
        field=field,
        rule="front-matter",
        severity="warning",
    )


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _split(text: str, file: str, problems: list[Finding]) -> tuple[str, str]:
    """Front matter and body; both may be empty."""
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        problems.append(_warn(file, 1, "no front matter", "begin with a line `---`"))
        return "", text.strip("\n")
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() in {"---", "..."}:
            return "\n".join(lines[1:number]), "\n".join(lines[number + 1 :]).strip("\n")
    problems.append(_warn(file, 1, "the front matter has no end", "end it with a line `---`"))
    for number, line in enumerate(lines[1:], 1):
        if not KEY.match(line) and not line.startswith((" ", "\t")):
            return "\n".join(lines[1:number]), "\n".join(lines[number:]).strip("\n")
    return "\n".join(lines[1:]), ""


def _read_fields(front: str, file: str, problems: list[Finding]) -> dict[str, str]:
    """The scalars of the front matter, as text."""
    marked = parse_yaml(b"\n" + front.encode(), file)  # the file's first line is the `---`
    by_line = _read_lines(front, file)
    broken = not isinstance(marked.value, dict)
    for each in marked.findings:
        words = each.message + ("; read line by line" if broken else "")
        hint = "quote the value, or use `>-`" if broken else each.hint
        problems.append(_warn(file, each.line, words, hint, each.field, each.column))
    if broken:
        if marked.value is not None:
            problems.append(_warn(file, 2, "the front matter has no `key: value`"))
        return by_line
    fields: dict[str, str] = {}
    for key, node in Node(marked).children().items():
        if node.place.text is not None:
            fields[key] = "" if node.value is None else node.place.text
        elif key in by_line:
            # `argument-hint: [file] [format]` is a list to YAML; people mean the text.
            fields[key] = by_line[key]
            if key in {"name", "description"}:
                said = f"`{key}` is not text"
                problems.append(
                    _warn(file, node.place.line, said, "quote it", key, node.place.column)
                )
    return fields


def _read_lines(front: str, file: str) -> dict[str, str]:
    """Keys at the margin and what follows them; what is YAML by itself is read as YAML."""
    found: dict[str, list[str]] = {}
    key = ""
    for line in front.split("\n"):
        if match := KEY.match(line):
            key = match[1] if match[1] not in found else ""
            if key:
                found[key] = [(match[2] or "").strip()]
        elif key and (not line.strip() or line[0] in " \t"):
            found[key].append(line)
    return {key: _read_one(lines, file) for key, lines in found.items()}


def _read_one(lines: list[str], file: str) -> str:
    """One value: quotes, comments and blocks mean what they mean in YAML, where that is sound."""
    alone = parse_yaml("\n".join(["key: " + lines[0], *lines[1:]]).encode(), file)
    place = alone.places.get(("key",))
    if place is None or place.text is None or alone.findings:
        return _fold([each.strip() for each in lines])
    return "" if alone.value["key"] is None else place.text


def _fold(lines: list[str]) -> str:
    first, rest = lines[0], lines[1:]
    if BLOCK.fullmatch(first):
        if first[0] == "|":
            return "\n".join(rest).strip()
        first = ""
    folded = " ".join(each or "\n" for each in [first, *rest] if each or rest)
    text = re.sub(r" ?\n[ \n]*", "\n", folded).strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        text = text[1:-1]
    return text


def _flag(
    fields: dict[str, str], key: str, front: str, file: str
) -> tuple[bool | None, tuple[Finding, ...]]:
    """What a flag says, None where nothing; and what is odd about it, at its line."""
    keys = (key, key.replace("-", "_"))
    text = fields.get(keys[0], fields.get(keys[1], "")).strip().lower()
    if text in YES or text in NO or not text:
        return (text in YES if text else None), ()
    lines = enumerate(front.split("\n"), 2)
    at = next((number for number, line in lines if line.lstrip("\"'").startswith(keys)), 1)
    words = f"`{key}` is neither true nor false"
    return None, (_warn(file, at, words, "write `true` or `false`", key),)
