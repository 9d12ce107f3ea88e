"""One view out of several cameras' views: each box by the camera that owns it, the others confirm.

A box has the cards of its own camera. A contradicting reading of another camera at the same place is
attached to the card, and the table asks. So is a card that another camera alone has seen there for long.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from controller.policy import Doubt
from controller.policy.holds import CAMERAS_DIFFER
from controller.witnesses.card_groups import CardGroups, Group, SeenCard, Track
from controller.witnesses.felt_view import (
    DEALER_BOX,
    FeltCard,
    FeltReading,
    OtherRead,
    WatchedTime,
    apart_mm,
    may_be_one,
)

_AGREE_MS: Final = 500
"""A card that its own camera has read waits so long for another of its box that has not yet, and a difference
counts once it has lasted so long. Not measured: a reader needs 0.3 s for a card that it can read."""

ALONE_MS: Final = 3000
"""What lies so long before another camera alone is reported, as a card that the box's own one has not read.

As long as a card may lie there unread (`arrivals.UNREAD_MS`).
"""

_NEARBY: Final = 0.6
"""Card lengths: so near to another camera's card, something that the box's own one knows may be that card.

An index lies half a card's length from the middle. Not measured.
"""


class Patience:
    """Since when something has been so, by the card that it is so of."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._since: dict[Track, int] = {}
        self._now: dict[Track, int] = {}

    def lasts_ms(self, track: Track, now_ms: int, watched: WatchedTime) -> int:
        """Return how long this has been true of the card; it is true now."""
        since = self._now[track] = self._since.get(track, now_ms)
        return watched.since(since)

    def turn(self) -> None:
        """A view is done: where it was not said to be so, it has ended."""
        self._since, self._now = self._now, {}


