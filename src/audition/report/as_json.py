"""For programs: the summary as JSON, the records as JSON lines.

In: a Summary, or Records. Out: text that ends in a newline. Must not know: anything of people.
"""

from collections.abc import Iterable

import msgspec

from audition.model import Inputs, Record
from audition.summary.figures import Summary


def write_json(summary: Summary, _records: Iterable[Record], _inputs: Inputs | None = None) -> str:
    """The content of summary.json."""
    return msgspec.json.format(msgspec.json.encode(summary), indent=2).decode() + "\n"


def write_jsonl(_summary: Summary, records: Iterable[Record], _inputs: Inputs | None = None) -> str:
    """One record a line, in the order they come."""
    return "".join(f"{msgspec.json.encode(each).decode()}\n" for each in records)
