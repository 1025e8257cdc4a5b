"""An arm in words. In: whatever was asked in one. Out: its name. Must not know: figures, formats."""

from typing import Protocol


class Arm(Protocol):
    """Whatever was asked in one arm."""

    @property
    def agent(self) -> str: ...  # noqa: D102
    @property
    def delivery(self) -> str: ...  # noqa: D102
    @property
    def model(self) -> str | None: ...  # noqa: D102


def say_arm(arm: Arm) -> str:
    """`claude+native sonnet`."""
    return f"{arm.agent}+{arm.delivery}" + (f" {arm.model}" if arm.model else "")
