"""A JSON file as plain values that know where they stand.

In: the path of a JSON file. Out: a Marked, as the YAML reader makes it: values, the line and
column of each, and what is odd. Where a key is given twice the last counts, as in every JSON
reader; size and depth are capped.
Must not know: what the file is for.
"""

import re
from bisect import bisect_right
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]
from pathlib import Path
from typing import Literal, Never

from audition.model import Finding, Json
from audition.yaml_file import Field, Marked, Place, field_name

SIZE_CAP = 16 * 1024 * 1024
DEPTH_CAP = 50
SPACE = re.compile(r"[ \t\n\r]*")
NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")
WORDS: dict[str, Json] = {"true": True, "false": False, "null": None}
WORD = re.compile(r"true|false|null")
DIGITS_CAP = 300
SURROGATE = re.compile("[\ud800-\udfff]")


class _Stop(Exception):
    """The rest of the file cannot be read."""


def read_json(path: Path) -> Marked:
    """Read a JSON file; whatever is wrong with it is in `findings`."""
    raw = _bytes_of(path)
    return raw if isinstance(raw, Marked) else parse_json(raw, str(path))


def _bytes_of(path: Path) -> bytes | Marked:
    try:
        with path.open("rb") as file:
            raw = file.read(SIZE_CAP + 1)
    except OSError as error:
        return _refused(path, f"cannot be read: {error.strerror}")
    return (
        raw
        if len(raw) <= SIZE_CAP
        else _refused(path, f"the file is larger than {SIZE_CAP >> 20} MiB")
    )


def _refused(path: Path, words: str) -> Marked:
    return Marked(path=str(path), findings=(Finding(path=str(path), message=words, rule="json"),))


def read_json_lines(path: Path) -> Marked:
    """Read a file with one JSON value a line, as a list."""
    raw = _bytes_of(path)
    if isinstance(raw, Marked):
        return raw
    begun = False
    lines = []
    for line in raw.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        filled = bool(line.strip())
        lines.append((b"," if begun and filled else b"") + line)
        begun = begun or filled
    return parse_json(b"[" + b"\n".join(lines) + b"]", str(path))


def parse_json(raw: bytes, path: str) -> Marked:
    """Read JSON that is already in memory; `path` is what findings call it."""
    return _Reader(raw, path).read()


class _Reader:
    """Walks the text once; collects values, places and findings."""

    def __init__(self, raw: bytes, path: str) -> None:
        self.path = path
        self.text = raw.decode("utf-8-sig", "replace")
        self.places: dict[Field, Place] = {}
        self.findings: list[Finding] = []
        self.starts = [0, *(match.end() for match in re.finditer("\n", self.text))]
        if "\ufffd" in self.text and "\ufffd".encode() not in raw:
            self.say(0, "not UTF-8; the odd bytes are replaced", severity="warning")

    def read(self) -> Marked:
        value: Json = None
        try:
            value, end = self.value(self.skip(0), (), 0)
            if self.skip(end) != len(self.text):
                self.stop(self.skip(end), "something follows the end")
        except _Stop:
            value = None
        return Marked(
            path=self.path, value=value, places=self.places, findings=tuple(self.findings)
        )

    def skip(self, at: int) -> int:
        match = SPACE.match(self.text, at)
        return match.end() if match else at

    def value(self, at: int, field: Field, key: int) -> tuple[Json, int]:
        if len(field) > DEPTH_CAP:
            self.stop(at, f"nested deeper than {DEPTH_CAP} levels")
        first = self.text[at : at + 1]
        if first == '"':
            text, end = self.string(at)
            self.mark(field, at, key, text)
            return text, end
        if first in ("{", "["):
            self.mark(field, at, key)
            return self.mapping(at, field) if first == "{" else self.items(at, field)
        match = WORD.match(self.text, at) or NUMBER.match(self.text, at)
        if match is None:
            self.stop(at, "a value is missing here" if first else "the file ends too early")
        self.mark(field, at, key, match[0], plain=True)
        return self.scalar(match[0], at), match.end()

    def scalar(self, text: str, at: int) -> Json:
        if text in WORDS:
            return WORDS[text]
        if len(text) > DIGITS_CAP:
            self.stop(at, f"a number of more than {DIGITS_CAP} digits")
        return float(text) if set(text) & set(".eE") else int(text)

    def string(self, at: int) -> tuple[str, int]:
        try:
            text, end = scanstring(self.text, at + 1, False)
        except JSONDecodeError as error:
            self.stop(error.pos, error.msg)
        if SURROGATE.search(text):
            self.say(at, "half a surrogate pair is replaced", severity="warning")
            text = SURROGATE.sub("\ufffd", text)
        return text, end

    def items(self, at: int, field: Field) -> tuple[list[Json], int]:
        found: list[Json] = []
        at = self.skip(at + 1)
        while self.text[at : at + 1] != "]":
            if found:
                at = self.comma(at, "]")
            each, at = self.value(at, (*field, len(found)), at)
            found.append(each)
            at = self.skip(at)
        return found, at + 1

    def comma(self, at: int, end: str) -> int:
        if self.text[at : at + 1] != ",":
            self.stop(at, f"expected `,` or `{end}`")
        after = self.skip(at + 1)
        if self.text[after : after + 1] == end:
            self.stop(at, f"a `,` stands before `{end}`")
        return after

    def mapping(self, at: int, field: Field) -> tuple[dict[str, Json], int]:
        found: dict[str, Json] = {}
        at, first = self.skip(at + 1), True
        while self.text[at : at + 1] != "}":
            key = at = at if first else self.comma(at, "}")
            first = False
            if self.text[at : at + 1] != '"':
                self.stop(at, "expected a key in double quotes")
            name, at = self.string(at)
            at = self.skip(at)
            if self.text[at : at + 1] != ":":
                self.stop(at, "expected `:` behind the key")
            if name in found:
                self.say(key, f"key `{name}` is given twice; the last counts", (*field, name))
                self.forget((*field, name))
            found[name], at = self.value(self.skip(at + 1), (*field, name), key)
            at = self.skip(at)
        return found, at + 1

    def forget(self, field: Field) -> None:
        """The places of a value that a later one replaces."""
        for each in [each for each in self.places if each[: len(field)] == field]:
            del self.places[each]

    def mark(
        self, field: Field, at: int, key: int, text: str | None = None, *, plain: bool = False
    ) -> None:
        line, column = self.where(at)
        key_line, key_column = self.where(key)
        self.places[field] = Place(
            line=line,
            column=column,
            key_line=key_line,
            key_column=key_column,
            text=text,
            plain=plain,
        )

    def where(self, at: int) -> tuple[int, int]:
        line = bisect_right(self.starts, at)
        return line, at - self.starts[line - 1] + 1

    def stop(self, at: int, words: str) -> Never:
        self.say(at, f"not JSON: {words}", severity="error")
        raise _Stop

    def say(
        self,
        at: int,
        message: str,
        field: Field = (),
        severity: Literal["error", "warning", "note"] = "warning",
    ) -> None:
        line, column = self.where(at)
        self.findings.append(
            Finding(
                path=self.path,
                line=line,
                column=column,
                message=message,
                field=field_name(field),
                rule="json",
                severity=severity,
            )
        )
