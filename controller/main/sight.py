"""From the watcher's scenes to what the runtime wants to know of a camera's pictures."""

import numpy as np
from numpy.typing import NDArray

from controller.domain.cards import Card
from controller.runtime.watch import Doubt, Place, Read, ReadCard, View
from vision.tracking import CardName, Contradiction, Reader, Scene, TrackView, UnclearSpot, Watcher


def followed(reader: Reader) -> Read:
    """Follow the pictures of one camera with this reader."""
    watcher = Watcher(reader)

    def read(image: NDArray[np.uint8], mono_ns: int) -> View:
        return view_of(watcher.look(image, mono_ns // 1_000_000))

    return read


def view_of(scene: Scene) -> View:
    """Leave out what is face down or not seen just now: it contradicts nobody."""
    return View(
        tuple(
            ReadCard(_card(track.name), _middle(track), track.p)
            for track in scene.tracks
            if track.name is not None and track.state == "seen"
        ),
        tuple(event.at for event in scene.events if isinstance(event, UnclearSpot)),
        tuple(
            Doubt(event.at, _card(event.locked), _card(event.reads_as))
            for event in scene.events
            if isinstance(event, Contradiction)
        ),
    )


def _card(name: CardName) -> Card:
    return Card(name.rank, name.suit)


def _middle(track: TrackView) -> Place:
    """Find the centre of the card where its corners are known, else the place that was read."""
    if track.quad is None:
        return track.at
    return sum(x for x, _ in track.quad) / 4, sum(y for _, y in track.quad) / 4
