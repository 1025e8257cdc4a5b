"""Cases for skills that have none: one that names the skill, one that needs it, one that does not.

In: skills. Out: a Suite a skill. They show that a skill is reached at all, and no more: the
second pastes the description, which makes it easy.
Must not know: where the skills come from.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from audition.cases.pkbllm import root_of
from audition.model import Case, CheckSpec, Finding, Skill, Suite

SECONDS = (180.0, 180.0, 120.0)


def generate_cases(skill: Skill, file: str = "", schema: str = "") -> tuple[Case, ...]:
    """An explicit, an implicit and a negative case; with pkbllm's schema, to its answer's shape."""
    about = " ".join(skill.description.split())
    prompts = {
        "explicit": f"Use the {skill.name} skill to do what it is for: {about}",
        "implicit": f"Please help me with this task: {about}",
        "negative": "Create the file UNRELATED.txt with the word unrelated in it.",
    }
    return tuple(
        Case(
            id=f"smoke-{kind}",
            prompt=prompt,
            skill=skill.name,
            should_trigger=kind != "negative",
            tags=(kind, "generated"),
            timeout_s=seconds,
            checks=(CheckSpec(name="max_commands", arguments={"count": 0}),) if schema else (),
            settings={"sandbox": "read-only", **({"output_schema": schema} if schema else {})},
            file=file,
        )
        for (kind, prompt), seconds in zip(prompts.items(), SECONDS, strict=True)
    )


def suites_for(
    skills: Iterable[Skill], policy: str, beside: Sequence[Suite] = ()
) -> tuple[Suite, ...]:
    """A suite for each skill; the skills of the suites beside it are on offer too."""
    skills = tuple(skills)
    offered = {each.path: each for suite in beside for each in suite.skills}
    offered |= {each.path: each for each in skills}
    schema = next(filter(None, map(_schema, beside)), "")
    made = []
    for skill in skills:
        file = f"{skill.path}/SKILL.md"
        env = next((suite.cases[0].env for suite in beside if suite.cases), {})
        cases = tuple(
            msgspec.structs.replace(each, env=env) for each in generate_cases(skill, file, schema)
        )
        words = f"no cases for `{skill.name}`: {len(cases)} are generated"
        note = Finding(path=file, message=words, rule="import", severity="note")
        made.append(
            Suite(
                file=file,
                format="generated",
                policy=policy,
                skills=tuple(offered.values()),
                cases=cases,
                losses=(note,),
            )
        )
    return tuple(made)


def _schema(suite: Suite) -> str:
    """The schema of a report on the skills invoked: as a case of the suite names it, or near it."""
    schemas = [str(case.settings.get("output_schema") or "") for case in suite.cases]
    schemas += map(str, sorted((root_of(Path(suite.file)) / "evals").rglob("skill_response*.json")))
    return next((each for each in schemas if "skill_response" in each), "")
