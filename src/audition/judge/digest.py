"""The session as a judge reads it: numbered events, harmless, short enough, without names.

In: a Trace, the files it left, a nonce that the agent could not know. Out: items, and a page
of them with files for what is too long. Must not know: who judges, what is asked.

An id such as `e7kq2x-14` cannot be forged by the session: the nonce is drawn after it. Every
line of an event's text begins with `| `, so no text can pose as another event or end the page.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import msgspec

from audition.called import bare
from audition.model import Call, Denial, End, Fault, Message, Result, Trace, Value

ROOM = 60_000
"""So many bytes of a page; Linux takes at most 128 KiB a word of a command."""
CAPS = (4000, 1500, 500, 160)
"""What one event may take: the first of these with which all fit."""
BAR = "| "
FAMILIES = (
    "claude", "anthropic", "opus", "sonnet", "haiku", "codex", "openai", "chatgpt", "gpt",
    "gemini", "copilot", "qwen", "kimi", "moonshot", "opencode",
)  # fmt: skip
"""Names of agents, models and their makers: an agent may say what it is in its own words."""
_HOMES = re.compile(r"""[^\s"'`|()<>=]*/?\.[a-z][\w-]*/skills(?=[/\s"'`)<]|$)""")
"""Where an agent looks for skills: the folder tells which agent it is."""
_BASE = re.compile(r"(Base directory for this skill: )\S*/")
"""Claude Code says where a skill lies, and so how it was delivered."""
_FRONT = re.compile(r"---.{0,8192}?---", re.DOTALL)
_VERSION = re.compile(r"""(?i)((?:\b|(?<=\\n))version["'\\]*:\s*)["'\\]*[^\s"'\\,}]+""")
HEAD = 300
"""So much of an event's heading is shown: a file may have any name."""


class Item(Value, frozen=True, kw_only=True):
    """One event as the judge may cite it: harmless, and whole."""

    id: str
    what: str
    text: str
    line: int = 0


class Page(Value, frozen=True, kw_only=True):
    """What is shown of the items, and the files that hold what is not."""

    text: str
    files: dict[str, str] = {}


def make_items(
    trace: Trace, nonce: str, *, left: Mapping[str, str] | None = None, names: Collection[str] = ()
) -> tuple[Item, ...]:
    """Every event that a judge may look at; `left` is what became of files, by its heading."""
    hide = _hiding(names)
    numbers: dict[str, str] = {}
    found: list[Item] = []

    def add(what: str, text: str, line: int) -> str:
        name = f"{nonce}-{len(found) + 1}"
        # A heading has no bar before it, so it is one line, whatever a file or a tool is named.
        head = hide(harmless(what)).replace("\n", "\\n").replace("\t", "\\t")[:HEAD]
        found.append(Item(id=name, what=head, text=hide(harmless(text)), line=line))
        return name

    last = _last_words(trace)
    for event in trace.events:
        where = " in a sub-agent" if event.sub else ""
        for what, text in _tell(event, numbers):
            what = "final answer" if event is last else f"{what}{where}"  # noqa: PLW2901
            name = add(what, text, event.line)
            if isinstance(event, Call):
                numbers[event.id] = name
    if trace.answer.strip() and last is None:
        add("final answer", trace.answer, trace.end.line)
    for what, text in (left or {}).items():
        add(what, text, 0)
    words = f"The session ended: {trace.end.status}. Nothing comes after this event."
    add("end", words, trace.end.line)
    return tuple(found)


def _last_words(trace: Trace) -> Message | None:
    for event in reversed(trace.events):
        if isinstance(event, Message) and event.role == "assistant" and not event.sub:
            return event if event.text.strip() == trace.answer.strip() else None
    return None


def _tell(event: object, numbers: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What an event is and says. Thoughts are left out: they are no deeds, and few agents tell."""
    if isinstance(event, Message) and event.role != "thought" and event.text.strip():
        yield ("text of a skill" if event.skill else f"{event.role} says"), event.text
    elif isinstance(event, Call):
        tool = f" `{event.tool}`" if event.does in ("mcp", "other") else ""
        # Codex tells of a patch only which files it touched.
        given = msgspec.json.encode(event.input).decode() if event.input else " ".join(event.paths)
        if event.does == "skill" and event.skill:
            # The skill alone: what it is called by tells the delivery.
            more = {key: word for key, word in event.input.items() if word != event.skill}
            given = f"{bare(event.skill)} {msgspec.json.encode(more).decode() if more else ''}"
        yield f"call: {event.does}{tool}", event.command or given.strip() or "(nothing)"
    elif isinstance(event, Result):
        facts = [f"of {numbers[event.id]}"] if event.id in numbers else []
        facts += ["failed"] if event.failed else []
        facts += [f"exit code {event.exit_code}"] if event.exit_code is not None else []
        yield f"result {', '.join(facts)}".strip(), event.output or "(nothing)"
    elif isinstance(event, Denial):
        yield "refused", ": ".join(filter(None, (event.tool, event.reason))) or "(no reason)"
    elif isinstance(event, Fault) and not event.retrying:
        yield "trouble", event.text
    elif isinstance(event, End) and event.reason and event.status != "completed":
        yield "stopped", event.reason


def _hiding(names: Collection[str]) -> Callable[[str], str]:
    words = sorted({each for each in names if len(each) > 2}, key=len, reverse=True)
    if not words:
        return _nowhere
    either = f"(?:{'|'.join(map(re.escape, words))})"
    # The version goes with the name: `opus-4-6`, `Sonnet 4.5`, `gpt-5.5-codex`.
    tail = rf"(?:[-_.:/ ]{either}(?![A-Za-z0-9])|[-_:]?\d[\w.-]*\w| \d+\.\d+)*"
    pattern = re.compile(rf"(?<![A-Za-z0-9]){either}{tail}(?![A-Za-z0-9])", re.IGNORECASE)
    return lambda text: pattern.sub("[name]", _nowhere(text))


def _nowhere(text: str) -> str:
    """The text without where skills lie, and without the version that a skill says it has."""
    if "ersion" in text and "description:" in text:
        text = _FRONT.sub(lambda front: _VERSION.sub(r"\1[version]", front[0]), text, count=1)
    return _BASE.sub(r"\1[skills]/", _HOMES.sub("[skills]", text))


def harmless(text: str) -> str:
    """The text with everything that a reader cannot see made visible."""
    return "".join(
        each if each.isprintable() or each in "\n\t" else _shown(each)
        for each in text.replace("\r\n", "\n")
    )


def _shown(char: str) -> str:
    return " " if unicodedata.category(char) == "Zs" else ascii(char)[1:-1]


def lay_out(items: Sequence[Item], room: int = ROOM) -> Page:
    """The page: every event with as much of its text as there is room for."""
    for cap in CAPS:
        shown = [_show(item, cap) for item in items]
        if sum(map(_size, shown)) <= room:
            break
    whole = {f"events/{item.id}.txt": item.text for item in items if len(item.text) > cap}
    if sum(map(_size, shown)) <= room:
        return Page(text="\n".join(shown), files=whole)
    head, tail = _ends(shown, room)
    note = f"({tail - head} events left out here; they are in events/rest.txt)"
    rest = "\n".join(_show(item, CAPS[0]) for item in items[head:tail])
    # In the file there is more room for each: what is whole in it needs no file of its own.
    whole_there = {item.id for item in items[head:tail] if len(item.text) <= CAPS[0]}
    files = {path: text for path, text in whole.items() if path[7:-4] not in whole_there}
    return Page(
        text="\n".join([*shown[:head], note, *shown[tail:]]),
        files={**files, "events/rest.txt": rest},
    )


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace")) + 1


def _ends(shown: Sequence[str], room: int) -> tuple[int, int]:
    """Where the part begins and ends that is left out: a third of the room goes to the start."""
    head, tail, used = 0, len(shown), 0
    while head < tail and used + _size(shown[head]) <= room // 3:
        used += _size(shown[head])
        head += 1
    while tail > head and used + _size(shown[tail - 1]) <= room:
        tail -= 1
        used += _size(shown[tail])
    return head, tail


def _show(item: Item, cap: int) -> str:
    return f"[{item.id}] {item.what}\n{barred(item.text, cap, f'events/{item.id}.txt')}"


def barred(text: str, cap: int, file: str) -> str:
    """The lines behind bars; of a long text the ends, with the file that holds the whole."""
    if len(text) <= cap:
        return _bars(text)
    keep = cap * 2 // 3
    note = f"({len(text) - cap} characters left out; whole in {file})"
    return f"{_bars(text[:keep])}\n{note}\n{_bars(text[keep - cap :])}"


def _bars(text: str) -> str:
    return "\n".join(f"{BAR}{line}" for line in text.split("\n"))
