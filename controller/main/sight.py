"""From the watcher's scenes to what the runtime wants to know of a camera's pictures."""

import numpy as np
from numpy.typing import NDArray

from controller.domain.cards import Card
from controller.runtime.watch import Doubt, Place, Read, ReadCard, View
from vision.layout.assign import Felt
from vision.layout.model import Layout
from vision.tracking import CardName, Contradiction, Reader, Scene, TrackView, UnclearSpot, Watcher


def followed(reader: Reader, layout: Layout | None = None) -> Read:
    """Follow the pictures of one camera with this reader.

    With a layout, places are given in pixels of the size that it was calibrated with, and what is not of a
    card's size is left out; a picture of another aspect raises `ConfigError` LAYOUT_OTHER_SIZE.
    """
    watcher = Watcher(reader)

    def read(image: NDArray[np.uint8], mono_ns: int) -> View:
        felt = None if layout is None else Felt(layout, image.shape[1], image.shape[0], "camera")
        scene = watcher.look(image, mono_ns // 1_000_000)
        if felt is not None:
            scene = scene._replace(tracks=tuple(one for one in scene.tracks if felt.has_card_size(one.quad)))
        return scaled(view_of(scene), 1.0 if felt is None else felt.scale)

    return read


def scaled(view: View, scale: float) -> View:
    """The same view of a picture with so many times the pixels a side."""
    if scale == 1.0:
        return view
    return View(
        tuple(card._replace(at=_grown(card.at, scale)) for card in view.cards),
        tuple(_grown(at, scale) for at in view.unread),
        tuple(doubt._replace(at=_grown(doubt.at, scale)) for doubt in view.doubts),
    )


def _grown(place: Place, scale: float) -> Place:
    return (place[0] + 0.5) * scale - 0.5, (place[1] + 0.5) * scale - 0.5


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
