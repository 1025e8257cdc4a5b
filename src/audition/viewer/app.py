"""What answers a browser: addresses to pages.

In: requests of an ASGI server. Out: pages. Must not know: how they look, how a trial is read.

It shows sessions of agents that nobody trusts, to a browser in which other pages are open. So
it answers only to its own name (a page of a stranger that lets its name point at 127.0.0.1
is refused), takes only GET, sends a policy that lets nothing be loaded or executed, and
opens only what is listed: no address becomes a path.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote

from audition.errors import AuditionError
from audition.model import Record, Value
from audition.report.html import fill, write_html
from audition.session_text import Session
from audition.store import list_runs, read_ended, read_inputs, read_records
from audition.summary.tally import Tally
from audition.viewer.pages import links_of, runs_page, session_page, trials_page
from audition.viewer.rows import Wanted, list_run_rows, read_rows

NAMES = ("127.0.0.1", "localhost", "[::1]")
HEADERS = {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
}
SHOWN = 200
"""So many troubles are on the page of a run; the list of its trials has all."""

Send = Callable[[dict[str, Any]], Awaitable[None]]
App = Callable[[dict[str, Any], Any, Send], Awaitable[None]]


class Views(Value, frozen=True, kw_only=True):
    """What is looked at, and how one session is read."""

    out: Path
    read_session: Callable[[Path, str], Session]


class _Missing(Exception):
    """Nothing has that address."""


def make_app(views: Views) -> App:
    """An ASGI application over the runs of one folder."""

    async def app(scope: dict[str, Any], _receive: Any, send: Send) -> None:
        status, page = _answer(scope, views)
        body = page.encode("utf-8", "replace")
        headers = HEADERS | {"content-length": str(len(body))}
        raw = [(name.encode(), value.encode()) for name, value in headers.items()]
        await send({"type": "http.response.start", "status": status, "headers": raw})
        await send({"type": "http.response.body", "body": b"" if _is_head(scope) else body})

    return app


def _is_head(scope: dict[str, Any]) -> bool:
    return bool(scope["method"] == "HEAD")


def _answer(scope: dict[str, Any], views: Views) -> tuple[int, str]:
    host = dict(scope["headers"]).get(b"host", b"").decode("latin-1")
    if host.rpartition(":")[0] not in NAMES and host not in NAMES:
        return 421, _say("This is not the name of this page.", "open the address that was printed")
    if scope["method"] not in ("GET", "HEAD"):
        return 405, _say("Pages are only read here.")
    raw = scope.get("raw_path") or scope["path"].encode()
    words = [unquote(each) for each in raw.decode("latin-1").split("/") if each]
    asked = {name: values[0] for name, values in parse_qs(scope["query_string"].decode()).items()}
    try:
        return 200, _page(words, asked, views)
    except _Missing:
        return 404, _say("There is no such page.", "begin at /")
    except AuditionError as error:
        return 500, _say(str(error), error.hint)


def _page(words: list[str], asked: dict[str, str], views: Views) -> str:
    match words:
        case []:
            return runs_page(list_run_rows(views.out), str(views.out))
        case ["run", run_id]:
            return _run_page(_find(run_id, views))
        case ["run", run_id, "trials"]:
            wanted = Wanted(status=asked.get("status", ""), skill=asked.get("skill", ""))
            number = asked.get("page", "1")
            page = int(number) if number.isascii() and number.isdigit() else 1
            return trials_page(run_id, read_rows(_find(run_id, views)), wanted, min(page, 10**9))
        case ["run", run_id, "trial", *place]:
            run = _find(run_id, views)
            folder = "/".join(["work", *place])
            if folder not in {row.dir for row in read_rows(run)}:
                raise _Missing
            return session_page(run_id, views.read_session(run, "/".join(place)))
    raise _Missing


def _find(run_id: str, views: Views) -> Path:
    for run in list_runs(views.out):
        if run.name == run_id:
            return run
    raise _Missing


def _run_page(run: Path) -> str:
    inputs = read_inputs(run)
    tally = Tally(inputs, read_ended(run))
    notable: list[Record] = []
    for record in read_records(run):
        tally.add(record)
        if record.status in ("fail", "error") and not record.variant and len(notable) < SHOWN:
            notable.append(record)
    return write_html(tally.summary(), notable, inputs, links_of(run.name))


def _say(text: str, hint: str = "") -> str:
    return fill("trouble.html.jinja", text=text, hint=hint)
