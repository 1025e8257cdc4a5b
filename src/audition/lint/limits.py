"""Rules on what single agents make of a skill: SK6xx, with the table they follow.

In: a SkillFolder, or all of them. Out: findings. Each figure names the version it was seen
in and the day, since the next version may differ. Must not know: how agents are driven.
"""

import os
import re
from collections.abc import Iterator, Sequence

from audition.front_matter import AT_LOAD
from audition.lint.folder import SkillFolder
from audition.lint.rule import rule
from audition.model import Finding, Value

Findings = Iterator[Finding]


class Limit(Value, frozen=True, kw_only=True):
    """One figure of one agent."""

    agent: str
    version: str
    seen: str
    """When it was looked at, or what it was read from."""
    figure: int


CLAUDE_ENTRY = Limit(agent="Claude Code", version="2.1.327", seen="2026-11", figure=1536)
"""Characters of description and when_to_use in the listing; the rest is cut."""
CODEX_ENTRY = Limit(agent="Codex", version="0.169.0", seen="2026-11", figure=1024)
"""Characters of the description in the listing; the rest is cut."""
CODEX_LISTING = Limit(agent="Codex", version="0.169.0", seen="2026-11", figure=8000)
"""Characters of the whole listing where the model's window is not known; else 2 % of it."""
CLAUDE_LISTINGS = (
    ("200k", Limit(agent="Claude Code", version="2.1.327", seen="2026-11", figure=8000)),
    ("1M", Limit(agent="Claude Code", version="2.1.327", seen="2026-11", figure=40000)),
)
"""Characters of the whole listing, by context window: about 1 % of its tokens, times four."""
LIMITS = (
    ("one entry: description and `when_to_use`", CLAUDE_ENTRY),
    ("one entry: description", CODEX_ENTRY),
    *((f"the listing with a window of {window}", limit) for window, limit in CLAUDE_LISTINGS),
    ("the listing with an unknown window", CODEX_LISTING),
)
"""The whole table, for the documentation."""
DROPPED = 60
"""With fewer characters an entry there is room for the name and the path only."""
IMPLICIT = re.compile(r"^\s*allow_implicit_invocation\s*:\s*false\s*$", re.MULTILINE)


def _version(limit: Limit) -> str:
    return f"{limit.agent} {limit.version}"


@rule("SK601", "warning")
def cut_by_claude(skill: SkillFolder) -> Findings:
    """Claude Code cuts the description and `when_to_use` in its listing.

    It shows 1,536 characters of the two together (2.1.327, seen 2026-11). The model does
    not see the rest before it has chosen.

    Bad:
        a description of 1,000 characters, and when_to_use of 900
    Good:
        a description of 300 characters
    """
    more = skill.value("when_to_use")
    length = len(skill.description) + (len(more) + 3 if more else 0)
    if length > CLAUDE_ENTRY.figure:
        words = f"{_version(CLAUDE_ENTRY)} shows {CLAUDE_ENTRY.figure:,} of {length:,} characters"
        at = skill.where("when_to_use" if more else "description")
        yield skill.say(words, "put what matters first, and shorten the rest", at)


@rule("SK602", "warning")
def cut_by_codex(skill: SkillFolder) -> Findings:
    """Codex cuts the description in its listing.

    It shows 1,024 characters (0.169.0, seen 2026-11).

    Bad:
        a description of 1,200 characters
    Good:
        a description of 300 characters
    """
    length = len(skill.description)
    if length > CODEX_ENTRY.figure:
        words = f"{_version(CODEX_ENTRY)} shows {CODEX_ENTRY.figure:,} of {length:,} characters"
        hint = "put what matters first, and shorten the rest"
        yield skill.say(words, hint, skill.where("description"))


def _entry_sizes(skills: Sequence[SkillFolder]) -> list[int]:
    listed = sorted((each for each in skills if each.said.model_invocable), key=lambda s: s.folder)
    return [
        len(each.folder) + 4 + min(len(each.description), CLAUDE_ENTRY.figure) for each in listed
    ]


def _fitting(sizes: Sequence[int], budget: int) -> int:
    total = 0
    for count, size in enumerate(sizes):
        total += size
        if total > budget:
            return count
    return len(sizes)


