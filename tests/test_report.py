import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from records import any_record, any_text, make_inputs, make_record, make_trial

from audition.counted import say_seconds
from audition.errors import UnknownName
from audition.model import Case, Evidence, Grade, Record, Skill
from audition.report import FORMATS, render
from audition.report.conclusion import conclude
from audition.report.escape import as_code, for_markdown, one_line, visible
from audition.report.github import SUMMARY_BYTES, job_summary
from audition.report.words import say_dollars, say_interval, say_rate
from audition.summary.figures import share
from audition.summary.tally import summarise

INPUTS = make_inputs("greeting", "style")
NASTY = "\x1b[31m<script>alert(1)</script> | `x` **b** @user %0A ::error::\r\n\x00\u202e]]>"


def report(records, style, inputs=INPUTS):
    return render(summarise(records, inputs), records, style, inputs)


@pytest.mark.parametrize("style", FORMATS)
@given(records=st.lists(any_record(), max_size=6))
def test_any_record_can_be_written_in_every_format(style, records):
    text = report(records, style)
    text.encode("utf-8")
    assert text.endswith("\n") or not records


@pytest.mark.parametrize("style", [each for each in FORMATS if each != "jsonl"])
def test_a_run_without_trials_can_be_written(style):
    assert report([], style)


def test_an_unknown_format_names_the_nearest():
    with pytest.raises(UnknownName) as caught:
        report([], "markdwon")
    assert "markdown" in caught.value.hint


def test_json_is_the_summary_and_jsonl_a_record_a_line():
    records = [make_record("pass", 1), make_record("fail", 2, reason="a\nb")]
    assert json.loads(report(records, "json"))["totals"]["trials"] == 2
    lines = report(records, "jsonl").splitlines()
    assert [msgspec.json.decode(each, type=Record) for each in lines] == records


# --- JUnit -----------------------------------------------------------------------------------

SUITE = {"name", "id", "package", "hostname", "timestamp", "tests", "failures", "errors", "time"}


def check_junit(text):
    """What the schemas of windyroad and of Jenkins' xUnit plug-in both ask for."""
    root = ET.fromstring(text)
    assert (root.tag, root.attrib) == ("testsuites", {})
    for suite in root:
        assert suite.tag == "testsuite"
        assert set(suite.attrib) >= SUITE
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.get("timestamp"))
        tags = [each.tag for each in suite]
        cases = [each for each in suite if each.tag == "testcase"]
        assert tags == ["properties", *["testcase"] * len(cases), "system-out", "system-err"]
        for word, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.get(word)) == len(suite.findall(f"testcase/{tag}"))
        assert int(suite.get("tests")) == len(cases)
        for case in cases:
            assert set(case.attrib) == {"name", "classname", "time"}
            assert re.fullmatch(r"\d+\.\d{3}", case.get("time"))
            assert len(case) <= 1
            for result in case:
                assert result.tag in {"failure", "error", "skipped"}
                assert result.get("message")
                assert result.tag == "skipped" or result.get("type")
    return root


@given(st.lists(any_record(), max_size=8))
def test_junit_is_valid_whatever_the_agents_said(records):
    root = check_junit(report(records, "junit"))
    assert len(root.findall("testsuite/testcase")) == len(records)


def test_junit_tells_failed_broken_and_skipped_apart():
    statuses = ["pass", "fail", "error", "ineligible"]
    records = [make_record(each, n, reason=NASTY) for n, each in enumerate(statuses)]
    root = check_junit(report(records, "junit"))
    found = {case.get("name")[-1]: [each.tag for each in case] for case in root.iter("testcase")}
    assert found == {"0": [], "1": ["failure"], "2": ["error"], "3": ["skipped"]}


def test_no_two_trials_have_one_name_in_junit():
    records = [
        make_record("pass" if file == "a.yaml" else "fail", number, file=file, model=model)
        for file in ("a.yaml", "b.yaml")
        for model in (None, "opus-5", "sonnet-5")
        for number in (1, 2)
    ]

    def names(some):
        root = check_junit(report(some, "junit"))
        return [(each.get("classname"), each.get("name")) for each in root.iter("testcase")]

    found = names(records)
    assert len(set(found)) == len(records)
    assert ("b.yaml.greeting.understudy+native", "explicit #2") in found
    assert set(names(records[6:])) == {each for each in found if each[0].startswith("b.yaml")}


# --- GitHub ----------------------------------------------------------------------------------


