"""One file opened for the tester: its steps, kept in memory, each with the table before and after it."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, assert_never

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
from controller.domain import ConfigError, Settled
from controller.feed.feed_table import TableStep, rejoined
from controller.feed.replay import PlayedNotice
from controller.i18n import told_in
from controller.replay.files.feed_files import expectation_of
from controller.replay.files.file_kind import kind_of
from controller.replay.files.house_fields import Overrides, overrides_of
from controller.replay.files.table_file import ReadFile
from controller.replay.rounds.compared_facts import FactName, complaint_of
from controller.replay.rounds.difference import RoundDifference
from controller.replay.rounds.played import PlayedRound, round_of, rounds_of, steps
from controller.runtime.redaction import is_secret
from controller.studio.bodies import Finding, Lane, StepKind, StepMark, StudioFileView
from controller.studio.look_first import findings_of, open_rounds
from controller.studio.recorded_steps import RecordedSteps
from controller.studio.studio_step import StudioStep

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
        unsettled = _has_waiting(taken)
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


def _has_waiting(taken: Sequence[TableStep]) -> bool:
    """Whether a card waits: it may be the one that will be face down."""
    return bool(taken) and taken[-1].waiting > 0


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
