"""judge.json, read back.

In: its bytes. Out: a Judgement; one that cannot be read says so and is no pass.
Must not know: where it lies.
"""

import msgspec

from audition.judge.values import Identity, Judgement
from audition.model import JudgedBy


def decode_judgement(data: bytes) -> Judgement:
    """What a judge.json says."""
    try:
        return msgspec.json.decode(data, type=Judgement)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return Judgement(by=Identity(), problem=f"judge.json cannot be understood: {error}")


def judged_by(found: Judgement | None) -> JudgedBy | None:
    """Whose word it is, for the record of the trial."""
    if found is None:
        return None
    return JudgedBy(
        **msgspec.structs.asdict(found.by),
        prompt_hash=found.prompt_hash,
        votes=found.votes,
        same_agent=found.same_agent,
    )
