"""The shuffle watch of one table: each card beside the makers' order, earlier shoes, and the shoe itself.

Cards are one character each, so that an order is a text. `levels[n]` is the set of places at which a run of
n + 1 known cards or more ends now (Shift-And, Baeza-Yates and Gonnet 1992), as the bits of a number over
`OrderIndex` and, behind it, the present shoe. From FOLLOWED cards on a run is followed by itself. An unknown
card fits everywhere and lengthens no run.
"""

from bisect import bisect_right
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product
from math import log10
from typing import Final, Literal, NamedTuple, final, get_args

from controller.domain import RANKS, SUITS, Card, Rank, Suit

UNKNOWN: Final = "0"
"""A card that nobody has read, or that lies face down."""
STRUCK: Final = "~"
"""A card that a ruling took out: it may have been in the shoe, or a double reading."""
END: Final = "|"
"""Parts two orders from each other; no card matches it."""

_FIRST: Final = ord("1")
KNOWN: Final[dict[tuple[Rank, Suit | None], str]] = {
    card: chr(_FIRST + number)
    for number, card in enumerate([*product(RANKS, SUITS), *product(RANKS, (None,))])
}
"""Each rank with its suit, then each rank alone."""
CARDS: Final = {code: Card(*card) for card, code in KNOWN.items()}

SUITED: Final = frozenset(code for code, card in CARDS.items() if card.suit is not None)
"""Codes of cards whose suit is known."""


def _alike(card: Card) -> str:
    """Every code that may be the same card: its own, its rank alone; a rank alone may be any suit of it."""
    kinds = (card.suit, None) if card.suit is not None else (*SUITS, None)
    return "".join(KNOWN[card.rank, suit] for suit in kinds if card.rank is not None)


ALIKE: Final = {code: _alike(card) for code, card in CARDS.items()}


def code_of(rank: Rank | None, suit: Suit | None) -> str:
    """The character of a card; UNKNOWN without a rank."""
    return UNKNOWN if rank is None else KNOWN[rank, suit]


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


FOLLOWED: Final = 6
"""From this length on a run is a finding (feed format, section 8): 0.15 % of shoes have one of 7 after three
riffles, see docs/measurements/forensics.md."""


class Run(NamedTuple):
    """Cards of this shoe that repeat an order.

    `start` and `end` are places in this shoe, the first is 0; `cards` of them were compared, `suited` of
    those with their suits. `shoe` is the number of the earlier shoe, 0 for none.
    """

    repeats: Repeats
    shoe: int
    start: int
    end: int
    cards: int
    suited: int


class Follow(NamedTuple):
    """A run that goes on, and the place in the index at which it is now."""

    at: int
    start: int
    cards: int
    suited: int


class Tracks(NamedTuple):
    """All runs that may still go on."""

    levels: tuple[int, ...] = ()
    follows: tuple[Follow, ...] = ()


_NO_TRACKS: Final = Tracks()


def advance(tracks: Tracks, index: OrderIndex, present: str, code: str) -> Tracks:
    """The runs after one more card; `present` are the cards before it."""
    if code in (UNKNOWN, STRUCK):
        return _skipped(tracks, index, present, code)
    match = matching(index, present, code)
    wild = index.wild | _own_wild(index, present)
    levels = [match | (tracks.levels[0] << 1) & wild if tracks.levels else match]
    for level in range(1, FOLLOWED):
        shorter = tracks.levels[level - 1] if level <= len(tracks.levels) else 0
        same = tracks.levels[level] if level < len(tracks.levels) else 0
        bits = (shorter << 1) & match | (same << 1) & wild
        if not bits:
            break
        levels.append(bits)
    follows = _followed(tracks, index, present, code) if tracks.follows else ()
    if len(levels) == FOLLOWED:
        follows += _new(levels[-1], follows, index, present + code)
    return Tracks(tuple(levels), follows)


def _own_wild(index: OrderIndex, present: str) -> int:
    """The places of this shoe's own unknown cards."""
    place = present.find(UNKNOWN)
    bits = 0
    while place >= 0:
        bits |= 1 << place
        place = present.find(UNKNOWN, place + 1)
    return bits << len(index.text)


def _skipped(tracks: Tracks, index: OrderIndex, present: str, code: str) -> Tracks:
    """Return the runs after an unknown card: each advances by one place.

    A struck card may have come out of the shoe, or never have been there: both are followed.
    """
    moved = [(bits << 1) & ~index.ends for bits in tracks.levels]
    text = index.text
    follows = tuple([one._replace(at=one.at + 1) for one in tracks.follows if _goes_on(text, present, one)])
    if code == STRUCK:
        moved = [bits | before for bits, before in zip(moved, tracks.levels, strict=True)]
        follows += tracks.follows
    return Tracks(tuple(moved), follows)


