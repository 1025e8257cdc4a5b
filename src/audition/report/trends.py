"""Scores over time as one line for each skill and arm, and as a badge.

In: Rates, the oldest first. Out: lines, JSON, SVG. Must not know: files, the screen, the index.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Protocol

from audition.model import Json
from audition.report.arms import Arm
from audition.report.escape import for_xml, one_line
from audition.stats import wilson

BARS = "▁▂▃▄▅▆▇█"
LONGEST = 40
"""The newest runs that a line shows."""
CHAR = 6.6
"""About the width of a letter of the badge, in pixels."""


class Score(Arm, Protocol):
    """One skill in one arm of one run."""

    @property
    def run_id(self) -> str: ...  # noqa: D102
    @property
    def skill(self) -> str | None: ...  # noqa: D102
    @property
    def skill_digest(self) -> str: ...  # noqa: D102
    @property
    def agent_version(self) -> str: ...  # noqa: D102
    @property
    def positives_passed(self) -> int: ...  # noqa: D102
    @property
    def positives_of(self) -> int: ...  # noqa: D102
    @property
    def negatives_passed(self) -> int: ...  # noqa: D102
    @property
    def negatives_of(self) -> int: ...  # noqa: D102


def trend_lines(scores: Iterable[Score]) -> Iterable[str]:
    """A sparkline for each skill and arm of several runs; `|` stands before another version."""
    series: dict[tuple[str, str, str, str], list[Score]] = {}
    for each in scores:
        key = (each.skill or "-", each.agent, each.delivery, each.model or "")
        series.setdefault(key, []).append(each)
    for (skill, agent, delivery, model), found in sorted(series.items()):
        known = [each for each in found if _count(each)[1]][-LONGEST:]
        if len(known) > 1:
            arm = f"{agent}+{delivery}" + (f"+{model}" if model else "")
            yield f"{one_line(f'{skill} on {arm}')}  {_spark(known)}  {_ends(known)}"
            yield from (f"  | {one_line(words)}" for words in _versions(known))


def _count(score: Score) -> tuple[int, int]:
    passed = score.positives_passed + score.negatives_passed
    return passed, score.positives_of + score.negatives_of


def _rate(score: Score) -> float:
    passed, of = _count(score)
    return passed / of


def _spark(scores: Sequence[Score]) -> str:
    marks = []
    for before, score in zip([scores[0], *scores], scores, strict=False):
        marks.append("|" * (_version(before) != _version(score)))
        marks.append(BARS[min(len(BARS) - 1, int(_rate(score) * len(BARS)))])
    return "".join(marks)


def _ends(scores: Sequence[Score]) -> str:
    return f"{_rate(scores[0]):.0%} → {_rate(scores[-1]):.0%}"


def _version(score: Score) -> tuple[str, str]:
    return score.skill_digest, score.agent_version


def _versions(scores: Sequence[Score]) -> Iterable[str]:
    for before, score in pairwise(scores):
        told = []
        if before.skill_digest != score.skill_digest:
            told.append(f"skill {before.skill_digest[:10]} → {score.skill_digest[:10]}")
        if before.agent_version != score.agent_version:
            told.append(f"agent {before.agent_version or '?'} → {score.agent_version or '?'}")
        if told:
            yield f"{score.run_id}: {', '.join(told)}"


def make_badge(scores: Sequence[Score], label: str) -> dict[str, Json]:
    """The newest run as an endpoint badge; its colour goes by what is sure, not by the rate."""
    newest = [each for each in scores if each.run_id == scores[-1].run_id] if scores else []
    passed, of = (sum(column) for column in zip((0, 0), *map(_count, newest), strict=True))
    bounds = wilson(passed, of)
    if bounds is None:
        message, color = "unknown", "lightgrey"
    else:
        message = f"{passed / of:.0%} of {of}"
        color = "brightgreen" if bounds[0] >= 0.8 else "yellow" if bounds[0] >= 0.5 else "red"
    return {"schemaVersion": 1, "label": one_line(label), "message": message, "color": color}


def draw_badge(badge: dict[str, Json]) -> str:
    """The badge as an SVG of its own: no font, no script, nothing from elsewhere."""
    colors = {"brightgreen": "#2e8b3d", "yellow": "#a07000", "red": "#b3312c"}
    left, right = (CHAR * len(str(badge[name])) + 12 for name in ("label", "message"))
    label, message = for_xml(str(badge["label"])), for_xml(str(badge["message"]))
    fill, whole = colors.get(str(badge["color"]), "#707070"), left + right
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole:.0f}" height="20" role="img" '
        f'aria-label="{label}: {message}"><title>{label}: {message}</title>'
        f'<rect width="{left:.0f}" height="20" fill="#444"/>'
        f'<rect x="{left:.0f}" width="{right:.0f}" height="20" fill="{fill}"/>'
        '<g fill="#fff" font-family="Verdana,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{left / 2:.1f}" y="14">{label}</text>'
        f'<text x="{left + right / 2:.1f}" y="14">{message}</text></g></svg>\n'
    )
