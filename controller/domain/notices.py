"""What the engine says about an observation: refusals, alerts, settlements, adjustments, disputes."""

from typing import NamedTuple


class Refused(NamedTuple):
    """The rules forbid the act; nothing changed. `params` fill the text `refused.<code>`."""

    code: str
    params: tuple[tuple[str, int | str], ...] = ()


class Alert(NamedTuple):
    """A table fault or contradiction; `severity` is `info`, `warning` or `critical`, rounds count from 1."""

    code: str
    severity: str
    round: int
    params: tuple[tuple[str, int | str], ...] = ()


class Part(NamedTuple):
    """One stake of one bettor: `kind` main or insurance, `returned` includes the stake handed back."""

    kind: str
    hand: int
    stake: int
    outcome: str
    returned: int


class BetResult(NamedTuple):
    """Everything one bettor put up and got back in a round, minor units."""

    box: int
    seat: int
    staked: int
    returned: int
    parts: tuple[Part, ...]


class HandResult(NamedTuple):
    """A hand as it lay at the end; `total` is the total that counts."""

    box: int
    hand: int
    cards: tuple[str, ...]
    total: int


class DealerResult(NamedTuple):
    """The dealer's hand as far as it was shown; `total` counts shown cards only."""

    cards: tuple[str, ...]
    total: int
    blackjack: bool
    bust: bool


class RoundResult(NamedTuple):
    """A round as the feed prints it; `status` is settled, voided, disputed or open."""

    round: int
    status: str
    dealer: DealerResult
    bets: tuple[BetResult, ...]
    hands: tuple[HandResult, ...]
    settle_order: tuple[int, ...]
    bonuses: tuple[tuple[int, int, str], ...]


class Adjusted(NamedTuple):
    """A settled round settles anew: (box, seat, returned before, returned after) for each difference."""

    round: int
    bets: tuple[tuple[int, int, int, int], ...]


class Disputed(NamedTuple):
    """The round cannot be settled without a ruling; `code` names the first fact that does not fit."""

    round: int
    code: str
    params: tuple[tuple[str, int | str], ...] = ()


class Settled(NamedTuple):
    """A round has got a result (`result.status`): settled, settled anew, voided, or closed in dispute."""

    result: RoundResult


Notice = Refused | Alert | Settled | Adjusted | Disputed
