"""Plans and records for the tests of the store, and runs made of them."""

from audition.model import (
    Case,
    CheckSpec,
    Evidence,
    Grade,
    Inputs,
    Record,
    Sealed,
    Skill,
    Spent,
    Trial,
)
from audition.store import open_run, write_results


def plan(count, cases=None):
    """Trials, round-robin over cases."""
    cases = min(cases or 7, count)
    made = [
        Case(
            id=f"case-{number}",
            prompt="Greet Ada. " * 10,
            skill=f"skill-{number % 3}",
            should_trigger=number % 4 != 3,
            checks=(CheckSpec(name="answer_contains", arguments={"text": "Ada"}),),
            file="cases.yaml",
        )
        for number in range(cases)
    ]
    trials = []
    for index in range(count):
        case, number = made[index % cases], index // cases + 1
        place = f"{case.skill}/{case.id}/stub+native/{number}"
        trials.append(
            Trial(
                id=place,
                place=place,
                index=index,
                case=case,
                agent="stub",
                delivery="native",
                model=None,
                number=number,
                skills=("skill-0", "skill-1", "skill-2"),
            )
        )
    return tuple(trials)


def inputs(trials, run_id="r", **more):
    skills = {
        name: Skill(name=name, path=f"/skills/{name}", digest=f"digest-{name}")
        for name in ("skill-0", "skill-1", "skill-2")
    }
    words = {"began": "2026-01-02T03:04:05+00:00", "skills": skills, "arguments": ("run",)}
    return Inputs(run_id=run_id, plan=trials, **{**words, **more})


def sealed(trial):
    return Sealed(trial=trial, exit_code=0, seconds=0.5, agent_version="1.0")


def record(trial, **more):
    words = {
        "id": trial.id,
        "skill": trial.case.skill,
        "case": trial.case.id,
        "agent": trial.agent,
        "delivery": trial.delivery,
        "model": trial.model,
        "trial": trial.number,
        "should_trigger": trial.case.should_trigger,
        "status": ("pass", "pass", "fail", "error")[trial.index % 4],
        "skills": (Evidence(skill="skill-0", rung="loaded", how="skill-tool", lines=(3,)),),
        "grades": (Grade(by="activation", status="pass", reason="as expected", lines=(3,)),),
        "usage": Spent(input_tokens=10, output_tokens=2),
        "seconds": 0.5,
        "dir": f"work/{trial.place}",
        "agent_version": "1.0",
    }
    return Record(**{**words, **more})


def do_trial(run, trial, **more):
    """Stage, seal and commit, as a trial does."""
    staging = run.start(trial)
    (staging / "trace.jsonl").write_bytes(b'{"type":"message"}\n')
    folder = run.seal(trial, staging, sealed(trial))
    done = record(trial, **more)
    run.commit(done, folder)
    return done


def make_run(out, run_id="r", count=10, done=None, cases=None, **more):
    """A run on disk with its results; `done` of its trials are finished."""
    trials = plan(count, cases)
    asked = inputs(trials, run_id, **more)
    with open_run(out, run_id, resume=False, fsync=False) as run:
        run.describe(asked)
        for trial in trials[:done]:
            do_trial(run, trial)
        for _ in write_results(run.path, asked, fsync=False):
            pass
    return run.path
