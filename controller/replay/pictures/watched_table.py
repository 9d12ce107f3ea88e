"""A table under a camera: lines of a feed, and what the felt shows, brought to its door in their order."""

from collections import deque
from collections.abc import Iterator
from typing import Final, NamedTuple

from controller.acts.catalogue import CardSeen, Decision
from controller.acts.round import Pose
from controller.engine.constants import DEALER, Place
from controller.engine.state import TableState
from controller.feed.feed_lines import FeedLine
from controller.feed.feed_table import FeedTable, TableScript, line_at_door
from controller.feed.json_report import LockedCard
from controller.feed.replay import Played
from controller.policy import Doubt, Person, TableLine, TableRun, new_run
from controller.policy.state.holds import NOT_ARRIVED
from controller.witnesses import CameraDeal, FeltFinding, FeltReading, ShoeCard, ShoeJoining

CAMERA: Final = Person("camera", "frames")
"""Who tells what the pictures show."""

LINE_WAITS_S: Final = 4.0
"""A line waits so long at most for cards that lay there before it: people are quicker than a reader."""

NOWHERE: Final = CardSeen(None)
"""Stands for a card that lies nowhere."""

HEADER: Final = 1
"""The number of a feed's first line: what a picture shows before any other line follows from it."""


class Look(NamedTuple):
    """What a camera knows of the felt after a picture; `frame` is the picture's name."""

    view: FeltReading
    frame: str
    out: Doubt | None = None
    """The hold over a camera that is out of its place; the view is the last one from its place then."""


class WatchedTable:
    """Takes lines and looks; yields what follows from each."""

    def __init__(self, script: TableScript, *, with_shoe: bool = False) -> None:
        """Begin before the first line. `with_shoe`: cards reported by lines are the shoe's."""
        self._table = FeedTable(script.house, new_run(script.house, script.rules))
        self._shoe = ShoeJoining() if with_shoe else None
        self._deal = CameraDeal(str(CAMERA), self._shoe)
        self._line = HEADER
        self._waiting: deque[FeedLine] = deque()

    @property
    def run(self) -> TableRun:
        """The table as it is now."""
        return self._table.run

    def take_line(self, line: FeedLine) -> Iterator[Played]:
        """Bring a line to the door once the cards that lay there before it are in; an answer at once."""
        if self._shoe is not None and isinstance(line.obs, CardSeen) and not self._burns(line.obs):
            self._line = line.number
            self._shoe.left_shoe(ShoeCard(line.obs, round(line.t * 1000), line.number))
        elif self.run.holds:
            yield from self._bring_line(line, line.t)
        else:
            self._waiting.append(line)
        yield from self._go_on("", line.t, line.t)

    def look(self, look: Look, at_ms: int | None = None) -> Iterator[Played]:
        """Bring what a picture shows; `at_ms` is its own time where the look is a later one at it."""
        self._deal.see(look.view)
        t_ms = look.view.t_ms if at_ms is None else at_ms
        if look.out is not None and not any(hold.code == look.out.code for hold in self.run.holds):
            line = FeedLine(self._line, t_ms / 1000, NOWHERE, str(CAMERA))
            held = self._table.hold_over(look.out, line)
            yield from (played._replace(frame=look.frame) for played in held)
        yield from self._go_on(look.frame, t_ms / 1000, look.view.t_ms / 1000)

    def end(self) -> Iterator[Played]:
        """Bring what still waits, and the round that is open at the end."""
        while self._waiting:
            line = self._waiting.popleft()
            yield from self._bring_line(line, line.t)
        yield self._table.left()

    def _burns(self, card: CardSeen) -> bool:
        return card.to == "burn" or (card.to is None and self.run.state.shoe.burn_due > 0)

    def _go_on(self, frame: str, t: float, now: float) -> Iterator[Played]:
        """Bring what waits, lines and cards in the order of their times."""
        while True:
            if self._is_due(now):
                yield from self._bring_line(self._waiting.popleft(), t)
            elif (shown := self._deal.next(self.run)) is not None:
                yield from self._bring(shown, frame, t)
            else:
                return

    def _is_due(self, now: float) -> bool:
        """Whether the next line can be brought: no card that lay there before it is still unreported.

        One that came before the table was held waits until it goes on; what comes meanwhile is an answer.
        """
        if not self._waiting or self.run.holds:
            return False
        line = self._waiting[0]
        return now - line.t >= LINE_WAITS_S or not self._deal.is_behind(round(line.t * 1000))

    def _bring_line(self, line: FeedLine, t: float) -> Iterator[Played]:
        """Bring a line; a decision of a later hand means that the hands before it stand."""
        if isinstance(line.obs, Decision):
            while (stands := self._deal.before(self.run, line.obs)) is not None:
                before = self.run
                yield from self._bring(stands, "", t)
                if self.run is before:
                    break
        self._line = line.number
        asked = [hold.code for hold in self.run.holds]
        yield from self._table.take(line_at_door(line), line)
        if self._shoe is not None and NOT_ARRIVED in asked and not self.run.holds:
            self._shoe.answered()

    def _bring(self, shown: FeltFinding, frame: str, t: float) -> Iterator[Played]:
        """Bring one thing that the felt shows to the door."""
        observation, t_ms = shown.observation, round(t * 1000)
        line = FeedLine(self._line, t, observation or NOWHERE, str(CAMERA))
        followed: list[Played] = []
        if observation is not None:
            at_door = TableLine(observation, CAMERA, 0, t_ms, shown=True, unclear=shown.unclear)
            followed += self._table.take(at_door, line)
        if shown.doubt is not None:
            followed += self._table.hold_over(shown.doubt, line)
        if (card := _locked(shown, self.run.state)) is not None:
            yield Played(line, (card,), frame=frame)
        yield from (played._replace(frame=frame) for played in followed)


def _locked(shown: FeltFinding, state: TableState) -> LockedCard | None:
    """The line of a card: where the engine has put it, else where the camera says that it lies.

    Of a face-down card it names nothing, whatever the shoe has read.
    """
    if shown.card is None:
        return None
    seen, recorded = shown.card.seen, shown.observation
    pose: Pose = "along"
    card = seen.card if shown.card.ready else None
    rank, suit = (None, None) if card is None else card
    if isinstance(recorded, CardSeen):
        pose = recorded.pose or pose
        if recorded.face == "up":
            rank, suit = recorded.rank, recorded.suit
    box, hand = _place_of(shown.card.known_as, state) or (seen.box or 0, getattr(recorded, "hand", None) or 1)
    return LockedCard(rank, suit, box, hand or 1, seen.face, pose, seen.track, round(seen.p, 4))


def _place_of(recorded: str, state: TableState) -> Place | None:
    """Where the engine has put the card of this id; None where it has not."""
    for box in state.boxes:
        for hand in box.hands:
            if any(card.obs.id == recorded for card in hand.cards):
                return box.box, hand.number
    return DEALER if any(card.obs.id == recorded for card in state.dealer.cards) else None
