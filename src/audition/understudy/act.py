"""What to do for a prompt: which skill to load, what to read, write and say, one action at a time.

In: a prompt and what was shown; each action's result is sent back in. Out: actions.
Must not know: files, processes, how an action is carried out. (The program carries it out
itself; a loopback provider asks a real agent's tools to.)

A body speaks to the understudy in two kinds of fenced block, which people read as examples:

    ```file:out/report.md      write this file into the workspace
    ```say                     answer with this, and with nothing else

In both, `{{prompt}}` is the prompt and `${resource:path}` is a bundled file. Scripts are
never run: a script that the body points to is read, as any other resource.
"""

import re
from collections.abc import Generator, Iterable, Mapping
from typing import NamedTuple

PLAIN = "No skill on offer fits this, so this is all the understudy can say."

BLOCK = re.compile(
    r"^(?P<fence>`{3,})(?P<what>file:(?P<path>\S+)|say)[ \t]*\n(?P<text>.*?)^(?P=fence)[ \t]*$\n?",
    re.MULTILINE | re.DOTALL,
)
INSERT = re.compile(r"\{\{prompt\}\}|\$\{resource:([^}\s]+)\}")
PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)*")


class Action(NamedTuple):
    """One thing to do: `load` a skill, `read` a resource, `write` a file, or `say` the answer.

    The text of a `read` is the name of the tool, where a certain one is wanted. The oracle also
    makes a `call` of the tool that is its path, and will `run` its text as a command.
    """

    does: str
    skill: str = ""
    path: str = ""
    text: str = ""


class Loaded(NamedTuple):
    """What comes back from `load`: the body, and the files that are beside it."""

    body: str
    resources: tuple[str, ...] = ()


Acting = Generator[Action, Loaded | str | None, None]
"""`load` is answered with Loaded or None (refused), `read` with the text or None."""


def perform(prompt: str, skill: str | None) -> Acting:
    """What the understudy does with the skill it chose: load, read, write, recite."""
    loaded = (yield Action("load", skill)) if skill else None
    if skill is None or not isinstance(loaded, Loaded):
        yield Action("say", text=PLAIN)
        return
    read: dict[str, str] = {}
    for path in find_resources(loaded.body, loaded.resources):
        text = yield Action("read", skill, path)
        if isinstance(text, str):
            read[path] = text
    for path, text in find_files(loaded.body, prompt, read).items():
        yield Action("write", path=path, text=text)
    yield Action("say", text=recite(loaded.body, prompt, read))


def find_resources(body: str, resources: Iterable[str]) -> tuple[str, ...]:
    """The bundled files that the body names by their relative path, in its order."""
    known = set(resources)
    named = (match[0].removeprefix("./").rstrip(".") for match in PATH.finditer(body))
    return tuple(dict.fromkeys(path for path in named if path in known))


def find_files(body: str, prompt: str, read: Mapping[str, str]) -> dict[str, str]:
    """The files that the body's `file:` blocks say to write, by path."""
    return {
        block["path"]: _fill(block["text"], prompt, read)
        for block in BLOCK.finditer(body)
        if block["path"]
    }


def recite(body: str, prompt: str, read: Mapping[str, str]) -> str:
    """The answer: the body's `say` block, else its text without the blocks."""
    said = [block["text"] for block in BLOCK.finditer(body) if not block["path"]]
    return _fill(said[0] if said else BLOCK.sub("", body), prompt, read).strip()


def _fill(text: str, prompt: str, read: Mapping[str, str]) -> str:
    def insert(match: re.Match[str]) -> str:
        return read.get(match[1], match[0]) if match[1] else prompt

    return INSERT.sub(insert, text)
