"""What kind of trouble a message tells of: agents say it in prose, seldom by a code.

In: what an agent printed about a failure, and an HTTP status where it says one.
Out: one of our words for trouble, and the reason of an End.
Must not know: agents, events.
"""

import re

from audition.model import Trouble

WORDS: dict[Trouble, str] = {
    "auth": "not signed in",
    "billing": "billing",
    "rate_limit": "rate limited",
    "overloaded": "overloaded",
    "server": "server error",
    "network": "network",
    "model": "unknown model",
    "invalid": "invalid request",
    "refusal": "refused",
    "context": "the context is too long",
    "mcp": "MCP server",
}
_STATUS = re.compile(
    r"(?:status\w*|http|error|failed|\"code\")\W{0,3}(\d{3})\b|^\W*(\d{3})\b", re.IGNORECASE
)
_BY_STATUS: dict[int, Trouble] = {
    400: "invalid",
    401: "auth",
    402: "billing",
    403: "auth",
    404: "model",
    413: "context",
    422: "invalid",
    429: "rate_limit",
    503: "overloaded",
    529: "overloaded",
}


def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(words, re.IGNORECASE)


# These hold whatever the status is: a 400 for want of credit, a 429 for a spent quota.
_ALWAYS: tuple[tuple[re.Pattern[str], Trouble], ...] = (
    (_pattern(r"insufficient_quota|quota exceeded|billing|credit balance|payment"), "billing"),
    (_pattern(r"context.?(window|length)|ran out of room|prompt is too long"), "context"),
    (_pattern(r"content.?filter|usage policy|safety|refus(al|ed to)"), "refusal"),
    (_pattern(r"mcp servers?\b"), "mcp"),
)
_ELSE: tuple[tuple[re.Pattern[str], Trouble], ...] = (
    (
        _pattern(
            r"api.?key|unauthori[sz]ed|authenticat|auth_error|not logged in|log ?in"
            r"|missing environment variable|credentials"
        ),
        "auth",
    ),
    (_pattern(r"rate.?limit|too many requests|resource.?exhausted|usage limit"), "rate_limit"),
    (_pattern(r"overloaded|high demand"), "overloaded"),
    (
        _pattern(
            r"connect|econn|enotfound|disconnect|time[d-]? ?out|socket|network|fetch failed"
            r"|stream (ended|closed|decode)|sending request|terminated\b|premature"
            # What came in the place of an answer was no JSON.
            r"|(in|parse|parsing|streaming|response)\W+(json|chunk|body)\b|json pars"
        ),
        "network",
    ),
    (_pattern(r"model\b.{0,80}not (exist|found|supported)|unknown model"), "model"),
    (_pattern(r"internal server error|server error"), "server"),
    (_pattern(r"bad request|invalid.?request"), "invalid"),
)


def tell_trouble(text: str, status: int | None = None) -> Trouble:
    """The kind of a failure, by its status where there is one, else by its words."""
    text = text[:4000]
    for pattern, what in _ALWAYS:
        if pattern.search(text):
            return what
    if status is None and (found := _STATUS.search(text)):
        status = int(found[1] or found[2])
    if status is not None and 400 <= status < 600:
        return _BY_STATUS.get(status, "server" if status >= 500 else "invalid")
    return next((what for pattern, what in _ELSE if pattern.search(text)), "unknown")


def say_why(what: Trouble, text: str) -> str:
    """The reason of an End: our word first, then the agent's own, on one line."""
    said = " ".join(text.split())[:500]
    word = WORDS.get(what, "")
    return f"{word}: {said}" if word and said else word or said or "the agent failed"
