"""What the engine says about an observation: refusals, alerts, settlements, adjustments, disputes."""

from typing import Literal, NamedTuple

from controller.domain.cards import Rank
from controller.domain.money import Money
from controller.domain.rules import TripleSeven

Severity = Literal["info", "warning", "critical"]
RoundStatus = Literal["open", "settled", "voided", "disputed"]
BetKind = Literal["main", "insurance"]
Outcome = Literal[
    "win",
    "lose",
    "push",
    "blackjack",
    "bust",
    "surrender",
    "even_money",
    "insured",
    "insurance_lost",
    "void",
]
ShownRank = Rank | Literal["?"]
"""A card of a result; "?" is one that nobody has read."""
Params = tuple[tuple[str, int | str], ...]
"""What fills the holes of a message's text, as (name, value)."""


class Refused(NamedTuple):
    """The rules forbid the act; nothing changed. `params` fill the text `refused.<code>`."""

    code: str
    params: Params = ()


class Alert(NamedTuple):
    """A table fault or contradiction. Rounds count from 1."""

    code: str
    severity: Severity
    round: int
    params: Params = ()


class Part(NamedTuple):
    """One stake of one bettor; `returned` includes the stake handed back."""

    kind: BetKind
    hand: int
    stake: Money
    outcome: Outcome
    returned: Money


class BetResult(NamedTuple):
    """Everything one bettor put up and got back in a round, minor units."""

    box: int
    seat: int
    staked: Money
    returned: Money
    parts: tuple[Part, ...]


class HandResult(NamedTuple):
    """A hand as it lay at the end; `total` is the total that counts."""

    box: int
    hand: int
    cards: tuple[ShownRank, ...]
    total: int


class DealerResult(NamedTuple):
    """The dealer's hand as far as it was shown; `total` counts shown cards only."""

    cards: tuple[ShownRank, ...]
    total: int
    blackjack: bool
    bust: bool


class RoundResult(NamedTuple):
    """A round as the feed prints it."""

    round: int
    status: RoundStatus
    dealer: DealerResult
    bets: tuple[BetResult, ...]
    hands: tuple[HandResult, ...]
    settle_order: tuple[int, ...]
    bonuses: tuple[tuple[int, int, TripleSeven], ...]


class Difference(NamedTuple):
    """What a bettor got back and had put up, before and after a ruling."""

    box: int
    seat: int
    returned_before: Money
    returned_after: Money
    staked_before: Money
    staked_after: Money


class Adjusted(NamedTuple):
    """A round that was settled settles anew after a ruling: each bettor whose amounts changed."""

    round: int
    bets: tuple[Difference, ...]


class Disputed(NamedTuple):
    """The round cannot be settled without a ruling; `code` names the first fact that does not fit."""

    round: int
    code: str
    params: Params = ()


class Settled(NamedTuple):
    """A round has a result: settled (for the first time or anew), voided, or ended while in dispute.

    `result.status` says which: "open" where a ruling makes the round wait for a card or decision again.
    """

    result: RoundResult


Notice = Refused | Alert | Settled | Adjusted | Disputed
