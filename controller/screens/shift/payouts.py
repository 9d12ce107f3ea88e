"""The payouts of the shift, box by box: what was due, what was given, how that is known, by whom."""

from collections.abc import Iterable
from typing import Final, Literal

from controller.domain.money import Money, decimal
from controller.screens.shift.record import PayoutRecord, ShiftRecord
from controller.screens.view_model import ViewModel
from controller.table.payouts import HowKnown

ROWS_MAX: Final = 200


class PayoutRow(ViewModel):
    """One payout; amounts are what is handed back in all, stakes included."""

    round: int
    box: int
    seat: int
    expected: str
    paid: str
    difference: str
    how: HowKnown
    by: str
    at_utc_us: int


class PayoutTotal(ViewModel):
    """The payouts of a round, a shoe, the shift or a dealer; `name` is a number or an id, "" for the shift.

    `wrong` counts those with a difference.
    """

    of: Literal["round", "shoe", "shift", "dealer"]
    name: str
    count: int
    wrong: int
    expected: str
    paid: str
    difference: str


class PayoutLedger(ViewModel):
    """Rows with a difference first, then the newest; `more` payouts are not listed."""

    rows: tuple[PayoutRow, ...]
    more: int
    totals: tuple[PayoutTotal, ...]


def payout_ledger(record: ShiftRecord) -> PayoutLedger:
    """The ledger of the shift so far."""
    payouts = sorted(record.payouts.values(), key=lambda one: (-one.round, one.box, one.seat))
    payouts.sort(key=lambda one: one.paid == record.due(one))
    return PayoutLedger(
        rows=tuple(_row(record, one) for one in payouts[:ROWS_MAX]),
        more=max(0, len(payouts) - ROWS_MAX),
        totals=tuple(_totals(record, payouts)),
    )


def _row(record: ShiftRecord, payout: PayoutRecord) -> PayoutRow:
    due = record.due(payout)
    return PayoutRow(
        round=payout.round,
        box=payout.box,
        seat=payout.seat,
        expected=_money(due),
        paid=_money(payout.paid),
        difference=_money(payout.paid - due),
        how=payout.how,  # type: ignore[arg-type]  # the journal's word; the model refuses any other
        by=payout.by,
        at_utc_us=payout.at_utc_us,
    )


def _money(amount: int) -> str:
    return decimal(Money(amount))


def _totals(record: ShiftRecord, payouts: list[PayoutRecord]) -> Iterable[PayoutTotal]:
    """The last round that was paid, its shoe, the shift, and each dealer."""
    if not payouts:
        return
    shoes = {number: known.shoe for number, known in record.rounds.items()}
    dealers = {number: known.dealer for number, known in record.rounds.items()}
    last = max(one.round for one in payouts)
    shoe = shoes.get(last, record.shoe)
    yield _total(record, "round", str(last), [one for one in payouts if one.round == last])
    in_shoe = [one for one in payouts if shoes.get(one.round, record.shoe) == shoe]
    yield _total(record, "shoe", str(shoe), in_shoe)
    yield _total(record, "shift", "", payouts)
    for dealer in sorted(set(dealers.values()) - {""}):
        yield _total(record, "dealer", dealer, [one for one in payouts if dealers.get(one.round) == dealer])


def _total(
    record: ShiftRecord,
    of: Literal["round", "shoe", "shift", "dealer"],
    name: str,
    payouts: list[PayoutRecord],
) -> PayoutTotal:
    due = sum(record.due(one) for one in payouts)
    paid = sum(one.paid for one in payouts)
    return PayoutTotal(
        of=of,
        name=name,
        count=len(payouts),
        wrong=sum(one.paid != record.due(one) for one in payouts),
        expected=_money(due),
        paid=_money(paid),
        difference=_money(paid - due),
    )
