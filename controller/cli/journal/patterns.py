"""`stand17 patterns`: patterns beyond chance in many days, by dealer, box, place, result and shoe."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from controller import i18n
from controller.cli.json_words import print_answer
from controller.cli.options import AsJson
from controller.cli.output import echo
from controller.cli.tongue import terminal_tongue
from controller.i18n import text

if TYPE_CHECKING:
    from controller.screens.patterns import BoxPace, DealerPace, DifferingGroup, Patterns, ShoeReads


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
