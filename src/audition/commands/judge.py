"""`audition judge check`: is the judge any good? Measured on labels that people gave.

In: a file of labels, a judge. Out: its standing on each criterion, what canaries came to.
Must not know: how a judge is asked, how agreement is reckoned.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import msgspec

from audition.commands.finish import say
from audition.commands.judge_options import judge_options, read_wishes
from audition.commands.judges import AT_ONCE, bench_for, make_judge
from audition.commands.labels import Labelled, find_labelled, matter_of, read_grading
from audition.commands.options import out_option, output_format
from audition.config import Config
from audition.counted import counted
from audition.errors import BadFile, Exit
from audition.judge import PAYLOADS, Identity, append_payload
from audition.judge.standing import Standing, stand
from audition.judge.values import Word
from audition.judging import Bench, Judge
from audition.judging import judge as ask_judge
from audition.model import Value
from audition.stats.paired import mcnemar
from audition.yardstick import Grading


class Flip(Value, frozen=True, kw_only=True):
    """A failing session that passed once a payload was put in."""

    trial: str
    criterion: str
    payload: str
    verdict: Word


class Changed(Value, frozen=True, kw_only=True):
    """The anchors: what became of the verdicts of the look before."""

    by: Identity
    began: str
    both: int
    """Questions that were answered then and now."""
    changed: tuple[str, ...]
    better: int
    """Right now, and wrong then."""
    worse: int
    p: float | None
    """How likely so uneven a change is by chance; null where none is for better or worse."""


class Check(Value, frozen=True, kw_only=True):
    """What one look at a judge came to; the anchors of the next one."""

    began: str
    by: Identity
    votes: int
    prompts: tuple[str, ...] = ()
    standings: tuple[Standing, ...] = ()
    canaries: int = 0
    """How often one was tried."""
    flips: tuple[Flip, ...] = ()
    down: tuple[str, ...] = ()
    """Why the judge gave no answer, where it gave none."""
    verdicts: dict[str, Word] = {}
    against: Changed | None = None
    """The look before, where there was one."""


@click.command
@click.argument("what", type=click.Choice(["check"]))
@click.argument("labels", type=click.Path(dir_okay=False))
@judge_options
@click.option("--run", help="The run that the labels are about, where they do not say.")
@click.option(
    "--canaries",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    help="In so many failing sessions each known injection is tried.",
)
@out_option
@output_format("text", "json")
@click.pass_obj
def judge(config: Config, /, what: str, labels: str, **words: Any) -> int:
    """Ask the judge about what people labelled, and say what its word is worth.

    LABELS is what `audition label` wrote: lines of `{trial, criterion, label}`. For each
    criterion: agreement, kappa, AC1, sensitivity and specificity with their intervals, and whether
    it may decide about trials. Known injections are put into sessions that fail; one that
    passes then fails the judge. What came is kept in LABELS.checks.jsonl and compared with the
    look before.

    \b
    Examples:
      audition judge check labels.jsonl --judge-agent claude
      audition judge check labels.jsonl --judge-command "python judge.py" --votes 3
    """
    del what
    path = Path(labels)
    found = find_labelled(path, words["run"], Path(words["out"]))
    if not found:
        raise BadFile(f"{path} holds no label", "collect some with `audition label RUN`")
    chosen = make_judge(read_wishes(words), config, needed=True)
    if chosen is None:
        raise AssertionError("needed, and none")
    kept = Path(f"{path}.checks.jsonl")
    before = _last(kept)
    check = look(found, chosen, config, words["canaries"])
    check = msgspec.structs.replace(check, against=before and _compare(check, before, found))
    with kept.open("ab") as file:
        file.write(msgspec.json.encode(check) + b"\n")
    if words["output_format"] == "json":
        click.echo(msgspec.json.encode(check))
    else:
        click.echo("\n".join([*_tell(check), *_tell_changes(check)]))
    if check.flips:
        return Exit.FAILED
    return Exit.BROKEN if len(check.down) and not check.verdicts else Exit.OK


def look(found: Sequence[Labelled], chosen: Judge, config: Config, canaries: int) -> Check:
    """Ask about every labelled trial, then try the canaries."""
    verdicts: dict[str, Word] = {}
    down: list[str] = []
    prompts: set[str] = set()
    flips: list[Flip] = []
    tried = 0
    for run in dict.fromkeys(each.run for each in found):
        grading, inputs = read_grading(run, config)
        mine = [each for each in found if each.run == run]
        with bench_for(chosen, grading, inputs) as bench:
            _judge_all(mine, grading, bench, (verdicts, down, prompts))
            bad = [e for e in mine if e.label.label == verdicts.get(e.key) == "unmet"]
            for each in bad[: max(0, canaries - tried // len(PAYLOADS))]:
                flips += _try_canaries(each, grading, bench)
                tried += len(PAYLOADS)
    why = "an injection swayed the judge" if flips else "" if tried else "no canary was tried"
    names = dict.fromkeys(each.label.criterion for each in found)
    pairs = {name: [e for e in found if e.label.criterion == name] for name in names}
    return Check(
        began=datetime.now(UTC).isoformat(timespec="seconds"),
        by=chosen.identity,
        votes=chosen.votes,
        prompts=tuple(sorted(prompts)),
        standings=tuple(
            stand(name, [(e.label.label, verdicts[e.key]) for e in each if e.key in verdicts], why)
            for name, each in pairs.items()
        ),
        canaries=tried,
        flips=tuple(flips),
        down=tuple(sorted(down)),
        verdicts=verdicts,
    )


Sink = tuple[dict[str, Word], list[str], set[str]]


def _judge_all(mine: Sequence[Labelled], grading: Grading, bench: Bench, sink: Sink) -> None:
    """One judgement for each trial, on its labelled criteria."""
    verdicts, down, prompts = sink
    by_folder: dict[Path, list[Labelled]] = {}
    for each in mine:
        by_folder.setdefault(each.folder, []).append(each)

    def one(group: list[Labelled]) -> None:
        first = group[0]
        ids = [each.label.criterion for each in group]
        matter = matter_of(first.folder, first.sealed, grading, ids)
        if matter is None:
            down.append(f"{first.label.trial}: the session says nothing, for its agent failed")
            return
        judgement = ask_judge(matter, bench)
        prompts.add(judgement.prompt_hash)
        if judgement.problem:
            down.append(f"{first.label.trial}: {judgement.problem}")
        said = {each.criterion: each.verdict for each in judgement.settled}
        verdicts.update(
            {e.key: said[e.label.criterion] for e in group if e.label.criterion in said}
        )

    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(one, by_folder.values()))


def _try_canaries(labelled: Labelled, grading: Grading, bench: Bench) -> list[Flip]:
    """A session that fails, with each payload put in: what passes then is a flip."""
    label = labelled.label
    matter = matter_of(labelled.folder, labelled.sealed, grading, [label.criterion])
    flips: list[Flip] = []
    if matter is None:
        return flips
    for name, payload in PAYLOADS.items():
        trace = append_payload(matter.trace, payload, label.criterion)
        judgement = ask_judge(msgspec.structs.replace(matter, trace=trace), bench)
        word: Word = next((each.verdict for each in judgement.settled), "cannot_tell")
        if word in ("met", "not_applicable"):
            flips.append(
                Flip(trial=label.trial, criterion=label.criterion, payload=name, verdict=word)
            )
    return flips


def _last(kept: Path) -> Check | None:
    """The last look at which the judge said anything."""
    if not kept.exists():
        return None
    try:
        looks = (
            msgspec.json.decode(line, type=Check)
            for line in reversed(kept.read_bytes().splitlines())
        )
        return next((each for each in looks if each.verdicts), None)
    except (msgspec.DecodeError, UnicodeDecodeError):
        say(f"{kept} cannot be understood; nothing is compared")
        return None


def _tell(check: Check) -> list[str]:
    lines = [f"judge: {check.by.name}, {counted(check.votes, 'vote')}"]
    for each in check.standings:
        many = counted(each.labels, "label")
        lines += ["", f"{each.criterion}: {many}, {each.met} met, {each.unmet} unmet"]
        for name in ("agreement", "kappa", "ac1", "sensitivity", "specificity"):
            found = getattr(each, name)
            shown = (
                f"{found.value:.2f}  [{found.low:.2f}, {found.high:.2f}]" if found else "unknown"
            )
            lines.append(f"  {name:<12} {shown}")
        lines.append("  may gate" if each.may_gate else f"  advisory: {'; '.join(each.lacks)}")
    lines.append("")
    if not check.canaries:
        lines.append("canaries: none tried; they need a label `unmet` that the judge agrees with")
    else:
        lines.append(f"canaries: {len(check.flips)} of {check.canaries} swayed the judge")
    lines += [f"  {e.payload}: {e.criterion} of {e.trial} became {e.verdict}" for e in check.flips]
    return lines + [f"no answer: {each}" for each in check.down]


def _compare(check: Check, before: Check, found: Sequence[Labelled]) -> Changed:
    """What the judge said before about the same questions, and says now."""
    right = {each.key: each.label.label for each in found}
    both = [key for key in right if key in check.verdicts and key in before.verdicts]
    better = sum(before.verdicts[key] != right[key] == check.verdicts[key] for key in both)
    worse = sum(before.verdicts[key] == right[key] != check.verdicts[key] for key in both)
    return Changed(
        by=before.by,
        began=before.began,
        both=len(both),
        changed=tuple(key for key in both if before.verdicts[key] != check.verdicts[key]),
        better=better,
        worse=worse,
        p=mcnemar(worse, better) if better + worse else None,
    )


def _tell_changes(check: Check) -> list[str]:
    then = check.against
    if then is None:
        return []
    words = f"against {then.by.name}, {then.began}: "
    words += f"{len(then.changed)} of {counted(then.both, 'verdict')} changed"
    if then.p is not None:
        words += f"; {then.better} right now, {then.worse} wrong now (p = {then.p:.3f})"
    return [words, *(f"  {key}: now {check.verdicts[key]}" for key in then.changed)]
