"""Follows a table through its pictures: reads only what has changed and lies still, remembers the rest."""

from typing import Final

import numpy as np

from vision.arrays import Image
from vision.reading import Place, ReadCard, Reading, Unclear
from vision.tracking.attention import INDEX_HALF, MARGIN, mix_like, unexplained, usable, wanted
from vision.tracking.events import UNPROVEN, UNREAD_MS, CardName, Corrected, Event, Scene, UnclearSpot
from vision.tracking.felt import Felt, Mask
from vision.tracking.gate import Change, ChangeGate
from vision.tracking.grid import Grid, any_in
from vision.tracking.match import pose_of
from vision.tracking.place import Rect, length
from vision.tracking.regions import Reader, meet, read_regions, within
from vision.tracking.spots import Spots
from vision.tracking.track import Track
from vision.tracking.tracks import Look, Tracks

CARD_SHARE: Final = 1 / 21
"""A card's long side as a share of the picture's width, until the first card with known corners."""

TRAIL_MS: Final = 1500
"""Like cards that were touched within this time by one and the same motion may have been exchanged."""

LEARN_EVERY_MS: Final = 1000
EMPTY_MS: Final = 5000
"""Felt is learnt where nothing has moved for so long."""


class Watcher:
    """One camera's view of the table. Used by one thread; keeps no picture but small ones."""

    def __init__(self, reader: Reader) -> None:
        """Begin with an empty memory."""
        self._reader = reader
        self._shape: tuple[int, ...] = ()
        self._corrections: list[Event] = []

    def look(self, image: Image, mono_ms: int) -> Scene:
        """Take the next picture (BGR, not written to), seen at `mono_ms`, which never goes back.

        A picture of another size is another camera's: everything known is forgotten.
        """
        if image.shape != self._shape:
            self._begin(image)
        change = self._gate.look(image, mono_ms)
        shown = self._disturb(change, mono_ms)
        events, self._corrections = self._corrections, []
        regions = wanted(change, self._tracks.all, self._spots.all, self._grid, mono_ms)
        read_ms = 0.0
        if regions:
            reading = read_regions(self._reader, image, regions)
            read_ms = reading.ms
            events += self._take(reading, regions, change, mono_ms)
            self._gate.seen(change.due)
        events += [*self._tracks.settle(mono_ms), *self._spots.tell(mono_ms), *self._tell_unproven(mono_ms)]
        self._learn_felt(change, mono_ms)
        if regions or events or shown:
            self._scene = self._draw_up()
        return self._scene._replace(
            mono_ms=mono_ms, events=tuple(events), regions=len(regions), read_ms=read_ms
        )

    def correct(self, track: int, name: CardName, who: str, why: str) -> None:
        """Name a card that lies face up, against whatever was read. The next scene tells who did and why.

        Raises `KeyError` for a track that is not on the table or lies face down.
        """
        there = self._tracks.all if self._shape else []
        found = next((one for one in there if one.number == track and not one.down), None)
        if found is None:
            raise KeyError(track)
        self._corrections.append(Corrected(track, found.name, name, who, why))
        found.correct(name)

    def _begin(self, image: Image) -> None:
        self._shape = image.shape
        self._gate = ChangeGate(image.shape)
        self._grid = Grid(image.shape, self._gate, image.shape[1] * CARD_SHARE)
        self._felt = Felt(self._gate.small)
        self._tracks = Tracks()
        self._spots = Spots()
        self._corrections = []
        self._learnt_ms = 0
        self._scene = Scene(0, (), (), (), (), 0, 0.0)

    def _disturb(self, change: Change, mono_ms: int) -> bool:
        """Hide what something moves over, show again what lies as it did; True when that changes anything."""
        if change.moving.any():
            for spot in self._spots.all:
                if any_in(change.moving, self._grid.blocks(self._grid.around(spot.at, 0.0))):
                    spot.disturbed(mono_ms)
        before = [track.state for track in self._tracks.all]
        for track in self._tracks.all:
            place = self._grid.inner(track.pose)
            if any_in(change.moving, place):
                track.disturbed(mono_ms)
            elif track.state == "hidden" and change.still[place].all() and not any_in(change.due, place):
                track.uncovered()
        return before != [track.state for track in self._tracks.all]

    def _take(self, reading: Reading, regions: list[Rect], change: Change, mono_ms: int) -> list[Event]:
        """Follow what was read of the regions."""
        grid = self._grid
        cards = usable(reading.cards, change, grid)
        self._measure(cards)
        look = self._look(cards, regions, change, mono_ms)
        pool = [
            track
            for track in self._tracks.all
            if track.state != "seen"
            or track.lifted
            or any(meet(grid.card(track.pose), region) for region in regions)
        ]
        matching, events = self._tracks.take(pool, look)
        for track in pool:
            if look.looked(track):
                track.tried(mono_ms)
        read = [track for track, _ in matching.pairs]
        mix_like(read, change, self._gate.moved_within(mono_ms, TRAIL_MS), grid)
        known = [*read, *(track for track in self._tracks.all if not track.certain)]
        spots = unexplained(reading.unclear, regions, change, known, grid)
        self._spots.take(spots, lambda at: grid.inside(at, 0.0, regions), grid.card_px, mono_ms)
        return events

    def _look(self, cards: list[ReadCard], regions: list[Rect], change: Change, mono_ms: int) -> Look:
        grid = self._grid
        unlike: list[Mask] = []

        def looked(track: Track) -> bool:
            rect = grid.card(track.pose)
            whole = any(within(rect, region) for region in regions)
            return whole and bool(change.still[grid.inner(track.pose)].all())

        def changed(at: Place) -> bool:
            return any_in(change.due, grid.blocks(grid.around(at, INDEX_HALF)))

        def no_felt() -> Mask:
            if not unlike:
                unlike.append(self._felt.unlike(self._gate.small))
            return unlike[0]

        return Look(cards, looked, changed, no_felt, grid.small_scale, grid.card_px, mono_ms)

    def _measure(self, cards: list[ReadCard]) -> None:
        """Take the usual length of the cards with known corners for that of all."""
        lengths = [found for card in cards if (found := length(pose_of(card))) is not None]
        if lengths:
            self._grid.measure(float(np.median(lengths)))

    def _tell_unproven(self, mono_ms: int) -> list[Event]:
        late = [track for track in self._tracks.all if track.unproven_for(mono_ms) >= UNREAD_MS]
        for track in late:
            track.told_unclear = True
        return [UnclearSpot(track.at, UNPROVEN) for track in late]

    def _learn_felt(self, change: Change, mono_ms: int) -> None:
        """Learn the empty table's print where nothing lies and nothing has long moved."""
        if mono_ms - self._learnt_ms < LEARN_EVERY_MS:
            return
        self._learnt_ms = mono_ms
        free = change.still & ~change.due & ~self._gate.moved_within(mono_ms, EMPTY_MS)
        for track in self._tracks.all:
            free[self._grid.blocks(self._grid.card(track.pose, MARGIN))] = False
        for spot in self._spots.all:
            free[self._grid.blocks(self._grid.around(spot.at, 1.0))] = False
        self._felt.learn(self._gate.small, free)

    def _draw_up(self) -> Scene:
        """The scene without its moment."""
        there = [track for track in self._tracks.all if not track.lifted]
        unproven = [Unclear(track.at, UNPROVEN) for track in there if not track.certain]
        return Scene(
            0,
            tuple(track.view() for track in there),
            tuple(track.as_read() for track in there if track.certain),
            (*unproven, *(Unclear(spot.at, spot.reason) for spot in self._spots.all)),
            (),
            0,
            0.0,
        )