def _goes_on(text: str, present: str, one: Follow) -> bool:
    """Whether there is a card after the place of a run."""
    after = one.at + 1
    return text[after] != END if after < len(text) else after < len(text) + len(present)


def _followed(tracks: Tracks, index: OrderIndex, present: str, code: str) -> tuple[Follow, ...]:
    """The runs that go on with this card."""
    text = index.text + present
    alike, suited = ALIKE[code], code in SUITED
    going = []
    for at, start, cards, with_suit in tracks.follows:
        other = text[at + 1] if at + 1 < len(text) else END
        if other in alike:
            going.append(Follow(at + 1, start, cards + 1, with_suit + (suited and other in SUITED)))
        elif other == UNKNOWN:
            going.append(Follow(at + 1, start, cards, with_suit))
    return tuple(going)


def _new(bits: int, follows: tuple[Follow, ...], index: OrderIndex, present: str) -> tuple[Follow, ...]:
    """The runs that have become long enough with the last card of `present`."""
    for one in follows:
        bits &= ~(1 << one.at)
    text = index.text + present
    found = []
    while bits:
        at = bits.bit_length() - 1
        bits ^= 1 << at
        found.append(max(_back(present, text, at, step) for step in (0, 1)))
    return tuple([Follow(at, start, cards, suited) for cards, suited, start, at in found])


def _back(present: str, text: str, at: int, struck_step: int) -> tuple[int, int, int, int]:
    """Walk back from a run's end, over struck cards by `struck_step`; (cards, suited, start, at)."""
    here, there, cards, suited, start = len(present) - 1, at, 0, 0, len(present) - 1
    while here >= 0 and there >= 0:
        one, other = present[here], text[there]
        if one == STRUCK:
            there -= struck_step
        elif other == END or (UNKNOWN not in (one, other) and other not in ALIKE[one]):
            break
        else:
            if UNKNOWN not in (one, other):
                cards, suited, start = cards + 1, suited + (one in SUITED and other in SUITED), here
            there -= 1
        here -= 1
    return cards, suited, start, at


def runs(tracks: Tracks, index: OrderIndex, end: int) -> tuple[Run, ...]:
    """The runs that end with the card at `end` of this shoe."""
    return tuple(
        [Run(*index.part_at(one.at), one.start, end, one.cards, one.suited) for one in tracks.follows]
    )


_SUITED_POWER: Final = log10(len(RANKS) * len(SUITS))
_RANKED: Final = log10(len(RANKS))
ORDERS: Final[dict[Repeats, int]] = {"makers": 2, "shoe": 1, "discards": 2, "itself": 1}
"""How many ways an order is read: makers pack in two directions, discards are picked up in two."""


def log10_odds(run: Run, present: str, orders: tuple[Order, ...]) -> float:
    """The odds against chance, as the power of ten: 14.0 is one in 10^14; never below 0.

    The expected number of runs that begin anywhere is at most places times orders times the chance of each
    card, 1 in 52 with its suit and 1 in 13 by rank alone (in several packs as in one: as many more fit). A
    new pack begins anywhere, so there its first card is free. Shuffles by hand leave more,
    docs/measurements/forensics.md.
    """
    earlier = {"shoe": sum(len(order.dealt) for order in orders), "itself": len(present) / 2}
    earlier["discards"] = sum(len(order.picked) for order in orders)
    places = max(1.0, len(present) * ORDERS[run.repeats] * earlier.get(run.repeats, 1))
    free = run.repeats == "makers"
    against = (run.suited - (free and run.suited > 0)) * _SUITED_POWER + (run.cards - run.suited) * _RANKED
    return max(0.0, against - log10(places))


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


def _is_long(runs: Runs) -> bool:
    """Whether one of the runs is a finding."""
    return any(run[2] >= FOLLOWED for run in runs)


SUSPECT_SUITED: Final = 12
_SUSPECT_RANKED: Final = 16
"""Runs of this length are reported (feed format, section 8); by chance: docs/measurements/forensics.md."""
SHOES_KEPT: Final = 8
ROUNDS_KEPT: Final = 50
"""Earlier shoes compared; in a house that shuffles its one pack for each round, packs of so many rounds."""
_FOUND_KEPT: Final = 16
_PREFERENCE: Final[dict[Repeats, int]] = {repeats: rank for rank, repeats in enumerate(get_args(Repeats))}


