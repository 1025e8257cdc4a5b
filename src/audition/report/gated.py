"""What the gates say, in words.

In: a Summary. Out: sentences. Must not know: formats, the screen.
"""

from collections.abc import Iterable

from audition.report.escape import one_line
from audition.summary.figures import Summary


def say_gates(summary: Summary) -> Iterable[str]:
    """One sentence for each gate, those that do not let pass first."""
    for each in sorted(summary.gates, key=lambda gate: (gate.lets_pass, gate.status == "pass")):
        let = "" if each.status == "pass" else " (let pass)" if each.lets_pass else " (stops)"
        yield one_line(f"gate {each.gate}: {each.about}: {each.status}{let}; {each.reason}")
