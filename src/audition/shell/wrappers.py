"""Takes the wrappers off shell commands: `bash -lc`, `env`, `timeout`, `xargs`, `find -exec` …

In: a line. Out: the simple commands that do the work. Must not know: what they are for.
"""

import re

from audition.shell.ends import KEYWORDS, ZERO
from audition.shell.variables import BEGINS, learn
from audition.shell.words import NOTHING_KNOWN, SHELLS, Known, Simple, read_words, writer

DEEPEST = 8
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_SHELL_VALUED = frozenset(("-o", "+o", "-O", "+O", "--rcfile", "--init-file"))
"""Options of a shell that take a value; a bundle such as `-euo` takes one as its last letter does."""
_WRAPPERS: dict[str, frozenset[str]] = {
    "env": frozenset(("-u", "--unset", "-C", "--chdir")),
    "sudo": frozenset(("-u", "-g", "-h", "-p", "-C", "-T", "-D", "-R", "-U")),
    "timeout": frozenset(("-k", "--kill-after", "-s", "--signal")),
    "nice": frozenset(("-n", "--adjustment")),
    "nohup": frozenset(),
    "doas": frozenset(("-u", "-C")),
    "time": frozenset(("-f", "-o", "--format", "--output")),
    "gtime": frozenset(("-f", "-o")),
    "exec": frozenset(("-a",)),
    "command": frozenset(),
    "builtin": frozenset(),
    "stdbuf": frozenset(("-i", "-o", "-e")),
    "setsid": frozenset(),
    "ionice": frozenset(("-c", "-n")),
    "xargs": frozenset(("-n", "-P", "-d", "-L", "-s", "-E", "-a", "-I")),
    "caffeinate": frozenset(("-t", "-w")),
    "chronic": frozenset(),
    "unbuffer": frozenset(),
    "busybox": frozenset(),
    "watch": frozenset(("-n", "--interval")),
    "strace": frozenset(("-e", "-o", "-p", "-s", "-u", "-E")),
    "taskset": frozenset(),
    "flock": frozenset(("-w", "--timeout", "-E")),
    "npx": frozenset(("-p", "--package")),
    "bunx": frozenset(),
    "parallel": frozenset(("-j", "--jobs", "-N", "-n", "--delay", "--retries")),
    "chroot": frozenset(),
    "unshare": frozenset(),
    "nsenter": frozenset(("-t", "--target")),
    "fakeroot": frozenset(),
    "firejail": frozenset(),
    "gosu": frozenset(),
    "proxychains": frozenset(("-f",)),
    "proxychains4": frozenset(("-f",)),
    "runuser": frozenset(("-u", "-g", "-G")),
    "setpriv": frozenset(),
    "systemd-run": frozenset(("-p", "-u", "-E", "-M", "-H", "--unit", "--slice")),
    "uvx": frozenset(("--from", "--with", "-p", "--python")),
}
"""Programs that run another, with those of their options that take a value."""
_FIRST_IS_OWN = frozenset(("timeout", "flock", "taskset", "chroot", "gosu"))
"""Their first word is for themselves: a time, a file, a mask, a folder, a user."""
_RUNNERS: dict[tuple[str, str], frozenset[str]] = {
    ("uv", "run"): frozenset(("--with", "--python", "-p", "--project", "--extra", "--group")),
    ("poetry", "run"): frozenset(),
    ("pipenv", "run"): frozenset(),
    ("pdm", "run"): frozenset(("-p", "--project")),
    ("hatch", "run"): frozenset(),
    ("rye", "run"): frozenset(),
    ("pixi", "run"): frozenset(("-e", "--environment")),
    ("conda", "run"): frozenset(("-n", "--name", "-p", "--prefix")),
    ("bundle", "exec"): frozenset(),
    ("npm", "exec"): frozenset(("-p", "--package")),
    ("pnpm", "exec"): frozenset(),
    ("yarn", "exec"): frozenset(),
    ("pipx", "run"): frozenset(("--spec", "--python")),
    ("coverage", "run"): frozenset(("--source", "--omit", "--include", "--rcfile", "--context")),
    **dict.fromkeys(
        (
            *(("mise", "exec"), ("mise", "x"), ("asdf", "exec"), ("rbenv", "exec")),
            *(("pyenv", "exec"), ("doppler", "run"), ("dotenv", "run"), ("op", "run")),
            *(("infisical", "run"), ("devbox", "run"), ("direnv", "exec")),
        ),
        frozenset(),
    ),
}
"""Programs that run another behind a word of their own."""
_PASSED_ON = {"find": 0, "script": 0, "watch": 0, "xargs": ZERO}
"""What is told of the command inside by the exit code of these; all others pass it on."""
_SCRIPTED = {
    **dict.fromkeys(("su", "script", "runuser", "sg"), ("-c", "--command")),
    **dict.fromkeys(("pwsh", "powershell"), ("-c", "-Command", "-command")),
    "flock": ("-c",),
    "nix-shell": ("--run", "--command"),
}
"""Programs that run a line behind one of these options."""
_BUNDLES_C = frozenset(("su", "script", "runuser", "sg"))
"""Of these the letters of several options may stand in one word, `-c` as the last."""
_TAKES_ONLY = re.compile(r"""\s*<\s*(?:[^\s<>&|;()'"]+|"[^"]*"|'[^']*')\s*""")
"""`$(<file)`, which stands for `$(cat file)`."""


