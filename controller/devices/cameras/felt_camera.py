"""From a tracker's scenes to what lies on the felt: pixels to millimetres, boxes, directions."""

import math
from pathlib import Path
from typing import Final

import numpy as np

from controller.acts.round import Face
from controller.devices.cameras.placing import CameraPlacing, placing_of
from controller.domain.cards import card_named
from controller.domain.errors import ConfigError
from controller.witnesses import FeltCard, FeltReading
from controller.witnesses.felt_view import DEALER_BOX
from vision.calibration import Layout, TableMap, load_layout
from vision.enrolment import open_with_deck
from vision.geometry import Image
from vision.reader import CardReader
from vision.reading import Quad, Unclear, UnclearReason
from vision.sequence import RestingReader
from vision.tracking import (
    UNPROVEN,
    CardTracker,
    PictureReader,
    SteadyCamera,
    TrackedScene,
    TrackView,
    is_too_small,
    within,
)

NO_CARD: Final[frozenset[UnclearReason]] = frozenset(("order", "cut_card", UNPROVEN))
"""Reasons of what is unclear and is no unread card: a guessed order, the cut card, what has a track."""

EDGE_MM: Final = 3.0
"""The outline of a card that is partly covered may be off by so much, and an index stands at its edge.

Source: in a drawn round (nl 10) it moved by 4 mm as the next card came.
"""


class FeltCamera:
    """Follows one camera's pictures and says what lies on the felt. Used by one thread."""

    def __init__(self, reader: PictureReader, layout: Layout) -> None:
        """Begin with an empty memory."""
        self._tracker = CardTracker(reader)
        self._steady = SteadyCamera()
        self._layout = layout
        self._view = FeltReading(0, (), (), max(layout.cards.size_mm))
        self.placing = CameraPlacing()
        """How the camera stood in the last picture; out of its place the felt is as it was before."""

    def look(self, image: Image, t_ms: int, file: str = "camera") -> FeltReading:
        """Take the next picture (BGR), seen at `t_ms`, which never goes back.

        Raises `ConfigError` LAYOUT_OTHER_SIZE for one of another aspect than the layout's, named by `file`.
        """
        felt = TableMap(self._layout, image.shape[1], image.shape[0], file)
        self.placing = placing_of(self._steady.look(image, t_ms), felt, image.shape[1])
        if self.placing.state == "in_place":
            scene = self._tracker.update(image, t_ms, felt.card_px)
            self._view = felt_view(scene, felt, self._view.card_mm, image)
        return self._view._replace(t_ms=t_ms)


def open_felt_camera(
    layout_file: Path, deck: Path | None = None, models_dir: Path | None = None
) -> FeltCamera:
    """Load the trained reader and a layout that has boxes and a dealer.

    Raises `ConfigError` LAYOUT_NO_BOXES, and what `load_layout`, `CardReader.open` and `open_with_deck` do.
    """
    layout = load_layout(layout_file)
    numbers = {zone.number for zone in layout.zone if zone.number is not None}
    if DEALER_BOX not in numbers or len(numbers) < 2:
        raise ConfigError("LAYOUT_NO_BOXES", path=str(layout_file))
    reader = CardReader.open(models_dir) if deck is None else open_with_deck(deck, models_dir)[0]
    return FeltCamera(RestingReader(reader), layout)


def felt_view(scene: TrackedScene, felt: TableMap, card_mm: float, image: Image) -> FeltReading:
    """Say what lies where; a card of another size than the house's is one that could not be read.

    What stands alone on the felt of the picture and is too small for a card is none: chips, print.
    """
    unproven = {spot.at for spot in scene.unclear if spot.reason == UNPROVEN}
    cards = tuple(
        _card(track, felt, certain=track.at not in unproven)._replace(held=track.at in scene.held)
        for track in scene.tracks
    )
    known = [track.quad for track in scene.tracks if track.name is not None and track.quad is not None]
    downs = [track.quad for track in scene.tracks if track.face == "down" and track.quad is not None]
    unclear = [
        spot for spot in scene.unclear if spot.reason not in NO_CARD and not _is_same_back(spot, downs)
    ]
    unread = [spot for spot in unclear if not is_too_small(image, spot.at, felt.px_per_mm(spot.at))]
    spots = [_spot(spot, felt, known)._replace(held=spot.at in scene.held) for spot in unread]
    let_go = [felt.to_mm(np.array([at]))[0].tolist() for at in scene.let_go]
    return FeltReading(scene.mono_ms, cards, tuple(spots), card_mm, tuple((x, y) for x, y in let_go))


def _card(track: TrackView, felt: TableMap, *, certain: bool) -> FeltCard:
    place = np.array(track.quad or [track.at])
    at = felt.to_mm(place).mean(0)
    box = felt.box_of(track.at, track.quad)
    sized = felt.has_card_size(track.quad)
    known = certain and sized and (track.name is not None or track.face == "down")
    card = card_named(*track.name) if track.name is not None and known else None
    return FeltCard(
        track.track,
        card,
        track.face,
        (float(at[0]), float(at[1])),
        None if track.quad is None else _turn_deg(track.quad, felt),
        felt.box_at(track.at) if box is None else box,
        track.p,
        known,
        track.state == "seen",
        track.perhaps is not None,
        box is not None,
    )


def _is_same_back(spot: Unclear, downs: list[Quad]) -> bool:
    """Whether a back that was not certain is one that is followed by now."""
    return spot.reason == "face_down" and any(within(quad, spot.at) for quad in downs)


def _spot(spot: Unclear, felt: TableMap, known: list[Quad]) -> FeltCard:
    at = felt.to_mm(np.array([spot.at]))[0]
    place = (float(at[0]), float(at[1]))
    slack_px = EDGE_MM * felt.px_per_mm(spot.at)
    box, on_known = felt.box_at(spot.at), any(within(quad, spot.at, slack_px) for quad in known)
    # At the dealer a back that no network is sure of is the hole card: nobody is to be asked which it is.
    face: Face = "down" if spot.reason == "face_down" and box == DEALER_BOX else "up"
    return FeltCard(0, None, face, place, None, box, spot.p, certain=False, on_known=on_known)


def _turn_deg(quad: Quad, felt: TableMap) -> float:
    """Direction of a card's long side on the felt, 0 to 180 degrees."""
    corners = felt.to_mm(np.array(quad))
    sides = (corners[1] - corners[0], corners[2] - corners[1])
    right, down = max(sides, key=lambda side: float(np.hypot(*side)))
    return math.degrees(math.atan2(float(down), float(right))) % 180
