"""A shift's report on paper: a page or more for each, with signatures and a code that proves it."""

from collections.abc import Sequence
from importlib import import_module
from io import BytesIO
from typing import Any, Final

from controller.domain import ConfigError
from controller.i18n import text
from controller.replay.report.model import ReportWithHeads
from controller.replay.report.words import PaperSection, ReportPaper, Rows, paper_of
from controller.software import way_to_install

FONT: Final = "Helvetica"
"""A font that every reader of PDF has; it writes the five languages, and a ? for what it lacks."""
_TEXT_PT: Final = 9.5
"""12 px of the drawing, which is the least on paper."""
_LINE_MM: Final = 5.4
GAP_MM: Final = 8
_QR_MM: Final = 44
_SIGNATURE_MM: Final = 16
_LAST_ROWS: Final = 3
"""So many rows of the last section stand with the signatures."""
_BAR_GREY: Final = 223
PEOPLE: Final = ("role.dealer", "role.supervisor", "shift_report.cashier")


def pdf_of(reports: Sequence[ReportWithHeads], language: str) -> bytes:
    """The file's bytes, in a language. Raises `ConfigError` FPDF_MISSING."""
    try:
        fpdf, _ = import_module("fpdf"), import_module("segno")
    except ImportError as error:
        raise ConfigError("FPDF_MISSING", way=way_to_install("report")) from error
    pdf = type("Paper", (fpdf.FPDF,), {"footer": _footer})()
    pdf.set_margin(15)
    pdf.set_auto_page_break(True, 18)
    for one in reports:
        paper = paper_of(one, language)
        _head(pdf, paper)
        _figures(pdf, paper.figures)
        _beside(pdf, paper.money, paper.play)
        for section in paper.lists[:-1]:
            _section(pdf, section)
        _end(pdf, one, paper, language)
    return bytes(pdf.output())


def _footer(pdf: Any) -> None:
    """Name of the program and number of the page, at the foot of every page."""
    pdf.set_y(-14)
    pdf.set_font(FONT, "", _TEXT_PT)
    pdf.cell(0, _LINE_MM, "stand17")
    pdf.cell(0, _LINE_MM, f"{pdf.page_no()} / {{nb}}", align="R")


def _head(pdf: Any, paper: ReportPaper) -> None:
    pdf.add_page()
    pdf.set_font(FONT, "B", 18)
    half = pdf.epw / 2
    pdf.cell(half, 9, _plain(paper.title))
    pdf.set_font(FONT, "", _TEXT_PT)
    stand = f"{paper.when}\n{paper.stand}"
    pdf.multi_cell(half, _LINE_MM, _plain(stand), align="R", new_x="LMARGIN", new_y="NEXT")
    if paper.shadow:
        pdf.multi_cell(0, _LINE_MM, _plain(paper.shadow), new_x="LMARGIN", new_y="NEXT")
    pdf.line(pdf.l_margin, pdf.y + 2, pdf.w - pdf.r_margin, pdf.y + 2)
    pdf.ln(GAP_MM)


def _figures(pdf: Any, rows: Rows) -> None:
    width, top = pdf.epw / len(rows), pdf.y
    for at, (name, value) in enumerate(rows):
        pdf.rect(pdf.l_margin + at * width, top, width, 16)
        pdf.set_xy(pdf.l_margin + at * width + 2, top + 2)
        pdf.set_font(FONT, "", _TEXT_PT)
        pdf.cell(width - 4, _LINE_MM, _plain(name), new_x="LEFT", new_y="NEXT")
        pdf.set_font(FONT, "B", 14)
        pdf.cell(width - 4, 7, _plain(value))
    pdf.set_xy(pdf.l_margin, top + 16 + GAP_MM)


def _beside(pdf: Any, left: PaperSection, right: PaperSection) -> None:
    """Draw two sections side by side; the next section starts below the longer one."""
    top, margins = pdf.y, (pdf.l_margin, pdf.r_margin)
    middle = pdf.w / 2
    pdf.set_right_margin(middle + 3)
    _section(pdf, left)
    ends = pdf.y
    pdf.set_margins(middle + 3, pdf.t_margin, margins[1])
    pdf.set_xy(middle + 3, top)
    _section(pdf, right)
    pdf.set_margins(margins[0], pdf.t_margin, margins[1])
    pdf.set_xy(margins[0], max(ends, pdf.y))


