"""A folder of pictures beside its labels: drawn up for the page, and labelled anew by it."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from controller.domain.errors import ConfigError, TableError
from controller.ports import Clock
from controller.screens.shapes.texts import described
from controller.studio.labelling.compare import Compared, compare
from controller.studio.labelling.label_bodies import (
    DisagreementView,
    LabelBody,
    LabelCardBody,
    LabelCardView,
    LabelFolderView,
    LabelPictureView,
    PictureRowView,
    ReadCardView,
    State,
    UnclearView,
)
from controller.studio.labelling.label_file import LabelCard, LabelFile, LabelRow, Quad, Split
from controller.studio.labelling.read_pictures import ReadPicture, ReadPictures
from vision.reading import PointPx, ReadCard

AREA_MIN_PX: Final = 100.0
"""A smaller outline was tapped by mistake: an index alone has more."""


def outline_of(corners: Sequence[float], width: int, height: int) -> dict[str, object]:
    """`quad`, clockwise from the corner tapped first, and `bbox`, of eight numbers in pixels.

    Raises ConfigError LABEL_OUTLINE where they do not stand around one card in the picture: in a row, in a
    bow, or outside.
    """
    points = list(zip(corners[::2], corners[1::2], strict=True))
    turns = [_turn(points, at) for at in range(4)]
    if all(turn < 0 for turn in turns):
        # Tapped the other way round: the first corner stays the first.
        points, turns = [points[0], *points[:0:-1]], [-turn for turn in turns]
    within = all(0 <= x <= width and 0 <= y <= height for x, y in points)
    if not within or min(turns) <= 0 or _area(points) < AREA_MIN_PX:
        raise ConfigError("LABEL_OUTLINE")
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return {"quad": [list(point) for point in points], "bbox": [min(xs), min(ys), max(xs), max(ys)]}


def _turn(points: Sequence[tuple[float, float]], at: int) -> float:
    """Above 0 where the way turns right, y downwards, at the corner after this one."""
    (ax, ay), (bx, by), (cx, cy) = (points[(at + step) % 4] for step in range(3))
    return (bx - ax) * (cy - by) - (by - ay) * (cx - bx)


def _area(points: Sequence[tuple[float, float]]) -> float:
    return abs(sum(ax * by - bx * ay for (ax, ay), (bx, by) in pairwise([*points, points[0]]))) / 2


NOTHING: Final = Compared((), ())
FIRST: Final[tuple[State, ...]] = ("differs", "open", "waits", "agrees", "unreadable")


class LabelFolder:
    """The pictures, by their numbers in the order of their paths, and their labels."""

    def __init__(self, folder: Path, pictures: ReadPictures, split: Split, clock: Clock) -> None:
        """`split` is written for pictures without a label yet; the clock dates what is replaced.

        Raises `ConfigError` as `LabelFile.rows`.
        """
        self._folder, self._split, self._clock = folder, split, clock
        self.pictures: Final = pictures
        self._file = LabelFile(folder)
        self._file.rows()

    def names(self) -> list[str]:
        """The pictures' paths below the folder, as the labels have them."""
        return [path.relative_to(self._folder).as_posix() for path in self.pictures.paths]

    def view(self) -> LabelFolderView:
        """The list, disagreements of label and reader first, then what is not labelled and least clear."""
        rows = self._file.rows()
        drawn = [
            self._row(number, name, rows.get(name), self.pictures.peek(number))
            for number, name in enumerate(self.names())
        ]
        unclear = [_unclear_of(self.pictures.peek(number)) for number in range(len(drawn))]
        ordered = sorted(
            drawn, key=lambda one: (FIRST.index(one.state), -one.disagree, -unclear[one.number], one.number)
        )
        left = sum(self.pictures.peek(number) is None for number in range(len(drawn)))
        return LabelFolderView(pictures=tuple(ordered), left=left)

    def picture(self, number: int) -> LabelPictureView:
        """One picture; it is the next to be read where it has not been."""
        name = self.names()[number]
        row = self._file.rows().get(name)
        found = self.pictures.get(number)
        compared = _compared(row, found)
        shown: dict[str, Any] = {
            "number": number,
            "name": name,
            "state": _state(row, found, compared),
            "stamp": "" if row is None else row.stamp,
        }
        if isinstance(found, TableError):
            return LabelPictureView(**shown, why=described("refused", found.code, found.params.items()))
        if found is None:
            return LabelPictureView(**shown)
        return LabelPictureView(
            **shown,
            width=found.width,
            height=found.height,
            cards=tuple(_labelled(card) for card in (() if row is None else row.cards)),
            read=tuple(_read(one, compared) for one in found.reading.cards if one.rank is not None),
            unclear=tuple(
                UnclearView(x=one.at[0], y=one.at[1], reason=one.reason) for one in found.reading.unclear
            ),
            disagreements=tuple(DisagreementView(**one._asdict()) for one in compared.found),
        )

    def label(self, number: int, body: LabelBody) -> LabelPictureView:
        """Write the labels of a picture, and give it as it is then.

        Raises ConfigError LABEL_CHANGED where they are not those that the page was shown, LABEL_OUTLINE, and
        as `LabelFile.keep`.
        """
        name, found = self.names()[number], self.pictures.peek(number)
        was = self._file.rows().get(name)
        if body.stamp != ("" if was is None else was.stamp) or not isinstance(found, ReadPicture):
            raise ConfigError("LABEL_CHANGED", file=name)
        cards = [_card(one, was, found) for one in body.cards]
        fresh: Mapping[str, object] = {
            "file": name,
            "kind": "photo",
            "split": self._split,
            "width": found.width,
            "height": found.height,
        }
        old = fresh if was is None else was.model_dump(mode="json", exclude_unset=True)
        self._file.keep(LabelRow.model_validate({**old, "cards": cards}), self._clock.utc_us())
        return self.picture(number)

    def _row(
        self, number: int, name: str, row: LabelRow | None, found: ReadPicture | TableError | None
    ) -> PictureRowView:
        compared = _compared(row, found)
        return PictureRowView(
            number=number,
            name=name,
            state=_state(row, found, compared),
            labelled=0 if row is None else len(row.cards),
            disagree=0 if row is None else sum(one.kind != "unread" for one in compared.found),
        )


