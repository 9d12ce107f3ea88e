"""A camera's whole picture for people: what it knows outlined, what must not be seen blackened."""

from collections.abc import Callable, Iterator
from typing import Final, Literal

from controller.devices.cameras.figures import heights_by, light_in, reported_share
from controller.devices.cameras.lengths import distance, face_down_centres, long_side
from controller.devices.cameras.tracker import CameraTracker, TrackedFrame, card_centre, known_card
from controller.devices.cameras.zones import BoxAt
from controller.domain.cards import card_named
from controller.runtime.contradictions import DEALER_BOX
from controller.runtime.witness.tracked_cards import CameraSight, OutlinedCard, Pixel, RankAt
from drivers.camera import edges_of
from vision.calibration import CardsPart
from vision.pictures import masked_excerpt

SIDE_PX: Final = 960
"""Longer side of the picture that is shown: a rank of 16 pixels in a camera of 1920 can still be read."""

CELLS: Final = 40
"""Fields along the picture that are shown or blackened as a whole."""

NEAR: Final = 1.0
"""Nothing is shown so near to a face-down card, in card lengths: it may be lifted for a peek."""

CARDS: Final = CardsPart()


class CameraSights:
    """Makes the whole pictures of one camera; from any thread."""

    def __init__(self, name: str, box_at: BoxAt, tracker: CameraTracker) -> None:
        """`box_at` tells where the camera sees the boxes."""
        self._name = name
        self._box_at = box_at
        self._tracker = tracker

    def of(self, last: TrackedFrame, *, hides_dealer: bool, card_px: float) -> CameraSight | None:
        """The picture after which `last` is known; None where nothing of it may be shown."""
        downs = face_down_centres(last)

        def in_picture(at: Pixel) -> bool:
            if hides_dealer and self._box_at(last.place(at)) == DEALER_BOX:
                return False
            return all(distance(at, down) >= NEAR * card_px for down in downs)

        height, width = last.image.shape[:2]
        jpeg = masked_excerpt(last.image, (0, 0, width, height), in_picture, SIDE_PX, CELLS)
        if jpeg is None:
            return None
        light = light_in(last.image)
        return CameraSight(
            self._name,
            width,
            height,
            jpeg,
            tuple(self._outlines(last, in_picture, card_px)),
            tuple(RankAt(box, px, reported_share(px)) for box, px in self._ranks_px(last)),
            edges_of(last.image).width,
            light.level,
            light.burnt,
        )

    def _ranks_px(self, last: TrackedFrame) -> tuple[tuple[int, float], ...]:
        """By the layout; without one by the cards that lie there, the smallest of each box."""
        layout = self._tracker.layout
        if layout is not None:
            return tuple((one.box, one.px / last.scale) for one in heights_by(layout))
        least: dict[int, float] = {}
        for track in last.scene.tracks:
            box = self._box_at(last.place(card_centre(track)))
            if track.quad is None or box is None:
                continue
            px = long_side(track) * CARDS.rank_mm / CARDS.size_mm[1]
            least[box] = min(px, least.get(box, px))
        return tuple(sorted(least.items()))

    def _outlines(
        self, last: TrackedFrame, in_picture: Callable[[Pixel], bool], card_px: float
    ) -> Iterator[OutlinedCard]:
        for track in last.scene.tracks:
            box = self._box_at(last.place(card_centre(track)))
            corners = track.quad or _around(track.at, card_px)
            if track.face == "down":
                yield OutlinedCard(box, corners, "down", "", "", 0.0)
            elif track.state == "seen" and in_picture(card_centre(track)) and in_picture(track.at):
                doubt, card = last.doubts.get(track.track), known_card(track)
                seen = "" if doubt is None else str(card_named(*doubt.reads_as))
                sure: Literal["certain", "doubt"] = "certain" if doubt is None else "doubt"
                look = "unclear" if card is None else sure
                yield OutlinedCard(box, corners, look, "" if card is None else str(card), seen, track.p)
        known = [card_centre(track) for track in last.scene.tracks]
        for thing in last.scene.unclear:
            alone = all(distance(thing.at, card) > card_px for card in known)
            if alone and in_picture(thing.at):
                box, corners = self._box_at(last.place(thing.at)), _around(thing.at, card_px)
                yield OutlinedCard(box, corners, "unclear", "", thing.rank or "", thing.p, thing.reason)


def _around(at: Pixel, card_px: float) -> tuple[Pixel, ...]:
    """A square around what has no corners of its own."""
    (x, y), half = at, card_px / 3
    return (x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)
