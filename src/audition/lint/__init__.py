"""Mistakes in skills and case files, found by reading alone: nothing is asked, nothing is run.

In: paths, and which rules. Out: findings as they are found, and what was mended.
Must not know: the command line.

A rule is one function with a docstring, in the module of its family; `shelf` holds them all.
"""

from audition.lint.pick import choose_rules
from audition.lint.rule import Repair, Rule, split_page
from audition.lint.shelf import RULES
from audition.lint.show import FORMATS
from audition.lint.walk import Lint, lint

__all__ = [
    "FORMATS",
    "RULES",
    "Lint",
    "Repair",
    "Rule",
    "choose_rules",
    "lint",
    "split_page",
]