def test_github_annotates_the_line_of_the_case():
    text = report([make_record("fail", reason="100% wrong\nsecond")], "github")
    assert text.startswith(
        "::error file=skills/cases.yaml,line=7,title=greeting/explicit failed::100%25 wrong second%0A"
    )


def test_github_makes_one_annotation_a_case_and_only_a_warning_of_an_error():
    records = [make_record("fail", 2), make_record("fail", 1), make_record("error", 3)]
    error, warning, notice = report(records, "github").splitlines()
    assert error.startswith("::error ")
    assert "in 2 trials" in error
    assert "understudy+native/1" in error
    assert warning.startswith("::warning ")
    assert notice.startswith("::notice ")


@given(any_text, any_text)
def test_no_text_of_a_stranger_starts_a_github_command(reason, name):
    records = [make_record("fail", reason=reason + NASTY, case=name + NASTY, file=f"a,b:{name}")]
    lines = report(records, "github").split("\n")
    assert [each[:8] for each in lines] == ["::error ", "::notice", ""]
    properties = lines[0].removeprefix("::error ").split("::")[0]
    assert [each.split("=")[0] for each in properties.split(",")] == ["file", "line", "title"]


def test_a_job_summary_stays_below_what_github_takes():
    records = [
        make_record("fail", n, skill=f"skill-{n % 500}", reason="long " * 200) for n in range(9000)
    ]
    text = job_summary(summarise(records, INPUTS), records)
    assert len(text.encode()) <= SUMMARY_BYTES + 100
    assert "Cut here" in text


def test_what_trials_took_is_shown_as_the_middle_with_its_bounds():
    records = [make_record(number=n, seconds=float(n)) for n in range(1, 4)]
    text = report(records, "markdown")
    assert "| 3 | 2.0 s (1.0 s to 3.0 s) | ? | 0 | 0 | ? | ? |" in text
    assert "took 2.0 s (1.0 s to 3.0 s), turns ?, commands 0, tokens ?" in report(records, "text")


# --- Markdown and escaping -------------------------------------------------------------------


def test_markdown_tables_keep_their_columns_whatever_a_skill_is_called():
    text = report([make_record("fail", skill="a|b`c\n<b>", reason=NASTY)], "markdown")
    rows = [line for line in text.splitlines() if line.startswith("| a")]
    row, took, *_ = rows
    assert len(re.findall(r"(?<!\\)\|", row)) == 5
    assert len(re.findall(r"(?<!\\)\|", took)) == 10
    tables = re.split(r"\n\n", "\n" + text)
    for table in (each for each in tables if each.startswith("| ")):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1
    assert "<script>" not in text
    assert "<b>" not in text
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", text)
    assert "@user" not in text


def test_markdown_reports_positives_and_negatives_apart():
    records = [make_record("pass", 1), make_record("fail", 2, should_trigger=False)]
    text = report(records, "markdown")
    assert "| `greeting` | **1/1** 100% (20–100%) | **0/1** 0% (0–80%) | ❌ fail |" in text


@given(st.text())
def test_visible_text_holds_nothing_that_acts(text):
    shown = visible(text)
    assert all(each.isprintable() or each in "\u200c\u200d" for each in shown)
    assert "\n" not in one_line(text)


def test_escapes_keep_ordinary_text_as_it_is():
    assert visible("Grüße, 世界 👩‍💻") == "Grüße, 世界 👩‍💻"
    assert visible("\x1b[2J") == "\\x1b[2J"
    assert for_markdown("a_b <i> c|d") == "a\\_b &lt;i&gt; c\\|d"
    assert as_code("a/b") == "`a/b`"
    assert as_code("a`b") == "a\\`b"


# --- HTML ------------------------------------------------------------------------------------


class Tags(HTMLParser):
    """Every start tag with its attributes."""

    def __init__(self, page):
        super().__init__()
        self.seen = []
        self.style = ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_data(self, data):
        if self.seen and self.seen[-1][0] == "style" and not self.style:
            self.style = data


def hostile_run():
    trial = {"skill": NASTY, "case": NASTY, "model": NASTY, "agent": NASTY, "reason": NASTY}
    grade = Grade(by=NASTY, status="fail", reason=NASTY, lines=(3,))
    evidence = Evidence(skill=NASTY, rung="loaded", how="skill-tool", resources=(NASTY,))
    records = [
        make_record("fail", 1, **trial, grades=(grade,), skills=(evidence,)),
        make_record("pass", 2, **trial),
        make_record("ineligible", 3, **trial),
    ]
    skill = Skill(name=NASTY, description=NASTY, path="/s")
    case = Case(id=NASTY, prompt=NASTY)
    plan = make_trial(records[0].id, case)
    return records, msgspec.structs.replace(INPUTS, skills={"x": skill}, plan=(plan,))


