"""For GitHub Actions: annotations at the lines of the case files, and the job summary.

In: a Summary and Records. Out: workflow commands for stdout;
text to append to the file that $GITHUB_STEP_SUMMARY names. Must not know: files, environment.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from audition.model import Inputs, Record
from audition.report.conclusion import conclude
from audition.report.escape import for_command, for_property, one_line
from audition.report.markdown import write_markdown
from audition.report.words import look_command, order_of, say_reason
from audition.summary.figures import Summary

SUMMARY_BYTES = 1024 * 1024 - 1024
"""GitHub refuses a step's summary above 1 MiB whole."""


@dataclass(slots=True)
class _Bad:
    first: Record
    trials: int = 1


def write_github(summary: Summary, records: Iterable[Record], _inputs: Inputs | None = None) -> str:
    """An error a failed case, a warning a case in error, and the conclusion as a notice.

    One annotation a case, however many trials: GitHub shows ten errors of a step.
    """
    bad: dict[tuple[bool, str, str, str], _Bad] = {}
    for record in records:
        if record.status not in {"fail", "error"}:
            continue
        key = (record.status == "error", record.file, record.skill or "", record.case)
        if key not in bad:
            bad[key] = _Bad(first=record)
            continue
        bad[key].trials += 1
        if order_of(record) < order_of(bad[key].first):
            bad[key].first = record
    lines = [_command(bad[key], summary.run_id) for key in sorted(bad)]
    conclusion = " ".join(conclude(summary))
    lines.append(f"::notice title=audition::{for_command(one_line(conclusion, 1000))}")
    return "".join(f"{line}\n" for line in lines)


def _command(bad: _Bad, run_id: str) -> str:
    record = bad.first
    name = f"{record.skill}/{record.case}" if record.skill else record.case
    word, happened = ("error", "failed") if record.status == "fail" else ("warning", "in error")
    title = f"{name} {happened}" + (f" in {bad.trials} trials" if bad.trials > 1 else "")
    place = f"file={for_property(record.file)},line={record.line}," if record.file else ""
    reason = say_reason(record, 1000)
    message = f"{reason}\n{look_command(run_id, record.id)}"
    return f"::{word} {place}title={for_property(one_line(title))}::{for_command(message)}"


def job_summary(summary: Summary, records: Iterable[Record], inputs: Inputs | None = None) -> str:
    """The Markdown report, short enough for GitHub."""
    text = write_markdown(summary, records, inputs).encode()
    if len(text) <= SUMMARY_BYTES:
        return text.decode()
    whole = text[:SUMMARY_BYTES].decode(errors="ignore").rpartition("\n")[0]
    return f"{whole}\n\nCut here: GitHub takes no more.\n"
