"""One file opened for the tester: its steps with the table and the evidence of each, kept in memory."""

import json
import threading
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, assert_never

from controller.acts.catalogue import (
    Bank,
    Bet,
    CardSeen,
    ChipReading,
    Chips,
    Close,
    Decision,
    DeskAct,
    DeviceSeen,
    End,
    EvenMoney,
    Exposed,
    Insurance,
    InsuranceClosed,
    Leave,
    MoneyAct,
    Observation,
    Paid,
    Peek,
    Reveal,
    Ruling,
    ShoeAct,
)
from controller.config import TableConfig
from controller.domain import ConfigError, Settled, TableError
from controller.engine import expected, legal
from controller.feed.feed_table import TableStep, rejoined
from controller.feed.replay import PlayedNotice
from controller.i18n import told_in, units
from controller.policy.holds import Hold
from controller.ports import Report
from controller.recording.recording_reader import Recorded
from controller.replay.difference import FactName, RoundDifference, complaint_of
from controller.replay.moments import (
    Moment,
    ReadDifference,
    SeenMoment,
    compare_settings,
    recorded_times,
    require_turned,
    seen_moments,
)
from controller.replay.played import PlayedRound, round_of, rounds_of, steps
from controller.replay.table_file import (
    Overrides,
    ReadFile,
    expectation_of,
    kind_of,
    overrides_of,
    read_table_file,
)
from controller.rules import deciding_rules
from controller.runtime.api import HoldView, PayProgress, TableSnapshot
from controller.runtime.contradictions import CameraSight
from controller.runtime.redaction import is_secret, redacted, redacted_holds
from controller.runtime.snapshot import dealer_lies_open
from controller.screens.evidence import camera_view, report_texts, text_of
from controller.screens.felt import ScreenSettings, ScreenState
from controller.screens.view import TableView
from controller.screens.views import ViewBuilder
from controller.screens.words import ChipStack, Money, described, money, say
from controller.studio.bodies import (
    Finding,
    Lane,
    OpeningView,
    ReceivedView,
    SeenCameraView,
    SeenView,
    StepKind,
    StepMark,
    StepView,
    StudioFileView,
)
from controller.studio.findings import (
    StudioStep,
    fields_of,
    findings_of,
    open_rounds,
    words_of,
    words_of_line,
)

AMOUNTS: Final = frozenset({"amount", "chips", "stake", "stake_max", "stake_min", "stake_step"})
"""Fields of a line that are amounts in minor units."""

_BUILDER: Final = ViewBuilder(ScreenSettings())


def step_view(file: ReadFile, step: StudioStep, at: int) -> StepView:
    """Draw up a step; `at` is its number in the file. A card that lies face down is in none of it."""
    hides = step.secret or is_secret(step.state)
    with told_in(file.header.currency):
        words = [words_of(notice, step.state, secret=hides) for notice in step.notices]
        settled = [notice.result for notice in step.notices if isinstance(notice, Settled)]
        return StepView(
            view=_table(file, step, at),
            line=step.taken.line.number,
            by=str(step.taken.line.by or ""),
            says=words_of_line(step, hides=hides),
            entry=tuple(_entry(step, hides=hides)),
            said=(
                *(one for one in words if one is not None),
                *(say("studio.settled", round=result.round) for result in settled),
            ),
            rules=tuple(
                sorted(
                    {
                        rule
                        for result in settled
                        for bet in result.bets
                        for part in bet.parts
                        for rule in deciding_rules(file.outcomes, part.outcome, result.dealer)
                    }
                )
            ),
        )


def _table(file: ReadFile, step: StudioStep, at: int) -> TableView:
    state, utc_us = step.state, round(step.taken.line.t * 1e6)
    secret = frozenset({state.book.number}) if is_secret(state) else frozenset[int]()
    result = state.settlement.result
    holds = tuple(_hold(hold, utc_us) for hold in step.taken.holds)
    snapshot = TableSnapshot(
        seq=at,
        at_utc_us=utc_us,
        mode="live",
        table=file.table,
        currency=file.header.currency,
        rules=state.book.rules,
        state=redacted(state),
        expected=expected(state),
        acts=legal(state),
        result=result,
        pay=PayProgress(result.round if result else 0, ()),
        holds=redacted_holds(holds, state, secret),
        devices=(),
        alerts=(),
        waiting=step.taken.waiting,
        autoplay=None,
        options=file.house.options,
    )
    return _BUILDER.build(snapshot, ScreenState(lambda: 0.0))


