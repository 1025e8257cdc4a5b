"""What of the user's own login Claude Code is given: the key of the hour, never the file.

In: the bytes of `.credentials.json`, and the time. Out: variables. Must not know: files.

A program that is given the file renews the login in it when it is due, which makes the one
in the user's own file worthless; eight trials at once would renew it eight times. A token
in a variable can only be used. It lasts for hours; `claude setup-token` makes one for a year.
"""

import json

from audition.errors import AuditionError

RENEW = "run `claude` once to renew it, or set CLAUDE_CODE_OAUTH_TOKEN by `claude setup-token`"
SPARE = 60
"""Seconds that a token must last still."""


def open_login(text: bytes, now: float) -> dict[str, str]:
    """The variables that sign Claude Code in as the user."""
    try:
        login = json.loads(text)["claudeAiOauth"]
        token, expires = login["accessToken"], login.get("expiresAt")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise AuditionError("the login of Claude Code is not understood", RENEW) from error
    if not isinstance(token, str) or not token:
        raise AuditionError("the login of Claude Code holds no token", RENEW)
    if isinstance(expires, int | float) and expires / 1000 < now + SPARE:
        raise AuditionError("the login of Claude Code has expired", RENEW)
    return {"CLAUDE_CODE_OAUTH_TOKEN": token}
