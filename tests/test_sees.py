"""What the real agents show their models, as `audition sees` tells it."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "real"))
from living import House, need

from audition.agents.claude.budget import tell_budget


@pytest.fixture
def house(tmp_path):
    need("claude")
    return House(tmp_path)


def see(house, *words):
    done = house.start("sees", "skills", "--output-format", "json", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def offers(cell):
    return {each["skill"]: each["offered"] for each in cell["skills"]}


def test_a_small_window_shows_only_some_and_says_which(house):
    wide, narrow = see(house, "-m", "sonnet", "-m", "claude-haiku-4-5", "--with", "60")
    assert (wide["agent"], wide["delivery"], wide["model"]) == ("claude", "native", "sonnet")
    assert wide["budget_chars"] == 40_000
    assert set(offers(wide).values()) == {"full"}
    assert narrow["budget_chars"] == 8_000
    assert set(offers(narrow).values()) == {"full", "name"}
    assert len(wide["skills"]) == 62


def test_the_json_is_what_is_promised_and_nothing_else(house):
    only = "---\nname: mine\ndescription: For me.\ndisable-model-invocation: true\n---\nx\n"
    mine = house.project / "skills" / "mine" / "SKILL.md"
    mine.parent.mkdir()
    mine.write_text(only)
    (cell,) = see(house)
    assert [*cell] == ["agent", "version", "model", "delivery", "budget_chars", "skills"]
    assert cell["version"].startswith("2.")
    assert cell["skills"][0] == {
        "skill": "farewell", "offered": "full", "shown_chars": 26, "of_chars": 26
    }  # fmt: skip
    assert offers(cell)["mine"] == "missing"
    assert "missing: only the user may call it" in house.start("sees", "skills").stdout


def test_a_server_that_does_not_come_up_is_told_and_is_no_table(house):
    house.configure("[mcp]\ncommand = ['sh', '-c', 'exit 3']\n")
    done = house.start("sees", "skills", "-d", "mcp", "--output-format", "json")
    assert done.returncode == 2
    assert json.loads(done.stdout)[0]["skills"] == []
    assert "error: claude+mcp sonnet: MCP server `skills`" in done.stderr


def test_a_delivery_that_the_agent_does_not_take_is_told_and_is_no_table(house):
    need("kimi")
    ways = ("-a", "kimi", "-a", "claude", "-d", "mcp")
    done = house.start("sees", "skills", *ways, "--output-format", "json")
    assert done.returncode == 2
    cannot, can = json.loads(done.stdout)
    assert (cannot["agent"], cannot["skills"]) == ("kimi", [])
    assert set(offers(can).values()) == {"full"}
    assert "kimi+mcp: kimi does not take the delivery `mcp` (it takes native," in done.stderr


def test_whoever_stands_in_a_skill_sees_that_skill(house):
    house.project = house.project / "skills" / "greeting"
    assert "greeting" in house.start("sees").stdout


def test_a_long_description_is_cut_and_the_character_is_named(house):
    long = "x" * 1400 + " " + "word " * 60
    skill = house.project / "skills" / "greeting" / "SKILL.md"
    skill.write_text(f"---\nname: greeting\ndescription: {long.strip()}\n---\nSALVE\n")
    (cell,) = see(house)
    (greeting,) = [each for each in cell["skills"] if each["skill"] == "greeting"]
    assert greeting["offered"] == "cut"
    assert 1500 < greeting["shown_chars"] < 1536 < greeting["of_chars"] == len(long.strip())
    said = house.start("sees", "skills").stdout
    assert f"cut after {greeting['shown_chars']} of {greeting['of_chars']} characters" in said


def test_a_long_list_over_mcp_loses_its_end(house):
    (cell,) = see(house, "-d", "mcp", "--with", "60")
    assert cell["budget_chars"] == 4096
    assert {"full", "cut", "missing"} <= set(offers(cell).values())


def test_tags_half_emojis_and_when_to_use_are_no_loss(house):
    heads = {
        "tags": "description: Makes <name>.md -> and <b>more</b> (file: x/SKILL.md)",
        "smiles": f"description: {'😀' * 1000}",
        "when": f"description: {'d' * 1000}\nwhen_to_use: {'w' * 1000}",
        "nothing": "license: MIT",
    }
    for name, head in heads.items():
        skill = house.project / "skills" / name / "SKILL.md"
        skill.parent.mkdir()
        skill.write_text(f"---\nname: {name}\n{head}\n---\n# A heading\n\nAnd words.\n")
    (cell,) = see(house)
    told = {each["skill"]: each for each in cell["skills"]}
    assert (told["tags"]["offered"], told["nothing"]["offered"]) == ("full", "full")
    # JavaScript counts an emoji twice, and cuts the 768th in half.
    assert (told["smiles"]["offered"], told["smiles"]["shown_chars"]) == ("cut", 767)
    when = told["when"]
    assert (when["offered"], when["shown_chars"], when["of_chars"]) == ("cut", 1535, 2003)


def test_a_positive_whose_skill_is_not_shown_is_flagged_in_the_report(house):
    # A short description would still fit into what the others leave of the room.
    about = "How to greet a person by name, at any time and in every place. " * 6
    skill = house.project / "skills" / "greeting" / "SKILL.md"
    skill.write_text(f"---\nname: greeting\ndescription: {about}\n---\nSALVE\n")
    for n in range(60):
        folder = house.project / "skills" / f"a{n:02}"
        folder.mkdir()
        about = "Helps with something that nobody needs and takes its room. " * 6
        (folder / "SKILL.md").write_text(f"---\nname: a{n:02}\ndescription: {about}\n---\nx\n")
    case = {"id": "a", "prompt": "Greet.", "skill": "greeting"}
    found = house.run([case], {"a": ["Hello."]}, "-a", "claude", "-m", "claude-haiku-4-5")["a"]
    assert found["status"] == "fail"
    said = " ".join(house.done.stdout.split())
    assert "greeting was shown by its name only on claude+native claude-haiku-4-5" in said
    assert "no wording can mend what is not shown" in said
    told = json.loads((house.folder / "summary.json").read_text())["invisible"]
    assert [(each["skill"], each["offered"]) for each in told] == [("greeting", "name")]


def test_what_asks_no_model_shows_none_anything(house):
    done = house.start("sees", "skills", "-a", "understudy")
    assert done.returncode == 2
    assert "asks no model" in done.stderr


def test_agents_are_tried_out_without_a_key(house):
    (house.project / "audition.toml").write_text("fsync = false\n")
    done = house.start("agents", "claude", "understudy", "--probe", "--output-format", "json")
    assert done.returncode == 0, done.stderr
    told = {each["name"]: each for each in json.loads(done.stdout)}
    assert told["claude"]["probe"] == "works", told["claude"]
    assert told["claude"]["sign_in"] == "by ~/.claude/.credentials.json"
    assert told["understudy"]["probe"] is None
    assert len(told) == 2


def test_an_agent_that_is_asked_for_by_name_must_be_here(house):
    house.configure("[agents.gone]\nlike = 'claude'\ncommand = ['no-such-program']\n")
    done = house.start("agents", "gone")
    assert (done.returncode, "`no-such-program`, is not here" in done.stdout) == (1, True)
    assert "did you mean `claude`?" in house.start("agents", "cluade").stderr


def test_an_embedded_agent_that_wants_a_rate_is_here(house):
    done = house.start("agents", "coin")
    assert (done.returncode, "not here" in done.stdout) == (0, False)
    assert "wants a rate: `coin:0.8`" in done.stdout


@pytest.mark.parametrize(
    ("delivery", "raw", "chars"),
    [
        ("native", b'{"modelUsage":{"m":{"contextWindow":200000}}}', 8000),
        ("native", b'{"modelUsage":[]}\nnot json "modelUsage"', None),
        ("mcp", b"", 4096),
        ("none", b'{"modelUsage":{"m":{"contextWindow":200000}}}', None),
    ],
)
def test_the_room_for_the_listing_follows_from_the_window(delivery, raw, chars):
    assert tell_budget(delivery, raw) == chars
