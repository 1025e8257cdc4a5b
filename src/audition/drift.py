"""Which inputs of two runs are not the same: what may explain a difference.

In: what each of two runs was asked for. Out: Drifts. Must not know: records, files, git.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Literal

from audition.fingerprint import TELLING, case_digests
from audition.model import Inputs, Json, Value

What = Literal[
    "skill",
    "catalogue",
    "case",
    "agent",
    "agent version",
    "delivery",
    "model",
    "setting",
    "audition",
]


class About(Value, frozen=True, kw_only=True):
    """What a run was asked for, as far as it may explain a difference; as results.json tells."""

    run_id: str = ""
    began: str = ""
    audition: str = ""
    agents: dict[str, Json] = {}
    agent_versions: dict[str, list[str]] = {}
    catalogue: dict[str, str] = {}
    """The digest of each skill on offer."""
    cases: dict[str, str] = {}
    """The digest of each case, by name, see `fingerprint.case_names`."""
    settings: dict[str, Json] = {}
    stood: str = ""
    """The folder the run was started in; empty where it is not told."""


class Drift(Value, frozen=True, kw_only=True):
    """One input that changed; empty where a side does not have it."""

    what: What
    name: str
    a: str
    b: str

    @property
    def words(self) -> str:
        """It in one line."""
        name = f"{self.what} {self.name}".strip()
        return f"{name}: {self.a or 'not there'} → {self.b or 'not there'}"

    def is_about(self, names: Collection[str], agent: str) -> bool:
        """Whether it may explain a difference of the case of these names with this agent."""
        if self.what == "case":
            return self.name in names
        if self.what in ("agent", "agent version", "model") and self.name:
            return self.name == agent
        # Another skill of the catalogue may steal, so every skill is about every case.
        return True


def describe_inputs(inputs: Inputs) -> About:
    """What run.json and the plan say of a run."""
    return About(
        run_id=inputs.run_id,
        began=inputs.began,
        audition=inputs.audition,
        agents=inputs.agents,
        catalogue=digests_of(inputs),
        cases=case_digests(inputs.plan, inputs.settings.get("fixtures") or {}),
        settings={name: inputs.settings.get(name) for name in TELLING},
        stood=inputs.stood,
    )


def digests_of(inputs: Inputs) -> dict[str, str]:
    """The digest of each skill, by its name; by its key where several share a name."""
    names = [skill.name for skill in inputs.skills.values()]
    return {
        (skill.name if names.count(skill.name) == 1 else key): skill.digest
        for key, skill in inputs.skills.items()
    }


def find_drifts(a: About, b: About) -> tuple[Drift, ...]:
    """Every input that is not the same in both runs."""
    return tuple(_drifts(a, b))


def _drifts(a: About, b: About) -> Iterable[Drift]:
    both = a.catalogue.keys() & b.catalogue.keys()
    for name, one, two in _unlike(a.catalogue, b.catalogue):
        yield Drift(what="skill" if name in both else "catalogue", name=name, a=one, b=two)
    shared = a.cases.keys() & b.cases.keys()
    for name, one, two in _unlike(a.cases, b.cases):
        # A case that only one run has is new or gone, which is told of it elsewhere.
        if name in shared:
            yield Drift(what="case", name=name, a=one, b=two)
    for what, key in (("agent", "like"), ("agent version", "version"), ("model", "model")):
        for name, one, two in _unlike(_of_agents(a, key), _of_agents(b, key)):
            if name in a.agents and name in b.agents:
                yield Drift(what=what, name=name, a=one, b=two)  # type: ignore[arg-type]
    for name, one, two in _unlike(_plain(a.settings), _plain(b.settings)):
        yield Drift(what="setting", name=name, a=one, b=two)
    if a.audition != b.audition:
        yield Drift(what="audition", name="", a=a.audition, b=b.audition)


def _of_agents(about: About, key: str) -> dict[str, str]:
    return {name: str((each or {}).get(key) or "") for name, each in about.agents.items()}


def _plain(settings: Mapping[str, Json]) -> dict[str, str]:
    return {name: _said(value) for name, value in settings.items() if _said(value)}


def _said(value: Json) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}={each}" for name, each in value.items() if each not in (None, ""))
    return "" if value is None else str(value)


def _unlike(one: Mapping[str, str], two: Mapping[str, str]) -> Iterable[tuple[str, str, str]]:
    for name in sorted(one.keys() | two.keys()):
        a, b = one.get(name, ""), two.get(name, "")
        if a != b:
            yield name, _short(a), _short(b)


def _short(text: str) -> str:
    """A digest by its beginning; other words as they are."""
    return text[:10] if len(text) >= 16 and set(text) <= set("0123456789abcdef") else text
