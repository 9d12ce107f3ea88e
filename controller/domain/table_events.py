"""What happens to the shoe, the table and its float beside the play of a round.

Amounts are integers in minor units.
"""

from typing import Literal, NamedTuple

from controller.domain.cards import Card, Rank, Suit

Shuffled = Literal["discards", "all"]
DayState = Literal["open", "closed"]
DealerStep = Literal["in", "out"]
CountOccasion = Literal["open", "close", "check"]
DropKind = Literal["cash", "marker"]
SlipKind = Literal["fill", "credit"]
"""Which way the chips of a slip went."""
RestStep = Literal["begin", "cancel"]
Pieces = tuple[tuple[int, int], ...]
"""Chips by value: (value in minor units, number of pieces), ascending."""


class ShoeShuffled(NamedTuple):
    """Cards were shuffled in the middle of a shoe: the discards, or all that is not on the table."""

    cards: Shuffled


class ShoeEnded(NamedTuple):
    """The shoe is dealt out; `cards` are those of its rest, where that was run through."""

    cards: tuple[Card, ...] | None = None


class RestCounting(NamedTuple):
    """The rest of the shoe is run through its reader to be counted, or that is given up.

    It ends with `ShoeEnded`, which then needs no `cards`.
    """

    state: RestStep


class RestCard(NamedTuple):
    """A card of the shoe's rest has run through the reader; without a rank or a suit it was not read.

    `out`: it was read twice or is none of the shoe's, and is taken out of the count again.
    """

    rank: Rank | None
    suit: Suit | None = None
    out: bool | None = None


class ShoeVoided(NamedTuple):
    """Nothing more is dealt from this shoe; a fresh one is due."""

    by: str
    reason: str
    second: str | None = None


class Limits(NamedTuple):
    """Other limits for stakes, in minor units, from the next round on; 0 = no limit."""

    stake_min: int
    stake_max: int
    stake_step: int
    by: str | None = None


class TableDay(NamedTuple):
    """The table opens or closes for the day."""

    state: DayState
    by: str | None = None


class DealerSeated(NamedTuple):
    """Who deals from here on, or deals no longer."""

    id: str
    at: DealerStep


class FloatCounted(NamedTuple):
    """The chips in the float as two people counted them: the sum, the pieces of each value, or both."""

    at: CountOccasion
    amount: int | None = None
    chips: Pieces | None = None
    by: str | None = None
    second: str | None = None


class Fill(NamedTuple):
    """Chips came from the cage to the table, on a slip."""

    slip: str
    amount: int | None = None
    chips: Pieces | None = None
    by: str | None = None
    second: str | None = None


class Credit(NamedTuple):
    """Chips left the table for the cage, on a slip."""

    slip: str
    amount: int | None = None
    chips: Pieces | None = None
    by: str | None = None
    second: str | None = None


class SlipVoided(NamedTuple):
    """A slip counts no more, as if its chips had not moved; its number stays used. Two people sign it."""

    kind: SlipKind
    slip: str
    by: str
    reason: str
    second: str | None = None


class Drop(NamedTuple):
    """Money went into the box for chips, a marker where somebody signed for it."""

    amount: int
    seat: int | None = None
    kind: DropKind | None = None


class HoldsLifted(NamedTuple):
    """The holds of these codes are lifted, all of them by default."""

    by: str
    reason: str
    codes: tuple[str, ...] | None = None
    second: str | None = None


class Note(NamedTuple):
    """A person's remark on the round, or on the one that is named; it changes nothing."""

    text: str
    round: int | None = None
    by: str | None = None


class Freeze(NamedTuple):
    """The pit stops the table at once; it goes on when the pit says so."""

    by: str
    reason: str


class Message(NamedTuple):
    """The pit's line on the dealer's screen until he has answered it; it changes nothing."""

    text: str
    by: str | None = None


class Rated(NamedTuple):
    """Who bets at a place is rated under this pseudonym from the round that is open on; None: no longer.

    It changes nothing. Who that is stands in no journal (`controller.people.guests`).
    """

    box: int
    seat: int = 0
    guest: str | None = None
    by: str | None = None


TableEvent = (
    ShoeShuffled
    | ShoeEnded
    | RestCounting
    | RestCard
    | ShoeVoided
    | Limits
    | TableDay
    | DealerSeated
    | FloatCounted
    | Fill
    | Credit
    | SlipVoided
    | Drop
    | HoldsLifted
    | Note
    | Freeze
    | Message
    | Rated
)
