"""What the witnesses had at the moment at which the table held: the camera's crop, the shoe's line.

Kept in memory as long as the hold or its alert is open, so that a page that is loaded anew still shows it,
and written nowhere. A crop shows the box's own felt and no card that lies face down, as
`TrackedCards.picture` says.
"""

import hashlib
from typing import Final, NamedTuple

from controller.domain import Card
from controller.policy.state.holds import NOT_ARRIVED
from controller.runtime.api import HoldView, Params, TableSnapshot
from controller.runtime.contradictions import DEALER_BOX
from controller.runtime.witness.shoe_lines import ShoeLine, ShoeLines
from controller.screens.disclosure import may_show_dealer
from controller.screens.evidence.card_pictures import PATH, CardPictures
from controller.screens.evidence.received_bytes import hex_of, report_texts, text_of
from controller.screens.shapes.rows import HeldEvidence, HeldPicture, HeldShoeLine

MOMENT_US: Final = 2_000_000
"""A hold that is older when it is first seen, after a restart, has nothing of its moment left."""

PICTURES_MAX: Final = 16
BYTES_MAX: Final = 4 << 20
"""Of all kept crops together; one is some ten thousand bytes. The oldest go."""

_About = tuple[str, Params]
"""Code and parameters: what a hold and its alert have in common."""


class _Kept(NamedTuple):
    """What was had at a moment: camera and name of each crop, and the shoe's line."""

    at_utc_us: int
    crops: tuple[tuple[str, str], ...]
    line: ShoeLine | None


class HoldEvidences:
    """Keeps what cameras and shoe had when each hold came. Used on the table's loop."""

    def __init__(self, pictures: CardPictures, lines: ShoeLines) -> None:
        """Begin with nothing: what holds by now came before."""
        self._pictures = pictures
        self._lines = lines
        self._kept: dict[_About, _Kept] = {}
        self._jpegs: dict[str, bytes] = {}

    def follow(self, snapshot: TableSnapshot) -> None:
        """Take the evidence of holds that have come, forget that of what is over and resolved."""
        if not snapshot.holds and not self._kept:
            return
        about = {(hold.code, hold.params) for hold in snapshot.holds}
        about |= {(alert.code, alert.params) for alert in snapshot.alerts}
        self._kept = {hold: kept for hold, kept in self._kept.items() if hold in about}
        for hold in snapshot.holds:
            if (hold.code, hold.params) not in self._kept:
                self._kept[hold.code, hold.params] = self._take(snapshot, hold)
        self._forget()

    def of(self, code: str, params: Params) -> HeldEvidence | None:
        """What there was when the table held for this; None where nothing is kept."""
        kept = self._kept.get((code, params))
        if kept is None:
            return None
        crops = tuple(
            HeldPicture(camera=camera, picture=PATH + name)
            for camera, name in kept.crops
            if name in self._jpegs
        )
        line = None if kept.line is None else _line(kept.line)
        if not crops and line is None:
            return None
        return HeldEvidence(at_utc_us=kept.at_utc_us, pictures=crops, shoe=line)

    def fetch(self, name: str) -> bytes | None:
        """Give a crop by the last part of its path; None when it is no longer kept."""
        return self._jpegs.get(name)

    def _take(self, snapshot: TableSnapshot, hold: HoldView) -> _Kept:
        if snapshot.at_utc_us - hold.since_utc_us > MOMENT_US:
            return _Kept(hold.since_utc_us, (), None)
        return _Kept(snapshot.at_utc_us, self._crops(snapshot, hold), self._named(hold))

    def _crops(self, snapshot: TableSnapshot, hold: HoldView) -> tuple[tuple[str, str], ...]:
        """Cut out what each camera sees at the place; nothing of the dealer's while a card is covered."""
        box = _box(snapshot, hold)
        if box < 0 or (box == DEALER_BOX and not may_show_dealer(snapshot)):
            return ()
        spots = self._pictures.at(box)
        crops = []
        for camera in dict.fromkeys(spot.camera for spot in spots):
            jpeg = self._pictures.crop(tuple(spot for spot in spots if spot.camera == camera))
            if jpeg is not None:
                name = hashlib.sha256(jpeg).hexdigest()[:32]
                self._jpegs[name] = jpeg
                crops.append((camera, name))
        return tuple(crops)

    def _named(self, hold: HoldView) -> ShoeLine | None:
        """The shoe's message, only where the hold itself names the very card that it tells of."""
        params = dict(hold.params)
        number, named = params.get("line"), params.get("shoe")
        line = self._lines.of(number) if isinstance(number, int) else None
        if line is None or not line.card.rank or named != str(Card(line.card.rank, line.card.suit)):
            return None
        return line

    def _forget(self) -> None:
        """Drop crops of which nothing tells any more, and the oldest where they are too many."""
        named = {name for kept in self._kept.values() for _, name in kept.crops}
        jpegs = [(name, jpeg) for name, jpeg in self._jpegs.items() if name in named][-PICTURES_MAX:]
        while sum(len(jpeg) for _, jpeg in jpegs) > BYTES_MAX:
            jpegs = jpegs[1:]
        self._jpegs = dict(jpegs)


def _box(snapshot: TableSnapshot, hold: HoldView) -> int:
    """Where to look: the hold's own box, or where the card is due that has not arrived; -1 is nowhere."""
    due = snapshot.expected.get("box") if hold.code == NOT_ARRIVED else None
    box = dict(hold.params).get("box", hold.box) if due is None else due
    return box if isinstance(box, int) else -1


def _line(line: ShoeLine) -> HeldShoeLine:
    reports = tuple(report_texts((line.card,)))
    return HeldShoeLine(hex=hex_of(line.raw), text=text_of(line.raw), reports=reports)