def test_the_page_loads_nothing_and_executes_nothing_whatever_the_agents_said():
    records, inputs = hostile_run()
    tags = Tags(report(records, "html", inputs))
    names = {tag for tag, _ in tags.seen}
    assert not names & {"script", "img", "iframe", "object", "embed", "form", "base", "a"}
    for tag, attributes in tags.seen:
        assert not any(name.startswith("on") or name == "style" for name in attributes)
        assert attributes.get("href", "data:,") == "data:,", tag
        assert "src" not in attributes


def test_the_page_allows_its_own_style_and_nothing_else():
    tags = Tags(report([make_record()], "html"))
    policies = [each["content"] for _, each in tags.seen if "http-equiv" in each]
    digest = b64encode(sha256(tags.style.encode()).digest()).decode()
    assert policies == [
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
    ]
    assert "url(" not in tags.style
    assert "@import" not in tags.style


def test_the_page_shows_prompt_evidence_and_the_rungs_of_the_ladder():
    record = make_record(
        "fail",
        grades=(Grade(by="file_exists", status="fail", reason="no out.txt", lines=(12,)),),
        skills=(Evidence(skill="greeting", rung="loaded", how="skill-tool", lines=(4,)),),
    )
    plan = make_trial(record.id, Case(id="explicit", prompt="Say <hello>\nto Ada"))
    page = report([record], "html", msgspec.structs.replace(INPUTS, plan=(plan,)))
    assert "Say &lt;hello&gt;<br>to Ada" in page
    for words in ("no out.txt", "trace line 12", "trace line 4", "nothing bundled to run"):
        assert words in page
    for rung in ("offered", "asked", "loaded", "followed"):
        assert f'<th scope="row">{rung}</th>' in page


def test_the_page_tells_what_is_established_and_folds_away_what_is_not():
    records = [make_record("fail", number) for number in range(1, 7)]
    records += [make_record("pass", number, should_trigger=False) for number in range(1, 3)]
    page = report(records, "html")
    told, _, folded = page.partition('<details class="open">')
    assert "0 of 6: less than 90% is established" in told
    assert "1 cell inconclusive" in folded
    assert "2 of 2 proves 22 %" in folded


def test_the_page_shows_who_was_called_for_whom():
    thief = Evidence(skill="style", rung="loaded", how="skill-tool", lines=(4,))
    page = report([make_record("fail", skills=(thief,))], "html")
    assert '<th scope="row">greeting</th><td class="number">·</td>' in page
    assert '<td class="number wrong">1</td>' in page
    # With one skill that nothing was called in place of, there is nothing to confuse.
    assert "Who was called for whom" not in report([make_record()], "html", make_inputs("greeting"))


def test_what_a_skill_bundles_for_the_program_is_nothing_for_the_model_to_read():
    skill = Skill(name="greeting", path="/s", resources=("agents/openai.yaml",))
    inputs = msgspec.structs.replace(INPUTS, skills={"greeting": skill})
    assert "nothing bundled to read" in report([make_record()], "html", inputs)


@pytest.mark.parametrize("style", ["html", "markdown"])
@pytest.mark.parametrize(
    ("resources", "read", "ran"),
    [((), "–", "–"), (("a.md",), "0/1 0%", "–"), (("scripts/a.py",), "0/1 0%", "0/1 0%")],
)
def test_a_rung_that_a_skill_bundles_nothing_for_is_no_rate(style, resources, read, ran):
    record = make_record(
        skills=(Evidence(skill="greeting", rung="loaded", how="skill-tool", lines=(4,)),)
    )
    skill = Skill(name="greeting", path="/s", resources=resources)
    told = report([record], style, msgspec.structs.replace(INPUTS, skills={"s": skill}))
    table = told.partition("From rung to rung")[2].partition("Of the graded positives")[0]
    cells = re.findall(r"<td[^>]*>([^<]*)|(?<=\| )([^|]*)(?= \|)", table)
    assert ["".join(each).strip() for each in cells[-3:]] == [read, ran, "0/1 0%"]


# --- Words -----------------------------------------------------------------------------------


