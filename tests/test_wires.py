"""What the wires find in the requests of real agents: listings, bodies, side requests."""

import json

import pytest

from audition.model import Skill
from audition.provider import Request, compare_listing, wires
from audition.provider.bodies import name_files, unwrap, unwrap_output
from audition.provider.stand_in import reply_to
from audition.provider.wire import Tool
from audition.wires.listing import find_indexed, find_listed
from audition.wires.said import find_cwd, take_said

ROOTS = "### Skill roots\n- `r0` = `/ws/.agents/skills`\n"
WAYS = {
    "claude": (
        (
            "The following skills are available for use with the Skill tool:\n\n"
            "- greet: Says hello.\n- cat:status: Tells how\n  it is.\n- folder (other): Named twice.\n"
            "- bare\n\nToday is a day.\n- not: a skill"
        ),
        [
            ("greet", "Says hello."),
            ("cat:status", "Tells how\n  it is."),
            ("folder", "Named twice."),
            ("bare", ""),
        ],
    ),
    "codex": (
        (
            f"<skills_instructions>\n## Skills\n{ROOTS}### Available skills\n"
            "- greet: Says hello: loud (really). (file: r0/greet/SKILL.md)\n"
            "### How to use skills\n- Discovery: no skill\n</skills_instructions>"
        ),
        [("greet", "Says hello: loud (really).")],
    ),
    "gemini": (
        (
            "<available_skills>\n <skill>\n <name>greet</name>\n <description>Says &lt;hello&gt;."
            "</description>\n <location>/x/greet/SKILL.md</location>\n</skill>\n</available_skills>"
        ),
        [("greet", "Says <hello>.")],
    ),
    "qwen": (
        (
            "<available_skills>\n<skill>\n<name>\ngreet\n</name>\n<description>\nSays hello. (project)\n"
            "</description>\n<location>\nproject\n</location>\n</skill>\n</available_skills>"
        ),
        [("greet", "Says hello.")],
    ),
    "kimi": (
        (
            "DISREGARD any earlier skill listings. Current available skills:\n### Project\n"
            "- greet: Says hello.\n  Path: /ws/.agents/skills/greet/SKILL.md\n### Built-in\n"
            "- docs: Tells...\n  Path: builtin://docs\n\n# Next\n- not: this"
        ),
        [("greet", "Says hello."), ("docs", "Tells...")],
    ),
    "goose": (
        "You have these skills at your disposal:\n• greet - Says hello.\n• two - Second one.\n",
        [("greet", "Says hello."), ("two", "Second one.")],
    ),
    "cline": (
        "Input: `skill`. Available skills: greet, code-style.",
        [("greet", ""), ("code-style", "")],
    ),
    "mcp": (
        "Load a skill's instructions by name. Available skills:\n- greet: Says hello.\n- two: B",
        [("greet", "Says hello."), ("two", "B")],
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_agent_s_listing_is_read_and_by_one_reader_only(way):
    text, expected = WAYS[way]
    assert [(each.name, each.description) for each in find_listed([text], ())] == expected


@pytest.mark.parametrize("way", ["codex", "gemini", "kimi"])
def test_the_path_of_a_listed_skill_is_absolute(way):
    assert find_listed([WAYS[way][0]], ())[0].path.endswith("/greet/SKILL.md")
    assert find_listed([WAYS[way][0]], ())[0].path.startswith("/")


def test_a_listing_in_a_tool_says_which_tool_loads_it():
    tools = [Tool(name="mcp__x__skill", description=WAYS["mcp"][0]), Tool(name="Read")]
    own, *served = find_listed([WAYS["claude"][0]], tools)[::4]
    assert (own.name, own.tool) == ("greet", "")
    assert [(each.name, each.tool) for each in served] == [("greet", "mcp__x__skill")]


def test_ordinary_text_lists_no_skills():
    text = "- one: two\n<skill>x</skill>\nSKILL.md\n• not a skill"
    assert find_listed([text, "", "Available skills: none at all"], ()) == ()


def test_an_index_in_instructions_names_skills_with_their_paths():
    (found,) = find_indexed("Read it first.\n- greet: says hello (.agents/skills/greet/SKILL.md)\n")
    assert (found.name, found.path) == ("greet", ".agents/skills/greet/SKILL.md")


@pytest.mark.parametrize(
    ("shown", "offered", "shown_chars"),
    [
        ("Says hello to all who come.", "full", 27),
        ("Says hello to…", "cut", 13),
        ("Says hello...", "cut", 10),
        ("Says hello to … [truncated]", "cut", 14),
        ("Says hello \ufffd…", "cut", 11),
        ("Says hello to all who com", "cut", 25),
        ("Says hello to all who come. Mind it.", "full", 27),
        ("Says hello to all who (more)", "cut", 22),
        ("Something else", "name", 0),
        ("", "name", 0),
        (None, "missing", 0),
    ],
)
def test_a_listing_tells_how_much_of_a_description_was_shown(shown, offered, shown_chars):
    skill = Skill(name="greet", path="/s/greet", description="Says hello\nto all who come.")
    text = f"Available skills:\n- {'greet' if shown is not None else 'else'}: {shown or ''}"
    (offer,) = compare_listing(find_listed([text], ()), [skill])
    assert (offer.offered, offer.shown_chars, offer.of_chars) == (offered, shown_chars, 27)


def shown_as(text, **fields):
    """How a skill is offered whose entry in Claude Code's listing is this."""
    skill = Skill(name="greet", path="/s/greet", **fields)
    listing = f"skills are available for use with the Skill tool:\n\n- greet: {text}\n"
    (offer,) = compare_listing(find_listed([listing], ()), [skill])
    return offer.offered, offer.shown_chars, offer.of_chars


def test_when_to_use_is_part_of_what_is_shown_and_cut():
    both = {"description": "Says hello.", "when_to_use": "Somebody comes."}
    assert shown_as("Says hello. - Somebody comes.", **both) == ("full", 29, 29)
    assert shown_as("Says hello. - Somebody…", **both) == ("cut", 22, 29)
    assert shown_as("Says hel…", **both) == ("cut", 8, 29)
    assert shown_as("Says hello.", **both) == ("full", 11, 11), "other agents know no such key"


def test_what_claude_code_writes_as_entities_is_the_same_description():
    about = "Makes <name>.md & more -> quickly"
    assert shown_as("Makes &lt;name&gt;.md & more -&gt; quickly", description=about)[0] == "full"
    assert shown_as("Makes &lt;name&gt;.md & m…", description=about) == ("cut", 19, 33)
    assert shown_as("Means &lt; here", description="Means &lt; here")[0] == "full"


def test_a_path_in_a_description_is_part_of_it():
    about = "Reads notes (file: /x/SKILL.md)"
    assert shown_as(about, description=about) == ("full", 31, 31)


def test_the_first_line_stands_for_a_description_that_is_missing():
    body = "# Say hello\n\nFirst paragraph.\n"
    assert shown_as("Say hello", description="First paragraph.", body=body) == ("full", 9, 9)


def test_a_plug_in_s_prefix_and_a_second_name_are_the_same_skill():
    skill = Skill(name="status", path="/s/stat", description="Tells.")
    for name in ("cat:status", "stat (status)", "stat"):
        listed = find_listed([f"Available skills:\n- {name}: Tells."], ())
        assert compare_listing(listed, [skill])[0].offered == "full", name


BODIES = {
    "claude": "Base directory for this skill: /s/greet\n\n# Greet\n\nDo it.",
    "qwen": "Base directory for this skill: /s/greet\nImportant: ALWAYS.\n\n# Greet\n\nDo it.",
    "gemini": '<activated_skill name="greet">\n  <instructions>\n    # Greet\n\nDo it.\n'
    "  </instructions>\n  <available_resources>\n/s/greet/\n</available_resources>\n"
    "</activated_skill>",
    "goose": "# Loaded Skill: greet (skill)\n\n## greet (skill)\n\nSays.\n\n### Content\n\n# Greet\n"
    "\nDo it.\n\n## Supporting Files\n\nSkill directory: /s/greet\n\n- a → load\n\n---\nThis know",
    "cline": "<command-name>greet</command-name>\n<command-instructions>\nDescription: Says.\n\n"
    "# Greet\n\nDo it.\n</command-instructions>",
    "copilot": '<skill-context name="greet">\nBase directory for this skill: /s/greet\n\nRelated '
    "files (use view tool to read):\n  - /s/greet/a/b.md\n\n# Greet\n\nDo it.\n</skill-context>",
    "opencode": '<skill_content name="greet">\n# Greet\n\nDo it.\n\nBase directory for this skill: '
    "file:///s/greet\n\n<skill_files>\n<file>/s/greet/a/b.md</file>\n</skill_files>\n"
    "</skill_content>",
    "codex": "Chunk ID: 1\nProcess exited with code 0\nOutput:\n---\nname: greet\n---\n# Greet\n\nDo it.",
    "code mode": 'Script completed\nWall time 0.1\nOutput:\n\n{"exit_code":0,"output":"---\\nname: a'
    '\\n---\\n# Greet\\n\\nDo it.\\n"}',
    "mcp": '{"result":"---\\nname: greet\\n---\\n# Greet\\n\\nDo it."}',
}


@pytest.mark.parametrize("way", BODIES)
def test_every_agent_s_way_to_hand_over_a_body_is_unwrapped(way):
    body = unwrap(BODIES[way])
    assert body.text == "# Greet\n\nDo it."
    assert body.folder in ("", "/s/greet")
    assert body.files in ((), ("a/b.md",))


@pytest.mark.parametrize(
    "shown",
    [
        "1\tone\n2\t  two\n",
        "     1→one\n     2→  two\n",
        " 1 | one\n 2 |   two\n",
        '{"output":"one\\n  two\\n"}',
        '[{"query":"cat x","result":"one\\n  two\\n","success":true}]',
        "one\n  two\n<shellId: 0 completed with exit code 0>",
        "1\tone\n2\t  two\n<system>2 lines read from file.</system>",
        "one\n  two\n",
    ],
)
def test_what_a_file_holds_is_told_apart_from_what_a_tool_adds(shown):
    assert unwrap_output(shown) == "one\n  two\n"


def test_only_files_that_the_body_means_are_read():
    body = unwrap(
        "See [x](REF.md), references/a.md, `scripts/run.py` and ${resource:t/x.yaml}. Write "
        "out/report.md. Not https://x.org/a/b.html, and/or, ../up/x.md or /abs/y.md.\n\n"
        "```file:out/report.md\nin/side.md\n```\n"
    )
    assert name_files(body) == ("t/x.yaml", "REF.md", "references/a.md", "scripts/run.py")


def test_what_the_user_said_is_told_apart_from_what_the_agent_added():
    def said(text):
        return [(each.role, each.text, each.skill) for each in take_said(text)]

    assert said("Hello") == [("user", "Hello", "")]
    assert said("<info-msg>\nx\n</info-msg>\nHello")[1:] == [("user", "Hello", "")]
    assert said("<environment_context>x</environment_context>")[0][0] == "system"
    assert said("# AGENTS.md instructions for /x\n\nread it")[0][0] == "system"
    slash = "<command-message>greet</command-message>\n<command-name>/greet</command-name>\n"
    assert said(f"{slash}<command-args>Ada</command-args>") == [("user", "/greet Ada", "")]
    put = "<skill>\n<name>greet</name>\n<path>/s/greet/SKILL.md</path>\nBody\n</skill>"
    assert said(put) == [("system", "Body", "greet")]
    assert take_said(put)[0].folder == "/s/greet"


@pytest.mark.parametrize(
    "text",
    [
        " - Primary working directory: /w s\n",
        "<cwd>/w s</cwd>",
        "I'm currently working in the directory: /w s\n",
        "<env>\n  Working directory: /w s\n",
        "- **Workspace Directories:**\n  - /w s\n",
    ],
)
def test_the_working_directory_is_found(text):
    assert find_cwd(["", text]) == "/w s"


EXEC = (
    "Run JavaScript\n\n### `exec_command`\nRuns a command.\n```ts\ndeclare const tools: "
    "{ exec_command(args: {\n  // Such as `a; b: c`.\n  cmd: string;\n  login?: boolean;\n}): "
    "Promise<unknown>; };\n```\n\n### `apply_patch`\nEdits.\n## clock\n### `clock__now`\nTells."
)


def code_mode(*more, prompt="Say hello"):
    tools = [{"type": "custom", "name": "exec", "description": EXEC}]
    space = {"type": "namespace", "name": "functions", "tools": tools}
    listing = {"type": "message", "role": "developer", "content": WAYS["codex"][0]}
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": prompt}]}
    given = [{"type": "additional_tools", "tools": [space]}, listing, said, *more]
    body = json.dumps({"model": "m", "input": given, "stream": True}).encode()
    return wires["responses"].understand(Request(method="POST", path="/responses", body=body))


def test_in_code_mode_a_call_is_a_program_in_the_right_namespace():
    asked = code_mode()
    assert {each.name for each in asked.tools} >= {"exec_command", "apply_patch", "clock__now"}
    raw = b"".join(wires["responses"].answer(reply_to(asked), asked)).decode()
    last = json.loads(raw.strip().rpartition("data: ")[2])["response"]["output"][0]
    assert (last["type"], last["name"], last["namespace"]) == (
        "custom_tool_call",
        "exec",
        "functions",
    )
    assert '{"cmd":"cat /ws/.agents/skills/greet/SKILL.md"}' in last["input"]
    assert last["input"].startswith("const r = await tools.exec_command(")


def test_a_skill_that_was_put_into_the_conversation_is_followed_without_a_call():
    text = "<skill>\n<name>greet</name>\n<path>/s/greet/SKILL.md</path>\n---\nname: greet\n---\nHi!\n</skill>"
    put = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
    assert reply_to(code_mode(put, prompt="Now $greet")).text == "Hi!"


@pytest.mark.parametrize(
    ("name", "body", "side"),
    [
        (
            "chat",
            {"messages": [{"role": "system", "content": "You are a title generator"}]},
            "title",
        ),
        ("chat", {"messages": [{"role": "user", "content": "Generate a short title"}]}, "title"),
        ("chat", {"messages": [{"role": "user", "content": "Hello"}]}, ""),
        ("anthropic", {"max_tokens": 1, "messages": []}, "probe"),
        ("anthropic", {"messages": [{"role": "user", "content": "A title please"}]}, ""),
        ("gemini", {"contents": [{"parts": [{"text": "extract and save memories"}]}]}, "memory"),
    ],
)
def test_a_request_beside_the_conversation_is_known_as_such(name, body, side):
    paths = {
        "chat": "/chat/completions",
        "anthropic": "/messages",
        "gemini": "/models/m:generateContent",
    }
    raw = json.dumps(body).encode()
    assert wires[name].understand(Request(method="POST", path=paths[name], body=raw)).side == side


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("HEAD", "/api/hello"),
        ("POST", "/v1/messages/count_tokens"),
        ("GET", "/v1/models"),
        ("POST", "/v1beta/models/m:countTokens"),
    ],
)
def test_what_needs_no_model_is_answered_aside(method, path):
    (wire,) = (each for each in wires.values() if each.claims(method, path))
    raw = wire.aside(Request(method=method, path=path, body=b"{}"))
    assert raw == b"" if method == "HEAD" else json.loads(raw)
