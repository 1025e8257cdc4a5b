"""A private home and a clean environment: the least isolation that keeps trials apart.

In: a Command and the trial's private folders. Out: the same argv, and an environment made
of an allow-list. It keeps the user's skills, settings, history and keys out of the trial.
It does not keep a program from reading any file that the user may read, nor from the
network: run skills you do not trust in a stronger sandbox.
Must not know: agents, trials, grading.
"""

from collections.abc import Mapping

from audition.agent import Command
from audition.sandbox import Boxed, Place

PASSED = (
    "PATH",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_ADDRESS",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_IDENTIFICATION",
    "LC_MEASUREMENT",
    "LC_MESSAGES",
    "LC_MONETARY",
    "LC_NAME",
    "LC_NUMERIC",
    "LC_PAPER",
    "LC_TELEPHONE",
    "LC_TIME",
    "TZ",
    "TERM",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
)
"""What programs need to run at all, to print, and to reach the network."""


def home(
    command: Command, place: Place, lets_through: tuple[str, ...], env: Mapping[str, str]
) -> Boxed:
    """Private HOME, temporary folder and environment; files and network as the user's."""
    passed = {
        name: value for name in (*PASSED, *lets_through) if (value := env.get(name)) is not None
    }
    private = {
        "HOME": place.home,
        "XDG_CONFIG_HOME": f"{place.home}/.config",
        "XDG_CACHE_HOME": f"{place.home}/.cache",
        "XDG_DATA_HOME": f"{place.home}/.local/share",
        "XDG_STATE_HOME": f"{place.home}/.local/state",
        "XDG_RUNTIME_DIR": place.tmp,
        "TMPDIR": place.tmp,
        "PWD": place.workspace,
        # git looks upward for a repository, and in /etc and HOME for settings and hooks.
        "GIT_CEILING_DIRECTORIES": place.root,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
    }
    return Boxed(argv=command.argv, env={**passed, **private, **command.env})
