"""The words of a shell command line.

In: any text. Out: its simple commands. Must not know: what the commands are for.

A small reader of our own, because `shlex` knows no operators inside words, no `$(…)`, no
here-documents, and raises on an open quote: an agent's half line must still be read.
"""

import re

from audition.shell.ends import ALL, mark_ends

LONGEST = 256 * 1024
"""What is behind it is not read."""

_PLAIN = re.compile(r"[^\s'\"\\`$|&;<>()#]+")
_SPECIAL = re.compile(r"[\n'\"\\`$|&;<>()#]")
_OPERATOR = re.compile(r"\|\||&&|;;|\|&|[;&|\n()]")
_REDIRECT = re.compile(r"(?:\d+|&)?(<<<|<<-?|>>|>\||>&|<&|<>|>|<)")


class Simple:
    """A simple command while it is gathered."""

    __slots__ = (
        *("beside", "code", "into", "script", "takes", "tells", "then", "words"),
        *("wrapped_in", "writes"),
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
        self.heredocs: list[tuple[str, Simple]] = []
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
        target = self._word()
        if how in ("<<", "<<-"):
            self.heredocs.append((target, self.simple))
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
        for mark, simple in self.heredocs:
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
            elif char in "$`" or text.startswith(("<(", ">("), self.at):
                self._dollar(parts)
            else:
                break
        return "".join(parts)

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
        elif text.startswith(("$(", "<(", ">("), start):
            end = _closing(text, start + 2)
            if not text.startswith("$((", start):
                self._inner(text[start + 2 : end])
        elif text.startswith("${", start):
            end = text.find("}", start)
            end = len(text) if end < 0 else end
        else:
            end = start
        self.at = end + 1
        parts.append(text[start : self.at])

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


def _closing(text: str, at: int) -> int:
    """Where the parenthesis closes that opened before `at`; the end where none does."""
    open_ones, quote = 1, ""
    while at < len(text):
        char = text[at]
        if char == "\\" and quote != "'":
            at += 1
        elif quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in "()":
            open_ones += 1 if char == "(" else -1
            if not open_ones:
                return at
        at += 1
    return len(text)
