"""Whether a call has to do with the folder of a skill, so that what it shows may come from there.

In: a call, a skill. Out: yes or no. Must not know: what the call printed.
"""

import re
from collections.abc import Callable, Iterator
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


def nearness(call: Call) -> Callable[[Skill], bool]:
    """Whether a call names the folder of a skill, or a SKILL.md that may be the skill's.

    `cat other/SKILL.md README.md` is near the one skill alone; `find . -name SKILL.md` and
    `cat */SKILL.md` are near all.
    """
    # Made once a call: it is asked of every skill on offer, which may be hundreds.
    by_shell = call.does == "shell"
    folder = folder_of(call) if by_shell else ""
    typed = f"{folder} {call.command}"
    may_be_any = not by_shell or BODY_FILE in typed

    def is_near(skill: Skill) -> bool:
        if not may_be_any and skill.folder not in typed:
            return False  # most: they need not be taken apart
        words = _words(call.command, folder) if by_shell else call.paths
        return any(_names(skill, word) for word in words)

    return is_near


def _names(skill: Skill, word: str) -> bool:
    if skill.folder in word and _folder_pattern(skill.path, skill.folder).search(word):
        return True
    if BODY_FILE not in word:
        return False
    folders = (found[1] or "" for found in _BODY.finditer(word))
    return any(each == skill.folder or UNREAL.search(each) for each in folders)


@lru_cache(maxsize=256)
def _folder_pattern(path: str, folder: str) -> re.Pattern[str]:
    # Where it lies here, or in a folder of skills, as agents have them; not any of its name:
    # a project may have a `docs/`, and a skill for it.
    shelves = {"skills", basename(dirname(path.rstrip("/")))} - {""}
    above = "|".join(map(re.escape, sorted(shelves)))
    return re.compile(rf"(?:^|[^\w.-])(?:{above})/+{re.escape(folder)}(?![\w.-])")


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
