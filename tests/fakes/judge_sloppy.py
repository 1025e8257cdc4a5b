"""A judge that is content with everything and cites nothing."""

from judge_words import answer, read_prompt

questions, _, _ = read_prompt()
answer(*((name, [], "looks good", "met") for name in questions))
