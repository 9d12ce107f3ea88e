"""Random shifts with money, breaks and counts, and whether every reader tells one shift alike.

`python -m tests.history.money_shift FIRST END` plays the seeds and prints what differs.
"""

import sys
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from controller.acts.catalogue import Credit, DealerSeated, Drop, Fill, FloatCounted, Paid, SlipVoided
from controller.acts.desk import DealerStep
from controller.acts.money import SlipKind
from controller.engine.settle import float_due
from controller.history.history import Row
from controller.history.kept import edge_percent
from controller.main.archived_history import INSIDE, VIEWS, ArchivedHistory
from controller.policy.holds import TOO_MANY
from controller.replay.difference import MoneyOfRounds
from controller.replay.played import played_rounds
from controller.replay.report_files import NO_HEAD, words_for, written
from controller.replay.round_rows import rows_of
from controller.replay.shift_file import ShiftFile, open_shift
from controller.replay.shift_report import ReportWithHeads, ShiftReport, report_of
from controller.replay.table_file import ReadFile, read_table_file
from controller.runtime.ledger import Ledger
from controller.runtime.restore import restore
from controller.runtime.snapshot import audit_lines, secrets_of
from controller.screens.dealt_rounds import LiveShift, entry_line, ledger_of
from controller.screens.figures import Books, shift_books, shift_figures
from tests.forensics.test_report import printed
from tests.history.history_kit import entries_of
from tests.replay.random_shift import RandomShift

BY: Final = "pit:p7"
SECOND: Final = "pit:P8"
ROUNDS = 4


class MoneyShift(RandomShift):
    """As `RandomShift`, with fills, credits, drops, counts, breaks and payouts of earlier rounds."""

    slips = 0

    def go_on(self) -> None:
        if self.chance.random() < 0.1:
            self.move_money()
        else:
            super().go_on()

    def move_money(self) -> None:
        chance = self.chance
        self.slips += 1
        amount = 500 * chance.randint(1, 40)
        match chance.randint(0, 7):
            case 0:
                self.say(Fill(f"F{self.slips}", amount, by=BY, second=SECOND), "pit")
            case 1:
                self.say(Credit(f"C{self.slips}", amount, by=BY, second=SECOND), "pit")
            case 2:
                self.say(Drop(amount, slip=f"D{self.slips}" if chance.random() < 0.5 else None))
            case 3:
                void: SlipKind = chance.choice(("fill", "credit", "drop"))
                slip = f"{void[0].upper()}{chance.randint(1, self.slips)}"
                self.say(SlipVoided(void, slip, "pit:p7", "wrong", "pit:P8"), "pit")
            case 4:
                self.say(
                    FloatCounted(
                        chance.choice(("open", "check", "close")), 100 * amount, by=BY, second=SECOND
                    ),
                    "pit",
                )
            case 5:
                step: DealerStep = chance.choice(("in", "out"))
                self.say(DealerSeated(chance.choice(("d1", "d2")), step))
            case _:
                number = chance.randint(1, max(1, self.state.book.number))
                self.say(Paid(chance.randint(1, 7), 0, amount, number), "pit")


def differences(folder: Path, seed: int, rounds: int = ROUNDS) -> Iterator[str]:
    """What page, report, table and books of one shift tell otherwise than each other."""
    path = folder / f"{seed}.journal"
    shift = MoneyShift(path, seed, rounds)
    file = open_shift(path)
    report = report_of(file)
    page = live_shift(path, shift.door.ledger)
    books_now = shift_books(page, file.state, lambda _: ())
    days = {row["round"]: row["day"] for row in file.history.rows("SELECT round, day FROM round")}
    opened = read_table_file(str(path))
    table: list[Any] = [SimpleNamespace(**row) for row in rows_of(opened, "rounds", at_table=True)]
    own = [row for row in table if days[row.round] == file.history.day]
    (books,) = file.history.rows("SELECT expected FROM books")
    known = {row.round: row.status for row in table}
    results = {number: result["status"] for number, result in shift.rounds.items() if number in known}
    compared = [
        *_sums(page, books_now, edge_percent(file.rules), report),
        *_lists(page, report),
        *_rows(own, report),
        *_paper(folder / f"{seed}.pdf", books_now, own, report),
        *_floor(path, file),
        *_shown(opened, file),
        ("books", books["expected"], report.expected),
        # The engine keeps the float by itself.
        ("float of the engine", report.expected, float_due(shift.door.ledger.state)),
        ("statuses", {number: known[number] for number in results}, results),
    ]
    for name, told, wanted in compared:
        if told != wanted:
            yield f"{name}: {told} instead of {wanted}"


