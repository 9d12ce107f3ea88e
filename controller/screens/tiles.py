"""The tables of a floor: each as a tile without its cards, and their figures side by side."""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from decimal import Decimal
from typing import Any, Final, Literal

from controller.domain import TableError
from controller.history.history import MINUTE_US, PhaseName, Row, expectation
from controller.irregularities import Way
from controller.policy.holds import FROZEN
from controller.runtime.carrying import MESSAGE
from controller.screens.dealt_rounds import Day, LiveShift, differing, mean_seconds
from controller.screens.figures import float_now
from controller.screens.patterns import Patterns, patterns_of
from controller.screens.view import TableView, Tone
from controller.screens.words import (
    UNNAMED,
    Money,
    ViewModel,
    Word,
    Words,
    described,
    money,
    moved,
    say,
    short,
)

_WAITS_MAX: Final = 6
"""Open stops and alerts that a tile lists; the others are counted."""

ANSWERED: Final = 5
"""Answered stops and alerts that a tile lists, the last ones."""

_PARTS: Final = re.compile(r"(\D+|(?=\d))(\d*)")

Seat = Literal["empty", "stake", "acts", "stop"]


class Waiting(ViewModel):
    """An open stop, camera question or alert of a table; `number` is its part of an address.

    Equal ones are one row: `times` is their number, `since_utc_us` the oldest of them. `money` is the largest
    amount at stake, None when unknown. `seen_by` is the person who acknowledged an alert at
    `seen_utc_us`, "" without one. `text` is its sentence, `ways` are the ways out of a stop, the usual one
    first; a journal alone has neither.
    """

    kind: Literal["stop", "question", "alert"]
    number: int
    title: Words
    since_utc_us: int
    money: str | None = None
    severity: str = "critical"
    seen_by: str = ""
    seen_utc_us: int = 0
    times: int = 1
    text: Words | None = None
    ways: tuple[Way, ...] = ()


class AnsweredRow(ViewModel):
    """A stop or an alert of the day that was lifted or resolved, and when it began and ended."""

    title: Words
    since_utc_us: int
    at_utc_us: int


class Tile(ViewModel):
    """One table; `elsewhere`: another controller plays it, and it can only be viewed here.

    `at_utc_us` is the time of its newest entry, `since_utc_us` that of the oldest hold or open alert (0
    without one), `line_since_utc_us` the beginning of `line`. `waits` lists the open items, `alerts` counts
    the alerts, `answered` lists the last answers. `seats` are its boxes in order. `limits` are the least and
    the largest stake, None when unknown. `expected` is the house's expected win of the stakes so far, `band`
    two standard deviations of it, None until the edge is known; `beyond`: the win is outside the band.
    `dealing_since_utc_us` is 0 without a signed-in dealer. `break_at_utc_us` is the time of the dealer's next
    break, 0: none. `behind` is the number of whole rounds that the archive lacks, None when unknown.
    `unread`: a journal of the floor without a table. `away`: the table does not answer. `opens`: the table
    has more than its tile to show.
    """

    table: str
    elsewhere: bool
    at_utc_us: int
    since_utc_us: int
    line: Words
    line_since_utc_us: int = 0
    tone: Tone
    waits: tuple[Waiting, ...] = ()
    answered: tuple[AnsweredRow, ...] = ()
    seats: tuple[Seat, ...]
    limits: tuple[str, str] | None = None
    win: Money
    expected: Money | None = None
    band: Money | None = None
    beyond: Literal["above", "below"] | None = None
    behind: int | None = None
    dealer: str
    dealing_since_utc_us: int = 0
    break_at_utc_us: int = 0
    alerts: int
    round: int
    unread: bool = False
    away: bool = False
    opens: bool = True


class FloorSum(ViewModel):
    """The win of all tables and its expectation; None until the edge of each table is known."""

    win: Money
    expected: Money | None
    band: Money | None


class TilesNews(ViewModel):
    """The changed tiles at `count`: `order` names all in floor order, `tiles` are the changed ones.

    `places` are the tables of the house's fixed places, "" for an empty one. `sum` is None for one table, or
    for several currencies; `now_utc_us` is the server's clock.
    """

    count: int
    now_utc_us: int = 0
    order: tuple[str, ...]
    places: tuple[str, ...] = ()
    tiles: tuple[Tile, ...]
    sum: FloorSum | None = None