def _hold(hold: Hold, utc_us: int) -> HoldView:
    """The hold as the live table's screens get it."""
    return HoldView(
        hold.code,
        hold.params,
        utc_us,
        "",
        hold,
        hold.release,
        hold.ways,
        round=hold.round,
        card=hold.card,
        box=hold.box,
    )


def _entry(step: StudioStep, *, hides: bool) -> Iterator[tuple[str, str | Money | ChipStack]]:
    for field, value in fields_of(step, hides=hides).items():
        if field == "stakes" and isinstance(value, dict):
            yield from ((f"stakes[{seat}]", money(int(amount))) for seat, amount in value.items())
        else:
            yield field, _value(field, value)


def _value(field: str, value: Any) -> str | Money | ChipStack:
    """A field's value for people: amounts as money, chips by their kind, lists without their brackets."""
    match value:
        case int() if field in AMOUNTS and not isinstance(value, bool):
            return money(value)
        case dict() if field == "chips":
            return ChipStack(chips=tuple((units(int(kind)), count) for kind, count in value.items()))
        case list():
            return ", ".join(map(str, value))
        case dict():
            return ", ".join(f"{name} {one}" for name, one in value.items())
        case str():
            return value
        case _:
            return json.dumps(value)


class RecordedSteps:
    """The evidence of one recording's steps; requested on the page's loop, read in a thread of its own."""

    def __init__(self, source: ReadFile, steps: Sequence[StudioStep], away: Sequence[float]) -> None:
        """Prepare the reading; nothing is shown around the times `away` of lines in unfinished rounds.

        Raises `RecordingError` for an unreadable file.
        """
        self._path: Final = Path(source.name)
        moment_of, self._pictures = recorded_times(self._path, source.header.started_at)
        self.cameras: Final = tuple(sorted(self._pictures))
        """The cameras that pictures were recorded of."""
        self._moment_of: Final = [moment_of(step.taken.line.t) for step in steps]
        secrets = [(moment_of(t), Moment(0, hides_dealer=True, hides_bytes=True), None) for t in away]
        shown = zip(self._moment_of, _hidden(steps), range(len(steps)), strict=True)
        placed = sorted(
            ((at, one, number) for at, one, number in (*shown, *secrets) if at is not None),
            key=lambda found: found[0],
        )
        self._moments: Final = [one._replace(mono_ns=at) for at, one, _ in placed]
        self._numbers: Final = [number for _, _, number in placed]
        self._found: dict[int, SeenMoment] = {}
        self._thread: threading.Thread | None = None
        self._ends = threading.Event()

    def pictured(self, at: int) -> tuple[str, ...]:
        """The cameras of which a picture was recorded since the step before."""
        now = self._moment_of[at]
        if now is None:
            return ()
        since = (self._moment_of[at - 1] if at else None) or 0
        return tuple(
            name
            for name in self.cameras
            if bisect_right(self._pictures[name], now) > bisect_right(self._pictures[name], since)
        )

    def view(self, at: int, picture_path: str, heat_path: str) -> SeenView:
        """Return the evidence of a step; a camera's pictures are at the paths/its place, see `sight`."""
        now = self._moment_of[at]
        if now is None:
            return SeenView(state="none")
        if self._thread is None:
            self._thread = threading.Thread(target=self._read, name="seen", daemon=True)
            self._thread.start()
        found = self._found.get(at)
        if found is None:
            return SeenView(state="reading" if self._thread.is_alive() else "none")
        return SeenView(
            state="ready",
            cameras=tuple(
                SeenCameraView(
                    before_ms=_before_ms(now, taken_ns),
                    heat=f"{heat_path}/{number}",
                    view=camera_view(sight, f"{picture_path}/{number}"),
                )
                for number, (taken_ns, sight) in enumerate(found.cameras)
            ),
            received=tuple(_received(*one, now) for one in found.received),
            hidden=found.hidden,
        )

    def sight(self, at: int, camera: int) -> CameraSight | None:
        """Return a camera's picture of a step, by its place in the view; None without one."""
        found = self._found.get(at)
        if found is None or not 0 <= camera < len(found.cameras):
            return None
        return found.cameras[camera][1]

    def under(self, config: TableConfig) -> Iterator[tuple[int, ReadDifference]]:
        """Yield the devices' differing reports under other settings, each with its step.

        Raises `RecordingError` and `JournalError`.
        """
        for found in compare_settings(self._path, self._moments, config):
            number = self._numbers[found.moment]
            if number is not None:
                yield number, found

    def close(self) -> None:
        """End the reading; its results stay."""
        self._ends.set()

    def _read(self) -> None:
        """Read the recording; an unplayable one yields the part before the fault."""
        seen = seen_moments(self._path, self._moments, self._ends.is_set)
        try:
            for number, one in zip(self._numbers, seen, strict=False):
                if number is not None:
                    self._found[number] = one
        except TableError:
            return