def _rows(own: list[Any], report: Any) -> Iterator[tuple[str, Any, Any]]:
    settled = [row for row in own if row.status == "settled"]
    yield "rounds of the table", len(own), report.rounds
    yield "settled rounds of the table", len(settled), report.settled
    yield "void rounds of the table", sum(row.status == "voided" for row in own), report.voided
    yield "staked in the table", sum(row.staked_minor for row in settled), report.staked
    yield "returned in the table", sum(row.returned_minor for row in settled), report.returned


def _paper(pdf: Path, books: Books, own: list[Any], report: ShiftReport) -> Iterator[tuple[str, Any, Any]]:
    """Amounts of the page and of the table, beside their names on paper."""
    signed = ReportWithHeads(report=report, head=NO_HEAD, software="x")
    pdf.write_bytes(written("pdf", [signed], "en"))
    words, settled = words_for(report, "en"), [row for row in own if row.status == "settled"]
    uncounted, unentered = words.say("shift_report.not_counted"), words.say("ui.not_entered")

    def amount(told: Any, nothing: str, *, factor: int = 1, sign: bool = False) -> str:
        minor = _money(told)
        return nothing if minor is None else words.money(factor * minor, sign=sign)

    wanted = [
        ("books.open", amount(books.opened, uncounted)),
        ("books.fill", amount(books.fills, unentered, sign=True)),
        ("books.credit", amount(books.credits, unentered)),
        ("books.drop", amount(books.drop, unentered)),
        ("books.drop", amount(books.drop, unentered, factor=-1)),
        ("shift_report.float", uncounted if books.opened is None else amount(books.float_now, uncounted)),
        ("books.close", amount(books.counted, uncounted)),
        ("shift_report.difference", amount(books.difference, uncounted, sign=True)),
        ("shift_report.rounds", str(len(own))),
        ("shift_report.rounds_void", str(sum(row.status == "voided" for row in own))),
        ("shift_report.staked", words.money(sum(row.staked_minor for row in settled))),
        ("shift_report.returned", words.money(sum(row.returned_minor for row in settled))),
    ]
    there = set(pairwise(printed(pdf)))
    yield "paper", [row for key, value in wanted if (row := (words.say(key), value)) not in there], []


def _shown(opened: ReadFile, file: ShiftFile) -> Iterator[tuple[str, Any, Any]]:
    """What `show`, `diff` and `shrink` have of each bettor of a round that is over."""
    money = MoneyOfRounds()
    rounds = [one for one in played_rounds(opened, at_table=True) if one.result is not None]
    wanted = file.history.rows(
        "SELECT b.round, box, seat, b.staked, b.returned, coalesce(paid, b.returned) AS handed_back"
        " FROM bet b JOIN round r ON r.round = b.round WHERE status IN ('settled', 'voided') ORDER BY 1, 2, 3"
    )
    over = {row["round"] for row in wanted}
    names = ("box", "seat", "staked", "returned", "handed_back")
    found = [
        {"round": one.number, **{name: bet[name] for name in names}}
        for one in rounds
        if one.number in over
        for bet in money.of(one)[0]
    ]
    yield "bettors of played rounds", found, wanted


