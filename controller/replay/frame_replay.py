"""What people told (a feed) and what a camera saw (a folder of pictures), at the table's door together."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from controller.devices.felt_camera import open_felt_camera
from controller.domain.errors import ConfigError
from controller.domain.observations import CardSeen, Correct, Decision, Pose, Reveal
from controller.engine.constants import DEALER, Place
from controller.engine.state import TableState
from controller.feed.reading import FeedLine
from controller.feed.replay import LockedCard, Played
from controller.feed.table_replay import TableReplay, TableScript, told_of
from controller.replay.frame_folder import TimedFrame, frames_in
from controller.table import Person, TableRun, Told
from controller.table.holds import NOT_ARRIVED
from controller.witnesses import CameraDeal, FeltView, ShoeCard, ShoeJoining, Shown
from vision.pictures import load_picture

CAMERA: Final = Person("camera", "frames")
"""Who tells what the pictures show."""

FIRST_MARK: Final = 1_000_000_000
"""Marks of what pictures show count from here: lines of feeds have smaller numbers."""

PAST_THE_END_MS: Final = 4000
"""So long the last picture is taken to stay as it is: what is waited for then is told or asked."""

LINE_WAITS_S: Final = 4.0
"""A line waits so long at most for cards that lay there before it: people are quicker than a reader."""

NOWHERE: Final = CardSeen(None)
"""Stands for a card that lies nowhere."""

HEADER: Final = 1
"""The number of a feed's first line: what a picture shows before any other line follows from it."""


class Look(NamedTuple):
    """What a camera knows of the felt after a picture; `frame` is the picture's name."""

    view: FeltView
    frame: str


def looks_at(folder: Path, layout: Path, deck: Path | None) -> Callable[[], Iterator[Look]]:
    """Check folder, layout and profile, and read the pictures one after another when asked.

    Raises `ConfigError` as `frames_in` and `open_felt_camera` do; while reading also FRAME_OTHER_SIZE for a
    picture of another size than the first, and LAYOUT_OTHER_SIZE.
    """
    frames = frames_in(folder)
    camera = open_felt_camera(layout, deck)

    def looks() -> Iterator[Look]:
        first: tuple[int, int] | None = None
        for frame in frames:
            image = load_picture(frame.path)
            size = (image.shape[1], image.shape[0])
            first = first or size
            if size != first:
                raise _other_size(frame, size, first)
            yield Look(camera.look(image, frame.t_ms, str(frame.path)), frame.path.name)

    return looks


def _other_size(frame: TimedFrame, size: tuple[int, int], first: tuple[int, int]) -> ConfigError:
    own = {"width": size[0], "height": size[1], "first_width": first[0], "first_height": first[1]}
    return ConfigError("FRAME_OTHER_SIZE", file=str(frame.path), **own)


def play_frames(script: TableScript, looks: Iterable[Look], *, with_shoe: bool = False) -> Iterator[Played]:
    """Bring lines and what the pictures show to the door, in the order of their times.

    The feed's cards and turnings are left out: the camera is the one source of cards. `with_shoe`: the feed's
    cards are the shoe's, and both have to agree.
    """
    table = WatchedTable(script, with_shoe=with_shoe)
    left_out = (Reveal,) if with_shoe else (CardSeen, Reveal)
    lines = _Ahead(line for line in script.lines if not isinstance(line.obs, left_out))
    last: Look | None = None
    for look in looks:
        for line in lines.up_to(look.view.t_ms / 1000):
            yield from table.tell(line)
        yield from table.look(look)
        last = look
    for line in lines.up_to(None):
        yield from table.tell(line)
    if last is not None:
        end_ms = last.view.t_ms + PAST_THE_END_MS
        yield from table.look(last._replace(view=last.view._replace(t_ms=end_ms)), at_ms=last.view.t_ms)
    yield from table.end()


class _Ahead:
    """The lines of a feed, with the next one known."""

    def __init__(self, lines: Iterator[FeedLine]) -> None:
        self._lines = lines
        self._next = next(lines, None)

    def up_to(self, t: float | None) -> Iterator[FeedLine]:
        """The lines until this time, all that are left for None."""
        while self._next is not None and (t is None or self._next.t <= t):
            yield self._next
            self._next = next(self._lines, None)