def _hidden(steps: Sequence[StudioStep]) -> Iterator[Moment]:
    """Yield what must be hidden at each step.

    After a round whose face-down card was never turned, bytes stay hidden up to the next card: a line may
    repeat its last ones.
    """
    carries = False
    for step in steps:
        before, after = step.taken.before, step.state
        # A round that is not over may still get its face-down card, and a line tells the next one first.
        closed = step.secret or not step.over
        secret = closed or is_secret(before) or is_secret(after)
        carries = closed or (carries and not isinstance(step.taken.line.obs, CardSeen))
        covers = closed or not dealer_lies_open(after.book.rules, after.dealer)
        yield Moment(0, hides_dealer=covers, hides_bytes=secret or carries)


def _received(recorded: Recorded, reports: Sequence[Report], now: int) -> ReceivedView:
    return ReceivedView(
        source=recorded.source,
        before_ms=_before_ms(now, recorded.mono_ns),
        hex=recorded.data.hex(" "),
        text=text_of(recorded.data),
        reports=tuple(words for report in reports for words in report_texts(report.observations)),
        troubles=tuple(
            described("hold" if one.hold else "alert", one.code, one.params)
            for report in reports
            for one in report.troubles
        ),
    )


def _before_ms(now: int, then: int) -> int:
    return (now - then) // 1_000_000


OVER: Final = frozenset({"settled", "voided"})
"""A round with any other status may still have a card face down."""


