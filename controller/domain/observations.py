"""What devices and people report: one type for each `obs` of the feed format.

Amounts are integers in minor units, boxes count from 1 at the dealer's left, seat 0 is the box holder,
hands count from 1 in the order in which splits make them.
"""

from typing import Literal, NamedTuple

from controller.domain.cards import Rank, Suit
from controller.domain.table_events import TableEvent

Action = Literal["hit", "stand", "double", "split", "surrender"]
Target = Literal["box", "dealer", "burn"]
Face = Literal["up", "down"]
Pose = Literal["along", "across"]
Presence = Literal["live", "stale", "lost"]
StruckAs = Literal["extra", "double_read", "boxed", "defective", "foreign"]
"""Why a struck card does not belong to the round; a boxed card lay face up in the shoe."""
TakenOut = Literal["struck", "burned"]
"""Whether a card that was taken out counts as one of this shoe (`burned`)."""
PayoutKnown = Literal["measured", "entered", "confirmed"]
"""How a payout is known: a chip source counted it, somebody typed the amount, or somebody confirmed with one
tap that it was what the screen had shown."""
ReadingKind = Literal["stake", "payout"]


class ShoeLoaded(NamedTuple):
    """A fresh, shuffled shoe is in place; `cards` is the count where it differs from 52 x `decks`.

    `set` names the packs in it, where a house has several sets of them; None is the set "A".
    """

    decks: int
    cards: int | None = None
    set: str | None = None


class Bet(NamedTuple):
    """The whole stake of a bettor as it lies there now, not what was added; 0 takes it away."""

    box: int
    seat: int
    stake: int


class Close(NamedTuple):
    """No more bets."""


class CardSeen(NamedTuple):
    """One physical card. Without `to` the engine assigns it to the hand that it expects next.

    `out`: a ruling took it out while it waited to be laid; it keeps its number and lies nowhere.
    """

    rank: Rank | None
    suit: Suit | None = None
    by: str | None = None
    p: float | None = None
    to: Target | None = None
    box: int | None = None
    hand: int | None = None
    face: Face | None = None
    pose: Pose | None = None
    id: str | None = None
    out: TakenOut | None = None


class Decision(NamedTuple):
    """The box holder's decision: hit, stand, double, split or surrender.

    `seats` put up the second stake (all by default); `stakes` are (seat, added amount) pairs.
    """

    box: int
    hand: int
    action: Action
    seats: tuple[int, ...] | None = None
    stakes: tuple[tuple[int, int], ...] | None = None


class Insurance(NamedTuple):
    """An insurance bet; a stake of 0 declines."""

    box: int
    seat: int
    stake: int


class EvenMoney(NamedTuple):
    """The bettor takes even money: the blackjack is paid 1:1 at once."""

    box: int
    seat: int


class InsuranceClosed(NamedTuple):
    """Every box has answered; who said nothing has declined."""


class Peek(NamedTuple):
    """The dealer looked at the face-down card."""

    blackjack: bool


class Reveal(NamedTuple):
    """The face-down card is turned; rank and suit are needed where nobody has read it yet."""

    rank: Rank | None = None
    suit: Suit | None = None


class CutCard(NamedTuple):
    """The cut card came out: shuffle before the next round."""


class Correct(NamedTuple):
    """A card was in truth another one. `card` counts from 1 in the round, burned cards not counted.

    `rank` is None where nobody knows it any more: the card is unread until it is corrected again.
    """

    card: int | None
    id: str | None
    rank: Rank | None
    suit: Suit | None
    by: str
    reason: str
    round: int | None = None
    second: str | None = None


class Strike(NamedTuple):
    """A card does not belong to the round; `burn` marks it as burned, `struck_as` says what it was."""

    card: int | None
    id: str | None
    by: str
    reason: str
    burn: bool = False
    round: int | None = None
    struck_as: StruckAs | None = None
    second: str | None = None


class Move(NamedTuple):
    """A card lies at another hand than the engine took it to; `to` is `box` or `dealer`."""

    card: int | None
    id: str | None
    to: Target
    box: int | None
    hand: int | None
    by: str
    reason: str
    round: int | None = None
    second: str | None = None


class Void(NamedTuple):
    """One box or, without `box`, the whole round is void: stakes go back, cards stay counted."""

    box: int | None
    by: str
    reason: str
    round: int | None = None
    second: str | None = None


