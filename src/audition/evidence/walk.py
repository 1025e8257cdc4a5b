"""One walk over a session that notes every step on the ladder.

In: a Trace, the skills on offer, the agent. Out: a Climb for each skill that was touched.
Must not know: which of the rungs a skill ends on.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from posixpath import basename, dirname

from audition.agent import Agent
from audition.bundled import BODY_FILE, Bundled
from audition.called import bare, match_name, names_of
from audition.evidence.near import UNREAL, folder_of, nearness
from audition.evidence.rungs import Climb
from audition.model import (
    AnyEvent,
    Call,
    End,
    How,
    Message,
    Result,
    Skill,
    Trace,
)
from audition.settling import pair_results, refused_calls
from audition.shell import in_folder, prints_in, reads_in, runs_in

_SHELVES = frozenset(("skills", "skill"))


@lru_cache(maxsize=256)  # every trial of a suite has the same: 15 us each
def _known(skills: tuple[Skill, ...]) -> tuple[dict[str, str], Bundled, dict[str, str]]:
    """The names of the skills, their files, and their names without a prefix."""
    return names_of(skills), Bundled(skills), {bare(each.name): each.name for each in skills[::-1]}


class Walk:
    """One pass over the events of a session."""

    def __init__(self, trace: Trace, skills: Sequence[Skill], agent: Agent) -> None:
        self.trace, self.skills, self.agent = trace, skills, agent
        self.names, self.bundled, shortened = _known(tuple(skills))
        self.signs = ("SKILL", "skills/", "*", *(each.folder for each in skills))
        """A line with none of these touches no skill, and is not taken apart."""
        self.offered = {each.name for each in skills}
        self.climbs: dict[str, Climb] = {each.name: Climb() for each in skills}
        self.shortened = dict(shortened)
        """By the name without the prefix of its plug-in or server: the name."""
        self.asked = 0
        self.denials = refused_calls(trace.events)

    def find(self, name: str) -> str | None:
        """The skill on offer that is called so."""
        return match_name(name, self.names)

    def known(self, name: str) -> str | None:
        """Beside the skills on offer: one that was asked for under this name."""
        found = self.find(name)
        if found:
            return found
        if not name or name in self.climbs:
            return name or None
        # One of them, perhaps, without the prefix of its plug-in.
        short = bare(name)
        return (
            self.shortened.get(name) if short == name else short if short in self.climbs else None
        )

    def run(self, prompts: Sequence[str]) -> None:
        """Walk through all events, each prompt before what comes of it."""
        later = iter(prompts if self.agent.mention else ())
        self._mentioned(next(later, ""), 0, self.trace.events)
        results = pair_results(self.trace.events)
        for place, event in enumerate(self.trace.events):
            if type(event) is End and not event.sub:
                self._mentioned(next(later, ""), event.line, self.trace.events[place:])
            elif type(event) is Call:
                result = results.get(place)
                if event.does == "skill":
                    self._called(event, result)
                elif event.does == "resource":
                    self._resource(event, result)
                elif event.does in ("read", "search"):
                    # What was found by a search was not read.
                    paths = event.paths if event.does == "read" else ()
                    self._touched(event, result, paths, (), "file-read")
                elif event.does == "shell":
                    self._typed(event, result)
            elif type(event) is Message and event.skill:
                self._body(event)

    def _mentioned(self, prompt: str, line: int, rest: Sequence[AnyEvent]) -> None:
        """A prompt that names a skill puts it in; the stream does not say so (Claude, Codex)."""
        sign = self.agent.mention
        if not prompt or sign not in prompt:
            return
        words = prompt.split()
        names = words[:1] if sign == "/" else words
        # Without an answer nothing shows that the model ever got the prompt.
        answered = any(isinstance(each, (Message, Call)) for each in rest)
        for word in names:
            name = self.find(word[len(sign) :].rstrip(".,;:!?)")) if word[:1] == sign else None
            skill = next((each for each in self.skills if each.name == name), None)
            if skill and skill.user_invocable and answered:
                self._load(self._ask(skill.name, line, ""), "injected")

    def _climb_of(self, name: str) -> Climb:
        found = self.climbs.get(name)
        if found is None:
            found = self.climbs[name] = Climb()
            self.shortened.setdefault(bare(name), name)
        return found

    def _ask(self, name: str, line: int, sub: str) -> Climb:
        found = self._climb_of(name)
        if found.order is None:
            found.order, found.sub = self.asked, sub
            self.asked += 1
        found.last = line
        return found

    def _load(self, found: Climb, how: How, *lines: int) -> None:
        own = how in self.agent.loads_by
        found.pending = None
        if own:
            found.routes.append(how)
            found.note("loaded", *lines)
        else:
            found.noodle = found.noodle or how
            found.note("none", *lines)

    def _called(self, call: Call, result: Result | None) -> None:
        name = self.known(call.skill) or call.skill
        if not name:
            return
        found = self._ask(name, call.line, call.sub)
        denial, how = self.denials.get((call.line, call.id)), _route(call)
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
        # What the program put in is a skill; `/clear`, which somebody typed, is none.
        put_in = message.skill if message.role == "system" else None
        name = self.known(message.skill) or put_in
        if not name:
            return
        found = self._climb_of(name)
        if found.pending:
            self._load(found, found.pending[0], found.pending[1], message.line)
        elif found.routes:
            found.note("loaded", message.line)
        elif "injected" in self.agent.loads_by:
            self._load(self._ask(name, message.line, message.sub), "injected", message.line)

    def _resource(self, call: Call, result: Result | None) -> None:
        name = self.known(call.skill)
        if not name or result is None or result.failed:
            return
        for path in call.paths:
            if path:
                self.climbs[name].resources[path.removeprefix("./")] = None
                self.climbs[name].note("read", call.line, result.line)

    def _typed(self, call: Call, result: Result | None) -> None:
        """A shell line: what it prints, reads and runs, from the folder it was typed in."""
        line, folder = call.command, folder_of(call)
        if not any(sign in line or sign in folder for sign in self.signs):
            return self._touched(call, result, (), (), "shell-read")
        printed = prints_in(line)
        reads = [each for each in reads_in(line) if each in printed or basename(each) != BODY_FILE]
        if folder:
            reads = [in_folder(folder, each) for each in reads]
        runs = [in_folder(folder, each) for each in runs_in(line)]
        return self._touched(call, result, reads, runs, "shell-read")

    def _touched(
        self,
        call: Call,
        result: Result | None,
        reads: Sequence[str],
        runs: Sequence[str],
        how: How,
    ) -> None:
        output, good = (result.output, not result.failed) if result else ("", False)
        lines = (call.line, result.line) if result else (call.line,)
        opened, ran = self._inside(reads), self._inside(runs) if result else []
        near = self._nearness(call, opened)
        bodies = dict.fromkeys(() if call.does == "read" else self.bundled.shown_in(output, near))
        for name, inside in opened:
            if good or self.bundled.shows(name, inside, output):
                if inside == BODY_FILE:
                    bodies[name] = None
                else:
                    self._read(name, inside, *lines)
            elif inside == BODY_FILE and how in self.agent.loads_by:
                self._tried(name, call, *lines)
        if call.does == "shell":
            # What a script prints may be its own text, and a script that was run was not read.
            at_work = {name for name, _ in ran}
            for name, inside in self.bundled.printed_in(output, near, at_work):
                self._read(name, inside, *lines)
        for name in bodies:
            own = how in self.agent.loads_by
            found = self._ask(name, call.line, call.sub) if own else self._climb_of(name)
            self._load(found, how, *lines)
        for name, inside in ran:
            self._ran(name, inside, call, *lines)

    def _nearness(self, call: Call, opened: Sequence[tuple[str, str]]) -> Callable[[Skill], bool]:
        """Whether a call has to do with the folder of a skill."""
        sought = self._inside(call.paths) if call.does == "search" else ()
        named = {name for name, _ in (*opened, *sought)}
        is_near = nearness(call)
        return lambda skill: skill.name in named or is_near(skill)

    def _read(self, name: str, inside: str, *lines: int) -> None:
        self.climbs[name].resources[inside] = None
        self.climbs[name].note("read", *lines)

    def _ran(self, name: str, script: str, call: Call, *lines: int) -> None:
        """A script that ran and failed still ran. One in `scripts/` may be how a skill is used."""
        found = self.climbs[name]
        found.scripts[script] = None
        found.note("ran", *lines)
        if "script-run" in self.agent.loads_by and script.startswith("scripts/"):
            found = self._ask(name, call.line, call.sub)
            if not found.routes:
                self._load(found, "script-run", *lines)

    def _tried(self, name: str, call: Call, *lines: int) -> None:
        """Its own way of loading a skill led nowhere."""
        found = self._ask(name, call.line, call.sub)
        denial = self.denials.get((call.line, call.id))
        found.note("denied", *lines, denial.line) if denial else found.note("asked", *lines)

    def _inside(self, paths: Sequence[str]) -> list[tuple[str, str]]:
        found = [each for path in paths for each in self.bundled.find(path)]
        for path in paths:
            found += self._below_a_stranger(path)
            folder = basename(dirname(path)) if basename(path) == BODY_FILE else ""
            if folder and (skill := self._stranger(path, folder)):
                found.append((skill, BODY_FILE))
        return found

    def _below_a_stranger(self, path: str) -> list[tuple[str, str]]:
        """A file of a skill that was asked for and is not on offer: we go by the folder."""
        _, shelf, rest = path.partition("skills/")
        while shelf:
            folder, _, inside = rest.partition("/")
            name = self.shortened.get(folder)
            if name and name not in self.offered and inside and inside != BODY_FILE:
                return [(name, inside)]
            _, shelf, rest = rest.partition("skills/")
        return []

    def _stranger(self, path: str, folder: str) -> str | None:
        """The skill that is not on offer whose SKILL.md this is, if it is one's at all."""
        if folder in _SHELVES or UNREAL.search(folder) or any(self.bundled.find(path)):
            return None
        known = self.known(folder)
        if known in self.offered:
            return None
        parts = dirname(path).replace("\\", "/").split("/")[:-1]
        # A project may hold a SKILL.md that is no agent's; with no skills told of, any is.
        return known or (folder if not self.offered or _SHELVES & {*parts} else None)


def _route(call: Call) -> How:
    if call.paths or "resource" in call.tool.lower():
        return "mcp-resource"
    return "mcp-tool" if call.tool.startswith("mcp_") else "skill-tool"
