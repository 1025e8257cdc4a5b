"""A program of its own: serves a folder of skills over MCP, by stdio or HTTP.

In: skill folders, the wording of the listing. Out: the tools `skill` and `skill-resource`, and
a resource `skill://<name>/SKILL.md` for each. Needs the extra `mcp`.
Must not know: trials, agents.

    python -m audition.mcp_server FOLDER... [--wording TEXT] [--http PORT]
"""

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audition.counted import counted
from audition.errors import did_you_mean
from audition.model import Skill
from audition.skills import find_skills

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

NAME = "skills"
WORDING = (
    "Load a skill: instructions for a kind of task. When a task fits one of the skills below, "
    "call this with its name before doing anything else, and do as it says.\n\n{listing}"
)
RESOURCE_WORDING = (
    "Read what is bundled with a skill. `path` is a file or folder inside it; an empty path "
    "lists everything."
)
FILE_CAP = 1024 * 1024
"""A longer file is given up to here."""


def write_listing(skills: Mapping[str, Skill]) -> str:
    """The list of skills as the description of the tool holds it; user-only ones are left out."""
    lines = [
        f"- {name}: {' '.join(skill.description.split())}"
        for name, skill in skills.items()
        if skill.model_invocable
    ]
    return "\n".join(["Available skills:", *lines]) if lines else "There are no skills."


def describe_tool(skills: Mapping[str, Skill], wording: str = "") -> str:
    """The description of the tool `skill`; the list stands where the wording says, or at its end."""
    wording = wording or WORDING
    if "{listing}" not in wording:
        wording = f"{wording}\n\n{{listing}}"
    return wording.replace("{listing}", write_listing(skills))


def load_skill(skills: Mapping[str, Skill], name: str) -> str:
    """The body of a skill, and the names of its files; raises ValueError with words for the model."""
    skill = _find(skills, name)
    if not skill.model_invocable:
        raise ValueError(f"The skill `{name}` may only be used by the user.")
    body = split_off_front(Path(skill.path, "SKILL.md").read_text("utf-8", "replace"))
    if not skill.resources:
        return body
    files = "".join(f"<file>{each}</file>\n" for each in skill.resources)
    return f"{body}\n\n<files>\n{files}</files>\nRead them with the tool `skill-resource`."


def split_off_front(text: str) -> str:
    """What stands below the front matter."""
    text = text.removeprefix("\ufeff")
    if not text.startswith("---"):
        return text.strip()
    _, mark, rest = text.partition("\n---")
    return (rest.partition("\n")[2] if mark else text).strip()


def read_resource(skills: Mapping[str, Skill], name: str, path: str) -> str:
    """A file of a skill, or the names below a folder; raises ValueError for any other path."""
    skill = _find(skills, name)
    root = os.path.realpath(skill.path)
    target = os.path.realpath(os.path.join(root, path))
    if target != root and not target.startswith(f"{root}/"):
        raise ValueError(f"`{path}` leads out of the skill.")
    if os.path.isdir(target):
        below = os.path.relpath(target, root)
        names = [each for each in skill.resources if below == "." or each.startswith(f"{below}/")]
        return "\n".join(names) or "There are no files."
    if not os.path.isfile(target):
        hint = did_you_mean(path, skill.resources)
        raise ValueError(f"The skill `{name}` has no file `{path}`. {hint}".strip())
    with open(target, "rb") as file:
        data = file.read(FILE_CAP)
    if b"\0" in data:
        return f"`{path}` is no text: {counted(os.path.getsize(target), 'byte')}."
    return data.decode("utf-8", "replace")


def _find(skills: Mapping[str, Skill], name: str) -> Skill:
    short = name.rpartition(":")[2]
    for key, skill in skills.items():
        if name in (key, skill.folder) or short in (key, skill.folder):
            return skill
    hint = did_you_mean(name, skills)
    raise ValueError(f"There is no skill `{name}`. {hint}".strip())


def make_server(skills: Mapping[str, Skill], wording: str = "") -> "MCPServer[Any]":
    """The server, ready to run."""
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.server.mcpserver.resources import TextResource

    server: MCPServer[Any] = MCPServer(NAME)

    def skill(name: str) -> str:
        try:
            return load_skill(skills, name)
        except ValueError as error:
            raise ToolError(str(error)) from error

    def skill_resource(skill: str, path: str = "") -> str:
        try:
            return read_resource(skills, skill, path)
        except ValueError as error:
            raise ToolError(str(error)) from error

    # Structured output would wrap the text in {"result": …}, and the model would read that.
    server.add_tool(
        skill, "skill", description=describe_tool(skills, wording), structured_output=False
    )
    server.add_tool(
        skill_resource, "skill-resource", description=RESOURCE_WORDING, structured_output=False
    )
    for name, each in skills.items():
        text = Path(each.path, "SKILL.md").read_text("utf-8", "replace")
        uri = f"skill://{name}/SKILL.md"
        server.add_resource(TextResource(uri=uri, name=name, text=text, mime_type="text/markdown"))
    return server


def main() -> None:
    """Serve until the client goes away."""
    parser = argparse.ArgumentParser(prog="python -m audition.mcp_server", description=__doc__)
    parser.add_argument("folder", nargs="+", type=Path)
    parser.add_argument("--wording", default="", help="what the tool `skill` says it is")
    parser.add_argument("--http", type=int, metavar="PORT", help="listen there instead of stdio")
    given = parser.parse_args()
    skills: dict[str, Skill] = {}
    for each in find_skills(given.folder):
        skills.setdefault(each.name, each)
    server = make_server(skills, given.wording)
    if given.http is None:
        server.run("stdio")
    else:
        server.run("streamable-http", host="127.0.0.1", port=given.http)


if __name__ == "__main__":
    main()
