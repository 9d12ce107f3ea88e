"""The history of one table: entries in, rows out; and the figures of a day for every page and report.

The database is in memory and apart from the journal's file. Entries come in slices that the caller has read,
so no read transaction on the journal outlasts a slice.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from math import sqrt
from typing import Any, Final, Literal, NamedTuple, Self, get_args

import apsw
from pydantic import TypeAdapter

from controller.acts.catalogue import RULING_NAMES
from controller.domain import Money, RuleSet
from controller.engine.betting import cut_back_bets
from controller.engine.shoe import how_many, is_same_slip
from controller.engine.state import Box
from controller.history.entry_line import (
    ROLES,
    Body,
    Columns,
    EntryLine,
    columns_of,
    number_of,
    people_of,
    person_of,
)
from controller.history.tables import ROUND, TABLES, VIEWS
from controller.policy.holds import PICTURE_DIFFERS

Row = dict[str, Any]


class Progress(NamedTuple):
    """The state of `History` beside its tables; each field is its attribute of this name, some with a `_`."""

    seq: int
    day: int
    unreadable: list[int]
    begun_us: int
    shoe: int
    dealing: str
    rules: RuleSet | None
    line: int
    at: int
    us: int | None
    first_shoe: bool
    lifted_us: int | None
    expected: int
    opened: int
    closed: bool
    day_begun: int
    waiting: set[int]
    won: dict[int, int]
    status: dict[int, str]
    last_fact: dict[int, int]


_PROGRESS: Final = TypeAdapter(Progress)
PLAIN: Final = ("seq", "day", "unreadable", "begun_us", "shoe", "dealing")
"""Fields of `Progress` whose attribute has no underscore."""

RULES: Final = TypeAdapter(RuleSet)
FINAL: Final = ("settled", "voided")
"""Statuses of a round whose result moves the float."""
RESULTS: Final = frozenset({"settled", "disputed"})
_ASKS: Final = frozenset({"CARD_IN_HAND", "CARD_UNREAD", "DECISION_UNCLEAR"})
"""Holds that only ask the dealer something."""
CLEARED: Final = frozenset({"ROUND_INCOMPLETE", "DEALER_STOOD_ON_16"})
"""Holds that begin where the table is cleared over an incomplete round."""
RULED: Final = RULING_NAMES | {"resume"}
_CAME: Final = frozenset({"fact", "waiting", "refused", "ruled"})
"""Kinds of entries with which a line came to the table's door."""
UNFIT: Final = (apsw.Error, ArithmeticError, LookupError, TypeError, ValueError)
"""What `History.take` raises for entries whose numbers no table holds."""
_YEARS_US: Final = 10 * 365 * 86_400_000_000
"""No shift is longer: where two entries are so far apart, the clock was wrong at one of them."""
_CLOCK_FORWARD: Final = "CLOCK_STEPPED_FORWARD"
"""The notice of a clock that was set forward."""
NATURAL: Final = ("blackjack", "even_money")
"""Outcomes of a hand that is a blackjack."""
BUST: Final = 21
"""A higher total has lost."""

CLOSING: Final = "SHOE_INCOMPLETE"
COUNTED: Final = "UPDATE shoe_count SET missing = ?, extra = ? WHERE seq = (SELECT max(seq) FROM shoe_count)"
PERSON: Final = """INSERT INTO person VALUES (?, ?, ?)
  ON CONFLICT (day, name) DO UPDATE SET role = excluded.role WHERE excluded.role = 'pit'"""
SLIPS: Final = "SELECT seq, amount, slip FROM movement WHERE by = ? AND void < 2 ORDER BY seq"
PAID: Final = "UPDATE bet SET (paid, how, by) = (?, ?, ?) WHERE (round, box, seat) = (?, ?, ?)"
_PAID_BEFORE: Final = """UPDATE bet SET (paid, how, by) = (SELECT paid, how, by FROM payout p
    WHERE (p.round, p.box, p.seat) = (?1, bet.box, bet.seat) AND how <> 'computed' ORDER BY seq DESC LIMIT 1)
  WHERE round = ?1"""
