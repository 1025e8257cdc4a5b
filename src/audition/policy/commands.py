"""Which commands count as pkbllm counts them, its mistakes included.

In: a trace. Out: how many commands ran, and how many of them were effective.
Must not know: policies, cases, our own count of commands.
"""

import re

from audition.model import Call, Commands, Trace

_WRAPPED = re.compile(r"/bin/zsh -lc (?P<quote>['\"]?)(?P<line>.*)(?P=quote)", re.DOTALL)
"""The only wrapper that it looks behind: the shell of its author's machine."""
_LOOK = re.compile(r"pwd|ls(?: [\w./~-]+)?")
_FOLDERS = ("skills_snapshot", ".agents/skills")
"""Where its skills lie, and where they lie in a workspace of ours."""


def count_as_pkbllm(trace: Trace) -> Commands:
    """Every command once, by its id; a read of SKILL.md and a bare look are not effective."""
    lines = {
        each.id or str(each.line): each.command
        for each in trace.events
        if isinstance(each, Call) and each.does == "shell"
    }
    return Commands(total=len(lines), effective=sum(map(_is_effective, lines.values())))


def _is_effective(line: str) -> bool:
    if "SKILL.md" in line and any(each in line for each in _FOLDERS):
        return False
    wrapped = _WRAPPED.fullmatch(line.strip())
    return not _LOOK.fullmatch((wrapped["line"] if wrapped else line).strip())
