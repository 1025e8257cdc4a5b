"""One file that holds a run with its sessions, to be sent or kept.

In: a run. Out: a page that leads nowhere but into itself. Must not know: HTTP.
"""

from collections.abc import Callable, Iterable
from pathlib import Path

from audition.model import Record
from audition.report.html import Links, write_html
from audition.session_text import Session
from audition.store import read_ended, read_inputs, read_records
from audition.summary.tally import Tally
from audition.viewer.pages import anchor, tell

SESSIONS = 200
"""So many are held; those that did not pass come first."""


def write_one_file(run: Path, read_session: Callable[[Path, str], Session]) -> str:
    """The page of a run, and below it the sessions that its troubles point to, then others."""
    inputs = read_inputs(run)
    tally = Tally(inputs, read_ended(run))
    bad: list[Record] = []
    good: list[Record] = []
    for record in read_records(run):
        tally.add(record)
        kept = good if record.status == "pass" else bad
        if len(kept) < SESSIONS and record.status != "ineligible":
            kept.append(record)
    held = [*bad, *good][:SESSIONS]
    sessions = list(_tell(run, held, read_session))
    links = Links(trial=lambda record: anchor(record) if record in held else "")
    own = [each for each in bad if not each.variant]
    return write_html(tally.summary(), own, inputs, links, sessions)


def _tell(
    run: Path, records: Iterable[Record], read_session: Callable[[Path, str], Session]
) -> Iterable[dict[str, object]]:
    for each in records:
        told = tell(read_session(run, each.dir.removeprefix("work/")))
        yield told | {"anchor": anchor(each)[1:]}