class SentTiles:
    """Remembers when each tile changed, so that a client receives only the changes since its count."""

    def __init__(self) -> None:
        """Begin without tiles."""
        self._count = 0
        self._known: dict[str, tuple[Tile, int]] = {}

    def news(self, tiles: Sequence[Tile], after: int) -> TilesNews:
        """Return the tiles that changed since this count; all tiles for an unknown count."""
        self._count += 1
        before = self._known
        self._known = {}
        for tile in tiles:
            known = before.get(tile.table)
            self._known[tile.table] = known if known and known[0] == tile else (tile, self._count)
        seen = after if after < self._count else 0
        changed = tuple(tile for tile in tiles if self._known[tile.table][1] > seen)
        return TilesNews(count=self._count, order=tuple(tile.table for tile in tiles), tiles=changed)


def tile_of(
    view: TableView,
    shift: LiveShift,
    edge_percent: float | None,
    *,
    elsewhere: bool,
    break_after_min: int,
    before: Tile | None = None,
) -> Tile:
    """The tile of a table as its view and its shift have it; the edge is None until known.

    `before` is the table's last tile: a line that still stands has stood since then.
    """
    prompt, limits = view.prompts[0], view.shoe.limits
    waits = _waits(view, shift)
    holds_us = [one.since_utc_us for one in view.holds]
    oldest_us = min((*holds_us, *(one.since_utc_us for one in view.alerts)), default=0)
    stands_us = min(holds_us, default=0) if prompt.tone == "stop" else 0
    kept_us = before.line_since_utc_us if before is not None and before.line == prompt.line else 0
    dealer = view.dealing or _last_dealer(shift)
    same = before is not None and before.dealer == dealer and before.dealing_since_utc_us
    since_us = before.dealing_since_utc_us if before is not None and same else _since(shift)
    return Tile(
        table=view.table,
        elsewhere=elsewhere,
        at_utc_us=view.at_utc_us,
        since_utc_us=oldest_us,
        line=prompt.line,
        line_since_utc_us=stands_us or kept_us or view.at_utc_us,
        tone=prompt.tone,
        waits=waits[:_WAITS_MAX],
        answered=_answered(shift),
        seats=tuple(_seat(view, number, prompt.box) for number in range(1, view.felt.boxes + 1)),
        limits=(limits.stake_min, limits.stake_max),
        dealer=dealer,
        dealing_since_utc_us=since_us,
        break_at_utc_us=_break_at(since_us, break_after_min),
        alerts=len(view.alerts) + view.alerts_more,
        round=view.round,
        **_figures(shift, edge_percent),
    )


def _waits(view: TableView, shift: LiveShift) -> tuple[Waiting, ...]:
    """Return the open items of a table, each once: the alert or question of a hold is part of its stop."""
    asked = [doubt.text for doubt in view.doubts]
    stops = [
        Waiting(
            kind="stop",
            number=hold.since_utc_us,
            title=hold.title,
            since_utc_us=hold.since_utc_us,
            money=next((one.money for one in view.alerts if one.holds and _tells(one.text, hold.text)), None),
            text=hold.text,
            ways=hold.ways,
        )
        for hold in view.holds
        # The pit gets no alert of its own freeze.
        if not (hold.code == FROZEN and hold.by.startswith("pit:"))
    ]
    alerts = [
        Waiting(
            kind="alert",
            number=alert.alert,
            title=_named(alert.text),
            since_utc_us=alert.since_utc_us,
            money=alert.money,
            severity=alert.severity,
            seen_by="" if alert.status == "open" else alert.by,
            seen_utc_us=0 if alert.status == "open" else _seen(shift, alert.alert),
            text=alert.text,
        )
        for alert in view.alerts
        if not alert.holds and alert.text not in asked and alert.text.code != f"alert.{MESSAGE}"
    ]
    return _joined((*stops, *_questions(view), *alerts))


