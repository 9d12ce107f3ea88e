"""Follow a table through its pictures: read only what has changed and is still, remember the rest."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Protocol

import cv2
import numpy as np

from vision.geometry import Image, Points, Rect, clipped, grown, lies_within, meet, union
from vision.reading import CardName, PointPx, ReadCard, Reading, Unclear, may_be_one_card
from vision.tracking.change_gate import (
    BlockGrid,
    Blocks,
    CardPose,
    ChangeGate,
    PictureChange,
    any_in,
    bounds_of,
    distance_px,
    index_places,
    long_side_px,
    outline_of,
)
from vision.tracking.felt import FeltBackground, HandsOnCards, Mask, SecondLooks, unexplained_mask
from vision.tracking.track import (
    UNPROVEN,
    UNREAD_MS,
    Corrected,
    Track,
    TrackedScene,
    TrackEvent,
    UnclearSpot,
    UnreadObject,
    UnreadObjects,
)
from vision.tracking.tracks import FrameReading, TrackSet, pose_of, was_a_guess


class PictureReader(Protocol):
    """A reader of a camera's pictures; `vision.sequence.RestingReader` is one."""

    def read(self, image: Image, left: int = 0, top: int = 0, card_px: float | None = None, /) -> Reading:
        """Read a part of a BGR picture that begins at `left`, `top` of it; places count from there.

        `card_px` is a card's long side, where the camera's place says so.
        """
        ...

    def forget(self, moved: Callable[[PointPx], bool]) -> None:
        """Count no earlier looks at places (pixels of the whole picture) where something has moved."""
        ...


def _read_regions(
    reader: PictureReader, image: Image, regions: Sequence[Rect], card_px: float | None
) -> Reading:
    """Read only the given rectangles; places count from the full picture's corner. Hands are told apart."""
    height, width = image.shape[:2]
    if list(regions) == [(0, 0, width, height)]:
        return reader.read(image, 0, 0, card_px)
    cards: list[ReadCard] = []
    unclear: list[Unclear] = []
    took_ms = 0.0
    for left, top, right, foot in regions:
        part = reader.read(np.ascontiguousarray(image[top:foot, left:right]), left, top, card_px)
        hands = max((card.hand for card in cards), default=0)
        cards += [_card_at(card, left, top, hands) for card in part.cards]
        unclear += [spot._replace(at=_shifted(spot.at, left, top)) for spot in part.unclear]
        took_ms += part.ms
    return Reading(tuple(cards), tuple(unclear), took_ms)


def _shifted(place: PointPx, right: int, down: int) -> PointPx:
    return place[0] + right, place[1] + down


def _card_at(card: ReadCard, right: int, down: int, hands: int) -> ReadCard:
    """A card of a part of the picture, in pixels of the whole, its hand counted on from so many."""
    quad = card.quad
    if quad is not None:
        first, second, third, fourth = (_shifted(corner, right, down) for corner in quad)
        quad = (first, second, third, fourth)
    return card._replace(at=_shifted(card.at, right, down), quad=quad, hand=card.hand + hands)


def _rects_of(blocks: Blocks, scale: tuple[float, float]) -> list[Rect]:
    """Rectangles in pixels around blocks that hang together; `scale` is blocks a pixel, across and down."""
    if not blocks.any():
        return []
    _, _, boxes, _ = cv2.connectedComponentsWithStats(blocks.astype(np.uint8), connectivity=8)
    found = []
    for x, y, wide, tall, _ in boxes[1:]:
        across, down = (x / scale[0], (x + wide) / scale[0]), (y / scale[1], (y + tall) / scale[1])
        found.append((int(across[0]), int(down[0]), round(across[1]), round(down[1])))
    return found