_WON: Final = """SELECT sum(staked - coalesce(paid, returned)) FROM bet WHERE round = ?1
  AND (SELECT status FROM settlement WHERE round = ?1 ORDER BY seq DESC LIMIT 1) IN ('settled', 'voided')"""
_SAME: Final = (
    "SELECT seq, round, params FROM stop WHERE until IS NULL AND code = ? AND round = ? AND about = ?"
)
RELEASED: Final = "SELECT seq, round FROM stop WHERE until IS NULL AND code = ? AND params = ?"
NAMED: Final = """SELECT seq, round FROM stop WHERE until IS NULL
  AND code IN ('CAMERA_UNSURE', 'CAMERA_UNSURE_DEALER') AND coalesce(box, 0) = ?"""
ENDED: Final = "UPDATE stop SET until_us = ?, until = ?, resumed = ? WHERE seq = ?"


class History:
    """Tables and views of the entries taken so far; `tables.py` documents their columns."""

    def __init__(self, rules: RuleSet | None = None, begun_us: int | None = None) -> None:
        """Begin before the first entry; `begun_us` is the time at which `at` is 0, if not that entry's.

        `rules` are those of a table without a first entry; stakes above a box's limit are cut.
        """
        self._rules = rules
        self._sql: Final = apsw.Connection(":memory:")
        # Else SQLite plans a statement again for each round's number, which takes five times its own time.
        self._sql.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        self._sql.execute(TABLES + VIEWS)
        self.seq = 0
        """The last entry taken."""
        self.day = 0
        """The day of the last entry."""
        self.unreadable: list[int] = []
        """Entries from which nothing follows here, because their body has another form."""
        self._line = 1
        self.begun_us = begun_us or 0
        """The time at which `at` is 0, microseconds since 1970."""
        self._at, self._us = 0, begun_us
        self.shoe, self._first_shoe = 1, True
        self.dealing = ""
        self._lifted_us: int | None = None
        self._expected = self._opened = 0
        self._closed, self._day_begun = False, 0
        self._waiting: set[int] = set()
        self._won: dict[int, int] = {}
        self._status: dict[int, str] = {}
        self._touched: set[int] = set()
        self._last_fact: dict[int, int] = {}

    def image(self) -> bytes:
        """Everything taken so far, for `of_image`: the database file with one table more."""
        progress = Progress._make(getattr(self, _attribute(name)) for name in Progress._fields)
        self._sql.execute("CREATE TABLE progress (json BLOB NOT NULL)")
        try:
            self._run("INSERT INTO progress VALUES (?)", _PROGRESS.dump_json(progress))
            return self._sql.serialize("main")
        finally:
            self._sql.execute("DROP TABLE progress")

    @classmethod
    def of_image(cls, image: bytes) -> Self:
        """The history of an image that this version has made. Raises `UNFIT` for other bytes."""
        history = cls()
        history._sql.deserialize("main", image)
        ((json,),) = history._run("SELECT json FROM progress")
        for name, value in _PROGRESS.validate_json(json)._asdict().items():
            setattr(history, _attribute(name), value)
        history._sql.execute("DROP TABLE progress")
        return history

    def rows(self, sql: str, parameters: Mapping[str, Any] | tuple[Any, ...] = ()) -> list[Row]:
        """Select rows as dictionaries: `history.rows("SELECT win FROM shift WHERE day = ?", (1,))`."""
        found: list[Row] = []
        names: list[str] = []
        cursor = self._sql.execute(sql, parameters)
        for row in cursor:
            names = names or [column[0] for column in cursor.get_description()]
            found.append(dict(zip(names, row, strict=True)))
        return found

    def take(self, lines: Iterable[EntryLine]) -> frozenset[int]:
        """Add the next entries, then compute the rounds that they are about; the numbers of these rounds."""
        with self._sql:
            # No row of another table depends on an earlier row of `entry`, only those of `round` do.
            entered = [self._take(line) for line in lines]
            if entered:
                self._sql.executemany(_insert("entry", len(entered[0])), entered)
            for number in sorted(self._touched):
                self._sql.execute(ROUND, {"round": number})
            computed = frozenset(self._touched)
            self._touched.clear()
        return computed

    def take_certainties(self, found: Iterable[tuple[int, int, float | None]]) -> None:
        """Add how certain cards were read: entry, round, certainty. Every card of the round must lie open."""
        with self._sql:
            self._sql.executemany(
                "INSERT OR IGNORE INTO certainty SELECT ?1, day, ?2, ?3 FROM entry WHERE seq = ?1", found
            )

    def forget_certainties(self, number: int) -> None:
        """Take back how certain the cards of a round were read."""
        self._run("DELETE FROM certainty WHERE round = ?", number)

    def take_cards(self, number: int, cards: Iterable[tuple[Any, ...]], laid: tuple[int, ...]) -> None:
        """Add how a round's cards lie, as the engine has placed them: rows of `card`, one of `laid`."""
        with self._sql:
            for card in cards:
                self._add("card", number, *card)
            self._add("laid", number, *laid)

    def _take(self, line: EntryLine) -> tuple[Any, ...]:
        """Add an entry with its effects; return its own row of table `entry`."""
        columns = columns_of(line.kind, line.body)
        # A step of the clock is no time that passed.
        if self._us is None:
            self._us = self.begun_us = line.at_utc_us
        passed = line.at_utc_us - self._us
        if not 0 <= passed < _YEARS_US or (
            line.kind == "trouble" and line.body.get("code") == _CLOCK_FORWARD
        ):
            self._add("clock_step", line.seq, self.day, self._us, line.at_utc_us)
            passed = 0
        self.seq, self._us, self._at = line.seq, line.at_utc_us, self._at + passed
        if columns.obs == "table":
            self._open(line, columns.state == "open")
        number = self._number_of(line, columns)
        row = self._entry_row(line, columns, number)
        try:
            self._follow(line, columns, number)
        except (apsw.Error, AttributeError, KeyError, OverflowError, TypeError, ValueError):
            # No table writes this: the entry stands in `entry`, and nothing follows from it.
            self.unreadable.append(line.seq)
        if number:
            self._touched.add(number)
        return row

    def _open(self, line: EntryLine, opens: bool) -> None:
        """Begin a day with each opening; drops are counted anew only where the table was closed before."""
        if opens:
            self.day += 1
            self.shoe, self._first_shoe = 1, True
            self._day_begun = line.seq if self._closed else self._day_begun
        self._closed = not opens

    def _follow(self, line: EntryLine, columns: Columns, number: int | None) -> None:
        """Add the effects of an entry."""
        for role, name in people_of(line):
            self._run(PERSON, self.day, name, role)
        if line.kind == "fact":
            self._lifted_us = line.at_utc_us if columns.obs == "resume" else None
            self._fact(line, columns, number)
        elif line.kind in RESULTS and number:
            # Each result tells all bettors anew.
            status = (columns.state or "open") if line.kind == "settled" else "disputed"
            won = self._bets(line.body, number) if line.kind == "settled" else 0
            won = won if status in FINAL else 0
            self._status[number] = status
            self._add("settlement", line.seq, self.day, number, status, won, line.caused_by)
            self._book(line, number)
        elif line.kind == "opened":
            self._rules = RULES.validate_python(line.body["rules"])
        elif line.kind == "payout" and number:
            self._payout(line, columns, number)
        elif line.kind == "carried":
            self._take_over(line)
        elif line.kind == "alert" and columns.code == CLOSING:
            params = line.body["params"]
            counts = (how_many(str(params.get(name, "-"))) for name in ("missing", "extra"))
            self._run(COUNTED, *counts)
        else:
            self._hold(line, columns)

    def _run(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        return self._sql.execute(sql, values).fetchall()

    def _add(self, table: str, *values: object) -> None:
        self._sql.execute(_insert(table, len(values)), values)

    def _number_of(self, line: EntryLine, columns: Columns) -> int | None:
        """The round that an entry is about: a bet after the result is the first of the next round."""
        named = number_of(line.body.get("round"))
        number = named if named is not None and named > 0 else line.round
        if columns.obs == "bet" and self._status.get(number or 0) in FINAL:
            assert number is not None, "a round that has a result"
            return number + 1
        return number

    def _entry_row(self, line: EntryLine, columns: Columns, number: int | None) -> tuple[Any, ...]:
        """The row of table `entry`."""
        role, _, name = line.actor.partition(":")
        obs = columns.obs
        if obs == "dealer":
            left = columns.name == self.dealing
            self.dealing = (columns.name or "") if columns.state == "in" else "" if left else self.dealing
        elif obs == "shoe":
            self.shoe += not self._first_shoe
        if obs in ("shoe", "bet", "card"):
            self._first_shoe = False
        if (
            role not in ROLES
            and line.kind == "fact"
            and obs in RULED
            and isinstance(line.body.get("by"), str)
        ):
            role, name = person_of(line.body["by"], "pit")
        late = number != (number if obs == "bet" else line.round)
        times = (line.kind, line.at_utc_us, self._at)
        people = (role, name, self.dealing, self.shoe)
        begins = (line.seq, self._line_of(line), self.day, line.round, number, late)
        return (*begins, *times, *people, line.caused_by, *columns)

    def _line_of(self, line: EntryLine) -> int:
        """Return the number of the line that came to the door with this entry, 0 without one."""
        if line.line is not None:
            self._line = line.line or self._line
            return line.line
        if line.kind == "waiting":
            self._waiting.add(line.seq)
        elif line.kind != "ruled" and line.caused_by in self._waiting:
            return 0
        came = line.kind in _CAME or (line.kind == "held" and _is_held_over_line(line.body))
        self._line += came
        return self._line if came else 0

    def _fact(self, line: EntryLine, columns: Columns, number: int | None) -> None:
        obs, amount = columns.obs, columns.amount
        if number and obs in ("bet", "card"):
            # Without a clear, the first bet of a round ends the previous round.
            self._touched.add(number - 1)
        if number and amount is not None and (obs == "bet" or columns.what == "stake"):
            self._add("stake", number, columns.box, columns.seat or 0, amount)
        if number and line.round == number:
            before = self._last_fact.get(number)
            if obs == "decision" and before is not None and columns.box is not None:
                self._add("answer", line.seq, self.day, number, columns.box, self._at - before)
            self._last_fact[number] = self._at
            if obs == "close" and self._rules is not None and self._rules.box_max:
                self._cut_back(number, self._rules)
        self._float(line, columns)

    def _cut_back(self, number: int, rules: RuleSet) -> None:
        """Cut a box's stakes to the limit, as the engine does."""
        boxes: dict[int, list[tuple[int, Money]]] = {}
        for box, seat, amount in self._run(
            "SELECT box, seat, amount FROM stake WHERE round = ? AND amount > 0 ORDER BY box, seat", number
        ):
            boxes.setdefault(box, []).append((seat, amount))
        for box, bets in boxes.items():
            left = dict(cut_back_bets(rules, Box(box, tuple(bets))))
            for seat, _ in bets:
                self._add("stake", number, box, seat, left.get(seat, 0))

    def _float(self, line: EntryLine, columns: Columns) -> None:
        """Add a movement or count of the float beside the rounds."""
        amount = columns.amount or 0
        match columns.obs:
            case "count":
                self._count(line, columns.state or "check", amount)
            case "fill":
                self._move(line, "fill", amount, columns.name)
            case "credit" | "drop" as by:
                self._move(line, by, -amount, columns.name)
            case "slip_void":
                self._take_back(line)
            case "shoe_end":
                self._add("shoe_count", line.seq, self.day, self.shoe, line.at_utc_us, 0, 0)
            case _:
                pass  # A journal's word: `tests/architecture/test_examples.py` asks for each.

    def _count(self, line: EntryLine, occasion: str, amount: int) -> None:
        if occasion == "open":
            self._expected, self._opened = amount, line.seq
        self._add_movement(line, occasion, amount)

    def _take_over(self, line: EntryLine) -> None:
        """Begin with the float that the day before has left; its dealer is still there."""
        self.dealing = str(line.body.get("dealer", ""))
        rack = _amount_in(line.body, "rack")
        if line.body.get("counted"):
            self._count(line, "open", rack)
        else:
            self._expected = rack

    def _move(self, line: EntryLine, by: str, amount: int, slip: str | None, void: int = 0) -> None:
        self._expected += amount
        self._add_movement(line, by, amount, slip=slip, void=void)

    def _take_back(self, line: EntryLine) -> None:
        """Take a slip back, found by its number or as the day's nth drop; a count at opening stands."""
        kind, slip, nth = str(line.body.get("kind")), line.body.get("slip"), line.body.get("nth")
        found = self._run(SLIPS, kind)
        if isinstance(slip, str):
            found = [row for row in found if row[2] is not None and is_same_slip(row[2], slip)][:1]
        else:
            of_day = [row for row in found if row[0] > self._day_begun]
            found = of_day[nth - 1 : nth] if isinstance(nth, int) and nth > 0 else []
        for seq, amount, number in found:
            self._run("UPDATE movement SET void = 1 WHERE seq = ?", seq)
            self._move(line, kind, 0 if seq < self._opened else -amount, number, void=2)

    def _add_movement(
        self,
        line: EntryLine,
        by: str,
        amount: int,
        *,
        number: int = 0,
        slip: str | None = None,
        void: int = 0,
    ) -> None:
        when = (line.seq, self._line, self.day, line.at_utc_us, self._at)
        self._add("movement", *when, by, number, amount, self._expected, slip, void)

    def _bets(self, body: Body, number: int) -> int:
        """Replace the bets, parts and hands of a round; return the house's win of them."""
        for table in ("bet", "part", "hand"):
            self._run(f"DELETE FROM {table} WHERE round = ?", number)
        won = 0
        for bet in body["bets"]:
            place, parts = (number, bet["box"], bet["seat"]), bet["parts"]
            won += _amount_in(bet, "staked") - _amount_in(bet, "returned")
            best = max(parts, key=lambda part: int(part["returned"]), default=None)
            outcome = "" if best is None else best["outcome"]
            self._add("bet", *place, bet["staked"], bet["returned"], outcome, None, None, None)
            for nth, part in enumerate(parts):
                of_part = (part["hand"], part["kind"], part["outcome"], part["stake"], part["returned"])
                self._add("part", *place, nth, *of_part)
        self._run(_PAID_BEFORE, number)
        dealer = body["dealer"]
        flags = (int(dealer["blackjack"]), int(dealer["bust"]))
        self._add("hand", number, 0, 0, dealer["total"], " ".join(dealer["cards"]), *flags)
        natural = {
            (bet["box"], part["hand"])
            for bet in body["bets"]
            for part in bet["parts"]
            if part["outcome"] in NATURAL
        }
        for hand in body["hands"]:
            place, total = (number, hand["box"], hand["hand"]), hand["total"]
            is_natural = int((hand["box"], hand["hand"]) in natural)
            self._add("hand", *place, total, " ".join(hand["cards"]), is_natural, int(total > BUST))
        return won

    def _payout(self, line: EntryLine, columns: Columns, number: int) -> None:
        body, place = line.body, (number, columns.box, columns.seat or 0)
        role, _, name = str(body.get("by", line.actor)).partition(":")
        when = (line.seq, self.day, line.at_utc_us, self._at)
        amounts = (_amount_in(body, "expected"), _amount_in(body, "paid"))
        self._add("payout", *when, *place, *amounts, body["how"], role, name)
        if body["how"] != "computed":
            self._run(PAID, amounts[1], body["how"], name, *place)
            self._book(line, number)

    def _book(self, line: EntryLine, number: int) -> None:
        """Move the float by this entry's change of a round's win."""
        won = int(self._run(_WON, number)[0][0] or 0)
        change = won - self._won.get(number, 0)
        self._won[number] = won
        if change:
            self._expected += change
            self._add_movement(line, "round", change, number=number)

    def _hold(self, line: EntryLine, columns: Columns) -> None:
        """Begin and end holds."""
        params = line.body.get("params")
        name = params.get("name") if isinstance(params, dict) else None
        name = name if isinstance(name, str) else ""
        key = f"{columns.box} {columns.card} {columns.seat} {name}"
        match line.kind:
            case "held":
                about = line.body.get("about")
                about = about if isinstance(about, dict) else {}
                number, card = number_of(about.get("round")) or line.round or 0, number_of(about.get("card"))
                # As `controller.policy.holds.is_same` has it.
                bettor = None if columns.seat is None else (columns.box, columns.seat)
                same = key if not about or columns.code in PICTURE_DIFFERS else f"{card} {bettor} {name}"
                found = self._run(_SAME, columns.code, number, same)
                self._end([of[:2] for of in found if of[2] != key], resumed=False)
                if all(of[2] != key for of in found):
                    box = number_of(about.get("box"))
                    place = (columns.box if box in (None, -1) else box, card or columns.card)
                    rounds = (number, line.round or number)
                    begins = (line.seq, self._line, self.day, *rounds, columns.code or "", *place, key, same)
                    times = (line.at_utc_us, self._at, None, None)
                    self._add("stop", *begins, *times, 0, columns.code in _ASKS)
                    self._touched.add(number)
            case "released":
                # For some codes the resume is a fact; the lifted holds follow at the same time.
                found, of_round = self._run(RELEASED, columns.code, key), number_of(line.body.get("round"))
                ended = [of for of in found if of_round in (None, of[1])]
                self._end(ended, resumed=self._lifted_us == self._us)
            case "resumed":
                self._end(self._run("SELECT seq, round FROM stop WHERE until IS NULL"), resumed=True)
            case "named":
                self._end(self._run(NAMED, columns.box or 0), resumed=False)
            case _:
                pass

    def _end(self, found: list[tuple[Any, ...]], *, resumed: bool) -> None:
        for seq, number in found:
            self._run(ENDED, self._us, self._at, resumed, seq)
            self._touched.add(int(number))


def _attribute(name: str) -> str:
    return name if name in PLAIN else f"_{name}"


@cache
def _insert(table: str, columns: int) -> str:
    return f"INSERT OR REPLACE INTO {table} VALUES ({', '.join('?' * columns)})"


def _amount_in(body: Body, name: str) -> int:
    """An amount of a body. Raises `ValueError` where it is none."""
    amount = number_of(body[name])
    if amount is None:
        raise ValueError(name)
    return amount


def _is_held_over_line(body: Body) -> bool:
    """Whether a line held the table instead of being taken."""
    about, code = body.get("about"), body.get("code")
    if not isinstance(about, dict):
        return False
    if code in CLEARED:
        return not about.get("fault")
    return code == "STAKE_CHANGED" or (code == "HOLE_CARD_EXPOSED" and bool(body["params"].get("turned")))


PhaseName = Literal["bets", "deal", "turns", "dealer", "pay", "waits"]
PHASES: Final[tuple[PhaseName, ...]] = get_args(PhaseName)
SECOND_US: Final = 1_000_000
MINUTE_US: Final = 60 * SECOND_US


def expectation(opened: int, variance: float, edge_percent: float) -> tuple[int, int]:
    """The house's expected win of opening stakes, and two standard deviations of it; minor units."""
    return round(opened * edge_percent / 100.0), round(2.0 * sqrt(variance))


def shift_row(history: History, day: int | None = None) -> Row:
    """The row of view `shift`; of the last day by default. An empty journal has a row of zeros."""
    found = history.rows("SELECT * FROM shift WHERE day = ?", (history.day if day is None else day,))
    return found[0] if found else NOTHING.copy()


def mean_seconds(history: History, day: int, dealer: str | None = None) -> dict[PhaseName, float]:
    """The mean seconds of each part over the settled rounds of a day, or of one dealer in it."""
    rows = history.rows(
        "WITH dealt AS (SELECT round FROM round WHERE day = :day AND status = 'settled'"
        " AND (dealer = :dealer OR :dealer IS NULL))"
        " SELECT nth, sum(took) AS took, (SELECT count(*) FROM dealt) AS rounds FROM phase"
        " WHERE round IN (SELECT round FROM dealt) GROUP BY nth ORDER BY nth",
        {"day": day, "dealer": dealer},
    )
    return {PHASES[row["nth"] - 1]: row["took"] / row["rounds"] / SECOND_US for row in rows}


NOTHING: Final[Row] = {
    **dict.fromkeys(("first_seq", "last_seq", "from_us", "to_us", "since", "until", "day"), 0),
    **dict.fromkeys(("rounds", "settled", "voided", "disputed", "staked", "returned", "opened", "win"), 0),
    **dict.fromkeys(("confirmed", "unconfirmed"), 0),
    **dict.fromkeys(("fills", "credits", "drop", "opening", "expected", "counted", "difference")),
    "variance": 0.0,
}
