"""All tracks of a table: reads are matched with known cards, and events follow."""

from collections.abc import Callable, Iterable
from itertools import permutations
from typing import Final, NamedTuple

import numpy as np

from vision.geometry import Points
from vision.reading import CardName, PointPx, ReadCard, may_be_one_card
from vision.tracking.change_gate import (
    CardPose,
    covers,
    crossed,
    distance_in_cards,
    distance_px,
    facing,
    outline_of,
    same_card_distance,
)
from vision.tracking.felt import Mask, place_state
from vision.tracking.track import (
    Appeared,
    Contradiction,
    Covered,
    Gone,
    Locked,
    Moved,
    Track,
    TrackEvent,
    Turned,
)

_MATCH_SAME_POSE: Final = 0.12
"""Another name read this near to a card is a vote on that card, not a new card.

Source: no measurement on record.
"""

_MATCH_ONE_BACK: Final = 0.6
"""Backs this near are one card, whichever way its outline was read: two side by side are 0.72 apart.

Source: no measurement on record.
"""


class Matching(NamedTuple):
    """Pairs of track and read; reads of another name at a locked card's place; reads of no known card.

    `mixed` are numbers of tracks that may have been taken for a like card.
    """

    pairs: list[tuple[Track, ReadCard]]
    doubts: list[tuple[Track, ReadCard]]
    fresh: list[ReadCard]
    mixed: set[int]


def pose_of(card: ReadCard) -> CardPose:
    """Return the pose of a read card."""
    return CardPose(card.at, card.quad)


def match(
    tracks: Iterable[Track], cards: Iterable[ReadCard], vacated: Callable[[Track], bool], card_px: float
) -> Matching:
    """Pair tracks with reads, in the order of how sure it is.

    `vacated` says that a track surely lies elsewhere than it did; `card_px` is a card's long side.
    """
    left = _Unmatched(list(tracks), list(cards), card_px)
    # Limits of a card's movement. Distances are in card lengths. Source: no measurement on record.
    # 0.15: A card read this near to where one of its name lay is that card.
    left.nearest(_alike, 0.15)
    # 0.35: the same where one read was of the one corner, the next of the other, and nothing has moved
    # there. Source: the outlines of a ten of 22 pixels by its two corners, 0.24 apart; it was reported as
    # two cards.
    left.nearest(_by_other_corner, 0.35)
    left.nearest(_votes_on, _MATCH_SAME_POSE)
    # 1.0: A push goes no further; beyond it a card was picked up.
    left.moved(vacated, 1.0)
    left.nearest(_both_down, _MATCH_ONE_BACK)
    # 0.3, 2.5: how far a face-down card gets when it is turned: hardly, or over its edge and laid down again.
    left.nearest(_turned, 0.3)
    left.moved(vacated, None)
    left.nearest(lambda track, card: _turned(track, card) and vacated(track), 2.5)
    doubts = left.taken(_doubts, _MATCH_SAME_POSE)
    return Matching(left.pairs, doubts, left.cards, left.mixed)


def _alike(track: Track, card: ReadCard) -> bool:
    if card.face == "down":
        return _both_down(track, card)
    return may_be_one_card(track.best, card.name)


def _both_down(track: Track, card: ReadCard) -> bool:
    return track.down and card.face == "down"


def _by_other_corner(track: Track, card: ReadCard) -> bool:
    """Whether a read may be of an untouched card's other corner: its outline begins there."""
    if track.touched or track.down or not _alike(track, card):
        return False
    return facing(track.pose, pose_of(card))


def _votes_on(track: Track, card: ReadCard) -> bool:
    unsure = not track.down and track.name is None
    return unsure and card.face == "up" and not crossed(track.pose, pose_of(card))


def _turned(track: Track, card: ReadCard) -> bool:
    return track.down and card.face == "up"


def _doubts(track: Track, card: ReadCard) -> bool:
    locked = not track.down and track.name is not None
    return locked and card.face == "up" and not crossed(track.pose, pose_of(card))


