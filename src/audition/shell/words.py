"""The words of a shell command line.

In: any text. Out: its simple commands. Must not know: what the commands are for.

A small reader of our own, because `shlex` knows no operators inside words, no `$(…)`, no
here-documents, and raises on an open quote: an agent's half line must still be read.
"""

import re
from collections.abc import Mapping

from audition.shell.ends import ALL, mark_ends
from audition.shell.inner import closing, closing_brace, is_arithmetic, substitutions, unescape

LONGEST = 256 * 1024
"""What is behind it is not read."""

SHELLS = frozenset(("sh", "bash", "zsh", "dash", "ksh", "ash", "fish"))
_OPEN_BRACES = 16
_QUOTES = ("'", '"')
_PLAIN = re.compile(r"[^\s'\"\\`$|&;<>()#]+")
_SPECIAL = re.compile(r"[\n'\"\\`$|&;<>()#]")
_OPERATOR = re.compile(r"\|\||&&|;;|\|&|[;&|\n()]")
_REDIRECT = re.compile(r"(?:\d+|&)?(<<<|<<-?|>>|>\||>&|<&|<>|>|<)")

Known = Mapping[str, tuple[str, ...]]
NOTHING_KNOWN: Known = {}


class Simple:
    """A simple command while it is gathered."""

    __slots__ = (
        *("beside", "code", "into", "script", "takes", "tells", "then", "words"),
        *("known", "wrapped_in", "writes"),
    )

    def __init__(self) -> None:
        self.words: tuple[str, ...] = ()
        self.takes: list[str] = []
        """Files read by `<`."""
        self.into: list[str] = []
        """Files written by `>` and its like."""
        self.writes = False
        """It redirects into a file other than /dev/null."""
        self.code = ""
        """Its here-document."""
        self.script = ""
        """Instead of words: the text of a substitution, still to be read."""
        self.beside = False
        """It runs at the same time as the one before it: behind `|` or `&`."""
        self.then = ""
        """The operator behind it."""
        self.tells = ALL
        """What the exit code of the line tells of it: see ends.py."""
        self.known: Known = NOTHING_KNOWN
        """What the variables hold that the line gave a value before it: each of a loop's."""
        self.wrapped_in: list[tuple[str, ...]] = []
        """The words of the wrappers that were taken off it, the outermost first."""


def read_words(line: str) -> list[Simple]:
    """The simple commands of a line as they stand; what is inside `$(…)` before the outer one."""
    if len(line) <= LONGEST and not _SPECIAL.search(line):
        return _split_plain(line)
    reader = _Reader(line[:LONGEST])
    reader.run()
    mark_ends(reader.found, grouped=reader.grouped)
    if len(line) > LONGEST:
        for each in reader.found:
            each.tells = 0
        reader.found.append(writer())
    return reader.found


def _split_plain(line: str) -> list[Simple]:
    """One command without quotes or operators, as most are: blanks part its words."""
    simple = Simple()
    simple.words = tuple(line.split())
    if simple.words and simple.words[0] == "!":
        simple.tells = 0
    return [simple] if simple.words else []


def writer() -> Simple:
    """Stands for what is not read: it counts as writing, to be on the safe side."""
    simple = Simple()
    simple.words, simple.writes = ("…",), True
    return simple


