"""Which skill a prompt is for, by the words it shares with their descriptions.

In: a prompt, and the names and descriptions that were shown. Out: a name, or None.
Must not know: files, processes, bodies of skills.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping
from math import log, sqrt
from typing import NamedTuple

THRESHOLD = 0.15
"""A cosine below this is chance: two everyday words shared with a long description reach 0.1."""

_STOP = """
    a about above after again all also am an and any are around as ask asked asks at be because
    been before being between both but by call called can cannot could did do does doing don done
    each either else every few for from further get gets give given gives go good had has have
    having he her here him his how i if in into is isn it its itself just kind let like ll ls make
    makes making many may me might more most much must my need needed needs new no nor not now of
    off on once one only or other our out over own per place please put re same say says see she
    should show skill skills so some such take task tell than that the their them then there these
    they thing things this those through to too two under until up use used user users uses using
    ve very via want wanted wants was way we well were what when whenever where whether which
    while who whom why will with within without work works would yes you your
"""
STOP_WORDS = frozenset(_STOP.split())


def find_explicit(prompt: str, names: Collection[str]) -> str | None:
    """The skill that the prompt calls by name: `/name` as its first word, `$name` as any."""
    words = [word.rstrip(".,:;!?") for word in prompt.split()]
    called = [word for place, word in enumerate(words) if word[:1] == "$" or not place]
    return next((word[1:] for word in called if word[:1] in "/$" and word[1:] in names), None)


class Weighed(NamedTuple):
    """Descriptions taken apart once, so that many prompts can be compared with them."""

    weight: Mapping[str, float]
    unseen: float
    """What a term weighs that no description has."""
    terms: Mapping[str, Mapping[str, float]]
    """By name: each term of the name and the description with its weight."""
    squares: Mapping[str, float]


def weigh(offered: Mapping[str, str]) -> Weighed:
    """Take names and descriptions apart."""
    counts = {name: Counter(terms(f"{name} {text}")) for name, text in offered.items()}
    spread = Counter(term for found in counts.values() for term in found)
    weight = {term: log(1 + len(counts) / number) for term, number in spread.items()}
    weighed = {
        name: {term: (1 + log(n)) * weight[term] for term, n in found.items()}
        for name, found in counts.items()
    }
    squares = {name: sum(w * w for w in found.values()) for name, found in weighed.items()}
    # A term that no description has weighs as much as the rarest one: a prompt that is
    # mostly about something else must not reach the threshold by one shared word.
    return Weighed(weight=weight, unseen=log(1 + len(counts)), terms=weighed, squares=squares)


def score(prompt: str, offered: Mapping[str, str] | Weighed) -> dict[str, float]:
    """TF-IDF cosine between the prompt and each `name + description`, rounded to 1e-9."""
    on_offer = offered if isinstance(offered, Weighed) else weigh(offered)
    asked = {
        term: (1 + log(n)) * on_offer.weight.get(term, on_offer.unseen)
        for term, n in Counter(terms(prompt)).items()
    }
    square = sum(w * w for w in asked.values())
    return {
        name: _cosine(asked, found, square * on_offer.squares[name])
        for name, found in on_offer.terms.items()
    }


def choose(prompt: str, offered: Mapping[str, str], threshold: float = THRESHOLD) -> str | None:
    """The best-fitting skill of those on offer (name to description); ties go by name."""
    scores = score(prompt, offered)
    best = min(scores, key=lambda name: (-scores[name], name), default=None)
    return best if best is not None and scores[best] >= threshold else None


def terms(text: str) -> list[str]:
    """The telling words of a text, their endings off."""
    words = re.findall(r"[^\W_]+", text.lower())
    return [_stem(word) for word in words if len(word) > 1 and word not in STOP_WORDS]


def _stem(word: str) -> str:
    """Plural and tense off, crudely; only equal treatment of both sides matters."""
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] in "bdgmnprt":
        word = word[:-1]
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def _cosine(one: Mapping[str, float], two: Mapping[str, float], squares: float) -> float:
    both = sum(weight * two[term] for term, weight in one.items() if term in two)
    return round(both / sqrt(squares), 9) if squares else 0.0