class AmendStake(NamedTuple):
    """That much lay there when the bets closed; a stake of 0: none did."""

    box: int
    seat: int
    stake: int
    by: str
    reason: str
    round: int | None = None
    second: str | None = None


class AmendDecision(NamedTuple):
    """The `nth` decision of a hand, counted from 1, was in truth this one; `action` None: never made."""

    box: int
    hand: int
    nth: int
    action: Action | None
    by: str
    reason: str
    seats: tuple[int, ...] | None = None
    stakes: tuple[tuple[int, int], ...] | None = None
    round: int | None = None
    second: str | None = None


class AmendInsurance(NamedTuple):
    """A bettor's insurance bet was in truth this one; a stake of 0: none."""

    box: int
    seat: int
    stake: int
    by: str
    reason: str
    round: int | None = None
    second: str | None = None


class AmendEvenMoney(NamedTuple):
    """A bettor did, or did not, take even money."""

    box: int
    seat: int
    taken: bool
    by: str
    reason: str
    round: int | None = None
    second: str | None = None


class AmendPeek(NamedTuple):
    """The dealer's look at the face-down card was told wrongly."""

    blackjack: bool
    by: str
    reason: str
    round: int | None = None
    second: str | None = None


class AmendReveal(NamedTuple):
    """The face-down card was not turned, or not then."""

    by: str
    reason: str
    round: int | None = None
    second: str | None = None


class AmendClose(NamedTuple):
    """The bets were not closed after all; possible until the first card. Not part of the shared format."""

    by: str
    reason: str
    second: str | None = None


class HandName(NamedTuple):
    """A hand by its box and number."""

    box: int
    hand: int


class Swap(NamedTuple):
    """The cards of two hands had changed places; bets and decisions stay with the hands."""

    from_hand: HandName
    with_hand: HandName
    by: str
    reason: str
    round: int | None = None
    second: str | None = None


class Paid(NamedTuple):
    """What was handed back to a bettor in all, stake included, as counted by a chip source or by people.

    Without `round` it is the round that is settled and not ended. `how` is left out by feeds and journals
    that do not say how the amount is known.
    """

    box: int
    seat: int
    amount: int
    round: int | None = None
    how: PayoutKnown | None = None


class ChipReading(NamedTuple):
    """What a chip source sees of one bettor's chips, of probability `p` where it tells one.

    A stake is all that lies in the circle now; a payout is the total handed back, stake included. `amount`
    None: something lies there that the source cannot count, or it sees the place no longer.
    """

    kind: ReadingKind
    box: int
    seat: int
    amount: int | None
    p: float | None = None


class Exposed(NamedTuple):
    """The face-down card was seen before its time, by the dealer or by a box."""

    who: Literal["dealer"] | int


class Leave(NamedTuple):
    """A bettor is gone."""

    box: int
    seat: int


class DeviceSeen(NamedTuple):
    """A device came or went."""

    name: str
    state: Presence


class Chips(NamedTuple):
    """A player's own chips as counted, where players take turns at the bank (NL-29, NL-30)."""

    box: int
    chips: int


class Bank(NamedTuple):
    """Which box is the bank now, where players take turns (NL-29)."""

    box: int


class End(NamedTuple):
    """The table is cleared; the next round may start."""


Amend = AmendStake | AmendDecision | AmendInsurance | AmendEvenMoney | AmendPeek | AmendReveal | AmendClose
"""What people told wrongly about a round, put right."""
Ruling = Correct | Strike | Move | Void | Swap | Amend
"""What somebody rules about a round: the round is folded anew with it."""
Observation = (
    ShoeLoaded
    | Bet
    | Close
    | CardSeen
    | Decision
    | Insurance
    | EvenMoney
    | InsuranceClosed
    | Peek
    | Reveal
    | CutCard
    | Correct
    | Strike
    | Move
    | Void
    | AmendStake
    | AmendDecision
    | AmendInsurance
    | AmendEvenMoney
    | AmendPeek
    | AmendReveal
    | AmendClose
    | Swap
    | Paid
    | ChipReading
    | Exposed
    | Leave
    | TableEvent
    | DeviceSeen
    | Chips
    | Bank
    | End
)
