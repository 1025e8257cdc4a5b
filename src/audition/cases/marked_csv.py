"""A CSV file as a list of rows that know on which line they begin.

In: the path of a CSV file. Out: a Marked: a list of mappings from column to text. Cells may
hold line ends and `""`; a byte order mark is left out.
Must not know: what the columns are for.
"""

import csv
import io
from pathlib import Path

from audition.cases.marked_json import SIZE_CAP
from audition.model import Finding, Json
from audition.yaml_file import Field, Marked, Place

CELL_CAP = 4 * 1024 * 1024


def header_of(head: bytes) -> list[str]:
    """The column names in the first bytes of a file; none where it is no CSV."""
    line = head.decode("utf-8-sig", "replace").lstrip("\r\n").partition("\n")[0]
    try:
        return [each.strip() for each in next(csv.reader([line]), [])]
    except csv.Error:
        return []


def read_csv(path: Path) -> Marked:
    """Read a CSV file with a header; what is odd is in `findings`."""
    try:
        with path.open("rb") as file:
            raw = file.read(SIZE_CAP + 1)
    except OSError as error:
        return Marked(
            path=str(path), findings=(_say(path, 1, f"cannot be read: {error.strerror}"),)
        )
    if len(raw) > SIZE_CAP:
        words = f"the file is larger than {SIZE_CAP >> 20} MiB"
        return Marked(path=str(path), findings=(_say(path, 1, words),))
    return _read(raw.decode("utf-8-sig", "replace"), path, b"\xef\xbf\xbd" in raw)


def _say(path: Path, line: int, message: str) -> Finding:
    return Finding(path=str(path), line=line, message=message, rule="csv", severity="warning")


def _read(text: str, path: Path, odd: bool) -> Marked:
    findings: list[Finding] = []
    if "\ufffd" in text and not odd:
        findings.append(_say(path, 1, "not UTF-8; the odd bytes are replaced"))
    rows: list[dict[str, Json]] = []
    places: dict[Field, Place] = {(): _place(1)}
    csv.field_size_limit(CELL_CAP)
    reader = csv.reader(io.StringIO(text, newline=""))
    header: list[str] = []
    line = 1
    try:
        for cells in reader:
            begins, line = line, reader.line_num + 1
            if not cells:
                continue
            if not header:
                header = [each.strip() for each in cells]
                twice = sorted({each for each in header if header.count(each) > 1})
                findings += [
                    _say(path, begins, f"column `{each}` is there twice; the last counts")
                    for each in twice
                ]
                continue
            rows.append(_row(header, cells, (len(rows),), begins, places))
            if len(cells) > len(header):
                words = f"cells beyond the last column are dropped: {cells[len(header) :]}"
                findings.append(_say(path, begins, words[:300]))
    except csv.Error as error:
        findings.append(_say(path, line, f"not CSV from here on: {error}"))
    return Marked(path=str(path), value=rows, places=places, findings=tuple(findings))


def _row(
    header: list[str], cells: list[str], field: Field, line: int, places: dict[Field, Place]
) -> dict[str, Json]:
    row = dict(zip(header, cells, strict=False))
    places[field] = _place(line)
    for name, cell in row.items():
        places[*field, name] = _place(line, cell)
    return row


def _place(line: int, text: str | None = None) -> Place:
    return Place(line=line, column=1, key_line=line, key_column=1, text=text)
