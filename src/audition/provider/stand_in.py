"""The understudy as a model: decides the next step from the request alone.

In: what a request asks. Out: the reply. Nothing is remembered between requests: what was
done so far is in the conversation, so the whole part is played again, and each action that
was answered already is handed its answer. The same request is answered the same for ever.
Must not know: wires, sockets, trials.
"""

from collections.abc import Sequence

import msgspec

from audition.provider.bodies import Body, looks_failed, name_files, unwrap, unwrap_output
from audition.provider.deeds import Call, find_listed, load_skill, read_resource, write_file
from audition.provider.wire import Asked, Called, Listed, Part, Reply, Returned, Said
from audition.understudy.act import Action, Loaded, perform
from audition.understudy.choice import choose, find_explicit
from audition.understudy.example import fit_schema

TITLE = "A session with the understudy"


def reply_to(asked: Asked) -> Reply:
    """What the understudy does next."""
    if asked.side:
        return answer_side(asked)
    playing = _Playing(asked)
    if asked.finder and not playing.skill:
        return Reply(calls=(asked.finder,))
    acting = perform(playing.prompt, playing.skill)
    action = next(acting)
    while action.does != "say":
        call = playing.call_for(action)
        if call is None:
            action = acting.send(playing.take(action, None))
            continue
        if not playing.done:
            return Reply(calls=(call,))
        action = acting.send(playing.take(action, playing.done.pop(0)))
    return Reply(text=fit_answer(action.text, asked))


def answer_side(asked: Asked) -> Reply:
    """Something plausible for a request that is no turn."""
    if asked.schema is not None:
        made = fit_schema(asked.schema)
        made = {**made, "title": TITLE} if isinstance(made, dict) and "title" in made else made
        return Reply(text=msgspec.json.encode(made).decode())
    return Reply(text=TITLE if asked.side == "title" else "Nothing.")


def fit_answer(text: str, asked: Asked) -> str:
    """The answer, made to obey the schema that was asked for, where it does not."""
    if asked.schema is None:
        return text
    try:
        msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        return msgspec.json.encode(fit_schema(asked.schema)).decode()
    return text


class _Playing:
    """The conversation since the last prompt, as results in the order of their calls."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        since, self.prompt = find_prompt(asked.parts)
        parts = asked.parts[since:]
        results = {each.id: each for each in parts if isinstance(each, Returned)}
        called = [each for each in parts if isinstance(each, Called)]
        lost = Returned(id="", text="", failed=True)
        self.done = [results.get(each.id, lost) for each in called]
        first = next((n for n, each in enumerate(parts) if isinstance(each, Called)), len(parts))
        self.bodies = [each for each in asked.parts if isinstance(each, Said) and each.skill]
        self.put = next((e for e in parts[:first] if isinstance(e, Said) and e.skill), None)
        self.skill = self.put.skill if self.put else pick_skill(asked, self.prompt)
        self.listed: Listed | None = find_listed(asked, self.skill) if self.skill else None
        self.body = Body("")

    def call_for(self, action: Action) -> Call | None:
        """The call that carries out an action; None where there is nothing to call."""
        if action.does == "load":
            return None if self.put else load_skill(self.asked, action.skill)
        if action.does == "read":
            return read_resource(self.asked, self.listed, self.body.folder, action.path)
        return write_file(self.asked, action.path, action.text)

    def take(self, action: Action, result: Returned | None) -> Loaded | str | None:
        """What an action came back with, as the part wants it."""
        failed = result is None or result.failed or looks_failed(result.text)
        text = None if failed or result is None else result.text
        if action.does == "load":
            return self.load(action.skill, text or "")
        return text if text is None else unwrap_output(text)

    def load(self, name: str, text: str) -> Loaded | None:
        """The skill's body: as it was put into the conversation, else as the call returned it."""
        own = [each for each in self.bodies if _is_of(each, name, self.listed)]
        if self.put:
            self.body = unwrap_put(self.put)
        elif text and own:
            self.body = unwrap_put(own[-1])
        elif text:
            self.body = unwrap(text)
        else:
            return None
        if not self.body.folder:
            self.body = self.body._replace(folder=self.guess_folder(name))
        return Loaded(self.body.text, name_files(self.body))

    def guess_folder(self, name: str) -> str:
        """Where the skill's files are when its tool did not say: beside the listed SKILL.md,
        else where every agent looks.
        """
        if self.listed and self.listed.path:
            return self.listed.path.rpartition("/")[0]
        return f"{self.asked.cwd}/.agents/skills/{name}".lstrip("/" if not self.asked.cwd else "")


def find_prompt(parts: Sequence[Part]) -> tuple[int, str]:
    """The last words of the user's own, and their place."""
    for place in range(len(parts) - 1, -1, -1):
        part = parts[place]
        if isinstance(part, Said) and part.role == "user":
            return place, part.text
    return 0, ""


def pick_skill(asked: Asked, prompt: str) -> str | None:
    """The listed skill that the prompt calls by name, or that fits it best."""
    offered: dict[str, str] = {}
    for each in asked.listed:
        offered.setdefault(each.name, each.description)
    return find_explicit(prompt, offered) or choose(prompt, offered)


def unwrap_put(said: Said) -> Body:
    """The body of a skill that was put into the conversation."""
    body = unwrap(said.text)
    return body._replace(folder=said.folder or body.folder)


def _is_of(said: Said, name: str, listed: Listed | None) -> bool:
    aka = listed.aka if listed else ""
    return said.skill in (name, aka) or said.skill.rpartition(":")[2] == name.rpartition(":")[2]
