"""`audition label`: a person answers the rubric, one key a question.

In: a run, keys. Out: labels.jsonl, a line for each answer, appended at once.
Must not know: what a judge says; whoever labels is shown neither that nor who was tried.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec

from audition.commands.finish import say
from audition.commands.labels import Label, read_grading, read_labels
from audition.commands.options import out_option
from audition.config import Config
from audition.errors import Exit, UsageError
from audition.judge import Matter, harmless, lay_out, make_items
from audition.judge.values import Word
from audition.judging import read_matter
from audition.store import find_run, read_places, read_sealed

KEYS: dict[str, Word] = {"y": "met", "n": "unmet", "a": "not_applicable", "?": "cannot_tell"}
SHOWN = 20_000


@click.command
@click.argument("run", required=False)
@click.option("--labels", type=click.Path(dir_okay=False), help="The file that they go into.")
@click.option("--skill", multiple=True, help="Only cases of this skill; may repeat.")
@click.option("--case", multiple=True, help="Only the case of this id; may repeat.")
@out_option
@click.pass_obj
def label(config: Config, /, run: str | None, **words: Any) -> int:
    """Answer the rubric of each trial of RUN (default: the newest) yourself, for judging the judge.

    One key a question: `y` yes, `n` no, `a` does not apply, `?` cannot tell, `q` stop. Each
    answer is kept at once in `labels.jsonl` in the run's folder; the next time goes on there.
    You see what a judge sees: the session without the names of agent and model.

    \b
    Examples:
      audition label
      audition label 20260102-030405 --case implicit
    """
    path = find_run(run, Path(words["out"]))
    file = Path(words["labels"] or path / "labels.jsonl")
    done = (
        {(each.trial, each.criterion) for _, each in read_labels(file)} if file.exists() else set()
    )
    questions = list(_questions(path, config, words["skill"], words["case"]))
    if not questions:
        chosen = " that --case and --skill leave" if words["case"] or words["skill"] else ""
        hint = "`audition show` lists its trials" if chosen else "see docs/judge.md"
        raise UsageError(f"the run {path.name} has no trial with a rubric{chosen}", hint)
    left = [each for each in questions if (each[0], each[1].criteria[0].id) not in done]
    say(f"{len(questions) - len(left)} of {len(questions)} are labelled, in {file}")
    shown = ""
    for number, (trial, matter) in enumerate(left, len(questions) - len(left) + 1):
        if trial != shown:
            _show(matter)
            shown = trial
        word = _ask(matter, f"{number}/{len(questions)}")
        if word is None:
            say("stopped; `audition label` goes on here")
            break
        _keep(file, Label(trial=trial, criterion=matter.criteria[0].id, label=word, run=path.name))
    return Exit.OK


def _questions(
    path: Path, config: Config, skills: tuple[str, ...], cases: tuple[str, ...]
) -> Iterator[tuple[str, Matter]]:
    """Every question about every trial that took place, each as a matter of its own."""
    grading, _ = read_grading(path, config)
    for place in read_places(path):
        folder = path / "work" / place.place
        if not (folder / "meta.json").exists():
            continue
        sealed = read_sealed(folder)
        case = sealed.trial.case
        unasked = case.judge is False and not (folder / "judge.json").exists()
        if not case.rubric or unasked or sealed.problem or sealed.trial.ineligible:
            continue
        if (skills and case.skill not in skills) or (cases and case.id not in cases):
            continue
        matter = read_matter(folder, sealed, grading)
        if matter is None:
            continue
        for criterion in case.rubric:
            yield place.id, msgspec.structs.replace(matter, criteria=(criterion,))


def _show(matter: Matter) -> None:
    items = make_items(matter.trace, "e", left=matter.left, names=matter.names)
    task = "\n".join(f"| {line}" for line in harmless(matter.task).split("\n"))
    shown = f"[task] what the user asked for\n{task}\n{lay_out(items, SHOWN).text}"
    click.echo(f"\n{'─' * 72}\n{shown}\n")


def _ask(matter: Matter, progress: str) -> Word | None:
    (criterion,) = matter.criteria
    applies = f"\n  applies when: {criterion.applies_when}" if criterion.applies_when else ""
    click.echo(f"{progress}  {criterion.question}{applies}\n  y n a ? q: ", nl=False)
    while True:
        key = _key()
        if key in KEYS:
            click.echo(KEYS[key])
            return KEYS[key]
        if key in ("q", "", "\x03", "\x04"):
            click.echo("")
            return None
        if sys.stdin.isatty():
            click.echo("\n  one of y n a ? q: ", nl=False)


def _key() -> str:
    """One key, without Enter where there is a terminal."""
    if sys.stdin.isatty():
        return click.getchar().lower()
    return sys.stdin.read(1).lower()


def _keep(file: Path, label: Label) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(descriptor, msgspec.json.encode(label) + b"\n")
    finally:
        os.close(descriptor)
