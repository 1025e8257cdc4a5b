"""What `show --as` writes has the files and the fields that each tool's readers expect."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parent / "fixtures" / "formats"


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
    audition("run", table, "-a", "oracle", *words, "pkb")
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
    assert (len(logs), len(results)) == (10, 10)
    assert sum("FAILED__" in name for name in logs) == 2
    name = next(each for each in logs if "greeting-1" in each and "FAILED__" not in each)
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
    assert {each["id"] for each in grade["case_checks"]} >= {"invoked_skills", "must_include"}
    assert read(files[f"{row['case_dir']}/meta.json"])["skill"]["slug"] == "uv-greeting"


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


@pytest.mark.parametrize("tool", ["cat", "skilljack", "skilljack-evals", "pkbllm", "skill-creator"])
def test_without_a_folder_the_files_are_printed_by_name(runs, tool, tmp_path):
    told = json.loads(audition("show", "cat", "--out", runs, "--as", tool))
    assert told.keys() == written(runs, "cat", tool, tmp_path).keys()


def test_an_unknown_tool_is_refused(runs):
    assert audition("show", "cat", "--out", runs, "--as", "dog", good=(2,)) == ""
