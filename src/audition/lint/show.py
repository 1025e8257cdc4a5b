"""Findings as text, JSON, GitHub annotations and SARIF.

In: findings, one after another. Out: pieces of text, each as soon as it can be written.
Must not know: where they come from.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import quote

from audition import __version__
from audition.lint.shelf import RULES
from audition.model import Finding, Json
from audition.report.escape import for_command, for_property, one_line, visible


def show_text(found: Iterable[Finding]) -> Iterator[str]:
    """`file:line:column: severity rule message`, and the hint below."""
    for each in found:
        where = visible(f"{each.path}:{each.line}:{each.column}")
        yield f"{where}: {each.severity} {each.rule} {one_line(each.message, 500)}\n"
        if each.hint:
            yield f"  hint: {one_line(each.hint)}\n"


def show_json(found: Iterable[Finding]) -> Iterator[str]:
    """A list of objects, one a line."""
    before = "["
    for each in found:
        yield f"{before}\n{json.dumps(_entry(each))}"
        before = ","
    yield "[]\n" if before == "[" else "\n]\n"


def _entry(finding: Finding) -> dict[str, Json]:
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "path": finding.path,
        "line": finding.line,
        "column": finding.column,
        "message": finding.message,
        "hint": finding.hint,
    }


def show_github(found: Iterable[Finding]) -> Iterator[str]:
    """Workflow commands, which GitHub shows at the lines of a change."""
    words = {"error": "error", "warning": "warning", "note": "notice"}
    for each in found:
        place = f"file={for_property(each.path)},line={each.line},col={each.column}"
        text = each.message + (f"\n{each.hint}" if each.hint else "")
        title = f"title=audition {each.rule}"
        yield f"::{words[each.severity]} {place},{title}::{for_command(text)}\n"


def show_sarif(found: Iterable[Finding]) -> Iterator[str]:
    """SARIF 2.1.0, for code scanning."""
    results = [_result(each) for each in found]
    order = sorted({each["ruleId"] for each in results})
    for each in results:
        each["ruleIndex"] = order.index(each["ruleId"])
    driver = {
        "name": "audition",
        "semanticVersion": __version__,
        "rules": [_sarif_rule(name) for name in order],
    }
    log = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
        ],
    }
    yield json.dumps(log, indent=2) + "\n"


def _sarif_rule(name: str) -> dict[str, Json]:
    rule = RULES[name]
    return {
        "id": name,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.page},
        "defaultConfiguration": {"level": rule.severity},
    }


def _result(finding: Finding) -> dict[str, Json]:
    text = finding.message + (f" ({finding.hint})" if finding.hint else "")
    absolute = "file://" if finding.path.startswith("/") else ""
    return {
        "ruleId": finding.rule,
        "level": finding.severity,
        "message": {"text": visible(text)},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": absolute + quote(finding.path)},
                    "region": {"startLine": finding.line, "startColumn": finding.column},
                }
            }
        ],
    }


FORMATS: dict[str, Callable[[Iterable[Finding]], Iterator[str]]] = {
    "text": show_text,
    "json": show_json,
    "github": show_github,
    "sarif": show_sarif,
}
