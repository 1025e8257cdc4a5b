"""What people see while a run goes on and when it is done: the only user of rich.

In: plans, records, summaries, and a stream. Out: lines on it. Data goes to stdout, talk to
stderr. Rich is imported only to paint on a terminal; a pipe costs nothing.
Must not know: how trials are run.
"""

import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Self, TextIO

import msgspec

from audition.counted import counted, say_seconds
from audition.model import Record, Trial
from audition.plan import Plan
from audition.quote import Quote
from audition.report.columns import STATUSES, Cell, Line, aligned, plain
from audition.report.escape import one_line, visible

if TYPE_CHECKING:
    from rich.console import Console, Group
    from rich.text import Text

    from audition.summary.figures import Summary

STYLES = {
    "": "",
    "title": "bold",
    "name": "bold cyan",
    "good": "green",
    "bad": "bold red",
    "warn": "yellow",
    "dim": "dim",
}
ASCII = str.maketrans(
    {"–": "-", "…": "...", "·": ".", "━": "=", "─": "-", "●": "o", "×": "x", "█": "#"}
)
RUNNING_SHOWN = 8


def print_summary(
    summary: "Summary", records: Iterable[Record], out: str = "", stream: TextIO | None = None
) -> None:
    """The report, as wide as the terminal, unfolded in a pipe. `out` is put behind commands."""
    from audition.report.text import lay_out

    stream = stream or sys.stdout
    folds = stream.isatty()
    print_lines(lay_out(summary, records, _width(stream), out, folds=folds), stream)


def print_plan(
    plan: Plan,
    output_format: str = "text",
    stream: TextIO | None = None,
    quote: Quote | None = None,
) -> None:
    """What would be tried, without trying it."""
    stream = stream or sys.stdout
    if output_format == "text":
        from audition.report.quoted import lay_out_quote

        print_lines((*_lay_out_plan(plan), *(lay_out_quote(quote) if quote else ())), stream)
        return
    trials = [
        {
            "id": each.id,
            "skill": each.case.skill,
            "case": each.case.id,
            "agent": each.agent,
            "delivery": each.delivery,
            "model": each.model,
            "trial": each.number,
            "should_trigger": bool(each.case.expected),
            "ineligible": each.ineligible,
        }
        for each in plan.trials
    ]
    if output_format == "jsonl":
        stream.writelines(f"{msgspec.json.encode(each).decode()}\n" for each in trials)
    else:
        told = msgspec.json.encode({"version": 1, "trials": trials, "quote": quote})
        stream.write(f"{msgspec.json.format(told, indent=2).decode()}\n")


def _lay_out_plan(plan: Plan) -> Iterator[Line]:
    times: dict[tuple[str | None, str, bool, str, str], int] = {}
    for each in plan.trials:
        arm = f"{each.agent}+{each.delivery}" + (f" {each.model}" if each.model else "")
        case = each.case
        key = (case.skill, case.id, bool(case.expected), arm, each.ineligible)
        times[key] = times.get(key, 0) + 1
    head = ("SKILL", "CASE", "EXPECTED", "ARM", "TRIALS", "")
    rows: list[list[Cell]] = [[(word, "dim") for word in head]]
    rows += [
        [
            (one_line(skill or "–", 40), "name"),
            (one_line(case, 40), ""),
            ("called" if positive else "quiet", ""),
            (one_line(arm, 40), ""),
            (str(number), ""),
            (f"ineligible: {one_line(ineligible)}" if ineligible else "", "warn"),
        ]
        for (skill, case, positive, arm, ineligible), number in times.items()
    ]
    yield from aligned(rows, right={4})
    yield ()
    left_out = sum(bool(each.ineligible) for each in plan.trials)
    most = "at most " * any(cell.cap is not None for cell in plan.cells)
    most += f"{counted(len(plan.trials), 'trial')} planned"
    yield ((f"{most}, {left_out} of them ineligible." if left_out else f"{most}.", "title"),)


def print_lines(lines: Iterable[Line], stream: TextIO) -> None:
    """Styled lines: in colour on a terminal, plain elsewhere or where NO_COLOR is set."""
    if paints(stream) and not os.environ.get("NO_COLOR"):
        console = _console(stream)
        for line in lines:
            console.print(_text(line), soft_wrap=True)
        return
    for line in lines:
        stream.write(_encodable(plain(line), stream) + "\n")


def paints(stream: TextIO) -> bool:
    """Whether a stream is a terminal that can move its cursor and draw."""
    draws = "utf" in (stream.encoding or "").lower()
    return draws and stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def _width(stream: TextIO) -> int:
    import shutil

    return shutil.get_terminal_size().columns if stream.isatty() else 100


