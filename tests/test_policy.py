"""Policies: evidence and what each harness makes of it (the table of the formats' facts)."""

import pytest
from msgspec.structs import replace

from audition.agent import find_agent, make_trace
from audition.errors import UnknownName
from audition.evidence import climb
from audition.model import Call, Case, Denial, End, Message, Result, Skill
from audition.policy import count_as_pkbllm, find_policy, grade_activation, policies, rules

claude = replace(find_agent("claude"), settle=lambda events: events)
SKILLS = tuple(Skill(name=name, path=f"/w/{name}") for name in ("work", "status", "add"))
POSITIVE = Case(id="p", prompt="x", skill="work")
QUIET = Case(id="n", prompt="x", should_trigger=False)
NEAR_MISS = Case(id="m", prompt="x", skill="work", should_trigger=False)
DONE = End(line=99, status="completed")
FAILED = End(line=99, status="failed", reason="not signed in")


def calls(*names, failed=(), denied=(), tool="Skill"):
    events = []
    for place, name in enumerate(names):
        line, id_ = 10 * place + 1, f"c{place}"
        events.append(Call(line=line, id=id_, tool=tool, does="skill", skill=name))
        if name in denied:
            events.append(Denial(line=line + 1, id=id_))
        events.append(Result(line=line + 2, id=id_, failed=name in failed or name in denied))
    return events


def noodled(name):
    path = f"/w/{name}/SKILL.md"
    return [
        Call(line=1, id="r", tool="Bash", does="shell", command=f"cat {path}"),
        Result(line=2, id="r"),
    ]


@pytest.mark.parametrize("case", [POSITIVE, QUIET, NEAR_MISS])
def test_a_call_that_may_be_in_what_is_missing_is_neither_there_nor_absent(case):
    back = Result(line=3, id="c0")  # its call is in line 2, which cannot be understood
    lost = make_trace(claude, [back, DONE], [2])
    cut = make_trace(claude, [DONE], truncated=True)
    for trace, lines in ((lost, (3,)), (cut, ())):
        found = grade_activation(find_policy("default"), case, climb(trace, SKILLS, claude), trace)
        assert (found.status, found.lines) == ("error", lines)
    assert "1 line cannot be understood, the first is 2" in judged_of(lost, case).reason


def judged_of(trace, case, policy="default"):
    return grade_activation(find_policy(policy), case, climb(trace, SKILLS, claude), trace)


def test_a_call_that_was_seen_decides_whatever_else_is_missing():
    trace = make_trace(claude, [*calls("work"), DONE], [50], truncated=True)
    assert judged_of(trace, POSITIVE).status == "pass"
    assert judged_of(trace, NEAR_MISS).status == "fail"


def test_a_line_that_is_not_understood_loses_no_call_where_every_result_has_its_own():
    trace = make_trace(claude, [*calls("work"), DONE], [50])
    assert trace.lost == ()
    assert judged_of(trace, QUIET).status == "fail"
    assert judged_of(make_trace(claude, [DONE], [50]), QUIET).status == "pass"


def test_a_faithful_policy_judges_what_is_there_as_its_harness_did():
    trace = make_trace(claude, [DONE], truncated=True)
    assert {judged_of(trace, QUIET, each).status for each in OTHERS} == {"pass"}


def test_the_whole_session_proves_that_nothing_was_called():
    assert judged("default", QUIET, []).lines == (99,)
    assert judged("default", NEAR_MISS, noodled("work")).lines == (1, 2, 99)


def test_of_calls_with_one_id_the_one_that_came_to_nothing_was_refused():
    refused = [
        Call(line=1, id="c1", tool="Bash", does="shell", command="x"),
        Denial(line=2, id="c1"),
        Result(line=3, id="c1", failed=True),
    ]
    loaded = [
        Call(line=4, id="c1", tool="Skill", does="skill", skill="work"),
        Result(line=5, id="c1"),
    ]
    assert judged("default", POSITIVE, [*refused, *loaded]).status == "pass"
    assert judged("default", NEAR_MISS, [*refused, *loaded]).status == "fail"


def judged(policy, case, events, end=DONE, **more):
    trace = make_trace(claude, [*events, *([end] if end else [])])
    evidence = climb(trace, SKILLS, claude, **more)
    return grade_activation(find_policy(policy), case, evidence, trace)


OTHERS = ("skilljack", "skilljack-evals", "cat")

