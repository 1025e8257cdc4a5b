"""Rules from the published guidance of Anthropic and OpenAI on writing skills: SK2xx.

In: a SkillFolder. Out: findings. Must not know: the specification, any one agent.
"""

import re
from collections.abc import Iterator

from audition.lint.folder import SkillFolder
from audition.lint.rule import rule
from audition.model import Finding

Findings = Iterator[Finding]
LINES_CAP = 500
TOKENS_CAP = 5000
WORDS_LEAST = 5
ENGLISH = re.compile(r"\b(the|a|an|and|of|to|for|in|with|or|from|this|on)\b", re.IGNORECASE)
WHEN = re.compile(
    r"\b(when|whenever|if|before|after|while|during|once|trigger\w*|asks?|asked|asking|mention\w*"
    r"|wants?|needs?|requested|invoke\w*)\b|\bus(e|ed|es|eful) (this|it|for|to|as|in|on|by|with)\b"
    r"|\bfor [\w-]+ing\b",
    re.IGNORECASE,
)
QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|`[^`]*`|(?<!\w)'[^']*'(?!\w)")
FIRST = re.compile(r"\b(I|I'm|I’m|I'll|I’ll)\b(?![/.\-])|\b([Ww]e|[Oo]ur|[Mm]y)\b")
SECOND = re.compile(
    r"\b(you can|you'll|you’ll|you will|lets you|help you|helps you|allows you|enables you)\b",
    re.IGNORECASE,
)
YEAR = re.compile(r"20\d\d")
MONTH = r"(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?|q[1-4])"
DATED = re.compile(
    rf"\b(as of|before|after|until|since|starting|effective)\s(?:the end of\s)?"
    rf"(?:(?:early|mid|late)[ -])?(?:{MONTH}\s)?(?:\d{{1,2}},?\s)?(20\d\d)\b",
    re.IGNORECASE,
)
_VAGUE = """
    agent assistant common data doc docs document documents example file files general helper
    helpers misc my new skill skills stuff test thing things tool tools untitled util utilities
    utility utils
"""
VAGUE = frozenset(_VAGUE.split())
UNFINISHED = re.compile(
    r"\bTODO\b|\bFIXME\b|lorem ipsum|\[(?:insert|your) [^\]]{1,60}\]", re.IGNORECASE
)
UNBOUNDED = re.compile(
    r"(?<![\w/.*-])\*\*/(?:\*|\*\.\*)(?![\w.*/{-])|\b(?:find|ls -R|grep -r\w*(?: [^\n|;]{1,40})?) [/~](?=\s|$)",
    re.MULTILINE,
)


@rule("SK201", "warning")
def many_lines(skill: SkillFolder) -> Findings:
    """The body is longer than 500 lines.

    It is loaded whole, each time. Move detail into files beside SKILL.md and say when to
    read them.

    Bad:
        a SKILL.md of 900 lines
    Good:
        a SKILL.md of 80 lines that links to references/api.md
    """
    count = len(skill.body.strip("\n").split("\n"))
    if count > LINES_CAP:
        at = skill.spot(skill.body_start)
        yield skill.say(
            f"the body has {count} lines; keep it below {LINES_CAP}",
            "move detail into files beside SKILL.md",
            at,
        )


@rule("SK202", "warning")
def many_tokens(skill: SkillFolder) -> Findings:
    """The body is longer than about 5,000 tokens.

    A token is taken as four characters. Long lines cost as much as many lines.

    Bad:
        a SKILL.md of 40,000 characters
    Good:
        a SKILL.md of 6,000 characters that links to references/api.md
    """
    tokens = len(skill.body) // 4
    if tokens > TOKENS_CAP:
        at = skill.spot(skill.body_start)
        words = f"the body has about {tokens:,} tokens; keep it below {TOKENS_CAP:,}"
        yield skill.say(words, "move detail into files beside SKILL.md", at)


@rule("SK203", "warning")
def no_when(skill: SkillFolder) -> Findings:
    """`description` does not say when to use the skill.

    A description has two halves: what the skill does, and when it is the right one. The
    second is what an agent compares with the prompt. Only English text is judged.

    Bad:
        ---
        name: pdf-tables
        description: Copies the tables out of PDF files and writes CSV.
        ---
    Good:
        ---
        name: pdf-tables
        description: Copies tables out of PDF files. Use when the user has a PDF with numbers.
        ---
    """
    text = skill.description + " " + skill.value("when_to_use")
    if skill.description and ENGLISH.search(text) and not WHEN.search(text):
        hint = "add a sentence: `Use when …`"
        yield skill.say(
            "`description` does not say when to use it", hint, skill.where("description")
        )


@rule("SK204", "warning")
def person(skill: SkillFolder) -> Findings:
    """`description` speaks in the first or second person.

    It is put among others into one list, where `I` and `you` are nobody. Text in quotes
    may: that is what users say.

    Bad:
        ---
        name: pdf-tables
        description: I can copy tables out of PDF files when you have some.
        ---
    Good:
        ---
        name: pdf-tables
        description: Copies tables out of PDF files. Use when someone says "read my PDF".
        ---
    """
    text = QUOTED.sub(" ", skill.description)
    found = FIRST.search(text) or SECOND.search(text)
    if found and ENGLISH.search(text):
        words = f"`description` says `{found[0]}`"
        yield skill.say(
            words, "write in the third person: `Copies tables …`", skill.where("description")
        )


@rule("SK205", "warning")
def dated(skill: SkillFolder) -> Findings:
    """The body says what holds before or after a date.

    Nobody takes it out when the day has come. Say what holds now; put what was into a
    section on old ways.

    Bad:
        Before August 2025 use the old API, after August 2025 the new one.
    Good:
        Use the v2 API. Old ways: v1 was turned off.
    """
    if not YEAR.search(skill.prose):
        return
    for found in DATED.finditer(skill.prose):
        words = f"`{' '.join(found[0].split())}` will be out of date"
        yield skill.say(words, "say what holds now", skill.spot(found.start()))


@rule("SK206", "warning")
def vague_name(skill: SkillFolder) -> Findings:
    """`name` says nothing.

    Agents and people tell skills apart by name. Say what it does: `pdf-tables`,
    `review-pull-request`.

    Bad:
        ---
        name: my-tools
        description: Copies tables out of PDF files. Use when the user has a PDF.
        ---
    Good:
        ---
        name: pdf-tables
        description: Copies tables out of PDF files. Use when the user has a PDF.
        ---
    """
    if skill.name and set(skill.name.lower().split("-")) <= VAGUE:
        yield skill.say(
            f"`{skill.name}` could be any skill", "name what it does", skill.where("name")
        )


@rule("SK207", "warning")
def short_description(skill: SkillFolder) -> Findings:
    """`description` has fewer than five words.

    There is little in it that a prompt could share.

    Bad:
        ---
        name: pdf-tables
        description: Use for PDFs.
        ---
    Good:
        ---
        name: pdf-tables
        description: Copies tables out of PDF files. Use when the user has a PDF.
        ---
    """
    words = len(skill.description.split())
    if skill.description.isascii() and 0 < words < WORDS_LEAST:
        hint = "say what it does, on what, and when"
        few = "one word" if words == 1 else f"only {words} words"
        yield skill.say(f"`description` has {few}", hint, skill.where("description"))


@rule("SK208", "warning")
def empty_body(skill: SkillFolder) -> Findings:
    """The body is empty.

    Loading the skill tells the agent nothing.

    Bad:
        ---
        name: pdf-tables
        description: Copies tables out of PDF files. Use when the user has a PDF.
        ---
    Good:
        Run `scripts/tables.py FILE`, and show the CSV.
    """
    if (skill.front_end or -1) > 0 and not skill.body.strip():
        yield skill.say("nothing stands below the front matter", "say what to do")


@rule("SK209", "warning")
def unbounded(skill: SkillFolder) -> Findings:
    """The body tells the agent to look at everything.

    `**/*` or `find /` fills the context with names. Say which folder and which kind of file.

    Bad:
        Read all files that match `**/*` first.
    Good:
        Read all files that match `docs/**/*.md` first.
    """
    if not any(each in skill.text for each in ("**/*", "find ", "ls -R", "grep -r")):
        return
    for found in UNBOUNDED.finditer(skill.text, skill.body_start):
        hint = "name a folder and a kind of file: `docs/**/*.md`"
        yield skill.say(f"`{found[0].strip()}` matches everything", hint, skill.spot(found.start()))


@rule("SK210", "warning")
def unfinished(skill: SkillFolder) -> Findings:
    """A placeholder was left in the front matter.

    Bad:
        ---
        name: pdf-tables
        description: "TODO: say what this skill does and when to use it."
        ---
    Good:
        ---
        name: pdf-tables
        description: Copies tables out of PDF files. Use when the user has a PDF.
        ---
    """
    if found := UNFINISHED.search(skill.description):
        words = f"`description` still says `{found[0]}`"
        yield skill.say(words, "finish the sentence", skill.where("description"))