class _Unmatched:
    """The cards and tracks not yet paired."""

    def __init__(self, tracks: list[Track], cards: list[ReadCard], card_px: float) -> None:
        self.tracks = tracks
        self.cards = cards
        self.pairs: list[tuple[Track, ReadCard]] = []
        self.mixed: set[int] = set()
        self._card_px = card_px

    def nearest(self, fits: Callable[[Track, ReadCard], bool], limit: float) -> None:
        """Pair what fits within `limit` card lengths, the nearest first."""
        self.pairs += self.taken(fits, limit)

    def taken(self, fits: Callable[[Track, ReadCard], bool], limit: float) -> list[tuple[Track, ReadCard]]:
        """Return fitting pairs, the nearest first, and remove them from the rest."""
        near = [
            (distance, i, j)
            for i, track in enumerate(self.tracks)
            for j, card in enumerate(self.cards)
            if fits(track, card) and (distance := self._apart(track, card)) < limit
        ]
        used_tracks: set[int] = set()
        used_cards: set[int] = set()
        found = []
        for _, i, j in sorted(near):
            if i not in used_tracks and j not in used_cards:
                used_tracks.add(i)
                used_cards.add(j)
                found.append((self.tracks[i], self.cards[j]))
        self._remove(used_tracks, used_cards)
        return found

    def moved(self, vacated: Callable[[Track], bool], limit: float | None) -> None:
        """Pair like cards of which the old place was left, all of one name at once."""
        names = {(card.face, card.name) for card in self.cards}
        for face, name in sorted(names, key=str):
            cards = [j for j, card in enumerate(self.cards) if (card.face, card.name) == (face, name)]
            tracks = [
                i
                for i, track in enumerate(self.tracks)
                if _alike(track, self.cards[cards[0]]) and vacated(track)
            ]
            if tracks:
                ways = self._ways(tracks, cards)
                cost, pairs = ways[0]
                # 0.5: one way to say like cards apart must be this much shorter than the next best, and by
                # this share of its own length.
                if len(ways) > 1 and ways[1][0] - cost < 0.5 * (1 + cost):
                    self.mixed |= {self.tracks[i].number for i in tracks}
                near = [
                    (i, j)
                    for i, j in pairs
                    if limit is None or self._apart(self.tracks[i], self.cards[j]) < limit
                ]
                self.pairs += [(self.tracks[i], self.cards[j]) for i, j in near]
                self._remove({i for i, _ in near}, {j for _, j in near})

    def _ways(self, tracks: list[int], cards: list[int]) -> list[tuple[float, list[tuple[int, int]]]]:
        """The shortest way to pair a group, and the second shortest; lengths in card lengths."""
        # 5: more like cards than this that move at once are paired by nearness alone; none is surely itself.
        if max(len(tracks), len(cards)) > 5:
            pairs = self._greedily(tracks, cards)
            return [(0.0, pairs), (0.0, pairs)]
        if len(tracks) <= len(cards):
            ways = [list(zip(tracks, order, strict=True)) for order in permutations(cards, len(tracks))]
        else:
            ways = [list(zip(order, cards, strict=True)) for order in permutations(tracks, len(cards))]
        costs = [(sum(self._apart(self.tracks[i], self.cards[j]) for i, j in way), way) for way in ways]
        return sorted(costs)[:2]

    def _greedily(self, tracks: list[int], cards: list[int]) -> list[tuple[int, int]]:
        pairs: list[tuple[int, int]] = []
        for _, i, j in sorted(
            (self._apart(self.tracks[i], self.cards[j]), i, j) for i in tracks for j in cards
        ):
            if all(i != one and j != other for one, other in pairs):
                pairs.append((i, j))
        return pairs

    def _apart(self, track: Track, card: ReadCard) -> float:
        measure = same_card_distance if _alike(track, card) else distance_in_cards
        return measure(track.pose, pose_of(card), self._card_px)

    def _remove(self, tracks: set[int], cards: set[int]) -> None:
        self.tracks = [track for i, track in enumerate(self.tracks) if i not in tracks]
        self.cards = [card for j, card in enumerate(self.cards) if j not in cards]


