"""Scores over time as a line for each skill, arm and side, and as a badge.

Called where it should be, and quiet where it should not: the two sides, never mixed.

In: Rates, the oldest first. Out: lines, JSON, SVG. Must not know: files, the screen, the index.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Protocol

from audition.model import Json
from audition.report.arms import Arm
from audition.report.escape import for_xml, one_line
from audition.report.words import say_rate
from audition.summary.figures import Share, share

SIDES = ("called", "quiet")
"""Positives in a word, and negatives."""
GOOD = 0.8
"""A side that surely has this rate is good, one that surely has not is bad."""
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
    """A sparkline for each side of each skill and arm; `|` stands before another version."""
    series: dict[tuple[str, str, str, str], list[Score]] = {}
    for each in scores:
        key = (each.skill or "-", each.agent, each.delivery, each.model or "")
        series.setdefault(key, []).append(each)
    for (skill, agent, delivery, model), found in sorted(series.items()):
        arm = f"{agent}+{delivery}" + (f"+{model}" if model else "")
        told: dict[str, Score] = {}
        for side in SIDES:
            known = [each for each in found if _share(each, side).of][-LONGEST:]
            if len(known) > 1:
                name = one_line(f"{skill} on {arm}, {side}")
                yield f"{name}  {_spark(known, side)}  {_ends(known, side)}"
                told |= {each.run_id: each for each in known}
        shown = [each for each in found if each.run_id in told]
        yield from (f"  | {one_line(words)}" for words in _versions(shown))


def _share(score: Score, side: str) -> Share:
    if side == "called":
        return share(score.positives_passed, score.positives_of)
    return share(score.negatives_passed, score.negatives_of)


def _spark(scores: Sequence[Score], side: str) -> str:
    marks = []
    for before, score in zip([scores[0], *scores], scores, strict=False):
        marks.append("|" * (_version(before) != _version(score)))
        marks.append(BARS[min(len(BARS) - 1, int((_share(score, side).rate or 0) * len(BARS)))])
    return "".join(marks)


def _ends(scores: Sequence[Score], side: str) -> str:
    return f"{say_rate(_share(scores[0], side))} → {say_rate(_share(scores[-1], side))}"


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
    """The newest run as an endpoint badge: `8/9 called, 3/3 quiet`."""
    newest = [each for each in scores if each.run_id == scores[-1].run_id] if scores else []
    sides = {side: _sum(_share(each, side) for each in newest) for side in SIDES}
    known = {side: each for side, each in sides.items() if each.of}
    words = ", ".join(f"{each.passed}/{each.of} {side}" for side, each in known.items())
    message, color = words or "unknown", _color(list(known.values()))
    return {"schemaVersion": 1, "label": one_line(label), "message": message, "color": color}


def _sum(shares: Iterable[Share]) -> Share:
    counts = [(each.passed, each.of) for each in shares]
    return share(sum(passed for passed, _ in counts), sum(of for _, of in counts))


def _color(sides: Sequence[Share]) -> str:
    """By what is sure, not by the rate: good only where both sides are, bad where one is."""
    if not sides:
        return "lightgrey"
    if any((each.high or 0) < GOOD for each in sides):
        return "red"
    return "brightgreen" if all((each.low or 0) >= GOOD for each in sides) else "yellow"


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
