"""Evidence: the pictures, doubts and bytes of cameras and serial lines beside a question.

It begins with the data that no screen may receive while a card is face down. A guess of a rank is shown only
when the camera knows every other card of the box: its unread card can then be no other card. Nothing here is
written to disk.
"""

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple

from controller.acts.catalogue import Correct, Observation, declared
from controller.domain import Card
from controller.engine.hands import hidden_hole
from controller.engine.state import TableState
from controller.feed.codec import to_json
from controller.policy.holds import NOT_ARRIVED, TOO_MANY
from controller.runtime.api import AlertView, HoldView, NameCard, Params, TableSnapshot
from controller.runtime.contradictions import (
    DEALER_BOX,
    NO_CAMERAS,
    UNSURE,
    UNSURE_DEALER,
    CameraSight,
    TrackedCard,
    TrackedCards,
    card_of,
    compatible,
    take_match,
    unsure,
)
from controller.runtime.felt_witness import ShoeLine, ShoeLines
from controller.runtime.snapshot import dealer_lies_open
from controller.screens.acts import NameAct
from controller.screens.felt import cards_at, open_card
from controller.screens.view import DoubtRow, HeldEvidence, HeldPicture, HeldShoeLine
from controller.screens.words import OpenCard, ViewModel, described

_COUNTING: Final = TOO_MANY
"""Alerts whose mere existence says something about the face-down card."""


def open_alerts(snapshot: TableSnapshot) -> tuple[AlertView, ...]:
    """Return the alerts that may be shown; alerts that count ranks wait for the reveal."""
    if not hidden_hole(snapshot.state.dealer):
        return snapshot.alerts
    number = snapshot.state.book.number
    return tuple(alert for alert in snapshot.alerts if alert.code not in _COUNTING or alert.round != number)


SECOND: Final = 1
"""Place of the dealer's second card, which lies face down wherever there is a hole card."""


def may_picture(snapshot: TableSnapshot, box: int, place: int | None) -> bool:
    """Whether a camera's picture of this card may be shown; `place` counts the cards of its box from 0.

    A picture also shows the neighbouring cards. Therefore the dealer's second card has none, and no card of
    the dealer has one while a card is or will be face down.
    """
    if box != DEALER_BOX:
        return True
    return _may_show_dealer(snapshot) and place not in (None, SECOND, snapshot.state.dealer.hole)


def _may_show_dealer(snapshot: TableSnapshot) -> bool:
    """Whether no card of the dealer is face down now or later in this round."""
    return dealer_lies_open(snapshot.rules, snapshot.state.dealer)


_PRINTABLE: Final = range(0x20, 0x7F)


def text_of(data: bytes) -> str:
    """Decode bytes as text, with a dot for each unprintable character."""
    return "".join(chr(one) if one in _PRINTABLE else "\u00b7" for one in data)


def report_texts(observations: Iterable[Observation]) -> Iterator[str]:
    """Yield each report of a message in the form of a feed's line: `card: rank 8, suit h, by shoe`."""
    for one in observations:
        fields = (f"{name} {value}" for name, value in to_json(one).items() if name != "obs")
        yield f"{declared(one).name}: {', '.join(fields)}"


_GUESS_LEAST: Final = 0.6
"""A less probable rank is not marked: it would invite to tap it without a look."""

_PER_CENT_MOST: Final = 99
_PICTURES_MAX: Final = 16
_WHOLE_MAX: Final = 40
"""Whole pictures that are kept: five of each of six alerts, and those of a round."""

PATH: Final = "/api/pictures/"


class PictureHint(NamedTuple):
    """The path of an unread card's picture, and the likely ranks with their per cent."""

    picture: str | None = None
    guesses: tuple[tuple[str, int], ...] = ()


class Mismatch(NamedTuple):
    """The differences between one camera's cards at a box and the table's.

    `strangers` are certain cards that the table lacks, `unread` are unread cards, `missing` are cards of the
    table that the camera does not see.
    """

    strangers: tuple[TrackedCard, ...]
    unread: tuple[TrackedCard, ...]
    missing: tuple[Card, ...]


