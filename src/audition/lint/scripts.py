"""Rules on bundled scripts and data: SK4xx. Nothing is run.

In: a SkillFolder. Out: findings. Must not know: what a script is for.
"""

import ast
import json
import re
import sys
import warnings
from collections.abc import Iterator
from functools import lru_cache

from audition.lint.folder import FILE_CAP, Entry, SkillFolder
from audition.lint.rule import Repair, rule
from audition.model import Finding

Findings = Iterator[Finding]
TEMPLATES = {"assets", "templates", "template", "examples", "tests", "evals"}
"""Folders whose files may be half of something."""
RUN = {".py", ".sh", ".bash", ".zsh", ".rb", ".pl", ".js", ".mjs", ".ts"}
SHELL = {".sh", ".bash", ".zsh"}
COMMENTED = re.compile(r"(^|/)(tsconfig[^/]*|jsconfig|\.eslintrc|settings|launch)\.json$")
ALSO_CALLED = {
    "PIL": "pillow",
    "bs4": "beautifulsoup4",
    "cv2": "opencv",
    "docx": "python-docx",
    "dotenv": "python-dotenv",
    "fitz": "pymupdf",
    "pptx": "python-pptx",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}
"""Modules whose package has another name."""
DECLARES = re.compile(
    r"(^|/)(requirements[^/]*\.txt|pyproject\.toml|environment\.ya?ml|setup\.(py|cfg))$"
)


def whole_texts(skill: SkillFolder, *suffixes: str) -> Iterator[tuple[Entry, str]]:
    """The bundled files with such an ending that are no templates, and their texts."""
    for each in skill.entries:
        whole = each.size < FILE_CAP and each.name in skill.texts
        if each.suffix in suffixes and each.top not in TEMPLATES and whole:
            yield each, skill.texts[each.name]


