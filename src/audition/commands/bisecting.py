"""A search for the commit that broke a skill, one run at each commit that is looked at.

In: a skill, a range of commits, Wishes. Out: a Search, printed; the runs below
`bisect-…` in the folder of runs, where they are no part of history. Must not know: click's
options, how a trial is run.

Each look is a test that may be wrong; the 5 % are shared among all of them, so that a
commit is named wrongly in at most 5 % of searches. The same skills are asked once only,
at whatever commits they stood.
"""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
import msgspec

from audition.commands.baselines import skill_as_of, swap_skills
from audition.commands.carry_out import ask_plan, make_plan
from audition.commands.dry_run import quote_plan
from audition.commands.finish import say
from audition.commands.picking import pick_suites
from audition.commands.wishes import Wishes
from audition.config import Config
from audition.counted import counted
from audition.errors import Exit, UsageError, unknown
from audition.installed import configure_agent
from audition.model import Skill, Suite
from audition.plan import Plan
from audition.report.bisected import Commit, Look, Outcome, Search, say_look, write_search
from audition.repository import (
    commits_between,
    describe_commit,
    find_commit,
    is_before,
    top_of,
)
from audition.run import new_run_id
from audition.stats.halving import Word, bracket, most_looks, next_look, suspects
from audition.store import claim_id, read_records
from audition.summary.figures import Summary

ERROR = 0.05
"""How often a search may name a wrong commit."""
WORDS: Mapping[str, Word] = {"pass": "good", "fail": "bad"}


def carry_out_search(skill: str, commits: str, wishes: Wishes, config: Config) -> int:
    """Search, tell; the exit code."""
    name = _name_of(skill)
    suites = pick_suites(msgspec.structs.replace(wishes, skill=(name,)))
    ours = {each.path: each for suite in suites for each in suite.skills}
    mine = next((each for each in ours.values() if each.name == name), None)
    if mine is None:
        raise unknown("skill", name, {each.name for each in ours.values()})
    row = _read_range(Path(mine.path), commits, list(ours))
    looks = most_looks(len(row) - 1)
    with tempfile.TemporaryDirectory(prefix="audition-bisect-") as held:
        plan = make_plan(suites, wishes, config, Path(held))
        error = ERROR / (looks * max(1, len(plan.cells)))
        wishes = msgspec.structs.replace(wishes, error=error, one_fail_ends=True)
        if wishes.dry_run:
            plan = make_plan(suites, wishes, config, Path(held))
            return _tell_quote(plan, (len(row) - 1, looks), wishes, config)
        scout = _Scout(mine, suites, wishes, config, Path(held))
        return _tell(scout.search(row), wishes)


def _name_of(skill: str) -> str:
    """A skill by its name, or by its folder."""
    if not (Path(skill) / "SKILL.md").is_file():
        return skill
    from audition.skills import read_skill

    return read_skill(Path(skill)).name


def _read_range(folder: Path, words: str, paths: Sequence[str]) -> list[Commit]:
    """GOOD, and every commit after it up to BAD that touches a skill on offer."""
    good, dots, bad = words.partition("..")
    if not dots or not good or bad.startswith("."):
        raise UsageError(
            f"`{words}` is no range of commits",
            "write GOOD..BAD, as v1.2..HEAD; GOOD.. is up to HEAD",
        )
    bad = bad or "HEAD"
    first, last = find_commit(folder, good), find_commit(folder, bad)
    if not is_before(folder, first, last):
        turned = is_before(folder, last, first)
        hint = f"did you mean `{bad}..{good}`?" if turned else "GOOD must be an ancestor of BAD"
        raise UsageError(f"`{good}` does not come before `{bad}`", hint)
    top = top_of(folder).resolve()
    within = [each for each in paths if Path(each).resolve().is_relative_to(top)]
    between = commits_between(folder, first, last, [str(Path(each).resolve()) for each in within])
    if not between:
        raise UsageError(
            f"no commit in {good}..{bad} touches a skill that is on offer",
            "what changed is not the skills: the agent, its model, the cases?",
        )
    return [Commit(commit=each, words=describe_commit(folder, each)) for each in (first, *between)]


