"""The messages of the tester's screen; the page's types are made from them (`page_types`)."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from controller.screens.evidence import CameraView
from controller.screens.view import TableView
from controller.screens.words import ChipStack, Money, ViewModel, Word, Words

Lane = Literal["shoe", "devices", "people", "engine", "holds", "money"]
"""Rows of the time line; what followed from a line stands in the rows of what followed as well."""
StepKind = Literal["card", "reveal", "decision", "paid", "other"]
"""How the replay of a round draws a step."""


class ValueModel(BaseModel):
    """A message of the page, without unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class StepMark(ViewModel):
    """One line on the time line; `t` is seconds since the file began.

    `entry` is the journal's entry of the line, 0 without one; `cameras` are those with a recorded picture
    since the last step.
    """

    t: float
    round: int
    line: int
    entry: int
    what: StepKind
    lanes: tuple[Lane, ...]
    cameras: tuple[str, ...] = ()


class Finding(ViewModel):
    """A place to check: the step, its sentence, and its weight."""

    step: int
    round: int
    weight: int
    text: Words


class LineView(ViewModel):
    """A line of the file as a sentence, for a search."""

    step: int
    round: int
    text: Words


class StudioFileView(ViewModel):
    """A file with every step of its closed rounds; `findings` are the heaviest first.

    `other_rules` are those that its case may be expected by: houses, and rule files named at the start;
    `has_expectation`: an expectation is beside it. `cameras` are those over the layout with recorded
    pictures; `has_seen`: the evidence of each step can be requested; `has_table` is False for a recording of
    devices alone.
    """

    name: str
    rules: str
    other_rules: tuple[str, ...]
    has_expectation: bool
    left_out: int
    cameras: tuple[str, ...]
    has_seen: bool
    has_table: bool
    steps: tuple[StepMark, ...]
    findings: tuple[Finding, ...]


class StudioFileRow(ViewModel):
    """A file of the list."""

    name: str
    kind: Literal["feed", "journal", "recording"]


class StepView(ViewModel):
    """One step: the dealer's view after it, the line, its effects, the rules that decided.

    `says` is the line as a sentence, None without one.
    """

    view: TableView
    line: int
    by: str
    says: Words | None
    entry: tuple[tuple[str, str | Money | ChipStack], ...]
    said: tuple[Words, ...]
    rules: tuple[str, ...]


class OpeningView(ViewModel):
    """A file being opened: so many of its lines are played (of 0: it is read), a feed's first step."""

    done: int
    of: int
    first: StepView | None


class ReceivedView(ViewModel):
    """A chunk of a device's bytes, as hex and as text: its time before the step, the driver's reports."""

    source: str
    before_ms: int
    hex: str
    text: str
    reports: tuple[str, ...]
    troubles: tuple[Words, ...]


class SeenCameraView(ViewModel):
    """A camera's last picture before the step, how long before it was taken, and the path of its heat map."""

    before_ms: int
    heat: str
    view: CameraView


class SeenView(ViewModel):
    """The evidence between the last step and this one; `hidden`: bytes are withheld.

    "reading" until the recording was played up to here, "none" for a step without evidence.
    """

    state: Literal["none", "reading", "ready"]
    cameras: tuple[SeenCameraView, ...] = ()
    received: tuple[ReceivedView, ...] = ()
    hidden: bool = False


class AcceptBody(ValueModel):
    """Why the case's expectation is to be another; `rules` is one of the file's `other_rules`, "" its own."""

    rules: str = ""
    reason: str


class BaselineBody(ValueModel):
    """The one of the file's `other_rules` for a new expectation of the case, "" for its own."""

    rules: str = ""


class BaselineChangeView(ViewModel):
    """A value that would be expected anew: `key` is its path in a round, such as `bets[0].returned`."""

    round: int
    key: str
    was: str | Money | Word
    would: str | Money | Word


class BaselineView(ViewModel):
    """The changes of a new expectation; nothing is written. `left_out` rounds would stay as they are."""

    changes: tuple[BaselineChangeView, ...]
    left_out: int


class AcceptedView(ViewModel):
    """The written expectation: its path, and the numbers of changed values and rounds.

    `left_out` rounds with a card that was never turned stayed as they were.
    """

    path: str
    rounds: int
    values: int
    left_out: int


class KeepBody(ValueModel):
    """A round that is kept as a case of this name."""

    round: int
    name: str


class KeptView(ViewModel):
    """The written case: the feed's path, and its number of lines."""

    path: str
    lines: int
    lines_before: int
