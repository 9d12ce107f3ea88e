"""A table under a camera: lines of a feed and readings of pictures reach its door in order of time."""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from controller.acts.catalogue import CardSeen, Decision, Reveal
from controller.acts.round import Pose
from controller.devices.cameras.follower import out_of_place
from controller.devices.cameras.tracker import open_felt_camera
from controller.domain import ConfigError
from controller.engine.state import DEALER, Place, TableState
from controller.feed.feed_lines import FeedLine
from controller.feed.feed_table import FeedTable, TableScript, line_at_door
from controller.feed.replay import LockedCard, Played
from controller.policy import Doubt, Person, TableLine, TableRun, new_run
from controller.policy.holds import NOT_ARRIVED
from controller.witnesses import CameraDeal, FeltFinding, FeltReading, ShoeCard, ShoeJoining
from vision.pictures import load_picture

CAMERA: Final = Person("camera", "frames")
"""Who tells what the pictures show."""

_LINE_WAITS_S: Final = 4.0
"""A line waits so long at most for cards that lay there before it: people are quicker than a reader."""

_NOWHERE: Final = CardSeen(None)
"""Stands for a card that lies nowhere."""

HEADER: Final = 1
"""The number of a feed's first line: what a picture shows before any other line follows from it."""


class Look(NamedTuple):
    """A camera's reading of the layout after a picture; `frame` is the picture's name."""

    view: FeltReading
    frame: str
    out: Doubt | None = None
    """The hold over a camera that is out of its place; the view is the last one from its place then."""


class WatchedTable:
    """Takes lines and readings; yields the effects of each."""

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
        """Take a picture's reading; `at_ms` is its own time when the reading is a later one."""
        self._deal.see(look.view)
        t_ms = look.view.t_ms if at_ms is None else at_ms
        if look.out is not None and not any(hold.code == look.out.code for hold in self.run.holds):
            line = FeedLine(self._line, t_ms / 1000, _NOWHERE, str(CAMERA))
            held = self._table.hold_over(look.out, line)
            yield from (played._replace(frame=look.frame) for played in held)
        yield from self._go_on(look.frame, t_ms / 1000, look.view.t_ms / 1000)

    def end(self) -> Iterator[Played]:
        """Take the waiting lines, and report the round that is left open."""
        while self._waiting:
            line = self._waiting.popleft()
            yield from self._bring_line(line, line.t)
        yield self._table.left()

    def _burns(self, card: CardSeen) -> bool:
        return card.to == "burn" or (card.to is None and self.run.state.shoe.burn_due > 0)

    def _go_on(self, frame: str, t: float, now: float) -> Iterator[Played]:
        """Take the waiting lines and cards in order of time."""
        while True:
            if self._is_due(now):
                yield from self._bring_line(self._waiting.popleft(), t)
            elif (shown := self._deal.next(self.run)) is not None:
                yield from self._bring(shown, frame, t)
            else:
                return

    def _is_due(self, now: float) -> bool:
        """Whether the next line can be taken: every earlier card has been reported.

        A line from before a hold waits for its end; a line during the hold is an answer.
        """
        if not self._waiting or self.run.holds:
            return False
        line = self._waiting[0]
        return now - line.t >= _LINE_WAITS_S or not self._deal.is_behind(round(line.t * 1000))

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
        line = FeedLine(self._line, t, observation or _NOWHERE, str(CAMERA))
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
    """Return a card with its place by the engine, else by the camera.

    A face-down card has no rank here, whatever the shoe has read.
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
    """Return the engine's place of the card with this id; None without one."""
    for box in state.boxes:
        for hand in box.hands:
            if any(card.obs.id == recorded for card in hand.cards):
                return box.box, hand.number
    return DEALER if any(card.obs.id == recorded for card in state.dealer.cards) else None


PICTURES: Final = frozenset((".jpg", ".jpeg", ".png"))
TIMED: Final = re.compile(r"_(\d{1,12})$")
"""The end of a picture's name: milliseconds since the feed's header (feed format, section 7)."""


class TimedFrame(NamedTuple):
    """A picture and when it was taken, milliseconds since the feed's header."""

    path: Path
    t_ms: int


def _frames_in(folder: Path) -> tuple[TimedFrame, ...]:
    """Return the pictures of a folder in order of time.

    Raises `ConfigError` FRAMES_MISSING for a missing folder or one without pictures, FRAME_WITHOUT_TIME for a
    picture without a time in its name.
    """
    try:
        paths = [path for path in folder.iterdir() if path.suffix.lower() in PICTURES]
    except OSError as error:
        raise ConfigError("FRAMES_MISSING", path=str(folder)) from error
    if not paths:
        raise ConfigError("FRAMES_MISSING", path=str(folder))
    return tuple(sorted((_timed(path) for path in paths), key=lambda frame: (frame.t_ms, frame.path.name)))


def _timed(path: Path) -> TimedFrame:
    found = TIMED.search(path.stem)
    if found is None:
        raise ConfigError("FRAME_WITHOUT_TIME", file=str(path))
    return TimedFrame(path, int(found[1]))


_CAMERA_NAME: Final = "frames"
"""What a hold calls the camera of a folder of pictures."""

_PAST_THE_END_MS: Final = 4000
"""So long the last picture is taken to stay as it is: what is waited for then is reported or asked."""


def looks_at(folder: Path, layout: Path, deck: Path | None) -> Callable[[], Iterator[Look]]:
    """Check folder, layout and profile, and read the pictures one after another when asked.

    Raises `ConfigError` as `_frames_in` and `open_felt_camera` do; while reading also FRAME_OTHER_SIZE for a
    picture of another size than the first, and LAYOUT_OTHER_SIZE.
    """
    frames = _frames_in(folder)
    camera = open_felt_camera(layout, deck)

    def looks() -> Iterator[Look]:
        first: tuple[int, int] | None = None
        for frame in frames:
            image = load_picture(frame.path)
            size = (image.shape[1], image.shape[0])
            first = first or size
            if size != first:
                raise _other_size(frame, size, first)
            view = camera.look(image, frame.t_ms, str(frame.path))
            yield Look(view, frame.path.name, out_of_place(camera.placing, _CAMERA_NAME))

    return looks


def _other_size(frame: TimedFrame, size: tuple[int, int], first: tuple[int, int]) -> ConfigError:
    own = {"width": size[0], "height": size[1], "first_width": first[0], "first_height": first[1]}
    return ConfigError("FRAME_OTHER_SIZE", file=str(frame.path), **own)


def play_frames(script: TableScript, looks: Iterable[Look], *, with_shoe: bool = False) -> Iterator[Played]:
    """Play lines and pictures at the door, in order of time.

    The feed's cards and reveals are left out: the camera is the only source of cards. `with_shoe`: the feed's
    cards are the shoe's, and both sources must agree.
    """
    table = WatchedTable(script, with_shoe=with_shoe)
    left_out = (Reveal,) if with_shoe else (CardSeen, Reveal)
    lines = _Ahead(line for line in script.lines if not isinstance(line.obs, left_out))
    last: Look | None = None
    for look in looks:
        for line in lines.up_to(look.view.t_ms / 1000):
            yield from table.take_line(line)
        yield from table.look(look)
        last = look
    for line in lines.up_to(None):
        yield from table.take_line(line)
    if last is not None:
        end_ms = last.view.t_ms + _PAST_THE_END_MS
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
