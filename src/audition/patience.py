"""What the trials of one account share: whether it may be asked, and when again.

In: the troubles that an agent told, as it told them. Out: words where nothing more is to be
asked of it; a time to wait; whether a trial may be tried once more.
Must not know: processes, trials, what a trial is worth.

A key that is refused once is refused always: the first trial that meets it ends all others
of that account. A limit is of the account and not of the trial: all wait, then it is tried
again. Neither says anything about a skill, so neither is ever a fail. A program and its SDK
are signed in alike, so they share an account.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime

from audition.agent import Agent
from audition.installed import Ready
from audition.model import Fault

ATTEMPTS = 3
FIRST_WAIT = 1.0
"""Seconds before the second attempt, where nobody says how long; doubled for each more."""
LONGEST_WAIT = 900.0
"""A limit that lasts longer ends the asking of that agent instead."""
LOOK = 0.1
LIMITS = ("rate_limit", "overloaded")
HOPELESS = ("auth", "billing")


class Standing:
    """How an account stands; shared by all agents that are signed in with it."""

    def __init__(self) -> None:
        self.refused = ""
        """Why nothing more is asked; empty while it may be."""
        self.free_at = 0.0


class Account:
    """One agent's view of its account; its functions may be called from any thread."""

    def __init__(self, agent: Agent, standing: Standing | None = None, least: float = 0.0) -> None:
        self.agent = agent
        self.standing = standing or Standing()
        self._least = least
        """Seconds to wait at least for a limit at which the program gave up at once."""

    @property
    def refused(self) -> str:
        """Why nothing more is asked; empty while it may be."""
        return self.standing.refused

    def wait(self, stop: Callable[[], bool]) -> str:
        """Wait until it may be asked; words where it need not be, for it would be refused."""
        while not self.refused and not stop():
            left = self.standing.free_at - time.monotonic()
            if left <= 0:
                return ""
            time.sleep(min(left, LOOK))
        return self.refused

    def hear(self, fault: Fault) -> str:
        """Learn from a trouble that an agent tells; words where its session is to end now."""
        if fault.what in HOPELESS:
            self.standing.refused = _why_refused(self.agent, fault)
            return self.refused
        if fault.what in LIMITS and fault.retrying and fault.wait_s is not None:
            self._hold(fault.wait_s)
        # A server that does not come up, a plug-in that is not found: the trial would be
        # asked without its skills, and all that it shows would be wrong.
        return fault.text if fault.what in ("mcp", "agent") and not fault.retrying else ""

    def may_try_again(self, faults: list[Fault], attempt: int, *, late: bool = False) -> bool:
        """Whether a session that ended so is worth another attempt, after a wait for all.

        `late`: its time was over. If it waited for a limit then, that is what took the time.
        """
        ends = [each for each in faults if late or not each.retrying]
        if self.refused or not ends or ends[-1].what not in LIMITS:
            return False
        wait = self._wait_for(faults, ends, attempt)
        if wait > LONGEST_WAIT:
            over = datetime.fromtimestamp(time.time() + wait, UTC)
            self.standing.refused = f"rate limited until {over:%Y-%m-%d %H:%M} UTC"
            return False
        if attempt >= ATTEMPTS:
            return False
        self._hold(wait)
        return True

    def _wait_for(self, faults: list[Fault], ends: list[Fault], attempt: int) -> float:
        told = [wait for each in ends if (wait := _seconds_of(each)) is not None]
        if told:
            return max(told)
        retried = [each.wait_s for each in faults if each.retrying and each.what in LIMITS]
        first = max((FIRST_WAIT, *filter(None, retried[-1:]))) if retried else self._least
        return max(FIRST_WAIT, first) * 2.0 ** (attempt - 1)

    def _hold(self, seconds: float) -> None:
        until = time.monotonic() + min(seconds, LONGEST_WAIT)
        self.standing.free_at = max(self.standing.free_at, until)


class Patience:
    """The accounts of a run."""

    def __init__(self, *, live: bool = False) -> None:
        self._live = live
        self._standings: dict[object, Standing] = {}
        self._lock = threading.Lock()

    def account(self, ready: Ready) -> Account:
        """The account that all trials share whose agents are signed in alike."""
        agent = ready.agent
        signed = (agent.lets_through, agent.login)
        key = (*signed, ready.settings.env) if any(signed) else agent.name
        with self._lock:
            standing = self._standings.setdefault(key, Standing())
        # A limit of our own making ends where the script says so.
        return Account(agent, standing, agent.gives_up_beyond if self._live else 0.0)


class Listener:
    """Listens to a session while it goes on; given to the process as its `watch`."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self.faults: list[Fault] = []
        self._rest = b""

    def __call__(self, new: bytes) -> str:
        """Words that end the session, else nothing."""
        agent = self.account.agent
        lines, _, self._rest = (self._rest + new).rpartition(b"\n")
        for line in _marked(lines, agent.troubles):
            for fault in _faults_of(agent, line):
                self.faults.append(fault)
                if said := self.account.hear(fault):
                    return said
        return ""


def _marked(lines: bytes, marks: Iterable[bytes]) -> Iterator[bytes]:
    """The lines that hold one of the marks, in order.

    Looked for in all of it at once, for hardly any line has a mark: 1 us instead of 30.
    """
    begins: set[int] = set()
    for mark in marks:
        at = lines.find(mark)
        while at >= 0:
            begins.add(lines.rfind(b"\n", 0, at) + 1)
            behind = lines.find(b"\n", at)
            at = lines.find(mark, behind) if behind >= 0 else -1
    for begin in sorted(begins):
        end = lines.find(b"\n", begin)
        yield lines[begin:] if end < 0 else lines[begin:end]


def _faults_of(agent: Agent, line: bytes) -> list[Fault]:
    try:
        events = agent.read(0, line) or ()
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        return []
    return [each for each in events if isinstance(each, Fault)]


def _seconds_of(fault: Fault) -> float | None:
    if fault.wait_s is not None:
        return fault.wait_s
    return max(0.0, fault.until - time.time()) if fault.until is not None else None


def _why_refused(agent: Agent, fault: Fault) -> str:
    word = "not signed in" if fault.what == "auth" else "billing"
    text = " ".join(fault.text.split())[:200]
    how = f"; {agent.sign_in}" if agent.sign_in else ""
    return f"{word}: {agent.name} says `{text}`{how}" if text else f"{word}{how}"
