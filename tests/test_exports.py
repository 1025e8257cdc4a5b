"""What `show --as` writes has the files and the fields that each tool's readers expect."""

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from records import make_inputs, make_record, make_trial

from audition.exports import Told, export
from audition.model import Call, Case, Evidence, Sealed, Trace

FIXTURES = Path(__file__).parent / "fixtures" / "formats"
FAKES = Path(__file__).parent / "fakes"


def audition(*words, good=(0, 1)):
    argv = [sys.executable, "-m", "audition", *map(str, words)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode in good, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A run of CAT's example, in which `nop` fails what `oracle` passes."""
    out = tmp_path_factory.mktemp("runs")
    words = ("--out", out, "-q", "--no-fsync", "--run-id")
    audition("run", FIXTURES / "cat", "-a", "oracle", "-a", "nop", *words, "cat")
    audition("run", FIXTURES / "skilljack-evals", "-a", "oracle", "-r", "2", *words, "evals")
    both = ("-d", "native", "-d", "none")
    audition("run", FIXTURES / "skilljack", "-a", "oracle", *both, *words, "arms")
    table = FIXTURES / "pkbllm/evals/skills/uv-greeting/prompts.csv"
    judge = ("--judge-command", f"{sys.executable} {FAKES / 'judge_rubric.py'} false")
    audition("run", table, "-a", "oracle", *judge, *words, "pkb")
    evals = FIXTURES / "evals-json" / "greeting"
    audition("run", evals, "-a", "oracle", "--baseline", "none", *words, "evals-json")
    chance = ("-a", "coin:0.5", "-r", "6")
    audition("run", FIXTURES / "skilljack-evals", *chance, *words, "chance")
    return out


def written(runs, run, tool, tmp_path):
    audition("show", run, "--out", runs, "--as", tool, "--to", tmp_path)
    return {str(each.relative_to(tmp_path)): each for each in tmp_path.rglob("*") if each.is_file()}


def read(path):
    return json.loads(path.read_text("utf-8"))


def test_cat_s_results_and_summary(runs, tmp_path):
    files = written(runs, "cat", "cat", tmp_path)
    assert files.keys() == {"results.json", "summary.json"}
    results, summary = read(files["results.json"]), read(files["summary.json"])
    assert set(results[0]) == {
        *("test_id", "expected_skill", "actual_skill", "passed", "prompt", "category"),
        *("raw_output", "is_timeout", "stderr"),
    }
    good = next(each for each in results if each["test_id"] == "greeting-1" and each["passed"])
    assert (good["expected_skill"], good["actual_skill"]) == ("greeting", "greeting")
    assert good["category"] == "explicit"
    assert len(good["raw_output"]) <= 1000 + len("... [truncated]")
    empty = next(each for each in results if each["test_id"] == "edge-empty")
    assert (empty["prompt"], empty["expected_skill"]) == ("", None)
    assert (summary["total_tests"], summary["passed"], summary["failed"]) == (10, 8, 2)
    assert summary["pass_rate"] == 80
    stats = {"total": 2, "passed": 1, "failed": 1, "activation_rate": 50}
    assert summary["skill_stats"] == {"greeting": stats, "status": stats}
    assert summary["timeout_count"] == 0


def test_cat_s_inventory_names_the_folders_a_user_may_call():
    told = json.loads(audition("skills", FIXTURES / "cat", "--as", "cat"))
    assert told["total_skills"] == 2
    status = next(each for each in told["skills"] if each["name"] == "status")
    assert set(status) == {"name", "description", "argument_hint", "path"}
    assert Path(status["path"]).is_absolute()
    assert status["argument_hint"] == "[task]"


def test_skilljack_s_result_and_log(runs, tmp_path):
    files = written(runs, "cat", "skilljack", tmp_path)
    logs = [name for name in files if name.startswith("logs/")]
    results = [name for name in files if name.startswith("results/")]
    assert (len(logs), len(results)) == (20, 10)
    assert sum("FAILED__" in name and name.endswith(".json") for name in logs) == 2
    name = next(
        each
        for each in logs
        if "greeting-1" in each and "FAILED__" not in each and each.endswith(".json")
    )
    assert "## tool_use" in files[name.replace(".json", ".md")].read_text("utf-8")
    log = read(files[name])
    assert {"sessionId", "task", "startTime", "endTime", "status", "entries"} <= set(log)
    assert [each["type"] for each in log["entries"]] == ["tool_use", "tool_result", "text"][: len(log["entries"])]  # fmt: skip
    assert set(log["entries"][0]) == {"timestamp", "type", "data"}
    result = read(files[f"results/{log['sessionId']}.json"])
    assert (result["mode"], result["task"], result["passed"]) == ("cli-native", "greeting-1", True)
    assert result["results"]["discovered"] is True
    assert result["results"]["activated"] is True
    assert result["results"]["skillName"] == "greeting"
    assert ":" not in log["sessionId"]


def test_skilljack_evals_report(runs, tmp_path):
    files = written(runs, "evals", "skilljack-evals", tmp_path)
    (report,) = map(read, files.values())
    assert report["passed"] is True
    assert report["failureReasons"] == []
    assert report["summary"]["totalTasks"] == 3
    assert report["summary"]["numRuns"] == 2
    assert report["summary"]["discoveryAccuracy"] == 1
    first = report["tasks"][0]
    assert set(first) == {"task", "result", "score", "runDetails"}
    assert len(first["runDetails"]) == 2
    assert set(first["score"]) == {
        *("taskId", "deterministic", "judge", "discovery", "adherence", "outputQuality"),
        *("weightedScore", "failureCategory", "reasoning"),
    }
    assert first["score"]["deterministic"]["markerFound"] is True
    assert first["score"]["deterministic"]["unexpectedToolsCalled"] is False
    assert first["score"]["weightedScore"] == 1
    assert first["result"]["skillLoads"] == ["greeting"]


def test_skilljack_evals_report_of_failures(runs, tmp_path):
    files = written(runs, "cat", "skilljack-evals", tmp_path)
    (report,) = map(read, files.values())
    kinds = {each["category"]: each["count"] for each in report["failureBreakdown"]}
    assert kinds == {"discovery_failure": 2}
    failed = [each for task in report["tasks"] if (each := task["score"])["failureCategory"] != "none"]  # fmt: skip
    assert all((each["discovery"], each["adherence"]) == (0, 1) for each in failed)


def test_pkbllm_s_summary_and_rows(runs, tmp_path):
    files = written(runs, "pkb", "pkbllm", tmp_path)
    summary = read(files["summary.json"])
    assert set(summary) == {
        *("run_id", "suite", "judge", "skills", "cases", "pass_count", "fail_count", "rows"),
    }
    assert (summary["cases"], summary["pass_count"] + summary["fail_count"]) == (4, 4)
    row = summary["rows"][0]
    assert set(row) == {
        *("skill", "skill_slug", "case_id", "should_trigger", "pass", "deterministic"),
        *("judge", "case_dir", "notes"),
    }
    assert row["deterministic"]["usage"]["total_tokens"] > 0
    text = files["summary.json"].read_text("utf-8")
    assert text == json.dumps(summary, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    table = files["summary.md"].read_text("utf-8").splitlines()
    assert table[0] == "| Skill | Case | Pass | Notes |"
    assert len(table) == 6
    lines = files["progress.jsonl"].read_text("utf-8").splitlines()
    assert [json.loads(each)["case_id"] for each in lines] == [
        r["case_id"] for r in summary["rows"]
    ]
    grade = read(files[f"{row['case_dir']}/grade.json"])
    ids = [each["id"] for each in grade["case_checks"]]
    assert ids == ["max_commands", "max_total_tokens", "must_include", "must_not_include"]
    reported = next(each for each in summary["rows"] if each["case_id"] != row["case_id"])
    grade = read(files[f"{reported['case_dir']}/grade.json"])
    assert [each["id"] for each in grade["case_checks"]][:2] == ["final_json", "invoked_skills"]
    assert read(files[f"{row['case_dir']}/meta.json"])["skill"]["slug"] == "uv-greeting"


def test_pkbllm_s_judge_stands_apart_from_what_is_deterministic(runs, tmp_path):
    files = written(runs, "pkb", "pkbllm", tmp_path)
    rows = {each["case_id"]: each for each in read(files["summary.json"])["rows"]}
    row = rows["implicit-1"]
    said = {"id": "outcome", "pass": False, "notes": "looked"}
    assert row["judge"] == {"overall_pass": False, "score": 20, "checks": [said]}
    assert (row["pass"], row["deterministic"]["pass"]) == (False, True)
    assert read(files[f"{row['case_dir']}/judge.normalized.json"]) == row["judge"]
    grade = read(files[f"{row['case_dir']}/grade.json"])
    assert all(each["pass"] for each in grade["case_checks"])
    assert not [each for each in grade["case_checks"] if each["id"].startswith("judge")]
    assert rows["negative-1"]["judge"] is None
    ahead = read(files[f"{rows['e2e-1']['case_dir']}/grade.json"])
    assert [each["id"] for each in ahead["case_checks"]] == ["must_include"]


def test_of_several_tries_skilljack_evals_has_the_mean_and_the_one_nearest_to_it(runs, tmp_path):
    (report,) = map(read, written(runs, "chance", "skilljack-evals", tmp_path).values())
    for task in report["tasks"]:
        tries = [each["score"] for each in task["runDetails"]]
        for name in ("discovery", "adherence", "outputQuality", "weightedScore"):
            assert task["score"][name] == pytest.approx(sum(e[name] for e in tries) / 6, abs=1e-3)
        assert task["result"] in [each["result"] for each in task["runDetails"]]
    assert {task["score"]["discovery"] for task in report["tasks"]} - {0, 1}


@pytest.mark.parametrize("tool", ["cat", "skilljack", "skilljack-evals", "pkbllm"])
def test_a_baseline_is_no_failure_of_the_skill(runs, tool, tmp_path):
    files = written(runs, "evals-json", tool, tmp_path)
    assert not [name for name in files if "@" in name]
    if tool == "cat":
        results = read(files["results.json"])
        assert len(results) == len({each["test_id"] for each in results})


def test_skill_creator_s_expectations_are_those_of_the_file_and_none_that_nobody_asked(
    runs, tmp_path
):
    files = written(runs, "evals-json", "skill-creator", tmp_path)
    runs_ = read(files["iteration-1/benchmark.json"])["runs"]
    assert {each["configuration"] for each in runs_} == {"with_skill", "without_skill"}
    texts = {e["text"] for each in runs_ for e in each["expectations"]}
    assert "the skill greeting is called" in texts
    assert not {"judge", "activation"} & texts
    metadata = [read(path) for name, path in files.items() if name.endswith("metadata.json")]
    given = json.loads((FIXTURES / "evals-json/greeting/evals/evals.json").read_text("utf-8"))
    numbers = [each["id"] for each in given["evals"] if isinstance(each.get("id"), int)]
    assert {each["eval_id"] for each in metadata} >= set(numbers)


def test_skilljack_s_last_call_is_the_one_that_it_names(tmp_path):
    evidence = [Evidence(skill=name, rung="loaded", order=n) for n, name in enumerate("ab")]
    calls = [
        Call(id=str(n), tool="Skill", does="skill", skill=name, line=n)
        for n, name in enumerate(["a", "b", "a"])
    ]
    case = Case(id="c", prompt="p", skill="a")
    trial = make_trial("c", case)
    record = msgspec.structs.replace(make_record(), skills=tuple(evidence), agent="claude-sdk")
    told = Told(
        record=record,
        sealed=Sealed(trial=trial, began="2026-01-02T03:04:05+00:00"),
        trace=Trace(agent="claude", events=tuple(calls)),
    )
    files = export("skilljack", [told], make_inputs("a"))
    result = json.loads(next(text for name, text in files.items() if name.startswith("results/")))
    assert result["mode"] == "native"
    assert (result["results"]["discovered"], result["results"]["skillName"]) == (True, "a")
    read_by = Call(id="r", tool="mcp__skilljack__skill-resource", does="resource", line=9)
    more = msgspec.structs.replace(told.trace, events=(*calls, read_by))
    files = export("skilljack", [msgspec.structs.replace(told, trace=more)], make_inputs("a"))
    log = json.loads(next(t for n, t in files.items() if n.startswith("logs/") and "{" in t[:1]))
    assert log["evalResult"]["resourceLoaded"] is True
    assert set(log["metrics"]["tokens"]) == {
        *("input", "output", "cacheRead", "cacheCreation", "total"),
    }


def test_what_could_not_be_tried_is_an_error_with_the_time_of_its_run():
    record = msgspec.structs.replace(make_record("ineligible"), reason="may not be invoked")
    trial = make_trial("c", Case(id="c", prompt="p", skill="a"))
    inputs = msgspec.structs.replace(make_inputs("a"), began="2026-01-02T03:04:05+00:00")
    told = Told(record=record, sealed=Sealed(trial=trial), trace=Trace(agent="claude"))
    files = export("skilljack", [told], inputs)
    log = next(
        json.loads(t) for n, t in files.items() if n.startswith("logs/FAILED") and t[0] == "{"
    )
    assert (log["status"], log["errorMessage"]) == ("error", "may not be invoked")
    assert log["startTime"] == "2026-01-02T03:04:05.000Z"


def test_skill_creator_s_benchmark(runs, tmp_path):
    files = written(runs, "arms", "skill-creator", tmp_path)
    run = "iteration-1/eval-greeting-greeting/with_skill/run-1"
    grading = read(files[f"{run}/grading.json"])
    assert set(grading["expectations"][0]) == {"text", "passed", "evidence"}
    assert grading["summary"] == {"passed": 2, "failed": 0, "total": 2, "pass_rate": 1}
    assert read(files[f"{run}/timing.json"])["total_duration_seconds"] > 0
    assert "WELCOME-4411" in files[f"{run}/outputs/answer.md"].read_text("utf-8")
    assert f"{run.replace('with_', 'without_')}/grading.json" in files
    benchmark = read(files["iteration-1/benchmark.json"])
    assert set(benchmark["run_summary"]) == {"with_skill", "without_skill", "delta"}
    assert set(benchmark["run_summary"]["with_skill"]) == {"pass_rate", "time_seconds", "tokens"}
    assert len(benchmark["runs"]) == 4
    assert benchmark["metadata"]["runs_per_configuration"] == 1


def test_cases_of_one_id_in_two_files_are_two_evals_of_skill_creator():
    told = [
        Told(
            record=make_record(number=number, file=file),
            sealed=Sealed(trial=make_trial(file, Case(id="hi", prompt=file, skill="a", file=file))),
            trace=Trace(agent="claude"),
        )
        for number in (1, 2)
        for file in ("a.yaml", "b.yaml")
    ]
    files = export("skill-creator", told, make_inputs("a"))
    prompts = {
        name: json.loads(text)["prompt"]
        for name, text in files.items()
        if name.endswith("eval_metadata.json")
    }
    assert prompts == {
        "iteration-1/eval-a-hi/eval_metadata.json": "a.yaml",
        "iteration-1/eval-a-hi-2/eval_metadata.json": "b.yaml",
    }
    assert "iteration-1/eval-a-hi-2/with_skill/run-2/grading.json" in files


@pytest.mark.parametrize("tool", ["cat", "skilljack", "skilljack-evals", "pkbllm", "skill-creator"])
def test_without_a_folder_the_files_are_printed_by_name(runs, tool, tmp_path):
    told = json.loads(audition("show", "cat", "--out", runs, "--as", tool))
    assert told.keys() == written(runs, "cat", tool, tmp_path).keys()


def test_an_unknown_tool_is_refused(runs):
    assert audition("show", "cat", "--out", runs, "--as", "dog", good=(2,)) == ""
