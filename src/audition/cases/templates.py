"""Texts with `{{ variables }}`, as far as they are no more than that.

In: a text and values. Out: the text filled in, and what is left open.
Must not know: whose templates they are.
"""

import re
from collections.abc import Mapping

VARIABLE = re.compile(r"\{\{-?\s*([\w.]+)\s*-?\}\}")
OPEN = re.compile(r"\{\{-?(.*?)-?\}\}", re.DOTALL)


def fill(text: str, values: Mapping[str, str]) -> str:
    """The text with its variables; one without a value stays as it is."""
    return VARIABLE.sub(lambda match: values.get(match[1], match[0]), text)


def leftover(text: str) -> str:
    """What could not be filled in, in words; empty where all was."""
    names = [match[1].strip() for match in OPEN.finditer(text)]
    names += ["a template's logic"] if "{%" in text else []
    return ", ".join(f"`{each[:60]}`" for each in dict.fromkeys(names))
