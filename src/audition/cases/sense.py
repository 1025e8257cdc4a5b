"""What rules cannot mean: a rule that never holds or never fails, and rules at odds.

In: Rules, with the Nodes they stand at. Out: findings. Must not know: files, sessions.
"""

from collections.abc import Mapping, Sequence

from audition.cases.fields import Findings
from audition.conduct import FORMS, KINDS, read_command, runs, say_pattern
from audition.model import EventPattern, Rule
from audition.shell import read_words, split_commands, steps_of
from audition.yaml_file import Node

SAME = {
    "before": ("first", "then", "the first such event has none before it"),
    "follows": ("after", "must", "the last such event has none after it"),
    "fresh": ("do", "after", "the first such event has none before it"),
}


def make_sense(rules: Sequence[tuple[Rule, Node]], findings: Findings) -> None:
    """Note each rule that cannot be meant so, and each two that contradict each other."""
    for rule, node in rules:
        where = node.at(rule.form)
        for role, pattern in rule.patterns.items():
            at = (
                where.at(role)
                if role in (where.value if isinstance(where.value, dict) else ())
                else where
            )
            _look_at_pattern(pattern, at, findings)
        _look_at_rule(rule, where, findings)
    _contradictions(rules, findings)


def _look_at_pattern(pattern: EventPattern, node: Node, findings: Findings) -> None:
    code, failed = pattern.exit, pattern.failed
    if code is not None and failed is not None and failed is (code == 0):
        words = f"what ends with {code} has {'not ' * failed}failed: it can never match"
        findings.say(node.at("failed"), words, "leave `failed` out", key=True)
    if code is not None and not -128 <= code <= 255:
        findings.say(node.at("exit"), f"no exit code is {code}: it can never match", key=True)
    if pattern.command:
        _look_at_command(pattern.command, node.at("command"), findings)
    if "\0" in pattern.path or pattern.path.endswith("/"):
        hint = f"write `{pattern.path}**`" if pattern.path.endswith("/") else ""
        findings.say(node.at("path"), "names no file: it can never match", hint)


def _look_at_command(command: str, node: Node, findings: Findings) -> None:
    found = read_words(command)
    if len(found) != 1 or found[0].script:
        words = f"{len(found)} commands" if found else "no command"
        findings.say(node, f"`{command}` is {words}: it can never match", "name one command")
    elif not any(runs(found[0].words, step) for step in steps_of(command)):
        bare = split_commands(command)
        hint = f"write `{' '.join(bare[0])}`" if bare and bare[0] else ""
        words = "begins with what is no program"
        findings.say(node, f"`{command}` {words}: it can never match", hint)


def _look_at_rule(rule: Rule, node: Node, findings: Findings) -> None:
    patterns, numbers = rule.patterns, rule.numbers
    if rule.form in SAME:
        one, two, why = SAME[rule.form]
        if patterns[one] == patterns[two]:
            findings.say(
                node, f"`{one}` and `{two}` are the same: it can never hold", why, key=True
            )
    if rule.form == "between" and patterns["never"] == patterns["to"]:
        hint = "the first `to` ends it"
        _warn(node, "`never` and `to` are the same: it can never fail", hint, findings)
    if rule.form == "fresh" and patterns["since"] == patterns["after"]:
        hint = "what is both makes it fresh"
        _warn(node, "`since` and `after` are the same: `since` does nothing", hint, findings)
    if rule.form == "count":
        least, most = numbers.get("least", 0), numbers.get("most")
        if most is not None and least > most:
            words = f"`least` is {least} and `most` is {most}: it can never hold"
            findings.say(node, words, "swap them", key=True)
        if most is None and least == 0:
            _warn(node, "`least: 0` always holds", "say `least: 1` or `most`", findings)
    if rule.vacuous and not FORMS[rule.form].vacuous:
        words = f"a rule with `{rule.form}` is never vacuous"
        _warn(node, words, "leave `vacuous` out", findings)


def _warn(node: Node, words: str, hint: str, findings: Findings) -> None:
    """What can be judged, and is hardly what was meant."""
    findings.say(node, words, hint, "warning", key=True)


NEEDS = {
    "before": ("first", "then"),
    "follows": ("after", "must"),
    "between": ("from", "to"),
    "fresh": ("do", "after"),
}
"""What must be there for such a rule to be met; with `vacuous: allow` nothing must."""


def _contradictions(rules: Sequence[tuple[Rule, Node]], findings: Findings) -> None:
    """What must be and what must not be, of the same pattern or of one that it includes.

    Two numbers that no session has are a mistake. Where one pattern only includes the other, a
    rule would only be vacuous, or two could each hold in sessions of their own, that is said
    and stops nothing.
    """
    counted = [(rule, node, *_range(rule)) for rule, node in rules if rule.form not in NEEDS]
    for place, (rule, node, least, most) in enumerate(counted):
        for other, _, low, high in counted[:place]:
            mine, its = rule.patterns["of"], other.patterns["of"]
            if (low > most and includes(mine, its)) or (least > high and includes(its, mine)):
                words = f"contradicts the rule `{other.id}`, which also is about"
                same = mine == its
                findings.say(
                    node.at(rule.form),
                    f"{words} {say_pattern(its)}",
                    "keep one of them",
                    "error" if same else "warning",
                    key=True,
                )
                break
    forbidden = {rule.patterns["of"]: rule for rule, _, _, most in counted if not most}
    _never_met(rules, forbidden, findings)


def includes(wide: EventPattern, narrow: EventPattern) -> bool:
    """Whether every event that one pattern means is surely meant by another one too."""
    kind = narrow.kind or ("shell" if narrow.command else "call")
    if wide.kind in ("", "call"):
        if "path" not in KINDS[kind]:
            return False
    elif wide.kind != kind:
        return False
    if wide.command and narrow.command:
        words = read_command(wide.command)
        if not all(runs(words, step) for step in steps_of(narrow.command)):
            return False
    elif wide.command:
        return False
    others = ("tool", "path", "skill", "exit", "failed", "subagent")
    pairs = ((getattr(wide, name), getattr(narrow, name)) for name in others)
    return all(wanted in ("", None) or wanted == given for wanted, given in pairs)


def _range(rule: Rule) -> tuple[int, int]:
    least = rule.numbers.get("least", 0 if rule.form in ("never", "count") else 1)
    return least, 0 if rule.form == "never" else rule.numbers.get("most", 2**62)


def _never_met(
    rules: Sequence[tuple[Rule, Node]], forbidden: Mapping[EventPattern, Rule], findings: Findings
) -> None:
    """Rules that another one keeps from ever being met; with `vacuous: allow` none is kept."""
    pairs: dict[tuple[str, EventPattern, EventPattern], Rule] = {}
    for rule, node in rules:
        needed = () if rule.vacuous else NEEDS.get(rule.form, ())
        patterns = [rule.patterns[role] for role in needed]
        other = next(
            (by for each in patterns for wide, by in forbidden.items() if includes(wide, each)),
            None,
        )
        if rule.form in ("before", "follows") and patterns:
            one, two = patterns
            pairs[rule.form, one, two] = rule
            other = other or pairs.get((rule.form, two, one)) if one != two else other
        if other:
            words = f"cannot be met together with the rule `{other.id}`"
            hint = "with `vacuous: allow` both can pass"
            findings.say(node.at(rule.form), words, hint, "warning", key=True)
