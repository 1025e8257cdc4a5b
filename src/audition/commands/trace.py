"""`audition trace`: what a recorded session holds, read without running anything.

In: a file of raw lines, or standard input. Out: its events and evidence, as text or JSON.
Must not know: runs, cases, policies.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import click
import msgspec

from audition.agent import (
    LINE_CAP,
    Agent,
    agents,
    count_commands,
    find_agent,
    make_trace,
    read_events,
    read_with_beside,
)
from audition.called import bare
from audition.cases.process import read_rules
from audition.commands.options import option, output_format
from audition.conduct import judge_conduct
from audition.counted import counted, numbered
from audition.errors import AuditionError, BadFile, UnknownName, UsageError, did_you_mean
from audition.evidence import climb
from audition.model import Commands, Evidence, Json, Rule, Ruling, Skill, Spent, Trace
from audition.session_text import shorten, steps_of, usage_in_words, visible, visible_word
from audition.shell import is_look_around
from audition.skills import find_skills
from audition.trace_file import Cut, numbered_lines

SNIFFED = 50


@click.command()
@click.argument("file", type=click.Path(path_type=str))
@option("--agent", "agent_name", required=True, metavar="NAME", help="The agent that printed it.")
@option(
    "--skills",
    "folders",
    multiple=True,
    metavar="DIR",
    type=click.Path(path_type=str),
    help="Where the skills are that were on offer; may be repeated.",
)
@option(
    "--beside",
    "beside",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=str),
    help="What the agent left beside its output (Codex: its rollout); may be repeated.",
)
@option("--prompt", default="", metavar="TEXT", help="The prompt, which may name a skill.")
@option(
    "--rules",
    "rules_file",
    metavar="FILE",
    type=click.Path(path_type=str),
    help="Process rules to judge the session by.",
)
@output_format("text", "json")
def trace(
    file: str,
    agent_name: str,
    folders: tuple[str, ...],
    beside: tuple[str, ...],
    output_format: str,
    **given: str | None,
) -> None:
    """Read a recorded session: what was said and done, and what became of each skill.

    FILE is what the agent printed in its JSON mode; `-` is standard input. Without
    --skills a skill is known by the name it was called by, or by the folder of the SKILL.md
    that was read.

    \b
    Examples:
      audition trace session.jsonl --agent claude
      audition trace session.jsonl --agent claude --skills .claude/skills --output-format json
      audition trace session.jsonl --agent codex --beside rollout.jsonl
      audition trace session.jsonl --agent claude --rules process.yaml
      claude -p "hello" --output-format stream-json --verbose | audition trace - --agent claude
    """
    agent = _reader(agent_name)
    rules_file = given["rules_file"]
    rules = _rules(rules_file)
    skills = _skills(folders)
    found = _read(file, agent, beside)
    evidence = climb(found, skills, agent, prompts=(given["prompt"] or "",))
    # Without --skills, those that the session itself shows to be skills.
    files = [f"{each.path}/SKILL.md" for each in skills] or [
        f"{bare(each.skill)}/SKILL.md" for each in evidence
    ]
    commands = count_commands(found, lambda call: not is_look_around(call.command, files))
    rulings = judge_conduct(rules, found)
    if output_format == "json":
        told = as_json(found, evidence, commands)
        if rules_file is not None:
            told["rules"] = rulings
        click.echo(msgspec.json.format(msgspec.json.encode(told)))
    else:
        click.echo("\n".join((*as_text(found, evidence, commands), *map(_ruling, rulings))))


def as_json(trace: Trace, evidence: tuple[Evidence, ...], commands: Commands) -> dict[str, Json]:
    """The contract of `--output-format json`."""
    usage = trace.usage
    spent = usage and Spent(
        input_tokens=usage.input_tokens,
        cached_input_tokens=usage.cached_input_tokens,
        output_tokens=usage.output_tokens,
        dollars=usage.dollars,
    )
    return {
        "agent": trace.agent,
        "events": trace.events,
        "skills": evidence,
        "end": {"status": trace.end.status, "reason": trace.end.reason},
        "usage": spent,
        "answer": trace.answer,
        "turns": trace.turns,
        "commands": commands,
        "unread": trace.unread_count,
        "truncated": trace.truncated,
    }


def as_text(trace: Trace, evidence: tuple[Evidence, ...], commands: Commands) -> Iterator[str]:
    """The session as a person reads it, with evidence marked at its lines."""
    for step in steps_of(trace, evidence):
        yield f"{step.line:>5} {step.head}" + "".join(f"  ◀ {mark}" for mark in step.marks)
        if step.body:
            yield from (f"        {line}" for line in visible(shorten(step.body)).splitlines())
    yield ""
    for each in evidence:
        yield f"skill {visible_word(each.skill)}: {_fate(each)}"
    reason = f": {visible_word(trace.end.reason)}" if trace.end.reason else ""
    yield f"end: {trace.end.status}{reason}"
    yield f"usage: {usage_in_words(trace.usage)}"
    yield f"turns: {'unknown' if trace.turns is None else trace.turns}"
    yield f"commands: {commands.total}, of which {commands.effective} did more than look around"
    if trace.unread_count:
        yield f"unread: {counted(trace.unread_count, 'line')}, the first is {trace.unread[0]}"
    if trace.truncated:
        yield "cut: a line was longer than is read"


def _ruling(each: Ruling) -> str:
    lines = f" ({numbered('line', each.lines)})" if each.lines else ""
    reason = f": {visible_word(each.reason)}" if each.reason else ""
    return f"rule {visible_word(each.id)}: {each.result}{reason}{lines}"


def _rules(file: str | None) -> tuple[Rule, ...]:
    if file is None:
        return ()
    path = Path(file)
    if not path.is_file():
        raise UsageError(f"--rules: no file `{file}`", _near(path))
    rules, odd = read_rules(path)
    for each in odd:
        hint = f"\n  hint: {each.hint}" if each.hint else ""
        click.echo(f"{each.path}:{each.line}:{each.column}: {each.message}{hint}", err=True)
    return rules


def _fate(each: Evidence) -> str:
    words: list[str] = [each.rung if each.rung != "none" else "not asked for"]
    if each.routes:
        words.append("by " + ", ".join(each.routes))
    if each.noodled:
        words.append("SKILL.md was read another way (noodling)")
    if each.resources:
        words.append("read " + ", ".join(map(visible_word, each.resources)))
    if each.scripts:
        words.append("ran " + ", ".join(map(visible_word, each.scripts)))
    if each.lines:
        words.append("lines " + ", ".join(map(str, each.lines)))
    return "; ".join(words)


def _skills(folders: tuple[str, ...]) -> tuple[Skill, ...]:
    if not folders:
        return ()
    for folder in folders:
        if not Path(folder).exists():
            raise UsageError(f"--skills: no folder `{folder}`", _near(Path(folder)))
    found = find_skills([Path(folder) for folder in folders])
    if not found:
        raise UsageError(
            f"no SKILL.md below {', '.join(f'`{each}`' for each in folders)}",
            "name the folder that holds the skills, or leave --skills out",
        )
    return found


def _near(path: Path) -> str:
    parent = path.parent
    return (
        did_you_mean(path.name, (each.name for each in parent.iterdir())) if parent.is_dir() else ""
    )


def _read(file: str, agent: Agent, beside: tuple[str, ...]) -> Trace:
    for name in (file, *beside):
        path = Path(name)
        # A pipe is read as well: `audition trace <(zcat session.gz)`.
        if name != "-" and (path.is_dir() or not path.exists()):
            what = "is a folder" if path.is_dir() else "is not there"
            raise UsageError(f"`{name}` {what}", "name a file" if path.is_dir() else _near(path))
    if beside and agent.read_beside is None:
        raise UsageError(f"--beside: agent `{agent.name}` leaves nothing beside its output")
    cut, seen = Cut(), _Seen()
    try:
        source = sys.stdin.buffer if file == "-" else Path(file)
        lines = seen.pass_on(numbered_lines(source, cut, LINE_CAP))
        more = [numbered_lines(Path(each), cut, LINE_CAP) for each in beside]
        events, unread = read_with_beside(agent, lines, more)
    except OSError as error:
        raise BadFile(f"`{file}` cannot be read: {error.strerror}") from error
    if not events and not seen.lines:
        # An agent that fell over at its first step prints nothing: a session without an end.
        click.echo(f"note: `{file}` is empty", err=True)
    elif len(unread) == seen.lines and not seen.is_half_a_line():
        raise BadFile(
            f"`{file}` is no session of `{agent.name}`: nothing is understood",
            _who_understands(seen.first, agent),
        )
    return make_trace(agent, events, unread, truncated=cut.happened)


class _Seen:
    """The first lines that went by, and how many there were."""

    def __init__(self) -> None:
        self.lines = 0
        self.first: list[tuple[int, bytes]] = []

    def pass_on(self, lines: Iterator[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
        for number, raw in lines:
            if raw and not raw.isspace():
                self.lines += 1
                if len(self.first) < SNIFFED:
                    self.first.append((number, raw))
            yield number, raw

    def is_half_a_line(self) -> bool:
        """Whether this is all that a session left that was cut off within its first line."""
        return self.lines == 1 and self.first[0][1].startswith(b"{") and not _ends(self.first[0][1])


def _ends(raw: bytes) -> bool:
    return raw.rstrip().endswith(b"}") or raw.endswith(b"\n")


def _reader(name: str) -> Agent:
    """The agent to read by; one that is made with a command, such as `acp`, reads without it."""
    try:
        return find_agent(name)
    except UnknownName:
        raise
    except UsageError:
        if ":" in name:
            raise
        return msgspec.structs.replace(find_agent(f"{name}:{name}"), name=name)


def _who_understands(lines: list[tuple[int, bytes]], agent: Agent) -> str:
    """The other agents that can read these lines, as a hint."""
    found: list[tuple[int, str]] = []
    for name in agents:
        try:
            other = _reader(name)
        except (AuditionError, TypeError, ValueError):
            continue  # broken, or made with an argument
        events, unread = read_events(other, lines) if name != agent.name else ([], [])
        if events and len(unread) * 2 < len(lines):
            found.append((len(unread), name))
    names = " or ".join(f"`--agent {name}`" for _, name in sorted(found))
    return (
        f"try {names}" if names else "no agent here understands it; is it the agent's JSON output?"
    )