class FrameReading(NamedTuple):
    """A picture's reading, and the state of the picture around it.

    `looked`: whether all of a track's place was read, still and unhidden. `changed`: whether a place differs
    from its last read. `unlike`: small pixels that are no felt. `scale`: small pixels for each pixel, across
    and down. `card_px`: a card's long side.
    """

    cards: list[ReadCard]
    looked: Callable[[Track], bool]
    changed: Callable[[PointPx], bool]
    unlike: Callable[[], Mask]
    scale: tuple[float, float]
    card_px: float
    mono_ms: int


def was_a_guess(track: Track) -> bool:
    """Whether a track was never reported, and was lifted or missed too often."""
    # When a card is the one known before. Distances are in card lengths. Source: no measurement on record.
    # 3: reads in a row that do not show a card which never became certain, until it is forgotten.
    return not track.reported and (track.lifted or track.misses >= 3)


class TrackSet:
    """The known cards. Numbers are never used again."""

    def __init__(self, numbers: int = 0) -> None:
        """Begin with an empty table; `numbers` have been used before."""
        self.all: list[Track] = []
        self.numbers = numbers

    def take(self, pool: list[Track], reading: FrameReading) -> tuple[Matching, list[TrackEvent]]:
        """Follow a read; `pool` holds the tracks that it may concern."""
        reading = reading._replace(cards=_each_back_once(reading))
        matching = match(pool, reading.cards, lambda track: self._vacated(track, reading), reading.card_px)
        events: list[TrackEvent] = []
        for track, card in matching.pairs:
            events += _found(track, card, reading)
        for track, card in matching.doubts:
            events += self._doubted(track, card, reading)
        known = {track.number for track, _ in matching.pairs + matching.doubts}
        missed = [track for track in pool if track.number not in known]
        for card in matching.fresh:
            self._begin(card, missed, reading)
        for track in missed:
            if reading.looked(track):
                events += self._missed(track, reading)
            elif reading.changed(track.at):
                # Its index was not found though its place was read in part: only a whole read shows it again.
                track.blocked, track.state = True, "hidden"
        for track in self.all:
            track.identity_certain &= track.number not in matching.mixed
        return matching, events + self._identify(known, reading)

    def settle(self, mono_ms: int) -> tuple[list[TrackEvent], list[PointPx]]:
        """Drop cards whose place has long been empty, and tracks that were only a guess.

        Also returns the places of guesses with no motion over them: nothing lay there.
        """
        # 2000: A card whose place is empty may be laid down elsewhere for so long; then it is gone.
        over = [
            track
            for track in self.all
            if (track.lifted_ms is not None and mono_ms - track.lifted_ms >= 2000) or was_a_guess(track)
        ]
        self._drop(over)
        gone = [Gone(track.number) for track in over if track.reported]
        return list(gone), [track.at for track in over if was_a_guess(track) and track.untouched]

    def _begin(self, card: ReadCard, missed: list[Track], reading: FrameReading) -> None:
        self.numbers += 1
        track = Track(self.numbers, pose_of(card), card.face, reading.mono_ms)
        backs = [other for other in self.all if other.down]
        # 0.2: an index this near to a face-down card may be that card's own, lifted for a peek.
        track.on_back = not track.down and any(
            covers(back.pose, card.at, reading.card_px, 0.2) for back in backs
        )
        track.perhaps = _may_be(track, card, missed, reading.card_px)
        track.read_as(card, reading.mono_ms)
        self.all.append(track)

    def _vacated(self, track: Track, reading: FrameReading) -> bool:
        """Whether the picture shows that a track has left its place."""
        if track.lifted:
            return True
        if not reading.looked(track):
            return False
        # 0.6: A like card read this near was pushed from there, if the old index is under it or no longer
        # there.
        nudged = any(
            may_be_one_card(card.name, track.best)
            and (card.face == "down") == track.down
            and (reading.changed(track.at) or covers(pose_of(card), track.at, reading.card_px))
            and same_card_distance(track.pose, pose_of(card), reading.card_px) < 0.6
            for card in reading.cards
        )
        return nudged or _place_of(track, reading) == "empty"

    def _missed(self, track: Track, reading: FrameReading) -> list[TrackEvent]:
        """Update a track whose whole place was read without finding it."""
        track.misses += 1
        place = _place_of(track, reading)
        on_it = [other.placed_ms - track.placed_ms for other in self._over(track, reading.card_px)]
        bared = place == "unseen" and reading.changed(track.at) and max(on_it, default=0) < 0
        # A card in a hand goes on with it: nothing covers or hides it where it was.
        if place == "empty" or bared or track.in_hand:
            track.lifted_ms = reading.mono_ms if track.lifted_ms is None else track.lifted_ms
            return []
        if place == "unseen" or max(on_it, default=0) > 0:
            was, track.state, track.blocked = track.state, "covered", False
            return [Covered(track.number)] if was != "covered" and track.reported else []
        track.blocked, track.state = True, "hidden"
        return []

    def _over(self, track: Track, card_px: float) -> list[Track]:
        """Return cards seen in this read whose outline contains a track's index.

        Later ones lie on it. With only earlier ones, the track no longer lies on them.
        """
        return [
            other
            for other in self.all
            if other is not track and not other.misses and covers(other.pose, track.at, card_px)
        ]

    def _doubted(self, track: Track, card: ReadCard, reading: FrameReading) -> list[TrackEvent]:
        """A locked track was read as another card: it was exchanged, or one of the reads is wrong."""
        track.touched |= reading.changed(card.at)
        track.doubt(card)
        reads_as, locked = track.challenge.certain_name(), track.name
        if locked is None or reads_as is None or reads_as == track.reported_contradiction:
            return []
        if may_be_one_card(reads_as, locked):
            return []
        if track.touched:
            return self._replace(track, card, reads_as, reading.mono_ms)
        track.reported_contradiction = reads_as
        return [Contradiction(track.number, locked, reads_as, track.at)]

    def _replace(self, track: Track, card: ReadCard, name: CardName, mono_ms: int) -> list[TrackEvent]:
        """Another card lies where something has moved over a card: it has been exchanged."""
        self.numbers += 1
        newer = Track(self.numbers, pose_of(card), card.face, mono_ms)
        newer.looks, newer.name, newer.reported = track.challenge, name, True
        self._drop([track])
        self.all.append(newer)
        return [
            Gone(track.number),
            Appeared(newer.number, newer.at),
            Locked(newer.number, name, newer.looks.reads),
        ]

    def _identify(self, known: set[int], reading: FrameReading) -> list[TrackEvent]:
        """Match new tracks with older cards: of an empty place, last seen in a hand, or turned backs.

        A card first read beside its own back came to rest where that back lay.
        """
        events, mono_ms = list[TrackEvent](), reading.mono_ms
        tracks = {track.number: track for track in self.all}
        for newer in [track for track in self.all if track.perhaps is not None]:
            older = tracks.get(newer.perhaps or 0)
            # 10_000: A newcomer that has not turned out to be a hidden card within this time is another card.
            late = mono_ms - newer.placed_ms > 10_000
            if older is None or late or older.number in known or (older.lifted and not older.reported):
                newer.perhaps = None
            elif newer.misses or newer.state != "seen":
                continue
            elif older.lifted or older.in_hand or _is_turned(older, newer, reading.card_px):
                events += _become(older, newer, mono_ms)
                self._drop([newer])
                known = known | {older.number}
        return events

    def _drop(self, over: Iterable[Track]) -> None:
        numbers = {track.number for track in over}
        self.all = [track for track in self.all if track.number not in numbers]


