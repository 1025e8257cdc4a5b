"""`audition view`: what a browser gets, who is refused, and the run as one file."""

import json
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from html.parser import HTMLParser
from urllib.parse import urljoin

import pytest

from audition.viewer.pages import PAGE, trials_page
from audition.viewer.rows import TrialRow, Wanted

SPELL = "<script>document.title='taken'</script><img src=x onerror=alert(1)>"
SKILL = f"---\nname: greeting\ndescription: How to do a greeting.\n---\nSALVE {SPELL}\n"


class Links(HTMLParser):
    """Where a page leads to, what it says, and which tags it has."""

    def __init__(self, page):
        super().__init__()
        self.hrefs, self.tags, self.text = [], set(), ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag == "a":
            self.hrefs.append(dict(attrs)["href"])

    def handle_data(self, data):
        self.text += data


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A run whose agent and skill say what would act in a browser."""
    house = tmp_path_factory.mktemp("viewed")
    (house / "skills" / "greeting").mkdir(parents=True)
    (house / "skills" / "greeting" / "SKILL.md").write_text(SKILL)
    cases = [
        {"id": "good", "prompt": "please do a greeting", "skill": "greeting"},
        {"id": f"bad{SPELL}", "prompt": f"please do a greeting {SPELL}", "skill": "greeting",
         "checks": [{"answer_contains": {"text": "NEVER"}}]},
    ]  # fmt: skip
    (house / "cases.yaml").write_text(json.dumps({"skills": ["skills"], "cases": cases}))
    done = audition(house, "run", "--run-id", "r", "-q")
    assert done.returncode == 1, done.stderr
    return house


def audition(house, *words):
    argv = [sys.executable, "-m", "audition", *words]
    return subprocess.run(argv, check=False, cwd=house, capture_output=True, text=True, timeout=200)


@pytest.fixture(scope="module")
def address(house):
    argv = [sys.executable, "-m", "audition", "view", "--no-browser"]
    with subprocess.Popen(argv, cwd=house, stdout=subprocess.PIPE, text=True) as server:
        yield server.stdout.readline().strip()
        server.send_signal(signal.SIGINT)
        assert server.wait(20) == 0


def fetch(address, **headers):
    asked = urllib.request.Request(address, headers=headers)
    with urllib.request.urlopen(asked, timeout=60) as answer:
        return answer.read().decode(), dict(answer.headers)


def refused(address, method="GET", **headers):
    asked = urllib.request.Request(address, headers=headers, method=method)
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(asked, timeout=60)
    return caught.value.code


def test_every_link_from_the_first_page_leads_to_a_page(address):
    seen, todo = {}, [address]
    while todo:
        here = todo.pop()
        if here not in seen:
            seen[here] = Links(fetch(here)[0])
            todo += [urljoin(here, each) for each in seen[here].hrefs]
    sessions = [each for each in seen if "/trial/" in each]
    assert len(sessions) == 2
    assert any("status=fail" in each for each in seen)


def test_a_session_shows_its_prompt_its_evidence_and_its_grades(address):
    trials = Links(fetch(f"{address}run/r/trials?status=pass")[0])
    (there,) = [each for each in trials.hrefs if "/trial/" in each]
    text = Links(fetch(urljoin(address, there))[0]).text
    for words in ("please do a greeting", "skill `greeting` loaded (skill-tool)", "activation"):
        assert words in text
    assert "completed" in text


def test_what_agents_and_skills_said_is_text_and_nothing_else(address):
    for path in ("", "run/r", "run/r/trials"):
        page, headers = fetch(f"{address}{path}")
        assert not Links(page).tags & {"script", "img", "iframe", "form"}
        assert "default-src 'none'" in headers["content-security-policy"]
    trials = Links(fetch(f"{address}run/r/trials?status=fail")[0])
    (there,) = [each for each in trials.hrefs if "/trial/" in each]
    page, _ = fetch(urljoin(address, there))
    assert not Links(page).tags & {"script", "img"}
    assert SPELL in Links(page).text


def test_a_page_of_a_stranger_that_points_its_name_here_is_refused(address):
    assert refused(address, Host="evil.example") == 421
    assert refused(address, Host="evil.example:80") == 421
    assert refused(address, method="POST") == 405


@pytest.mark.parametrize(
    "path",
    [
        "run/nope",
        "run/..",
        "run/r/trial/../../../../etc/passwd",
        "run/r/trial/%2e%2e/%2e%2e/run.json",
        "run/r/trial/..%2f..%2frun.json",
        "run/r/trial",
        "favicon.ico",
        "%00",
    ],
)
def test_only_what_is_listed_has_an_address(address, path):
    assert refused(f"{address}{path}") == 404


def test_a_damaged_run_says_so_and_the_list_still_stands(address, house):
    broken = house / "artifacts" / "skill-evals" / "broken"
    broken.mkdir()
    (broken / "run.json").write_text("{")
    assert "cannot be read" in Links(fetch(address)[0]).text
    assert refused(f"{address}run/broken") == 500
    assert refused(f"{address}run/broken/trials") == 500


def test_one_file_holds_the_run_and_its_sessions(house, tmp_path):
    done = audition(house, "view", "r", "--export", str(tmp_path / "r.html"))
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "r.html").read_text()
    held = Links(page)
    assert not held.tags & {"script", "img", "iframe", "form"}
    assert "skill `greeting` loaded (skill-tool)" in held.text
    ids = set(re.findall(r'<details class="trial session" id="([^"]*)"', page))
    assert len(ids) == 2
    assert held.hrefs
    assert {each.removeprefix("#") for each in held.hrefs} <= ids


def test_a_file_that_cannot_be_written_and_a_port_that_is_taken_are_told(house, tmp_path):
    done = audition(house, "view", "r", "--export", str(tmp_path / "no" / "r.html"))
    assert done.returncode == 2
    assert "hint:" in done.stderr
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = audition(house, "view", "--no-browser", "--port", port)
    assert done.returncode == 2
    assert f"127.0.0.1:{port}" in done.stderr


def test_a_long_list_is_shown_a_hundred_at_a_time():
    rows = [TrialRow(id=f"s/c/a/{n}", dir=f"work/s/c/a/{n}", status="pass", case=f"c{n}")
            for n in range(2 * PAGE + 1)]  # fmt: skip
    pages = [Links(trials_page("r", rows, Wanted(), number)) for number in (1, 2, 3, 9)]
    shown = [sum("/trial/" in each for each in page.hrefs) for page in pages]
    assert shown == [PAGE, PAGE, 1, 1]
    assert "page 3 of 3" in pages[3].text
