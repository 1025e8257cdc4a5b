"""What became of each skill in a session: the ladder, with the lines that prove it.

In: a Trace, the skills on offer, the agent, what the model was shown. Out: Evidence.
Must not know: what a case expected, checks, policies.

`offered` → `asked` → `denied` or `loaded` → `read` or `ran`. (`followed` is set by who
knows the checks.) What counts:
* A skill is loaded by a call, or a read of its SKILL.md, whose result did not fail, by one
  of the agent's own ways. A read by another way is noodling: it is noted, no rung is climbed.
* A call that failed, or has no result, is `asked`; with a Denial it is `denied`. So is a
  read of SKILL.md, where reading is the agent's own way.
* A search that finds SKILL.md, or counts its lines, loads nothing unless it shows the body.
* Where a command had to do with the skill's folder, its output shows a body by one telling
  line; where it had not, it takes several, in their order: a README may share a line.
* A bundled file that a command named was read where the command did not fail, or its output
  shows a piece of it; one that was not named, where the output shows all its pieces.
* A body that appears without a call, or a prompt that mentions the skill, is `injected`.
* A skill that is not on offer is known by the name it was called by, or by the folder of
  the SKILL.md that was read.
* A bundled file that was read, or script that was run, is noted in any case; it is a rung
  only for a skill that was loaded, before or after. Where an agent has no skill tool, a run
  of what lies in `scripts/` is a way of loading (Codex counts it as a use of the skill).
* `order` and `last` are of requests; noodling is none.
"""

from collections.abc import Sequence

from audition.agent import Agent
from audition.evidence.rungs import Climb
from audition.evidence.walk import Walk
from audition.model import RUNGS, Evidence, Offer, Rung, Skill, Trace

_SHOWN = ("full", "cut", "name")
_BEYOND: tuple[Rung, ...] = ("read", "ran")


def climb(
    trace: Trace,
    skills: Sequence[Skill],
    agent: Agent,
    catalogue: Sequence[Offer] = (),
    prompts: Sequence[str] = (),
) -> tuple[Evidence, ...]:
    """Evidence for every skill on offer, and for any other that was asked for."""
    walk = Walk(trace, skills, agent)
    walk.run(prompts)
    # What passed by us in the request is surer than what the agent says of it.
    shown = [*(each for each in trace.events if type(each) is Offer), *catalogue]
    offers = {name: each for each in shown if (name := walk.known(each.skill))}
    return tuple(
        _evidence(name, found, offers.get(name), told=bool(shown), on_offer=name in walk.offered)
        for name, found in walk.climbs.items()
    )


def _evidence(
    name: str, found: Climb, offer: Offer | None, *, told: bool, on_offer: bool
) -> Evidence:
    offered = offer.offered if offer else "missing" if told else "unknown"
    rung: Rung = "offered" if offered in _SHOWN else "none"
    if found.routes:
        rung = "ran" if found.scripts else "read" if found.resources else "loaded"
    elif found.order is not None:
        rung = "denied" if "denied" in found.lines else "asked"
    return Evidence(
        skill=name,
        on_offer=on_offer,
        rung=rung,
        offered=offered,
        how=found.routes[0] if found.routes else found.noodle,
        noodled=found.noodle is not None,
        routes=tuple(found.routes),
        resources=tuple(found.resources),
        scripts=tuple(found.scripts),
        lines=_proof(found, rung, offer),
        order=found.order,
        last=found.last,
        sub=found.sub,
    )


def _proof(found: Climb, rung: Rung, offer: Offer | None) -> tuple[int, ...]:
    """The lines of the rung and, above `loaded`, of those that led to it."""
    if found.routes:
        rungs = RUNGS[RUNGS.index("loaded") : RUNGS.index(rung) + 1]
    else:
        rungs = (rung,) if rung != "offered" else ()
        rungs = (*rungs, "none") if found.noodle else rungs
        # No rung of a skill that was not loaded, but `resources` and `scripts` name them.
        rungs = (*rungs, *(each for each in _BEYOND if each in found.lines))
    lines = {line for each in rungs for line in found.lines.get(each, ())}
    if rung == "offered" and offer:
        lines.add(offer.line)
    return tuple(sorted(line for line in lines if line))