class Reported(NamedTuple):
    """A stretch of this shoe that was reported, and as what."""

    repeats: Repeats
    start: int
    end: int


@final
@dataclass(frozen=True, slots=True)
class Watch:
    """The state of the watch over the shoe's order.

    `number` counts shoes and shuffles; `loaded`: a shoe was loaded, before that nothing is watched. `present`
    are this shoe's cards in the order of the deal, `picked` in the order of the collection. `orders` are the
    earlier shoes, the oldest first, at most `kept`. `silenced` are the findings that the pit accepted for
    this shoe, `found` its runs from FOLLOWED cards on. `resting`: the shoe's rest is counted, and its cards
    are not watched.
    """

    kept: int = SHOES_KEPT
    number: int = 0
    loaded: bool = False
    resting: bool = False
    present: str = ""
    picked: str = ""
    orders: tuple[Order, ...] = ()
    tracks: Tracks = field(default=_NO_TRACKS, repr=False)
    makers: Runs = field(default=(), repr=False)
    reported: tuple[Reported, ...] = ()
    silenced: tuple[Repeats, ...] = ()
    found: tuple[Run, ...] = ()

    def card(self, code: str) -> "Watch":
        """Add a card that has left the shoe."""
        if not self.loaded or self.resting:
            return self
        present = self.present
        # Spelled out: `replace` would take a fifth of a card's time.
        return Watch(
            self.kept,
            self.number,
            self.loaded,
            self.resting,
            present + code,
            self.picked,
            self.orders,
            advance(self.tracks, index_of(self.orders), present, code),
            packed(self.makers, code, len(present)),
            self.reported,
            self.silenced,
            self.found,
        )

    def suspect(self) -> "tuple[Watch, Run | None]":
        """Return the finding to report at the last card, and the watch that has reported it."""
        if not self.tracks.follows and not _is_long(self.makers):
            return self, None
        going = [run for run in self._runs() if run.cards >= FOLLOWED]
        if not going or self.present[-1] in (UNKNOWN, STRUCK):
            return self, None
        watch = replace(self, found=_with_found(self.found, going))
        suspects = [run for run in going if run.suited >= SUSPECT_SUITED or run.cards >= _SUSPECT_RANKED]
        if not suspects:
            return watch, None
        first = min(suspects, key=lambda run: (_PREFERENCE[run.repeats], -run.cards, -run.shoe))
        return watch.report(first)

    def _runs(self) -> tuple[Run, ...]:
        """Every run that the card that came last belongs to."""
        end = len(self.present) - 1
        new = [Run("makers", 0, run.start, end, run.cards, run.suited) for run in self.makers]
        if not self.tracks.follows:
            return tuple(new)
        return (*new, *runs(self.tracks, index_of(self.orders), end))

    def report(self, run: Run) -> "tuple[Watch, Run | None]":
        """Report a run once: neither while it continues, nor when the pit accepted it."""
        known = [one for one in self.reported if one.repeats == run.repeats and one.end >= run.start]
        reported = tuple([one for one in self.reported if one not in known])
        start = min([run.start, *(one.start for one in known)])
        watch = replace(self, reported=(*reported, Reported(run.repeats, start, run.end)))
        return watch, None if known or run.repeats in self.silenced else run

    def let_stand(self) -> "Watch":
        """Accept the reported findings: the pit continues with this shoe."""
        silenced = (*self.silenced, *(one.repeats for one in self.reported))
        return replace(self, silenced=tuple(dict.fromkeys(silenced)))

    def pick_up(self, codes: str) -> "Watch":
        """A round's cards go to the discards."""
        return replace(self, picked=self.picked + codes) if self.loaded else self

    def next_shoe(self, *, told: bool, loaded: bool = False) -> "Watch":
        """Other cards are in the shoe; `told`: by a line, which counts, `loaded`: a fresh shoe."""
        dealt = self.present.replace(STRUCK, "")
        orders = (*self.orders, Order(self.number, dealt, self.picked)) if dealt else self.orders
        return Watch(self.kept, self.number + told, self.loaded or loaded, orders=orders[-self.kept :])

    def rest(self, *, resting: bool) -> "Watch":
        """The shoe's rest is counted from here on, or is no more."""
        return self if self.resting == resting else replace(self, resting=resting)


def _with_found(found: tuple[Run, ...], going: list[Run]) -> tuple[Run, ...]:
    """Add these runs to the findings; a continued run replaces its earlier state."""
    begun = {(run.repeats, run.shoe, run.start) for run in going}
    others = [run for run in found if (run.repeats, run.shoe, run.start) not in begun]
    return (*others, *going)[-_FOUND_KEPT:]
