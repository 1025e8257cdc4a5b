"""The bundled examples: the referees hold them to what they claim, each case really asked."""

import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from audition.agent import Ask, find_agent, read_trace
from audition.case_file import load_suites
from audition.commands.demo import find_examples, list_suites
from audition.model import Call, Message, Result
from audition.understudy.choice import choose

EXAMPLES = find_examples()
SUITES = load_suites(list_suites())
CASES = [pytest.param(suite, case, id=case.id) for suite in SUITES for case in suite.cases]
POSITIVES = [each for each in CASES if each.values[1].expected]
KINDS = {"explicit", "implicit", "near-miss"}


def ask(root, suite, case, name):
    for skill in suite.skills:
        shutil.copytree(skill.path, root / ".agents/skills" / skill.folder)
    agent = find_agent(name)
    words = Ask(case=case, model=None, delivery="native", workspace=str(root), home=str(root))
    command = agent.command(words)
    done = subprocess.run(
        command.argv, cwd=root, env={}, input=command.stdin, capture_output=True, check=True
    )
    return read_trace(agent, enumerate(done.stdout.splitlines(), start=1))


def loaded(trace):
    """The skills whose body reached the conversation."""
    calls = {each.id: each for each in trace.events if isinstance(each, Call)}
    results = [each for each in trace.events if isinstance(each, Result) and not each.failed]
    called = {calls[each.id].skill for each in results if calls[each.id].does == "skill"}
    return called | {e.skill for e in trace.events if isinstance(e, Message) and e.skill}


def holds(check, trace, root):
    """Whether a check of the examples holds; the real checks have tests of their own."""
    name, wants = check.name, check.arguments
    file = root / wants.get("path", ".")
    if name.startswith("answer_"):
        found = re.search(wants.get("pattern") or re.escape(wants["text"]), trace.answer)
        return (not found) if name == "answer_lacks" else bool(found)
    if name == "resource_read":
        read = [
            each.paths for each in trace.events if isinstance(each, Call) and each.does == "read"
        ]
        return any(path.endswith(f"/{wants['path']}") for paths in read for path in paths)
    if not file.is_file():
        return False
    if name == "file_exists":
        return True
    assert name in ("file_matches", "file_lacks"), name
    return bool(re.search(wants["pattern"], file.read_text("utf-8"))) is (name == "file_matches")


def is_right(suite, case, name, root):
    trace = ask(root, suite, case, name)
    assert trace.end.status == "completed"
    forbidden = {case.skill} if case.skill else {each.name for each in suite.skills}
    activated = loaded(trace)
    right = bool(activated & set(case.expected)) if case.expected else not activated & forbidden
    return right and all(holds(check, trace, root) for check in case.checks)


@pytest.mark.parametrize("name", ["oracle", "understudy"])
@pytest.mark.parametrize(("suite", "case"), CASES)
def test_the_oracle_and_the_understudy_do_every_example_right(suite, case, name, tmp_path):
    assert is_right(suite, case, name, tmp_path)


@pytest.mark.parametrize(("suite", "case"), POSITIVES)
def test_nop_does_no_positive_example_right(suite, case, tmp_path):
    assert not is_right(suite, case, "nop", tmp_path)


def test_every_skill_has_an_explicit_an_implicit_and_a_near_miss_case():
    skills = {each.parent.name for each in EXAMPLES.glob("skills/*/SKILL.md")}
    assert len(skills) == 6
    for skill in skills:
        cases = [each.values[1] for each in CASES]
        tags = {tag for case in cases if case.skill == skill for tag in case.tags}
        assert tags >= KINDS, skill


def test_each_suite_offers_every_skill_so_that_they_compete():
    for suite in SUITES:
        assert len(suite.skills) == 6
        assert not suite.losses


def test_one_skill_is_not_for_the_model_to_invoke():
    for suite in SUITES:
        shut = [each.name for each in suite.skills if not each.model_invocable]
        assert shut == ["deploy-checklist"]