class _Scout:
    """Asks at one commit after the other, until it is known which one it is."""

    def __init__(
        self, skill: Skill, suites: Sequence[Suite], wishes: Wishes, config: Config, held: Path
    ) -> None:
        self._skill, self._suites, self._config, self._held = skill, suites, config, held
        folder = Path(wishes.out) / claim_id(Path(wishes.out), f"bisect-{new_run_id()}")
        self._wishes = msgspec.structs.replace(wishes, out=str(folder), output_format="text")
        self._paid = not all(
            not configure_agent(name, config).version for name in dict.fromkeys(wishes.agent)
        )
        self._seen: dict[str, Look] = {}
        self._looks: list[Look] = []
        self._ended = ""

    def search(self, row: Sequence[Commit]) -> Search:
        """The last place first, then GOOD, then what halves the rest."""
        found: dict[int, Word] = {}
        last = len(row) - 1
        for place in (last, 0):
            found[place] = self._look(row[place])
            if found[place] != ("good" if place == 0 else "bad"):
                return self._end(row, "ends", found)
        while not self._ended and (look := next_look(found, last)) is not None:
            found[look] = self._look(row[look])
        return self._end(row, "searched", found)

    def _end(self, row: Sequence[Commit], how: str, found: Mapping[int, Word]) -> Search:
        last = len(row) - 1
        left = suspects(found, last)
        low, high = bracket(found, last)
        known = how == "searched"
        outcome: Outcome = "found" if known and len(left) == 1 else "inconclusive"
        if not known and found[last] == "good":
            outcome = "not broken"
        elif not known and found.get(0) == "bad":
            outcome = "never good"
        return Search(
            skill=self._skill.name,
            good=row[0].commit,
            bad=row[-1].commit,
            outcome=outcome,
            first_bad=row[high] if outcome == "found" else None,
            last_good=row[low] if known else None,
            suspects=tuple(row[each] for each in left) if known and len(left) > 1 else (),
            looks=tuple(self._looks),
            ended=self._ended,
            folder=self._wishes.out,
        )

    def _look(self, commit: Commit) -> Word:
        if self._ended:
            return "unknown"
        look = self._ask(commit)
        self._looks.append(look)
        if not self._wishes.quiet:
            say(say_look(look))
        return look.verdict

    def _ask(self, commit: Commit) -> Look:
        into = self._held / commit.commit[:12]
        stand_ins = self._skills_at(commit, into)
        mine = stand_ins.get(self._skill.path)
        nothing = Look(commit=commit, verdict="unknown", reason="the skill is not there")
        if mine is None:
            return nothing
        broken = [each.message for each in mine.problems if each.severity == "error"]
        if broken:
            said = f"the skill cannot be read: {'; '.join(broken)}"
            return msgspec.structs.replace(nothing, reason=said)
        key = " ".join(each.digest if each else "-" for each in stand_ins.values())
        if key in self._seen:
            same = self._seen[key]
            said = f"the same skills as at {same.commit.commit[:10]}"
            return Look(commit=commit, verdict=same.verdict, reason=said, run=same.run)
        self._seen[key] = look = self._run(commit, stand_ins)
        return look

    def _skills_at(self, commit: Commit, into: Path) -> dict[str, Skill | None]:
        """The skills on offer as of a commit; those of other repositories stay as they are."""
        top = top_of(Path(self._skill.path)).resolve()
        ours = {each.path: each for suite in self._suites for each in suite.skills}
        return {
            path: skill_as_of(each, commit.commit, into)
            if Path(path).resolve().is_relative_to(top)
            else each
            for path, each in ours.items()
        }

    def _run(self, commit: Commit, stand_ins: Mapping[str, Skill | None]) -> Look:
        swap = swap_skills(stand_ins)
        wishes = msgspec.structs.replace(
            self._wishes,
            run_id=f"{len(self._looks) + 1}-{commit.commit[:10]}",
            **self._caps_left(),
        )
        suites = [swap(each) for each in self._suites]
        plan = make_plan(suites, wishes, self._config, self._held)
        done = ask_plan(plan, wishes, self._config)
        if done.stopped:
            self._ended = "interrupted"
        elif done.summary.cut and done.summary.cut.why == "budget":
            # Its own words name what was left of the cap at this commit.
            self._ended = "a cap on the search is reached"
        return self._judged(commit, done.summary, done.run)

    def _judged(self, commit: Commit, summary: Summary, run: Path) -> Look:
        """What a run says of the commit, and what it took."""
        mine = summary.skills.get(self._skill.name)
        usages = [each.usage for each in read_records(run) if each.status != "ineligible"]
        tokens = [
            None if None in (each.input_tokens, each.output_tokens)
            else (each.input_tokens or 0) + (each.output_tokens or 0) for each in usages
        ]  # fmt: skip
        dollars = [each.dollars if self._paid else 0.0 for each in usages]
        totals = summary.totals
        return Look(
            commit=commit,
            verdict=WORDS.get(mine.verdict, "unknown") if mine else "unknown",
            reason=_reason(summary),
            run=run.name,
            trials=totals.trials - totals.ineligible,
            passed=totals.passed,
            of=totals.passed + totals.fail,
            tokens=None if None in tokens else sum(each or 0 for each in tokens),
            dollars=None if None in dollars else sum(each or 0.0 for each in dollars),
        )

    def _caps_left(self) -> dict[str, float | int | None]:
        """The caps are for the whole search."""
        wishes, looks = self._wishes, self._looks
        left: dict[str, float | int | None] = {}
        if wishes.budget is not None:
            left["budget"] = max(0.0, wishes.budget - sum(each.dollars or 0.0 for each in looks))
        if wishes.max_tokens is not None:
            left["max_tokens"] = max(0, wishes.max_tokens - sum(e.tokens or 0 for e in looks))
        if wishes.max_runs is not None:
            left["max_runs"] = max(0, wishes.max_runs - sum(each.trials for each in looks))
        return left


def _reason(summary: Summary) -> str:
    """Why a commit is good or bad: the cells that failed, else all."""
    failed = [each.reason for each in summary.cells if each.verdict == "fail"]
    told = failed or [each.reason for each in summary.cells]
    told += [each.reason for each in summary.causes[:1] if not summary.totals.passed]
    return "; ".join(dict.fromkeys(told)) or "nothing was asked"


def _tell(found: Search, wishes: Wishes) -> int:
    if wishes.output_format == "json":
        click.echo(msgspec.json.encode(found))
    else:
        click.echo(write_search(found), nl=False)
    if found.ended == "interrupted":
        return Exit.INTERRUPTED
    if not any(each.of for each in found.looks):
        return Exit.BROKEN
    return Exit.OK if found.outcome == "found" else Exit.FAILED


def _tell_quote(plan: Plan, counts: tuple[int, int], wishes: Wishes, config: Config) -> int:
    """How many commits there are, and what one look takes."""
    from audition.terminal import print_plan

    commits, looks = counts
    quote = quote_plan(plan, wishes, config)
    if wishes.output_format == "json":
        told = {"version": 1, "commits": commits, "looks": looks, "quote": quote}
        click.echo(msgspec.json.encode(told))
        return Exit.OK
    print_plan(plan, quote=quote)
    touch = counted(commits, "commit touches", "commits touch")
    click.echo(f"{touch} the skills; at most {counted(looks, 'look')}, each as quoted above.")
    return Exit.OK
