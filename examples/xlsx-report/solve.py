"""Makes the workbook that the cases ask for: `python3 solve.py FILE`. No third-party imports.

This is what the oracle runs, so that the verifiers are held to a workbook that is right.
"""

import csv
import sys
import zipfile
from pathlib import Path

SPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
PLAIN, HEAD, INPUT, MONEY, SHARE = range(5)
STYLES = f"""<styleSheet xmlns="{SPACE}">
<numFmts count="1"><numFmt numFmtId="164" formatCode="0.0%"/></numFmts>
<fonts count="3"><font/><font><b/></font><font><color rgb="FF0000FF"/></font></fonts>
<fills count="1"><fill><patternFill patternType="none"/></fill></fills>
<borders count="1"><border/></borders>
<cellStyleXfs count="1"><xf/></cellStyleXfs>
<cellXfs count="5"><xf numFmtId="0" fontId="0"/><xf numFmtId="0" fontId="1"/>
<xf numFmtId="4" fontId="2"/><xf numFmtId="4" fontId="0"/><xf numFmtId="164" fontId="0"/></cellXfs>
</styleSheet>"""
PARTS = {
    "[Content_Types].xml": f"""<Types xmlns="{PACKAGE}/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Override PartName="/xl/workbook.xml" ContentType="{KIND}.sheet.main+xml"/>
<Override PartName="/xl/styles.xml" ContentType="{KIND}.styles+xml"/>
<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{KIND}.worksheet+xml"/></Types>""",
    "_rels/.rels": f"""<Relationships xmlns="{PACKAGE}/relationships">
<Relationship Id="r1" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>""",
    "xl/workbook.xml": f"""<workbook xmlns="{SPACE}" xmlns:r="{OFFICE}">
<sheets><sheet name="Sales" sheetId="1" r:id="r1"/></sheets></workbook>""",
    "xl/_rels/workbook.xml.rels": f"""<Relationships xmlns="{PACKAGE}/relationships">
<Relationship Id="r1" Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>
<Relationship Id="r2" Type="{OFFICE}/styles" Target="styles.xml"/></Relationships>""",
    "xl/styles.xml": STYLES,
}


def text(name: str, words: str, style: int = PLAIN) -> str:
    return f'<c r="{name}" s="{style}" t="inlineStr"><is><t>{words}</t></is></c>'


def number(name: str, value: str) -> str:
    return f'<c r="{name}" s="{INPUT}"><v>{float(value):g}</v></c>'


def formula(name: str, words: str, style: int = MONEY) -> str:
    return f'<c r="{name}" s="{style}"><f>{words}</f></c>'


def make_sheet(rows: list[dict[str, str]]) -> str:
    """The regions, their revenue as formulas, costs of 62 % of it, the margin and its share."""
    last, total = len(rows) + 1, len(rows) + 2
    heads = ("Region", "Units", "Price", "Revenue", "Costs", "Margin", "Margin, %", "Cost rate")
    table = ["".join(text(f"{'ABCDEFGH'[n]}1", head, HEAD) for n, head in enumerate(heads))]
    for n, row in enumerate(rows, 2):
        cells = [text(f"A{n}", row["region"]), number(f"B{n}", row["units"])]
        cells += [number(f"C{n}", row["price"]), formula(f"D{n}", f"B{n}*C{n}")]
        cells += [formula(f"E{n}", f"D{n}*$H$2"), formula(f"F{n}", f"D{n}-E{n}")]
        cells.append(formula(f"G{n}", f"F{n}/D{n}", SHARE))
        table.append("".join(cells) + (number("H2", "0.62") if n == 2 else ""))
    sums = [formula(f"{c}{total}", f"SUM({c}2:{c}{last})") for c in "DEF"]
    share = formula(f"G{total}", f"F{total}/D{total}", SHARE)
    table.append("".join([text(f"A{total}", "Total"), *sums, share]))
    lines = "".join(f'<row r="{n}">{cells}</row>' for n, cells in enumerate(table, 1))
    return f'<worksheet xmlns="{SPACE}"><sheetData>{lines}</sheetData></worksheet>'


def main(path: str) -> None:
    with open("data/sales.csv", encoding="utf-8", newline="") as file:
        sheet = make_sheet(list(csv.DictReader(file)))
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, part in (*PARTS.items(), ("xl/worksheets/sheet1.xml", sheet)):
            book.writestr(name, part)
    print(f"wrote {path}")


if __name__ == "__main__":
    main(sys.argv[1])
