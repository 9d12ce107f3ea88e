"""`stand17 books`: the expected float of a table, and the explanations of a difference."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from controller.cli.json_words import print_answer
from controller.cli.options import AsJson
from controller.cli.output import echo
from controller.cli.replay.amounts import amount, clock, signed_amount
from controller.i18n import text

if TYPE_CHECKING:
    from controller.history.history import Row
    from controller.policy.money import Explanation


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
    from controller.replay.rounds.shift_file import open_shift

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