def merged(rects: Iterable[Rect], shape: tuple[int, ...]) -> list[Rect]:
    """Join overlapping rectangles; return the whole picture when they are many or large.

    `shape` is that of the picture: height, width and so on.
    """
    left = [
        rect for rect in (clipped(rect, shape) for rect in rects) if rect[0] < rect[2] and rect[1] < rect[3]
    ]
    done: list[Rect] = []
    while left:
        rect = left.pop()
        other = next((other for other in left if meet(rect, other)), None)
        if other is None:
            done.append(rect)
        else:
            left.remove(other)
            left.append(union(rect, other))
    # A joined rectangle may reach one that was already done.
    if any(meet(a, b) for number, a in enumerate(done) for b in done[number + 1 :]):
        return merged(done, shape)
    whole = (0, 0, shape[1], shape[0])
    area = sum((right - x) * (foot - y) for x, y, right, foot in done)
    # 0.6: when the rectangles make up more of the picture than this, all of it is read at once. Source: no
    # measurement on record.
    # 4: with more rectangles than this the whole picture is read: a read has a price of its own, about a
    # quarter of that of a full HD picture. Source: five hands cost as much as the whole table (history of
    # this file).
    if len(done) > 4 or area > 0.6 * shape[0] * shape[1]:
        return [whole]
    return sorted(done)


_SELECTION_MARGIN: Final = 0.35
"""Regions are read with so much more around them. Source: no measurement on record."""

_SELECTION_INDEX_HALF: Final = 0.1
"""Half side of an index: nothing may move over it while it is read. Source: no measurement on record."""


def _regions_to_read(
    places: list[Rect], tracks: list[Track], unread: Iterable[UnreadObject], now: PictureChange
) -> list[Rect]:
    """The given places with the cards there, and still places that are open, as few rectangles."""
    grid = now.grid
    rects = [_with_cards(rect, tracks, grid) for rect in places]
    # A card with one known index lies within its length around that index, in any direction.
    rects += [
        grid.around(track.at, 1.0) if track.pose.quad is None else bounds_of(track.pose, grid.card_px)
        for track in tracks
        if track.due(now.mono_ms) and now.rests(track.pose)
    ]
    rects += [
        grid.around(known.at, 1.0)
        for known in unread
        if known.due(now.mono_ms) and now.still_at(known.at, _SELECTION_INDEX_HALF)
    ]
    return merged((_uncutting(rect, tracks, grid) for rect in rects), grid.shape)


def _uncutting(rect: Rect, tracks: list[Track], grid: BlockGrid) -> Rect:
    """Return the rectangle with a margin, extended over all cards that the margin reaches.

    A back beside half a card is not reported: the rest of that card hides it.
    """
    margin = grown(rect, _SELECTION_MARGIN * grid.card_px)
    # Lengths are in card lengths. Source: no measurement on record.
    # 0.1: cards that this margin reaches are read whole, with so much around them.
    return union(margin, grown(_with_cards(margin, tracks, grid), 0.1 * grid.card_px))


def _with_cards(rect: Rect, tracks: list[Track], grid: BlockGrid) -> Rect:
    whole = rect
    for track in tracks:
        place = bounds_of(track.pose, grid.card_px)
        if meet(rect, place):
            whole = union(whole, place)
    return whole


def _uncut(
    unclear: Iterable[Unclear], regions: list[Rect], read: list[Track], now: PictureChange
) -> list[Unclear]:
    """Return unclear spots without cards cut by a region's edge and without indices of `read` cards."""
    # 0.3: what is unclear this near to an index of a card that was read is that index.
    own_px = 0.3 * now.grid.card_px
    # 0.25: what is unclear this near to a region's edge is a card that the edge cuts.
    return [
        spot
        for spot in unclear
        # A watched table knows the order of its cards: a guessed order raises no question.
        if spot.reason != "order"
        and now.still_at(spot.at, _SELECTION_INDEX_HALF)
        and now.grid.inside(spot.at, 0.25, regions)
        and not any(_is_own_corner(spot, track, own_px) for track in read)
    ]


def _is_own_corner(spot: Unclear, track: Track, own_px: float) -> bool:
    """Whether an unclear spot is an index of a read card."""
    other = track.best is not None and spot.rank not in {None, track.best.rank}
    # 0.5: but from this probability of another rank on it is another card's: in a fan indices stand that
    # near.
    if other and spot.p >= 0.5:
        return False
    return any(distance_px(spot.at, place) <= own_px for place in index_places(track.pose))


