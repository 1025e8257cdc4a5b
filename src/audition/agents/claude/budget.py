"""How much room Claude Code gives to the listing of skills.

In: a delivery, and the raw output of a session. Out: characters. Must not know: requests.

Measured on 2.1.327: the listing has 1 % of the context window, four characters a token; what
does not fit is listed by its name. A description has 1536 characters at most. The description
of a tool over MCP, which holds the whole list there, is cut at 4096.
"""

from typing import Any

import msgspec

MCP_DESCRIPTION = 4096
OF_WINDOW = 0.01
CHARS_A_TOKEN = 4


class _Line(msgspec.Struct, frozen=True, kw_only=True):
    modelUsage: Any = None  # noqa: N815  # as the program writes it


def tell_budget(delivery: str, raw: bytes) -> int | None:
    """The characters that all descriptions together may have; None where nothing is said."""
    if delivery == "mcp":
        return MCP_DESCRIPTION
    if delivery not in ("native", "mcp+native", "plugin"):
        return None
    for line in raw.splitlines():
        if b'"modelUsage"' not in line:
            continue
        try:
            usage = msgspec.json.decode(line, type=_Line).modelUsage
        except msgspec.MsgspecError:
            continue
        found = usage.values() if isinstance(usage, dict) else ()
        windows = [each.get("contextWindow") for each in found if isinstance(each, dict)]
        sizes = [each for each in windows if isinstance(each, int)]
        if sizes:
            return round(max(sizes) * OF_WINDOW * CHARS_A_TOKEN)
    return None
