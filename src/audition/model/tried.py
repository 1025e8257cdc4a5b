"""What is tried: skills, cases, suites and the trials made of them."""

from typing import Literal

import msgspec

from audition.model.conduct import Rule
from audition.model.value import Finding, Json, Value


class Skill(Value, frozen=True, kw_only=True):
    """One skill folder, as read from disk."""

    name: str
    description: str = ""
    when_to_use: str = ""
    """Claude Code shows it behind the description, and cuts both as one."""
    path: str
    """The folder that holds SKILL.md."""
    plugin: str = ""
    """The plug-in that it is a part of, whose name goes before its own; empty for none."""
    argument_hint: str = ""
    digest: str = ""
    """Over every file of the folder: names, bytes, which may be run."""
    body: str = ""
    """SKILL.md behind the front matter, the first 64 KiB."""
    resources: tuple[str, ...] = ()
    """Files beside SKILL.md, relative, sorted."""
    marks: tuple[tuple[str, ...], ...] = ()
    """For each of them pieces by which it is known where it is printed; none for what is no text."""
    model_invocable: bool = True
    user_invocable: bool = True
    problems: tuple[Finding, ...] = ()

    @property
    def folder(self) -> str:
        """The name of the folder, by which some agents call the skill."""
        return self.path.rstrip("/").rsplit("/", 1)[-1]


class CheckSpec(Value, frozen=True, kw_only=True):
    """A check as a case asks for it: its name and its arguments."""

    name: str
    arguments: dict[str, Json] = {}


class Criterion(Value, frozen=True, kw_only=True):
    """One yes-or-no question of a rubric, for the judge."""

    id: str
    question: str
    applies_when: str = ""
    severity: Literal["must", "should"] = "must"
    evidence: str = ""


class Case(Value, frozen=True, kw_only=True):
    """One prompt and what is expected of it."""

    id: str
    prompt: str
    then: tuple[str, ...] = ()
    """Later turns of the same session."""
    skill: str | None = None
    any_of: tuple[str, ...] = ()
    should_trigger: bool = True
    """False with a skill: that skill must stay quiet. False without: all must."""
    checks: tuple[CheckSpec, ...] = ()
    process: tuple[Rule, ...] = ()
    """How the session must go."""
    rubric: tuple[Criterion, ...] = ()
    fixture: str | None = None
    """A folder, absolute, whose contents are copied into the workspace."""
    files: dict[str, str] = {}
    """Single files beside the fixture: where in the workspace, and the original, absolute."""
    timeout_s: float | None = None
    trials: int | None = None
    tags: tuple[str, ...] = ()
    settings: dict[str, Json] = {}
    """Wishes to the agent: max_turns, allowed_tools, sandbox …"""
    env: dict[str, str] = {}
    judge: bool | None = None
    file: str = ""
    line: int = 1

    @property
    def expected(self) -> tuple[str, ...]:
        """The skills of which one should be called; none for a negative."""
        if not self.should_trigger:
            return ()
        return self.any_of or ((self.skill,) if self.skill else ())

    @property
    def begins_with(self) -> str | None:
        """What its workspace holds at first, as one key: fixture and files; None for nothing."""
        if not self.files:
            return self.fixture
        files = msgspec.json.encode(self.files, order="sorted").decode()
        return f"{self.fixture or ''}\n{files}"

    @property
    def node(self) -> str:
        """How the command line names this case: `path::id`."""
        return f"{self.file}::{self.id}"

    @property
    def prompts(self) -> tuple[str, ...]:
        """What the user says, turn by turn."""
        return (self.prompt, *self.then)


class Suite(Value, frozen=True, kw_only=True):
    """The cases of one file, and the skills they are tried with."""

    file: str
    format: str = "yaml"
    policy: str = "default"
    skills: tuple[Skill, ...] = ()
    cases: tuple[Case, ...] = ()
    target: dict[str, float] = {}
    """The rate that is good enough, by side: `positives`, `negatives`."""
    unacceptable: dict[str, float] = {}
    """The rate that is not acceptable any more, by side."""
    losses: tuple[Finding, ...] = ()
    """What an import dropped, defaulted or reinterpreted; unknown keys."""


class Trial(Value, frozen=True, kw_only=True):
    """One case for one agent with one delivery, once."""

    id: str
    """`skill/case/agent+delivery/n`."""
    place: str
    """Where it is kept below the run, made of slugs."""
    index: int
    """Its place in the plan."""
    case: Case
    agent: str
    delivery: str
    model: str | None
    number: int
    skills: tuple[str, ...]
    """Keys of the skills on offer, see `Inputs.skills`."""
    policy: str = "default"
    timeout_s: float = 300.0
    ineligible: str = ""
    """Why this arm cannot run this case; empty where it can."""
    variant: str = ""
    """Which baseline it belongs to; empty for the skills on trial themselves."""