class CardPictures:
    """The cameras as the screens ask them; keeps the last few pictures that a screen may fetch."""

    def __init__(self, spots: TrackedCards) -> None:
        """`spots` answers which cards the running cameras see."""
        self.spots: Final = spots
        self._pictures: dict[str, bytes] = {}
        self._whole: dict[str, bytes] = {}

    def unread(self, box: int, others: Sequence[Card]) -> PictureHint:
        """Return the picture of a box's only unread card; `others` are the box's other cards."""
        if any(card.rank is None for card in others):
            return PictureHint()
        found = [
            lying for lying in _mismatches_at(self.spots.at(box), others) if lying.strangers or lying.unread
        ]
        if not found:
            return PictureHint()
        ideas = {guess for lying in found if (guess := _guess(lying)) is not None}
        agreed = ideas if len({rank for rank, _ in ideas}) == 1 else set()
        return PictureHint(self.picture((*found[0].strangers, *found[0].unread)), tuple(sorted(agreed)[-1:]))

    def picture(self, spots: tuple[TrackedCard, ...]) -> str | None:
        """Take a picture of spots of one camera; the path under which a screen gets it."""
        data = self.spots.picture(spots)
        if data is None:
            return None
        name = hashlib.sha256(data).hexdigest()[:32]
        if name not in self._pictures:
            self._pictures = dict([*self._pictures.items()][1 - _PICTURES_MAX :])
            self._pictures[name] = data
        return PATH + name

    async def sights(self, *, hides_dealer: bool) -> tuple[tuple[CameraSight, str], ...]:
        """The whole picture of each camera, with the path under which a screen gets it for some seconds."""
        found = await asyncio.to_thread(self.spots.sights, hides_dealer=hides_dealer)
        return tuple(zip(found, self.keep(sight.jpeg for sight in found), strict=True))

    def keep(self, jpegs: Iterable[bytes]) -> tuple[str, ...]:
        """Keep whole pictures for some seconds; the path of each under which a screen gets it."""
        named = [(hashlib.sha256(jpeg).hexdigest()[:32], jpeg) for jpeg in jpegs]
        self._whole = dict([*self._whole.items(), *named][-_WHOLE_MAX:])
        return tuple(PATH + name for name, _ in named)

    def fetch(self, name: str) -> bytes | None:
        """Give a picture by the last part of its path; None when it is no longer kept."""
        return self._pictures.get(name) or self._whole.get(name)


def _mismatches_at(spots: Iterable[TrackedCard], known: Sequence[Card]) -> list[Mismatch]:
    """Compare each camera's cards at a box with the table's."""
    cameras = defaultdict[str, list[TrackedCard]](list)
    for spot in spots:
        cameras[spot.camera].append(spot)
    return [_mismatch(of_one, known) for of_one in cameras.values()]


def _mismatch(spots: list[TrackedCard], known: Sequence[Card]) -> Mismatch:
    left = sorted(known, key=lambda card: card.suit is None)
    beyond = [spot for spot in spots if spot.card is not None and not take_match(left, spot.card)]
    strangers = tuple(spot for spot in beyond if spot.in_sight and spot.seen is None)
    return Mismatch(strangers, tuple(spot for spot in spots if spot.card is None), tuple(left))


def _guess(lying: Mismatch) -> tuple[str, int] | None:
    """Return the common rank of the unexplained cards with its per cent; None when they differ."""
    things = (*lying.strangers, *lying.unread)
    ideas = [(spot.card.rank if spot.card else spot.rank, spot.p) for spot in things]
    ranks = {rank for rank, _ in ideas if rank is not None}
    p = max(p for _, p in ideas)
    if lying.missing or len(ranks) != 1 or len(lying.strangers) > 1 or p < _GUESS_LEAST:
        return None
    return ranks.pop(), min(int(100 * p), _PER_CENT_MOST)


