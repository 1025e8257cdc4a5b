"""For people: one file that shows the whole run, with nothing to load and nothing to execute.

In: a Summary, Records, and Inputs, which know prompts and descriptions. Out: an HTML page.
Must not know: files other than its own template and style.
"""

from base64 import b64encode
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from audition.model import Inputs, Json, Record, Skill
from audition.report import words
from audition.report.escape import one_line, visible
from audition.summary import Funnel, Summary

if TYPE_CHECKING:
    from jinja2 import Environment

CAP = 100
"""Failing trials shown per skill."""
LADDER = ("offered", "asked", "loaded", "read", "ran", "followed")


def write_html(summary: Summary, records: Iterable[Record], inputs: Inputs | None = None) -> str:
    """The page. Without `inputs` it names no prompt and no description."""
    environment, style = _environment()
    skills = {each.name: each for each in inputs.skills.values()} if inputs else {}
    return environment.get_template("page.html.jinja").render(
        summary=summary,
        verdict=_verdict(summary),
        conclusion=words.conclude(summary),
        groups=words.gather_troubles(records, summary, CAP),
        skills=skills,
        cases={each.id: each.case for each in inputs.plan} if inputs else {},
        program=f"audition {inputs.audition}" if inputs and inputs.audition else "audition",
        style=style,
        style_hash=b64encode(sha256(style.encode()).digest()).decode(),
    )


def _verdict(summary: Summary) -> str:
    totals = summary.totals
    if totals.fail:
        return "fail"
    return "pass" if totals.passed and not totals.error else "invalid"


def climb_down(funnel: Funnel, skill: Skill | None) -> list[tuple[str, int | None]]:
    """How many reached each rung; None for one that the skill has nothing for."""
    bundled = skill.resources if skill else ()
    scripts = any(each.startswith("scripts/") for each in bundled)
    has = {"read": bool(bundled), "ran": scripts}
    return [
        (rung, getattr(funnel, rung) if has.get(rung, True) or getattr(funnel, rung) else None)
        for rung in LADDER
    ]


def _show(value: Json) -> Json:
    from markupsafe import Markup

    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _environment() -> tuple["Environment", str]:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    here = Path(__file__).parent
    environment = Environment(
        autoescape=True,
        finalize=_show,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        loader=FunctionLoader(lambda name: (here / name).read_text("utf-8")),
    )
    environment.globals.update(
        {name: getattr(words, name) for name in dir(words) if name.startswith("say_")},
        count=words.count,
        climb_down=climb_down,
    )
    environment.filters["one_line"] = one_line
    return environment, (here / "page.css").read_text("utf-8")
