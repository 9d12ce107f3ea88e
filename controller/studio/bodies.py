"""What the tester's screen is told; the front end has the same types in `studio/bodies.ts`."""

from typing import Literal

from controller.screens.view import TableView, Words
from controller.screens.view_model import ViewModel

Lane = Literal["shoe", "devices", "people", "engine", "holds", "money"]
"""Rows of the time line; what followed from a line stands in the rows of what followed as well."""


class StepMark(ViewModel):
    """One line on the time line; `t` is seconds since the file began, `what` the observation's name."""

    t: float
    round: int
    line: int
    what: str
    lanes: tuple[Lane, ...]


class Finding(ViewModel):
    """A place to look at: the step, what was said there, and how much it weighs."""

    step: int
    round: int
    weight: int
    text: Words


class StudioFileView(ViewModel):
    """A file with every step of its closed rounds; `findings` are the heaviest first."""

    name: str
    rules: str
    left_out: int
    steps: tuple[StepMark, ...]
    findings: tuple[Finding, ...]


class StudioFileRow(ViewModel):
    """A file of the list."""

    name: str
    kind: Literal["feed", "journal", "recording"]


class StepView(ViewModel):
    """One step: the table after it as the dealer saw it, the line, what it led to, the rules that decided."""

    view: TableView
    line: int
    by: str
    entry: tuple[tuple[str, str], ...]
    said: tuple[Words, ...]
    rules: tuple[str, ...]
