"""Whether what a judge cites is there: the part of its word that can be checked.

In: answers, the criteria, the events as they were shown. Out: Opinions.
Must not know: who answered, how often it is asked.
"""

import unicodedata
from collections.abc import Mapping, Sequence

from audition.judge.digest import BAR, Item, harmless
from audition.judge.prompt import LEAST
from audition.judge.values import Answer, Citation, Opinion
from audition.model import Criterion


def verify(
    answers: Sequence[Answer], criteria: Sequence[Criterion], items: Sequence[Item]
) -> tuple[Opinion, ...]:
    """One opinion for each criterion; an answer that cannot be verified is `cannot_tell`."""
    by_id = {item.id: item for item in items}
    return tuple(
        _verify_one([each for each in answers if each.criterion == one.id], one, by_id)
        for one in criteria
    )


def _verify_one(
    given: Sequence[Answer], criterion: Criterion, items: Mapping[str, Item]
) -> Opinion:
    if not given:
        return _void(criterion.id, "it was not answered")
    if len({each.verdict for each in given}) > 1:
        return _void(criterion.id, "it was answered twice, and not the same")
    answer = given[0]
    fault = find_fault(answer, criterion, items)
    if fault:
        return _void(criterion.id, fault)
    lines = {items[each.event.strip("[] ")].line for each in answer.citations} - {0}
    return Opinion(
        criterion=criterion.id,
        verdict=answer.verdict,
        reason=answer.reason,
        citations=answer.citations,
        lines=tuple(sorted(lines)),
    )


def _void(criterion: str, fault: str) -> Opinion:
    return Opinion(criterion=criterion, verdict="cannot_tell", reason=fault, fault=fault)


def find_fault(answer: Answer, criterion: Criterion, items: Mapping[str, Item]) -> str:
    """Why an answer does not count; empty where it does."""
    for each in answer.citations:
        if fault := _fault_of(each, items):
            return fault
    if answer.verdict in ("met", "unmet") and not answer.citations:
        return f"`{answer.verdict}` without a citation"
    if answer.verdict == "not_applicable" and not criterion.applies_when:
        return "`not_applicable`, though the question always applies"
    return ""


def _fault_of(citation: Citation, items: Mapping[str, Item]) -> str:
    item = items.get(citation.event.strip("[] "))
    if item is None:
        return f"there is no event `{citation.event[:40]}`"
    quote, text = squeeze(citation.quote), squeeze(item.text)
    if len(quote) < LEAST and quote != text:
        return f"the quote `{quote}` is too short to prove anything"
    if quote not in text:
        return f"event `{item.id}` does not say `{quote[:80]}`"
    return ""


def squeeze(text: str) -> str:
    """The words with single spaces between them, as the page writes them, without its bars."""
    lines = unicodedata.normalize("NFC", harmless(text)).splitlines()
    return " ".join(" ".join(line.removeprefix(BAR) for line in lines).split())