def _each_back_once(reading: FrameReading) -> list[ReadCard]:
    """The read cards without outlines of a back that another outline explains: beside that lies felt."""
    kept: list[ReadCard] = []
    for card in reading.cards:
        rivals = [
            one
            for one in kept
            if card.face == one.face == "down"
            and (distance_in_cards(pose_of(one), pose_of(card), reading.card_px) < _MATCH_ONE_BACK)
        ]
        if any(_adds_nothing(card, one, reading) for one in rivals):
            continue
        kept = [one for one in kept if one not in rivals or not _adds_nothing(one, card, reading)]
        kept.append(card)
    return kept


def _adds_nothing(card: ReadCard, other: ReadCard, reading: FrameReading) -> bool:
    """Whether a card's outline contains hardly anything but felt outside another card's outline."""
    small = [_small(pose_of(one), reading) for one in (card, other)]
    return place_state(small[0], small[1:], reading.unlike()) != "taken"


def _is_turned(older: Track, newer: Track, card_px: float) -> bool:
    """Whether a certain, open card rests at the place of a card face down."""
    turned = older.down and newer.name is not None
    return turned and distance_in_cards(older.pose, newer.pose, card_px) < _MATCH_SAME_POSE


def _place_of(track: Track, reading: FrameReading) -> str:
    """`place_state` of a track's place."""
    others = [_small(pose_of(card), reading) for card in reading.cards]
    return place_state(_small(track.pose, reading), others, reading.unlike())


