"""`audition init`: a first case file for a skill.

In: a skill's path or name. Out: `cases.yaml` here, and the schema for editors beside it.
Must not know: agents, how cases are run.
"""

import json
import os
import re
from pathlib import Path

import click

from audition.commands.options import option
from audition.errors import UsageError, unknown
from audition.model import Skill
from audition.report.escape import one_line
from audition.skills import find_skills

FILE = Path("cases.yaml")
SCHEMA = Path(".audition/cases.schema.json")

SUITE = """\
# yaml-language-server: $schema={schema}
# Cases for the skill {name}. What each key means: docs/case-file.md, or `audition schema`.

skills:
  - {folder}

defaults:
  skill: {name}
{quiet}
cases:
  # Explicit: {explicit_why}
  - id: {slug}-explicit
    prompt: {explicit}

  # Implicit: {implicit_why}
  - id: {slug}-implicit
    prompt: {implicit}
{implicit_quiet}
  # Near miss: shares words with the description, and asks for something else.
  # REPLACE IT: you know best what users ask that this skill must stay out of.
  - id: {slug}-near-miss
    prompt: {near_miss}
    should_trigger: false
"""
QUIET = "    should_trigger: false\n"
FOR_ALL = {
    "quiet": "",
    "explicit_why": "the user names the skill. If this fails, the skill is not delivered at all.",
    "implicit_why": """the user wants what the skill is for, and does not know that it exists.
  # It is made from the description, which makes it too easy: say it as a user would.""",
    "implicit_quiet": "",
}
FOR_USERS = FOR_ALL | {
    "explicit_why": """the user calls the skill, which only a user may: the skill sets
  # `disable-model-invocation`. If this fails, the skill is not delivered at all.""",
    "implicit_why": """the user wants what the skill is for, and the model must leave it alone.
  # It is made from the description: say it as a user would.""",
    "implicit_quiet": QUIET,
}
FOR_NOBODY = FOR_ALL | {
    "quiet": """\
  # `disable-model-invocation` is set, and no user can call it: it must stay quiet.
  should_trigger: false
""",
    "explicit_why": "the user names the skill.",
}
DULL = frozenset(
    re.findall(
        r"\w+",
        "about after also been does each from have help helps into just like make makes more most"
        " must only other over same should skill some such than that their them then there these"
        " they this through used user users uses using wants what when where whether which will"
        " with would your",
    )
)


@click.command()
@click.argument("skill", required=False)
@option("--force", is_flag=True, help=f"Replace a `{FILE}` that is there.")
def init(skill: str | None, force: bool) -> None:
    """Write a first case file for SKILL: a folder, or the name of a skill that is here.

    It holds an explicit, an implicit and a near-miss case, to be put into your words.

    \b
    Examples:
      audition init skills/greeting
      audition init greeting --force
    """
    chosen = _choose(skill)
    if FILE.exists() and not force:
        raise UsageError(f"`{FILE}` is there already", "`--force` replaces it")
    from audition.cases.schema import case_schema

    try:
        SCHEMA.parent.mkdir(exist_ok=True)
        SCHEMA.write_text(json.dumps(case_schema(), indent=2) + "\n", "utf-8")
        FILE.write_text(first_cases(chosen, os.path.relpath(chosen.path)), "utf-8")
    except OSError as error:
        raise UsageError(f"`{error.filename}` cannot be written: {error.strerror}") from error
    click.echo(f"wrote {FILE}, and {SCHEMA} for your editor", err=True)
    click.echo(f"\nhint: put the prompts into your words, then `audition run {FILE}`", err=True)


def _choose(words: str | None) -> Skill:
    if words and os.path.exists(words):
        found = find_skills([Path(words)])
        itself = os.path.abspath(words).removesuffix("/SKILL.md")
        found = tuple(each for each in found if each.path == itself) or found
        if not found:
            raise UsageError(f"no SKILL.md below `{words}`", "name a folder that has one")
    else:
        found = find_skills() or find_skills([Path()])
        if words and not any(each.name == words for each in found):
            raise unknown("skill", words, [each.name for each in found])
        found = tuple(each for each in found if each.name == words) if words else found
    if not found:
        raise UsageError("no skills here", "name the folder of one: `audition init FOLDER`")
    if len(found) > 1:
        shown = ", ".join(f"`{os.path.relpath(each.path)}`" for each in found[:12])
        raise UsageError(f"{len(found)} skills are here: {shown}", "name one of them")
    return found[0]


def first_cases(skill: Skill, folder: str) -> str:
    """The text of a first case file."""
    words = list(dict.fromkeys(re.findall(r"[^\W\d_]{4,}", skill.description.lower())))
    word = next((each for each in words if each not in DULL), skill.name)
    near_miss = (
        f"Which language does the word “{one_line(word, 40)}” come from,"
        " and in which century was it first written down? Answer in one sentence."
    )
    # What is called by `/name` is one word.
    by_user = skill.user_invocable and re.fullmatch(r"[\w.:-]*\w", skill.name)
    ways = FOR_ALL if skill.model_invocable else FOR_USERS if by_user else FOR_NOBODY
    calls = f"/{skill.name}" if ways is FOR_USERS else f"Use the {one_line(skill.name)} skill:"
    return SUITE.format(
        schema=SCHEMA,
        name=_quoted(skill.name),
        folder=_quoted(folder),
        slug=re.sub(r"[^a-z0-9]+", "-", skill.name.lower()).strip("-")[:60] or "skill",
        explicit=_quoted(f"{calls} {_wish(skill)}"),
        implicit=_quoted(_wish(skill)),
        near_miss=_quoted(near_miss),
        **ways,
    )


def _wish(skill: Skill) -> str:
    """What a user may want of it: the occasion its description names, or its first sentence."""
    text = one_line(skill.description, 400)
    occasion = re.search(r"\b[Uu]se (?:\w+ ){0,3}when(?:ever)? (?:the |a )?(.+?)(?:\.|$)", text)
    wish = occasion[1] if occasion else re.split(r"(?<=[.!?])\s", text)[0]
    wish = re.sub(
        r"^(?:users?|somebody|someone) (?:wants|asks|needs) (?:you )?(?:to|for) ", "", wish
    )
    return f"Please help me with this: {wish.strip().rstrip('.')}."


def _quoted(text: str) -> str:
    """A double-quoted scalar; what YAML does not allow raw is escaped."""
    shown = json.dumps(text, ensure_ascii=False)
    return "".join(each if each.isprintable() else f"\\U{ord(each):08X}" for each in shown)