@lru_cache(maxsize=32)
def _parse(text: str) -> ast.Module | SyntaxError | None:
    """The tree, what is wrong, or None where Python itself gives up."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError):
        return None


@rule("SK401", "error")
def bad_python(skill: SkillFolder) -> Findings:
    """A Python script does not parse.

    It is read by the Python that runs audition; nothing is run.

    Bad:
        print 'done'
    Good:
        print('done')
    """
    for each, text in whole_texts(skill, ".py"):
        tree = _parse(text)
        if isinstance(tree, SyntaxError):
            at = max(tree.lineno or 1, 1), max(tree.offset or 1, 1)
            yield skill.say(f"not Python: {tree.msg}", "mend the script", at, each.name)


@rule("SK402", "error")
def bad_json(skill: SkillFolder) -> Findings:
    """A JSON file does not parse.

    Files below assets/ and templates/ are not looked at, nor are those that may hold
    comments.

    Bad:
        {"rows": 3,}
    Good:
        {"rows": 3}
    """
    for each, text in whole_texts(skill, ".json"):
        if COMMENTED.search(each.name):
            continue
        try:
            json.loads(text)
        except json.JSONDecodeError as error:
            at = error.lineno, error.colno
            yield skill.say(f"not JSON: {error.msg}", "mend the file", at, each.name)
        except (RecursionError, ValueError):
            yield skill.say("not JSON that can be read", "make it flatter", name=each.name)


@rule("SK403", "error")
def bad_yaml(skill: SkillFolder) -> Findings:
    """A YAML file does not parse.

    Files below assets/ and templates/ are not looked at.

    Bad:
        rows: [1, 2
    Good:
        rows: [1, 2]
    """
    for each, text in whole_texts(skill, ".yaml", ".yml"):
        if "{{" in text or "{%" in text:
            continue
        if problem := _yaml_problem(text):
            words, line, column = problem
            yield skill.say(f"not YAML: {words}", "mend the file", (line, column), each.name)


def _yaml_problem(text: str) -> tuple[str, int, int] | None:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        for _ in yaml.parse(text, Loader=loader):
            pass
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        words = getattr(error, "problem", None) or getattr(error, "reason", None) or "broken"
        return str(words), getattr(mark, "line", 0) + 1, getattr(mark, "column", 0) + 1
    except (RecursionError, UnicodeEncodeError):
        return "it cannot be read", 1, 1
    return None


def _mend_executable(skill: SkillFolder) -> Iterator[Repair]:
    for each in _not_executable(skill):
        yield Repair(file=each.name, what="made it executable", executable=True)


def _not_executable(skill: SkillFolder) -> Iterator[Entry]:
    for each, text in whole_texts(skill, *RUN, ""):
        if text.startswith("#!") and not each.executable:
            yield each


@rule("SK404", "warning", mend=_mend_executable)
def not_executable(skill: SkillFolder) -> Findings:
    """A script that begins with `#!` is not executable.

    An agent that runs it as it says gets `permission denied`. `--fix` sets the bit.

    Bad:
        -rw-r--r-- scripts/tables.py, which begins with #!/usr/bin/env python3
    Good:
        -rwxr-xr-x scripts/tables.py
    """
    for each in _not_executable(skill):
        yield skill.say("begins with `#!`, but is not executable", "run `chmod +x`", name=each.name)


@rule("SK405", "note")
def no_interpreter(skill: SkillFolder) -> Findings:
    """An executable script does not say what runs it.

    Without a `#!` line, what happens depends on the shell that starts it.

    Bad:
        -rwxr-xr-x scripts/tables.sh, which begins with `set -e`
    Good:
        -rwxr-xr-x scripts/tables.sh, which begins with `#!/bin/sh`
    """
    for each, text in whole_texts(skill, *SHELL, ".py", ".rb", ".pl"):
        if each.executable and text.strip() and not text.startswith("#!"):
            yield skill.say("executable, but has no `#!` line", "say what runs it", name=each.name)


def _mend_line_ends(skill: SkillFolder) -> Iterator[Repair]:
    for each in _with_carriage_returns(skill):
        data = skill.bytes_of(each.name).replace(b"\r\n", b"\n")
        yield Repair(file=each.name, what="made the line ends plain", data=data)


def _with_carriage_returns(skill: SkillFolder) -> Iterator[Entry]:
    for each, text in whole_texts(skill, *SHELL, ".py", ".rb", ".pl", ""):
        first = text.partition("\n")[0]
        if first.endswith("\r") and (first.startswith("#!") or each.suffix in SHELL):
            yield each


@rule("SK406", "error", mend=_mend_line_ends)
def script_carriage_returns(skill: SkillFolder) -> Findings:
    """A script has Windows line ends.

    Linux then looks for an interpreter whose name ends in a carriage return. `--fix`
    makes the line ends plain.

    Bad:
        #!/bin/sh<CR><LF>
    Good:
        #!/bin/sh<LF>
    """
    for each in _with_carriage_returns(skill):
        yield skill.say("Windows line ends", "save with plain line ends", name=each.name)


@rule("SK407", "note")
def undeclared_imports(skill: SkillFolder) -> Findings:
    """A script imports a package that nothing declares.

    Say it in SKILL.md, in `compatibility`, in requirements.txt or in the script's own
    `# /// script` block; else the first run fails, and the agent improvises.

    Bad:
        import pdfplumber, and no text says so
    Good:
        Install pdfplumber first: `pip install pdfplumber`.
    """
    scripts = [(each, text) for each, text in whole_texts(skill, ".py") if "import" in text]
    if not scripts:
        return
    # The name in a comment of the script itself declares nothing, its own block does.
    known = [skill.text, *(t for name, t in skill.texts.items() if DECLARES.search(name))]
    declared = "\n".join(known).lower()
    own = {part.removesuffix(".py") for each in skill.entries for part in each.name.split("/")}
    for each, text in scripts:
        if "# /// script" in text:
            continue
        tree = _parse(text)
        found = sorted(_imports(tree) - own) if isinstance(tree, ast.Module) else []
        lost = [name for name in found if not _is_declared(name, declared)]
        if lost:
            shown = ", ".join(f"`{name}`" for name in lost[:8])
            hint = "name them in SKILL.md, or in a `# /// script` block"
            yield skill.say(f"imports {shown}, which nothing declares", hint, name=each.name)


def _imports(tree: ast.Module) -> set[str]:
    """The packages that are imported at the margin, and not tried for."""
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Import):
            names |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names - sys.stdlib_module_names


def _is_declared(name: str, declared: str) -> bool:
    called = {name, name.replace("_", "-"), ALSO_CALLED.get(name, name)}
    return any(each.lower() in declared for each in called)
