"""Whether a simple command is the one that a pattern means.

In: the words of a pattern, a step of a shell line. Out: a yes or no.
Must not know: events, how lines are taken apart.
"""

import re
from collections.abc import Iterator, Mapping
from posixpath import basename

from audition.shell import Step, in_folder, read_words, run_by

_VALUED: Mapping[str, frozenset[str]] = {
    "git": frozenset(("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env")),
    "docker": frozenset(("-H", "--host", "-c", "--context", "--config", "-l", "--log-level")),
    "kubectl": frozenset(("-n", "--namespace", "--context", "--kubeconfig", "-s", "--server")),
    "npm": frozenset(("--prefix", "-w", "--workspace")),
    "pnpm": frozenset(("-C", "--dir", "--filter", "-F")),
    "yarn": frozenset(("--cwd",)),
    "cargo": frozenset(("--manifest-path", "-C", "--config", "--color")),
    "gh": frozenset(("-R", "--repo")),
    "helm": frozenset(("-n", "--namespace", "--kube-context")),
    "go": frozenset(("-C",)),
    **dict.fromkeys(("pip", "pip3", "uv", "poetry", "brew", "apt", "apt-get"), frozenset()),
}
"""Programs whose second word says what they do, and their options before it with a value."""


_PYTHON = re.compile(r"(?:python|pypy)[\d.]*|py")


def read_command(text: str) -> tuple[str, ...]:
    """The words of a pattern's command, as they stand: wrappers are kept."""
    return read_words(text)[0].words


def runs(wanted: tuple[str, ...], step: Step) -> bool:
    """Whether a step of a line is the wanted command, itself or as a wrapper has it."""
    words = step.words
    if words and "/" in words[0]:
        words = (in_folder(step.folder, words[0]), *words[1:])
    if words and (wanted[0] == words[0] or "/" in words[0]) and _is(wanted, words):
        return True
    if any(_is(wanted, each) for each in _run_inside(step)):
        return True
    return bool(step.wrapped_in) and any(_is(wanted, each) for each in step.wrapped_in)


def _run_inside(step: Step) -> Iterator[tuple[str, ...]]:
    """What an interpreter runs: `python -m pytest` is `pytest`, `bash a/check.sh` is `a/check.sh`."""
    words = step.words
    if len(words) > 1 and "-m" in words and _PYTHON.fullmatch(basename(words[0])):
        place = words.index("-m") + 1
        if all(
            each[:1] == "-" or words[at] in ("-X", "-W") for at, each in enumerate(words[1:place])
        ):
            yield words[place:]
    for path in run_by(step):
        for place, word in enumerate(words[1:], 1):
            if in_folder(step.folder, word) == path:
                yield path, *words[place + 1 :]
                break


def _is(wanted: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether a simple command is the wanted one, perhaps with more words between and behind.

    The program is the first word, with or without its folder; the other words must come in
    this order, before any `--`. For a program with sub-commands (`git`, `npm` …) the second
    word must be the sub-command: `git log commit` is no `git commit`.
    """
    if not words or not _is_program(wanted[0], words[0]):
        return False
    rest, left = wanted[1:], words[1:]
    if "--" in left and "--" not in rest:
        left = left[: left.index("--")]
    if rest and rest[0][:1] != "-" and (name := basename(wanted[0])) in _VALUED:
        left = _from_subcommand(left, _VALUED[name])
        if left[:1] != rest[:1]:
            return False
    found = (word.removeprefix("./") for word in left)
    return all(word.removeprefix("./") in found for word in rest)


def _is_program(wanted: str, word: str) -> bool:
    """Whether a program is the wanted one; `a/b` fits below any folder, `./a/b` and `/a/b` not."""
    if "/" not in wanted:
        return wanted == word or ("/" in word and word.endswith(f"/{wanted}"))
    if wanted[0] in "./":
        return wanted.removeprefix("./") == word.removeprefix("./")
    return f"/{word}".endswith(f"/{wanted}")


def _from_subcommand(words: tuple[str, ...], valued: frozenset[str]) -> tuple[str, ...]:
    place = 0
    while place < len(words) and words[place][:1] in ("-", "+"):
        place += 2 if words[place] in valued else 1
    return words[place:]
