"""`stand17 table`: rounds, bets, reads and holds as columns for a spreadsheet or a data frame."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, Final

import typer

from controller.cli.application import Force, named_files
from controller.cli.output import echo, print_object
from controller.domain import ConfigError
from controller.i18n import text
from controller.outputs import CsvWriter, Outputs, is_stream
from controller.replay.round_rows import COLUMNS, Row, RowKind, rows_of

if TYPE_CHECKING:
    pass

CSV: Final = ".csv"

_PARQUET: Final = ".parquet"

Columns = Mapping[str, type]

Write = Callable[[Iterable[Row]], None]
"""Writes the rows of one file."""


def table(
    files: Annotated[list[Path], typer.Argument(help="Feeds, journals, recordings, or folders of them.")],
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help="NAME.csv or NAME.parquet; - is CSV.")],
    of: Annotated[RowKind, typer.Option(help="What a row is.")] = "rounds",
    at_table: Annotated[
        bool, typer.Option("--table", help="Feeds: through a table's door, holds too.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Tell the counts as one JSON object.")] = False,
    force: Force = False,
) -> None:
    """Write rounds, bets, reads or holds as columns: one row each, of all files.

    Amounts are in minor units, times in seconds since the file's `started_at`. A card that was never turned
    has no rank. Parquet needs the extra `table` (pyarrow); CSV needs nothing. Exit status 0; 2 when a file
    cannot be read or written; nothing is written then.
    """
    from controller.replay.table_file import read_table_file

    found = [Path(name) for name in named_files([str(file) for file in files])]
    rows = 0
    outputs = Outputs(tuple(found), force)
    with _writer(outputs, out, COLUMNS[of]) as write:
        for file in found:
            opened = read_table_file(str(file))
            mine = list(rows_of(opened, of, at_table=at_table or opened.at_table))
            write(mine)
            rows += len(mine)
    counts: dict[str, int] = {"files": len(found), "rows": rows}
    written = {"type": "table", "of": of, "out": str(out), **counts}
    if as_json:
        print_object(written, err=is_stream(out))
    else:
        echo(text("table.written", {"path": str(out), **counts}), err=is_stream(out))


@contextmanager
def _writer(outputs: Outputs, out: Path, columns: Columns) -> Iterator[Write]:
    """Raises `ConfigError` TABLE_NAME, and as `Outputs.open`."""
    is_csv = out.suffix == CSV or (out.suffix != _PARQUET and is_stream(out))
    if not is_csv and out.suffix != _PARQUET:
        raise ConfigError("TABLE_NAME", path=str(out))
    opened = _csv if is_csv else _parquet
    with outputs.open(out) as stream, opened(stream, columns) as write:
        yield write


@contextmanager
def _csv(stream: IO[bytes], columns: Columns) -> Iterator[Write]:
    words = TextIOWrapper(stream, "utf-8", "backslashreplace", newline="", write_through=True)
    writer = CsvWriter(words)
    writer.row(columns)
    yield lambda rows: writer.rows(row.values() for row in rows)
    words.detach()


@contextmanager
def _parquet(stream: IO[bytes], columns: Columns) -> Iterator[Write]:
    """Write one row group per file, so that a month of tables need not fit into memory."""
    arrow, parquet = _arrow()
    kinds = {str: arrow.string(), int: arrow.int64(), float: arrow.float64(), bool: arrow.bool_()}
    schema = arrow.schema([(name, kinds[kind]) for name, kind in columns.items()])
    with parquet.ParquetWriter(stream, schema) as writer:

        def write(rows: Iterable[Row]) -> None:
            writer.write_table(arrow.Table.from_pylist(list(rows), schema))

        yield write


def _arrow() -> tuple[Any, Any]:
    """pyarrow, which only this needs. Raises `ConfigError` PYARROW_MISSING."""
    from controller.software import way_to_install

    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise ConfigError("PYARROW_MISSING", way=way_to_install("table")) from error
