"""skilljack-mcp's `tasks/*.json`: one prompt, the skill it expects, a text of the answer.

In: the path of a task. Out: a Suite of one case, graded as skilljack does.
Must not know: how cases are run.
"""

import re
from pathlib import Path

from audition.case_file import CaseFormat
from audition.cases.given import Ledger
from audition.cases.imported import ask, contains, make_suite, no_skill
from audition.cases.marked_json import read_json
from audition.cases.mounted import mounted_skills, skills_above
from audition.model import Case, CheckSpec, Suite

CONTENT = re.compile(rb'"evalConfig"\s*:\s*\{')
PLACES = ("../skills", "skills")


def claims(path: Path, head: bytes) -> bool:
    """JSON with an object `evalConfig`."""
    return path.suffix.lower() == ".json" and CONTENT.search(head) is not None


def read(path: Path) -> Suite:
    """Read one task; every skill of the folder is on offer, as there."""
    ledger = Ledger(read_json(path))
    skills = mounted_skills(path, PLACES) or skills_above(path)
    case = _case(path, ledger)
    return make_suite(
        ledger,
        format="skilljack",
        policy="skilljack",
        cases=[case] if case else [],
        skills=skills,
    )


def _case(path: Path, ledger: Ledger) -> Case | None:
    root = ledger.root
    prompt = ask(root, "prompt")
    if prompt is None:
        return None
    wanted = root.child("evalConfig")
    skill = wanted.text("expectedSkillName")
    checks: tuple[CheckSpec, ...] = ()
    if "expectedOutput" in wanted:
        checks += contains(wanted.at("expectedOutput"), wanted.text("expectedOutput"))
    if wanted.flag("expectResourceLoad"):
        checks += (CheckSpec(name="resource_read"),)
        words = "by a tool `skill-resource`, as there; `--policy default` takes any read"
        wanted.at("expectResourceLoad").say(words, "note")
    settings = {}
    if "systemPrompt" in root:
        settings["append_system_prompt"] = root.text("systemPrompt")
        words = "is put behind the system prompt in every delivery; over MCP it replaced it there"
        root.at("systemPrompt").say(words, "note")
    quiet = no_skill(skill)
    if quiet:
        wanted.ledger.say(root.node, "names no expected skill: read as a negative case")
    if wanted.flag("shouldNotActivate"):
        # Proposed for it, and not read by it so far: a positive would say the opposite.
        quiet = True
        wanted.at("shouldNotActivate").say("read as a negative case")
    return Case(
        id=path.stem,
        prompt=prompt,
        skill=None if no_skill(skill) else skill,
        should_trigger=not quiet,
        checks=checks,
        settings=settings,
        line=1,
    )


skilljack = CaseFormat(name="skilljack", claims=claims, read=read)
