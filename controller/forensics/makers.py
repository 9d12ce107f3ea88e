"""The order in which makers pack new cards: each suit from ace to king or from king to ace, in any order."""

from typing import Final, NamedTuple

from controller.domain import RANKS, SUITS, Suit
from controller.forensics.codes import CARDS, STRUCK, SUITED, UNKNOWN
from controller.forensics.runs import FOLLOWED

LAST: Final = len(RANKS) - 1


class Place(NamedTuple):
    """A place in a new pack: `step` is 1 from ace to king, -1 from king to ace; `rank` an index of RANKS."""

    step: int
    suit: Suit
    rank: int


class Packed(NamedTuple):
    """A run as a new pack has it: where it is now in the pack, and its first card in this shoe."""

    at: Place
    start: int
    cards: int
    suited: int


Runs = tuple[Packed, ...]


def _after(place: Place) -> tuple[Place, ...]:
    """Return the next places in a new pack: the next rank, or after a suit's last card any suit's first."""
    rank = place.rank + place.step
    if 0 <= rank <= LAST:
        return (place._replace(rank=rank),)
    return _FIRSTS


_FIRSTS: Final = tuple(Place(step, suit, 0 if step > 0 else LAST) for step in (1, -1) for suit in SUITS)
_PLACES: Final = {
    code: tuple(
        Place(step, suit, RANKS.index(card.rank))
        for step in (1, -1)
        for suit in (SUITS if card.suit is None else (card.suit,))
    )
    for code, card in CARDS.items()
    if card.rank is not None
}
AFTER: Final = {place: _after(place) for places in _PLACES.values() for place in places}


def packed(runs: Runs, code: str, here: int) -> Runs:
    """The runs after one more card, at place `here` of this shoe; at most one for each place in a pack."""
    moved = _moved(runs)
    if code in (UNKNOWN, STRUCK):
        stays = runs if code == STRUCK else ()
        return (*stays, *(run._replace(at=place) for place, run in moved.items()))
    suited = int(code in SUITED)
    return tuple([_with_card(moved.get(place), place, here, suited) for place in _PLACES[code]])


def _moved(runs: Runs) -> dict[Place, Packed]:
    """The longest run for each place at which one may be after any card."""
    longest: dict[Place, Packed] = {}
    for run in runs:
        for place in AFTER[run[0]]:
            known = longest.get(place)
            if known is None or known[2] < run[2]:
                longest[place] = run
    return longest


def _with_card(before: Packed | None, place: Place, here: int, suited: int) -> Packed:
    if before is None:
        return Packed(place, here, 1, suited)
    return Packed(place, before[1], before[2] + 1, before[3] + suited)


def is_long(runs: Runs) -> bool:
    """Whether one of the runs is a finding."""
    return any(run[2] >= FOLLOWED for run in runs)
