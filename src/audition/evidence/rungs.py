"""What is known of one skill while its session is walked through.

In: rungs, and the lines that prove them. Out: the same, gathered.
Must not know: events, which rung the skill ends on.
"""

from audition.model import How, Rung


class Climb:
    """What is known of one skill while the session is walked through."""

    __slots__ = (
        "last",
        "lines",
        "noodle",
        "order",
        "pending",
        "resources",
        "routes",
        "scripts",
        "sub",
    )

    def __init__(self) -> None:
        self.lines: dict[Rung, list[int]] = {}
        self.routes: list[How] = []
        self.resources: dict[str, None] = {}
        self.scripts: dict[str, None] = {}
        self.noodle: How | None = None
        self.order: int | None = None
        self.last: int | None = None
        self.sub = ""
        self.pending: tuple[How, int] | None = None
        """A request without a result, which a body may still prove."""

    def note(self, rung: Rung, *lines: int) -> None:
        """Keep lines that prove a rung."""
        self.lines.setdefault(rung, []).extend(lines)
