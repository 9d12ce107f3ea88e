"""One file opened for the tester: its steps, kept in memory, each with the table before and after it."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from controller.config import TableConfig
from controller.domain.errors import ConfigError
from controller.domain.notices import Settled
from controller.domain.observations import Bank, CardSeen, Chips, CutCard, DeviceSeen, Paid, ShoeLoaded
from controller.feed.codec import NAMES
from controller.feed.replay import PlayedNotice
from controller.replay.after_open import with_rounds_behind
from controller.replay.feed_files import expectation_of
from controller.replay.file_kind import kind_of
from controller.replay.played_rounds import played_rounds, round_of, steps
from controller.replay.round_diff import RoundDifference
from controller.replay.round_facts import FactName, complaint_of
from controller.replay.told_file import ToldFile
from controller.replay.told_troubles import ToldTrouble
from controller.runtime.redaction import is_secret
from controller.studio.bodies import Lane, StepMark, StudioFileView
from controller.studio.look_first import findings_of
from controller.studio.open_rounds import open_rounds
from controller.studio.recorded_steps import RecordedSteps
from controller.studio.studio_step import StudioStep

OVER: Final = frozenset({"settled", "voided"})
"""A round with any other status may still have a card face down, and is not shown."""


class StudioFile:
    """A file whose rounds can be stepped through. A round that is not over is left out."""

    def __init__(self, told: ToldFile, *, at_table: bool, only: int | None = None) -> None:
        """Play the file once and keep the table after every line: a seek is a look-up.

        With `only` no other round is shown.
        """
        rounds = played_rounds(told, at_table=at_table)
        over = {
            one.number: is_secret(one.state)
            for one in rounds
            if one.result and one.result.status in OVER and only in {None, one.number}
        }
        self.told: Final = told
        self.at_table: Final = at_table
        self.rounds: Final = {one.number: one for one in rounds if one.number in over}
        whole = with_rounds_behind(told, rounds, at_table=at_table) if only is None else ()
        self.behind: Final = tuple(
            one for one in whole[len(rounds) :] if one.result and one.result.status in OVER
        )
        """Rounds among the lines of one that never ended: compared, not stepped through."""
        placed = tuple(
            (taken, round_of(taken.line.obs, taken.before, taken.after))
            for taken in steps(told, at_table=at_table)
        )
        troubles = _by_line(told.troubles)
        self.steps: Final = tuple(
            StudioStep(taken, number, over[number], troubles.get(taken.line.number, ()))
            for taken, number in placed
            if number in over
        )
        self._open: Final = open_rounds(rounds, over, self.steps) if only is None else ()
        away = tuple(taken.line.t for taken, number in placed if number not in over)
        self.seen: Final = (
            RecordedSteps(told, self.steps, away) if kind_of(told.name) == "recording" else None
        )
        """What reached the table at each step, of a recording."""

    def read_under(self, config: TableConfig) -> Iterator[RoundDifference]:
        """What the devices tell otherwise under other settings, in the order of the steps.

        Raises `ConfigError` DIFF_NOT_RECORDED where nothing but told lines is known.
        """
        if self.seen is None:
            raise ConfigError("DIFF_NOT_RECORDED", file=self.told.name)
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
        other_programs: Sequence[str] = (),
        other_settings: Sequence[str] = (),
    ) -> StudioFileView:
        """The time line and where to look first; the names are those that it can be compared under."""
        return StudioFileView(
            name=name,
            rules=self.told.rules.name,
            fields=tuple(_as_json(self.told.rules._asdict())),
            options=tuple(_as_json(self.told.house.options._asdict())),
            other_rules=tuple(other_rules),
            other_programs=tuple(other_programs),
            other_settings=() if self.seen is None else tuple(other_settings),
            has_expectation=expectation_of(self.told.name) is not None,
            left_out=len(self._open),
            cameras=() if self.seen is None else self.seen.cameras,
            has_seen=self.seen is not None,
            steps=tuple(
                _mark(step, () if self.seen is None else self.seen.pictured(at))
                for at, step in enumerate(self.steps)
            ),
            findings=tuple(findings_of(self.steps, self._open)),
        )


def _by_line(troubles: Iterable[ToldTrouble]) -> dict[int, tuple[ToldTrouble, ...]]:
    found: dict[int, tuple[ToldTrouble, ...]] = {}
    for one in troubles:
        found[one.line] = (*found.get(one.line, ()), one)
    return found


def _as_json(fields: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for name, value in fields.items():
        if name != "name":
            yield name, json.dumps(value)


def _mark(step: StudioStep, cameras: tuple[str, ...]) -> StepMark:
    line = step.taken.line
    lanes: dict[Lane, None] = {_told_lane(step): None}
    for notice in step.notices:
        lane = _notice_lane(notice)
        if lane is not None:
            lanes[lane] = None
    for trouble in step.troubles:
        lanes["holds" if trouble.kind == "hold" else "devices"] = None
    return StepMark(
        t=line.t,
        round=step.round,
        line=line.number,
        what=NAMES[type(line.obs)],
        lanes=tuple(lanes),
        cameras=cameras,
    )


def _told_lane(step: StudioStep) -> Lane:
    match step.taken.line.obs:
        case CardSeen() | ShoeLoaded() | CutCard():
            return "shoe"
        case DeviceSeen() | Chips():
            return "devices"
        case Paid() | Bank():
            return "money"
    return "people"


def _notice_lane(notice: PlayedNotice) -> Lane | None:
    if isinstance(notice, Settled):
        return "money"
    complaint = complaint_of(notice)
    if complaint is None:
        return None
    return "holds" if complaint.kind == "hold" else "engine"
