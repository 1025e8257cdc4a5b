"""How one value of a case file is read: its type is checked, its mistakes are noted.

In: a Node. Out: a plain value, or None where it is wrong; the findings say why.
Must not know: which keys there are.
"""

from collections.abc import Callable, Iterable
from typing import Literal

from audition.errors import did_you_mean
from audition.model import Finding, Json
from audition.yaml_file import Node, field_name

MOST_COUNTED = 1_000_000
MOST_SECONDS = 1_000_000_000
"""More is a slip of the finger: thirty years."""


LONGEST_ID = 200


class Findings:
    """What is wrong with one file, collected while it is read."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.all: list[Finding] = []

    def say(
        self,
        node: Node,
        message: str,
        hint: str = "",
        severity: Literal["error", "warning", "note"] = "error",
        *,
        key: bool = False,
    ) -> None:
        """Note something at a node, or at the key it stands behind."""
        place = node.place
        self.all.append(
            Finding(
                path=self.path,
                line=place.key_line if key else place.line,
                column=place.key_column if key else place.column,
                message=message,
                hint=hint,
                field=field_name(node.field),
                rule="case",
                severity=severity,
            )
        )

    def unknown(self, node: Node, known: Iterable[str]) -> None:
        """A key that nobody reads is kept out, and said."""
        words = f"unknown key `{node.field[-1]}`; it is not used"
        self.say(node, words, did_you_mean(str(node.field[-1]), known), "warning", key=True)

    def wrong(self, node: Node, wanted: str) -> None:
        """A value of the wrong type."""
        # Refused by the YAML reader already: an alias, a tag.
        if node.value is None and node.place.text is None:
            return
        self.say(node, f"expected {wanted}, found {kind_of(node)}")


def kind_of(node: Node) -> str:
    """What a value is, in words."""
    value = node.value
    if isinstance(value, str):
        return f"the text `{value[:40]}`" if value else "an empty text"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return f"`{node.place.text or str(value).lower()}`"
    if isinstance(value, int | float):
        return f"the number {value}"
    return "a list" if isinstance(value, list) else "a mapping"


Read = Callable[[Node, Findings], Json]


def read_text(node: Node, findings: Findings) -> str | None:
    """Text as it is written: `no`, `1` and `2024-01-01` stay what they look like."""
    text = node.place.text
    if text is None:
        findings.wrong(node, "text")
        return None
    if node.place.plain and text and (node.value is None or isinstance(node.value, bool)):
        findings.say(node, f"`{text}` is read as text", f'quote it: `"{text}"`', "note")
    return text


def read_name(node: Node, findings: Findings) -> str | None:
    """Text that may not be empty."""
    text = read_text(node, findings)
    if text is not None and not text.strip():
        findings.say(node, "is empty", "give it a value", key=True)
        return None
    return text


def read_id(node: Node, findings: Findings) -> str | None:
    """A name that grades and reports go by: one short line."""
    text = read_name(node, findings)
    if text is not None and (not text.isprintable() or len(text) > LONGEST_ID):
        words = f"an id is one line of at most {LONGEST_ID} characters"
        findings.say(node, words, "choose a short name", key=True)
        return None
    return text


def read_prompt(node: Node, findings: Findings) -> str | None:
    """Text that may be empty; where it was perhaps forgotten, that is said."""
    if node.place.plain and not node.place.text:
        hint = 'write `prompt: ""` where the user says nothing'
        findings.say(node, "nothing stands behind `prompt`", hint, "warning", key=True)
    return read_text(node, findings)


def read_texts(node: Node, findings: Findings) -> list[str] | None:
    """A list of texts; one text stands for a list of one."""
    if node.place.text and not isinstance(node.value, list):
        only = read_text(node, findings)
        return None if only is None else [only]
    if not isinstance(node.value, list):
        findings.wrong(node, "a list of texts")
        return None
    found = [read_text(each, findings) for each in node.items()]
    return [each for each in found if each is not None]


def read_flag(node: Node, findings: Findings) -> bool | None:
    """True or false."""
    if isinstance(node.value, bool):
        return node.value
    findings.wrong(node, "true or false")
    return None


def read_seconds(node: Node, findings: Findings) -> float | None:
    """A number above 0."""
    value = node.value
    if isinstance(value, int | float) and not isinstance(value, bool):
        if 0 < value <= MOST_SECONDS:
            return float(value)
        most = f", {MOST_SECONDS:,} at most" if value > 0 else ""
        findings.say(node, f"expected a number above 0{most}, found {value}")
    else:
        findings.wrong(node, "a number of seconds")
    return None


def read_count(node: Node, findings: Findings) -> int | None:
    """A whole number from 1."""
    value = node.value
    if isinstance(value, int) and not isinstance(value, bool):
        if 1 <= value <= MOST_COUNTED:
            return value
        most = f" to {MOST_COUNTED:,}" if value > 1 else ""
        findings.say(node, f"expected a whole number from 1{most}, found {value}")
    else:
        findings.wrong(node, "a whole number")
    return None


def read_variables(node: Node, findings: Findings) -> dict[str, str] | None:
    """Names and texts: environment variables."""
    if not isinstance(node.value, dict):
        findings.wrong(node, "a mapping of names to texts")
        return None
    found: dict[str, str] = {}
    for name, each in node.children().items():
        text = each.place.text
        if text is None:
            findings.wrong(each, "text")
        elif not name or "=" in name or "\0" in name + text:
            findings.say(each, f"`{name}` cannot be a variable's name", key=True)
        else:
            found[name] = text
    return found


def read_mapping(node: Node, findings: Findings) -> dict[str, Json] | None:
    """A mapping whose content is not ours to judge."""
    if isinstance(node.value, dict):
        return dict(node.value)
    findings.wrong(node, "a mapping")
    return None


def read_anything(node: Node, findings: Findings) -> Json:  # noqa: ARG001
    """Whatever it is."""
    return node.value


def read_rates(node: Node, findings: Findings) -> dict[str, float] | None:
    """A rate between 0 and 1 for the positives, or one each for positives and negatives."""
    if not isinstance(node.value, dict):
        rate = _read_rate(node, findings)
        return None if rate is None else {"positives": rate}
    found: dict[str, float] = {}
    for name, each in node.children().items():
        if name not in ("positives", "negatives"):
            findings.unknown(each, ("positives", "negatives"))
        elif (rate := _read_rate(each, findings)) is not None:
            found[name] = rate
    return found


def _read_rate(node: Node, findings: Findings) -> float | None:
    value = node.value
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1:
        return float(value)
    findings.wrong(node, "a rate between 0 and 1, as 0.9")
    return None