class _Reader:
    """One pass over a line."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.found: list[Simple] = []
        self.words: list[str] = []
        self.simple = Simple()
        self.heredocs: list[tuple[str, Simple, bool]] = []
        """The word that ends each, whose it is, and whether the shell looks into it."""
        self.open_braces = 0
        """Each `${` that does not close was looked for to the end."""
        self.grouped = False
        """There are parentheses."""

    def run(self) -> None:
        text = self.text
        while self.at < len(text):
            char = text[self.at]
            if char != "\n" and char.isspace():
                self.at += 1
            elif text.startswith("\\\n", self.at):
                self.at += 2
            elif char == "#":
                end = text.find("\n", self.at)
                self.at = len(text) if end < 0 else end
            elif (match := _REDIRECT.match(text, self.at)) and not text.startswith(
                ("<(", ">("), self.at
            ):
                self.at = match.end()
                self._redirect(match[1])
            elif match := _OPERATOR.match(text, self.at):
                self.at = match.end()
                self._end(match[0])
                if match[0] == "\n":
                    self._skip_heredocs()
            else:
                self.words.append(self._word())
        self._end()

    def _redirect(self, how: str) -> None:
        while self.at < len(self.text) and self.text[self.at] in " \t":
            self.at += 1
        start = self.at
        target = self._word()
        if how in ("<<", "<<-"):
            quoted = any(sign in self.text[start : self.at] for sign in "'\"\\")
            self.heredocs.append((target, self.simple, not quoted))
        elif how == "<":
            self.simple.takes.append(target)
        elif how == "<<<":
            self.simple.code = target
        elif how == "<&" or (how == ">&" and (target.isdigit() or target == "-")):
            return
        elif target not in ("/dev/null", "/dev/stderr", "/dev/stdout"):
            self.simple.writes = True
            self.simple.into.append(target)

    def _skip_heredocs(self) -> None:
        for mark, simple, live in self.heredocs:
            lines: list[str] = []
            while self.at < len(self.text):
                end = self.text.find("\n", self.at)
                end = len(self.text) if end < 0 else end
                line = self.text[self.at : end]
                self.at = end + 1
                if line.strip("\t\r ") == mark:
                    break
                lines.append(line)
            simple.code = "\n".join(lines)
            # A shell that it is for finds them itself.
            if live and not any(word.rpartition("/")[2] in SHELLS for word in simple.words):
                self._search(simple.code)
        self.heredocs.clear()

    def _word(self) -> str:
        """One word from here on, quotes taken off; commands inside it are found too."""
        text, parts = self.text, [""]
        while self.at < len(text):
            char = text[self.at]
            if match := _PLAIN.match(text, self.at):
                parts.append(match[0])
                self.at = match.end()
            elif char == "#":
                parts.append("#")
                self.at += 1
            elif char == "\\":
                parts.append(text[self.at + 1 : self.at + 2].replace("\n", ""))
                self.at += 2
            elif char == "'":
                end = text.find("'", self.at + 1)
                end = len(text) if end < 0 else end
                parts.append(text[self.at + 1 : end])
                self.at = end + 1
            elif char == '"':
                self.at += 1
                self._quoted(parts)
            elif char == "$" and text[self.at + 1 : self.at + 2] in _QUOTES:
                self._dollar_quoted(parts)
            elif char in "$`" or text.startswith(("<(", ">("), self.at):
                self._dollar(parts)
            else:
                break
        return "".join(parts)

    def _dollar_quoted(self, parts: list[str]) -> None:
        """`$'…'`, and `$"…"`, whose dollar says nothing here."""
        if self.text[self.at + 1] == "'":
            said, self.at = unescape(self.text, self.at + 2)
            parts.append(said)
        else:
            self.at += 1

    def _quoted(self, parts: list[str]) -> None:
        text = self.text
        while self.at < len(text) and text[self.at] != '"':
            char = text[self.at]
            if char == "\\":
                following = text[self.at + 1 : self.at + 2]
                parts.append(following if following in '"\\$`\n' else "\\" + following)
                self.at += 2
            elif char in "$`":
                self._dollar(parts)
            else:
                end = min((p for c in '"\\$`' if (p := text.find(c, self.at)) >= 0), default=-1)
                end = len(text) if end < 0 else end
                parts.append(text[self.at : end])
                self.at = end
        self.at += 1

    def _dollar(self, parts: list[str]) -> None:
        text, start = self.text, self.at
        if text[start] == "`":
            end = text.find("`", start + 1)
            end = len(text) if end < 0 else end
            self._inner(text[start + 1 : end])
        elif is_arithmetic(text, start):
            end = closing(text, start + 2)
            self._search(text[start + 3 : end])
        elif text.startswith(("$(", "<(", ">("), start):
            end = closing(text, start + 2)
            self._inner(text[start + 2 : end])
        elif text.startswith("${", start):
            end = self._closing_brace(start + 2)
            self._search(text[start + 2 : end])
        else:
            end = start
        self.at = end + 1
        parts.append(text[start : self.at])

    def _closing_brace(self, at: int) -> int:
        end = closing_brace(self.text, at) if self.open_braces < _OPEN_BRACES else -1
        if end < 0:
            # As little as can be is taken for its inside: behind it may stand a deed.
            self.open_braces += 1
            end = self.text.find("}", at)
        return len(self.text) if end < 0 else end

    def _search(self, text: str) -> None:
        if "$" in text or "`" in text:
            for each in substitutions(text):
                self._inner(each)

    def _inner(self, text: str) -> None:
        inside = Simple()
        inside.script = text
        self.found.append(inside)

    def _end(self, operator: str = "") -> None:
        simple, words = self.simple, self.words
        if words or simple.writes or simple.takes:
            simple.words, simple.then = tuple(words), operator
            self.found.append(simple)
            self.simple, self.words = Simple(), []
        elif self.found and self.found[-1].then == ")":
            self.found[-1].then = operator
        self.grouped = self.grouped or operator in ("(", ")")
        # A line may break behind an `&` or a `|`: what comes runs beside all the same.
        self.simple.beside |= operator in ("|", "|&", "&")