def _questions(view: TableView) -> Iterator[Waiting]:
    """Yield the cameras' questions without a hold, each since its alert."""
    for doubt in view.doubts:
        if any(_tells(doubt.text, hold.text) for hold in view.holds):
            continue
        since = (one.since_utc_us for one in view.alerts if one.text == doubt.text)
        since_us = next(since, view.at_utc_us)
        yield Waiting(kind="question", number=doubt.doubt, title=doubt.text, since_utc_us=since_us)


def _joined(waits: Iterable[Waiting]) -> tuple[Waiting, ...]:
    """Join the items of equal name."""
    found: dict[str, Waiting] = {}
    for one in waits:
        name = f"{one.kind} {one.title.model_dump_json()} {one.seen_by}"
        known = found.get(name)
        if known is None:
            found[name] = one
            continue
        amounts = [amount for amount in (known.money, one.money) if amount is not None]
        since_us = min(known.since_utc_us, one.since_utc_us)
        money = max(amounts, key=Decimal, default=None)
        found[name] = known.model_copy(
            update={"times": known.times + 1, "since_utc_us": since_us, "money": money}
        )
    return tuple(found.values())


def _seen(shift: LiveShift, alert: int) -> int:
    """Return when a person first acknowledged an alert or took it on; 0 while that is not read yet."""
    steps = "SELECT min(us) AS us FROM entry WHERE kind = 'alert_step' AND cause = ?"
    return shift.history.rows(steps, (alert,))[0]["us"] or 0


def _named(text: Words) -> Words:
    """An alert's name in few words where it has one, else its sentence."""
    name = short(text.code.partition(".")[2])
    return text if name.code == UNNAMED else name


def _tells(text: Words, hold: Words) -> bool:
    """Whether the text of an alert or question equals that of a hold."""
    return text.params == hold.params and text.code.partition(".")[2] == hold.code.partition(".")[2]


def _answered(shift: LiveShift) -> tuple[AnsweredRow, ...]:
    """The stops of the day that were lifted, and the alerts that were resolved, the newest first."""
    rows = shift.history.rows(
        "SELECT code, us, until_us AS at FROM stop WHERE until IS NOT NULL AND NOT asks"
        f" AND day = :day AND code <> '{FROZEN}'"
        " UNION SELECT coalesce(a.code, a.obs), a.us, e.us FROM entry e JOIN entry a ON a.seq = e.cause"
        " WHERE e.kind = 'alert_step' AND e.state = 'resolve' AND e.day = :day"
        f" AND coalesce(a.code, a.obs) NOT IN ('{FROZEN}', 'message') ORDER BY at DESC LIMIT :most",
        {"day": shift.history.day, "most": ANSWERED},
    )
    return tuple(
        AnsweredRow(title=short(row["code"]), since_utc_us=row["us"], at_utc_us=row["at"]) for row in rows
    )


def _break_at(since_us: int, after_min: int) -> int:
    """Return the time of the next break of a dealer who came at `since_us`; 0: none."""
    return since_us + after_min * MINUTE_US if since_us and after_min else 0


def journal_tile(
    table: str,
    boxes: int,
    shift: LiveShift,
    edge_percent: float | None,
    fault: TableError | None,
    *,
    break_after_min: int,
) -> Tile:
    """The tile of a table of which only the journal is here; `fault` is why no newer entry is shown.

    Its line names a hold, else the round: which card comes next, the engine alone could say.
    """
    holds = shift.history.rows("SELECT seq, code, box, us, asks FROM stop WHERE until IS NULL ORDER BY seq")
    alerts = shift.history.rows("SELECT * FROM open_alert ORDER BY seq")
    now = shift.history.rows(
        "SELECT e.us, r.round, r.status, r.ended FROM (SELECT us FROM entry ORDER BY seq DESC LIMIT 1) e"
        " LEFT JOIN (SELECT * FROM round ORDER BY round DESC LIMIT 1) r"
    )[0]
    runs = now["round"] is not None and now["ended"] is None
    stops = [one["code"] for one in holds if not one["asks"]]
    stands = fault is not None or stops or (runs and now["status"] == "disputed")
    line, since_us = _line_of(now, holds, stops, fault, stands=bool(stands)), _since(shift)
    return Tile(
        table=table,
        elsewhere=True,
        at_utc_us=now["us"],
        since_utc_us=min((one["us"] for one in (*holds, *alerts)), default=0 if fault is None else now["us"]),
        line=line,
        tone="stop" if stands else "act",
        line_since_utc_us=min((one["us"] for one in holds), default=now["us"]),
        waits=_waits_of(holds, alerts),
        answered=_answered(shift),
        seats=_seats_of(shift, boxes, now["round"] if runs else None, {one["box"] for one in holds}),
        dealer=shift.history.dealing or _last_dealer(shift),
        dealing_since_utc_us=since_us,
        break_at_utc_us=_break_at(since_us, break_after_min),
        alerts=len({(one["code"], one["round"], one["box"], one["seat"], one["card"]) for one in alerts}),
        round=(now["round"] or 0) + (not runs),
        **_figures(shift, edge_percent),
    )


