"""`audition explain [NAME]`: what a check, a policy or a lint rule means, with an example.

In: a name, or none. Out: its page as text; without a name, every name with its first line.
Must not know: what checks, policies and rules do; it shows what they say of themselves.
"""

import inspect
from collections.abc import Iterator

import click
import msgspec

from audition.check import Check, arguments_of, checks
from audition.errors import unknown
from audition.lint import RULES, split_page
from audition.policy import policies, rules

ACTIVATION = "The skill was called where the case expects it, and only there."


@click.command()
@click.argument("name", required=False)
def explain(name: str | None) -> None:
    """Say what a check, a policy or a lint rule means, with an example.

    Without NAME, list all names.

    \b
      audition explain
      audition explain answer_contains
      audition explain SK203
    """
    click.echo("\n".join(explain_all() if name is None else explain_one(name)))


def explain_all() -> Iterator[str]:
    """Every name that can be explained, with its first line, kind by kind."""
    width = max(map(len, (*checks, *policies, "activation")))
    yield "Checks, for `checks:` in a case file:"
    for name in checks:
        yield f"  {name:{width}}  {_first_line(checks[name])}"
    yield from ("", "Checked in every case, without being written:")
    yield f"  {'activation':{width}}  {ACTIVATION}"
    yield from ("", "Policies, which say what counts as activation:")
    for name in sorted(policies):
        yield f"  {name:{width}}  {next(iter(rules(policies[name])), '')}"
    yield from ("", "Lint rules, for `audition lint`:")
    for name, rule in RULES.items():
        yield f"  {name:{width}}  {rule.title}"
    yield from ("", "`audition explain NAME` shows one with its example.")


def explain_one(name: str) -> Iterator[str]:
    """The page of one name; raises UnknownName with the nearest."""
    if name in checks:
        return _explain_check(name)
    if name in policies:
        return _explain_policy(name)
    if name == "activation":
        return _explain_activation()
    if name.upper() in RULES:
        return _explain_rule(name.upper())
    raise unknown("check, policy or rule", name, (*checks, *policies, "activation", *RULES))


def _explain_check(name: str) -> Iterator[str]:
    check = checks[name]
    yield f"{name} (check)"
    yield ""
    yield from page(check).splitlines()
    yield from ("", "Arguments:")
    for argument, wanted in arguments(check):
        yield f"    {argument}: {wanted}"


def _explain_policy(name: str) -> Iterator[str]:
    yield f"{name} (policy)"
    yield ""
    yield from (f"  - {rule}" for rule in rules(policies[name]))
    yield from ("", "Example:", f"    audition run --policy {name}")


def _explain_activation() -> Iterator[str]:
    yield "activation (in every case)"
    yield ""
    yield ACTIVATION
    yield from (
        "",
        "It follows from `skill`, `any_of` and `should_trigger` of the case. What counts",
    )
    yield "is a policy; the default says:"
    yield ""
    yield from (f"  - {rule}" for rule in rules(policies["default"]))
    yield from (
        "",
        "Example:",
        "    cases:",
        "      - id: greets",
        "        prompt: Say hello to Ada.",
    )
    yield "        skill: greeting"


def _explain_rule(name: str) -> Iterator[str]:
    rule = RULES[name]
    why, bad, good = split_page(rule.page)
    yield f"{name} (lint rule, {rule.severity}{', `--fix` mends it' * bool(rule.mend)})"
    yield ""
    yield rule.title
    if why:
        yield from ("", *why.splitlines())
    for word, example in (("Bad", bad), ("Good", good)):
        yield from ("", f"{word}:", *(f"    {line}".rstrip() for line in example.splitlines()))


def page(check: Check) -> str:
    """What a check says of itself: its docstring."""
    return inspect.getdoc(check) or "(it says nothing of itself)"


def _first_line(check: Check) -> str:
    return page(check).splitlines()[0]


def arguments(check: Check) -> Iterator[tuple[str, str]]:
    """Each argument with what it takes: `text, required`, `last or all, by default last`."""
    (schema,), parts = msgspec.json.schema_components([arguments_of(check)])
    body = parts.get(schema.get("$ref", "").rpartition("/")[2], schema)
    required = body.get("required", ())
    for name, wanted in body["properties"].items():
        if name in required:
            yield name, f"{_say(wanted)}, required"
        elif wanted.get("default") in (None, ""):
            yield name, _say(wanted)
        else:
            default = wanted["default"]
            shown = str(default).lower() if isinstance(default, bool) else default
            yield name, f"{_say(wanted)}, by default {shown}"


WORDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
}


def _say(wanted: dict[str, object]) -> str:
    """A JSON Schema type in words."""
    if isinstance(choices := wanted.get("enum"), list):
        return " or ".join(map(str, choices))
    if isinstance(several := wanted.get("anyOf"), list):
        return " or ".join(_say(each) for each in several if each.get("type") != "null")
    said = WORDS.get(str(wanted.get("type")), "anything")
    limits = (("minimum", "at least"), ("exclusiveMinimum", "above"), ("maximum", "at most"))
    bounds = [f"{words} {wanted[key]:g}" for key, words in limits if key in wanted]
    return " ".join((said, *bounds))
