"""All tracks of the table, and their update from one read of some regions."""

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

import numpy as np

from vision.geometry import Points
from vision.reading import CardName, PointPx, ReadCard, may_be_one_card
from vision.tracking.background import Mask, place_state
from vision.tracking.card_pose import (
    CardPose,
    covers,
    distance_in_cards,
    distance_px,
    outline_of,
    same_card_distance,
)
from vision.tracking.events import Appeared, Contradiction, Covered, Gone, Locked, Moved, TrackEvent, Turned
from vision.tracking.matching import MATCH_RULE, Matching, match, pose_of
from vision.tracking.track import Track


class IdentityRule(NamedTuple):
    """When a card is the one known before. Distances are in card lengths.

    Source: no measurement on record.
    """

    lifted_ms: int = 2000
    """A card whose place is empty may be laid down elsewhere for so long; then it is gone."""

    perhaps_ms: int = 10_000
    """A newcomer that has not turned out to be a hidden card within this time is another card."""

    displaced: float = 0.25
    """A card read this far from where it lay has moved; less is the reader's own jitter."""

    nudged: float = 0.6
    """A like card read this near was pushed from there, if the old index is under it or no longer there."""

    forgotten_reads: int = 3
    """Reads in a row that do not show a card which never became certain, until it is forgotten."""

    back_slack: float = 0.2
    """An index this near to a face-down card may be that card's own, lifted for a peek."""

    maybe_turned: float = 2.5
    """A card that comes to lie this near to a hidden face-down one may be that card."""


_IDENTITY_RULE: Final = IdentityRule()


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
    return not track.reported and (track.lifted or track.misses >= _IDENTITY_RULE.forgotten_reads)


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
        over = [
            track
            for track in self.all
            if (track.lifted_ms is not None and mono_ms - track.lifted_ms >= _IDENTITY_RULE.lifted_ms)
            or was_a_guess(track)
        ]
        self._drop(over)
        gone = [Gone(track.number) for track in over if track.reported]
        return list(gone), [track.at for track in over if was_a_guess(track) and track.untouched]

    def _begin(self, card: ReadCard, missed: list[Track], reading: FrameReading) -> None:
        self.numbers += 1
        track = Track(self.numbers, pose_of(card), card.face, reading.mono_ms)
        backs = [other for other in self.all if other.down]
        track.on_back = not track.down and any(
            covers(back.pose, card.at, reading.card_px, _IDENTITY_RULE.back_slack) for back in backs
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
        nudged = any(
            may_be_one_card(card.name, track.best)
            and (card.face == "down") == track.down
            and (reading.changed(track.at) or covers(pose_of(card), track.at, reading.card_px))
            and same_card_distance(track.pose, pose_of(card), reading.card_px) < _IDENTITY_RULE.nudged
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
            late = mono_ms - newer.placed_ms > _IDENTITY_RULE.perhaps_ms
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
            one for one in kept if card.face == one.face == "down" and _near(one, card, reading.card_px)
        ]
        if any(_adds_nothing(card, one, reading) for one in rivals):
            continue
        kept = [one for one in kept if one not in rivals or not _adds_nothing(one, card, reading)]
        kept.append(card)
    return kept


def _near(one: ReadCard, other: ReadCard, card_px: float) -> bool:
    return distance_in_cards(pose_of(one), pose_of(other), card_px) < MATCH_RULE.one_back


def _adds_nothing(card: ReadCard, other: ReadCard, reading: FrameReading) -> bool:
    """Whether a card's outline contains hardly anything but felt outside another card's outline."""
    small = [_small(pose_of(one), reading) for one in (card, other)]
    return place_state(small[0], small[1:], reading.unlike()) != "taken"


def _is_turned(older: Track, newer: Track, card_px: float) -> bool:
    """Whether a certain, open card rests at the place of a card face down."""
    turned = older.down and newer.name is not None
    return turned and distance_in_cards(older.pose, newer.pose, card_px) < MATCH_RULE.same_pose


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
    backs = [
        other
        for other in missed
        if other.down
        and not track.down
        and distance_in_cards(other.pose, track.pose, card_px) < _IDENTITY_RULE.maybe_turned
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
    displaced = same_card_distance(track.pose, pose_of(card), reading.card_px) > _IDENTITY_RULE.displaced
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
