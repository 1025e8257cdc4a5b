"""Why a trial says nothing about the skill: the agent failed, not what it was asked to try.

In: what was sealed of it, its Trace, its agent. Out: a reason, empty where there is none.
Must not know: checks, policies, files.
"""

from audition.agent import LINE_CAP, Agent
from audition.counted import counted
from audition.model import Fault, Sealed, Trace
from audition.trouble import say_why, tell_trouble


def infrastructure_trouble(sealed: Sealed, trace: Trace, agent: Agent, stderr: str = "") -> str:
    """Why the trial says nothing about the skill; empty where it does."""
    if sealed.stopped == "timeout":
        # With no word of trouble it was the task, or the agent, that took too long.
        fault = _last_fault(trace)
        return f"timed out after {sealed.trial.timeout_s:g} s" + (f"; {fault}" if fault else "")
    if sealed.stopped == "output":
        return "stopped: it printed more than is kept"
    if sealed.stopped:
        return f"stopped: {_last_fault(trace) or sealed.stopped}"
    if trace.end.status == "failed":
        return trace.end.reason or "the agent failed"
    if trace.end.status == "interrupted":
        return _no_end(sealed, trace, agent, stderr)
    return ""


def say_lost(trace: Trace) -> str:
    """Why something may have been done of which the session shows nothing; empty where not."""
    if trace.truncated:
        return f"the trace was cut (a line over {LINE_CAP // 2**20} MiB, or too much output)"
    if trace.lost:
        first = f"{counted(trace.unread_count, 'line')} cannot be understood, the first is"
        calls = "there was a call" if len(trace.lost) == 1 else "there were calls"
        return f"{first} {trace.unread[0]}, and {calls} among them: results came back"
    return ""


def _no_end(sealed: Sealed, trace: Trace, agent: Agent, stderr: str) -> str:
    code, lines = f"exit code {sealed.exit_code}", trace.unread_count
    if not trace.events and not lines:
        # Kimi tells a refused key on stderr alone.
        what = tell_trouble(stderr)
        if what != "unknown":
            return say_why(what, stderr)
        said = f": {stderr}" if stderr else ""
        return f"the agent did nothing and said nothing ({code}){said}"
    fault = _last_fault(trace) or stderr
    # Its end may be among the lines that were not understood, unless it crashed.
    if lines and (not trace.events or sealed.exit_code == 0):
        version = sealed.agent_version or "unknown"
        known = f"; known {agent.known_version}" if agent.known_version else ""
        said = f"; {fault}" if fault else ""
        count = f"{counted(lines, 'line')} unread, the first is {trace.unread[0]}"
        return f"output not understood (version {version}{known}): {count}; {code}{said}"
    return f"the session has no end ({code})" + (f": {fault}" if fault else "")


def _last_fault(trace: Trace) -> str:
    last = next((event for event in reversed(trace.events) if isinstance(event, Fault)), None)
    return f"{last.what}: {last.text}"[:300] if last else ""
