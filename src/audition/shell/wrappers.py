"""Takes the wrappers off shell commands: `bash -lc`, `env`, `timeout`, `xargs`, `find -exec` …

In: a line. Out: the simple commands that do the work. Must not know: what they are for.
"""

import re
from posixpath import basename

from audition.shell.words import Simple, read_words, writer

DEEPEST = 8
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_KEYWORDS = frozenset(
    ("if", "then", "else", "elif", "fi", "do", "done", "while", "until", "{", "}", "!", "time")
)
_SHELLS = frozenset(("sh", "bash", "zsh", "dash", "ksh", "ash"))
_WRAPPERS: dict[str, frozenset[str]] = {
    "env": frozenset(("-u", "--unset", "-C", "--chdir", "-S")),
    "sudo": frozenset(("-u", "-g", "-h", "-p", "-C", "-T", "-D", "-R", "-U")),
    "timeout": frozenset(("-k", "--kill-after", "-s", "--signal")),
    "nice": frozenset(("-n", "--adjustment")),
    "nohup": frozenset(),
    "time": frozenset(("-f", "-o")),
    "exec": frozenset(("-a",)),
    "command": frozenset(),
    "builtin": frozenset(),
    "stdbuf": frozenset(("-i", "-o", "-e")),
    "setsid": frozenset(),
    "ionice": frozenset(("-c", "-n")),
    "xargs": frozenset(("-n", "-P", "-d", "-L", "-s", "-E", "-a", "-I")),
}
"""Programs that run another, with those of their options that take a value."""


def find_commands(line: str, depth: int = 0) -> list[Simple]:
    """The simple commands of a line, in order, out of all wrappers and substitutions."""
    found: list[Simple] = []
    for simple in read_words(line):
        if not simple.script:
            found.extend(_unwrap(simple, depth))
        elif depth < DEEPEST:
            found.extend(find_commands(simple.script, depth + 1))
        else:
            found.append(writer())
    return found


def _unwrap(simple: Simple, depth: int) -> list[Simple]:
    words = list(simple.words)
    while words and (words[0] in _KEYWORDS or _ASSIGNMENT.match(words[0])):
        words.pop(0)
    simple.words = tuple(words)
    if not words:
        return [simple] if simple.writes else []
    if words[0] in ("for", "case", "select", "function"):
        simple.words = ()
    name, text = basename(words[0]), ""
    if name in _SHELLS:
        text = _script_of(words) or simple.code
    elif name == "eval":
        text = " ".join(words[1:])
    inner = _wrapped(name, words)
    if not (text or inner) or depth >= DEEPEST:
        return [simple]
    return _inside(simple, text, inner, depth)


def _wrapped(name: str, words: list[str]) -> list[str]:
    """The command that another one runs, given as words; none where it runs none."""
    if name == "find":
        return _executed(words)
    if name == "uv" and words[1:2] == ["run"]:
        inner = _behind(words[1:], frozenset(("--with", "--python", "-p", "--project")))
        return ["python", *inner] if inner and inner[0].endswith(".py") else inner
    if name not in _WRAPPERS or (name == "command" and words[1:2] in (["-v"], ["-V"])):
        return []
    inner = _behind(words, _WRAPPERS[name])
    if name == "timeout":
        return inner[1:]
    if name == "xargs" and inner and "{}" not in inner:
        inner.append("{}")
    return inner


def _inside(simple: Simple, text: str, inner: list[str], depth: int) -> list[Simple]:
    """What a wrapper runs, under the redirections of the wrapper."""
    if text:
        found = find_commands(text, depth + 1)
        outer = Simple()
    else:
        within = Simple()
        within.words, within.takes, within.code = tuple(inner), simple.takes, simple.code
        found = _unwrap(within, depth + 1)
        outer = simple if simple.words[0].endswith("find") else Simple()
    if found and simple.writes:
        found[-1].writes = True
        found[-1].into += simple.into
    return [outer, *found] if outer.words else found


def _script_of(words: list[str]) -> str:
    """The text behind `-c` or `-lc`, empty where a shell runs a file."""
    for place, word in enumerate(words[1:], 1):
        if word[:1] not in "-+":
            return ""
        if word[:2] != "--" and "c" in word and word[:1] == "-":
            return next((each for each in words[place + 1 :] if each[:1] != "-"), "")
    return ""


def _behind(words: list[str], valued: frozenset[str]) -> list[str]:
    """The command that a wrapper runs: what is behind its options and assignments."""
    place = 1
    while place < len(words):
        word = words[place]
        if word == "--":
            return words[place + 1 :]
        if word in valued:
            place += 1
        elif word[:1] != "-" and not _ASSIGNMENT.match(word):
            break
        place += 1
    return words[place:]


def _executed(words: list[str]) -> list[str]:
    """What `find -exec` runs, with the file it looks for by name in the place of `{}`."""
    for flag in ("-exec", "-execdir", "-ok", "-okdir"):
        if flag in words:
            inner = words[words.index(flag) + 1 :]
            end = next((n for n, word in enumerate(inner) if word in (";", "+", "\\;")), len(inner))
            return [_sought(words) if word == "{}" else word for word in inner[:end]]
    return []


def _sought(words: list[str]) -> str:
    root = words[1] if len(words) > 1 and words[1][:1] not in "-(!" else "."
    if "-name" in words[:-1]:
        return f"{root.rstrip('/')}/{words[words.index('-name') + 1]}"
    return "{}"
