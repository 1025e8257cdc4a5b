"""Skill folders: where they are, and what each says about itself.

In: paths, or none for the usual places. Out: Skills, sorted by path; whatever is wrong with
one is in its `problems`. SKILL.md is other people's text: nothing in it can stop us.
Must not know: cases, agents, how a skill is delivered.
"""

import hashlib
import json
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from audition.errors import BadFile, UsageError
from audition.front_matter import BODY_CAP, SIZE_CAP, first_paragraph, read_front_matter
from audition.model import Finding, Skill
from audition.telling import tell_apart
from audition.tree import holds_runs, is_no_part_of_a_skill, is_run

PLACES = (
    "skills",
    ".claude/skills",
    ".agents/skills",
    "plugin/skills",
    "plugins/*/skills",
    "*/SKILL.md",
    "SKILL.md",
)
PLUGIN = re.compile(r"[A-Za-z0-9][\w.-]{0,63}")
PASSED_BY = {".git", ".hg", "node_modules", ".venv", "__pycache__"}
DEPTH_CAP = 32
HEAD = 4 * 1024
MOST_HEADS = 256
"""Of so many bundled files so much is looked at, to know them where they are printed."""
Severity = Literal["error", "warning", "note"]


def find_skills(paths: Sequence[Path] = ()) -> tuple[Skill, ...]:
    """Every skill at or below the paths, or in the usual places; sorted by path."""
    return tuple(read_skill(Path(folder)) for folder in skill_folders(paths))


def holds_skill(folder: str, names: set[str]) -> bool:
    """Whether a folder with these entries is one that agents take for a skill."""
    del folder
    return "SKILL.md" in names


def skill_folders(
    paths: Sequence[Path] = (), is_skill: Callable[[str, set[str]], bool] = holds_skill
) -> tuple[str, ...]:
    """The folders of these skills, absolute, sorted; nothing in SKILL.md is read."""
    seen: set[tuple[int, int]] = set()
    folders = [
        folder
        for root in _roots(paths)
        for folder, names in _walk(root, seen, 0)
        if is_skill(folder, names)
    ]
    for folder in folders:
        if any("\udc80" <= each <= "\udcff" for each in folder):
            # What is kept of a run is JSON, which cannot hold such a name.
            raise BadFile(f"the name of the folder {folder!a} is not UTF-8", "rename it")
    return tuple(sorted(folders))


def _roots(paths: Sequence[Path]) -> Iterator[str]:
    if not paths:
        here = Path()
        for place in PLACES:
            for found in sorted(here.glob(place)):
                yield os.path.abspath(found.parent if found.name == "SKILL.md" else found)
        return
    for path in paths:
        if not os.path.exists(path):
            raise UsageError(f"`{path}` does not exist", "name a skill folder, or a folder of them")
        if os.path.isdir(path):
            yield os.path.abspath(path)
        elif path.name == "SKILL.md":
            yield os.path.abspath(path.parent)
        else:
            raise UsageError(f"`{path}` is neither a folder nor a SKILL.md", "name its folder")


def _walk(folder: str, seen: set[tuple[int, int]], depth: int) -> Iterator[tuple[str, set[str]]]:
    """Every folder and what is in it. However many links lead to one, it counts once."""
    try:
        itself = os.stat(folder)
        with os.scandir(folder) as scan:
            entries = sorted(scan, key=lambda each: each.name)
    except OSError:
        return
    identity = (itself.st_dev, itself.st_ino)
    names = {each.name for each in entries}
    # A run folder keeps copies of skills in inputs/: they are not the user's.
    if identity in seen or depth > DEPTH_CAP or {"run.json", "inputs"} <= names:
        return
    seen.add(identity)
    yield folder, names
    for each in entries:
        if each.name not in PASSED_BY and _is_folder(each, folder):
            yield from _walk(each.path, seen, depth + 1)


def _is_folder(entry: "os.DirEntry[str]", folder: str) -> bool:
    try:
        if not entry.is_dir():
            return False
        if not entry.is_symlink():
            return True
        # Following a link to a folder above us would walk the whole disk.
        target = os.path.realpath(entry.path)
        return not (os.path.realpath(folder) + "/").startswith(target.rstrip("/") + "/")
    except OSError:
        return False


def read_skill(folder: Path) -> Skill:
    """Read one skill folder leniently; what is wrong is in `problems`, nothing raises."""
    path = os.path.abspath(folder)
    file = str(folder / "SKILL.md")
    raw, problems = _read_text(file)
    read = read_front_matter(raw, file)
    problems += read.problems
    digest, heads, unread = _digest(path)
    names = tuple(name for name in heads if name != "SKILL.md")
    problems += [
        _problem(file, f"`{name}` cannot be read", "mend its permissions") for name in unread
    ]
    folder_name = os.path.basename(path)
    if not read.name:
        problems.append(_problem(file, "no `name`", f"the folder's: `{folder_name}`", "note"))
    description = read.description
    if not description:
        description = first_paragraph(read.body)
        hint = "agents choose by the description: say what it does and when to use it"
        problems.append(_problem(file, "no `description`; the first paragraph stands in", hint))
    return Skill(
        name=read.name or folder_name,
        description=description,
        when_to_use=read.when_to_use,
        path=path,
        plugin=_plugin_of(path),
        argument_hint=read.argument_hint,
        digest=digest,
        body=read.body[:BODY_CAP],
        resources=names,
        marks=tell_apart([heads[name] for name in names]),
        model_invocable=read.model_invocable,
        user_invocable=read.user_invocable,
        problems=tuple(problems),
    )