class WatchedTable:
    """A table under a camera."""

    def __init__(self, script: TableScript, *, with_shoe: bool = False) -> None:
        self._table = TableReplay(script)
        self._shoe = ShoeJoining() if with_shoe else None
        self._deal = CameraDeal(str(CAMERA), self._shoe)
        self._line = HEADER
        self._mark = FIRST_MARK
        self._waiting: deque[FeedLine] = deque()

    def tell(self, line: FeedLine) -> Iterator[Played]:
        """Bring a line to the door, and what the felt shows now that it was told."""
        if self._shoe is not None and isinstance(line.obs, CardSeen) and not self._burns(line.obs):
            self._line = line.number
            self._shoe.left_shoe(ShoeCard(line.obs, round(line.t * 1000), line.number))
            yield from self._show("", line.t)
            return
        if self.run.holds:
            yield from self._tell(line, line.t)
            return
        self._waiting.append(line)
        yield from self._hear_waiting(line.t)

    def _burns(self, card: CardSeen) -> bool:
        return card.to == "burn" or (card.to is None and self.run.state.shoe.burn_due > 0)

    def look(self, look: Look, at_ms: int | None = None) -> Iterator[Played]:
        """Bring what a picture shows; `at_ms` is its own time where the look is a later one at it."""
        self._deal.see(look.view)
        t = (look.view.t_ms if at_ms is None else at_ms) / 1000
        yield from self._show(look.frame, t)
        yield from self._hear_waiting(look.view.t_ms / 1000)

    def _hear_waiting(self, now: float) -> Iterator[Played]:
        """Bring the lines that have come, each after the cards that lay there before it.

        One that came before the table was held waits until it goes on; what comes meanwhile is an answer.
        """
        while self._waiting and not self.run.holds:
            line = self._waiting[0]
            late = now - line.t >= LINE_WAITS_S
            if not late and self._deal.is_behind(round(line.t * 1000)):
                return
            self._waiting.popleft()
            yield from self._tell(line, now)

    def _tell(self, line: FeedLine, now: float) -> Iterator[Played]:
        if isinstance(line.obs, Decision):
            while (stands := self._deal.before(self.run, line.obs)) is not None:
                before = self.run
                yield from self._bring(stands, "", now)
                if self.run is before:
                    break
        self._line = line.number
        asked = [hold.code for hold in self.run.holds]
        yield from self._table.take(told_of(line), line)
        if self._shoe is not None and NOT_ARRIVED in asked and not self.run.holds:
            self._shoe.answered()
        yield from self._show("", now)

    @property
    def run(self) -> TableRun:
        """The table as it is now."""
        return self._table.run

    def end(self) -> Iterator[Played]:
        """Bring what still waits, and the round that is open at the end."""
        while self._waiting:
            line = self._waiting.popleft()
            yield from self._tell(line, line.t)
        yield self._table.left()

    def _show(self, frame: str, t: float) -> Iterator[Played]:
        while (shown := self._deal.next(self._table.run)) is not None:
            yield from self._bring(shown, frame, t)

    def _bring(self, shown: Shown, frame: str, t: float) -> Iterator[Played]:
        """Bring one thing that the felt shows to the door."""
        self._mark += 1
        observation, t_ms = shown.observation, round(t * 1000)
        line = FeedLine(self._line, t, observation or NOWHERE, str(CAMERA))
        followed: list[Played] = []
        if observation is not None:
            told = Told(observation, CAMERA, self._mark, t_ms, shown=True, unclear=shown.unclear)
            followed += self._table.take(told, line)
        if shown.doubt is not None:
            followed += self._table.hold_over(shown.doubt, self._mark, line)
        if (card := _locked(shown, self.run.state)) is not None:
            yield Played(line, (card,), frame=frame)
        yield from (played._replace(frame=frame) for played in followed)


def _locked(shown: Shown, state: TableState) -> LockedCard | None:
    """The line of a card: where the engine has put it, else where the camera says that it lies."""
    if shown.card is None:
        return None
    seen, told = shown.card.seen, shown.observation
    place: Place | None = None
    pose: Pose = "along"
    if isinstance(told, CardSeen):
        place, pose = ((told.box or 0), (told.hand or 1)), told.pose or "along"
    elif isinstance(told, Correct | Reveal):
        place = (seen.box or 0, 1)
    for box in state.boxes:
        for hand in box.hands:
            if any(card.obs.id == shown.card.told for card in hand.cards):
                place = (box.box, hand.number)
    box_number, hand_number = place or DEALER
    rank, suit = (None, None) if seen.card is None or not shown.card.ready else seen.card
    p = round(seen.p, 4)
    return LockedCard(rank, suit, box_number, hand_number or 1, seen.face, pose, seen.track, p)