@rule("SK603", "note", over="skills")
def over_budget(skills: tuple[SkillFolder, ...]) -> Findings:
    """Together the descriptions are more than an agent lists.

    Claude Code gives its listing about 1 % of the context window, and names the rest
    without descriptions (2.1.327, seen 2026-11); what comes with it shares that room.
    Codex shortens all descriptions evenly, then drops them (0.169.0). A skill without
    its description is hardly ever called. This counts all the skills that were linted, as
    if they were installed together.

    Bad:
        50 skills with descriptions of 500 characters
    Good:
        50 skills with descriptions of 100 characters
    """
    sizes = _entry_sizes(skills)
    parts = [
        f"{_fitting(sizes, limit.figure)} with a window of {window}"
        for window, limit in CLAUDE_LISTINGS
        if sum(sizes) > limit.figure
    ]
    if not parts:
        return
    words = f"of {len(sizes)} descriptions {_version(CLAUDE_ENTRY)} shows about {', '.join(parts)}"
    if sum(sizes) > CODEX_LISTING.figure:
        each = CODEX_LISTING.figure // len(sizes)
        does = f"cuts each to about {each} characters" if each >= DROPPED else "drops them all"
        words += f"; {_version(CODEX_LISTING)} {does}"
    yield skills[0].say(words, "shorten the descriptions, or install fewer skills together")


@rule("SK604", "note")
def codex_ignores_the_flag(skill: SkillFolder) -> Findings:
    """Codex ignores `disable-model-invocation`.

    It offers the skill to the model all the same (0.169.0, seen 2026-11). What it obeys
    is `policy: {allow_implicit_invocation: false}` in `agents/openai.yaml`.

    Bad:
        ---
        name: pdf-tables
        description: Copies tables out of PDF files. Use when the user has a PDF.
        disable-model-invocation: true
        ---
    Good:
        ---
        name: pdf-tables
        description: Copies tables out of PDF files. Use when the user has a PDF.
        ---
    """
    if not skill.said.model_invocable and not IMPLICIT.search(
        skill.texts.get("agents/openai.yaml", "")
    ):
        hint = "add agents/openai.yaml with `policy:` and `allow_implicit_invocation: false`"
        words = f"{CODEX_ENTRY.agent} ignores `disable-model-invocation`"
        yield skill.say(words, hint, skill.where("disable-model-invocation"))


@rule("SK605", "warning")
def nested(skill: SkillFolder) -> Findings:
    """Claude Code does not find a nested skill.

    It looks at `skills/NAME/SKILL.md` and no deeper (2.1.327, seen 2026-11); Codex does.

    Bad:
        .claude/skills/pdf/tables/SKILL.md
    Good:
        .claude/skills/pdf-tables/SKILL.md
    """
    path = skill.path.replace(os.sep, "/")
    _, _, below = path.rpartition("/.claude/skills/")
    in_another = not path.rpartition("/")[0].endswith("/skills") and os.path.isfile(
        os.path.join(os.path.dirname(skill.path), "SKILL.md")
    )
    if in_another or ("/.claude/skills/" in path and "/" in below):
        words = f"{_version(CLAUDE_ENTRY)} does not find a skill at this depth"
        yield skill.say(words, "move it right below `skills/`")


@rule("SK606", "warning")
def shell_at_load(skill: SkillFolder) -> Findings:
    """The body holds a command that Claude Code runs when the skill is loaded.

    A span of code behind `!` is run before the model sees anything, and its output is
    put in its place (2.1.327, seen 2026-11). Other agents show it as it is.

    Bad:
        The branch is !`git branch --show-current`.
    Good:
        Find the branch by `git branch --show-current`.
    """
    if "!`" not in skill.text:
        return
    for found in AT_LOAD.finditer(skill.text, skill.body_start):
        words = f"{CLAUDE_ENTRY.agent} runs `{found[0][2:-1][:60]}` when the skill is loaded"
        yield skill.say(words, "let the agent run it", skill.spot(found.start()))


@rule("SK607", "note")
def needs_permission(skill: SkillFolder) -> Findings:
    """With `allowed-tools`, Claude Code asks before it loads the skill.

    In headless runs (`claude -p`) nobody answers, and the call is denied unless `Skill` is
    allowed (2.1.327, seen 2026-11).

    Bad:
        ---
        name: pdf-tables
        description: Copies tables out of PDF files. Use when the user has a PDF.
        allowed-tools: Read
        ---
    Good:
        ---
        name: pdf-tables
        description: Copies tables out of PDF files. Use when the user has a PDF.
        ---
    """
    if "allowed-tools" in skill.fields:
        words = f"headless, {_version(CLAUDE_ENTRY)} denies this skill unless `Skill` is allowed"
        yield skill.say(words, "run it with `--allowedTools Skill`", skill.where("allowed-tools"))


@rule("SK608", "warning")
def linked_folder(skill: SkillFolder) -> Findings:
    """The skill's folder is a symbolic link.

    Claude Code loads the skill, and is denied its bundled files, since they are outside
    of the project (2.1.327, seen 2026-11). Codex does not follow a linked folder of skills.

    Bad:
        .claude/skills/pdf-tables -> ../../shared/pdf-tables
    Good:
        .claude/skills/pdf-tables is a folder
    """
    if os.path.islink(skill.path):
        yield skill.say("the skill's folder is a symbolic link", "put a copy in its place")
