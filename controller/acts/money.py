"""Chips that are paid, counted, filled, dropped, and the limits of stakes."""

from typing import Literal, NamedTuple

from controller.acts.declaring import (
    ALWAYS,
    NEVER,
    PEOPLE,
    PIT_ALONE,
    UNHELD,
    Act,
    Declared,
    Lifts,
    Line,
    Problem,
    Row,
    Second,
    Standing,
    Subject,
)

PayoutKnown = Literal["measured", "entered", "confirmed"]
"""How a payout is known: a chip source counted it, somebody typed the amount, or somebody confirmed with one
tap that it was what the screen had shown."""


def _row_of_payout(paid: "Paid", _: Standing) -> Act:
    if paid.how == "measured":
        return Act.PAID_MEASURED if paid.round is None else Act.PAID_LATE_MEASURED
    return Act.PAID if paid.round is None else Act.PAID_LATE


def _to_bettor(paid: "Paid", hold: Subject) -> bool:
    return (paid.box, paid.seat) == hold.bettor


@Declared(
    "paid",
    {
        Act.PAID: Row(UNHELD, ALWAYS, UNHELD, UNHELD),
        Act.PAID_LATE: Row(NEVER, ALWAYS, NEVER, UNHELD),
        # "Measured" is recorded by a measuring device or by the table, never by a person.
        Act.PAID_MEASURED: Row(NEVER, NEVER, UNHELD, UNHELD),
        Act.PAID_LATE_MEASURED: Row(NEVER, NEVER, NEVER, UNHELD),
    },
    timeless=True,
    lifts=Lifts("paid", _to_bettor, at_once=False),
    permit=_row_of_payout,
)
class Paid(NamedTuple):
    """The total handed back to a bettor, stake included, as counted by a chip source or by people.

    Without `round` it is the round that is settled and not ended. Feeds and journals without the source of
    the amount leave `how` out.

    Example: `{"obs": "paid", "box": 1, "seat": 0, "amount": 2000}`
    """

    box: int
    seat: int
    amount: int
    round: int | None = None
    how: PayoutKnown | None = None


ReadingKind = Literal["stake", "payout"]


@Declared(
    "chip_reading",
    {Act.CHIP_READING: Row(NEVER, NEVER, NEVER, ALWAYS)},
    unnamed="chips",
    in_count=True,
    written_unset="amount",
)
class ChipReading(NamedTuple):
    """A chip source's reading of one bettor's chips, with probability `p` where it reports one.

    A stake is the total in the circle now; a payout is the total handed back, stake included. `amount` None:
    the source cannot count the chips, or no longer sees the place.

    Example: `{"obs": "chip_reading", "kind": "stake", "box": 1, "seat": 0, "amount": 1000}`
    """

    kind: ReadingKind
    box: int
    seat: int
    amount: int | None
    p: float | None = None


CountOccasion = Literal["open", "close", "check"]

Pieces = tuple[tuple[int, int], ...]
"""Chips by value: (value in minor units, number of pieces), ascending."""


def _sum_agrees(counted: Line) -> Problem | None:
    """A count has a sum or pieces; if it has both, they agree."""
    amount: int | None = counted.get("amount")
    pieces: dict[str, int] | None = counted.get("chips")
    if amount is None and pieces is None:
        return "missing", "amount"
    if amount is None or pieces is None:
        return None
    total = sum(int(value) * number for value, number in pieces.items())
    return None if amount == total else ("wrong", "amount")


@Declared(
    "count",
    {Act.COUNT: PIT_ALONE},
    unnamed="pit",
    second="float_count",
    dealer_signs=True,
    in_count=True,
    check=_sum_agrees,
)
class FloatCounted(NamedTuple):
    """The chips in the float as two people counted them: the sum, the pieces of each value, or both.

    Example: `{"obs": "count", "at": "open", "chips": {"500": 100, "2500": 40}}`
    """

    at: CountOccasion
    amount: int | None = None
    chips: Pieces | None = None
    by: str | None = None
    second: str | None = None


@Declared(
    "fill",
    {Act.FILL: PIT_ALONE},
    unnamed="pit",
    second="fill",
    dealer_signs=True,
    in_count=True,
    check=_sum_agrees,
)
class Fill(NamedTuple):
    """Chips came from the cage to the table, on a slip.

    Example: `{"obs": "fill", "slip": "F-12", "amount": 250000}`
    """

    slip: str
    amount: int | None = None
    chips: Pieces | None = None
    by: str | None = None
    second: str | None = None


@Declared(
    "credit",
    {Act.CREDIT: PIT_ALONE},
    unnamed="pit",
    second="credit",
    dealer_signs=True,
    in_count=True,
    check=_sum_agrees,
)
class Credit(NamedTuple):
    """Chips left the table for the cage, on a slip.

    Example: `{"obs": "credit", "slip": "C-3", "amount": 100000}`
    """

    slip: str
    amount: int | None = None
    chips: Pieces | None = None
    by: str | None = None
    second: str | None = None


SlipKind = Literal["fill", "credit", "drop"]
"""Which way the money of a slip went."""


def _second_of_slip(void: "SlipVoided") -> Second:
    """Return the rule for a second person: a slip has two signatures in every house.

    Source: Louisiana III-2717, Ohio 3772-11-31.
    """
    return "" if void.kind == "drop" else "always"


def _names_entry(void: Line) -> Problem | None:
    """A slip has its number; a drop has its number or its place in the day."""
    slip, nth = void.get("slip"), void.get("nth")
    if slip is not None:
        return None if nth is None else ("wrong", "nth")
    if void["kind"] != "drop":
        return "missing", "slip"
    return ("missing", "nth") if nth is None else None


@Declared(
    "slip_void",
    {Act.SLIP_VOID: PIT_ALONE},
    unnamed="pit",
    second=_second_of_slip,
    dealer_signs=True,
    check=_names_entry,
)
class SlipVoided(NamedTuple):
    """A slip or a drop becomes void, as if no money had moved; a slip's number stays used.

    `nth` counts the drops of the day from 1, void ones included.

    Example: `{"obs": "slip_void", "kind": "fill", "slip": "F-12", "by": "P-02", "reason": "OTHER"}`
    """

    kind: SlipKind
    slip: str | None
    by: str
    reason: str
    second: str | None = None
    nth: int | None = None


DropKind = Literal["cash", "marker"]


@Declared("drop", {Act.DROP: PEOPLE}, in_count=True)
class Drop(NamedTuple):
    """Money for chips, or a signed marker, went into the drop box.

    `slip` is the number of the slip or marker, where the house gives it one.

    Example: `{"obs": "drop", "amount": 20000, "kind": "cash"}`
    """

    amount: int
    seat: int | None = None
    kind: DropKind | None = None
    slip: str | None = None


def _limits_in_order(limits: Line) -> Problem | None:
    return ("wrong", "stake_max") if 0 < limits["stake_max"] < limits["stake_min"] else None


@Declared(
    "limits",
    {Act.LIMITS: PIT_ALONE},
    unnamed="pit",
    second="limits",
    in_count=True,
    timeless=True,
    check=_limits_in_order,
)
class Limits(NamedTuple):
    """Other limits for stakes, in minor units, from the next round on; 0 = no limit.

    Example: `{"obs": "limits", "stake_min": 1000, "stake_max": 50000, "stake_step": 500}`
    """

    stake_min: int
    stake_max: int
    stake_step: int
    by: str | None = None


MoneyAct = Paid | ChipReading | FloatCounted | Fill | Credit | SlipVoided | Drop | Limits