def _floor(path: Path, file: ShiftFile) -> Iterator[tuple[str, Any, Any]]:
    """What the floor has of a table's journal, without alerts that a card never turned may explain."""
    floor = ArchivedHistory(path)
    while (news := floor.read()) is not None and floor.take(news):
        pass
    hidden = frozenset[str]() if file.rules.hole_card == "none" else TOO_MANY
    left_out = [row for row in file.history.rows("SELECT * FROM alert") if row["code"] in hidden]
    for view in VIEWS:
        found, wanted = (one.rows(f"SELECT * FROM {view}") for one in (floor.shift.history, file.history))
        if view == "alert":
            wanted = [row for row in wanted if row not in left_out]
        for row in wanted if view == "round" else ():
            row["alerts"] -= sum(one["round"] == row["round"] for one in left_out)
        yield f"floor's {view}", _outside(found), _outside(wanted)


def _outside(rows: list[Row]) -> list[Row]:
    return [{name: row[name] for name in row if name not in INSIDE} for row in rows]


def live_shift(path: Path, ledger: Ledger | None = None) -> LiveShift:
    """The shift as the pit's page reads it; `ledger` is the table after it."""
    entries = entries_of(path)
    ledger = ledger or restore(entries)
    assert ledger is not None
    page = LiveShift()
    page.take(map(entry_line, audit_lines(entries, len(entries) + 1, secrets_of(ledger))))
    return page


def _money(amount: Any) -> int | None:
    return None if amount is None else round(float(amount.money) * 100)


def _sums(page: LiveShift, books: Books, edge: float, report: Any) -> Iterator[tuple[str, Any, Any]]:
    figures = shift_figures(page, edge, 0, books)
    if figures.win.won:
        yield "win", round(figures.win.won[-1] * 100), report.win
        yield "expected win", round(figures.win.expected[-1] * 100), report.expected_win
        yield "band", round(figures.win.band[-1] * 100), report.band
        yield "win over drop", figures.win.over_drop, report.hold_percent
    yield "float", _money(books.float_now), report.expected if books.float_now else None
    for name, told in (("opening", books.opened), ("drop", books.drop), ("counted", books.counted)):
        yield name, _money(told), getattr(report, name)
    yield "fills", _money(books.fills), report.fills
    # The page writes by how much the float has changed.
    yield "credits", _money(books.credits), None if report.credits is None else -report.credits
    yield "win of the books", _money(books.win), report.win
    yield "difference", _money(books.difference) or 0, report.difference or 0
    seconds = {one.name: one.seconds for one in report.phases}
    yield "phases", [one.name for one in figures.phases], list(seconds)
    # The page writes whole seconds, the report tenths.
    far = [one.name for one in figures.phases if abs(one.seconds - seconds.get(one.name, -9)) > 0.55]
    yield "seconds of phases", far, []
    yield "stops", sum(one.times for one in figures.holds), len(report.holds)


def _lists(page: LiveShift, report: Any) -> Iterator[tuple[str, Any, Any]]:
    rows = ledger_of(page).rows
    known = {(row.round, row.box, row.seat): _money(row.difference) for row in rows if row.differs}
    left = {(one.round, one.box, one.seat): one.left for one in report.differences if one.left}
    accepted = {one.number for one in page.rounds.values() if one.accepted}

    def still_open(found: dict[Any, Any]) -> dict[Any, Any]:
        return {at: amount for at, amount in found.items() if at[0] not in accepted}

    yield "differences", still_open(known), still_open(left)
    yield "rounds", len(page.rounds), report.rounds
    dealers: dict[str, int] = {}
    for one in page.rounds.values():
        dealers[one.dealer] = dealers.get(one.dealer, 0) + one.win
    told = {name: won for name, won in dealers.items() if won}
    yield "dealers", told, {one.dealer: one.win for one in report.dealers if one.win}


def main() -> None:
    """Play the seeds; exit status 1 where something differs."""
    first, end = int(sys.argv[1]), int(sys.argv[2])
    wrong = 0
    for seed in range(first, end):
        with tempfile.TemporaryDirectory() as folder:
            found = list(differences(Path(folder), seed))
        for one in found:
            sys.stdout.write(f"seed {seed}: {one[:400]}\n")
        wrong += bool(found)
    sys.stdout.write(f"{end - first} shifts, {wrong} told in two ways\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
