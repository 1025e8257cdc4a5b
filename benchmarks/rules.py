"""How long process rules take: `python benchmarks/rules.py`.

In: nothing. Out: two lines on stdout. A session of 100,000 events is to be judged by ten
rules within 1 s; 1,000 stored trials with ten rules each are to be graded within 5 s of CPU.
Printed, not asserted: the figures hang on the machine and on what else it does.
"""

import sys
import tempfile
import time
from pathlib import Path

import msgspec

from audition.agent import find_agent
from audition.cases.process import read_rules
from audition.conduct import judge_conduct
from audition.grading import Grading, grade_sealed
from audition.model import Call, Case, End, Message, Result, Rule, Sealed, Skill, Trace, Trial

sys.path.insert(0, str(Path(__file__).parent))

from traces import make_trace

RULES = """\
- {id: tested, fresh: {do: {command: git commit}, after: {command: pytest, exit: 0}, since: write}}
- {id: read, before: {first: read, then: write}}
- {id: pushed, follows: {after: {command: git commit}, must: {command: git push}}}
- {id: called, eventually: {skill: report-maker}}
- {id: kept, never: {command: rm -rf}}
- {id: few, count: {of: {command: git push}, most: 100000}}
- {id: soon, within: {of: shell, calls: 5}}
- {id: early, within: {of: read, turns: 3}}
- {id: quiet, vacuous: allow, between: {from: {command: make}, to: {command: make install}, never: write}}
- {id: secret, never: {path: "**/.env"}}
"""
LINES = ("pytest -q tests/test_{}.py", "cat src/part{}.py | head", "git commit -m 'step {}'",
         "python3 count.py --step {} && cat out.txt", "git push origin work-{}", "ls -la")  # fmt: skip
EVENTS = 100_000
TRIALS = 1000


def a_long_trace() -> Trace:
    """Calls and results, now and then two side by side."""
    events: list[Message | Call | Result] = []
    while len(events) < EVENTS:
        n = len(events)
        pair = []
        for each in range(1 + (n % 7 == 0)):
            at = n + each
            if n % 5 == 0:
                pair.append(
                    Call(line=at, id=str(at), tool="Edit", does="write", paths=(f"/w/a{at}.py",))
                )
            else:
                command = LINES[at % len(LINES)].format(at)
                pair.append(Call(line=at, id=str(at), tool="Bash", does="shell", command=command))
        events += pair
        events += [Result(line=each.line, id=each.id, output="done") for each in pair]
    return Trace(agent="x", events=tuple(events), end=End(status="completed"))


def store(run: Path, rules: tuple[Rule, ...]) -> list[Path]:
    """A run of sealed trials, each with a session of about 20 KB."""
    folders = []
    for number in range(TRIALS):
        case = Case(
            id=f"c{number}", prompt="Go.", skill="report-maker", process=rules, file="x.yaml"
        )
        place = f"report-maker/c{number}/claude+native/1"
        trial = Trial(
            id=place, place=place, index=number, case=case, agent="claude", delivery="native",
            model=None, number=1, skills=("report-maker",),
        )  # fmt: skip
        folder = run / "work" / place
        (folder / "files").mkdir(parents=True)
        (folder / "trace.jsonl").write_text(make_trace(number, 20_000, 500), "utf-8")
        (folder / "meta.json").write_bytes(msgspec.json.encode(Sealed(trial=trial, exit_code=0)))
        folders.append(folder)
    return folders


def main() -> None:
    with tempfile.TemporaryDirectory() as root:
        path = Path(root, "process.yaml")
        path.write_text(RULES, "utf-8")
        rules, _ = read_rules(path)
        trace = a_long_trace()
        began = time.process_time()
        rulings = judge_conduct(rules, trace)
        took = time.process_time() - began
        results = ", ".join(f"{each.id} {each.result}" for each in rulings)
        print(f"{len(trace.events)} events, {len(rules)} rules: {took:.2f} s CPU ({results})")

        folders = store(Path(root, "run"), rules)
        skill = Skill(name="report-maker", path="/skills/report-maker")
        grading = Grading(
            run=Path(root, "run"),
            skills={"report-maker": skill},
            agents={"claude": find_agent("claude")},
        )
        statuses: dict[str, int] = {}
        judged = 0
        began = time.process_time()
        for folder in folders:
            record = grade_sealed(folder, grading)
            statuses[record.status] = statuses.get(record.status, 0) + 1
            judged += sum(each.by.startswith("process:") for each in record.grades)
        took = time.process_time() - began
        print(f"{len(folders)} trials, {judged} rules judged: {took:.2f} s CPU ({statuses})")


if __name__ == "__main__":
    main()
