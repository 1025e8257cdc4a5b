"""What of the user's own login Claude Code is given: the key of the hour, never the file.

In: the name and the bytes of `settings.json` or `.credentials.json`, and the time. Out:
variables. Must not know: files.

A program that is given the file renews the login in it when it is due, which makes the one
in the user's own file worthless; eight trials at once would renew it eight times. A token
in a variable can only be used. It lasts for hours; `claude setup-token` makes one for a year.

The user's settings are not read by the program that is on trial, so a key in them is lost
(2.1.327, `--setting-sources project`), and has to be given again.
"""

import json
from typing import Any

from audition.errors import AuditionError

LETS_THROUGH = (
    "ANTHROPIC_API_KEY",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "ANTHROPIC_AUTH_TOKEN",
    # A key for a gateway is of no use anywhere else, and should be shown to nobody else.
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_CUSTOM_HEADERS",
)
RENEW = "run `claude` once to renew it, or set CLAUDE_CODE_OAUTH_TOKEN by `claude setup-token`"
SPARE = 60
"""Seconds that a token must last still."""


def open_login(name: str, text: bytes, now: float) -> dict[str, str]:
    """The variables that sign Claude Code in as the user."""
    try:
        held = json.loads(text)
    except (ValueError, RecursionError):
        held = None
    if name == "settings.json":
        return _of_settings(held) if isinstance(held, dict) else {}
    try:
        login = held["claudeAiOauth"]
        token, expires = login["accessToken"], login.get("expiresAt")
    except (KeyError, TypeError, AttributeError) as error:
        raise AuditionError("the login of Claude Code is not understood", RENEW) from error
    if not isinstance(token, str) or not token:
        raise AuditionError("the login of Claude Code holds no token", RENEW)
    if isinstance(expires, int | float) and expires / 1000 < now + SPARE:
        raise AuditionError("the login of Claude Code has expired", RENEW)
    return {"CLAUDE_CODE_OAUTH_TOKEN": token}


def _of_settings(held: dict[str, Any]) -> dict[str, str]:
    """The key in the user's settings, with the address that it is for."""
    env = held.get("env")
    given = env if isinstance(env, dict) else {}
    found = {name: str(given[name]) for name in LETS_THROUGH if given.get(name)}
    if any(name in found for name in LETS_THROUGH[:3]):
        return found
    if held.get("apiKeyHelper"):
        raise AuditionError(
            "its `apiKeyHelper` is not run by us", "set ANTHROPIC_API_KEY to what it prints"
        )
    return {}
