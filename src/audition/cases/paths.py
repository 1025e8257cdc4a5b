"""The paths that a case file names: all are relative to the file, and must be there.

In: a Node. Out: absolute paths, or None where it is wrong; the findings say why.
Must not know: what they are named for.
"""

import os
from collections.abc import Callable

from audition.cases.fields import Findings, read_name
from audition.errors import did_you_mean
from audition.yaml_file import Node


def beside(node: Node, text: str) -> str:
    """A path of the file, made absolute: all are relative to the file."""
    folder = os.path.dirname(os.path.abspath(node.marked.path))
    return os.path.normpath(os.path.join(folder, os.path.expanduser(text)))


def _nearest(path: str) -> str:
    folder, name = os.path.split(path)
    try:
        return did_you_mean(name, os.listdir(folder))
    except OSError:
        return f"`{folder}` does not exist either"


def read_folder(node: Node, findings: Findings) -> str | None:
    """A folder that must be there, absolute."""
    return _read(node, findings, "folder", os.path.isdir)


def read_file(node: Node, findings: Findings) -> str | None:
    """A file that must be there, absolute."""
    return _read(node, findings, "file", os.path.isfile)


def _read(node: Node, findings: Findings, wanted: str, is_one: Callable[[str], bool]) -> str | None:
    if (text := read_name(node, findings)) is None:
        return None
    path = beside(node, text)
    if "\0" in text:
        findings.say(node, f"{wanted} `{text}` does not exist", "no path holds a NUL")
    elif is_one(path):
        return path
    elif os.path.exists(path):
        kind = "is a folder" if os.path.isdir(path) else "is a file"
        kind = kind if os.path.isfile(path) or os.path.isdir(path) else "is a device or a pipe"
        findings.say(node, f"`{text}` {kind}, and a {wanted} is wanted")
    else:
        findings.say(node, f"{wanted} `{text}` does not exist", _nearest(path))
    return None
