"""A table of the floor as a tile: what it waits for, its seats, its pace and win, without its cards."""

import re
from collections.abc import Iterable, Sequence, Set
from math import sqrt
from typing import Any, Final, Literal

from controller.domain.errors import TableError
from controller.screens.shapes.base import ViewModel
from controller.screens.shapes.rows import AlertRow, HoldRow
from controller.screens.shapes.texts import UNNAMED, described, say, short
from controller.screens.shapes.values import Money, Word, Words
from controller.screens.shapes.view import TableView, Tone
from controller.screens.shift.reader import LiveShift
from controller.screens.shift.sentences import moved

HOUR_US: Final = 3_600_000_000
UNUSUAL: Final = 2.0
"""So many standard deviations below what the rules let expect, a loss is worth a look."""

BEHIND: Final = 300
"""Entries that the archive may lack: some rounds, whose cards it gets with the turned card."""

_PARTS: Final = re.compile(r"(\D+|(?=\d))(\d*)")

Seat = Literal["empty", "stake", "acts", "stop"]


class Tile(ViewModel):
    """One table; `elsewhere` is one that is played at a controller of its own: here it can only be looked at.

    `at_utc_us` is its newest entry's time, `since_utc_us` that of the oldest hold or open alert, 0 without
    one; `alert` names the oldest alert that stops nothing; `seats` are its boxes in order; `hands` an hour is
    None before the first settled round. `expected` is what the rules let the house win of the stakes so far,
    None until that is known, and `unusual` a loss far below it. `behind` are entries that the archive has
    not, None where that is not known. `unread` is a journal of the floor that is no table. `opens` is whether
    there is more to look at than the tile.
    """

    table: str
    elsewhere: bool
    at_utc_us: int
    since_utc_us: int
    line: Words
    tone: Tone
    alert: Words | None
    seats: tuple[Seat, ...]
    hands: int | None
    win: Money
    expected: Money | None = None
    unusual: bool = False
    behind: int | None = None
    dealer: str
    alerts: int
    round: int
    unread: bool = False
    opens: bool = True


class TilesNews(ViewModel):
    """What is new of the tiles at `count`: `order` names all by need, `tiles` are those that changed."""

    count: int
    order: tuple[str, ...]
    tiles: tuple[Tile, ...]


class SentTiles:
    """Which tile changed when: whoever asks gets what he has not seen."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._count = 0
        self._known: dict[str, tuple[Tile, int]] = {}

    def news(self, tiles: Sequence[Tile], after: int) -> TilesNews:
        """Of these, by need, what has changed since this count; all where the count is none of ours."""
        self._count += 1
        before = self._known
        self._known = {}
        for tile in tiles:
            known = before.get(tile.table)
            self._known[tile.table] = known if known and known[0] == tile else (tile, self._count)
        seen = after if after < self._count else 0
        changed = tuple(tile for tile in tiles if self._known[tile.table][1] > seen)
        return TilesNews(count=self._count, order=tuple(tile.table for tile in tiles), tiles=changed)


def tile_of(view: TableView, shift: LiveShift, edge_percent: float | None, *, elsewhere: bool) -> Tile:
    """The tile of a table as its view and its shift have it; the edge is None until known."""
    prompt = view.prompts[0]
    waits: tuple[HoldRow | AlertRow, ...] = (*view.holds, *view.alerts)
    return Tile(
        table=view.table,
        elsewhere=elsewhere,
        at_utc_us=view.at_utc_us,
        since_utc_us=min((one.since_utc_us for one in waits), default=0),
        line=prompt.line,
        tone=prompt.tone,
        alert=_alert(view),
        seats=tuple(_seat(view, number, prompt.box) for number in range(1, view.felt.boxes + 1)),
        dealer=view.dealing or _last_dealer(shift),
        alerts=len(view.alerts) + view.alerts_more,
        round=view.round,
        **_figures(shift, edge_percent),
    )


def journal_tile(
    table: str, boxes: int, shift: LiveShift, edge_percent: float | None, fault: TableError | None
) -> Tile:
    """The tile of a table of which only the journal is here; `fault` is why no newer entry is shown.

    Its line names a hold, else the round: which card comes next, the engine alone could say.
    """
    holds = shift.history.rows("SELECT code, box, us, asks FROM stop WHERE until IS NULL ORDER BY seq")
    alerts = shift.history.rows("SELECT * FROM open_alert ORDER BY seq")
    now = shift.history.rows(
        "SELECT e.us, r.round, r.status, r.ended FROM (SELECT us FROM entry ORDER BY seq DESC LIMIT 1) e"
        " LEFT JOIN (SELECT * FROM round ORDER BY round DESC LIMIT 1) r"
    )[0]
    runs = now["round"] is not None and now["ended"] is None
    stops = [one["code"] for one in holds if not one["asks"]]
    stands = fault is not None or stops or (runs and now["status"] == "disputed")
    if fault is not None:
        line = described("hold", fault.code, tuple(fault.params.items()))
    elif stops:
        line = say("line.STOP", fault=Word(word=short(stops[0]).code))
    elif stands:
        line = say("line.DISPUTED")
    elif holds:
        line = short(holds[0]["code"])
    else:
        line = say("ui.round_number", round=now["round"]) if runs else say("line.PLACE_BETS")
    held = {(one["code"], one["box"]) for one in holds}
    named = [short(one["code"]) for one in alerts if (one["code"], one["box"]) not in held]
    return Tile(
        table=table,
        elsewhere=True,
        at_utc_us=now["us"],
        since_utc_us=min((one["us"] for one in (*holds, *alerts)), default=0 if fault is None else now["us"]),
        line=line,
        tone="stop" if stands else "act",
        alert=next((name for name in named if name.code != UNNAMED), None),
        seats=_seats_of(shift, boxes, now["round"] if runs else None, {one["box"] for one in holds}),
        dealer=shift.dealing or _last_dealer(shift),
        alerts=len({(one["code"], one["round"], one["box"], one["seat"], one["card"]) for one in alerts}),
        round=(now["round"] or 0) + (not runs),
        **_figures(shift, edge_percent),
    )


def _seats_of(shift: LiveShift, boxes: int, number: int | None, stopped: Set[int]) -> tuple[Seat, ...]:
    """The boxes of a table with the stakes of the round that runs, None where none does."""
    laid = shift.history.rows("SELECT DISTINCT box FROM stake WHERE round = ? AND amount > 0", (number,))
    staked = {row["box"] for row in laid}
    return tuple(
        "stop" if box in stopped else "stake" if box in staked else "empty" for box in range(1, boxes + 1)
    )


def _figures(shift: LiveShift, edge_percent: float | None) -> dict[str, Any]:
    row = shift.row
    expected = None if edge_percent is None else row["opened"] * edge_percent / 100.0
    return {
        "hands": _hands_per_hour(shift),
        "win": moved(row["win"]),
        "expected": None if expected is None else moved(round(expected)),
        "unusual": expected is not None and row["win"] < expected - UNUSUAL * sqrt(row["variance"]),
    }


def unread_tile(name: str, error: TableError) -> Tile:
    """The tile of a journal that cannot be read as a table."""
    return Tile(
        table=name,
        elsewhere=True,
        at_utc_us=0,
        since_utc_us=0,
        line=described("alert", error.code, tuple(error.params.items())),
        tone="stop",
        alert=None,
        seats=(),
        hands=None,
        win=moved(0),
        dealer="",
        alerts=1,
        round=0,
        unread=True,
        opens=False,
    )


def away_tile(tile: Tile, code: str = "TABLE_AWAY") -> Tile:
    """The tile of a table that is not to be reached, and why: what it was when it was there last."""
    line = described("alert", code)
    return tile.model_copy(update={"line": line, "tone": "stop", "elsewhere": True})


def in_order(table: str) -> tuple[tuple[str, int], ...]:
    """The place of a table's name among others, numbers by their size: BJ2 before BJ10."""
    return tuple((word, int(digits or 0)) for word, digits in _PARTS.findall(table))


