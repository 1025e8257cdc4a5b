"""A real browser opens the pages: styled, nothing executed, nothing refused, nothing fetched."""

import json
import os
import shutil
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync "
    "--disable-background-networking --disable-component-update --enable-logging=stderr"
)
SKILL = "---\nname: greeting\ndescription: How to do a greeting.\n---\n{}\n"


@pytest.fixture(scope="module")
def browser():
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if not found:
        if os.environ.get("CI") == "true":
            pytest.fail("no chromium here: run `make browser`")
        pytest.skip("no real agent: chromium: `make browser` installs it")
    return found


@pytest.fixture
def spy():
    """A server that nothing may ask."""
    asked = []

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_words):
            pass

    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


def test_the_page_of_a_hostile_run_is_styled_and_executes_and_fetches_nothing(
    browser, spy, tmp_path
):
    address, asked = spy
    spell = (
        f"<script>document.title='taken';fetch('{address}/a')</script>"
        f"<img src='{address}/b' onerror=\"document.title='taken'\"><style>@import '{address}/c';"
    )
    folder = tmp_path / "skills" / "greeting"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL.format(spell))
    case = {"id": spell, "prompt": f"do a greeting {spell}", "skill": "greeting",
            "checks": [{"answer_contains": {"text": spell + "!"}}]}  # fmt: skip
    (tmp_path / "cases.yaml").write_text(json.dumps({"skills": ["skills"], "cases": [case]}))
    for words in (["run", "-q"], ["view", "last", "--export", "page.html"]):
        argv = [sys.executable, "-m", "audition", *words]
        subprocess.run(argv, check=False, cwd=tmp_path, capture_output=True, timeout=100)
    home = f"--user-data-dir={tmp_path / 'profile'}"
    seen = subprocess.run(
        [browser, *FLAGS.split(), home, "--dump-dom", f"file://{tmp_path}/page.html"],
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "<title>taken" not in seen.stdout
    assert "1 of 1 graded trial failed." in seen.stdout
    assert "CONSOLE" not in seen.stderr, "the policy refused something of our own"
    assert asked == []
