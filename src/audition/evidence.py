"""What became of each skill in a session: the ladder, with the lines that prove it.

In: a Trace, the skills on offer, the agent, what the model was shown. Out: Evidence.
Must not know: what a case expected, checks, policies.

`offered` → `asked` → `denied` or `loaded` → `read` or `ran`. (`followed` is set by who
knows the checks.) What counts:
* A skill is loaded by a call, or a read of its SKILL.md, whose result did not fail, by one
  of the agent's own ways. A read by another way is noodling: it is noted, no rung is climbed.
* A call that failed, or has no result, is `asked`; with a Denial it is `denied`.
* A body that appears without a call, or a prompt that mentions the skill, is `injected`.
* A bundled file that was read, or script that was run, is noted in any case; it is a rung
  only for a skill that was loaded, before or after.
* `order` and `last` are of requests; noodling is none.
"""

from collections.abc import Sequence
from functools import lru_cache

from audition.agent import Agent
from audition.bundled import Bundled
from audition.called import bare, match_name, names_of
from audition.model import (
    RUNGS,
    Call,
    Denial,
    Evidence,
    How,
    Message,
    Offer,
    Result,
    Rung,
    Skill,
    Trace,
)
from audition.shell import reads_in, runs_in

_SHOWN = ("full", "cut", "name")


class _Climb:
    """What is known of one skill while the session is walked through."""

    __slots__ = (
        "last",
        "lines",
        "noodle",
        "order",
        "pending",
        "resources",
        "routes",
        "scripts",
        "sub",
    )

    def __init__(self) -> None:
        self.lines: dict[Rung, list[int]] = {}
        self.routes: list[How] = []
        self.resources: dict[str, None] = {}
        self.scripts: dict[str, None] = {}
        self.noodle: How | None = None
        self.order: int | None = None
        self.last: int | None = None
        self.sub = ""
        self.pending: tuple[How, int] | None = None
        """A request without a result, which a body may still prove."""

    def note(self, rung: Rung, *lines: int) -> None:
        self.lines.setdefault(rung, []).extend(lines)


def climb(
    trace: Trace,
    skills: Sequence[Skill],
    agent: Agent,
    catalogue: Sequence[Offer] = (),
    prompt: str = "",
) -> tuple[Evidence, ...]:
    """Evidence for every skill on offer, and for any other that was asked for."""
    walk = _Walk(trace, skills, agent)
    walk.run(prompt)
    # What passed by us in the request is surer than what the agent says of it.
    shown = [*(each for each in trace.events if type(each) is Offer), *catalogue]
    offers = {name: each for each in shown if (name := walk.find(each.skill))}
    return tuple(
        _evidence(name, found, offers.get(name), told=bool(shown), on_offer=name in walk.offered)
        for name, found in walk.climbs.items()
    )


@lru_cache(maxsize=256)  # every trial of a suite has the same: 15 us each
def _known(skills: tuple[Skill, ...]) -> tuple[dict[str, str], Bundled]:
    """The names of the skills, and their files."""
    return names_of(skills), Bundled(skills)