def _waits_of(holds: Sequence[Row], alerts: Sequence[Row]) -> tuple[Waiting, ...]:
    """Its stops, then its alerts that no hold tells already."""
    held = {(one["code"], one["box"]) for one in holds}
    told = [one for one in alerts if (one["code"], one["box"]) not in held and one["code"] != MESSAGE]
    open_now = [("stop", one) for one in holds if not one["asks"]] + [("alert", one) for one in told]
    return _joined(
        Waiting(
            kind="stop" if kind == "stop" else "alert",
            number=one["us"] if kind == "stop" else one["seq"],
            title=short(one["code"]),
            since_utc_us=one["us"],
            severity="critical" if kind == "stop" else "warning",
        )
        for kind, one in open_now
    )[:_WAITS_MAX]


def _line_of(
    now: Row, holds: Sequence[Row], stops: Sequence[str], fault: TableError | None, *, stands: bool
) -> Words:
    """Its line: why no newer entry is shown, the first hold, a dispute, else the round."""
    if fault is not None:
        return described("hold", fault.code, tuple(fault.params.items()))
    if stops:
        return say("line.STOP", fault=Word(word=short(stops[0]).code))
    if stands:
        return say("line.DISPUTED")
    if holds:
        return short(holds[0]["code"])
    runs = now["round"] is not None and now["ended"] is None
    return say("ui.round_number", round=now["round"]) if runs else say("line.PLACE_BETS")


def _seats_of(shift: LiveShift, boxes: int, number: int | None, stopped: Set[int]) -> tuple[Seat, ...]:
    """Return the boxes of a table with the stakes of round `number`; None: no round runs."""
    laid = shift.history.rows("SELECT DISTINCT box FROM stake WHERE round = ? AND amount > 0", (number,))
    staked = {row["box"] for row in laid}
    return tuple(
        "stop" if box in stopped else "stake" if box in staked else "empty" for box in range(1, boxes + 1)
    )


def _figures(shift: LiveShift, edge_percent: float | None) -> dict[str, Any]:
    row = shift.row
    figures = {"win": moved(row["win"])}
    if edge_percent is None:
        return figures
    expected, band = expectation(row["opened"], row["variance"], edge_percent)
    over = row["win"] - expected
    beyond = None if abs(over) <= band else "above" if over > 0 else "below"
    return figures | {"expected": moved(expected), "band": money(band), "beyond": beyond}


def sum_of(tiles: Iterable[Tile]) -> FloorSum | None:
    """The sum of the tables of one currency; None of one table."""
    read = [tile for tile in tiles if not tile.unread]
    if len(read) < 2:
        return None
    win = sum((Decimal(tile.win.money) for tile in read), Decimal())
    known = [(tile.expected, tile.band) for tile in read]
    expected = sum((Decimal(one.money) for one, _ in known if one is not None), Decimal())
    variance = sum((Decimal(band.money) ** 2 for _, band in known if band is not None), Decimal())
    band = variance.sqrt().quantize(win)
    whole = all(one is not None for one, _ in known)
    return FloorSum(
        win=Money(money=f"{win:+}"),
        expected=Money(money=f"{expected:+}") if whole else None,
        band=Money(money=str(band)) if whole else None,
    )