def find_commands(line: str, depth: int = 0, known: Known = NOTHING_KNOWN) -> list[Simple]:
    """The simple commands of a line, in order, out of all wrappers and substitutions."""
    found: list[Simple] = []
    before: Simple | None = None
    for simple in read_words(line):
        if before and before.then == "|" and not simple.code:
            simple.code = _printed(before) if _reads_a_line(simple.words) else ""
        before = simple
        if known:
            simple.known = known
        if not simple.script:
            if simple.words and ("=" in simple.words[0] or simple.words[0] in BEGINS):
                known = learn(simple.words, known)
            found.extend(_unwrap(simple, depth))
        elif depth < DEEPEST:
            script = simple.script
            inside = find_commands(
                f"cat {script}" if _TAKES_ONLY.fullmatch(script) else script, depth + 1, known
            )
            for each in inside:
                each.tells = 0
            found.extend(inside)
        else:
            found.append(writer())
    return found


def _reads_a_line(words: tuple[str, ...]) -> bool:
    """Whether it is a shell that takes its lines from what is piped into it."""
    shell = bool(words) and words[0].rpartition("/")[2] in SHELLS
    return shell and all(each[:1] == "-" and "c" not in each for each in words[1:])


def _printed(simple: Simple) -> str:
    """What `echo` or a here-document prints into a pipe; nothing where it is not known."""
    words = simple.words
    if words[:1] == ("cat",) and len(words) == 1:
        return simple.code
    return " ".join(words[1:]) if words[:1] in (("echo",), ("printf",)) else ""


def _unwrap(simple: Simple, depth: int) -> list[Simple]:
    words = list(simple.words)
    while words and (words[0] in KEYWORDS or _ASSIGNMENT.match(words[0])):
        words.pop(0)
    simple.words = tuple(words)
    if not words:
        return [simple] if simple.writes else []
    if words[0] == "function" and "{" in words:
        words = words[words.index("{") + 1 :]
        simple.words = tuple(words)
        return _unwrap(simple, depth)
    if words[0] in ("for", "case", "select", "function"):
        simple.words = ()
    name, text = words[0].rpartition("/")[2], _line_of(words)
    if name in SHELLS:
        text = _script_of(words) or simple.code
    inner = _wrapped(name, words)
    if not (text or inner) or depth >= DEEPEST:
        return [simple]
    outer = simple.words
    # It keeps all that is printed in a file, by default `typescript`.
    simple.writes = simple.writes or (name == "script" and "/dev/null" not in words)
    found = _inside(simple, text, inner, depth)
    tells = simple.tells & _PASSED_ON.get(name, simple.tells)
    for each in found:
        each.tells &= tells if each is not simple else simple.tells
    if found and found[0] is not simple:
        found[0].wrapped_in.insert(0, outer)
        found[0].beside = simple.beside
    return found


def _wrapped(name: str, words: list[str]) -> list[list[str]]:
    """The commands that another one runs, given as words."""
    if name == "find":
        return [each for each in _executed(words) if each]
    inner = _run_by(name, words)
    return [inner] if inner else []


