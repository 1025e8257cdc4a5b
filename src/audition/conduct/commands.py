"""Whether a simple command is the one that a pattern means.

In: the words of a pattern, a step of a shell line. Out: a yes or no.
Must not know: events, how lines are taken apart.
"""

from collections.abc import Mapping
from posixpath import basename

from audition.shell import Step, read_words

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
    **dict.fromkeys(("pip", "pip3", "uv", "poetry", "go", "brew", "apt", "apt-get"), frozenset()),
}
"""Programs whose second word says what they do, and their options before it with a value."""


def read_command(text: str) -> tuple[str, ...]:
    """The words of a pattern's command, as they stand: wrappers are kept."""
    return read_words(text)[0].words


def runs(wanted: tuple[str, ...], step: Step) -> bool:
    """Whether a step of a line is the wanted command, itself or as a wrapper has it."""
    words = step.words
    if words and (wanted[0] == words[0] or "/" in words[0]) and _is(wanted, words):
        return True
    return bool(step.wrapped_in) and any(_is(wanted, each) for each in step.wrapped_in)


def _is(wanted: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether a simple command is the wanted one, perhaps with more words between and behind.

    The program is the first word, with or without its folder; the other words must come in
    this order, before any `--`. For a program with sub-commands (`git`, `npm` …) the second
    word must be the sub-command: `git log commit` is no `git commit`.
    """
    if wanted[0] not in (words[0], basename(words[0])):
        return False
    rest, left = wanted[1:], words[1:]
    if "--" in left and "--" not in rest:
        left = left[: left.index("--")]
    if rest and rest[0][:1] != "-" and (name := basename(wanted[0])) in _VALUED:
        left = _from_subcommand(left, _VALUED[name])
        if left[:1] != rest[:1]:
            return False
    found = iter(left)
    return all(word in found for word in rest)


def _from_subcommand(words: tuple[str, ...], valued: frozenset[str]) -> tuple[str, ...]:
    place = 0
    while place < len(words) and words[place][:1] in ("-", "+"):
        place += 2 if words[place] in valued else 1
    return words[place:]