def by_need(tiles: Iterable[Tile]) -> tuple[Tile, ...]:
    """First what stands, then what has alerts, the oldest first, then what only looks unusual."""
    return tuple(sorted(tiles, key=_need))


def _need(tile: Tile) -> tuple[int, int]:
    if tile.tone == "stop":
        return 0, tile.since_utc_us
    if tile.alerts:
        return 1, tile.since_utc_us
    return (2, 0) if tile.unusual or (tile.behind or 0) > BEHIND else (3, 0)


def _alert(view: TableView) -> Words | None:
    """The oldest alert that stops nothing, in a few words; some have none."""
    known = sorted(view.alerts, key=lambda alert: alert.since_utc_us)
    names = (short(alert.text.code.partition(".")[2]) for alert in known if not alert.holds)
    return next((name for name in names if name.code != UNNAMED), None)


def _seat(view: TableView, number: int, acting: int | None) -> Seat:
    if any(hold.box == number for hold in view.holds):
        return "stop"
    if number == acting:
        return "acts"
    return "stake" if any(box.box == number and box.stake for box in view.boxes) else "empty"


def _hands_per_hour(shift: LiveShift) -> int | None:
    """Hands of the last hour that was played, for the whole hour where less than one is known."""
    found = shift.history.rows(
        "WITH finished AS (SELECT round, began_us, coalesce(pay_us, 0) AS us, hands FROM round WHERE day = ?"
        "  AND (status IN ('settled', 'voided') OR (status = 'disputed' AND ended IS NOT NULL))),"
        " last AS (SELECT us FROM finished ORDER BY round DESC LIMIT 1)"
        " SELECT last.us, sum(hands) AS hands, began_us, min(round) FROM finished, last"
        " WHERE finished.us > last.us - ? GROUP BY last.us",
        (shift.history.day, HOUR_US),
    )
    if not found:
        return None
    spent_us = max(int(found[0]["us"] - found[0]["began_us"]), 1)
    return round(int(found[0]["hands"]) * HOUR_US / spent_us)


def _last_dealer(shift: LiveShift) -> str:
    found = shift.history.rows(
        "SELECT dealer FROM round WHERE day = ? AND dealer <> '' ORDER BY round DESC LIMIT 1",
        (shift.history.day,),
    )
    return str(found[0]["dealer"]) if found else ""
