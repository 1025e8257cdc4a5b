"""What the commands of a line read and run, and whether they merely look around.

In: a line. Out: words, paths, a yes or no. Must not know: how words are found.
"""

import re
from collections.abc import Collection
from fnmatch import fnmatchcase
from functools import lru_cache
from posixpath import basename, isabs, join, normpath

from audition.model import Value
from audition.shell.variables import spelled
from audition.shell.words import Known
from audition.shell.wrappers import find_commands

LOOKS = frozenset(
    "cd pushd popd pwd ls dir echo printf which type tree stat file find realpath readlink dirname "  # noqa: SIM905
    "basename test [ [[ true false : set shopt export declare local readonly typeset unset exit "
    "return".split()
)
FILTERS = frozenset(("head", "tail", "wc", "cat", "sort", "uniq", "less", "more", "nl", "cut"))
READS = frozenset(
    "cat tac nl head tail less more bat batcat sed awk gawk grep egrep fgrep rg wc cut sort uniq "  # noqa: SIM905
    "strings jq diff xxd od base64 source .".split()
)
_TELLS_OF = frozenset(("wc", "grep", "egrep", "fgrep", "rg", "diff"))
"""They read a file, and tell of it; what stands in it they need not show."""
_READS_OFFERED = READS - {"awk", "gawk", "diff", "source", "."}
_PATTERN_FIRST = frozenset(("sed", "awk", "gawk", "grep", "egrep", "fgrep", "rg", "jq"))
_PATTERN_OPTIONS = frozenset(("grep", "egrep", "fgrep", "rg", "sed"))
_TAKES_VALUE = {
    **dict.fromkeys(("head", "tail"), frozenset(("-n", "-c"))),
    **dict.fromkeys(("grep", "egrep", "fgrep", "rg"), frozenset(("-A", "-B", "-C", "-m"))),
    **dict.fromkeys(("awk", "gawk"), frozenset(("-F", "-v"))),
    "cut": frozenset(("-d", "-f", "-c", "-b")),
    "bat": frozenset(("-r", "--line-range", "-l", "--language", "--style")),
}
_INTERPRETERS = re.compile(
    r"(python|pypy)[\d.]*|node|bun|deno|ruby|perl|php|(?:ba)?sh|zsh|dash|ksh|tsx|ts-node|Rscript|pwsh"
    r"|source|\."
)
_OPENED = re.compile(
    r"""(?:open|Path|File\.read|read_text|readFileSync|readFile)\s*\(\s*[rbf]*["']([^"']+)"""
)
_PRINTS = re.compile(r"[\d$,;pq\s+~]*")
_FIND_ACTS = frozenset(("-delete", "-fprint", "-fprint0", "-fprintf", "-fls"))
"""What `find` does itself; what it executes is a command of its own."""
_TREE_WRITES = re.compile(r"-[A-Za-z]*o")
_SORT_WRITES = re.compile(r"-[A-Za-z]*o|--output")
_PATTERN_FILE = re.compile(r"-[A-Za-df-z]*?f(.*)|--file(?:=(.*))?", re.DOTALL)
_PATTERN_GIVEN = re.compile(r"-[A-Za-df-z]*[ef].+|--(?:regexp|expression|file)=", re.DOTALL)
"""Of `grep`, `rg` and `sed`: with it the first word is no pattern but a file."""
_HERE = re.compile(r"(?:\$PWD|\$\{PWD\}|\$\(pwd\)|`pwd`)(?:/+|$)")


class Step(Value, frozen=True, kw_only=True):
    """A simple command and the folder that `cd` led to before it."""

    words: tuple[str, ...]
    folder: str
    takes: tuple[str, ...]
    into: tuple[str, ...]
    writes: bool
    code: str
    wrapped_in: tuple[tuple[str, ...], ...]
    """The wrappers that were taken off it, as words: `sudo rm x`, the outermost first."""
    place: int
    """When it runs: what is piped, or in the background, has the place of what it runs beside."""
    tells: int
    """What the exit code of the line tells of it: see ends.py."""
    known: Known
    """What the variables hold that the line gave a value before it."""


def split_commands(line: str) -> tuple[tuple[str, ...], ...]:
    """The simple commands of a line as words, out of all wrappers and substitutions."""
    return tuple(simple.words for simple in find_commands(line) if simple.words)


