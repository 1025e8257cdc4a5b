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
_STATUS = r"(?:status\w*|http|error|failed|\"code\")\W{0,3}(\d{3})\b|^\W*(\d{3})\b"
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


def _tells(words: str, text: str) -> bool:
    # Compiled when first asked for, and kept by `re`: troubles are rare, and all took 1 ms.
    return re.search(words, text, re.IGNORECASE) is not None


# These hold whatever the status is: a 400 for want of credit, a 429 for a spent quota.
_ALWAYS: tuple[tuple[str, Trouble], ...] = (
    (r"insufficient_quota|quota exceeded|billing|credit balance|payment", "billing"),
    (r"context.?(window|length)|ran out of room|prompt is too long", "context"),
    (r"content.?filter|usage policy|safety|refus(al|ed to)", "refusal"),
    (r"mcp servers?\b", "mcp"),
)
_ELSE: tuple[tuple[str, Trouble], ...] = (
    (
        (
            r"api.?key|unauthori[sz]ed|authenticat|auth_error|not logged in|log ?in"
            r"|missing environment variable|credentials"
        ),
        "auth",
    ),
    (r"rate.?limit|too many requests|resource.?exhausted|usage limit", "rate_limit"),
    (r"overloaded|high demand", "overloaded"),
    (
        (
            r"connect|econn|enotfound|disconnect|time[d-]? ?out|socket|network|fetch failed"
            r"|stream (ended|closed|decode)|sending request|terminated\b|premature"
            # What came in the place of an answer was no JSON.
            r"|(in|parse|parsing|streaming|response)\W+(json|chunk|body)\b|json pars"
        ),
        "network",
    ),
    (r"model\b.{0,80}not (exist|found|supported)|unknown model", "model"),
    (r"internal server error|server error", "server"),
    (r"bad request|invalid.?request", "invalid"),
)


def tell_trouble(text: str, status: int | None = None) -> Trouble:
    """The kind of a failure, by its status where there is one, else by its words."""
    text = text[:4000]
    for words, what in _ALWAYS:
        if _tells(words, text):
            return what
    if status is None and (found := re.search(_STATUS, text, re.IGNORECASE)):
        status = int(found[1] or found[2])
    if status is not None and 400 <= status < 600:
        return _BY_STATUS.get(status, "server" if status >= 500 else "invalid")
    return next((what for words, what in _ELSE if _tells(words, text)), "unknown")


def say_why(what: Trouble, text: str) -> str:
    """The reason of an End: our word first, then the agent's own, on one line."""
    said = " ".join(text.split())[:500]
    word = WORDS.get(what, "")
    return f"{word}: {said}" if word and said else word or said or "the agent failed"