def _compared(row: LabelRow | None, found: ReadPicture | TableError | None) -> Compared:
    if not isinstance(found, ReadPicture):
        return NOTHING
    return compare(() if row is None else row.cards, found.reading.cards)


def _state(row: LabelRow | None, found: ReadPicture | TableError | None, compared: Compared) -> State:
    if isinstance(found, TableError):
        return "unreadable"
    if row is None:
        return "open"
    if found is None:
        return "waits"
    return "differs" if any(one.kind != "unread" for one in compared.found) else "agrees"


def _unclear_of(found: ReadPicture | TableError | None) -> int:
    return len(found.reading.unclear) if isinstance(found, ReadPicture) else 0


def _labelled(card: LabelCard) -> LabelCardView:
    return LabelCardView(rank=card.rank or "", suit=card.suit or "", corners=_numbers(card.outline))


def _read(card: ReadCard, compared: Compared) -> ReadCardView:
    return ReadCardView(
        rank=card.rank or "",
        suit=card.suit or "",
        percent=round(card.p * 100, 1),
        corners=_numbers(card.quad),
        is_new=card in compared.unlabelled,
    )


def _numbers(corners: tuple[PointPx, ...] | None) -> tuple[float, ...]:
    return () if corners is None else tuple(round(one, 1) for corner in corners for one in corner)


def _card(body: LabelCardBody, was: LabelRow | None, picture: ReadPicture) -> dict[str, object]:
    """The card as it is written: what was known of it stays, but for what the page has changed."""
    old: dict[str, object] = {}
    outline: Quad | None = None
    if body.kept is not None:
        if was is None or not 0 <= body.kept < len(was.cards):
            raise ConfigError("LABEL_CHANGED", file="" if was is None else was.file)
        kept = was.cards[body.kept]
        old, outline = kept.model_dump(mode="json", exclude_unset=True), kept.outline
    card = {**old, "rank": body.rank, "suit": body.suit}
    if body.corners is None or tuple(body.corners) == _numbers(outline):
        return card
    return {**card, **outline_of(body.corners, picture.width, picture.height)}
