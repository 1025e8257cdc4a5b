"""For people: one file that shows the whole run, with nothing to load and nothing to execute.

In: a Summary, Records, and Inputs, which know prompts and descriptions. Out: an HTML page.
Must not know: files other than its own template and style.
"""

from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from audition.counted import counted, say_seconds
from audition.model import Inputs, Json, Record, Skill, Value
from audition.report import words
from audition.report.arms import say_arm
from audition.report.conclusion import conclude
from audition.report.escape import one_line, visible
from audition.report.estimates import estimate_tables, matrix_columns, unreachable
from audition.report.gated import say_gates
from audition.report.lifts import say_lifts
from audition.report.spreads import TOOK, say_took
from audition.summary.figures import Summary, has_failed, is_open
from audition.summary.funnel import Funnel
from audition.verdict import CellVerdict

if TYPE_CHECKING:
    from jinja2 import Environment

CAP = 100
"""Failing trials shown per skill."""
ROWS = 60
"""Rows of a table; summary.json has them all."""
OPEN = "inconclusive"
WORST_FIRST = ("fail", "invalid", "pass", OPEN)
LADDER = ("offered", "asked", "loaded", "read", "ran", "followed")


class Links(Value, frozen=True, kw_only=True):
    """Where a page that is served leads to; a page that stands alone leads nowhere."""

    home: str = ""
    all_trials: str = ""
    trial: Callable[[Record], str] | None = None


def write_html(
    summary: Summary,
    records: Iterable[Record],
    inputs: Inputs | None = None,
    links: Links = Links(),  # noqa: B008 - frozen
    sessions: Sequence[Mapping[str, Json]] = (),
) -> str:
    """The page. Without `inputs` it names no prompt and no description."""
    skills = {each.name: each for each in inputs.skills.values()} if inputs else {}
    return fill(
        "page.html.jinja",
        summary=summary,
        verdict=_verdict(summary),
        conclusion=conclude(summary),
        groups=words.gather_troubles(records, summary, CAP),
        skills=skills,
        cases={each.id: each.case for each in inputs.plan} if inputs else {},
        program=f"audition {inputs.audition}" if inputs and inputs.audition else "audition",
        cells=sorted((each for each in summary.cells if each.verdict != OPEN), key=_by_verdict),
        open_cells=sorted(
            (each for each in summary.cells if each.verdict == OPEN), key=_by_verdict
        ),
        gates=list(say_gates(summary)),
        lifts=list(say_lifts(summary)),
        home=links.home,
        all_trials=links.all_trials,
        link=links.trial,
        sessions=sessions,
        columns=matrix_columns(summary),
        tables=list(estimate_tables(summary, skills)),
    )


def fill(template: str, **words_: Json) -> str:
    """A template of this folder, or of another room that was added, with the common style."""
    environment, style = page_environment()
    return environment.get_template(template).render(
        style=style,
        style_hash=b64encode(sha256(style.encode()).digest()).decode(),
        cap=ROWS,
        **words_,
    )


def _by_verdict(each: CellVerdict) -> tuple[int, str, str, bool]:
    return (
        WORST_FIRST.index(each.verdict),
        each.skill or "",
        say_arm(each),
        not each.positives,
    )


def _verdict(summary: Summary) -> str:
    totals = summary.totals
    if has_failed(summary):
        return "fail"
    return "pass" if totals.passed and not is_open(summary) else "invalid"


def climb_down(funnel: Funnel, skill: Skill | None) -> list[tuple[str, int | None]]:
    """How many reached each rung; None for one that the skill has nothing for."""
    idle = unreachable(skill)
    return [(rung, getattr(funnel, rung) or (None if rung in idle else 0)) for rung in LADDER]


def _show(value: Json) -> Json:
    from markupsafe import Markup

    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def page_environment() -> tuple["Environment", str]:
    """What fills templates, and the style; other rooms may hold templates of their own."""
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
        {name: getattr(words, name) for name in dir(words) if name.startswith("say_")}
        | {"say_seconds": say_seconds},
        counted=counted,
        say_took=say_took,
        took=TOOK,
        climb_down=climb_down,
    )
    environment.filters["one_line"] = one_line
    return environment, (here / "page.css").read_text("utf-8")
