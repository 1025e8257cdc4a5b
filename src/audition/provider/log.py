"""The log of one trial's requests, without its secrets.

In: a request and what was answered. Out: a line of requests.jsonl.
Must not know: wires, sockets.
"""

import re
from functools import lru_cache

import msgspec

from audition.model import Json
from audition.provider.wire import Reply, Request

HIDDEN = "<redacted>"
SECRET = ("authorization", "key", "cookie", "token", "secret", "credential", "password")
LOOKS_SECRET = re.compile(
    rb"\b(?:sk-[\w-]{8,}|AIza[\w-]{20,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|xox[abp]-[\w-]{10,})"
    rb"|(?i:bearer) +[\w.~+/-]{8,}=*"
    rb'|(?<="api_key":")[^"]+|(?<="apiKey":")[^"]+|(?<="password":")[^"]+'
)
IN_URL = re.compile(
    r"(?i)(?P<name>[?&][^=&\s\"']*(?:key|token|secret|password)[^=&\s\"']*=)[^&\s\"']+"
    r"|(?P<scheme>\b[a-z][a-z0-9+.-]*://)[^/@\s\"']+@"
)
WORD = 64
"""Characters of a word that is worth remembering."""
NO_SECRET = {"loopback"}
"""What our own agents send in the place of a key."""


def is_secret(name: str) -> bool:
    """Whether a header or parameter of that name holds a credential."""
    return any(word in name.lower() for word in SECRET)


def hide_query(query: str) -> str:
    """The query with the values of its secrets hidden."""
    pairs = (each.partition("=") for each in query.split("&") if each)
    return "&".join(f"{name}={HIDDEN if is_secret(name) else value}" for name, _, value in pairs)


def hide_text(text: str) -> str:
    """A text, such as a word of a command line, without what looks like a secret in it."""
    # The flags are the same in every trial: twenty of them took 60 us each time.
    return _hide_word(text) if len(text) <= WORD else _hide(text)


def _hide(text: str) -> str:
    hidden = LOOKS_SECRET.sub(HIDDEN.encode(), text.encode("utf-8", "surrogateescape"))
    return IN_URL.sub(_keep_name, hidden.decode("utf-8", "surrogateescape"))


_hide_word = lru_cache(maxsize=256)(_hide)


def _keep_name(match: re.Match[str]) -> str:
    name = match["name"] or match["scheme"]
    return f"{name}{HIDDEN}" + ("@" if match["scheme"] else "")


def find_secrets(request: Request) -> tuple[bytes, ...]:
    """The credentials that the request itself carries, longest first."""
    pairs = (each.partition("=") for each in request.query.split("&"))
    values = [value for name, _, value in pairs if is_secret(name)]
    for name, value in request.headers.items():
        if is_secret(name):
            pieces = re.split(r"[;,\s]+", value)
            values += [value, *pieces, *(each.partition("=")[2] for each in pieces)]
    kept = {value for value in values if len(value) >= 8 and value.lower() not in NO_SECRET}
    return tuple(each.encode() for each in sorted(kept, key=lambda each: (-len(each), each)))


def write_line(request: Request, wire: str, side: str, answered: Reply | int) -> bytes:
    """One line of the log: the request and the reply that was chosen."""
    told: dict[str, Json] = {
        "method": request.method,
        "path": request.path,
        "query": hide_query(request.query),
        "wire": wire,
        "side": side,
        "headers": {n: HIDDEN if is_secret(n) else v for n, v in request.headers.items()},
        "body": _body(request.body),
        "status": answered if isinstance(answered, int) else answered.status,
    }
    if isinstance(answered, Reply):
        told["reply"] = answered
    line = msgspec.json.encode(told)
    for secret in find_secrets(request):
        line = line.replace(msgspec.json.encode(secret.decode())[1:-1], HIDDEN.encode())
    return LOOKS_SECRET.sub(HIDDEN.encode(), line) + b"\n"


def _body(body: bytes) -> Json:
    if not body:
        return None
    try:
        return msgspec.json.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return body[:65536].decode("utf-8", "replace")