TABLE = [
    # what happened, case, end, policy → verdict
    *(("right", calls("work"), POSITIVE, DONE, each, "pass") for each in ("default", *OTHERS)),
    *(("wrong", calls("status"), POSITIVE, DONE, each, "fail") for each in ("default", *OTHERS)),
    *(("none", [], POSITIVE, DONE, each, "fail") for each in ("default", *OTHERS)),
    ("right, wrong", calls("work", "status"), POSITIVE, DONE, "default", "pass"),
    ("right, wrong", calls("work", "status"), POSITIVE, DONE, "skilljack", "fail"),
    ("right, wrong", calls("work", "status"), POSITIVE, DONE, "skilljack-evals", "pass"),
    ("right, wrong", calls("work", "status"), POSITIVE, DONE, "cat", "pass"),
    ("wrong, right", calls("status", "work"), POSITIVE, DONE, "default", "pass"),
    ("wrong, right", calls("status", "work"), POSITIVE, DONE, "skilljack", "pass"),
    ("wrong, right", calls("status", "work"), POSITIVE, DONE, "skilljack-evals", "fail"),
    ("wrong, right", calls("status", "work"), POSITIVE, DONE, "cat", "fail"),
    # a result is never looked at by the others
    ("failed", calls("work", failed=["work"]), POSITIVE, DONE, "default", "fail"),
    *(("failed", calls("work", failed=["work"]), POSITIVE, DONE, each, "pass") for each in OTHERS),
    ("denied", calls("work", denied=["work"]), POSITIVE, DONE, "default", "fail"),
    # prefixes
    ("cat:work", calls("cat:work"), POSITIVE, DONE, "default", "pass"),
    ("cat:work", calls("cat:work"), POSITIVE, DONE, "cat", "pass"),
    ("cat:work", calls("cat:work"), POSITIVE, DONE, "skilljack", "fail"),
    ("s__work", calls("s__work"), POSITIVE, DONE, "default", "pass"),
    ("s__work", calls("s__work"), POSITIVE, DONE, "cat", "fail"),
    # noodling is never activation
    *(("noodled", noodled("work"), POSITIVE, DONE, each, "fail") for each in ("default", *OTHERS)),
    # another skill on a negative
    *(("other", calls("status"), QUIET, DONE, each, "fail") for each in ("default", *OTHERS)),
    ("other", calls("status"), NEAR_MISS, DONE, "default", "pass"),
    ("other", calls("status"), NEAR_MISS, DONE, "skilljack-evals", "fail"),
    ("other", calls("status"), NEAR_MISS, DONE, "cat", "fail"),
    ("target", calls("work"), NEAR_MISS, DONE, "default", "fail"),
    *(("quiet", [], QUIET, DONE, each, "pass") for each in ("default", *OTHERS)),
    # an attempt in vain breaks a negative
    ("denied", calls("work", denied=["work"]), QUIET, DONE, "default", "fail"),
    ("denied", calls("work", denied=["work"]), NEAR_MISS, DONE, "default", "fail"),
    ("failed", calls("work", failed=["work"]), QUIET, DONE, "default", "fail"),
    ("noodled", noodled("work"), QUIET, DONE, "default", "pass"),
    # a crash: never a pass for us, and never a fail
    ("crash", [], QUIET, FAILED, "default", "error"),
    ("crash", [], QUIET, FAILED, "skilljack-evals", "pass"),
    ("crash", [], QUIET, FAILED, "cat", "pass"),
    ("crash", [], POSITIVE, FAILED, "default", "error"),
    ("crash", [], POSITIVE, FAILED, "cat", "fail"),
    ("no end", [], QUIET, None, "default", "error"),
    ("no end", [], QUIET, None, "skilljack-evals", "pass"),
    ("no end", [], QUIET, None, "cat", "fail"),
    ("called, crash", calls("work"), QUIET, FAILED, "default", "fail"),
    ("limit", [], QUIET, End(line=9, status="limited", reason="max turns"), "default", "pass"),
]


@pytest.mark.parametrize(("what", "events", "case", "end", "policy", "verdict"), TABLE)
def test_each_harness_judges_the_same_evidence_its_own_way(
    what, events, case, end, policy, verdict
):
    assert judged(policy, case, events, end).status == verdict, what


REPORTS = [
    ('{"invoked_skills": ["work"]}', POSITIVE, "pass"),
    ('{"invoked_skills": ["work", "add"]}', POSITIVE, "pass"),
    ('{"invoked_skills": []}', POSITIVE, "fail"),
    ('{"invoked_skills": ["add"]}', NEAR_MISS, "pass"),
    ('{"invoked_skills": ["work"]}', NEAR_MISS, "fail"),
    ("no json", NEAR_MISS, "fail"),
    ('{"invoked_skills": "work"}', POSITIVE, "fail"),
    ("[]", POSITIVE, "fail"),
]


@pytest.mark.parametrize(("answer", "case", "verdict"), REPORTS)
def test_pkbllm_believes_what_the_answer_reports(answer, case, verdict):
    asked = replace(case, settings={"output_schema": "s.json"})
    said = [*calls("status"), Message(line=5, text=answer)]
    assert judged("pkbllm", asked, said).status == verdict


def test_pkbllm_without_a_schema_judges_nothing():
    assert judged("pkbllm", POSITIVE, calls("status")).status == "vacuous"


def test_a_crash_fails_every_case_of_pkbllm():
    asked = replace(NEAR_MISS, settings={"output_schema": "s.json"})
    assert (
        judged("pkbllm", asked, [Message(text='{"invoked_skills": []}')], FAILED).status == "fail"
    )


