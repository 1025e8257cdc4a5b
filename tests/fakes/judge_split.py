"""A judge of two minds: met, unmet, met … as a counter in the file that is named tells."""

import sys
from pathlib import Path

from judge_words import answer, cite, read_prompt

questions, events, _ = read_prompt()
file = Path(sys.argv[1])
number = int(file.read_text()) if file.exists() else 0
file.write_text(str(number + 1))
words = sys.argv[2].split(",")
end = cite(list(events)[-1], "Nothing comes after this event.")
answer(*((name, [end], f"vote {number}", words[number % len(words)]) for name in questions))
