"""judge.json, read back.

In: its bytes. Out: a Judgement; one that cannot be read says so and is no pass.
Must not know: where it lies.
"""

import msgspec

from audition.judge.values import Identity, Judgement


def decode_judgement(data: bytes) -> Judgement:
    """What a judge.json says."""
    try:
        return msgspec.json.decode(data, type=Judgement)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return Judgement(by=Identity(), problem=f"judge.json cannot be understood: {error}")