NO_PICTURES: Final = CardPictures(NO_CAMERAS)
"""A table without cameras."""


class OutlineView(ViewModel):
    """A card's outline: `card` as `8h`, "" when the camera knows none; `seen` is its contradicting reading.

    `corners` are x, y of each corner, in order. `box` is the card's place, 0 for the dealer. `reason` is the
    code of an unclear reading (`read.reason.` texts), "" for none.
    """

    box: int | None
    corners: tuple[int, ...]
    look: Literal["certain", "doubt", "unclear", "down"]
    card: str
    seen: str
    percent: int
    reason: str


class RankView(ViewModel):
    """Height in pixels of the rank's letter at a box, 0 for the dealer.

    `read_percent` of the cards of that height are read from one picture.
    """

    box: int
    px: float
    read_percent: int


class CameraView(ViewModel):
    """A camera's whole picture (`picture` is its path) and its cards; the picture is not stored.

    `edge_px` is the width of the steepest edges in it (0: none), `light` the brightness of the brightest
    areas (0 to 255), `burnt_percent` the burnt-out share.
    """

    camera: str
    picture: str
    width: int
    height: int
    cards: tuple[OutlineView, ...]
    ranks: tuple[RankView, ...]
    edge_px: float
    light: int
    burnt_percent: int


async def camera_views(pictures: CardPictures, snapshot: TableSnapshot) -> tuple[CameraView, ...]:
    """Every camera over the layout; the dealer's cards are blackened while one lies face down or will."""
    seen = await pictures.sights(hides_dealer=not _may_show_dealer(snapshot))
    return tuple(camera_view(sight, path) for sight, path in seen)


def camera_view(sight: CameraSight, picture: str) -> CameraView:
    """Return one camera's view; `picture` is the path of its picture."""
    return CameraView(
        camera=sight.camera,
        picture=picture,
        width=sight.width,
        height=sight.height,
        cards=tuple(
            OutlineView(
                box=card.box,
                corners=tuple(round(one) for corner in card.corners for one in corner),
                look=card.look,
                card=card.card,
                seen=card.seen,
                percent=int(card.p * 100),
                reason=card.reason,
            )
            for card in sight.cards
        ),
        ranks=tuple(
            RankView(box=rank.box, px=round(rank.px, 1), read_percent=round(rank.share_read * 100))
            for rank in sight.ranks
        ),
        edge_px=round(sight.edge_px, 1),
        light=round(sight.light),
        burnt_percent=round(sight.burnt * 100),
    )


_CODES: Final = (UNSURE, UNSURE_DEALER)


class CameraDoubt(NamedTuple):
    """A camera's doubtful card; `spot` is its place, None when the camera no longer sees the card.

    `was` is the earlier reading, `seen` the new one that a hold asks about; None without a question.
    """

    camera: str
    box: int
    was: Card
    seen: Card | None
    spot: TrackedCard | None

    @property
    def at(self) -> tuple[int, int] | None:
        """Its place in whole pixels."""
        return None if self.spot is None else (round(self.spot.at[0]), round(self.spot.at[1]))


def _doubts(snapshot: TableSnapshot, pictures: CardPictures) -> Iterator[CameraDoubt]:
    """The open questions, in the order in which they were asked."""
    for hold in snapshot.holds:
        params = dict(hold.params)
        was, seen = card_of(str(params.get("was", ""))), card_of(str(params.get("seen", "")))
        if hold.code not in _CODES or was is None or seen is None:
            continue
        camera, box = hold.by.partition(":")[2], int(params.get("box", DEALER_BOX))
        spots = (
            spot
            for spot in pictures.spots.at(box)
            if (spot.camera, spot.card, spot.seen) == (camera, was, seen)
        )
        yield CameraDoubt(camera, box, was, seen, next(spots, None))