@given(st.integers(1, 3000).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_a_rate_is_never_rounded_to_perfect_nor_an_interval_inwards(counts):
    one = share(*counts)
    assert (say_rate(one) == "100%") == (one.passed == one.of)
    assert (say_rate(one) == "0%") == (one.passed == 0)
    low, high = map(int, say_interval(one).rstrip("%").split("–"))
    assert low <= one.low * 100 + 1e-6
    assert high >= one.high * 100 - 1e-6


def test_durations_and_costs_are_said_in_fitting_units():
    assert [say_seconds(each) for each in (None, 0.04, 59.9, 60, 125.4, 11040)] == [
        "?",
        "0.0 s",
        "59.9 s",
        "1 min 0 s",
        "2 min 5 s",
        "3 h 4 min",
    ]
    known = make_record(usage={"dollars": 0.5})
    paid = [msgspec.convert(msgspec.to_builtins(known), Record), make_record(number=2)]
    assert say_dollars(summarise(paid, INPUTS).arms[0]) == "$0.5000+"
    assert say_dollars(summarise(paid[1:], INPUTS).arms[0]) == "?"


def conclusion(*records, inputs=INPUTS):
    return " ".join(conclude(summarise(records, inputs)))


def test_the_conclusion_never_calls_green_what_was_not_graded():
    assert conclusion() == "Nothing was tried."
    assert conclusion(make_record("error")).startswith("Nothing could be graded")
    assert "1 ended in error" in conclusion(make_record("pass", 1), make_record("error", 2))


def test_the_conclusion_says_where_it_failed_and_on_which_side():
    records = [make_record("pass", n) for n in range(8)]
    said = conclusion(*records, make_record("fail", 9), make_record("fail", should_trigger=False))
    assert said.startswith(
        "2 of 10 graded trials failed. greeting failed 1 of 9 positives and 1 of 1 negative."
    )


def test_the_conclusion_names_three_skills_and_counts_the_rest():
    said = conclusion(*(make_record("fail", skill=name) for name in "abcde"))
    assert "c failed 1 of 1 positive; 2 more skills failed." in said
    assert "d failed" not in said


def test_the_conclusion_says_how_little_few_trials_prove():
    said = conclusion(*(make_record("pass", n) for n in range(3)))
    assert said == (
        "All 3 graded trials passed. Few trials: 3 of 3 still fits a true rate of 43% (greeting, positives)."
    )
    assert "Few trials" not in conclusion(*(make_record("pass", n) for n in range(50)))


def test_the_conclusion_says_what_was_planned_and_not_run():
    plan = tuple(make_trial(f"t{n}", Case(id="explicit", prompt="hi")) for n in range(5))
    inputs = msgspec.structs.replace(INPUTS, plan=plan)
    assert "4 of 5 planned trials have not been run." in conclusion(make_record(), inputs=inputs)
    nearly = [make_record(number=number) for number in range(4)]
    assert "1 of 5 planned trials has not been run." in conclusion(*nearly, inputs=inputs)


def test_a_failed_trial_is_shown_with_reasons_trace_lines_and_the_command_to_look():
    record = make_record(
        "fail",
        reason="activation: greeting was not called",
        grades=(
            Grade(by="activation", status="fail", reason="greeting was not called", lines=(4, 9)),
            Grade(by="file_exists", status="fail", reason="no out.txt", lines=(12,)),
            Grade(by="max_turns", status="pass", reason="2 turns", lines=(99,)),
        ),
        skills=(Evidence(skill="greeting", lines=(1,)),),
    )
    text = report([record], "text")
    assert text.count("greeting was not called") == 1
    assert "file_exists: no out.txt" in text
    assert "trace lines 4, 9, 12" in text
    command = "audition show 20260102-030405::greeting/explicit/understudy+native/1"
    assert command in text


def test_a_hostile_id_is_quoted_in_the_command_to_look():
    text = report([make_record("fail", case="a; rm -rf ~\x1b")], "text")
    assert "audition show '20260102-030405::greeting/a; rm -rf ~\\x1b/understudy+native/1'" in text


def test_of_many_failures_a_few_are_shown_and_the_rest_counted():
    text = report([make_record("fail", n) for n in range(25)], "text")
    assert text.count("  FAIL  greeting/") == 10
    assert "and 15 more" in text


def test_one_line_is_one_line_in_every_report():
    grade = Grade(by="answer_contains", status="fail", reason="no", lines=(4,))
    record = make_record("fail", grades=(grade,))
    for style in ("text", "junit", "markdown"):
        assert "trace lines" not in report([record], style)
    assert "(trace line 4)" in report([record], "junit")
