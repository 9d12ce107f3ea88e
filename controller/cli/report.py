"""Commands that report on shifts: the signed report, the books, patterns of many days."""

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NoReturn

import typer

from controller import i18n
from controller.cli.application import AsJson, Force
from controller.cli.output import (
    amount,
    clock,
    echo,
    echo_lines,
    error_sentence,
    print_answer,
    signed_amount,
    terminal_tongue,
)
from controller.domain import ConfigError, TableError
from controller.i18n import text
from controller.outputs import Outputs

if TYPE_CHECKING:
    from controller.floor.days import ArchiveDays, ArchivedDay
    from controller.history.history import Row
    from controller.policy.money import Explanation
    from controller.replay.report_files import Form
    from controller.replay.shift_report import ReportWithHeads
    from controller.screens.patterns import BoxPace, DealerPace, DifferingGroup, Patterns, ShoeReads

FORMS: "Final[dict[str, Form]]" = {".json": "json", ".csv": "csv", ".pdf": "pdf"}


def report(
    files: Annotated[
        list[Path], typer.Argument(help="Journals, archives; recordings and feeds, without a head.")
    ],
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

    Of an archive all journals, table by table and day by day; exit status 1 where a day is missing, or where
    a journal cannot be reported on: it is named, and the others are.
    """
    archives = _archives([folder for folder in files if folder.is_dir()])
    archived = {folder / day.journal for folder, found in archives.items() for day in found.days}
    files = [one for file in files for one in _journals(file, archives.get(file))]
    if out is not None and out.suffix not in FORMS:
        raise ConfigError("REPORT_NAME", path=str(out))
    outputs = Outputs((*files, *(() if key is None else (key,))), force)
    outputs.require_free(out)
    from controller.journal.head_file import TableKey
    from controller.replay.report_files import signed, text_lines, written

    private = None if key is None else TableKey.load(key)
    made, bad = _made(files, archived, at_table=at_table)
    bad |= {
        folder / name: error for folder, found in archives.items() for name, error in found.unread.items()
    }
    reports = [signed(one, private) for one in made]
    if out is not None:
        outputs.write(out, written(FORMS[out.suffix], reports, terminal_tongue()))
    if as_json:
        echo_lines(written("json", reports, "en").decode().split("\n")[:-1])
    elif out is None:
        for one in reports:
            echo_lines(text_lines(one, terminal_tongue()))
    if archives:
        for path, error in bad.items():
            echo(error_sentence(error, path.name), err=True)
        days = [day for found in archives.values() for day in found.days]
        _end_with(days, bad=bool(bad), as_json=as_json)


def _archives(folders: Sequence[Path]) -> "dict[Path, ArchiveDays]":
    if not folders:
        return {}
    from controller.floor.days import days_of

    return {folder: days_of(folder) for folder in folders}


def _journals(file: Path, found: "ArchiveDays | None") -> list[Path]:
    """The file itself, or an archive's journals, each table's days in their order."""
    return [file] if found is None else [file / day.journal for day in found.days]


def _end_with(days: "Sequence[ArchivedDay]", *, bad: bool, as_json: bool) -> NoReturn:
    """Say whether these are all days there are; `bad`: a journal could not be reported on."""
    from controller.cli.archive import print_gaps, print_whole
    from controller.floor.days import GAPS

    is_whole = not bad and not any(day.place in GAPS for day in days)
    if as_json:
        print_answer("archive", journals=[day._asdict() for day in days])
    elif is_whole:
        print_whole(days)
    else:
        print_gaps(days)
    raise typer.Exit(0 if is_whole else 1)


def _made(
    files: list[Path], archived: Collection[Path], *, at_table: bool
) -> "tuple[list[ReportWithHeads], dict[Path, TableError]]":
    """The reports of all files, in their order; of several as many at once as there are processors.

    Of `archived` ones that cannot be reported on, why; another file raises that.
    """
    from controller.replay.report_files import report_with_heads

    found = _made_at_once(files, at_table=at_table) if len(files) > 1 else [None for _ in files]
    made: list[ReportWithHeads] = []
    bad: dict[Path, TableError] = {}
    for file, report in zip(files, found, strict=True):
        try:
            # A file that a child process could not read raises its error again here.
            made.append(report or report_with_heads(file, at_table=at_table))
        except TableError as error:
            if file not in archived:
                raise
            bad[file] = error
    return made, bad


def _made_at_once(files: list[Path], *, at_table: bool) -> "list[ReportWithHeads | None]":
    """Report in as many processes as there are processors; None for a file that cannot be reported on."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(os.cpu_count() or 1, get_context("fork")) as pool:
        return [*pool.map(partial(_tried, at_table=at_table), files)]


def _tried(file: Path, *, at_table: bool) -> "ReportWithHeads | None":
    from controller.replay.report_files import report_with_heads

    try:
        return report_with_heads(file, at_table=at_table)
    except TableError:
        return None


_MOVEMENTS: Final = "SELECT line, at / 1e6 AS t, by, round, amount, expected FROM movement ORDER BY seq"


def books(
    file: Annotated[Path, typer.Argument(help="A feed, a journal or a recording.")],
    *,
    at_table: Annotated[bool, typer.Option("--table", help="A feed: through a table's door.")] = False,
    as_json: AsJson = False,
) -> None:
    """Keep a table's books from its journal alone: the float at every moment, and its closing.

    Exit status 1 where the closing count differs, 2 where the file cannot be read.
    """
    from controller.replay.shift_file import open_shift

    opened = open_shift(file, at_table=at_table)
    history = opened.history
    (kept,) = history.rows("SELECT * FROM books")
    movements = history.rows(_MOVEMENTS)
    explained = opened.explanations(kept["difference"] or 0)
    if as_json:
        print_answer(
            "books",
            file=file.name,
            currency=opened.currency,
            **kept,
            movements=movements,
            explanations=[one._asdict() for one in explained],
        )
    else:
        _print(opened.currency, kept, movements, explained)
    if kept["difference"]:
        raise typer.Exit(1)


def _print(
    currency: str, kept: "Row", movements: "Sequence[Row]", explained: "Sequence[Explanation]"
) -> None:
    for one in movements:
        fields: dict[str, str | int] = {
            "at": clock(one["t"]),
            "what": text(f"books.{one['by']}"),
            "round": one["round"] or "",
            "moved": signed_amount(one["amount"], currency),
            "expected": amount(one["expected"], currency),
        }
        echo(text("books.line", fields))
    expected = amount(kept["expected"], currency)
    if kept["counted"] is None:
        echo(text("books.not_counted", {"expected": expected}))
        return
    off = signed_amount(kept["difference"] or 0, currency)
    counted = amount(kept["counted"], currency)
    echo(text("books.closing", {"counted": counted, "expected": expected, "difference": off}))
    for why in explained:
        place: dict[str, str | int] = {"round": why.round, "box": why.box}
        echo(text(f"books.why_{why.reason}", {**place, "amount": amount(why.amount, currency)}))


def patterns(
    files: Annotated[list[Path], typer.Argument(help="Journals of one table or of several.")],
    *,
    as_json: AsJson = False,
) -> None:
    """Find patterns beyond chance over days: payouts that differ, misreads, falling certainty; and the pace.

    Only entered payouts count. Exit status 1 when a pattern is beyond chance, 2 when a journal cannot be
    read.
    """
    from controller.screens.patterns import days_in, patterns_of_days

    several = patterns_of_days(day for file in files for day in days_in(file))
    found = several.found
    if as_json:
        print_answer("patterns", days=several.days, **found.model_dump())
    else:
        for line in _lines(found):
            echo(line)
    chances = [row.one_in for row in found.payouts]
    chances += [chance for row in found.shoes for chance in (row.one_in, row.low_one_in)]
    if any(chances):
        raise typer.Exit(1)


def _lines(found: "Patterns") -> Iterator[str]:
    yield _text("ui.pattern_payouts" if found.payouts else "ui.pattern_none")
    for group in found.payouts:
        of = _text("ui.pattern_of", hits=group.differ, tries=group.payouts)
        moved = i18n.money(int(Decimal(group.sum.money).scaleb(2)), terminal_tongue(), signed=True)
        yield _line(_name(group), of, moved, _chance(group.one_in))
    yield from _part("shoes", map(_shoe, found.shoes))
    yield from _part("boxes", map(_box, found.boxes))
    yield from _part("dealers", map(_dealer, found.dealers))


def _part(name: str, lines: Iterable[str]) -> Iterator[str]:
    """A heading and its lines, nothing without one."""
    rows = list(lines)
    return iter((_text(f"ui.pattern_{name}"), *rows) if rows else ())


def _box(row: "BoxPace") -> str:
    return _line(_text("ui.box", box=row.box), str(row.decisions), _seconds(row.seconds))


def _dealer(row: "DealerPace") -> str:
    parts = (f"{_text(f'phase.{name}')} {_seconds(spent)}" for name, spent in row.seconds.items())
    return _line(row.dealer or _text("ui.pattern_median"), str(row.rounds), *parts)


def _line(*cells: str) -> str:
    return f"  {'  '.join(cells)}".rstrip()


def _shoe(row: "ShoeReads") -> str:
    misread = _text("ui.pattern_of", hits=row.misread, tries=row.cards)
    sure = "-" if row.percent is None else i18n.percent(row.percent, terminal_tongue())
    shoe = _text("ui.round_shoe", shoe=row.shoe)
    falls = _text("ui.pattern_falls") if row.low_one_in else ""
    return _line(row.day, row.table, shoe, misread, _chance(row.one_in), sure, falls, _chance(row.low_one_in))


def _chance(one_in: int | None) -> str:
    return "" if one_in is None else f"! {_text('ui.pattern_one_in', count=one_in)}"


def _seconds(seconds: float) -> str:
    return _text("ui.seconds", seconds=str(seconds))


def _name(group: "DifferingGroup") -> str:
    from controller.screens.words import Word

    if isinstance(group.name, Word):
        return _text(group.name.word)
    if group.by == "seat":
        return _text("ui.holder") if group.name == "0" else _text("detail.BEHIND", seat=group.name)
    key = "ui.round_dealer" if group.by == "dealer" else "ui.box"
    return _text(key, **{group.by: group.name})


def _text(key: str, **params: str | int) -> str:
    return text(key, params, terminal_tongue())