def is_look_around(line: str, skill_files: Collection[str]) -> bool:
    """Whether a line does no more than look around or read an offered SKILL.md.

    Such a line does not count as effective. Every simple command of it, under any wrapper,
    must be one of:
    * `cd pushd popd pwd ls dir echo printf which type stat file realpath readlink dirname
      basename test true false`, `command -v`, and `find` and `tree` that write and delete nothing;
    * what only tells the shell how to go on: `set shopt export declare local readonly
      typeset unset exit return`;
    * a filter of what these print, with no file of its own: `head tail wc cat sort uniq
      less more nl cut grep`;
    * a reader (`cat head tail less sed -n grep wc …`) of nothing but offered SKILL.md files,
      or of those that a `find -name SKILL.md` of the line finds.
    Whatever is written anywhere but to /dev/null makes the line effective, so `echo x > y`
    is; so does everything that is not in this list, as `git status` or `cat README.md`.
    """
    steps = steps_of(line)
    sought = any(_name(each.words) == "find" and "SKILL.md" in each.words for each in steps)
    return all(_looks(step, skill_files, sought=sought) for step in steps)


def reads_in(line: str) -> tuple[str, ...]:
    """The paths that the reading commands of a line name, `cd` before them applied."""
    return tuple(dict.fromkeys(path for step in steps_of(line) for path in read_by(step)))


def prints_in(line: str) -> frozenset[str]:
    """Of these paths those whose text is printed, and not counted, searched or edited."""
    return frozenset(path for step in steps_of(line) if _prints(step) for path in read_by(step))


def runs_in(line: str) -> tuple[str, ...]:
    """The paths of the scripts that a line runs, `cd` before them applied."""
    return tuple(dict.fromkeys(path for step in steps_of(line) for path in run_by(step)))


@lru_cache(maxsize=128)  # each line is asked about three times in a row
def steps_of(line: str) -> tuple[Step, ...]:
    """The simple commands of a line, each with the folder it runs in."""
    folder, place = "", -1
    steps: list[Step] = []
    for simple in find_commands(line):
        place += not (simple.beside and steps)
        steps.append(
            Step(
                words=simple.words,
                folder=folder,
                takes=tuple(simple.takes),
                into=tuple(simple.into),
                writes=simple.writes,
                code=simple.code,
                wrapped_in=tuple(simple.wrapped_in),
                place=place,
                tells=simple.tells,
                known=simple.known,
            )
        )
        if simple.words and simple.words[0] in ("cd", "pushd"):
            into = next((word for word in simple.words[1:] if word[:1] != "-"), "~")
            folder = in_folder(folder, spelled(into, simple.known)[0])
    return tuple(steps)


def in_folder(folder: str, path: str) -> str:
    """A path as typed in a folder, seen from where the line began."""
    if path.startswith(("$", "`")):
        path = _HERE.sub("", path, count=1) or "."
    if isabs(path) or path[:1] in "~$" or not folder:
        return path
    return normpath(join(folder, path))


def _name(words: tuple[str, ...]) -> str:
    return words[0].rpartition("/")[2] if words else ""


def _operands(words: tuple[str, ...]) -> list[str]:
    """The words that are no options, nor the values of options, nor a pattern or program."""
    name = _name(words)
    valued = _TAKES_VALUE.get(name, frozenset())
    pattern = name in _PATTERN_FIRST
    found: list[str] = []
    rest = iter(words[1:])
    for word in rest:
        if word == "--":
            found.extend(rest)
        elif len(word) > 1 and word[0] == "-":
            if pattern and word in ("-e", "-f", "--expression", "--regexp", "--file"):
                next(rest, None)
                pattern = False
            elif pattern and name in _PATTERN_OPTIONS and _PATTERN_GIVEN.match(word):
                pattern = False
            elif word in valued:
                next(rest, None)
        else:
            found.append(word)
    return found[1:] if pattern else found


def read_by(step: Step) -> list[str]:
    """The paths that a simple command reads."""
    return [
        in_folder(step.folder, path)
        for each in _read_by(step)
        for path in spelled(each, step.known)
    ]


