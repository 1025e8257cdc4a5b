"""The common ground of all values: frozen, keyword-only, comparable; and a finding about a file."""

from typing import Any, Literal

import msgspec

Json = Any
"""A value that came out of JSON or YAML; whoever takes one checks its shape."""


class Value(msgspec.Struct, frozen=True, kw_only=True):
    """A frozen value; made once, by one function, from the values before it."""


class Finding(Value, frozen=True, kw_only=True):
    """Something wrong, or worth saying, at one place of one file."""

    path: str
    line: int = 1
    column: int = 1
    message: str
    hint: str = ""
    field: str = ""
    """The path of the field inside the file, `cases[2].checks[0]`."""
    rule: str = ""
    severity: Literal["error", "warning", "note"] = "error"

    def __str__(self) -> str:
        field = f"{self.field}: " if self.field else ""
        hint = f"\n  hint: {self.hint}" if self.hint else ""
        return f"{self.path}:{self.line}:{self.column}: {field}{self.message}{hint}"
