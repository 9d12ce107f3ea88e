"""A shift's report on paper: a page or more for each, with the end of the journal as a QR code."""

from collections.abc import Sequence
from importlib import import_module
from io import BytesIO
from typing import Any, Final

from controller.cli.journal.report_rows import rows_of
from controller.domain.errors import ConfigError
from controller.i18n import text
from controller.replay.rounds.report_parts import SignedReport

FONT: Final = "Helvetica"
"""A font that every reader of PDF has; it writes the five languages, and a ? for what it lacks."""
LABEL_MM: Final = 55
LINE_MM: Final = 5
QR_MM: Final = 32


def pdf_of(reports: Sequence[SignedReport]) -> bytes:
    """The file's bytes. Raises `ConfigError` FPDF_MISSING."""
    try:
        fpdf, segno = import_module("fpdf"), import_module("segno")
    except ImportError as error:
        raise ConfigError("FPDF_MISSING") from error
    pdf = fpdf.FPDF()
    for one in reports:
        _page(pdf, segno, one)
    return bytes(pdf.output())


def _page(pdf: Any, segno: Any, signed: SignedReport) -> None:
    pdf.add_page()
    code = BytesIO()
    segno.make(_proof(signed), error="m").save(code, kind="png", scale=4)
    pdf.image(code, x=pdf.w - pdf.r_margin - QR_MM, y=pdf.t_margin, w=QR_MM)
    pdf.set_font(FONT, "B", 15)
    pdf.cell(0, 2 * LINE_MM, _plain(f"stand17: {text('shift_report.title')}"), new_x="LMARGIN", new_y="NEXT")
    for at, (name, value) in enumerate(rows_of(signed)):
        beside = QR_MM if at * LINE_MM < QR_MM else 0
        pdf.set_font(FONT, "B", 9)
        pdf.cell(LABEL_MM, LINE_MM, _plain(name))
        pdf.set_font(FONT, "", 9)
        width = pdf.epw - LABEL_MM - beside
        pdf.multi_cell(width, LINE_MM, _plain(value), align="L", new_x="LMARGIN", new_y="NEXT")


def _proof(signed: SignedReport) -> str:
    """What the QR code says: whose journal, its last entry, and the signature under the report."""
    return f"stand17 {signed.report.table} {signed.head.seq} {signed.head.hash} {signed.signature}".rstrip()


def _plain(words: str) -> str:
    return words.encode("latin-1", "replace").decode("latin-1")
