"""What a run says of its skills beside the verdicts, as tables of words: scores of the calls, steps
of the ladder, the way to the first call, what repeating says, who was called for whom.

In: a Summary, and the skills by name. Out: tables of short plain text, not yet escaped.
Must not know: formats, the screen.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil, floor

from audition.counted import counted, say_seconds
from audition.model import Skill, Value
from audition.report.arms import say_arm
from audition.report.words import say_percent
from audition.stats.labels import NONE
from audition.summary.calls import Guess
from audition.summary.figures import Summary
from audition.summary.funnel import Step
from audition.summary.latencies import Until

MANY = 60
"""Names, as rows or columns of the matrix, beyond which it is left to summary.json."""


SETTINGS = ("agents/openai.yaml",)
"""Bundled for the agent's program: nothing there is for the model to read."""
SHOWN = 3
"""The k of pass@k and pass^k that people see; fewer where there are fewer trials."""


class Table(Value, frozen=True, kw_only=True):
    """A table; the first column names what each row is about."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def estimate_tables(summary: Summary, skills: Mapping[str, Skill]) -> Iterable[Table]:
    """Every table that has a row; the matrix stands apart."""
    found = (_scores(summary), _steps(summary, skills), _latencies(summary), _repeats(summary))
    return (each for each in found if each.rows)


def _scores(summary: Summary) -> Table:
    return Table(
        title="How well calls match",
        head=("Skill", "Precision", "Recall", "F1", "MCC", "False alarms"),
        rows=tuple(
            (
                name,
                _percent(each.precision),
                _percent(each.recall),
                _number(each.f1),
                _number(each.mcc),
                _percent(each.false_positive_rate),
            )
            for name, each in summary.calls.items()
            if each.tp + each.fp + each.fn
        ),
        note="Precision and F1 depend on how many cases should call the skill; recall and false "
        "alarms do not. In brackets the 95% interval.",
    )


def _percent(guess: Guess | None) -> str:
    if guess is None:
        return "–"
    low, high = floor(guess.low * 100 + 1e-9), ceil(guess.high * 100 - 1e-9)
    return f"{say_percent(guess.value)} ({low}–{high}%)"


def _number(guess: Guess | None) -> str:
    return "–" if guess is None else f"{guess.value:.2f} ({guess.low:.2f} to {guess.high:.2f})"


def unreachable(skill: Skill | None) -> frozenset[str]:
    """The rungs that a skill bundles nothing for."""
    bundled = [each for each in skill.resources if each not in SETTINGS] if skill else []
    has = {"read": bool(bundled), "ran": any(each.startswith("scripts/") for each in bundled)}
    return frozenset(rung for rung, there in has.items() if not there)


def _steps(summary: Summary, skills: Mapping[str, Skill]) -> Table:
    rows = []
    for name, each in summary.skills.items():
        if each.funnel.of:
            idle = unreachable(skills.get(name))
            rows.append((name, *(_step(step, idle) for step in each.funnel.steps)))
    return Table(
        title="From rung to rung",
        head=(
            "Skill", "Offered", "Asked, of offered", "Loaded, of asked", "Read, of loaded",
            "Ran, of loaded", "Followed, of loaded",
        ),
        rows=tuple(rows),
        note="Of the graded positives that reached one rung of the ladder, how many reached the "
        "next. A dash: none reached the first, or the skill bundles nothing to read or to run.",
    )  # fmt: skip


def _step(step: Step, idle: frozenset[str]) -> str:
    if step.rate is None or (step.rung in idle and not step.passed):
        return "–"
    return f"{step.passed}/{step.of} {say_percent(step.rate)}"


def _latencies(summary: Summary) -> Table:
    return Table(
        title="Until the first call",
        head=("Skill", "Arm", "Called", "Turns", "Tokens", "Time"),
        rows=tuple(
            (
                each.skill or "–",
                say_arm(each),
                f"{each.called}/{each.trials}",
                _until(each.turns, lambda value: f"{value:.3g}"),
                _until(each.tokens, lambda value: f"{value:,.0f}".replace(",", " ")),
                _until(each.seconds, say_seconds),
            )
            for each in summary.latencies
        ),
        note="The median, and in brackets the mean up to the longest wait, by Kaplan and Meier: "
        "trials that never called it count as having waited as long as they took. A question "
        "mark: the agent does not tell it step by step.",
    )


def _until(until: Until | None, say: Callable[[float], str]) -> str:
    if until is None:
        return "?"
    median = f"over {say(until.horizon)}" if until.median is None else say(until.median)
    return f"{median} ({say(until.mean)})"


def _repeats(summary: Summary) -> Table:
    return Table(
        title="Asked again",
        head=("Skill", "Arm", "Should", "Cases", "Trials", "Flaky", "pass@k", "pass^k", "Unseen"),
        rows=tuple(
            (
                each.skill or "–",
                say_arm(each),
                "be called" if each.positives else "stay quiet",
                str(each.cases),
                str(each.fewest),
                str(each.flaky),
                _chance(each.pass_at),
                _chance(each.pass_all),
                f"{each.unseen_flake:.0%}",
            )
            for each in summary.repeats
            if each.fewest > 1
        ),
        note="Trials: of the case that has the fewest. pass@k: one of k tries passes; pass^k: all of "
        "them do; both without bias. Unseen: the chance that a "
        "case which passes nine times of ten looks steady in so many trials.",
    )


def _chance(by_k: dict[str, float]) -> str:
    k = str(min(len(by_k), SHOWN))
    return f"{say_percent(by_k[k])} (k = {k})" if by_k else "–"


def matrix_columns(summary: Summary) -> Sequence[str]:
    """The names over the columns of the matrix; none where one skill was alone, or very many."""
    names = {name for row in summary.matrix.values() for name in row} | {*summary.matrix}
    columns = [*sorted(names - {NONE}), NONE]
    return columns if 2 < len(columns) <= MANY else ()


def say_thefts(summary: Summary) -> Iterable[str]:
    """Who was called for whose prompts, the most often first."""
    found = [
        (-number, row, name)
        for row, called in summary.matrix.items()
        for name, number in called.items()
        if NONE not in (row, name) and row != name
    ]
    for number, row, name in sorted(found):
        yield f"{name} was called {counted(-number, 'time')} for prompts of {row}"
