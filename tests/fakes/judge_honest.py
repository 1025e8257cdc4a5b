"""A judge that answers `Does it say X?` and `Does it never say X?` by looking, and cites."""

import re

from judge_words import answer, cite, read_prompt

questions, events, _ = read_prompt()
said = {name: "\n".join(lines) for name, (what, *lines) in events.items() if "task" not in what}
end = list(events)[-1]
scope = cite(end, "Nothing comes after this event.")
given = []
for name, question in questions.items():
    word = re.search(r"say ([\w ]+)\?", question)[1]
    found = next((each for each, text in said.items() if word in text), None)
    there = found is not None
    line = next((each for each in said[found].splitlines() if word in each), "") if there else ""
    met = there != ("never" in question)
    proof = cite(found, line) if there else scope
    given.append(
        (name, [proof], f"it says {word}" if there else "nowhere", "met" if met else "unmet")
    )
answer(*given)