def run_by(step: Step) -> list[str]:
    """The path of the script that a simple command runs, if it runs one."""
    path = _run_by(step.words)
    if not path and step.takes and _INTERPRETERS.fullmatch(_name(step.words)):
        path = step.takes[0] if not step.words[1:] or step.words[-1] in ("-", "-s") else ""
    return [in_folder(step.folder, each) for each in spelled(path, step.known)] if path else []


def _read_by(step: Step) -> list[str]:
    name = _name(step.words)
    if name in READS:
        return [*_operands(step.words), *step.takes]
    if _INTERPRETERS.fullmatch(name):
        code = [step.code] if step.code else []
        for place, word in enumerate(step.words[:-1]):
            if word in ("-c", "-e", "--eval", "-p"):
                code.append(step.words[place + 1])
        return [path for text in code for path in _OPENED.findall(text)]
    return []


def _run_by(words: tuple[str, ...]) -> str:
    name = _name(words)
    if not _INTERPRETERS.fullmatch(name):
        return words[0] if words and "/" in words[0] and not words[0].endswith("/") else ""
    rest = iter(words[1:])
    for word in rest:
        if word in ("-c", "-e", "-m", "--eval", "-p", "-"):
            return ""
        if word in ("-W", "-X", "-r", "--require", "--import", "-I"):
            next(rest, None)
        elif word == "run" and name in ("bun", "deno"):
            continue
        elif word[:1] not in ("-", "+"):
            return word
    return ""


def _prints(step: Step) -> bool:
    name = _name(step.words)
    return name not in _TELLS_OF and not (name == "sed" and _edits(step.words))


def _looks(step: Step, skill_files: Collection[str], *, sought: bool) -> bool:
    name, words = _name(step.words), step.words
    if step.writes or not words:
        return not step.writes
    if name in LOOKS:
        return not (
            (name == "find" and _FIND_ACTS.intersection(words))
            or (name == "tree" and any(_TREE_WRITES.match(word) for word in words[1:]))
        )
    if name == "command":
        return words[1:2] in (("-v",), ("-V",))
    if name not in _READS_OFFERED or _acts(name, words):
        return False
    typed = [
        path
        for each in (*_operands(words), *_patterns_in(name, words), *step.takes)
        for path in spelled(each, step.known)
    ]
    named = [in_folder(step.folder, path) for path in typed]
    if not named:
        return name in FILTERS or name == "grep"
    found = [sought and basename(path) in ("SKILL.md", "{}") for path in named]
    return all(found) or all(_is_offered(path, skill_files) for path in named)


def _acts(name: str, words: tuple[str, ...]) -> bool:
    """Whether a reader does more than print what it is given."""
    if name == "sort":
        return any(_SORT_WRITES.match(word) for word in words[1:])
    if name == "grep":
        return any(re.match(r"-\w*[rR]|--(dereference-)?recursive", word) for word in words)
    return name == "sed" and not _only_prints(words)


def _patterns_in(name: str, words: tuple[str, ...]) -> list[str]:
    """The files that `grep -f` takes its patterns from."""
    found: list[str] = []
    for place, word in enumerate(words if "grep" in name else (), 1):
        match = _PATTERN_FILE.fullmatch(word)
        if match:
            found.append(match[1] or match[2] or "".join(words[place : place + 1]))
    return found


def _only_prints(words: tuple[str, ...]) -> bool:
    scripts = [word for word in words[1:] if word[:1] != "-"][:1]
    scripts += [words[at + 1] for at, word in enumerate(words[:-1]) if word in ("-e", "-f")]
    return not _edits(words) and all(_PRINTS.fullmatch(script) for script in scripts)


def _edits(words: tuple[str, ...]) -> bool:
    return any(re.match(r"-\w*i|--in-place", word) for word in words[1:])


def _is_offered(path: str, skill_files: Collection[str]) -> bool:
    """Whether a path, as typed, names one of the offered SKILL.md files."""
    path = normpath(path) if path else ""
    if basename(path) != "SKILL.md" or "{}" in path:
        return False
    if path == "SKILL.md":
        return bool(skill_files)
    tail = "/".join(path.split("/")[-2:])
    return any(fnmatchcase("/".join(offered.split("/")[-2:]), tail) for offered in skill_files)