def _encodable(text: str, stream: TextIO) -> str:
    """The text in the characters that the stream can take."""
    encoding = stream.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(ASCII).encode(encoding, "backslashreplace").decode(encoding)
    return text


def _console(stream: TextIO) -> "Console":
    from rich.console import Console

    return Console(file=stream, highlight=False, markup=False, emoji=False)


def _text(line: Line) -> "Text":
    from rich.text import Text

    return Text.assemble(*((text, STYLES[style]) for text, style in line), overflow="fold")


class Progress:
    """Tells how a run goes: a live table on a terminal, a line a trial elsewhere."""

    def __init__(
        self,
        *,
        total: int,
        done: int = 0,
        quiet: bool = False,
        stream: TextIO | None = None,
    ) -> None:
        self._total = total
        self._done = self._before = done
        self._quiet = quiet
        self._stream = stream or sys.stderr
        self._counts = dict.fromkeys(STATUSES, 0)
        self._running: dict[str, float] = {}
        self._began = time.monotonic()
        self._lock = threading.Lock()
        self._live = _Live(self) if paints(self._stream) and not quiet else None

    def __enter__(self) -> Self:
        if self._live:
            self._live.start(self._stream)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live:
            self._live.stop()

    def begin(self, trial: Trial) -> None:
        """A trial has been started; may be called from any thread."""
        with self._lock:
            self._running[trial.id] = time.monotonic()

    def tell(self, record: Record) -> None:
        """A trial is finished; may be called from any thread."""
        with self._lock:
            self._running.pop(record.id, None)
            self._done += 1
            self._counts[record.status] += 1
            if not (self._quiet or self._live):
                self._stream.write(_encodable(plain(trial_line(record)), self._stream) + "\n")
                self._stream.flush()
        # Outside our lock: rich holds its own while it asks lay_out, which takes ours.
        if self._live and record.status in {"fail", "error"}:
            self._live.say(trial_line(record))

    def eta(self) -> float | None:
        """Seconds that the rest will take if it goes on so; None before the first trial."""
        finished = self._done - self._before
        if not finished:
            return None
        return (time.monotonic() - self._began) / finished * (self._total - self._done)

    def lay_out(self, width: int) -> list[Line]:
        """The live table."""
        with self._lock:
            running = sorted(self._running.items(), key=lambda each: each[1])
            counts = dict(self._counts)
            done = self._done
        now = time.monotonic()
        room = max(10, min(40, width - 40))
        full = room * done // self._total if self._total else room
        eta = self.eta()
        left = f"  about {say_seconds(eta)} left" if eta and done < self._total else ""
        lines: list[Line] = [
            (
                ("━" * full, "good"),
                ("─" * (room - full), "dim"),
                (f"  {done}/{self._total}", "title"),
                (f"  {say_seconds(now - self._began)}{left}", "dim"),
            ),
            tuple(
                (f"{number} {word}   ", STATUSES[word] if number else "dim")
                for word, number in counts.items()
            ),
        ]
        for trial, since in running[:RUNNING_SHOWN]:
            lines.append(((f"  {visible(trial)}", ""), (f"  {say_seconds(now - since)}", "dim")))
        if len(running) > RUNNING_SHOWN:
            lines.append(((f"  and {len(running) - RUNNING_SHOWN} more running", "dim"),))
        return lines


def trial_line(record: Record) -> Line:
    """One finished trial on one line, with the reason where it did not pass."""
    reason = "" if record.status == "pass" else f"  {one_line(record.reason)}"
    seconds = "" if record.seconds is None else f"  {say_seconds(record.seconds)}"
    return (
        (record.status.upper(), STATUSES[record.status]),
        (f" {visible(record.id)}", ""),
        (seconds, "dim"),
        (reason.rstrip(), ""),
    )


class _Live:
    """Rich's live display over a Progress; repaints itself four times a second."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def start(self, stream: TextIO) -> None:
        from rich.live import Live

        self._console = _console(stream)
        self._live = Live(
            console=self._console,
            get_renderable=self._paint,
            refresh_per_second=4,
            transient=True,
            redirect_stdout=False,
            # What the command says meanwhile is printed above the table.
            redirect_stderr=True,
        )
        self._live.start(refresh=True)

    def stop(self) -> None:
        self._live.stop()

    def say(self, line: Line) -> None:
        self._console.print(_text(line), soft_wrap=True)

    def _paint(self) -> "Group":
        from rich.console import Group

        texts = list(map(_text, self._progress.lay_out(self._console.width)))
        for text in texts:
            text.no_wrap, text.overflow = True, "ellipsis"
        return Group(*texts)
