"""A shift's report as files: the JSON that `stand17 verify` proves, a row for a spreadsheet, paper."""

from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from typing import Final, Literal

from controller.domain import ConfigError
from controller.journal.head_file import TableKey
from controller.outputs import CsvWriter
from controller.replay.report.model import ReportHead, ReportWithHeads
from controller.replay.report.pdf import pdf_of
from controller.replay.report.shift_report import report_of
from controller.replay.rounds.shift_file import ShiftFile, open_shift
from controller.software import digest_of, root_of_this_program

NO_HEAD: Final = ReportHead(seq=0, hash="")

Form = Literal["json", "csv", "pdf"]


def report_with_heads(
    file: Path, *, at_table: bool = False, progress: Callable[[int], None] = lambda _: None
) -> ReportWithHeads:
    """Return the unsigned report of a file's last shift, with the end of the journal.

    `progress` gets each entry of a journal that fits. Raises `ConfigError` REPORT_MISFIT for one that does
    not, and as `open_shift`.
    """
    opened = open_shift(file, at_table=at_table, progress=progress)
    return ReportWithHeads(report=report_of(opened), head=_head(file, opened), software=_software())


@cache
def _software() -> str:
    """The version of this program and the digest of its files."""
    return f"{version('stand17')} {digest_of(root_of_this_program())}"


def signed(report: ReportWithHeads, private: TableKey | None) -> ReportWithHeads:
    """The report as a key signs it; as it is without one."""
    if private is None:
        return report
    named = report.model_copy(update={"key": private.public})
    return named.model_copy(update={"signature": private.sign(named.message()).hex()})


def _head(file: Path, opened: ShiftFile) -> ReportHead:
    if opened.checked is None:
        return NO_HEAD
    if not opened.checked.ok:
        raise ConfigError("REPORT_MISFIT", path=str(file))
    end = opened.checked.head
    return ReportHead(seq=end.seq, hash="" if opened.hides else end.hash.hex())


def written(form: Form, reports: Sequence[ReportWithHeads], language: str) -> bytes:
    """The bytes of a file; a PDF speaks a language. Raises `ConfigError` FPDF_MISSING."""
    match form:
        case "json":
            return "".join(one.model_dump_json() + "\n" for one in reports).encode()
        case "csv":
            return _csv(reports).encode()
        case "pdf":
            return pdf_of(reports, language)


def _csv(reports: Sequence[ReportWithHeads]) -> str:
    """A row a shift, amounts in minor units; of lists how many there are."""
    out = StringIO(newline="")
    writer = CsvWriter(out)
    for number, one in enumerate(reports):
        fields = one.report.model_dump() | {"head_seq": one.head.seq, "head_hash": one.head.hash}
        fields["people"] = " ".join(one.report.people)
        if not number:
            writer.row(fields)
        writer.row([len(value) if isinstance(value, tuple) else value for value in fields.values()])
    return out.getvalue()
