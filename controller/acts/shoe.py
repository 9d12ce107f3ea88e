"""The acts of a shoe from its first card to its last."""

from typing import Literal, NamedTuple

from controller.acts.declaring import ALWAYS, ANSWERS, PIT_ALONE, UNHELD, Act, Declared, Lifts, Row, Subject
from controller.domain import Card, Rank, Suit
from controller.irregularities import Way


def _fresh_packs(_: "ShoeLoaded", hold: Subject) -> bool:
    return "shoe" in hold.ways


@Declared(
    "shoe",
    {Act.SHOE: Row(UNHELD, ANSWERS)},
    lifts=Lifts("shoe", _fresh_packs, at_once=True, any_round=True, over_others=True),
)
class ShoeLoaded(NamedTuple):
    """A fresh, shuffled shoe is in place; `cards` is the count where it differs from 52 x `decks`.

    `set` names the packs in it, where a house has several sets of them; None is the set "A".

    Example: `{"obs": "shoe", "decks": 6}`
    """

    decks: int
    cards: int | None = None
    set: str | None = None


@Declared("cut_card", {Act.CUT_CARD: Row(ALWAYS, ALWAYS, ALWAYS)}, timeless=True)
class CutCard(NamedTuple):
    """The cut card came out: shuffle before the next round.

    Example: `{"obs": "cut_card"}`
    """


Shuffled = Literal["discards", "all"]


def _way_of_shuffle(_: "ShoeShuffled", offered: tuple[Way, ...]) -> Way:
    """A shuffle in the middle of the shoe, or in the place of a fresh one."""
    return "shuffle" if "shuffle" in offered else "shoe"


def _shuffled_packs(_: "ShoeShuffled", hold: Subject) -> bool:
    return "shuffle" in hold.ways or "shoe" in hold.ways


@Declared(
    "shuffle",
    {Act.SHUFFLE: Row(UNHELD, ANSWERS)},
    lifts=Lifts(_way_of_shuffle, _shuffled_packs, at_once=True, any_round=True, over_others=True),
)
class ShoeShuffled(NamedTuple):
    """Cards were shuffled in the middle of a shoe: the discards, or all that is not on the table.

    Example: `{"obs": "shuffle", "cards": "discards"}`
    """

    cards: Shuffled


def _counts_packs(_: "ShoeEnded", hold: Subject) -> bool:
    return "shoe_end" in hold.ways


@Declared(
    "shoe_end",
    {Act.SHOE_END: Row(UNHELD, ANSWERS)},
    in_count=True,
    lifts=Lifts("shoe_end", _counts_packs, at_once=False, any_round=True, over_others=True),
)
class ShoeEnded(NamedTuple):
    """The shoe is dealt out; `cards` are those of its rest, where that was run through.

    Example: `{"obs": "shoe_end"}`
    """

    cards: tuple[Card, ...] | None = None


RestStep = Literal["begin", "cancel"]


def _begins_count(counting: "RestCounting", hold: Subject) -> bool:
    return counting.state == "begin" and "shoe_end" in hold.ways


def _gives_up(counting: "RestCounting", hold: Subject) -> bool:
    return counting.state == "cancel" and hold.code == "REST_CARD_UNREAD"


@Declared(
    "rest_count",
    {
        Act.REST_COUNT: Row(UNHELD, ANSWERS),
        # If a dealer cancelled the count, the surplus card would be lost.
        Act.REST_CANCEL: Row(ANSWERS, ALWAYS),
    },
    in_count=True,
    lifts=Lifts("shoe_end", _begins_count, at_once=False, any_round=True, over_others=True),
    answers=_gives_up,
    permit=lambda counting, _: Act.REST_COUNT if counting.state == "begin" else Act.REST_CANCEL,
)
class RestCounting(NamedTuple):
    """The rest of the shoe is run through its reader to be counted, or that is given up.

    It ends with `ShoeEnded`, which then needs no `cards`.

    Example: `{"obs": "rest_count", "state": "begin"}`
    """

    state: RestStep


@Declared(
    "rest_card",
    {Act.REST_CARD: PIT_ALONE},
    unnamed="pit",
    in_count=True,
    written_unset="rank",
)
class RestCard(NamedTuple):
    """A card of the shoe's rest has run through the reader; without a rank or a suit it was not read.

    `out`: it was read twice or is none of the shoe's, and is taken out of the count again.

    Example: `{"obs": "rest_card", "rank": "K", "suit": "d"}`
    """

    rank: Rank | None
    suit: Suit | None = None
    out: bool | None = None


def _about_shoe(_: "ShoeVoided", hold: Subject) -> bool:
    return hold.of_shoe


@Declared(
    "shoe_void",
    {Act.RULING: PIT_ALONE},
    unnamed="pit",
    second="shoe_void",
    in_count=True,
    lifts=Lifts("shoe_void", _about_shoe, at_once=True, any_round=True),
)
class ShoeVoided(NamedTuple):
    """Nothing more is dealt from this shoe; a fresh one is due.

    Example: `{"obs": "shoe_void", "by": "P-02", "reason": "CARD_STUCK"}`
    """

    by: str
    reason: str
    second: str | None = None


ShoeAct = ShoeLoaded | CutCard | ShoeShuffled | ShoeEnded | RestCounting | RestCard | ShoeVoided
