"""Whether a call has to do with the folder of a skill, so that what it shows may come from there.

In: a call, a skill. Out: yes or no. Must not know: what the call printed.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from posixpath import basename, dirname

from audition.bundled import BODY_FILE
from audition.model import Call, Skill
from audition.shell import in_folder, spelled, steps_of

UNREAL = re.compile(r"[*?\[\]{}$`]|^\.*$")
"""What a folder's name holds, as typed, when it is none yet."""
_FOLDER_KEYS = ("workdir", "cwd", "directory", "dir_path", "working_directory")
"""How agents call the folder that a command is to run in."""
_SEEKERS = frozenset(("find", "fd", "fdfind", "rg", "grep", "git", "ls", "locate"))
"""Programs that are given a name to look for."""
_BODY = re.compile(r"(?:([^\s/'\"=(:,]+)/+)?SKILL\.md")


def folder_of(call: Call) -> str:
    """The folder that a shell call was told to run in; empty where it was told none."""
    given = (call.input.get(key) for key in _FOLDER_KEYS)
    return next((each for each in given if each and isinstance(each, str)), "")


def is_near(skill: Skill, call: Call) -> bool:
    """Whether a call names the folder of a skill, or a SKILL.md that may be the skill's.

    `cat other/SKILL.md README.md` is near the one skill alone; `find . -name SKILL.md` and
    `cat */SKILL.md` are near all.
    """
    words: tuple[str, ...] = call.paths
    if call.does == "shell":
        folder = folder_of(call)
        typed = f"{folder} {call.command}"
        if skill.folder not in typed and "SKILL.md" not in typed:
            return False  # most: they need not be taken apart
        words = _words(call.command, folder)
    own = _folder_pattern(skill)
    for word in words:
        if own.search(word):
            return True
        for found in _BODY.finditer(word):
            folder = found[1] or ""
            if folder == skill.folder or UNREAL.search(folder):
                return True
    return False


@lru_cache(maxsize=256)
def _folder_pattern(skill: Skill) -> re.Pattern[str]:
    # Where it lies here, or in a folder of skills, as agents have them; not any of its name:
    # a project may have a `docs/`, and a skill for it.
    shelves = {"skills", basename(dirname(skill.path.rstrip("/")))} - {""}
    above = "|".join(map(re.escape, sorted(shelves)))
    return re.compile(rf"(?:^|[^\w.-])(?:{above})/+{re.escape(skill.folder)}(?![\w.-])")


@lru_cache(maxsize=32)  # asked for each skill in turn
def _words(line: str, folder: str) -> tuple[str, ...]:
    """The words of a line, as seen from where it began."""
    return tuple(_words_in(line, folder))


def _words_in(line: str, folder: str) -> Iterator[str]:
    yield folder
    for step in steps_of(line):
        yield step.code
        seeks = bool(step.words) and basename(step.words[0]) in _SEEKERS
        for typed in (*step.words, *step.takes):
            for word in spelled(typed, step.known):
                yield in_folder(folder, in_folder(step.folder, word))
                if seeks and word == BODY_FILE:
                    yield word  # a name, wherever it is found
