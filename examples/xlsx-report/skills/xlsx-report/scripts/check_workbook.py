"""Looks for formulas that cannot work: `python3 check_workbook.py FILE`. No third-party imports."""

import re
import sys
import zipfile
from xml.etree import ElementTree as ET

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
ERRORS = ("#REF!", "#DIV/0!", "#NAME?", "#VALUE!", "#N/A", "#NUM!", "#NULL!")


def main(path: str) -> int:
    bad = 0
    with zipfile.ZipFile(path) as book:
        for name in book.namelist():
            if not re.fullmatch(r"xl/worksheets/[^/]+\.xml", name):
                continue
            for cell in ET.fromstring(book.read(name)).iter(f"{MAIN}c"):
                texts = [each.text or "" for each in cell]
                if any(error in text for error in ERRORS for text in texts):
                    print(f"{name}: {cell.get('r')}: {' '.join(texts)}")
                    bad += 1
    print(f"{path}: {bad} formulas that cannot work" if bad else f"{path}: fine")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
