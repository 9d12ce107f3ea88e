"""The bets, cards, decisions and the reveal of a round."""

from typing import Final, Literal, NamedTuple

from controller.acts.declaring import (
    ALWAYS,
    ANSWERS,
    NEVER,
    PEOPLE,
    UNHELD,
    Act,
    Declared,
    Line,
    Problem,
    Row,
    Subject,
    answer_to,
)
from controller.domain import Rank, Suit


def _tells_stake(bet: "Bet", hold: Subject) -> bool:
    return hold.code == "STAKE_DIFFERS" and (hold.box, hold.bettor[1]) == (bet.box, bet.seat)


@Declared(
    "bet",
    {Act.BET: Row(ANSWERS, ANSWERS), Act.BET_LATE: Row(ANSWERS, ANSWERS, ALWAYS)},
    timeless=True,
    answers=_tells_stake,
    permit=lambda _, standing: Act.BET if standing.bets_are_open() else Act.BET_LATE,
)
class Bet(NamedTuple):
    """A bettor's whole present stake, not the added amount; 0 removes it.

    Example: `{"obs": "bet", "box": 1, "seat": 0, "stake": 1000}`
    """

    box: int
    seat: int
    stake: int


@Declared("close", {Act.CLOSE: PEOPLE}, timeless=True)
class Close(NamedTuple):
    """No more bets.

    Example: `{"obs": "close"}`
    """


Target = Literal["box", "dealer", "burn"]

Face = Literal["up", "down"]

Pose = Literal["along", "across"]

TakenOut = Literal["struck", "burned"]
"""Whether a card that was taken out counts as one of this shoe (`burned`)."""


def box_is_named(line: Line) -> Problem | None:
    """A line with `to: box` names the box."""
    return ("missing", "box") if line.get("to") == "box" and line.get("box") is None else None


def _is_whole(card: Line) -> Problem | None:
    """A card that lies open has a rank."""
    if "rank" not in card and card.get("face") != "down":
        return "missing", "rank"
    return box_is_named(card)


def _to_its_box(card: "CardSeen") -> "CardSeen":
    """A card with a box goes to that box."""
    return card if card.box is None or card.to is not None else card._replace(to="box")


@Declared(
    "card",
    {
        Act.CARD: Row(ALWAYS, ALWAYS, ALWAYS),
        # A reader reads a dealer's staff card; an unread playing card is entered by its rank.
        Act.CARD_AT_SCREEN: Row(NEVER, ALWAYS, system=UNHELD),
    },
    unnamed="shoe",
    in_count=True,
    written_unset="rank",
    at_screen=Act.CARD_AT_SCREEN,
    check=_is_whole,
    finish=_to_its_box,
)
class CardSeen(NamedTuple):
    """One physical card. Without `to` the engine assigns it to the hand that it expects next.

    `out`: a ruling took it out while it waited to be laid; it keeps its number and lies nowhere.

    Example: `{"obs": "card", "rank": "7", "suit": "h", "to": "box", "box": 3}`
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


Action = Literal["hit", "stand", "double", "split", "surrender"]


def _tells_decision(decision: "Decision", hold: Subject) -> bool:
    return hold.code == "DECISION_UNCLEAR" and hold.hand == (decision.box, decision.hand)


@Declared("decision", {Act.DECISION: Row(ANSWERS, ANSWERS)}, answers=_tells_decision)
class Decision(NamedTuple):
    """The box holder's decision: hit, stand, double, split or surrender.

    `seats` put up the second stake (all by default); `stakes` are (seat, added amount) pairs.

    Example: `{"obs": "decision", "box": 1, "hand": 1, "action": "double"}`
    """

    box: int
    hand: int
    action: Action
    seats: tuple[int, ...] | None = None
    stakes: tuple[tuple[int, int], ...] | None = None


_INSURES: Final = answer_to("INSURANCE_UNCLEAR")


@Declared("insurance", {Act.INSURANCE: Row(ANSWERS, ANSWERS)}, timeless=True, answers=_INSURES)
class Insurance(NamedTuple):
    """An insurance bet; a stake of 0 declines.

    Example: `{"obs": "insurance", "box": 1, "seat": 0, "stake": 500}`
    """

    box: int
    seat: int
    stake: int


@Declared("even_money", {Act.EVEN_MONEY: Row(ANSWERS, ANSWERS)}, timeless=True, answers=_INSURES)
class EvenMoney(NamedTuple):
    """The bettor takes even money: the blackjack is paid 1:1 at once.

    Example: `{"obs": "even_money", "box": 1, "seat": 0}`
    """

    box: int
    seat: int


@Declared("insurance_closed", {Act.INSURANCE_CLOSED: Row(ANSWERS, ANSWERS)}, timeless=True, answers=_INSURES)
class InsuranceClosed(NamedTuple):
    """Every box has answered; who said nothing has declined.

    Example: `{"obs": "insurance_closed"}`
    """


@Declared("peek", {Act.PEEK: Row(UNHELD, UNHELD, UNHELD)})
class Peek(NamedTuple):
    """The dealer looked at the face-down card.

    Example: `{"obs": "peek", "blackjack": false}`
    """

    blackjack: bool


@Declared("reveal", {Act.REVEAL: Row(ANSWERS, ANSWERS, ANSWERS)}, answers=answer_to("HOLE_CARD_UNREAD"))
class Reveal(NamedTuple):
    """The face-down card is turned; rank and suit are required where it is unread.

    `early`: it is open while hands may still act, and the pit lets it stand; no hand stands because of it.

    Example: `{"obs": "reveal", "rank": "9", "suit": "c"}`
    """

    rank: Rank | None = None
    suit: Suit | None = None
    early: bool | None = None


@Declared("exposed", {Act.EXPOSED: Row(ALWAYS, ALWAYS, ALWAYS)})
class Exposed(NamedTuple):
    """The face-down card was seen too early, by the dealer or by a box.

    `turned`: it was turned too early, and this is its reading.

    Example: `{"obs": "exposed", "who": "dealer"}`
    """

    who: Literal["dealer"] | int
    rank: Rank | None = None
    suit: Suit | None = None
    turned: bool | None = None


@Declared("leave", {Act.LEAVE: PEOPLE})
class Leave(NamedTuple):
    """A bettor is gone.

    Example: `{"obs": "leave", "box": 1, "seat": 1}`
    """

    box: int
    seat: int


@Declared("chips", {Act.CHIPS: PEOPLE})
class Chips(NamedTuple):
    """A player's own chips as counted, where players take turns at the bank (NL-29, NL-30).

    Example: `{"obs": "chips", "box": 2, "chips": 20000}`
    """

    box: int
    chips: int


@Declared("bank", {Act.BANK: PEOPLE})
class Bank(NamedTuple):
    """The box that is the bank now, where players take turns (NL-29).

    Example: `{"obs": "bank", "box": 2}`
    """

    box: int


@Declared("end", {Act.END: PEOPLE})
class End(NamedTuple):
    """The table is cleared; the next round may start.

    Example: `{"obs": "end"}`
    """


EnteredAct = (
    Bet
    | Close
    | Decision
    | Insurance
    | EvenMoney
    | InsuranceClosed
    | Peek
    | Reveal
    | Exposed
    | Leave
    | Chips
    | Bank
    | End
)
"""What people enter in a round."""
RoundAct = CardSeen | EnteredAct
