"""`audition status`: is a run going, how far is it, what is left.

In: a run. Out: words or JSON. Must not know: how a run is kept, who runs it.
"""

import time
from pathlib import Path
from typing import Any

import click
import msgspec

from audition.commands.options import option, out_option, out_words, output_format, resume_words
from audition.counted import counted
from audition.session_text import visible_word
from audition.store import State, find_run, read_state

WORDS = {
    "running": "is running",
    "dead": "is dead: its process was killed",
    "stopped": "stopped before its end",
    "finished": "is finished",
}
LISTED = 10


@click.command
@click.argument("run", required=False)
@option("--follow", "-f", is_flag=True, help="Tell how far it is until it ends.")
@out_option
@output_format("text", "json")
def status(run: str | None, follow: bool, out: str, **words: Any) -> None:
    """Whether RUN (default: the newest) is going, how far it is, how to go on with it.

    \b
    Examples:
      audition status
      audition status 20260102-030405 --follow
      audition status --output-format json
    """
    path = find_run(run, Path(out))
    state = _follow(path) if follow else read_state(path)
    if words["output_format"] == "json":
        click.echo(msgspec.json.encode(as_json(state, path)))
    else:
        click.echo(as_text(state, path))


def _follow(path: Path) -> State:
    told = ""
    while True:
        state = read_state(path)
        if state.state != "running":
            return state
        if (line := _how_far(state)) != told:
            click.echo(line, err=True)
            told = line
        time.sleep(0.5)


def as_json(state: State, path: Path) -> dict[str, Any]:
    """What programs read; `resume` is null where nothing is left or it is still going."""
    told = {"version": 1, **msgspec.to_builtins(state), "left": state.left}
    goes_on = state.state in ("dead", "stopped")
    return {**told, "resume": resume_words(path) if goes_on else None}


def _how_far(state: State) -> str:
    most = "" if state.spared is None else "at most "
    parts = [
        f"{state.done} of {most}{counted(state.planned, 'trial')} done",
        f"{state.passed} passed",
    ]
    parts += [f"{state.failed} failed", f"{state.error} in error"]
    if state.ineligible:
        parts.append(f"{state.ineligible} ineligible")
    return ", ".join(parts)


def as_text(state: State, path: Path) -> str:
    """What people read."""
    host = f" on {state.host}" if state.host else ""
    who = f" (process {state.pid}{host})" if state.state in ("running", "dead") else ""
    lines = [f"{path.name} {WORDS[state.state]}{who}", _how_far(state)]
    if state.running:
        lines.append("running now:")
        lines += [f"  {visible_word(name)}" for name in state.running[:LISTED]]
        if len(state.running) > LISTED:
            lines.append(f"  and {len(state.running) - LISTED} more")
    if state.damaged:
        lines.append("damaged:")
        lines += [f"  {visible_word(each)}" for each in state.damaged]
    if state.state in ("dead", "stopped"):
        most = "" if state.spared is None else "at most "
        are = "that is" if state.left == 1 else "that are"
        lines.append(f"to run the {most}{state.left} {are} left: {resume_words(path)}")
    elif state.state == "finished":
        lines.append(f"see it: audition show {path.name}{out_words(path.parent)}")
    return "\n".join(lines)
