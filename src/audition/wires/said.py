"""What somebody said, apart from what the agent put around it.

In: a text of a message with the role `user`. Out: parts: the user's own words, the body of a
skill that was put there, or what belongs to the system. Must not know: protocols.
"""

import re

from audition.provider.wire import Said

REMINDER = re.compile(
    r"<(?P<tag>system-reminder|environment_context|user_instructions|INSTRUCTIONS|session_context"
    r"|current_datetime|environment_details|reminder|info-msg|tools_changed_notice)\b[^>]*>"
    r".*?</(?P=tag)>",
    re.DOTALL,
)
COMMAND = re.compile(r"<command-name>/?(.*?)</command-name>", re.DOTALL)
COMMAND_ARGS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
BASE = re.compile(r"Base directory for this skill: (?P<folder>[^\n]+)\n+(?P<body>.*)", re.DOTALL)
SKILL = re.compile(
    r"<skill>\s*<name>(?P<name>.*?)</name>\s*<path>(?P<path>.*?)</path>(?P<body>.*?)</skill>",
    re.DOTALL,
)
PUT = re.compile(
    r"<(?P<tag>skill-context|skill-loaded|activated_skill|skill_content) name=\"(?P<name>[^\"]*)\""
    r"(?P<more>[^>]*)>(?P<body>.*?)</(?P=tag)>",
    re.DOTALL,
)
DIR = re.compile(r'dir="([^"]*)"')
OURS = (
    "# AGENTS.md instructions",
    "<permissions instructions>",
    "<turn_aborted>",
    "[Request interrupted",
)
CWD = (
    re.compile(r"Primary working directory: (.+)"),
    re.compile(r"<cwd>(.+?)</cwd>"),
    re.compile(r"working in the directory: (/.+)"),
    re.compile(r"Workspace Directories:\*\*\n\s*- (/.+)"),
    re.compile(r"(?i)(?:current )?working (?:directory|dir)(?: is)?:? [`*]*(/[^\n`*<]+)"),
)


def take_said(text: str) -> list[Said]:
    """The parts of one text with the role `user`."""
    if match := SKILL.search(text):
        folder = match["path"].strip().rpartition("/")[0]
        name = match["name"].strip()
        return [Said(role="system", text=match["body"].strip(), skill=name, folder=folder)]
    if match := PUT.search(text):
        folder = DIR.search(match["more"])
        return [
            Said(
                role="system",
                text=match["body"].strip(),
                skill=match["name"],
                folder=folder[1] if folder else "",
            )
        ]
    if match := COMMAND.search(text):
        arguments = COMMAND_ARGS.search(text)
        said = f"/{match[1].strip()} {arguments[1].strip() if arguments else ''}".strip()
        rest = text[max(match.end(), arguments.end() if arguments else 0) :]
        return [Said(role="user", text=said), *take_base(rest, match[1].strip())]
    if found := take_base(text):
        return found
    if text.lstrip().startswith(OURS):
        return [Said(role="system", text=text)]
    around = "".join(each[0] for each in REMINDER.finditer(text))
    own = REMINDER.sub("", text).strip()
    parts = [Said(role="system", text=around)] if around else []
    return [*parts, Said(role="user", text=own)] if own else parts


def take_base(text: str, name: str = "") -> list[Said]:
    """The body of a skill as Claude Code puts it into the conversation."""
    match = BASE.match(text.strip())
    if not match:
        return []
    folder = match["folder"].strip()
    skill = name or folder.rstrip("/").rpartition("/")[2]
    return [Said(role="system", text=match["body"], skill=skill, folder=folder)]


def find_cwd(texts: list[str]) -> str:
    """The working directory that an agent tells its model."""
    for pattern in CWD:
        for text in texts:
            if match := pattern.search(text):
                return match[1].strip()
    return ""
