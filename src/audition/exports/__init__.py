"""A run as other tools' readers expect it: one module a tool, all pure.

In: what there is of each trial, and the Inputs. Out: file names and their texts.
Must not know: where the texts go, how a run is kept.
"""

from collections.abc import Callable, Sequence
from importlib import import_module

from audition.errors import unknown
from audition.exports.told import Told
from audition.model import Inputs

STYLES = {
    "cat": "cat",
    "skilljack": "skilljack",
    "skilljack-evals": "skilljack_evals",
    "pkbllm": "pkbllm",
    "skill-creator": "skill_creator",
}
"""Every tool, and the module here that writes for it."""

__all__ = ["STYLES", "Told", "export"]


def export(style: str, told: Sequence[Told], inputs: Inputs) -> dict[str, str]:
    """The files that a tool's readers expect, by relative path."""
    if style not in STYLES:
        raise unknown("tool", style, STYLES)
    if style != "skill-creator":
        # The others know no baselines: a case without its skills would count as a failure.
        told = [each for each in told if not each.record.variant]
    module = import_module(f"audition.exports.{STYLES[style]}")
    write: Callable[[Sequence[Told], Inputs], dict[str, str]] = module.write
    return write(told, inputs)