class _Walk:
    """One pass over the events of a session."""

    def __init__(self, trace: Trace, skills: Sequence[Skill], agent: Agent) -> None:
        self.trace, self.skills, self.agent = trace, skills, agent
        self.names, self.bundled = _known(tuple(skills))
        self.signs = ("SKILL", "skills/", "*", *(each.folder for each in skills))
        """A line with none of these touches no skill, and is not taken apart."""
        self.offered = {each.name for each in skills}
        self.climbs: dict[str, _Climb] = {each.name: _Climb() for each in skills}
        self.asked = 0
        self.results: dict[str, Result] = {}
        self.denials: dict[str, Denial] = {}
        for event in trace.events:
            if type(event) is Result:
                self.results[event.id] = event
            elif type(event) is Denial and event.id:
                self.denials.setdefault(event.id, event)

    def find(self, name: str) -> str | None:
        return match_name(name, self.names)

    def known(self, name: str) -> str | None:
        """Beside the skills on offer: one that was asked for under this name."""
        found = self.find(name)
        if found:
            return found
        return next((each for each in self.climbs if name and name in (each, bare(each))), None)

    def run(self, prompt: str) -> None:
        if prompt and self.agent.mention:
            self._mentioned(prompt)
        for event in self.trace.events:
            if type(event) is Call:
                if event.does == "skill":
                    self._called(event)
                elif event.does == "resource":
                    self._resource(event)
                elif event.does in ("read", "search"):
                    self._touched(event, event.paths, (), "file-read")
                elif event.does == "shell":
                    line = event.command
                    near = any(sign in line for sign in self.signs)
                    reads, runs = (reads_in(line), runs_in(line)) if near else ((), ())
                    self._touched(event, reads, runs, "shell-read")
            elif type(event) is Message and event.skill:
                self._body(event)

    def _mentioned(self, prompt: str) -> None:
        """A prompt that names a skill puts it in; the stream does not say so (Claude, Codex)."""
        sign = self.agent.mention
        words = prompt.split()
        names = words[:1] if sign == "/" else words
        # Without an answer nothing shows that the model ever got the prompt.
        answered = any(isinstance(each, (Message, Call)) for each in self.trace.events)
        for word in names:
            name = self.find(word[len(sign) :].rstrip(".,;:!?)")) if word[:1] == sign else None
            skill = next((each for each in self.skills if each.name == name), None)
            if skill and skill.user_invocable and answered:
                self._load(self._ask(skill.name, 0, ""), "injected")

    def _ask(self, name: str, line: int, sub: str) -> _Climb:
        found = self.climbs.setdefault(name, _Climb())
        if found.order is None:
            found.order, found.sub = self.asked, sub
            self.asked += 1
        found.last = line
        return found

    def _load(self, found: _Climb, how: How, *lines: int) -> None:
        own = how in self.agent.loads_by
        found.pending = None
        if own:
            found.routes.append(how)
            found.note("loaded", *lines)
        else:
            found.noodle = found.noodle or how
            found.note("none", *lines)

    def _called(self, call: Call) -> None:
        name = self.find(call.skill) or call.skill
        if not name:
            return
        found = self._ask(name, call.line, call.sub)
        result, denial, how = self.results.get(call.id), self.denials.get(call.id), _route(call)
        lines = (call.line, result.line) if result else (call.line,)
        if denial:
            found.note("denied", *lines, denial.line)
        elif result and not result.failed:
            self._load(found, how, *lines)
        else:
            found.note("asked", *lines)
            found.pending = None if result else (how, call.line)

    def _body(self, message: Message) -> None:
        """A skill's text in the conversation: by a call before it, or else put in."""
        name = self.known(message.skill)
        if not name:
            return
        found = self.climbs[name]
        if found.pending:
            self._load(found, found.pending[0], found.pending[1], message.line)
        elif found.routes:
            found.note("loaded", message.line)
        elif "injected" in self.agent.loads_by:
            self._load(self._ask(name, message.line, message.sub), "injected", message.line)

    def _resource(self, call: Call) -> None:
        result, name = self.results.get(call.id), self.known(call.skill)
        if not name or result is None or result.failed:
            return
        for path in call.paths:
            if path:
                self.climbs[name].resources[path.removeprefix("./")] = None
                self.climbs[name].note("read", call.line, result.line)

    def _touched(self, call: Call, reads: Sequence[str], runs: Sequence[str], how: How) -> None:
        result = self.results.get(call.id)
        if result is None:
            return
        lines = (call.line, result.line)
        bodies = set(self.bundled.shown_in(result.output)) if how == "shell-read" else set()
        if not (reads or runs or bodies):
            return
        for name, inside in self._inside(reads):
            if inside == "SKILL.md":
                if not result.failed or self.bundled.shows(name, result.output):
                    bodies.add(name)
            elif not result.failed:
                self.climbs[name].resources[inside] = None
                self.climbs[name].note("read", *lines)
        for name, inside in self._inside(runs):
            # A script that ran and failed still ran.
            self.climbs[name].scripts[inside] = None
            self.climbs[name].note("ran", *lines)
        for name in [each for each in self.climbs if each in bodies]:
            own = how in self.agent.loads_by
            found = self._ask(name, call.line, call.sub) if own else self.climbs[name]
            self._load(found, how, *lines)

    def _inside(self, paths: Sequence[str]) -> list[tuple[str, str]]:
        strangers = [each for each in self.climbs if each not in self.offered]
        found = [each for path in paths for each in self.bundled.find(path)]
        for name in strangers:  # asked for, but we do not know its files: go by the folder
            for path in paths:
                _, under, inside = path.partition(f"skills/{bare(name)}/")
                found += [(name, inside)] if under and inside else []
        return found


def _route(call: Call) -> How:
    if call.paths or "resource" in call.tool.lower():
        return "mcp-resource"
    return "mcp-tool" if call.tool.startswith("mcp_") else "skill-tool"


def _evidence(
    name: str, found: _Climb, offer: Offer | None, *, told: bool, on_offer: bool
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


def _proof(found: _Climb, rung: Rung, offer: Offer | None) -> tuple[int, ...]:
    """The lines of the rung and, above `loaded`, of those that led to it."""
    if found.routes:
        rungs = RUNGS[RUNGS.index("loaded") : RUNGS.index(rung) + 1]
    else:
        rungs = (rung,) if rung != "offered" else ()
        rungs = (*rungs, "none") if found.noodle else rungs
    lines = {line for each in rungs for line in found.lines.get(each, ())}
    if rung == "offered" and offer:
        lines.add(offer.line)
    return tuple(sorted(line for line in lines if line))
