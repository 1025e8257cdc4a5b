"""How a session went: rules over its events, judged in one pass.

In: Rules and a Trace. Out: a Ruling for each rule, with the lines that prove it; Grades.
Must not know: where the rules were written, files, the screen.

A session is a finite sequence of events, so the rules are formulas of temporal logic over
finite traces, each compiled to a small automaton. Calls that were open at the same time have
no order: the automaton is in all the states that some order of them leads to. A rule that
comes out the same in all of them is decided, any other is `unknown`.
"""

from audition.conduct.automata import FORMS, Form
from audition.conduct.commands import read_command, runs
from audition.conduct.grades import grade_conduct
from audition.conduct.rulings import judge_conduct
from audition.conduct.sights import KINDS, say_pattern

__all__ = [
    "FORMS",
    "KINDS",
    "Form",
    "grade_conduct",
    "judge_conduct",
    "read_command",
    "runs",
    "say_pattern",
]
