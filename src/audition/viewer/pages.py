"""The pages: lists, a run, a session, each as one piece of HTML.

In: rows, a summary with its records, a session; and where links lead to. Out: HTML.
Must not know: HTTP, files. What agents and skills said is escaped by the templates.
"""

from collections import Counter
from collections.abc import Sequence
from urllib.parse import quote, urlencode

from audition.model import Json, Record
from audition.report.html import Links, fill
from audition.session_text import Session, make_steps, say_facts, shorten
from audition.viewer.rows import RunRow, TrialRow, Wanted

PAGE = 100
"""Trials on one page of a list."""
STATUSES = ("fail", "error", "ineligible", "pass")


def runs_page(rows: Sequence[RunRow], out: str) -> str:
    """All runs."""
    return fill("runs.html.jinja", rows=rows, out=out, run_address=run_address)


def trials_page(run_id: str, rows: Sequence[TrialRow], wanted: Wanted, number: int) -> str:
    """Some trials of a run, a hundred at a time."""
    some = [row for row in rows if wanted.lets(row)]
    last = max(1, -(-len(some) // PAGE))
    number = min(max(1, number), last)
    by_status = Counter[str](
        row.status for row in rows if not wanted.skill or wanted.lets_skill(row)
    )
    return fill(
        "trials.html.jinja",
        run_id=run_id,
        run=run_address(run_id),
        rows=some[(number - 1) * PAGE : number * PAGE],
        found=len(some),
        number=number,
        last=last,
        statuses=[(word, by_status[word]) for word in STATUSES if by_status[word]],
        skills=sorted({row.skill or "none" for row in rows}),
        wanted=wanted,
        trial_address=lambda row: trial_address(run_id, row.dir),
        list_address=lambda **given: list_address(run_id, wanted, **given),
    )


def session_page(run_id: str, session: Session) -> str:
    """One trial with its evidence."""
    return fill("session.html.jinja", run_id=run_id, run=run_address(run_id), **tell(session))


def tell(session: Session) -> dict[str, Json]:
    """What is shown of a session."""
    record, case = session.record, session.sealed.trial.case
    return {
        "id": session.sealed.trial.id,
        "status": record.status if record else "not graded",
        "reason": record.reason if record else session.sealed.problem,
        "prompts": case.prompts,
        "steps": [(each, shorten(each.body)) for each in make_steps(session)],
        "facts": list(say_facts(session)),
        "grades": record.grades if record else (),
        "stderr": shorten(session.stderr.strip()),
    }


def links_of(run_id: str) -> Links:
    """Where the page of a run leads to."""
    return Links(
        home="/",
        all_trials=f"{run_address(run_id)}/trials",
        trial=lambda record: trial_address(run_id, record.dir),
    )


def run_address(run_id: str) -> str:
    """The address of a run."""
    return f"/run/{quote(run_id, safe='')}"


def trial_address(run_id: str, folder: str) -> str:
    """The address of a trial, which is its place in the run."""
    return f"{run_address(run_id)}/trial/{quote(folder.removeprefix('work/'))}"


def list_address(run_id: str, wanted: Wanted, **given: Json) -> str:
    """The address of a list; what is given replaces what is wanted now."""
    words = {"status": wanted.status, "skill": wanted.skill} | given
    asked = urlencode({name: value for name, value in words.items() if value})
    return f"{run_address(run_id)}/trials" + (f"?{asked}" if asked else "")


def anchor(record: Record | TrialRow) -> str:
    """The address of a trial within one file."""
    return f"#{quote(record.id, safe='')}"
