"""The judge, as far as it can be thought: what it is shown and asked, what its word is worth.

In: a trace, criteria, the text of answers. Out: prompts, verified opinions, grades.
Must not know: processes, files, which program answers (see judging.py).

    values.py     what a judge says, and judge.json       digest.py    the session as it is shown
    prompt.py     the words it is asked with              answers.py   its text read
    citations.py  whether what it cites is there          settling.py  votes to grades
    hearing.py    the whole of it, with a function that asks
    kept.py       judge.json, read back                   canaries.py  what may be said to sway it
    standing.py   how good it is, by labels
"""

from audition.judge.answers import BadAnswer, read_answers, read_overall
from audition.judge.canaries import PAYLOADS, append_payload
from audition.judge.citations import verify
from audition.judge.digest import FAMILIES, Item, Page, harmless, lay_out, make_items
from audition.judge.hearing import Matter, hear
from audition.judge.kept import decode_judgement, judged_by
from audition.judge.prompt import (
    ask_again,
    ask_criteria,
    ask_overall,
    groups_of,
    hash_prompt,
)
from audition.judge.settling import grade_rubric, settle
from audition.judge.values import (
    WORDS,
    Answer,
    Citation,
    Identity,
    Judgement,
    Opinion,
    Overall,
    Said,
    Settled,
)

__all__ = [
    "FAMILIES",
    "PAYLOADS",
    "WORDS",
    "Answer",
    "BadAnswer",
    "Citation",
    "Identity",
    "Item",
    "Judgement",
    "Matter",
    "Opinion",
    "Overall",
    "Page",
    "Said",
    "Settled",
    "append_payload",
    "ask_again",
    "ask_criteria",
    "ask_overall",
    "decode_judgement",
    "grade_rubric",
    "groups_of",
    "harmless",
    "hash_prompt",
    "hear",
    "judged_by",
    "lay_out",
    "make_items",
    "read_answers",
    "read_overall",
    "settle",
    "verify",
]
