"""`stand17 books`: what a table's float should hold, and what may explain that it holds something else."""

from pathlib import Path
from typing import Annotated

import typer

from controller.cli.json_words import print_answer
from controller.cli.options import AsJson
from controller.cli.output import echo
from controller.cli.replay.amounts import amount, clock, signed_amount
from controller.i18n import text
from controller.replay.files.table_file import read_table_file
from controller.replay.rounds.float_books import FloatAccount, books_of, taken_at_door
from controller.replay.rounds.played import rounds_of, steps


def books(
    file: Annotated[Path, typer.Argument(help="A feed, a journal or a recording.")],
    *,
    at_table: Annotated[bool, typer.Option("--table", help="A feed: through a table's door.")] = False,
    as_json: AsJson = False,
) -> None:
    """Keep a table's books from its journal alone: the float at every moment, and its closing.

    Exit status 1 where the closing count differs, 2 where the file cannot be read.
    """
    opened = taken_at_door(read_table_file(str(file)))
    taken = tuple(steps(opened, at_table=at_table or opened.at_table))
    kept = books_of(taken, rounds_of(taken))
    currency = opened.header.currency
    if as_json:
        _print_json(file, currency, kept)
    else:
        _print(currency, kept)
    if kept.difference:
        raise typer.Exit(1)


def _print_json(file: Path, currency: str, kept: FloatAccount) -> None:
    print_answer(
        "books",
        file=file.name,
        currency=currency,
        opening=kept.opening,
        fills=kept.sum("fill"),
        credits=-kept.sum("credit"),
        drop=-kept.sum("drop"),
        win=kept.sum("round"),
        expected=kept.expected,
        counted=kept.counted,
        difference=kept.difference,
        movements=[one._asdict() for one in kept.movements],
        explanations=[one._asdict() for one in kept.explanations],
    )


def _print(currency: str, kept: FloatAccount) -> None:
    for one in kept.movements:
        fields: dict[str, str | int] = {
            "at": clock(one.t),
            "what": text(f"books.{one.by}"),
            "round": one.round or "",
            "moved": signed_amount(one.amount, currency),
            "expected": amount(one.expected, currency),
        }
        echo(text("books.line", fields))
    expected = amount(kept.expected, currency)
    if kept.counted is None:
        echo(text("books.not_counted", {"expected": expected}))
        return
    counted, off = amount(kept.counted, currency), signed_amount(kept.difference, currency)
    echo(text("books.closing", {"counted": counted, "expected": expected, "difference": off}))
    for why in kept.explanations:
        place: dict[str, str | int] = {"round": why.round, "box": why.box}
        echo(text(f"books.why_{why.reason}", {**place, "amount": amount(why.amount, currency)}))
