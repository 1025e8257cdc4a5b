"""A hearing: every question asked, every citation looked up, the votes settled.

In: a Matter, a function that asks. Out: a Judgement. Must not know: who answers, and how.

A group of questions is asked once for each vote. An answer that cannot be read, or that cites
what is not there, is sent back once with what is wrong; what is wrong then is `cannot_tell`.
"""

from collections.abc import Callable

import msgspec

from audition.judge.answers import BadAnswer, read_answers, read_overall
from audition.judge.citations import verify
from audition.judge.digest import Item, Page, harmless, lay_out, make_items
from audition.judge.prompt import (
    TASK,
    TASK_FILE,
    ask_again,
    ask_criteria,
    ask_overall,
    groups_of,
    hash_prompt,
)
from audition.judge.settling import settle
from audition.judge.values import Judgement, Opinion, Overall, Said
from audition.model import Criterion, Json, Trace, Value

Door = Callable[[str, Json, Page], Said]
"""(prompt, schema of the answer, page whose files are to be at hand) → what was said."""
Ask = Callable[[str, Json, Said], Said]
"""(prompt, schema, which answer it is to be: of what, which vote, a repair) → what was said."""


class Matter(Value, frozen=True, kw_only=True):
    """What is to be judged, blind to who did it."""

    case: str
    task: str
    criteria: tuple[Criterion, ...]
    trace: Trace
    left: dict[str, str] = {}
    names: tuple[str, ...] = ()
    pkbllm: bool = False


def hear(matter: Matter, door: Door, blank: Judgement) -> Judgement:
    """The judgement on a matter; `blank` says who judges, by which nonce, with how many votes."""
    items = make_items(matter.trace, blank.nonce, left=matter.left, names=matter.names)
    page = lay_out(items)
    if len(whole := harmless(matter.task)) > TASK:
        page = msgspec.structs.replace(page, files={**page.files, TASK_FILE: whole})
    said: list[Said] = []

    def ask(prompt: str, schema: Json, about: Said) -> Said:
        came = door(prompt, schema, page)
        said.append(
            msgspec.structs.replace(
                came, criteria=about.criteria, vote=about.vote, repair=about.repair
            )
        )
        return said[-1]

    if matter.pkbllm:
        digest = hash_prompt(matter.criteria, "pkbllm")
        overall, problem = _ask_overall(ask, matter, page, blank.nonce)
        done = msgspec.structs.replace(
            blank, form="pkbllm", votes=1, prompt_hash=digest, overall=overall, problem=problem
        )
    else:
        digest = hash_prompt(matter.criteria, "criteria")
        done = _ask_criteria(ask, matter, items, page, blank)
        done = msgspec.structs.replace(done, prompt_hash=digest)
    return msgspec.structs.replace(done, said=tuple(said))


def _ask_criteria(
    ask: Ask, matter: Matter, items: tuple[Item, ...], page: Page, begun: Judgement
) -> Judgement:
    settled, problems = [], []
    for group in groups_of(matter.criteria):
        prompt, schema = ask_criteria(group, matter.task, page.text, begun.nonce)
        votes = []
        for number in range(1, begun.votes + 1):
            about = Said(criteria=tuple(each.id for each in group), vote=number)
            vote = Vote(group=group, items=items, nonce=begun.nonce, about=about)
            opinions, problem = _vote(ask, prompt, schema, vote)
            if problem:
                problems.append(problem)
            else:
                votes.append(opinions)
        if votes:
            settled += [settle(each, begun.votes) for each in zip(*votes, strict=True)]
    down = len(settled) < len(matter.criteria)
    problem = problems[0] if down and problems else ""
    return msgspec.structs.replace(begun, settled=tuple(settled), problem=problem)


class Vote(Value, frozen=True, kw_only=True):
    """One look at a group of questions."""

    group: tuple[Criterion, ...]
    items: tuple[Item, ...]
    nonce: str
    about: Said


def _vote(ask: Ask, prompt: str, schema: Json, vote: Vote) -> tuple[tuple[Opinion, ...], str]:
    """One vote on a group of questions, repaired once; or why there is none."""
    group, items = vote.group, vote.items
    said = ask(prompt, schema, vote.about)
    if said.problem:
        return (), said.problem
    first, faults = _understand(said.text, group, items)
    if not faults:
        return first, ""
    repair = msgspec.structs.replace(vote.about, repair=True)
    again = ask(ask_again(prompt, vote.nonce, said.text, faults), schema, repair)
    second: tuple[Opinion, ...] = ()
    if not again.problem:
        second, faults = _understand(again.text, group, items)
    if not first and not second:
        return (), again.problem or f"its answer cannot be understood: {faults[0]}"
    pairs = zip(first or second, second or first, strict=True)
    return tuple(two if one.fault else one for one, two in pairs), ""


def _understand(
    text: str, group: tuple[Criterion, ...], items: tuple[Item, ...]
) -> tuple[tuple[Opinion, ...], list[str]]:
    try:
        opinions = verify(read_answers(text), group, items)
    except BadAnswer as error:
        return (), [str(error)]
    return opinions, [f"{each.criterion}: {each.fault}" for each in opinions if each.fault]


def _ask_overall(ask: Ask, matter: Matter, page: Page, nonce: str) -> tuple[Overall | None, str]:
    """The answer to pkbllm's rubric, repaired once; or why there is none."""
    prompt, schema = ask_overall(matter.criteria, matter.task, page.text, nonce)
    problem, asked = "", prompt
    about = Said(criteria=tuple(each.id for each in matter.criteria))
    for repair in (False, True):
        said = ask(asked, schema, msgspec.structs.replace(about, repair=repair))
        if said.problem:
            return None, said.problem
        try:
            return read_overall(said.text), ""
        except BadAnswer as error:
            problem = str(error)
            asked = ask_again(prompt, nonce, said.text, [problem])
    return None, f"its answer cannot be understood: {problem}"
