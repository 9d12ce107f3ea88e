"""Runs of cards that repeat an earlier order: found bit by bit for all earlier places at once.

`levels[n]` is the set of places at which a run of n + 1 known cards or more ends now (Shift-And, Baeza-Yates
and Gonnet 1992), as the bits of a number over `OrderIndex` and, behind it, the present shoe. From FOLLOWED
cards on a run is followed by itself. An unknown card fits everywhere and lengthens no run.
"""

from typing import Final, NamedTuple

from controller.forensics.archive import OrderIndex, Repeats, matching
from controller.forensics.codes import ALIKE, END, STRUCK, SUITED, UNKNOWN

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


NO_TRACKS: Final = Tracks()


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
