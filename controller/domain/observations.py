"""What devices and people report: one type for each `obs` of the feed format.

Amounts are integers in minor units, boxes count from 1 at the dealer's left, seat 0 is the box holder,
hands count from 1 in the order in which splits make them.
"""

from typing import Literal, NamedTuple

from controller.domain.cards import Rank, Suit

Action = Literal["hit", "stand", "double", "split", "surrender"]
Target = Literal["box", "dealer", "burn"]
Face = Literal["up", "down"]
Pose = Literal["along", "across"]
Presence = Literal["live", "stale", "lost"]


class ShoeLoaded(NamedTuple):
    """A fresh, shuffled shoe is in place; `cards` is the count where it differs from 52 x `decks`."""

    decks: int
    cards: int | None = None


class Bet(NamedTuple):
    """The whole stake of a bettor as it lies there now, not what was added; 0 takes it away."""

    box: int
    seat: int
    stake: int


class Close(NamedTuple):
    """No more bets."""


class CardSeen(NamedTuple):
    """One physical card. Without `to` the engine assigns it to the hand that it expects next."""

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

    `rank` is None only where a screen may not be told it.
    """

    card: int | None
    id: str | None
    rank: Rank | None
    suit: Suit | None
    by: str
    reason: str
    round: int | None = None


class Strike(NamedTuple):
    """A card does not belong to the round; `burn` marks it as burned."""

    card: int | None
    id: str | None
    by: str
    reason: str
    burn: bool = False
    round: int | None = None


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


class Void(NamedTuple):
    """One box or, without `box`, the whole round is void: stakes go back, cards stay counted."""

    box: int | None
    by: str
    reason: str
    round: int | None = None


class Paid(NamedTuple):
    """What was handed back to a bettor, stake included, as counted by a chip source or by people."""

    box: int
    seat: int
    amount: int


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
    | Paid
    | DeviceSeen
    | Chips
    | Bank
    | End
)