class JoinedFelt:
    """Joins the views of the cameras over one layout, picture by picture."""

    def __init__(self, cameras: Sequence[str], boxes: Mapping[int, Sequence[str]]) -> None:
        """Begin; `boxes` lists the cameras that see a box (0: the dealer), its owner first."""
        self._cameras: Final = tuple(cameras)
        self._boxes: Final = {box: tuple(names) for box, names in boxes.items()}
        self._views: dict[str, FeltReading] = {}
        self._now_ms = 0
        self._watched = WatchedTime()
        self._groups = CardGroups()
        self._numbers: dict[Track, int] = {}
        self._count = 0
        self._read, self._apart, self._alone = Patience(), Patience(), Patience()

    def see(self, camera: str, view: FeltReading) -> FeltReading | None:
        """Take one camera's next view; return the joined view, None until each camera has one."""
        if len(self._cameras) == 1:
            return view
        self._views[camera] = view
        self._now_ms = max(self._now_ms, view.t_ms)
        return self._joined() if len(self._views) == len(self._cameras) else None

    def _joined(self) -> FeltReading:
        """Return the layout by the last views of all cameras."""
        views = [(name, self._views[name]) for name in self._cameras]
        whole_ms, card_mm = min(view.t_ms for _, view in views), max(view.card_mm for _, view in views)
        self._watched.look(whole_ms)
        groups = self._groups.of([_seen(name, view.cards) for name, view in views], card_mm)
        spots = [one for name, view in views for one in _seen(name, view.unread)]
        unread = [one.card for one in spots if self._owner(one) == one.camera]
        shown: dict[Track, FeltCard] = {}
        for group in groups:
            first = self._first(group)
            if first is not None:
                shown[first.track] = self._beside_others(group, first)
            elif (alone := self._seen_alone(group, groups, unread, card_mm)) is not None:
                shown[group[0].track] = alone
        for patience in (self._read, self._apart, self._alone):
            patience.turn()
        cards = self._numbered(groups, shown)
        let_go = tuple(place for _, view in views for place in view.let_go)
        return FeltReading(self._now_ms, cards, tuple(unread), card_mm, let_go, whole_ms)

    def _first(self, group: Group) -> SeenCard | None:
        """Return the deciding view of a card; None when the owner of its box does not see it."""
        own = [one for one in group if self._owner(one) == one.camera]
        if own:
            return next((one for one in own if one.track in self._numbers), own[0])
        owners = {self._owner(one) for one in group} - {""}
        of_owner = [one for one in group if one.camera in owners]
        if owners and not of_owner:
            return None
        # In no camera's area, or at a border where each assigns it to the other box: keep the earlier report.
        known = (one for one in group if one.track in self._numbers)
        return next(known, (of_owner or list(group))[0])

    def _owner(self, seen: SeenCard) -> str:
        """Return the camera that owns the card's box, "" for a card outside the boxes."""
        return "" if seen.card.box is None else self._boxes.get(seen.card.box, ("",))[0]

    def _beside_others(self, group: Group, first: SeenCard) -> FeltCard:
        """Return a card by its own camera, with the other cameras' readings."""
        card = first.card
        boxes = {one.card.box for one in group} - {None}
        clear = card.box_clear and len(boxes) < 2
        card = card._replace(camera=first.camera, box_clear=clear)
        if card.card is None or not card.certain:
            return card
        read_ms = self._read.lasts_ms(first.track, self._now_ms, self._watched)
        # A card that one camera sees face down is never named: it may be lifted for a peek.
        others = [one for one in group if one is not first and one.card.face == "up" and not one.card.perhaps]
        apart = [one for one in others if one.card.certain and not may_be_one(one.card.card, card.card)]
        in_sight = next((one for one in apart if one.card.in_sight), None)
        if in_sight is not None:
            if self._apart.lasts_ms(first.track, self._now_ms, self._watched) >= _AGREE_MS:
                return card._replace(other=OtherRead(in_sight.camera, in_sight.card.card))
            return card._replace(awaited=True)
        reading = any(not one.card.certain and one.card.in_sight for one in others)
        awaited = reading or not self._seers(card) <= {one.camera for one in group}
        return card._replace(awaited=read_ms < (ALONE_MS if apart else _AGREE_MS * awaited))

    def _seers(self, card: FeltCard) -> set[str]:
        """The cameras that see the box of a card."""
        return set() if card.box is None else set(self._boxes.get(card.box, ()))

    def _seen_alone(
        self, group: Group, groups: list[Group], unread: list[FeltCard], card_mm: float
    ) -> FeltCard | None:
        """A card that the owner of its box does not see at all, once another camera has read it for long."""
        (camera, card), owner = group[0], self._owner(group[0])
        sure = card.certain and card.in_sight and not card.perhaps and card.turn_deg is not None
        if not owner or card.card is None or not sure or self._may_be_hole(card):
            return None
        of_owner = [one.card for other in groups for one in other if one.camera == owner and len(other) == 1]
        if any(apart_mm(one, card) < _NEARBY * card_mm for one in (*of_owner, *unread)):
            return None
        if self._alone.lasts_ms(group[0].track, self._now_ms, self._watched) < ALONE_MS:
            return None
        return card._replace(camera=camera, other=OtherRead(owner, None))

    def _may_be_hole(self, card: FeltCard) -> bool:
        """Whether a card at the dealer may be the face-down one, lifted for a peek."""
        downs = (one for view in self._views.values() for one in view.cards if one.face == "down")
        return card.box == DEALER_BOX and any(one.box == DEALER_BOX for one in downs)

    def _numbered(self, groups: list[Group], shown: dict[Track, FeltCard]) -> tuple[FeltCard, ...]:
        """The cards under numbers that stay with them, whichever camera tells of them."""
        numbers: dict[Track, int] = {}
        for by_itself in (True, False):
            for group in groups:
                first = next((one for one in group if one.track in shown), None)
                if first is None or first.track in numbers:
                    continue
                before = (first,) if by_itself else group
                known = (self._numbers[one.track] for one in before if one.track in self._numbers)
                number = next((one for one in known if one not in numbers.values()), 0)
                if not number and not by_itself:
                    number = self._count = self._count + 1
                if number:
                    numbers[first.track] = number
        self._numbers = numbers
        return tuple(card._replace(track=numbers[track]) for track, card in shown.items())


def _seen(camera: str, cards: Sequence[FeltCard]) -> list[SeenCard]:
    return [SeenCard(camera, card) for card in cards]


def cameras_differ(seen: FeltCard, other: OtherRead, entered: str, *, secret: bool) -> Doubt:
    """The hold over a card that two cameras read differently; `entered` is its id at the table.

    `secret`: it may be the card that came face down, and is named nowhere.
    """
    box = seen.box or 0
    first = ("camera", seen.camera), ("seen", "?" if secret else str(seen.card))
    read = "-" if other.card is None else str(other.card)
    second = ("beside", other.camera), ("reads", "?" if secret else read)
    return Doubt(CAMERAS_DIFFER, (("box", box), *first, *second), box, entered)
