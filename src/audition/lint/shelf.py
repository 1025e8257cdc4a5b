"""All rules, by id.

In: the families' modules. Out: one table. Must not know: what a rule says.
"""

from audition.lint import (
    collisions,
    expectations,
    file_form,
    guidance,
    hidden,
    limits,
    links,
    paths,
    prompts,
    safety,
    scripts,
    shell_scripts,
    spec,
    suites,
    twins,
)
from audition.lint.rule import Rule

FAMILIES = {
    "SK1": ("The specification", (file_form, spec)),
    "SK2": ("Guidance", (guidance, twins)),
    "SK3": ("Links and bundled files", (links, paths)),
    "SK4": ("Scripts and data", (scripts, shell_scripts)),
    "SK5": ("Safety", (safety, hidden)),
    "SK6": ("What single agents make of it", (limits,)),
    "EV1": ("Suites", (suites, prompts, expectations)),
    "CO1": ("Collisions", (collisions,)),
}
"""By the beginning of the id: a title, and where the rules are."""
RULES: dict[str, Rule] = {
    each.id: each
    for _, modules in FAMILIES.values()
    for each in sorted(
        (one for module in modules for one in vars(module).values() if isinstance(one, Rule)),
        key=lambda one: one.id,
    )
}