def doubt_rows(snapshot: TableSnapshot, pictures: CardPictures) -> tuple[DoubtRow, ...]:
    """The questions as the pit's page shows them."""
    return tuple(
        _row(snapshot, pictures, number, doubt) for number, doubt in enumerate(_doubts(snapshot, pictures))
    )


def _row(snapshot: TableSnapshot, pictures: CardPictures, number: int, doubt: CameraDoubt) -> DoubtRow:
    assert doubt.seen is not None, "a question is about two cards"
    # The place of the doubtful card is known only where exactly one card of its box fits.
    cards = enumerate(cards_at(snapshot.state, doubt.box))
    like = [place for place, seen in cards if seen.card.rank and compatible(seen.card, doubt.was)]
    place = like[0] if len(like) == 1 else None
    table = None if place is None else cards_at(snapshot.state, doubt.box)[place]
    question = unsure(doubt.box, str(doubt.was), str(doubt.seen))
    shown = doubt.spot is not None and may_picture(snapshot, doubt.box, place)
    return DoubtRow(
        doubt=number,
        text=described("hold", question.code, question.params),
        was=_face(doubt.was),
        seen=_face(doubt.seen),
        name=NameAct(
            camera=doubt.camera, box=doubt.box, at=doubt.at, was=str(doubt.was), seen=str(doubt.seen)
        ),
        correct=None if table is None else {"obs": "correct", "card": table.n},
        table=None if table is None else open_card(table),
        picture=pictures.picture((doubt.spot,)) if shown and doubt.spot is not None else None,
    )


def _face(card: Card) -> OpenCard:
    return OpenCard(card=0, rank=card.rank, suit=card.suit)


def namings_of(
    pictures: CardPictures, before: TableSnapshot, after: TableSnapshot, ruling: Correct
) -> tuple[NameCard, ...]:
    """Return the naming for a camera after the pit corrected a card of the running round.

    At most one, and only when it cannot concern another card. It answers the camera's question, or names the
    one card that the camera reads as the table read it before.
    """
    found = _card_in(before.state, ruling)
    if found is None:
        return ()
    box, old = found
    said = [
        _answer(doubt, ruling)
        for doubt in _doubts(after, pictures)
        if doubt.box == box and compatible(old, doubt.was)
    ]
    said = said or [
        _answer(CameraDoubt(spot.camera, box, card, None, spot), ruling)
        for spot, card in _strangers(pictures, after, box, ruling)
        if compatible(old, card) and card.rank != ruling.rank
    ]
    return tuple(said) if len(said) == 1 else ()


def _answer(doubt: CameraDoubt, ruling: Correct) -> NameCard:
    """Return the naming for a camera; without a ruled suit, use the suit read with this rank."""
    was, seen = doubt.was, doubt.seen
    read = seen.suit if seen is not None and seen.rank == ruling.rank else None
    card = Card(ruling.rank, ruling.suit or read or was.suit)
    instead = None if seen is None else str(seen)
    return NameCard(doubt.camera, doubt.box, doubt.at, str(was), instead, str(card), ruling.reason)


def _card_in(state: TableState, ruling: Correct) -> tuple[int, Card] | None:
    """Return the box and the old reading of the corrected card; None for a card that must stay secret."""
    if ruling.round not in (None, state.book.number):
        return None
    for box in (DEALER_BOX, *(entry.box for entry in state.boxes)):
        if box == DEALER_BOX and hidden_hole(state.dealer):
            continue
        for seen in cards_at(state, box):
            if seen.n == ruling.card and seen.card.rank is not None:
                return box, seen.card
    return None


def _strangers(
    pictures: CardPictures, after: TableSnapshot, box: int, ruling: Correct
) -> Iterator[tuple[TrackedCard, Card]]:
    """For each camera the one card that it sees instead of the corrected one."""
    cards = cards_at(after.state, box)
    corrected = next((seen.card for seen in cards if seen.n == ruling.card), None)
    for lying in _mismatches_at(pictures.spots.at(box), [seen.card for seen in cards]):
        if len(lying.strangers) == 1 and lying.missing == (corrected,):
            spot = lying.strangers[0]
            assert spot.card is not None, "a stranger is a certain card"
            yield spot, spot.card


