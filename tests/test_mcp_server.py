"""Our MCP server, asked by the official client over both its roads."""

import socket
import subprocess
import sys
import time

import anyio
import pytest

pytest.importorskip("mcp", reason="no real agent: the extra `mcp` is not installed")
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from audition.mcp_server import describe_tool, load_skill, read_resource, split_off_front
from audition.skills import find_skills

ARGV = ("-I", "-m", "audition.mcp_server")


@pytest.fixture
def folder(tmp_path):
    skill = tmp_path / "skills" / "greeting"
    (skill / "texts").mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: greeting\ndescription: Greets.\n---\nSay SALVE.\n")
    (skill / "texts" / "long.md").write_text("a long text")
    (skill / "picture.bin").write_bytes(b"\0\1")
    (tmp_path / "secret.txt").write_text("SECRET")
    (skill / "link.txt").symlink_to(tmp_path / "secret.txt")
    own = tmp_path / "skills" / "mine"
    own.mkdir()
    (own / "SKILL.md").write_text(
        "---\nname: mine\ndescription: Private.\ndisable-model-invocation: true\n---\nX\n"
    )
    return tmp_path / "skills"


def skills_of(folder):
    return {each.name: each for each in find_skills([folder])}


async def look_around(session):
    await session.initialize()
    tools = {each.name: each for each in (await session.list_tools()).tools}
    body = await session.call_tool("skill", {"name": "greeting"})
    wrong = await session.call_tool("skill", {"name": "greting"})
    file = await session.call_tool("skill-resource", {"skill": "greeting", "path": "texts/long.md"})
    names = await session.call_tool("skill-resource", {"skill": "greeting", "path": ""})
    resources = (await session.list_resources()).resources
    whole = await session.read_resource("skill://greeting/SKILL.md")
    return tools, body, wrong, file, names, resources, whole


def hold(found):
    tools, body, wrong, file, names, resources, whole = found
    assert set(tools) == {"skill", "skill-resource"}
    assert "Available skills:\n- greeting: Greets." in tools["skill"].description
    assert "mine" not in tools["skill"].description, "the model may not call it"
    assert body.content[0].text.startswith("Say SALVE.")
    assert "<file>texts/long.md</file>" in body.content[0].text
    assert getattr(body, "structured_content", None) is None, "plain text, not {result: …}"
    assert wrong.is_error
    assert "did you mean `greeting`?" in wrong.content[0].text
    assert file.content[0].text == "a long text"
    assert "texts/long.md" in names.content[0].text.split("\n")
    assert "skill://greeting/SKILL.md" in {str(each.uri) for each in resources}
    assert whole.contents[0].text.startswith("---\nname: greeting")


def test_a_client_over_stdio_finds_tools_and_resources(folder):
    async def ask():
        server = StdioServerParameters(command=sys.executable, args=[*ARGV, str(folder)])
        async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
            return await look_around(session)

    hold(anyio.run(ask))


def test_a_client_over_http_finds_the_same(folder):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, *ARGV, str(folder), "--http", str(port)]
    server = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    async def ask():
        streams = streamable_http_client(f"http://127.0.0.1:{port}/mcp")
        async with streams as (read, write, *_), ClientSession(read, write) as session:
            return await look_around(session)

    try:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        hold(anyio.run(ask))
    finally:
        server.terminate()
        server.wait(10)


def test_the_wording_is_a_setting_and_never_loses_the_list(folder):
    skills = skills_of(folder)
    assert describe_tool(skills, "Before: {listing} after").endswith("Greets. after")
    assert describe_tool(skills, "Only words.").startswith("Only words.\n\nAvailable skills:")
    assert describe_tool({}).endswith("There are no skills.")


@pytest.mark.parametrize(
    "path", ["../../secret.txt", "/etc/passwd", "link.txt", "texts/../../mine/SKILL.md"]
)
def test_no_path_leads_out_of_the_skill(folder, path):
    with pytest.raises(ValueError, match="leads out"):
        read_resource(skills_of(folder), "greeting", path)


def test_a_resource_that_is_not_there_names_the_nearest(folder):
    with pytest.raises(ValueError, match=r"long\.md"):
        read_resource(skills_of(folder), "greeting", "texts/lnog.md")
    assert read_resource(skills_of(folder), "greeting", "texts") == "texts/long.md"
    assert (
        read_resource(skills_of(folder), "greeting", "picture.bin")
        == "`picture.bin` is no text: 2 bytes."
    )


def test_what_only_the_user_may_call_is_refused(folder):
    with pytest.raises(ValueError, match="only be used by the user"):
        load_skill(skills_of(folder), "mine")
    assert load_skill(skills_of(folder), "plugin:greeting").startswith("Say SALVE.")


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("---\na: b\n---\nbody", "body"),
        ("body", "body"),
        ("\ufeff---\na: b\n---\nx", "x"),
        ("---\nno end", "---\nno end"),
    ],
)
def test_the_front_matter_is_taken_off(text, body):
    assert split_off_front(text) == body