def test_skilljack_counts_any_tool_of_a_server_with_skill_in_its_name():
    events = [
        Call(line=1, id="a", tool="mcp__skilljack__list", does="mcp", input={"name": "work"}),
        Result(line=2, id="a"),
    ]
    assert judged("skilljack", POSITIVE, events).status == "pass"
    assert judged("default", POSITIVE, events).status == "fail"


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        (calls("status"), "`status` was called instead of `work`"),
        (noodled("work"), "no skill was called; `work` was only read by the shell (noodling)"),
        ([], "no skill was called; `work` was expected"),
        (calls("work", denied=["work"]), "`work` was asked for but refused"),
        (calls("work", failed=["work"]), "`work` was asked for but the call did not succeed"),
    ],
)
def test_the_reason_says_what_happened_instead(events, reason):
    grade = judged("default", POSITIVE, events)
    assert (grade.by, grade.reason) == ("activation", reason)
    assert grade.lines or not events


def test_the_reason_of_a_pass_says_how():
    grade = judged("default", POSITIVE, calls("work"))
    assert (grade.reason, grade.lines) == ("`work` was loaded by skill-tool", (1, 3))


def test_a_skill_put_in_by_the_prompt_counts_and_says_so():
    grade = judged("default", POSITIVE, [Message(line=1, text="ok")], prompts=("/work now",))
    assert grade.status == "pass"
    assert "put in by the prompt" in grade.reason


def test_any_of_several_skills_will_do():
    case = Case(id="a", prompt="x", any_of=("add", "status"))
    assert judged("default", case, calls("status")).status == "pass"
    assert judged("default", case, calls("work")).status == "fail"


def test_a_call_in_a_sub_agent_counts():
    events = [replace(each, sub="agent") for each in calls("work")]
    grade = judged("default", POSITIVE, events)
    assert grade.status == "pass"
    assert "sub-agent" in grade.reason


NAMELESS = [Call(line=1, id="n", tool="Skill", does="skill"), Result(line=2, id="n")]


@pytest.mark.parametrize(
    ("policy", "events", "case", "verdict"),
    [
        # CAT stops at the first call of the skill tool, whatever it names.
        ("cat", [*NAMELESS, *calls("work")], POSITIVE, "fail"),
        ("cat", [*NAMELESS, *calls("work")], QUIET, "pass"),
        # skilljack writes each call's name over the one before.
        ("skilljack", [*calls("work"), *NAMELESS], POSITIVE, "fail"),
        # skilljack-evals takes the first with a name; ours, what was loaded.
        ("skilljack-evals", [*NAMELESS, *calls("work")], POSITIVE, "pass"),
        ("default", [*NAMELESS, *calls("work")], POSITIVE, "pass"),
    ],
)
def test_a_call_that_names_no_skill(policy, events, case, verdict):
    assert judged(policy, case, events).status == verdict


@pytest.mark.parametrize("policy", ["default", *OTHERS])
def test_an_agent_without_a_skill_tool_loads_by_reading(policy):
    codex = find_agent("codex")
    trace = make_trace(codex, [*noodled("work"), DONE])
    evidence = climb(trace, SKILLS, codex)
    for case, verdict in ((POSITIVE, "pass"), (QUIET, "fail")):
        grade = grade_activation(find_policy(policy), case, evidence, trace)
        assert grade.status == verdict


@pytest.mark.parametrize(
    ("line", "effective"),
    [
        ("pwd", 0),
        ("ls", 0),
        ("ls notes/in", 0),
        ("/bin/zsh -lc ls", 0),
        ("/bin/zsh -lc 'ls -la'", 0),
        ("bash -lc ls", 1),
        ("/bin/bash -lc 'ls -la'", 1),
        ("ls | wc -l", 1),
        ("cat .codex/skills/work/SKILL.md", 1),
        ("/bin/bash -lc 'cat /w/.agents/skills/work/SKILL.md'", 0),
        ("cat /r/skills_snapshot/work/SKILL.md; rm -rf x", 0),
        ("cat README.md", 1),
    ],
)
def test_pkbllm_s_effective_commands(line, effective):
    call = Call(line=1, id="c", tool="shell", does="shell", command=line)
    again = replace(call, line=3)
    counted = count_as_pkbllm(make_trace(claude, [call, Result(line=2, id="c"), again]))
    assert (counted.total, counted.effective) == (1, effective)


@pytest.mark.parametrize("name", policies)
def test_a_policy_says_its_rules_in_sentences(name):
    found = rules(policies[name])
    assert len(found) >= 5
    assert all(each.endswith(".") and each[0].isupper() for each in found)


def test_an_unknown_policy_is_an_error_with_the_nearest_name():
    with pytest.raises(UnknownName) as caught:
        find_policy("skilljak")
    assert "skilljack" in caught.value.hint


@pytest.mark.parametrize(("policy", "verdict"), [("default", "pass"), ("cat", "fail")])
def test_a_skill_that_is_not_on_offer_breaks_only_the_negatives_of_the_old_harnesses(
    policy, verdict
):
    assert judged(policy, QUIET, calls("debug")).status == verdict
    assert judged(policy, QUIET, calls("status")).status == "fail"
