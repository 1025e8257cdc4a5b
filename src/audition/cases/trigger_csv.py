"""A CSV of triggers as OpenAI's guide has it: `id,should_trigger,prompt`.

In: the path of the file. Out: a Suite. Must not know: how cases are run.
"""

from pathlib import Path

from audition.case_file import CaseFormat
from audition.cases.given import Given, Ledger
from audition.cases.imported import ask, make_suite
from audition.cases.marked_csv import header_of, read_csv
from audition.cases.mounted import own_skill
from audition.cases.pkbllm import claims as is_pkbllm
from audition.cases.triggers import skill_name
from audition.model import Case, Suite

NEEDED = {"should_trigger", "prompt"}
YES, NO = {"true", "yes", "1"}, {"false", "no", "0"}


def claims(path: Path, head: bytes) -> bool:
    """CSV with these columns and none of pkbllm's."""
    if path.suffix.lower() != ".csv" or not set(header_of(head)) >= NEEDED:
        return False
    return not is_pkbllm(path, head)


def read(path: Path) -> Suite:
    """Read one file of triggers."""
    ledger = Ledger(read_csv(path))
    skills = own_skill(path)
    name = skill_name(path, ledger.root, skills)
    cases = [_case(each, number, name) for number, each in enumerate(ledger.root.items(), 1)]
    return make_suite(
        ledger, format="trigger-csv", cases=[each for each in cases if each], skills=skills
    )


def _case(given: Given, number: int, skill: str) -> Case | None:
    word = given.text("should_trigger").strip().lower()
    if word not in YES | NO:
        given.say(f"`should_trigger` is `{word}`: the row is dropped")
        return None
    prompt = ask(given, "prompt")
    if prompt is None:
        return None
    return Case(
        id=given.name(f"row-{number}"),
        prompt=prompt,
        skill=given.text("skill").strip() or skill,
        should_trigger=word in YES,
        line=given.line,
    )


trigger_csv = CaseFormat(name="trigger-csv", claims=claims, read=read)
