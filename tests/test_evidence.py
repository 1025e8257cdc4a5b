"""The ladder: what became of each skill, and the lines that prove it."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from audition.agent import find_agent, make_trace, read_trace
from audition.evidence import climb
from audition.model import RUNGS, Call, Denial, End, Message, Offer, Result, Skill, Usage
from audition.skills import read_skill

TRACES = Path(__file__).parent / "traces" / "claude" / "2.1.327"
claude = find_agent("claude")
reader = replace(claude, name="reader", loads_by=("file-read", "shell-read"), mention="$")
BODY = "# Reports\n\nAlways end a report with the line of the house, in capitals.\n"


def skill(name, folder="", *resources, **more):
    return Skill(name=name, path=f"/w/.claude/skills/{folder or name}", resources=resources, **more)


SKILLS = (
    skill("greeting"),
    skill("configurator", "", "templates/config.json", "scripts/make.py"),
    skill("tooled"),
    skill("nomodel", model_invocable=False),
    skill("status"),
    skill("forked"),
    skill("othername", "dirname"),
)


def evidence(name, agent=claude, skills=SKILLS, **more):
    (path,) = [each for each in TRACES.glob(f"{name}*.jsonl") if "expected" not in each.name]
    trace = read_trace(claude, enumerate(path.read_bytes().splitlines(), 1))
    return {each.skill: each for each in climb(trace, skills, agent, **more)}


# trace: skill, rung, how, lines, resources; None where no skill was touched
RECORDED = {
    "01": ("greeting", "loaded", "skill-tool", (3, 4, 5), ()),
    "02": None,
    "03": ("configurator", "read", "skill-tool", (2, 3, 4, 5, 6), ("templates/config.json",)),
    "04": ("configurator", "loaded", "skill-tool", (2, 3, 4), ()),
    "05": ("welcomer", "asked", None, (2, 3), ()),
    "06": ("nomodel", "asked", None, (2, 3), ()),
    "07": ("tooled", "denied", None, (2, 3, 4), ()),
    "08": ("tooled", "loaded", "skill-tool", (2, 3, 4), ()),
    "09": ("configurator", "read", "mcp-tool", (2, 3, 4, 5), ("templates/config.json",)),
    "10": ("greeting", "loaded", "mcp-tool", (4, 5), ()),
    "12": ("nope", "asked", None, (2, 3), ()),
    "13": ("greeting", "denied", None, (2, 3, 4), ()),
    "14": ("status", "loaded", "skill-tool", (2, 3, 4), ()),
    "15": ("configurator", "loaded", "skill-tool", (2, 3, 4), ()),
    "17": ("greeting", "loaded", "skill-tool", (2, 3, 4), ()),
    "18": ("greeting", "asked", None, (2,), ()),
    "19": None,
    "20": None,
    "27": None,
    "29": None,
    "30": ("forked", "loaded", "skill-tool", (2, 8), ()),
    "31": ("greeting", "loaded", "skill-tool", (7, 9, 10), ()),
    "32": ("greeting", "loaded", "skill-tool", (6, 7), ()),
    "34": ("greeting", "loaded", "skill-tool", (17, 21, 22), ()),
    "35": ("greeting", "loaded", "skill-tool", (4, 5, 6), ()),
    "36": None,
    "38": None,
    "39": ("othername", "loaded", "skill-tool", (2, 3, 4, 5, 6, 7), ()),
    "40": ("greeting", "loaded", "skill-tool", (2, 5, 6), ()),
    "41": ("greeting", "loaded", "skill-tool", (2, 3, 4), ()),
    "42": ("greeting", "loaded", "skill-tool", (2, 3, 4), ()),
}


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_session_has_its_rung(name):
    found = evidence(name)
    touched = {each.skill for each in found.values() if each.order is not None}
    if RECORDED[name] is None:
        assert not touched
        return
    which, rung, how, lines, resources = RECORDED[name]
    assert touched == {which}
    each = found[which]
    assert (each.rung, each.how, each.lines, each.resources) == (rung, how, lines, resources)


def test_every_skill_on_offer_has_evidence():
    assert [*evidence("02")] == [each.name for each in SKILLS]


def test_two_deliveries_at_once_keep_their_routes():
    found = evidence("11")
    assert found["greeting"].routes == ("skill-tool",)
    assert found["configurator"].routes == ("mcp-tool",)
    assert (found["greeting"].order, found["configurator"].order) == (0, 1)


def test_a_call_in_a_sub_agent_counts_and_is_marked():
    assert evidence("32")["greeting"].sub.startswith("toolu_")


def test_a_prompt_that_is_a_slash_command_puts_the_skill_in():
    found = evidence("29", prompts=("/greeting Ada",))["greeting"]
    assert (found.rung, found.how, found.lines) == ("loaded", "injected", ())


def test_a_later_prompt_puts_a_skill_in_once_it_is_answered():
    said = Message(line=2, role="assistant", text="Well.")
    once, again = End(line=3, status="completed"), End(line=5, status="completed")
    more = {"prompts": ("hello", "/greeting Ada"), "name": "greeting"}
    answered = replace(said, line=4)
    assert climbed(said, once, answered, again, **more).how == "injected"
    assert climbed(said, once, again, **more).rung == "none"
    called = call(1, skill="configurator"), answer(2, 1)
    events = (*called, once, replace(said, line=4), again)
    both = {each.skill: each for each in climb(trace_of(*events), SKILLS, claude, prompts=("hello", "/greeting Ada"))}  # fmt: skip
    assert (both["configurator"].order, both["greeting"].order) == (0, 1)


@pytest.mark.parametrize("prompt", ["say /greeting", "$greeting", "/zzz", "", "greeting"])
def test_another_prompt_puts_nothing_in(prompt):
    assert evidence("29", prompts=(prompt,))["greeting"].rung == "none"


def test_a_slash_command_for_a_skill_that_users_may_not_call_puts_nothing_in():
    hidden = (skill("greeting", user_invocable=False),)
    assert evidence("29", skills=hidden, prompts=("/greeting",))["greeting"].rung == "none"


def test_a_prompt_that_nobody_answered_puts_nothing_in():
    assert evidence("19", prompts=("/greeting",))["greeting"].rung == "none"


# -- made by hand


def trace_of(*events):
    done = End(line=99, status="completed")
    return make_trace(replace(claude, settle=lambda each: each), [*events, done])


def climbed(*events, skills=SKILLS, agent=claude, name="configurator", **more):
    return {each.skill: each for each in climb(trace_of(*events), skills, agent, **more)}[name]


def call(line=1, does="skill", **more):
    return Call(line=line, id=f"c{line}", does=does, **{"tool": "Skill", **more})


def answer(line=2, to=1, **more):
    return Result(line=line, id=f"c{to}", **more)


@pytest.mark.parametrize(
    "typed",
    [
        "configurator",
        "Configurator",
        "cat:configurator",
        "skills__configurator",
        "mcp__s__configurator",
    ],
)
def test_a_skill_is_known_by_any_of_its_names(typed):
    assert climbed(call(skill=typed), answer()).rung == "loaded"


def test_a_skill_is_known_by_its_folder_and_by_its_name():
    skills = (skill("othername", "dirname"),)
    for typed in ("othername", "dirname"):
        found = climbed(call(skill=typed), answer(), skills=skills, name="othername")
        assert found.rung == "loaded"


def test_a_name_in_its_own_case_comes_first():
    skills = (skill("a"), skill("A", "other"))
    assert climbed(call(skill="A"), answer(), skills=skills, name="A").rung == "loaded"
    assert climbed(call(skill="A"), answer(), skills=skills, name="a").rung == "none"


def test_a_call_that_failed_is_asked():
    found = climbed(call(skill="configurator"), answer(failed=True))
    assert (found.rung, found.how, found.lines) == ("asked", None, (1, 2))


def test_a_call_without_a_result_is_asked():
    assert climbed(call(skill="configurator")).rung == "asked"


def test_a_call_whose_body_came_is_loaded_though_its_result_was_cut_off():
    body = Message(line=5, role="system", text="x", skill="configurator")
    found = climbed(call(skill="configurator"), body)
    assert (found.rung, found.how, found.lines) == ("loaded", "skill-tool", (1, 5))


def test_a_call_that_was_refused_is_denied():
    found = climbed(call(skill="configurator"), Denial(line=2, id="c1"), answer(3, 1, failed=True))
    assert (found.rung, found.lines) == ("denied", (1, 2, 3))


def test_a_second_try_that_succeeds_is_loaded():
    found = climbed(
        call(skill="configurator"),
        answer(failed=True),
        call(5, skill="configurator"),
        answer(6, 5),
    )
    assert (found.rung, found.lines, found.order, found.last) == ("loaded", (5, 6), 0, 5)


def test_parallel_calls_find_their_own_results():
    events = (
        call(1, skill="greeting"),
        call(2, skill="configurator"),
        answer(3, 2, failed=True),
        answer(4, 1),
    )
    assert climbed(*events, name="greeting").lines == (1, 4)
    assert climbed(*events).rung == "asked"


def test_a_body_without_a_call_was_put_in():
    found = climbed(Message(line=3, role="user", text="x", skill="configurator"))
    assert (found.rung, found.how, found.lines) == ("loaded", "injected", (3,))


READ = "/somewhere/else/configurator/SKILL.md"


@pytest.mark.parametrize(
    ("event", "how"),
    [
        (call(does="read", tool="Read", paths=(READ,)), "file-read"),
        (call(does="shell", tool="Bash", command=f"bash -lc 'cat {READ}'"), "shell-read"),
        (call(does="shell", tool="Bash", command=f"cd {READ[:-9]} && cat SKILL.md"), "shell-read"),
        (call(does="shell", tool="Bash", command="cat skills/configurator/*"), "shell-read"),
    ],
)
def test_a_body_read_past_the_skill_tool_is_noodling_and_climbs_nothing(event, how):
    found = climbed(event, answer())
    assert (found.rung, found.how, found.noodled, found.lines) == ("none", how, True, (1, 2))
    assert (found.order, found.routes) == (None, ())
    own = climbed(event, answer(), agent=reader)
    assert (own.rung, own.how, own.noodled, own.order) == ("loaded", how, False, 0)


def test_a_body_that_could_not_be_read_was_asked_for_and_is_not_loaded():
    event = call(does="read", tool="Read", paths=(READ,))
    refused = Denial(line=2, id="c1")
    for events, rung, lines in (
        ((event, answer(failed=True)), "asked", (1, 2)),
        ((event,), "asked", (1,)),
        ((event, refused, answer(3, failed=True)), "denied", (1, 2, 3)),
    ):
        found = climbed(*events, agent=reader)
        assert (found.rung, found.lines, found.routes) == (rung, lines, ())
        assert climbed(*events).rung == "none", "no way of its own: nothing was asked"


@pytest.mark.parametrize("command", ["wc -l {}", "grep -n x {}", "rg x {}", "sed -i s/a/b/ {}"])
def test_what_tells_of_a_body_and_does_not_show_it_loads_nothing(command):
    event = call(does="shell", tool="Bash", command=command.format(READ))
    assert climbed(event, answer(output="3"), agent=reader).rung == "none"


@pytest.mark.parametrize("path", ["**/SKILL.md", READ, "/somewhere/else/configurator/*"])
def test_a_search_that_finds_a_body_loads_nothing_unless_it_shows_it(path):
    shown = (skill("configurator", body=BODY),)
    event = call(does="search", tool="grep", paths=(path,))
    assert climbed(event, answer(output=READ), agent=reader, skills=shown).rung == "none"
    found = climbed(event, answer(output=f"{READ}:3:{BODY}"), agent=reader, skills=shown)
    assert found.rung == "loaded"


def test_a_body_of_a_few_words_is_known_by_its_description_beside_it():
    short = (skill("configurator", description="Makes files.", body="\nDo it.\n"),)
    event = call(does="shell", tool="Bash", command="find . -name SKILL.md -exec cat {} +")
    text = "---\nname: configurator\ndescription: Makes files.\n---\nDo it.\n"
    assert climbed(event, answer(output=text), agent=reader, skills=short).rung == "loaded"
    assert climbed(event, answer(output="Do it."), agent=reader, skills=short).rung == "none"


@pytest.mark.parametrize("key", ["workdir", "cwd", "directory", "dir_path"])
def test_a_command_that_was_told_its_folder_reads_there(key):
    given = {key: "/somewhere/else/configurator"}
    event = call(does="shell", command="cat SKILL.md", input=given)
    more = call(3, does="shell", command="cat templates/config.json", input=given)
    found = climbed(event, answer(), more, answer(4, 3), agent=reader)
    assert (found.rung, found.resources) == ("read", ("templates/config.json",))


@pytest.mark.parametrize(
    ("command", "skills", "name"),
    [
        ("cat /w/.agents/skills/painter/SKILL.md", (), "painter"),
        ("cd /w/.agents/skills/painter && cat SKILL.md", SKILLS, "painter"),
        ("cat /h/.codex/skills/.system/painter/SKILL.md", SKILLS, "painter"),
        ("cat painter/SKILL.md", (), "painter"),
        ("cat painter/SKILL.md", SKILLS, None),
        ("cat skills/*/SKILL.md", (), None),
        ("cat skills/SKILL.md", (), None),
        ("cat $D/SKILL.md", (), None),
        ("cat SKILL.md", (), None),
    ],
)
def test_a_skill_that_is_not_on_offer_is_known_by_the_folder_of_its_body(command, skills, name):
    event = call(does="shell", command=command)
    trace = trace_of(event, answer())
    found = [each for each in climb(trace, skills, reader) if not each.on_offer]
    assert [each.skill for each in found] == ([name] if name else [])
    assert all((each.rung, each.how) == ("loaded", "shell-read") for each in found)
    noodled = [each for each in climb(trace, skills, claude) if not each.on_offer]
    assert [(each.skill, each.rung, each.noodled) for each in noodled] == (
        [(name, "none", True)] if name else []
    )


@pytest.mark.parametrize(
    ("calls", "names"),
    [
        (("cat:status", "status"), ["cat:status"]),
        (("status", "cat:status"), ["status"]),
        (("cat:status", "dog:status"), ["cat:status", "dog:status"]),
    ],
)
def test_a_prefix_that_is_left_out_makes_no_second_skill(calls, names):
    events = [call(n, skill=name) for n, name in enumerate(calls, 1)]
    assert [each.skill for each in climb(trace_of(*events), (), claude)] == names


def test_what_the_session_says_was_shown_counts_without_the_skills_too():
    offer = Offer(line=1, skill="painter", offered="full")
    trace = trace_of(offer, call(2, skill="painter"), answer(3, 2))
    (found,) = climb(trace, (), claude)
    assert (found.skill, found.offered, found.rung) == ("painter", "full", "loaded")


def test_a_body_that_the_program_put_in_is_known_without_the_skills_and_a_typed_word_is_not():
    body = Message(line=2, role="system", text="x", skill="painter")
    typed = Message(line=3, role="user", text="x", skill="clear")
    assert [(each.skill, each.how) for each in climb(trace_of(body, typed), (), claude)] == [
        ("painter", "injected")
    ]


def test_a_body_that_a_failed_command_printed_was_read():
    skills = (skill("reports", body=BODY),)
    event = call(does="shell", tool="sh", command="cat a/reports/SKILL.md && false")
    found = climbed(
        event, answer(failed=True, output=BODY), skills=skills, agent=reader, name="reports"
    )
    assert found.rung == "loaded"


HOUSE = (
    "Always end a report with the line of the house.",
    "The line of the house stands in capitals, on a line of its own.",
    "Never write a report of more than four hundred words.",
)
LONG = "# Reports\n\n" + "\n".join(HOUSE) + "\nDo it.\n"


def shown(command, output, *skills, **more):
    event = call(does="shell", tool="sh", command=command, **more)
    skills = skills or (skill("reports", body=LONG), skill("greeting", body="# Hi\n"))
    events = (event, answer(output=output))
    return {each.skill: each for each in climb(trace_of(*events), skills, reader)}


def test_a_body_is_known_by_its_text_however_it_was_printed():
    found = shown("python3 peek.py", f"--- {LONG}")
    assert (found["reports"].rung, found["greeting"].rung) == ("loaded", "none")
    numbered = "".join(f"{n}\t{line}\n" for n, line in enumerate(LONG.splitlines(), 1))
    assert shown("python3 peek.py", numbered)["reports"].rung == "loaded"
    backwards = "\n".join(reversed(LONG.splitlines()))
    assert shown("python3 peek.py", backwards)["reports"].rung == "none"


@pytest.mark.parametrize(
    "command",
    [
        "cat CONTRIBUTING.md",
        "rg -n line .",
        "grep -rn line .agents/skills",
        "cat CONTRIBUTING.md .agents/skills/other/SKILL.md",
        "cd .agents/skills/other && cat SKILL.md CONTRIBUTING.md",
        "cd reports && cat CONTRIBUTING.md",
        "cat docs/reports.md skills/reports-2/README.md",
    ],
)
def test_a_line_that_a_skill_shares_with_another_file_loads_nothing(command):
    assert shown(command, f"# Contributing\n{HOUSE[1]}\nThanks\n")["reports"].rung == "none"
    two = f"# Contributing\n{HOUSE[0]}\n{HOUSE[1]}\n"
    assert shown(command, two)["reports"].rung == "none"
    # All of a body of which there is little, too: a README may hold as much.
    short = skill("reports", description="Writes reports.", body=f"{HOUSE[0]}\nDo it.\n")
    text = f"Writes reports.\n{HOUSE[0]}\nDo it.\n"
    assert shown(command, text, short)["reports"].rung == "none"


@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("sed -n 4p .agents/skills/reports/SKILL.md; false", {}),
        ("S=.agents/skills/reports; sed -n 4p $S/*", {}),
        ("find . -name SKILL.md -exec sed -n 4p {} +", {}),
        ("find . -name SKILL.md -exec sed -n 4p {} +", {"input": {"cwd": "/w/work"}}),
        ("grep -r -m9 --include SKILL.md '' .", {"input": {"cwd": "/w/work"}}),
        ("for f in */*/*/SKILL.md; do sed -n 4p $f; done", {}),
        ("cd .agents/skills; python3 -c 'print(open(\"reports/SKILL.md\").read())'", {}),
        ("cd .agents && grep -rh '' skills/reports", {}),
        ("cd .agents/skills/reports && python3 /tmp/peek.py *", {}),
        ("python3 - <<E\nfor p in Path('.agents/skills/reports').iterdir(): print(p)\nE", {}),
        ("sed -n 4p SKILL.md", {}),
        ("python3 peek.py", {"input": {"workdir": "/w/.agents/skills/reports"}}),
    ],
)
def test_a_line_shows_a_body_where_the_command_has_to_do_with_its_folder(command, more):
    found = shown(command, f"{HOUSE[1]}\n", **more)["reports"]
    assert (found.rung, found.lines) == ("loaded", (1, 2))


def test_a_path_that_only_ends_alike_is_not_the_skill():
    event = call(does="read", tool="Read", paths=("/w/myconfigurator/SKILL.md", "/w/SKILL.md"))
    assert climbed(event, answer(), agent=reader).rung == "none"


LOAD = (call(skill="configurator"), answer())


@pytest.mark.parametrize(
    "event",
    [
        call(5, does="read", tool="Read", paths=("/x/configurator/templates/config.json",)),
        call(5, does="shell", command="cat .claude/skills/configurator/templates/config.json"),
        call(5, does="shell", command="cat $SKILL_DIR/templates/config.json SKILLS"),
        call(5, does="resource", skill="configurator", paths=("templates/config.json",)),
        call(5, does="resource", skill="cat:configurator", paths=("./templates/config.json",)),
    ],
)
def test_a_bundled_file_that_was_read_is_the_next_rung(event):
    found = climbed(*LOAD, event, answer(6, 5))
    assert (found.rung, found.resources) == ("read", ("templates/config.json",))
    assert found.lines == (1, 2, 5, 6)
    assert climbed(*LOAD, event, answer(6, 5, failed=True)).rung == "loaded"


PLAY = "The first words of the play are these.\nThen comes the second line of it.\n"
WORDS = "heill\nok sæll\nvertu velkomin heim\n"
TABLE = "code,name\n" + "".join(f"{n},the name of number {n}\n" for n in range(100, 140))


@pytest.fixture
def furnished(tmp_path):
    folder = tmp_path / "skills" / "furnished"
    (folder / "refs").mkdir(parents=True)
    (folder / "SKILL.md").write_text(f"---\nname: furnished\n---\n{LONG}")
    for name, text in (("play.md", PLAY), ("words.md", WORDS), ("table.csv", TABLE)):
        (folder / "refs" / name).write_text(text)
    (folder / "refs" / "long.md").write_text(f"{LONG}And one line more than all of that.\n")
    (folder / "run.py").write_text('"""Run it, and it will tell of itself."""\nprint(__doc__)\n')
    (folder / "refs" / "version").write_text("1.0\n")
    (folder / "image.bin").write_bytes(b"\0" * 99)
    return read_skill(folder)


def read_in(skill, command, output, failed=False):
    event = call(does="shell", tool="sh", command=command)
    events = (event, answer(output=output, failed=failed))
    return climbed(*events, skills=(skill,), agent=reader, name=skill.name).resources


@pytest.mark.parametrize(
    ("command", "output", "read"),
    [
        ("cat {}/refs/table.csv | head -3; false", TABLE[:60], ["table.csv"]),
        ("cat {}/refs/words.md nosuch", WORDS, ["words.md"]),
        ("cat {}/refs/version nosuch", "1.0\ncat: nosuch: No such file", ["version"]),
        ("cat {}/refs/version nosuch", "cat: line 1.0: No such file", []),
        ("grep -rh . {}; false", "1.0\n", []),
        ("cat {}/refs/words.md nosuch", "cat: words.md: no such file", []),
        ("cat {}/refs/play.md {}/refs/words.md", f"cat: play.md\n{WORDS}", ["words.md"]),
        ("for f in {}/refs/*.md; do cat $f; done; false", PLAY + WORDS, ["play.md", "words.md"]),
        ("find {} -type f -exec cat {{}} +; false", TABLE + WORDS, ["table.csv", "words.md"]),
        ("find {} -type f | xargs head -5; false", TABLE[:99], []),
        ("grep -rh play {}; false", PLAY[:38], []),
        ("cd {} && find . -type f -exec cat {{}} +; false", WORDS, ["words.md"]),
        ("find . -type f -exec cat {{}} +; false", WORDS, []),
        ("cat {}/SKILL.md; false", LONG, []),
        ("python3 {}/run.py", "Run it, and it will tell of itself.\n" + PLAY, []),
    ],
)
def test_a_bundled_file_was_read_where_what_was_printed_shows_it(furnished, command, output, read):
    command = command.format(*[".agents/skills/furnished"] * 2)
    found = read_in(furnished, command, output, failed=True)
    assert sorted(found) == sorted(f"refs/{name}" for name in read)


@pytest.mark.parametrize(
    "command",
    [
        'S="$PWD/.agents/skills/furnished"; cat "$S/image.bin"',
        'for f in .agents/skills/furnished/*.bin; do cat "$f"; done',
        "for n in image; do cat .agents/skills/furnished/$n.bin; done",
        "D=.agents/skills; cd $D/furnished && cat $(pwd)/image.bin",
    ],
)
def test_a_bundled_file_is_found_through_the_variables_of_the_line(furnished, command):
    assert read_in(furnished, command, "") == ("image.bin",)
    assert read_in(furnished, command, "", failed=True) == ()


def test_a_bundled_file_read_without_loading_is_noted_and_no_rung():
    event = call(5, does="read", tool="Read", paths=("/x/configurator/templates/config.json",))
    found = climbed(event, answer(6, 5))
    assert (found.rung, found.resources) == ("none", ("templates/config.json",))


@pytest.mark.parametrize("failed", [True, False])
def test_a_bundled_script_that_ran_is_above_a_read(failed):
    command = "cd /x/configurator && python3 scripts/make.py --now"
    found = climbed(*LOAD, call(5, does="shell", command=command), answer(6, 5, failed=failed))
    assert (found.rung, found.scripts) == ("ran", ("scripts/make.py",))


def test_what_the_model_was_shown_is_the_first_rung():
    offers = (Offer(skill="configurator", offered="cut"), Offer(skill="greeting", offered="name"))
    assert climbed(catalogue=offers).rung == "offered"
    assert climbed(catalogue=offers).offered == "cut"
    assert climbed(catalogue=offers, name="status").offered == "missing"
    assert climbed(catalogue=offers, name="status").rung == "none"
    assert climbed().offered == "unknown"


def test_an_offer_in_the_session_counts_too():
    found = climbed(Offer(line=3, skill="configurator", offered="full"))
    assert (found.rung, found.lines) == ("offered", (3,))


def test_a_sign_in_the_prompt_puts_a_skill_in_where_the_agent_says_so():
    agent = replace(reader, loads_by=("shell-read", "injected"))
    said = Message(line=1, text="ok")
    assert climbed(said, agent=agent, prompts=("use $configurator, please",)).how == "injected"
    assert climbed(said, agent=agent, prompts=("/configurator",)).rung == "none"


def test_a_resource_of_a_skill_that_is_not_on_offer_is_still_seen():
    found = evidence("03", skills=())["configurator"]
    assert (found.rung, found.resources) == ("read", ("templates/config.json",))


def test_usage_and_ends_touch_no_skill():
    assert climbed(Usage(line=1)).rung == "none"


def test_rungs_are_in_order():
    assert RUNGS.index("asked") < RUNGS.index("denied") < RUNGS.index("loaded") < RUNGS.index("ran")


def told(*lines):
    raw = ((number, json.dumps(line).encode()) for number, line in enumerate(lines, 1))
    trace = read_trace(claude, raw)
    assert trace.unread_count == 0
    return {each.skill: each for each in climb(trace, SKILLS, claude)}


def uses(id_, tool, sub=None, **given):
    block = {"type": "tool_use", "id": id_, "name": tool, "input": given}
    return {"type": "assistant", "message": {"content": [block]}, "parent_tool_use_id": sub}


def gets(id_, text, sub=None, *, failed=False):
    block = {"type": "tool_result", "tool_use_id": id_, "content": text, "is_error": failed}
    return {"type": "user", "message": {"content": [block]}, "parent_tool_use_id": sub}


def test_an_id_that_comes_again_pairs_each_call_with_the_result_behind_it():
    found = told(
        gets("a", "of something before"),
        uses("a", "Skill", skill="greeting"),
        gets("a", "Unknown skill", failed=True),
        uses("a", "Skill", skill="tooled"),
        gets("a", "Launching skill: tooled"),
        uses("a", "Skill", skill="status"),
    )
    rungs = {
        name: (found[name].rung, found[name].lines) for name in ("greeting", "tooled", "status")
    }
    assert rungs == {
        "greeting": ("asked", (2, 3)),
        "tooled": ("loaded", (4, 5)),
        "status": ("asked", (6,)),
    }


def test_a_forked_skill_is_loaded_when_it_comes_back():
    found = told(
        uses("a", "Skill", skill="greeting"),
        {"type": "system", "subtype": "task_started", "tool_use_id": "a"},
        {"type": "user", "message": {"content": "# Greeting"}, "parent_tool_use_id": "a"},
        uses("b", "Bash", sub="a", command="ls"),
        gets("b", "x", sub="a"),
        {"type": "system", "subtype": "task_notification", "tool_use_id": "a"},
        gets("a", 'Skill "greeting" completed (forked execution).\n\nResult:\nAhoy'),
    )
    assert (found["greeting"].rung, found["greeting"].lines) == ("loaded", (1, 7))


def test_a_skill_that_needed_permission_is_denied():
    refused = "Execute skill: tooled"
    event = {"type": "system", "subtype": "permission_denied", "tool_use_id": "a"}
    found = told(
        uses("a", "Skill", skill="tooled"),
        {**event, "tool_name": "Skill", "message": refused},
        gets("a", refused, failed=True),
    )
    assert (found["tooled"].rung, found["tooled"].lines) == ("denied", (1, 2, 3))
