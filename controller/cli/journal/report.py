"""`stand17 report`: what a table did in a shift, for the house and its regulator."""

from pathlib import Path
from typing import Annotated, Final

import typer

from controller.cli.options import AsJson, Force
from controller.cli.tongue import terminal_tongue
from controller.domain.errors import ConfigError
from controller.journal.table_key import TableKey
from controller.outputs import Outputs
from controller.replay.report.files import Form, signed_report, written
from controller.replay.report.words import text_lines

FORMS: Final[dict[str, Form]] = {".json": "json", ".csv": "csv", ".pdf": "pdf"}


def report(
    files: Annotated[list[Path], typer.Argument(help="Journals; recordings and feeds, which have no head.")],
    *,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="NAME.json, NAME.csv or NAME.pdf.")] = None,
    key: Annotated[Path | None, typer.Option(help="Sign with this table's key (its private half).")] = None,
    at_table: Annotated[bool, typer.Option("--table", help="Feeds: through a table's door.")] = False,
    as_json: AsJson = False,
    force: Force = False,
) -> None:
    """Report the last shift of each file: people, rounds, money, holds with the time to answer, rulings.

    One object, row or page for each file. `stand17 verify JOURNAL --report NAME.json` proves it later. PDF
    needs the extra `report`. Exit status 2 where a file cannot be read or written; nothing is written then.
    """
    if out is not None and out.suffix not in FORMS:
        raise ConfigError("REPORT_NAME", path=str(out))
    outputs = Outputs((*files, *(() if key is None else (key,))), force)
    outputs.require_free(out)
    private = None if key is None else TableKey.load(key)
    reports = [signed_report(file, private, at_table=at_table) for file in files]
    if out is not None:
        outputs.write(out, written(FORMS[out.suffix], reports, terminal_tongue()))
    if as_json:
        typer.echo(written("json", reports, "en"), nl=False)
    elif out is None:
        for one in reports:
            typer.echo("\n".join(text_lines(one, terminal_tongue())))
<<<<<<< HEAD
=======


def _signed(file: Path, private: TableKey | None, *, at_table: bool) -> ReportWithHeads:
    """The report of a file's last shift, with the end of the journal and the signature."""
    opened = read_table_file(str(file))
    head = _head(file, opened.checked) if kind_of(str(file)) == "journal" else NO_HEAD
    made = report_of(opened, at_table=at_table)
    program = installed()
    software = f"{program.version} {program.digest}"
    unsigned = ReportWithHeads(report=made, head=head, software=software)
    if private is None:
        return unsigned
    named = unsigned.model_copy(update={"key": private.public})
    return named.model_copy(update={"signature": private.sign(named.message()).hex()})


def _head(file: Path, checked: CheckedJournal | None) -> ReportHead:
    """The journal's last entry. Raises `ConfigError` REPORT_MISFIT where an entry does not fit."""
    if checked is None or not checked.report.ok:
        raise ConfigError("REPORT_MISFIT", path=str(file))
    end = checked.report.head
    return ReportHead(seq=end.seq, hash="" if hides(checked.ledger) else end.hash.hex())


def _written(suffix: str, reports: Sequence[ReportWithHeads]) -> bytes:
    """The bytes of the file. Raises `ConfigError` FPDF_MISSING."""
    if suffix == ".json":
        return _json(reports).encode()
    if suffix == ".csv":
        return _csv(reports).encode()
    # The extra's library is loaded for a PDF alone.
    from controller.cli.journal.report_pdf import pdf_of  # noqa: PLC0415 - see above

    return pdf_of(reports)


def _json(reports: Sequence[ReportWithHeads]) -> str:
    return "".join(one.model_dump_json() + "\n" for one in reports)


def _csv(reports: Sequence[ReportWithHeads]) -> str:
    """A row a shift, amounts in minor units; of lists how many there are."""
    out = StringIO(newline="")
    writer = csv.writer(out)
    for number, one in enumerate(reports):
        fields = one.report.model_dump() | {"head_seq": one.head.seq, "head_hash": one.head.hash}
        fields["people"] = " ".join(one.report.people)
        if not number:
            writer.writerow(fields)
        writer.writerow([len(value) if isinstance(value, tuple) else value for value in fields.values()])
    return out.getvalue()
>>>>>>> 0042e708 (Name data by the words of the field, and no class twice)
