"""The folders of a trial: inputs kept for a run, a stage for an agent, what is sealed of it.

In: a run folder, skills, fixtures, a trial and its agent. Out: copies, a Stage, the Changes
that an agent made, and the sealed Files that checks look at.
Must not know: processes, grading, what an agent prints.

    root/work/  the agent's working directory      root/home/  its HOME       root/tmp/  its TMPDIR
    root/plugin/  delivery `plugin`                root/served/<folder>/  for an MCP server
"""

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import msgspec

from audition.agent import Agent
from audition.errors import AuditionError
from audition.held_folder import own_folder
from audition.kept import keep_inputs, put_fixture, put_skill
from audition.model import Changes, Skill, Trial, Value
from audition.safe_copy import BadTree
from audition.sandbox import Place
from audition.sealed import FILE_CAP, SealedFiles, case_folder, materialise, sealed_files
from audition.tree import Entry, Snapshot, copy_file, remove_tree, snapshot, write_file

__all__ = [
    "BadTree",
    "SealedFiles",
    "Stage",
    "case_folder",
    "keep_inputs",
    "materialise",
    "seal_files",
    "sealed_files",
    "staged",
]

SEALED_FILES = 2_000
SEALED_BYTES = 64 * 1024 * 1024
LEADS_UPWARD = (".git", "CLAUDE.md", "AGENTS.md", ".claude", ".agents")
"""What agents look for in the folders above their workspace."""
BROUGHT = frozenset(
    ("node_modules", ".venv", "venv", "site-packages", "__pycache__", ".cache", ".npm", "target")
)
"""Folders that package managers and compilers fill, with more files than are kept."""
NOT_OURS = frozenset((errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.ELOOP))
"""What the agent made so that it cannot be copied; a full disk is another matter."""
_LONG_AGO = 1_000_000_000_000_000_000


class Stage(Value, frozen=True, kw_only=True):
    """A trial's private folders, ready, and what its workspace held before the agent came."""

    place: Place
    before: Snapshot
    plugin: str = ""
    """With delivery `plugin`: the plug-in folder."""
    served: str = ""
    """With a delivery over MCP: the folder that holds the skill folders."""


@contextlib.contextmanager
def staged(
    trial: Trial,
    *,
    run: Path,
    agent: Agent,
    skills: Mapping[str, Skill],
    bare: bool = False,
    remove: Callable[[str], None] = remove_tree,
) -> Iterator[Stage]:
    """A stage for one trial, outside of any repository; removed when the trial is over."""
    temporary = _temporary_folder(os.environ.get("AUDITION_TMP"))
    root = f"{own_folder(temporary)}/{os.urandom(4).hex()}"
    os.mkdir(root, 0o700)
    try:
        place = Place(root=root, workspace=f"{root}/work", home=f"{root}/home", tmp=f"{root}/tmp")  # noqa: S108
        os.mkdir(place.home)
        os.mkdir(place.tmp)
        if trial.case.begins_with is None:
            os.mkdir(place.workspace)
        else:
            put_fixture(run, trial.case.begins_with, place.workspace)
        plugin, served = _deliver(trial, run, agent, skills, place)
        if not bare:
            _make_repository(place.workspace)
        _make_folders(trial.case.env.values(), place.workspace)
        yield Stage(place=place, before=snapshot(place.workspace), plugin=plugin, served=served)
    finally:
        remove(root)


@cache
def _temporary_folder(wanted: str | None) -> str:
    candidates = [wanted] if wanted else [tempfile.gettempdir(), "/var/tmp", "/dev/shm"]  # noqa: S108
    found = ""
    for each in candidates:
        path = os.path.realpath(each)
        if not os.access(path, os.W_OK | os.X_OK):
            found = found or f"{path} cannot be written to"
            continue
        above = [path, *map(str, Path(path).parents)]
        names = (os.path.join(folder, name) for folder in above for name in LEADS_UPWARD)
        leading = next(filter(_leads, names), "")
        if not leading:
            return path
        found = found or f"{path} lies below {leading}, which an agent would find"
    raise AuditionError(
        f"no temporary folder for workspaces: {found}",
        "set AUDITION_TMP to a folder outside of any repository and home folder",
    )


def _leads(path: str) -> bool:
    """Whether something stands there. An empty folder is nothing to an agent: the sandbox of
    Codex leaves such a `.git` in /tmp.
    """
    if os.path.isdir(path):
        with contextlib.suppress(OSError):
            return bool(os.listdir(path))
    return os.path.lexists(path)


def _deliver(
    trial: Trial, run: Path, agent: Agent, skills: Mapping[str, Skill], place: Place
) -> tuple[str, str]:
    """Put the skills where the delivery says; the plug-in folder and the served folder."""
    work, plugin, served = place.workspace, f"{place.root}/plugin", f"{place.root}/served"
    match trial.delivery:
        case "native":
            _put_skills(trial, run, skills, f"{work}/{agent.skills_dir}")
        case "mcp+native":
            _put_skills(trial, run, skills, f"{work}/{agent.skills_dir}")
            _put_skills(trial, run, skills, served)
            return "", served
        case "mcp":
            _put_skills(trial, run, skills, served)
            return "", served
        case "instructions":
            names = _put_skills(trial, run, skills, f"{work}/.skills")
            _write_index(f"{work}/{agent.instructions_file}", names, skills)
        case "plugin":
            _put_skills(trial, run, skills, f"{plugin}/skills")
            name = _plugin_name(skills[key] for key in trial.skills)
            about = {"name": name, "version": "0.0.0", "description": "Skills on trial."}
            os.mkdir(f"{plugin}/.claude-plugin")
            write_file(f"{plugin}/.claude-plugin/plugin.json", msgspec.json.encode(about))
            return plugin, ""
    return "", ""