def _plugin_of(path: str) -> str:
    """The name of the plug-in in whose `skills/` a folder lies."""
    about = os.path.join(path, "..", "..", ".claude-plugin", "plugin.json")
    try:
        with open(about, "rb") as opened:
            found = json.loads(opened.read(SIZE_CAP))
    except (OSError, ValueError, RecursionError):
        return ""
    name = found.get("name") if isinstance(found, dict) else ""
    return name if isinstance(name, str) and PLUGIN.fullmatch(name) else ""


def digest_folder(folder: str, *, of_skill: bool = True) -> str:
    """A digest over every file of a folder: names, bytes, and which may be run."""
    return _digest(folder, of_skill=of_skill)[0]


def _problem(file: str, message: str, hint: str = "", severity: Severity = "warning") -> Finding:
    return Finding(path=file, message=message, hint=hint, rule="skill", severity=severity)


def _read_text(file: str) -> tuple[bytes, list[Finding]]:
    try:
        if not stat.S_ISREG(os.stat(file).st_mode):
            return b"", [_problem(file, "SKILL.md is not a file", "", "error")]
        with open(file, "rb") as opened:
            raw = opened.read(SIZE_CAP + 1)
    except OSError as error:
        return b"", [_problem(file, f"cannot be read: {error.strerror}", "", "error")]
    if len(raw) <= SIZE_CAP:
        return raw, []
    message = f"SKILL.md is larger than {SIZE_CAP // 1024} KiB; the rest is not read"
    return raw[:SIZE_CAP], [_problem(file, message, "move detail into files beside it")]


def _digest(folder: str, *, of_skill: bool = True) -> tuple[str, dict[str, str], list[str]]:
    """The digest over all files, how the text of each begins, and those that cannot be read."""
    total = hashlib.sha256()
    heads: dict[str, str] = {}
    unread: list[str] = []
    for name in sorted(_files(folder, "", 0, of_skill=of_skill)):
        head = b""
        try:
            part, head = _file_digest(os.path.join(folder, name))
        except OSError:
            part = b"?" * 32
            unread.append(name)
        total.update(os.fsencode(name) + b"\0" + part)
        heads[name.encode("utf-8", "replace").decode()] = (
            _as_text(head) if len(heads) < MOST_HEADS else ""
        )
    return total.hexdigest(), heads, unread


def _as_text(head: bytes) -> str:
    """How a text begins, in whole lines; empty for what is none."""
    if b"\0" in head:
        return ""
    if len(head) == HEAD:
        head = head[: head.rfind(b"\n") + 1]
    try:
        return head.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return ""


def _files(folder: str, prefix: str, depth: int, *, of_skill: bool) -> Iterator[str]:
    """Every file and link below, relative; links are named, not followed."""
    try:
        with os.scandir(os.path.join(folder, prefix)) as scan:
            entries = list(scan)
    except OSError:
        return
    inside = {each.name for each in entries}
    if prefix and (is_run(inside) or (of_skill and holds_runs(f"{folder}/{prefix}", inside))):
        return
    for each in entries:
        is_folder = each.is_dir(follow_symlinks=False)
        # The case files of a fixture are delivered, and its repository has a digest of its own.
        if (of_skill or is_folder) and is_no_part_of_a_skill(
            prefix + each.name, is_folder=is_folder
        ):
            continue
        if not is_folder:
            yield prefix + each.name
        elif depth < DEPTH_CAP:
            yield from _files(folder, f"{prefix}{each.name}/", depth + 1, of_skill=of_skill)


def _file_digest(path: str) -> tuple[bytes, bytes]:
    """The digest of a file, and its first bytes."""
    kind = os.lstat(path).st_mode
    if stat.S_ISLNK(kind):
        # Its target text, not what it points to: that may lie outside and is not delivered.
        return hashlib.sha256(b"link " + os.fsencode(os.readlink(path))).digest(), b""
    if not stat.S_ISREG(kind):
        return hashlib.sha256(b"other").digest(), b""
    with open(path, "rb") as opened:
        head = opened.read(HEAD)
        opened.seek(0)
        found = hashlib.file_digest(opened, "sha256").digest()
    # An agent that is told to run a script which may not be run does something else. It is
    # the one bit that git keeps, so a commit that is unpacked has the digest of its folder.
    return (found + b"\0x" if kind & stat.S_IXUSR else found), head