def _small(pose: CardPose, reading: FrameReading) -> Points:
    """A card's outline in pixels of the small picture."""
    return np.asarray(outline_of(pose, reading.card_px) * np.array(reading.scale))


def _may_be(track: Track, card: ReadCard, missed: list[Track], card_px: float) -> int | None:
    """The known card, not seen now, that a newcomer may be; the nearest one."""
    like = [other for other in missed if may_be_one_card(other.best, card.name) and other.down == track.down]
    # 2.5: A card that comes to lie this near to a hidden face-down one may be that card.
    backs = [
        other
        for other in missed
        if other.down and not track.down and distance_in_cards(other.pose, track.pose, card_px) < 2.5
    ]
    nearest = min(like or backs, key=lambda other: distance_px(other.at, card.at), default=None)
    return None if nearest is None else nearest.number


def _become(older: Track, newer: Track, mono_ms: int) -> list[TrackEvent]:
    """An older track goes on where a newer one lies."""
    events: list[TrackEvent] = []
    start, into = older.at, newer.number if newer.reported else None
    turned = older.down and not newer.down
    older.pose, older.state, older.lifted_ms, older.misses = newer.pose, newer.state, None, newer.misses
    older.placed_ms, older.blocked = mono_ms, newer.blocked
    older.held, older.in_hand = newer.held, newer.in_hand
    older.identity_certain &= newer.identity_certain
    if turned:
        older.down, older.turning_ms, older.looks, older.name = False, None, newer.looks, newer.name
        events.append(Turned(older.number))
    return [*events, Moved(older.number, start, newer.at, into)]


def _found(track: Track, card: ReadCard, reading: FrameReading) -> list[TrackEvent]:
    """A track was read where it lay, was pushed or was turned."""
    events: list[TrackEvent] = []
    start = track.at
    # 0.25: A card read this far from where it lay has moved; less is the reader's own jitter.
    displaced = same_card_distance(track.pose, pose_of(card), reading.card_px) > 0.25
    track.read_as(card, reading.mono_ms)
    if displaced:
        track.placed_ms, track.held, track.in_hand = reading.mono_ms, True, False
        events += [Moved(track.number, start, track.at)] if track.reported else []
    if track.turn(reading.mono_ms):
        events.append(Turned(track.number))
    locked = track.lock(reading.mono_ms)
    if track.certain and not track.reported:
        track.reported = True
        events.append(Appeared(track.number, track.at))
    if locked and track.name is not None:
        events.append(Locked(track.number, track.name, track.looks.reads))
    return events