def _plugin_name(skills: Iterable[Skill]) -> str:
    """The name that all of them have from their own plug-in, else ours."""
    names = {skill.plugin for skill in skills}
    return names.pop() or "audition" if len(names) == 1 else "audition"


def _put_skills(trial: Trial, run: Path, skills: Mapping[str, Skill], into: str) -> dict[str, str]:
    """Copy the trial's skills into a folder; under which name, by key."""
    os.makedirs(into, exist_ok=True)
    names: dict[str, str] = {}
    for key in trial.skills:
        folder = skills[key].folder
        names[key] = key if folder in names.values() else folder
        place = f"{into}/{names[key]}"
        if os.path.lexists(place):
            remove_tree(place)  # the fixture brought one that is called so
        put_skill(run, key, skills[key], place)
    return names


def _write_index(path: str, names: Mapping[str, str], skills: Mapping[str, Skill]) -> None:
    lines = ["# Skills", "", "Read the file of a skill before a task that it is for.", ""]
    for key, name in names.items():
        if not skills[key].model_invocable:
            continue  # Only a person may call it, and an index is read by the model.
        about = " ".join(skills[key].description.split())
        lines.append(f"- {skills[key].name}: {about} (file: .skills/{name}/SKILL.md)")
    own = b""
    with contextlib.suppress(FileNotFoundError):
        own = Path(path).read_bytes() + b"\n"
        os.unlink(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    write_file(path, own + "\n".join(lines).encode() + b"\n", changed=_LONG_AGO)


def _make_repository(workspace: str) -> None:
    """The least that git takes for a repository, so that it looks no further up."""
    git = f"{workspace}/.git"
    if os.path.lexists(git):
        return
    for folder in (git, f"{git}/objects", f"{git}/refs"):
        os.mkdir(folder)
    write_file(f"{git}/HEAD", b"ref: refs/heads/main\n")


def _make_folders(values: Iterable[str], workspace: str) -> None:
    """The folders of the workspace that a case's variables name: `{workspace}/notes`."""
    for value in values:
        path = value.removeprefix("{workspace}/")
        # What has a suffix is a file, which the agent may want to write itself.
        if path not in ("", value) and "." not in path and "\0" not in path:
            with contextlib.suppress(OSError):
                os.makedirs(f"{workspace}/{path}", exist_ok=True)


def seal_files(stage: Stage, into: str) -> Changes:
    """Copy what the agent added or changed; name what it removed and what is not kept."""
    work = stage.place.workspace
    before, found = stage.before.entries, snapshot(work)
    files = {path: each for path, each in before.items() if not stat.S_ISDIR(each[2])}
    changed = (path for path, each in found.entries.items() if before.get(path) != each)
    touched = sorted(changed, key=_by_interest)
    refused = list(found.unread)
    kept: list[str] = []
    room = SEALED_BYTES
    for path in touched:
        entry = found.entries[path]
        if stat.S_ISDIR(entry[2]):
            if path not in before and _is_text(path):
                _make_folder(f"{into}/{path}")
        elif len(kept) < SEALED_FILES and entry[0] <= room and _seal_file(work, path, entry, into):
            kept.append(path)
            room -= entry[0]
        else:
            refused.append(path)
    hidden = tuple(f"{folder}/" if folder else "" for folder in found.unread)
    gone = [each for each in files if each not in found.entries or _is_folder(found, each)]
    return Changes(
        added=tuple(sorted(path for path in kept if path not in files)),
        changed=tuple(sorted(path for path in kept if path in files)),
        removed=tuple(sorted(_text(each) for each in gone if not each.startswith(hidden))),
        refused=tuple(sorted(map(_text, refused))),
    )


def _by_interest(path: str) -> tuple[bool, int, str]:
    """What comes first where not all can be kept: results before what an installer brought."""
    parts = path.split("/")
    return not BROUGHT.isdisjoint(parts), len(parts), path


def _seal_file(work: str, path: str, entry: Entry, into: str) -> bool:
    if not stat.S_ISREG(entry[2]) or entry[0] > FILE_CAP or not _is_text(path):
        return False
    target = f"{into}/{path}"
    try:
        return _make_folder(os.path.dirname(target)) and copy_file(f"{work}/{path}", entry, target)
    except OSError as error:
        if error.errno in NOT_OURS:
            return False
        raise


def _make_folder(path: str) -> bool:
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        if error.errno in NOT_OURS:
            return False
        raise
    return True


def _is_folder(found: Snapshot, path: str) -> bool:
    return stat.S_ISDIR(found.entries[path][2])


def _is_text(path: str) -> bool:
    """Whether a name can be written down: names of files are bytes, JSON is not."""
    return path.isascii() or _text(path) == path


def _text(path: str) -> str:
    return os.fsencode(path).decode("utf-8", "backslashreplace")