def _run_by(name: str, words: list[str]) -> list[str]:
    """The command that another one runs, given as words; none where it runs none."""
    runner = _RUNNERS.get((name, words[1])) if len(words) > 1 else None
    if runner is not None:
        inner = _behind(words[1:], runner)
        if words[0] == "direnv":
            inner = inner[1:]  # the folder
        if words[0] == "coverage" and "-m" in words[2 : len(words) - len(inner)]:
            return inner
        return ["python", *inner] if inner and inner[0].endswith(".py") else inner
    if name not in _WRAPPERS or (name == "command" and words[1:2] in (["-v"], ["-V"])):
        return []
    inner = _behind(words, _WRAPPERS[name])
    if name in _FIRST_IS_OWN:
        return inner[1:]
    if name == "xargs" and inner and "{}" not in inner:
        inner.append("{}")
    return inner


def _inside(simple: Simple, text: str, inner: list[list[str]], depth: int) -> list[Simple]:
    """What a wrapper runs, under the redirections of the wrapper."""
    if text:
        found = find_commands(text, depth + 1, simple.known)
        outer = Simple()
    else:
        found = []
        for each in inner:
            within = Simple()
            within.words, within.takes, within.code = tuple(each), simple.takes, simple.code
            within.known = simple.known
            found += _unwrap(within, depth + 1)
        outer = simple if simple.words[0].endswith("find") else Simple()
    if found and simple.writes:
        found[-1].writes = True
        found[-1].into += simple.into
    return [outer, *found] if outer.words else found


def _script_of(words: list[str]) -> str:
    """The text behind `-c` or `-lc`, empty where a shell runs a file."""
    place, named = 1, False
    while place < len(words) and words[place][:1] in ("-", "+"):
        word = words[place]
        named = named or (word[:1] == "-" and word[:2] != "--" and "c" in word)
        # `-euo pipefail`: the last letter takes the next word.
        bundle = word[:2] != "--" and word[-1] in "oO" and len(word) > 1
        place += 2 if bundle or word in _SHELL_VALUED else 1
    return words[place] if named and place < len(words) else ""


def _line_of(words: list[str]) -> str:
    """The line that `eval`, `su -c` and their like run; empty where it is none of them."""
    name = words[0].rpartition("/")[2]
    if name == "eval":
        return " ".join(words[1:])
    if name == "env":
        for place, word in enumerate(words[1:], 1):
            if word in ("-S", "--split-string"):
                return " ".join(words[place + 1 :])
            if word[:1] != "-" and not _ASSIGNMENT.match(word):
                return ""
    for place, word in enumerate(words[1:] if name in _SCRIPTED else (), 2):
        flag, given, value = word.partition("=")
        if flag in _SCRIPTED[name] and given and flag[:2] == "--":
            return value
        bundle = name in _BUNDLES_C and word[:2] != "--" and word[:1] == "-" and word[-1] == "c"
        if (bundle or word in _SCRIPTED[name]) and place < len(words):
            return words[place]
    return ""


def _behind(words: list[str], valued: frozenset[str]) -> list[str]:
    """The command that a wrapper runs: what is behind its options and assignments."""
    place = 1
    while place < len(words):
        word = words[place]
        if word == "--":
            return words[place + 1 :]
        if word in valued or _ends_in_valued(word, valued):
            place += 1
        elif word[:1] != "-" and not _ASSIGNMENT.match(word):
            break
        place += 1
    return words[place:]


def _ends_in_valued(word: str, valued: frozenset[str]) -> bool:
    """`sudo -Eu root`: of letters in one word, the first that takes a value ends the word."""
    if len(word) < 3 or word[0] != "-" or word[1] == "-":
        return False
    letters = [place for place, letter in enumerate(word) if f"-{letter}" in valued and place]
    return letters[:1] == [len(word) - 1]


def _executed(words: list[str]) -> list[list[str]]:
    """What each `find -exec` runs, with the file it looks for by name in the place of `{}`."""
    found: list[list[str]] = []
    inner: list[str] | None = None
    for word in words:
        if inner is None:
            if word in ("-exec", "-execdir", "-ok", "-okdir"):
                found.append(inner := [])
        elif word in (";", "+", "\\;"):
            inner = None
        else:
            inner.append(_sought(words) if word == "{}" else word)
    return found


def _sought(words: list[str]) -> str:
    root = words[1] if len(words) > 1 and words[1][:1] not in "-(!" else "."
    if "-name" in words[:-1]:
        return f"{root.rstrip('/')}/{words[words.index('-name') + 1]}"
    return "{}"
