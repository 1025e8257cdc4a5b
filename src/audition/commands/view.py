"""`audition view`: runs in a browser, on this machine only; or one run as one file.

In: a run, a port, a file. Out: pages. Must not know: how they look.
"""

import socket
import webbrowser
from pathlib import Path

import click

from audition.commands.finish import say
from audition.commands.options import out_option
from audition.commands.sessions import read_session
from audition.config import Config
from audition.errors import AuditionError, UsageError
from audition.session_text import Session
from audition.store import find_run, write_whole
from audition.viewer import Views, make_app, write_one_file
from audition.viewer.pages import run_address


@click.command
@click.argument("run", required=False)
@click.option("--export", metavar="FILE", help="Write RUN with its sessions to one file instead.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Listen here.  [any free]")
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@out_option
@click.pass_obj
def view(config: Config, /, run: str | None, export: str | None, out: str, **how: int) -> None:
    """Look at RUN, or at all runs, in a browser: results, and each session with its evidence.

    Served to this machine only, until you press Ctrl-C. What agents and skills said is shown
    as text; nothing of it is executed.

    \b
    Examples:
      audition view
      audition view last --no-browser --port 8000
      audition view last --export report.html
    """

    def reading(path: Path, place: str) -> Session:
        return read_session(path, place, config)

    runs = Path(out)
    if export is not None:
        target = Path(export)
        if target.is_dir() or not target.absolute().parent.is_dir():
            raise UsageError(f"cannot write {target}", "name a file in a folder that is there")
        page = write_one_file(find_run(run, runs), reading)
        write_whole(str(target), page.encode("utf-8", "replace"), fsync=False)
        say(f"wrote {target} ({len(page) // 1024:,} KB)")
        return
    path = find_run(run, runs) if run else None
    views = Views(out=path.parent if path else runs, read_session=reading)
    _serve(views, run_address(path.name) if path else "/", how["port"], not how["no_browser"])


def _serve(views: Views, page: str, port: int, browser: bool) -> None:
    import uvicorn

    listening = _listen(port)
    address = f"http://127.0.0.1:{listening.getsockname()[1]}{page}"
    click.echo(address)
    say("Ctrl-C ends it")
    if browser:
        webbrowser.open(address)
    server = uvicorn.Server(
        uvicorn.Config(
            make_app(views),
            loop="asyncio",
            http="h11",
            ws="none",
            lifespan="off",
            interface="asgi3",
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=1,
        )
    )
    try:
        server.run(sockets=[listening])
    except KeyboardInterrupt:
        say("")


def _listen(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
    except OSError as error:
        listening.close()
        why = f"cannot listen on 127.0.0.1:{port}: {error.strerror}"
        raise AuditionError(why, "leave --port out, and any free one is taken") from error
    listening.listen(64)
    return listening