_MOMENT_US: Final = 2_000_000
"""A hold that is older when it is first seen, after a restart, has nothing of its moment left."""

_CROPS_MAX: Final = 16
_BYTES_MAX: Final = 4 << 20
"""Of all kept crops together; one is some ten thousand bytes. The oldest go."""


class _Kept(NamedTuple):
    """The evidence of a moment: camera and name of each crop, and the shoe's line."""

    at_utc_us: int
    crops: tuple[tuple[str, str], ...]
    line: ShoeLine | None


class HoldEvidences:
    """Keeps the evidence of each hold as long as the hold or its alert is open.

    A reloaded page still shows it. A crop shows the box's own layout area and no face-down card, as
    `TrackedCards.picture` defines. Used on the table's loop.
    """

    def __init__(self, pictures: CardPictures, lines: ShoeLines) -> None:
        """Begin empty: earlier holds have no evidence."""
        self._pictures = pictures
        self._lines = lines
        self._kept: dict[tuple[str, Params], _Kept] = {}
        """By code and parameters: what a hold and its alert have in common."""
        self._jpegs: dict[str, bytes] = {}

    def follow(self, snapshot: TableSnapshot) -> None:
        """Store the evidence of new holds, and discard that of resolved ones."""
        if not snapshot.holds and not self._kept:
            return
        about = {(hold.code, hold.params) for hold in snapshot.holds}
        about |= {(alert.code, alert.params) for alert in snapshot.alerts}
        self._kept = {hold: kept for hold, kept in self._kept.items() if hold in about}
        for hold in snapshot.holds:
            if (hold.code, hold.params) not in self._kept:
                self._kept[hold.code, hold.params] = self._take(snapshot, hold)
        # Drop crops of which nothing tells any more, and the oldest where they are too many.
        named = {name for kept in self._kept.values() for _, name in kept.crops}
        jpegs = [(name, jpeg) for name, jpeg in self._jpegs.items() if name in named][-_CROPS_MAX:]
        while sum(len(jpeg) for _, jpeg in jpegs) > _BYTES_MAX:
            jpegs = jpegs[1:]
        self._jpegs = dict(jpegs)

    def of(self, code: str, params: Params) -> HeldEvidence | None:
        """Return the evidence of a hold; None when none is kept."""
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
        if snapshot.at_utc_us - hold.since_utc_us > _MOMENT_US:
            return _Kept(hold.since_utc_us, (), None)
        return _Kept(snapshot.at_utc_us, self._crops(snapshot, hold), self._named(hold))

    def _crops(self, snapshot: TableSnapshot, hold: HoldView) -> tuple[tuple[str, str], ...]:
        """Cut out each camera's view of the place; none of the dealer's while a card is covered."""
        box = _box(snapshot, hold)
        if box < 0 or (box == DEALER_BOX and not _may_show_dealer(snapshot)):
            return ()
        spots = self._pictures.spots.at(box)
        crops = []
        for camera in dict.fromkeys(spot.camera for spot in spots):
            of_camera = tuple(spot for spot in spots if spot.camera == camera)
            jpeg = self._pictures.spots.picture(of_camera, at_once=True)
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


def _box(snapshot: TableSnapshot, hold: HoldView) -> int:
    """Return the box to show: the hold's own, or that of the card that has not arrived; -1: none."""
    due = snapshot.expected.get("box") if hold.code == NOT_ARRIVED else None
    box = dict(hold.params).get("box", hold.box) if due is None else due
    return box if isinstance(box, int) else -1


def _line(line: ShoeLine) -> HeldShoeLine:
    reports = tuple(report_texts((line.card,)))
    return HeldShoeLine(hex=line.raw.hex(" "), text=text_of(line.raw), reports=reports)
