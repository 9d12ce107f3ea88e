"""Orders of earlier shoes, and where each card lies in all of them at once."""

from bisect import bisect_right
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from controller.forensics.codes import ALIKE, END, STRUCK, UNKNOWN

Repeats = Literal["makers", "shoe", "discards", "itself"]
"""What an order of cards can repeat, in the order of preference (feed format, section 8)."""


class Order(NamedTuple):
    """An earlier shoe: its number, its cards as they were dealt, and as they were picked up."""

    number: int
    dealt: str
    picked: str


class OrderIndex(NamedTuple):
    """Earlier orders as one text, with the set of each card's places in it, as the bits of a number.

    `starts` are the beginnings of the parts, `parts` their kinds; `wild` are the places of unknown cards,
    `ends` those between two parts.
    """

    text: str
    places: dict[str, int]
    wild: int
    ends: int
    starts: tuple[int, ...]
    parts: tuple[tuple[Repeats, int], ...]

    def part_at(self, place: int) -> tuple[Repeats, int]:
        """Return the kind of the part at a place, and its shoe; beyond all parts it is the present shoe."""
        if place >= len(self.text):
            return "itself", 0
        return self.parts[bisect_right(self.starts, place) - 1]


EMPTY: Final = OrderIndex("", {}, 0, 0, (), ())


@lru_cache(maxsize=8)
def index_of(orders: tuple[Order, ...]) -> OrderIndex:
    """Return the places of every card in these orders, oldest first.

    A house that shuffles one pack for each round has another index every round: the kept part of the last one
    is only moved.
    """
    if not orders:
        return EMPTY
    *older, newest = orders
    known = _LATEST.get("index")
    if known is not None and known[0][-len(older) :] == tuple(older) and older:
        index = _without_oldest(known[1], len(known[0]) - len(older))
        index = _added(index, newest)
    else:
        index = EMPTY
        for order in orders:
            index = _added(index, order)
    _LATEST["index"] = (orders, index)
    return index


_LATEST: Final[dict[str, tuple[tuple[Order, ...], OrderIndex]]] = {}
"""The index made last: memory of what was computed, never of what was seen."""


def _added(index: OrderIndex, order: Order) -> OrderIndex:
    """The index with one more shoe behind the others."""
    base = len(index.text)
    tail = END.join((order.dealt, order.picked, order.picked[::-1], ""))
    places = dict(index.places)
    for code in set(tail) - {END, STRUCK, UNKNOWN}:
        places[code] = places.get(code, 0) | bits_of(code, tail) << base
    picked = base + len(order.dealt) + 1
    starts = (*index.starts, base, picked, picked + len(order.picked) + 1)
    parts = (*index.parts, ("shoe", order.number), *(("discards", order.number),) * 2)
    wild, ends = (bits_of(code, tail) << base for code in (UNKNOWN, END))
    return OrderIndex(index.text + tail, places, index.wild | wild, index.ends | ends, starts, parts)


def _without_oldest(index: OrderIndex, shoes: int) -> OrderIndex:
    """The index without so many of its oldest shoes; each of them has three parts."""
    if not shoes:
        return index
    cut = index.starts[3 * shoes] if 3 * shoes < len(index.starts) else len(index.text)
    places = {code: bits >> cut for code, bits in index.places.items()}
    starts = tuple([start - cut for start in index.starts[3 * shoes :]])
    wild, ends = index.wild >> cut, index.ends >> cut
    return OrderIndex(index.text[cut:], places, wild, ends, starts, index.parts[3 * shoes :])


def bits_of(code: str, text: str) -> int:
    """The places of a code in a text, as the bits of a number."""
    bits, place = 0, text.find(code)
    while place >= 0:
        bits |= 1 << place
        place = text.find(code, place + 1)
    return bits


def matching(index: OrderIndex, present: str, code: str) -> int:
    """The places of all cards that may be the same as this one, in the index and behind it in this shoe."""
    earlier = own = 0
    for alike in ALIKE[code]:
        earlier |= index.places.get(alike, 0)
        own |= bits_of(alike, present)
    return earlier | own << len(index.text)