class StudioFile:
    """A file whose rounds can be stepped through, unfinished ones too."""

    def __init__(
        self,
        file: ReadFile,
        *,
        at_table: bool,
        only: int | None = None,
        running: bool = False,
        progress: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Play the file once and keep the table after every line: a seek is a look-up.

        A feed at a table's door goes on behind a round that is held and never ruled on. With `only` no other
        round is shown; of a `running` table none that is not over. `progress` gets the lines played so far.
        """
        taken = tuple(_counted(steps(file, at_table=at_table, way=rejoined), progress))
        rounds = rounds_of(taken)
        over = {one.number for one in rounds if _is_over(one) or not file.decided}
        # A card that waits may be the one that will be face down.
        unsettled = bool(taken) and taken[-1].waiting > 0
        secret = {
            one.number: is_secret(one.state) or (unsettled and one.number not in over)
            for one in rounds
            if only in {None, one.number} and (one.number in over or not running)
        }
        self.source: Final = file
        self.at_table: Final = at_table
        self.rounds: Final = {one.number: one for one in rounds if one.number in secret}
        placed = tuple((one, round_of(one.line.obs, one.before, one.after)) for one in taken)
        self.steps: Final = tuple(
            StudioStep(one, number, secret[number], number in over)
            for one, number in placed
            if number in secret
        )
        self._open: Final = open_rounds(rounds, over, self.steps) if only is None else ()
        away = tuple(one.line.t for one, number in placed if number not in secret)
        self.seen: Final = (
            RecordedSteps(file, self.steps, away) if kind_of(file.name) == "recording" else None
        )
        """What reached the table at each step, of a recording."""

    def _overrides(self) -> Overrides:
        """Return the rules of a feed that differ from the house's; a table's own file has its own rules."""
        folder = Path(self.source.name).parent
        return {} if self.source.at_table else overrides_of(self.source.header, self.source.rules, folder)

    def read_under(self, config: TableConfig) -> Iterator[RoundDifference]:
        """Yield the devices' differing reports under other settings, in the order of the steps.

        Raises `ConfigError` DIFF_NOT_RECORDED for a file of lines alone.
        """
        if self.seen is None:
            raise ConfigError("DIFF_NOT_RECORDED", file=self.source.name)
        for number, found in self.seen.under(config):
            step = self.steps[number]
            name = FactName("read" if found.box else "said", found.box or 0, code=found.source)
            expected, actual = (None if one is None else (one,) for one in (found.expected, found.actual))
            line = step.taken.line
            yield RoundDifference(step.round, name, expected, actual, line.number, line.t)

    def view(
        self,
        name: str,
        other_rules: Sequence[str] = (),
    ) -> StudioFileView:
        """Return the time line and the findings; the names are the rules that its case may be expected by."""
        return StudioFileView(
            name=name,
            rules=self.source.rules.name,
            # Where nothing was decided nothing is expected.
            other_rules=tuple(other_rules) if self.source.decided else (),
            has_expectation=expectation_of(self.source.name) is not None,
            left_out=len({one.number for one in self._open} - self.rounds.keys()),
            cameras=() if self.seen is None else self.seen.cameras,
            has_seen=self.seen is not None,
            has_table=self.source.decided,
            steps=tuple(
                _mark(step, () if self.seen is None else self.seen.pictured(at))
                for at, step in enumerate(self.steps)
            ),
            findings=self._findings(),
        )

    def _findings(self) -> tuple[Finding, ...]:
        with told_in(self.source.header.currency):
            return tuple(findings_of(self.steps, self._open, self._overrides()))


def _is_over(one: PlayedRound) -> bool:
    return one.result is not None and one.result.status in OVER


def _counted(taken: Iterator[TableStep], progress: Callable[[int], None]) -> Iterator[TableStep]:
    for number, step in enumerate(taken, 1):
        progress(number)
        yield step


def _mark(step: StudioStep, cameras: tuple[str, ...]) -> StepMark:
    line = step.taken.line
    own, what = _lane_of(line.obs)
    lanes: dict[Lane, None] = {own: None}
    for played in step.taken.played:
        for notice in played.notices:
            lane = _notice_lane(notice)
            if lane is not None:
                lanes["devices" if lane == "engine" and played.by.startswith("device:") else lane] = None
    return StepMark(
        t=line.t,
        round=step.round,
        line=line.number,
        entry=step.taken.entry,
        what=what,
        lanes=tuple(lanes),
        cameras=cameras,
    )


def _lane_of(obs: Observation) -> tuple[Lane, StepKind]:  # noqa: C901  # a case for each topic
    """The row of the time line to which an act belongs by its topic, and how it is drawn."""
    if isinstance(obs, CardSeen):
        return "shoe", "card"
    if isinstance(obs, Reveal):
        return "people", "reveal"
    if isinstance(obs, Decision):
        return "people", "decision"
    if isinstance(obs, Paid):
        return "money", "paid"
    if isinstance(obs, DeviceSeen | ChipReading):
        return "devices", "other"
    if isinstance(obs, ShoeAct):
        return "shoe", "other"
    if isinstance(obs, MoneyAct | Chips | Bank):
        return "money", "other"
    if isinstance(obs, Ruling | DeskAct | Bet | Close | Insurance | EvenMoney | InsuranceClosed):
        return "people", "other"
    if isinstance(obs, Peek | Exposed | Leave | End):
        return "people", "other"
    assert_never(obs)


def _notice_lane(notice: PlayedNotice) -> Lane | None:
    if isinstance(notice, Settled):
        return "money"
    complaint = complaint_of(notice)
    if complaint is None:
        return None
    return "holds" if complaint.kind == "hold" else "engine"


FIRST: Final = 40
"""Lines, entries or messages that are played before all others: a round at seven boxes has as many."""


@dataclass(slots=True)
class FileOpening:
    """One file being opened in a thread of its own, with its progress in `view`.

    `done` of `of` lines are played; `of` is 0 while the file is read. `now_utc_us` and `face_down`: see
    `require_turned`.
    """

    path: Path
    at_table: bool
    now_utc_us: int
    face_down: bool
    first: StepView | None = None
    done: int = 0
    of: int = 0

    def load(self) -> StudioFile:
        """Open the file whole; raises `TableError`."""
        if kind_of(str(self.path)) == "recording":
            require_turned(self.path, self.now_utc_us, face_down=self.face_down)
        self.first = self._first()
        file = read_table_file(str(self.path), devices=True)
        self.of = len(file.lines)
        return StudioFile(file, at_table=self.at_table or file.at_table, progress=self._played)

    def _first(self) -> StepView | None:
        """Return the first step; None without one near the beginning: the whole file reports the reason.

        Whether its round is ever over is not known yet, so none of its cards is named.
        """
        try:
            file = read_table_file(str(self.path), FIRST, devices=True)
            begun = next(steps(file, at_table=self.at_table or file.at_table, way=rejoined), None)
        except TableError:
            return None
        if begun is None:
            return None
        number = round_of(begun.line.obs, begun.before, begun.after)
        return step_view(file, StudioStep(begun, number, secret=True, over=False), 0)

    def _played(self, lines: int) -> None:
        self.done = lines

    def view(self) -> OpeningView:
        """Return the progress."""
        return OpeningView(done=self.done, of=self.of, first=self.first)
