"""Skill Lab's scenarios: given a skill, when a prompt, then the skill is called or is not.

In: one scenario. Out: a Case. Must not know: where scenarios stand.
"""

from audition.cases.given import Given
from audition.cases.imported import ask
from audition.cases.triggered import Triggered, make_case
from audition.model import Case


def read_scenario(given: Given, number: int, skill: str) -> Case | None:
    """One scenario; each of its three parts is a mapping, or a list of small ones."""
    if not isinstance(given.value, dict):
        given.wrong("a mapping")
        return None
    about, when, then = (_parts(given, key) for key in ("given", "when", "then"))
    asked = next((part for part in when if "prompt" in part), None)
    prompt = ask(asked, "prompt") if asked else ask(given, "prompt")
    if prompt is None:
        return None
    flags = [flag for part in then if (flag := part.flag("skill_triggered")) is not None]
    if not flags:
        given.ledger.say(given.node, "says no `skill_triggered`: true, the default there", "note")
    if "name" in given:
        given.at("name").say("is for readers; not used", "note")
    kinds = tuple(kind for part in when if (kind := part.text("trigger_type")))
    names = [name for part in about if (name := part.text("skill"))]
    said = Triggered(
        id=given.name(f"scenario-{number}"),
        prompt=prompt,
        skill=names[-1] if names else skill,
        triggers=flags[-1] if flags else True,
        tags=kinds,
    )
    return make_case(given, said, then)


def _parts(given: Given, key: str) -> list[Given]:
    found = [each for each in given.listed(key) if isinstance(each.value, dict)]
    for each in given.listed(key):
        if not isinstance(each.value, dict):
            each.wrong("a mapping")
    return found
