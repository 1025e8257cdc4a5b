"""Makes text of strangers harmless: what an agent said may not move the cursor or the page.

In: any text. Out: text for one medium. Must not know: what the text is about.
"""

import re
from functools import cache

_JOINERS = "\u200c\u200d"
_ENTITIES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;", "\r": "&#13;"}
)
_MARKDOWN = re.compile(r"[\\`*_{}\[\]#|~$!]")


@cache
def _not_xml() -> re.Pattern[str]:
    # Made when first asked for: its ranges take 3 ms, and a run begins without it.
    return re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def visible(text: str) -> str:
    r"""Control and direction characters as `\x1b`, so that nothing acts and nothing hides."""
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() or each in _JOINERS else _named(each) for each in text
    )


def _named(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def one_line(text: str, limit: int = 300) -> str:
    """The text on one line, made visible, cut with an ellipsis where it is long."""
    text = visible(" ".join(text[: limit * 4].split()))
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def for_markdown(text: str) -> str:
    """Text that Markdown, also within a table, shows as it is; `@name` calls nobody."""
    text = _MARKDOWN.sub(r"\\\g<0>", visible(text))
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("@", "@<!-- -->").replace("://", ":<!-- -->//")


def as_code(text: str) -> str:
    """A Markdown code span; ordinary text where it could break out of one."""
    text = visible(text)
    return for_markdown(text) if not text or {"`", "|", "\\"} & set(text) else f"`{text}`"


def for_xml(text: str) -> str:
    """Text for XML, in an element or an attribute; what XML cannot hold is left out."""
    return _not_xml().sub("", text).translate(_ENTITIES)


def for_xml_attribute(text: str) -> str:
    """As `for_xml`; line ends and tabs live through the attribute."""
    return for_xml(text).replace("\n", "&#10;").replace("\t", "&#9;")


def for_command(text: str) -> str:
    """The message of a GitHub workflow command."""
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return visible(text)


def for_property(text: str) -> str:
    """A property of a GitHub workflow command."""
    return for_command(text).replace(":", "%3A").replace(",", "%2C")
