"""A Markdown file with front matter: its YAML with places, and its body.

In: the path of the file. Out: a Marked of the front matter, whose lines are the file's, and
the text behind it. Must not know: what the file is for.
"""

from pathlib import Path

import msgspec

from audition.model import Finding
from audition.yaml_aliases import parse_yaml
from audition.yaml_file import SIZE_CAP, Marked


def split_front(text: str) -> tuple[str, str]:
    """The front matter, empty where there is none, and the body."""
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        return "", text
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip() in {"---", "..."}:
            return "\n".join(lines[1:number]), "\n".join(lines[number + 1 :])
    return "", text


def read_md(path: Path) -> tuple[Marked, str]:
    """Front matter and body; whatever is wrong is in the findings."""
    try:
        with path.open("rb") as file:
            raw = file.read(SIZE_CAP + 1)
    except OSError as error:
        words = f"cannot be read: {error.strerror}"
        return Marked(path=str(path), findings=(Finding(path=str(path), message=words),)), ""
    text = raw.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    odd = []
    if "\ufffd" in text and b"\xef\xbf\xbd" not in raw:
        words = "not UTF-8; the odd bytes are replaced"
        odd.append(Finding(path=str(path), message=words, severity="warning"))
    front, body = split_front(text)
    marked = parse_yaml(front.encode(), str(path))
    replace = msgspec.structs.replace
    places = {
        field: replace(each, line=each.line + 1, key_line=each.key_line + 1)
        for field, each in marked.places.items()
    }
    findings = [replace(each, line=each.line + 1) for each in marked.findings]
    value = {} if marked.value is None and not findings else marked.value
    return replace(marked, value=value, places=places, findings=(*odd, *findings)), body.strip("\n")
