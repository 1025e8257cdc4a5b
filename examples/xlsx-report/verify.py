"""Says yes to a workbook, or why not: `python3 verify.py WHAT FILE`. No third-party imports.

An .xlsx file is a zip of XML: sheets in xl/worksheets/, texts in xl/sharedStrings.xml,
fonts and number formats in xl/styles.xml.
"""

import re
import sys
import zipfile
from collections.abc import Iterator
from xml.etree import ElementTree as ET

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
BOUND = 20 * 1024 * 1024
ERROR = re.compile(r"#(REF!|DIV/0!|NAME\?|VALUE!|N/A|NUM!|NULL!)")


class Cell:
    """One cell: where it is, what it says, its formula, its looks."""

    def __init__(self, name: str, value: str, formula: str | None, style: dict[str, str]) -> None:
        self.name, self.value, self.formula, self.style = name, value, formula, style

    @property
    def is_number(self) -> bool:
        try:
            float(self.value)
        except ValueError:
            return False
        return True


class Bad(Exception):
    """What is wrong, in words."""


def read_part(book: zipfile.ZipFile, name: str) -> ET.Element | None:
    if name not in book.namelist():
        return None
    if book.getinfo(name).file_size > BOUND:
        raise Bad(f"{name} is too large")
    return ET.fromstring(book.read(name))


def read_texts(book: zipfile.ZipFile) -> list[str]:
    part = read_part(book, "xl/sharedStrings.xml")
    if part is None:
        return []
    return ["".join(t.text or "" for t in each.iter(f"{MAIN}t")) for each in part.iter(f"{MAIN}si")]


def read_styles(book: zipfile.ZipFile) -> list[dict[str, str]]:
    """For each style: its number format, its font's colour, whether it is bold."""
    part = read_part(book, "xl/styles.xml")
    if part is None:
        return []
    formats = {
        each.get("numFmtId"): each.get("formatCode", "") for each in part.iter(f"{MAIN}numFmt")
    }
    formats |= {"3": "#,##0", "4": "#,##0.00", "9": "0%", "10": "0.00%"}
    fonts = []
    for font in part.findall(f"{MAIN}fonts/{MAIN}font"):
        colour, bold = font.find(f"{MAIN}color"), font.find(f"{MAIN}b")
        shown = "" if colour is None else colour.get("rgb", "")[-6:].upper()
        is_bold = bold is not None and bold.get("val", "1") not in ("0", "false")
        fonts.append({"colour": shown, "bold": "yes" if is_bold else ""})
    found = []
    for each in part.findall(f"{MAIN}cellXfs/{MAIN}xf"):
        font = fonts[int(each.get("fontId", 0))] if fonts else {}
        found.append({"format": formats.get(each.get("numFmtId"), ""), **font})
    return found


def read_cells(path: str) -> Iterator[Cell]:
    with zipfile.ZipFile(path) as book:
        texts, styles = read_texts(book), read_styles(book)
        for name in sorted(book.namelist()):
            if re.fullmatch(r"xl/worksheets/[^/]+\.xml", name):
                sheet = read_part(book, name)
                for each in sheet.iter(f"{MAIN}c") if sheet is not None else ():
                    yield read_cell(each, texts, styles)


def read_cell(each: ET.Element, texts: list[str], styles: list[dict[str, str]]) -> Cell:
    value = each.findtext(f"{MAIN}v") or ""
    if each.get("t") == "s":
        value = texts[int(value)]
    elif each.get("t") == "inlineStr":
        value = "".join(t.text or "" for t in each.iter(f"{MAIN}t"))
    number = int(each.get("s", 0))
    style = styles[number] if number < len(styles) else {}
    return Cell(each.get("r", ""), value, each.findtext(f"{MAIN}f"), style)


def check_table(cells: list[Cell]) -> str:
    """The rows of the data are there, below heads in bold."""
    said = {each.value.lower() for each in cells}
    if missing := {"north", "south", "west"} - said:
        raise Bad(f"no row for {', '.join(sorted(missing))}")
    heads = [each for each in cells if re.fullmatch(r"[A-Z]+1", each.name) and each.value]
    if not heads or not all(each.style.get("bold") for each in heads):
        raise Bad("the heads in row 1 are not bold")
    return f"{len(cells)} cells below bold heads"


def check_formulas(cells: list[Cell]) -> str:
    """Totals are formulas over cells, and none of the computed figures is typed in."""
    formulas = [each for each in cells if each.formula]
    if len(formulas) < 4:
        raise Bad(f"{len(formulas)} formulas; a revenue for each region and a total are wanted")
    if not any(
        re.search(r"SUM(PRODUCT)?\(", each.formula or "", re.IGNORECASE) for each in formulas
    ):
        raise Bad("no total is a SUM")
    typed = {1140.0, 880.0, 1450.0, 3470.0}
    for each in cells:
        if not each.formula and each.is_number and float(each.value) in typed:
            raise Bad(f"{each.name} holds {each.value}, typed in where a formula belongs")
    return f"{len(formulas)} formulas"


def check_financial(cells: list[Cell]) -> str:
    """Inputs are blue, formulas are not, money and shares have their formats."""
    inputs = [each for each in cells if each.is_number and not each.formula]
    formulas = [each for each in cells if each.formula]
    if not inputs or not formulas:
        raise Bad(f"{len(inputs)} inputs and {len(formulas)} formulas")
    for each in inputs:
        if each.style.get("colour") != "0000FF":
            raise Bad(f"the input {each.name} is not blue")
    for each in formulas:
        if each.style.get("colour") == "0000FF":
            raise Bad(f"the formula {each.name} is blue")
    formats = {each.style.get("format", "") for each in (*inputs, *formulas)}
    for wanted in ("#,##0.00", "0.0%"):
        if wanted not in formats:
            raise Bad(f"nothing has the number format {wanted}")
    return f"{len(inputs)} inputs, {len(formulas)} formulas"


def check_sound(cells: list[Cell]) -> str:
    """No formula is broken."""
    for each in cells:
        if ERROR.search(each.formula or "") or ERROR.fullmatch(each.value):
            raise Bad(f"{each.name} is broken: {each.formula or each.value}")
    if not any(each.formula for each in cells):
        raise Bad("there is no formula")
    return "no formula is broken"


CHECKS = {
    "table": check_table,
    "formulas": check_formulas,
    "financial": check_financial,
    "sound": check_sound,
}


def main(what: str, path: str) -> int:
    try:
        print(CHECKS[what](list(read_cells(path))))
    except Bad as bad:
        print(bad)
    except FileNotFoundError:
        print(f"there is no {path}")
    except (zipfile.BadZipFile, ET.ParseError, IndexError, ValueError) as error:
        print(f"{path} is no workbook: {error}")
    else:
        return 0
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
