"""Finds shell commands in the JavaScript that a model gives to the tool `exec`.

In: a script such as `await tools.exec_command({cmd: "cat x"})`. Out: its command lines, and their folder.
Nothing is run: literals are taken as they stand; a command that the script puts together
is not found, and the script itself stands for it.
Must not know: events.
"""

import json
import re

_CALL = re.compile(r"exec_command\s*\(")
_LITERAL = r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)"""
_CMD = re.compile(rf"""["']?\bcmd["']?\s*:\s*{_LITERAL}""", re.DOTALL)
_WORKDIR = re.compile(rf"""["']?\bworkdir["']?\s*:\s*{_LITERAL}""", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\n": ""}


def commands_in(script: str) -> tuple[str, ...]:
    """The command lines a script hands to the shell, in order."""
    if not _CALL.search(script):
        return ()
    found = tuple(_unquote(each) for each in _CMD.findall(script))
    return found or (script,)


def folder_in(script: str) -> str:
    """The folder in which a script's commands run, where it names one and no more."""
    found = {_unquote(each) for each in _WORKDIR.findall(script)}
    return found.pop() if len(found) == 1 else ""


def _unquote(literal: str) -> str:
    if literal.startswith('"'):
        try:
            return str(json.loads(literal, strict=False))
        except ValueError:
            pass  # an escape that JavaScript has and JSON has not
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), literal[1:-1], flags=re.DOTALL)
