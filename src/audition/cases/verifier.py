"""Whether the program that a case is checked by is here: said before anybody is asked.

In: the Node of a command. Out: findings. Must not know: how the program is started.

Only what is sure is a mistake: a word that no shell is there to read, one that is nearly the
name of a program, a file that cannot be started. A program that this machine does not have is
a warning: another may have it, the other cases are none the worse, and once it is installed
the run can be graded again for nothing. A relative path may be a file of the workspace,
which the agent is yet to make: where one beside the case file has nearly its name, that is a
warning, for a script that is not there ends with an exit code, as one that says no.
"""

import os
import re
import shlex
import shutil
from difflib import get_close_matches
from functools import cache

from audition.cases.fields import Findings
from audition.yaml_file import Node

INTERPRETER = re.compile(r"(python|pypy)[\d.]*|(ba|da|z)?sh|node|deno|bun|ruby|perl|php|Rscript")
SHELL_WORDS = frozenset(
    ("cd", "export", "source", ".", "if", "for", "while", "set", "!", "{", "exit", "eval", "ulimit")
)
NO_SHELL = 'no shell runs it: write `[bash, -c, "…"]`'
SAID_NEAR = 0.8


def look_for_program(node: Node, findings: Findings) -> None:
    """Note a command, known to have words, whose program is not here."""
    listed = isinstance(node.value, list)
    words: list[str] = node.written() if listed else shlex.split(node.written())
    folder = os.path.dirname(os.path.abspath(node.marked.path))
    places = node.items() if listed else [node] * len(words)
    first = words[0]
    if os.path.isfile(path := os.path.join(folder, first)):
        if why := _cannot_start(path):
            hint = "name the interpreter before it, such as `python3 FILE`"
            findings.say(places[0], f"`{first}` {why}", hint)
    elif first.startswith(("/", "~", "$")):
        # A `~` is no home and a `$X` no variable where no shell runs.
        hint = _near_path(first) if first.startswith("/") else NO_SHELL
        _miss(places[0], f"there is no program `{first}`", hint, findings)
    elif "/" in first:
        _doubt(first, folder, places[0], findings)
    elif not _is_here(first):
        message = f"program `{first}` is neither beside the case file nor on PATH"
        hint = "that is a folder" if os.path.isdir(path) else _hint(first, folder)
        _miss(places[0], message, hint, findings)
    elif INTERPRETER.fullmatch(first) and words[1:] and "." in words[1][1:]:
        _doubt(words[1], folder, places[1], findings)


def _miss(node: Node, message: str, hint: str, findings: Findings) -> None:
    if hint:
        findings.say(node, message, hint)
    else:
        findings.say(node, message, "install it, or name a file beside the case file", "warning")


def _cannot_start(path: str) -> str:
    """Why the kernel would refuse a file, where that is sure; it is no shell, which may not."""
    if not os.access(path, os.X_OK):
        return "is not executable"
    try:
        with open(path, "rb") as file:
            line = file.readline(256)
    except OSError:
        return ""
    if not line.startswith(b"#!"):
        text = line.strip().decode("ascii", "replace")
        return "" if text and not text.isprintable() else "has no `#!` line"
    if line.endswith(b"\r\n"):
        return "has a carriage return in its `#!` line"
    words = os.fsdecode(line[2:]).split()
    if words[:1] and os.path.basename(words[0]) == "env" and words[1:2]:
        named = words[1].startswith("-") or "=" in words[1] or _is_here(words[1])
        return "" if named else f"wants `{words[1]}`, which is not on PATH"
    return "" if words and os.path.exists(words[0]) else "wants an interpreter that is not here"


def _is_here(word: str) -> bool:
    return _on_path(word, os.environ.get("PATH", os.defpath))


@cache
def _on_path(word: str, path: str) -> bool:
    return shutil.which(word, path=path) is not None


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _near_path(path: str) -> str:
    folder, name = os.path.split(path)
    near = get_close_matches(name, _names(folder), n=1)
    return f"did you mean `{os.path.join(folder, near[0])}`?" if near else ""


def _hint(word: str, folder: str) -> str:
    if word in SHELL_WORDS or "=" in word:
        return NO_SHELL
    places = os.environ.get("PATH", os.defpath).split(os.pathsep)
    known = (name for place in places for name in _names(place))
    near = get_close_matches(word, _names(folder), n=1) or get_close_matches(
        word, known, n=1, cutoff=SAID_NEAR
    )
    return f"did you mean `{near[0]}`?" if near else ""


def _doubt(word: str, folder: str, node: Node, findings: Findings) -> None:
    """A path that may be of the workspace, and is hardly so where its like is beside the case."""
    path = os.path.join(folder, word)
    if word.startswith(("-", "/")) or os.path.exists(path):
        return
    above, name = os.path.split(path)
    if near := get_close_matches(name, _names(above), n=1, cutoff=SAID_NEAR):
        meant = os.path.join(os.path.dirname(word), near[0])
        message = f"`{word}` is no file beside the case file; it is looked for in the workspace"
        findings.say(node, message, f"did you mean `{meant}`?", "warning")
