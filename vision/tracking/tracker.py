"""Follow a table through its pictures: read only what has changed and is still, remember the rest."""

from typing import Final

import numpy as np

from vision.geometry import Image, Points, Rect, lies_within, meet
from vision.reading import CardName, PointPx, ReadCard, Reading, Unclear
from vision.tracking.background import FeltBackground, Mask
from vision.tracking.block_grid import BlockGrid, PictureChange, any_in
from vision.tracking.card_pose import CardPose, long_side_px, outline_of
from vision.tracking.change_gate import Blocks, ChangeGate
from vision.tracking.events import UNPROVEN, UNREAD_MS, Corrected, TrackedScene, TrackEvent, UnclearSpot
from vision.tracking.hands_on_cards import HandsOnCards
from vision.tracking.matching import pose_of
from vision.tracking.region_selection import SELECTION_RULE, doubt_identities, regions_to_read, uncut, usable
from vision.tracking.regions import PictureReader, read_regions, rects_of
from vision.tracking.second_looks import SecondLooks, unexplained_mask
from vision.tracking.track import Track
from vision.tracking.tracks import FrameReading, TrackSet, was_a_guess
from vision.tracking.unread_objects import UnreadObject, UnreadObjects

CARD_SHARE: Final = 1 / 21
"""A card's long side as a share of the picture's width, until the first card with known corners, where the
camera's place does not say it.

Source: the demo's table (`synth`): 92 of 1,920 pixels.
"""

_TRAIL_MS: Final = 1500
"""Like cards that were touched within this time by one and the same motion may have been exchanged.

Source: no measurement on record.
"""

_LEARN_EVERY_MS: Final = 1000
_EMPTY_MS: Final = 60_000
"""How often felt is learnt, and where: where nothing has moved for so long and nothing is known to lie.

Source: no measurement on record.
"""

_EMPTY_TABLE_MS: Final = 4000
"""How long nothing moves before felt is learnt where nothing is known to lie on all of the table.

Then print is known before a hand stops over it, and a card that it held there is not looked for any more.

Source: the reader finds a card in 0.3 s, one that it can hardly read within its last second look, 1.3 s.
"""


class CardTracker:
    """One camera's view of the table. For one thread; it stores only reduced pictures."""

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
            self._begin(image, card_px)
        now = PictureChange(self._grid, self._gate.look(image, mono_ms), mono_ms)
        self._unlike, self._let_go = None, []
        shown = self._disturb(now)
        events, self._corrections = self._corrections, []
        changed = rects_of(now.change.due, self._grid.scale)
        places = changed + self._second_looks.due(now)
        regions = regions_to_read(places, self._tracks.all, self._unread.all, now)
        read_ms = 0.0
        if regions:
            reading = read_regions(self._reader, image, regions, card_px)
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

    def _begin(self, image: Image, card_px: float | None) -> None:
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

    def _disturb(self, now: PictureChange) -> bool:
        """Hide cards with motion over them, show unchanged ones again; return whether anything changed."""
        moving, changed = now.change.moving, now.change.changed
        if moving.any() or now.change.due.any():
            self._forget(moving | now.change.due)
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

    def _forget(self, moved: Blocks) -> None:
        """Drop looks at moved places: another card may lie there."""
        grid, half = self._grid, SELECTION_RULE.index_half
        self._reader.forget(lambda at: any_in(moved, grid.blocks(grid.around(at, half))))

    def _take(self, reading: Reading, regions: list[Rect], now: PictureChange) -> list[TrackEvent]:
        """Update the tracks with the reading of the regions."""
        grid = self._grid
        cards = usable(reading.cards, now)
        if not self._scale_known:
            self._measure(cards)
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
        doubt_identities(read, self._gate.moved_within(now.mono_ms, _TRAIL_MS), now)
        # A dropped guess explains nothing: the index that it was based on is unread.
        unproven = (track for track in self._tracks.all if not track.certain and not was_a_guess(track))
        known = [*read, *unproven]
        spots = uncut(reading.unclear, regions, known, now)
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
            return any_in(now.change.due, grid.blocks(grid.around(at, SELECTION_RULE.index_half)))

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

    def _measure(self, cards: list[ReadCard]) -> None:
        """Take the usual length of the cards with known corners for that of all."""
        lengths = [found for card in cards if (found := long_side_px(pose_of(card))) is not None]
        if lengths:
            self._grid.measure(float(np.median(lengths)))

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
            if spot.judged and now.unchanged_at(spot.at, SELECTION_RULE.index_half)
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
        if now.mono_ms - self._learnt_ms < _LEARN_EVERY_MS:
            return
        self._learnt_ms = now.mono_ms
        long_ms = _EMPTY_MS if self._tracks.all or self._unread.all else _EMPTY_TABLE_MS
        free = now.change.still & ~now.change.changed & ~self._gate.moved_within(now.mono_ms, long_ms)
        for track in self._tracks.all:
            free[self._grid.blocks(self._grid.card(track.pose, SELECTION_RULE.margin))] = False
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
