"""The rule on bundled shell scripts: SK408. Bash reads them; nothing is run.

In: all skills. Out: findings. Must not know: what a script is for.

A bash for each script would cost more than all other rules together, so one reads many: each
stands in the body of a function of its own, where half an `if` cannot be closed by the next
script. Only where such a lot does not parse is each of its scripts read alone.
"""

import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from audition.lint.folder import SkillFolder
from audition.lint.rule import rule
from audition.lint.scripts import whole_texts
from audition.model import Finding
from audition.process import Start, run_command

LOT = 64
SHELL_LINE = re.compile(r"#!\s*(?:/\S*/)?(?:env\s+(?:-S\s+)?)?(?:ba|da)?sh\b")
COMPLAINT = re.compile(r"line (\d+): (.+)")


class _Script(NamedTuple):
    skill: SkillFolder
    name: str
    text: str


@rule("SK408", "error", over="skills")
def bad_shell(skills: Sequence[SkillFolder]) -> Iterator[Finding]:
    """A shell script does not parse.

    Bash reads it with `-n`, which runs nothing; where bash is not here, no script is looked
    at. Scripts for zsh and other shells are let be.

    Bad:
        if [ -f out.csv ]; then rm out.csv
    Good:
        if [ -f out.csv ]; then rm out.csv; fi
    """
    bash = shutil.which("bash")
    if not bash:
        return
    with tempfile.TemporaryDirectory(prefix="audition-lint-") as place:
        for lot in _lots(_scripts(skills)):
            joined = "".join(f"f() {{\n:\n{each.text}\n}}\n" for each in lot)
            if not _complaints(bash, joined, Path(place)):
                continue
            for each in lot:
                for line, words in _complaints(bash, each.text, Path(place))[:1]:
                    at = min(line, len(each.text.splitlines())), 1
                    yield each.skill.say(f"not shell: {words}", "mend the script", at, each.name)


def _scripts(skills: Iterable[SkillFolder]) -> Iterator[_Script]:
    for skill in skills:
        for each, text in whole_texts(skill, ".sh", ".bash", ""):
            # Windows line ends are SK406.
            plain = text.replace("\r\n", "\n")
            if SHELL_LINE.match(plain) or (each.suffix and not plain.startswith("#!")):
                yield _Script(skill, each.name, plain)


def _lots(scripts: Iterable[_Script]) -> Iterator[list[_Script]]:
    lot: list[_Script] = []
    for each in scripts:
        lot.append(each)
        if len(lot) == LOT:
            yield lot
            lot = []
    if lot:
        yield lot


def _complaints(bash: str, text: str, place: Path) -> list[tuple[int, str]]:
    """What bash has to say of a text: line and words; nothing where it can read all of it."""
    # Patterns such as `@(a|b)` parse only with extglob, which a script may switch on as it runs.
    start = Start(
        argv=(bash, "--norc", "-O", "extglob", "-n"),
        cwd=str(place),
        env={"LC_ALL": "C", "PATH": "/nowhere"},
        stdin=text.encode("utf-8", "replace") or b"\n",
        stdout=place / "out",
        stderr=place / "err",
        seconds=10,
    )
    run_command(start)
    said = (place / "err").read_text(encoding="utf-8", errors="replace")
    found = [COMPLAINT.search(line) for line in said.splitlines()]
    return [(int(each[1]), each[2]) for each in found if each]