def _doubt_identities(read: Iterable[Track], trail: Blocks, now: PictureChange) -> None:
    """Doubt which is which of like cards that one motion (`trail`) has touched and that look different."""
    due, grid = now.change.due, now.grid
    touched = [track for track in read if track.reported and any_in(due, grid.inner(track.pose))]
    ranks = [track.best and track.best.rank for track in touched]
    if len(ranks) == len(set(ranks)):
        return
    _, parts = cv2.connectedComponents(cv2.dilate(trail.astype(np.uint8), np.ones((3, 3), np.uint8)))
    trails = [set(parts[grid.inner(track.pose)].flat) - {0} for track in touched]
    for number, one in enumerate(touched):
        for other, own in zip(touched[:number], trails[:number], strict=True):
            if may_be_one_card(one.best, other.best) and own & trails[number]:
                one.identity_certain = other.identity_certain = False


CARD_SHARE: Final = 1 / 21
"""A card's long side as a share of the picture's width, until the first card with known corners, where the
camera's place does not say it.

Source: the demo's table (`synth`): 92 of 1,920 pixels.
"""


class CardTracker:
    """Tracks the cards of one camera. Not thread-safe. It stores only reduced pictures."""

    def __init__(self, reader: PictureReader) -> None:
        """Begin with an empty memory."""
        self._reader = reader
        self._shape: tuple[int, ...] = ()
        self._corrections: list[TrackEvent] = []
        self._unlike: Mask | None = None
        self._let_go: list[PointPx] = []
        self._tracks = TrackSet()

    def forget(self) -> None:
        """Begin anew with the next picture: the camera stands elsewhere. Tracks get new numbers."""
        self._shape = ()

    def update(self, image: Image, mono_ms: int, card_px: float | None = None) -> TrackedScene:
        """Take the next picture (BGR, not written to), seen at `mono_ms`, which never goes back.

        A picture of another size is another camera's: everything known is forgotten. `card_px` is a card's
        long side where the camera's place says so: a back that no network knows is seen by its size then.
        """
        if image.shape != self._shape:
            self._shape, self._scale_known = image.shape, card_px is not None
            self._reader.forget(lambda _: True)
            self._gate = ChangeGate(image.shape)
            self._grid = BlockGrid(image.shape, self._gate, card_px or image.shape[1] * CARD_SHARE)
            self._felt = FeltBackground(self._gate.small)
            self._tracks = TrackSet(self._tracks.numbers)
            self._unread = UnreadObjects()
            self._second_looks = SecondLooks()
            self._corrections = []
            self._learnt_ms = 0
            self._scene = TrackedScene(0, (), (), (), (), 0, 0.0)
        now = PictureChange(self._grid, self._gate.look(image, mono_ms), mono_ms)
        self._unlike, self._let_go = None, []
        shown = self._disturb(now)
        events, self._corrections = self._corrections, []
        changed = _rects_of(now.change.due, self._grid.scale)
        places = changed + self._second_looks.due(now)
        regions = _regions_to_read(places, self._tracks.all, self._unread.all, now)
        read_ms = 0.0
        if regions:
            reading = _read_regions(self._reader, image, regions, card_px)
            read_ms = reading.ms
            events += self._take(reading, regions, now)
            self._look_again(changed, now)
            self._gate.seen(now.change.due)
        gone, guesses = self._tracks.settle(mono_ms)
        events += [*gone, *self._unread.report_late(mono_ms), *self._report_unproven(mono_ms)]
        self._learn_felt(now)
        shown |= self._see_hands(now)
        if regions or events or shown:
            self._scene = self._draw_up()
        return self._scene._replace(
            mono_ms=mono_ms,
            events=tuple(events),
            regions=len(regions),
            read_ms=read_ms,
            let_go=(*self._let_go, *guesses),
        )

    def correct(self, track: int, name: CardName, who: str, why: str) -> None:
        """Name a card that lies face up, whatever was read. The next scene reports who did and why.

        Raises `KeyError` for a track that is not on the table or lies face down.
        """
        there = self._tracks.all if self._shape else []
        found = next((one for one in there if one.number == track and not one.down), None)
        if found is None:
            raise KeyError(track)
        self._corrections.append(Corrected(track, found.name, name, who, why))
        found.correct(name)

    def _disturb(self, now: PictureChange) -> bool:
        """Hide cards with motion over them, show unchanged ones again; return whether anything changed."""
        moving, changed = now.change.moving, now.change.changed
        if moving.any() or now.change.due.any():
            # Drop looks at moved places: another card may lie there.
            moved = moving | now.change.due
            grid, half = self._grid, _SELECTION_INDEX_HALF
            self._reader.forget(lambda at: any_in(moved, grid.blocks(grid.around(at, half))))
        if moving.any():
            for spot in self._unread.all:
                if any_in(moving, self._grid.blocks(self._grid.around(spot.at, 0.0))):
                    spot.disturbed(now.mono_ms)
        before = [track.state for track in self._tracks.all]
        for track in self._tracks.all:
            place = self._grid.inner(track.pose)
            if any_in(moving, place):
                track.disturbed(now.mono_ms)
            elif track.state == "hidden" and now.rests(track.pose) and not any_in(changed, place):
                track.uncovered()
        return before != [track.state for track in self._tracks.all]

    def _take(self, reading: Reading, regions: list[Rect], now: PictureChange) -> list[TrackEvent]:
        """Update the tracks with the reading of the regions."""
        grid = self._grid
        # The reads of indices over which nothing was moving.
        cards = [card for card in reading.cards if now.still_at(card.at, _SELECTION_INDEX_HALF)]
        if not self._scale_known:
            # Take the usual length of the cards with known corners for that of all.
            lengths = [found for card in cards if (found := long_side_px(pose_of(card))) is not None]
            if lengths:
                self._grid.measure(float(np.median(lengths)))
        shown = self._frame_reading(cards, regions, now)
        pool = [
            track
            for track in self._tracks.all
            if track.state != "seen"
            or track.lifted
            or any(meet(grid.card(track.pose), region) for region in regions)
        ]
        matching, events = self._tracks.take(pool, shown)
        for track in pool:
            if shown.looked(track):
                track.tried(now.mono_ms)
        read = [track for track, _ in matching.pairs]
        # 1500: like cards that were touched within this time by one and the same motion may have been
        # exchanged. Source: no measurement on record.
        _doubt_identities(read, self._gate.moved_within(now.mono_ms, 1500), now)
        # A dropped guess explains nothing: the index that it was based on is unread.
        unproven = (track for track in self._tracks.all if not track.certain and not was_a_guess(track))
        known = [*read, *unproven]
        spots = _uncut(reading.unclear, regions, known, now)
        self._let_go = self._unread.take(
            spots, lambda at: grid.inside(at, 0.0, regions), grid.card_px, now.mono_ms
        )
        return events

    def _frame_reading(self, cards: list[ReadCard], regions: list[Rect], now: PictureChange) -> FrameReading:
        grid = self._grid

        def looked(track: Track) -> bool:
            rect = grid.card(track.pose)
            return now.rests(track.pose) and any(lies_within(rect, region) for region in regions)

        def changed(at: PointPx) -> bool:
            return any_in(now.change.due, grid.blocks(grid.around(at, _SELECTION_INDEX_HALF)))

        return FrameReading(
            cards, looked, changed, self._no_felt, grid.small_scale, grid.card_px, now.mono_ms
        )

    def _look_again(self, changed: list[Rect], now: PictureChange) -> None:
        """Plan second looks where something lies that the read did not explain."""
        there = [track for track in self._tracks.all if not track.lifted]
        unknown = unexplained_mask(self._no_felt(), there, self._unread.all, self._grid)
        self._second_looks.after(changed, unknown, now)

    def _no_felt(self) -> Mask:
        """Return the non-felt pixels of the picture; computed at most once a picture."""
        if self._unlike is None:
            card_px = self._grid.card_px * self._grid.small_scale[0]
            self._unlike = self._felt.unlike(self._gate.small, card_px)
        return self._unlike

    def _see_hands(self, now: PictureChange) -> bool:
        """Mark things seen free of hands; return whether there are more than before.

        A thing that moved, or changed since it was read, is checked after its next read.
        """
        grid, scale = self._grid, np.array(self._grid.small_scale)

        def outline(pose: CardPose) -> Points:
            return np.asarray(outline_of(pose, grid.card_px) * scale)

        things: list[tuple[Track | UnreadObject, CardPose]] = [
            (track, track.pose) for track in self._tracks.all if track.judged and now.rests(track.pose)
        ]
        things += [
            (spot, CardPose(spot.at, None))
            for spot in self._unread.all
            if spot.judged and now.unchanged_at(spot.at, _SELECTION_INDEX_HALF)
        ]
        if not things:
            return False
        there = [one for one in self._tracks.all if one.state != "hidden" and not one.lifted]
        known = [(outline(one.pose), one.state) for one in there if one.pose.quad is not None]
        cards = [corners for corners, state in known if state == "seen"]
        covered = [corners for corners, state in known if state == "covered"]
        papers = [one.at for one in there if one.pose.quad is None and not one.held]
        papers += [one.at for one in self._unread.all if not one.held]
        free = np.array(papers).reshape(-1, 2) * scale
        hands = HandsOnCards(self._no_felt(), cards, covered, free, grid.card_px * scale[0])
        for thing, pose in things:
            outlined = pose.quad is not None
            thing.held = thing.in_hand = hands.hold(outline(pose), known=outlined)
            if thing.held and outlined:
                hands.note_held(outline(pose))
        return not all(thing.held for thing, _ in things)

    def _report_unproven(self, mono_ms: int) -> list[TrackEvent]:
        late = [track for track in self._tracks.all if track.unproven_for(mono_ms) >= UNREAD_MS]
        for track in late:
            track.reported_unclear = True
        return [UnclearSpot(track.at, UNPROVEN) for track in late]

    def _learn_felt(self, now: PictureChange) -> None:
        """Learn the empty table's print where nothing lies and nothing has long moved."""
        # 1000 and 60_000: how often felt is learnt, and where: where nothing has moved for so long and
        # nothing is known to lie. Source: no measurement on record.
        if now.mono_ms - self._learnt_ms < 1000:
            return
        self._learnt_ms = now.mono_ms
        # 4000: how long nothing moves before felt is learnt where nothing is known to lie on all of the
        # table. Then print is known before a hand stops over it, and a card that it held there is not
        # looked for any more. Source: the reader finds a card in 0.3 s, one that it can hardly read within
        # its last second look, 1.3 s.
        long_ms = 60_000 if self._tracks.all or self._unread.all else 4000
        free = now.change.still & ~now.change.changed & ~self._gate.moved_within(now.mono_ms, long_ms)
        for track in self._tracks.all:
            free[self._grid.blocks(self._grid.card(track.pose, _SELECTION_MARGIN))] = False
        for spot in self._unread.all:
            free[self._grid.blocks(self._grid.around(spot.at, 1.0))] = False
        self._felt.learn(self._gate.small, free)

    def _draw_up(self) -> TrackedScene:
        """The scene without its moment."""
        there = [track for track in self._tracks.all if not track.lifted]
        unproven = [Unclear(track.at, UNPROVEN, *track.hint) for track in there if not track.certain]
        held = [track.at for track in there if track.held] + [
            spot.at for spot in self._unread.all if spot.held
        ]
        return TrackedScene(
            0,
            tuple(track.view() for track in there),
            tuple(track.as_read() for track in there if track.certain),
            (*unproven, *(Unclear(spot.at, spot.reason, *spot.hint) for spot in self._unread.all)),
            (),
            0,
            0.0,
            frozenset(held),
        )
