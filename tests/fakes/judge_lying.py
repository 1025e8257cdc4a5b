"""A judge that cites what is not there; `mended` after its name: tells the truth when asked again."""

import sys

from judge_words import answer, cite, read_prompt

questions, events, prompt = read_prompt()
end = list(events)[-1]
quote = "All of it was done exactly as asked."
if sys.argv[1:] == ["mended"] and "That does not count:" in prompt:
    quote = "Nothing comes after this event."
answer(*((name, [cite(end, quote)], "I saw it", "met") for name in questions))