def _end(pdf: Any, signed: ReportWithHeads, paper: ReportPaper, language: str) -> None:
    """Draw the last section and the signatures: its last rows stand on their page, whichever that is."""
    rest = list(paper.lists[-1:])
    for section in rest:
        if first := section.rows[:-_LAST_ROWS]:
            _section(pdf, section.model_copy(update={"rows": first}), gap=0)
            strong = tuple(at - len(first) for at in section.strong)
            last = {"rows": section.rows[-_LAST_ROWS:], "title": "", "heads": (), "strong": strong}
            rest = [section.model_copy(update=last)]

    def draw(on: Any) -> None:
        for section in rest:
            _section(on, section)
        _signatures(on, language)
        _proof(on, signed, paper.proof)

    with pdf.offset_rendering() as tried:
        draw(tried)
    if tried.page_break_triggered or tried.will_page_break(0):
        pdf.add_page()
    draw(pdf)


def _section(pdf: Any, section: PaperSection, *, gap: int = GAP_MM) -> None:
    fonts = import_module("fpdf.fonts")
    if section.title:
        pdf.set_font(FONT, "B", 12)
        pdf.cell(0, 7, _plain(section.title), new_x="LMARGIN", new_y="NEXT")
    pdf.set_font(FONT, "", _TEXT_PT)
    last = "RIGHT" if len(section.widths) in (2, 4) and section.widths[-1] < 13 else "LEFT"
    aligned = ("LEFT",) * (len(section.widths) - 1) + (last,)
    with pdf.table(
        align="LEFT",
        borders_layout="HORIZONTAL_LINES",
        col_widths=section.widths,
        first_row_as_headings=bool(section.heads),
        line_height=_LINE_MM,
        text_align=aligned,
        width=pdf.epw,
    ) as table:
        if section.heads:
            table.row([_plain(cell) for cell in section.heads])
        for at, row in enumerate(section.rows):
            style = fonts.FontFace(emphasis="BOLD") if at in section.strong else None
            style = fonts.FontFace(fill_color=_BAR_GREY) if section.bar else style
            table.row([_plain(cell) for cell in row], style=style)
    pdf.ln(gap)


def _signatures(pdf: Any, language: str) -> None:
    width, top = pdf.epw / len(PEOPLE), pdf.y + _SIGNATURE_MM
    for at, key in enumerate(PEOPLE):
        left = pdf.l_margin + at * width
        pdf.line(left, top, left + width - 6, top)
        pdf.text(left, top + _LINE_MM, _plain(text(key, {}, language)))
    pdf.set_xy(pdf.l_margin, top + _LINE_MM + GAP_MM)


def _proof(pdf: Any, signed: ReportWithHeads, rows: Rows) -> None:
    """Draw the QR code, and beside it its content."""
    code = BytesIO()
    import_module("segno").make(_code_text(signed), error="m").save(code, kind="png", scale=4, border=0)
    top = pdf.y
    pdf.image(code, x=pdf.l_margin, y=top, w=_QR_MM)
    pdf.set_y(top)
    for name, value in rows:
        for style, recorded in (("B", name), ("", value)):
            pdf.set_font(FONT, style, _TEXT_PT)
            pdf.set_x(pdf.l_margin + _QR_MM + 6)
            pdf.multi_cell(0, _LINE_MM - 0.8, _plain(recorded), align="L", new_x="LMARGIN", new_y="NEXT")
    pdf.set_y(max(pdf.y, top + _QR_MM))


def _code_text(signed: ReportWithHeads) -> str:
    """Return the content of the code: table, money in minor units, lines, head, signature."""
    report, last = signed.report, signed.head
    counted = "" if report.difference is None else f" difference {report.difference}"
    money_of = f"win {report.win} drop {report.drop}{counted}"
    lines = f"lines {report.first_line}-{report.last_line}"
    return f"stand17 {report.table} {money_of} {lines} {last.seq} {last.hash} {signed.signature}".rstrip()


def _plain(words: str) -> str:
    """Replace the characters that the font lacks; a narrow no-break space becomes a wide one."""
    return words.replace("\u202f", "\u00a0").encode("latin-1", "replace").decode("latin-1")