def unread_tile(name: str, error: TableError) -> Tile:
    """The tile of a journal that cannot be read as a table."""
    return Tile(
        table=name,
        elsewhere=True,
        at_utc_us=0,
        since_utc_us=0,
        line=described("alert", error.code, tuple(error.params.items())),
        tone="stop",
        seats=(),
        win=moved(0),
        dealer="",
        alerts=1,
        round=0,
        unread=True,
        away=True,
        opens=False,
    )


def away_tile(tile: Tile, code: str = "TABLE_AWAY") -> Tile:
    """Return the last known tile of an unreachable table, with the reason."""
    line = described("alert", code)
    return tile.model_copy(update={"line": line, "tone": "stop", "elsewhere": True, "away": True})


def in_order(table: str) -> tuple[tuple[str, int], ...]:
    """The place of a table's name among others, numbers by their size: BJ2 before BJ10."""
    return tuple((word, int(digits or 0)) for word, digits in _PARTS.findall(table))


def _seat(view: TableView, number: int, acting: int | None) -> Seat:
    if any(hold.box == number for hold in view.holds):
        return "stop"
    if number == acting:
        return "acts"
    return "stake" if any(box.box == number and box.stake for box in view.boxes) else "empty"


def _last_dealer(shift: LiveShift) -> str:
    found = shift.history.rows(
        "SELECT dealer FROM round WHERE day = ? AND dealer <> '' ORDER BY round DESC LIMIT 1",
        (shift.history.day,),
    )
    return str(found[0]["dealer"]) if found else ""


def _since(shift: LiveShift) -> int:
    """Return the time at which the present dealer began; 0 without a signed-in dealer."""
    if not shift.history.dealing:
        return 0
    found = shift.history.rows(
        "SELECT us FROM entry WHERE seq > coalesce((SELECT max(seq) FROM entry WHERE dealing <> ?), 0)"
        " ORDER BY seq LIMIT 1",
        (shift.history.dealing,),
    )
    return int(found[0]["us"]) if found else 0


class FloorRow(ViewModel):
    """One table's shift; `differences` are the open ones, `too_much` the players' surplus in them.

    `float_now`, `drop` and `expected` are None when unknown. `waited` is the sum of all waits in seconds,
    `seconds` the mean of each part of a round.
    """

    table: str
    dealer: str
    rounds: int
    win: Money
    expected: Money | None
    unusual: bool
    float_now: Money | None
    drop: Money | None
    differences: int
    too_much: Money
    disputes: int
    waited: int
    seconds: dict[PhaseName, float]


class FloorFigures(ViewModel):
    """The tables in the order of their names; `found` contains the patterns of all tables together."""

    tables: tuple[FloorRow, ...]
    found: Patterns


def floor_figures(tables: Sequence[tuple[Tile, LiveShift]]) -> FloorFigures:
    """The figures of these tables."""
    days = [Day(tile.table, list(shift.rounds.values())) for tile, shift in tables]
    return FloorFigures(tables=tuple(_row(tile, shift) for tile, shift in tables), found=patterns_of(days))


def _row(tile: Tile, shift: LiveShift) -> FloorRow:
    rounds, drop = shift.finished, shift.row["drop"]
    open_ones = differing(rounds)
    mean = mean_seconds(rounds)
    (stops,) = shift.history.rows(
        "SELECT coalesce(sum(until - at), 0) AS waited,"
        " (SELECT coalesce(sum(disputes), 0) FROM round WHERE day = :day) AS disputes"
        " FROM stop WHERE day = :day",
        {"day": shift.history.day},
    )
    return FloorRow(
        table=tile.table,
        dealer=tile.dealer,
        rounds=len(rounds),
        win=tile.win,
        expected=tile.expected,
        unusual=tile.beyond == "below",
        float_now=float_now(shift),
        drop=None if drop is None else money(drop),
        differences=len(open_ones),
        too_much=moved(sum(one.difference(at) for one, at in open_ones)),
        disputes=stops["disputes"],
        waited=stops["waited"] // 1_000_000,
        seconds={name: round(spent, 1) for name, spent in mean.items()},
    )