def test_the_neighbours_do_not_pass_for_one_another(tmp_path):
    cases = {each.id: each.values for each in CASES}
    near = ask(tmp_path / "a", *cases["changelog-near-miss"], "understudy")
    other = ask(tmp_path / "b", *cases["release-notes-near-miss"], "understudy")
    assert (loaded(near), loaded(other)) == ({"release-notes"}, {"changelog-entry"})


def test_the_hard_near_miss_is_as_hard_as_its_comment_says():
    text = (EXAMPLES / "greeting.cases.yaml").read_text("utf-8")
    prompt = re.search(r"# - id: greeting-hard-near-miss\n *# +prompt: (.+)", text)[1]
    assert choose(prompt, {each.name: each.description for each in SUITES[0].skills}) == "greeting"


def demo(out, *words):
    argv = [sys.executable, "-m", "audition", "demo", "--out", str(out), *words]
    return subprocess.run(argv, cwd=out, capture_output=True, text=True, check=False)


def test_the_demo_passes_and_names_the_reports_it_wrote(tmp_path):
    done = demo(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "understudy+native" in done.stdout
    reports = [Path(each) for each in re.findall(r"^report: (.+)$", done.stderr, re.MULTILINE)]
    assert [each.suffix for each in reports] == [".html", ".md"]
    for each in reports:
        assert "release-notes" in each.read_text("utf-8")


def test_the_demo_can_ask_the_referees(tmp_path):
    assert demo(tmp_path, "-a", "oracle", "-j", "2").returncode == 0
    assert demo(tmp_path, "-a", "nop").returncode == 1
    assert "did you mean `oracle`?" in demo(tmp_path, "-a", "orakle").stderr


# Workbooks. The understudy cannot make one, so the test does, by hand.

XLSX = EXAMPLES / "xlsx-report"
HEADS = ("Region", "Units", "Price", "Revenue", "Share")
ROWS = (("North", 120, 9.5), ("South", 80, 11), ("West", 200, 7.25))
STYLES = """<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">
<numFmts><numFmt numFmtId="164" formatCode="0.0%"/></numFmts>
<fonts><font/><font><b/></font><font><color rgb="FF0000FF"/></font></fonts>
<cellXfs><xf numFmtId="0" fontId="0"/><xf numFmtId="0" fontId="1"/><xf numFmtId="4" fontId="2"/>
<xf numFmtId="4" fontId="0"/><xf numFmtId="164" fontId="0"/></cellXfs></styleSheet>"""


def write_workbook(path, *changes):
    """A workbook that is right, but for the changes: pairs of what stands in its sheet."""
    texts = [*HEADS, *(row[0] for row in ROWS), "Total"]
    said = {text: f"<v>{number}</v>" for number, text in enumerate(texts)}
    cells = [f'<c r="{"ABCDE"[n]}1" t="s" s="1">{said[head]}</c>' for n, head in enumerate(HEADS)]
    for n, (name, units, price) in enumerate(ROWS, 2):
        cells += [
            f'<c r="A{n}" t="s">{said[name]}</c><c r="B{n}" s="2"><v>{units}</v></c>',
            f'<c r="C{n}" s="2"><v>{price}</v></c><c r="D{n}" s="3"><f>B{n}*C{n}</f></c>',
            f'<c r="E{n}" s="4"><f>D{n}/D5</f></c>',
        ]
    cells.append(f'<c r="A5" t="s">{said["Total"]}</c><c r="D5" s="3"><f>SUM(D2:D4)</f></c>')
    sheet = "".join(cells)
    for old, new in changes:
        assert old in sheet
        sheet = sheet.replace(old, new)
    space = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    strings = "".join(f"<si><t>{text}</t></si>" for text in texts)
    with zipfile.ZipFile(path, "w") as book:
        book.writestr(
            "xl/worksheets/sheet1.xml", f"<worksheet {space}><row>{sheet}</row></worksheet>"
        )
        book.writestr("xl/sharedStrings.xml", f"<sst {space}>{strings}</sst>")
        book.writestr("xl/styles.xml", STYLES)


def verify(path, what, program=XLSX / "verify.py"):
    words = [what] if what else []
    done = subprocess.run(
        [sys.executable, program, *words, path], capture_output=True, text=True, check=False
    )
    assert not done.stderr
    return done.returncode, done.stdout


@pytest.mark.parametrize("what", ["table", "formulas", "financial", "sound"])
def test_a_right_workbook_passes_and_no_workbook_fails(what, tmp_path):
    write_workbook(tmp_path / "a.xlsx")
    assert verify(tmp_path / "a.xlsx", what)[0] == 0
    (tmp_path / "b.xlsx").write_text("no zip")
    assert verify(tmp_path / "b.xlsx", what)[0] == 1
    assert verify(tmp_path / "c.xlsx", what)[0] == 1


@pytest.mark.parametrize(
    ("what", "old", "new", "words"),
    [
        ("table", 't="s" s="1"', 't="s" s="0"', "not bold"),
        ("formulas", "<f>B2*C2</f>", "<v>1140</v>", "typed in"),
        ("formulas", "<f>SUM(D2:D4)</f>", "<f>D2+D3+D4</f>", "no total is a SUM"),
        ("financial", '<c r="B2" s="2">', '<c r="B2" s="3">', "B2 is not blue"),
        ("financial", '<c r="D2" s="3">', '<c r="D2" s="2">', "D2 is blue"),
        ("financial", 's="4"', 's="3"', "0.0%"),
        ("sound", "<f>B2*C2</f>", "<f>#REF!*C2</f>", "D2 is broken"),
    ],
)
def test_a_wrong_workbook_fails_for_what_is_wrong_in_it(what, old, new, words, tmp_path):
    write_workbook(tmp_path / "a.xlsx", (old, new))
    code, said = verify(tmp_path / "a.xlsx", what)
    assert (code, words in said) == (1, True), said


def test_the_program_of_the_skill_finds_a_broken_formula(tmp_path):
    program = XLSX / "skills/xlsx-report/scripts/check_workbook.py"
    write_workbook(tmp_path / "a.xlsx")
    assert verify(tmp_path / "a.xlsx", "", program)[0] == 0
    write_workbook(tmp_path / "b.xlsx", ("<f>B2*C2</f>", "<f>#REF!</f>"))
    assert verify(tmp_path / "b.xlsx", "", program) == (
        1, f"xl/worksheets/sheet1.xml: D2: #REF!\n{tmp_path / 'b.xlsx'}: 1 formulas that cannot work\n"
    )  # fmt: skip


@pytest.mark.parametrize(("name", "code", "passed"), [("oracle", 0, 5), ("nop", 1, 1)])
def test_the_referees_hold_the_cases_on_workbooks_to_what_they_claim(name, code, passed, tmp_path):
    words = ("run", str(XLSX), "-a", name, "--out", str(tmp_path), "--output-format", "json")
    done = subprocess.run(
        [sys.executable, "-m", "audition", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    told = json.loads(done.stdout)
    assert (told["totals"]["trials"], told["totals"]["pass"]) == (5, passed)


def test_the_cases_on_workbooks_are_understood_and_their_programs_are_there():
    (suite,) = load_suites([XLSX])
    assert not suite.losses
    assert {each.id for each in suite.cases} == {
        *("xlsx-openpyxl", "xlsx-formulas", "xlsx-financial", "xlsx-verify", "xlsx-near-miss")
    }
    programs = [
        c.arguments["command"] for each in suite.cases for c in each.checks if c.name == "program"
    ]
    assert len(programs) == 5
    for command in programs:
        python, script, what, path = command.split()
        assert (python, (XLSX / script).is_file(), path[:4]) == ("python3", True, "out/")
        assert f'"{what}"' in (XLSX / script).read_text("utf-8")
    assert all(each.process for each in suite.cases)
