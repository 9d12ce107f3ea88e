"""Faults that a simulated table can show, as the screens know them: which there are, and how to call one."""

from typing import Final, Literal, NamedTuple, Protocol, get_args

from controller.screens.shapes.words import ViewModel

DemoFault = Literal[
    "drew_on_17",
    "stood_on_16",
    "stuck_cards",
    "wrong_box",
    "missed_box",
    "unread_card",
    "one_too_many",
    "wrong_payout",
    "cable_pulled",
    "smeared_lens",
    "mistapped_stand",
]
"""A fault of the demo; `fault.<word>` in the catalogues."""

DEMO_FAULTS: Final[tuple[DemoFault, ...]] = get_args(DemoFault)

FaultStage = Literal["called", "stands", "mended"]
"""`called`: it happens as soon as the round leaves room for it; `stands`: it has happened."""


class ShownFault(NamedTuple):
    """The stage of a fault; `round` is the round in which it happened, 0 before it has.

    `as_planned`: the round paid what it would have paid without the fault; None while unknown.
    """

    fault: DemoFault
    stage: FaultStage
    round: int = 0
    as_planned: bool | None = None


class FaultBoard(Protocol):
    """The simulation's side: a real table has none."""

    speed: float | None
    """How many times as fast as people the simulation plays, 0 while it pauses; None: at once."""

    @property
    def possible(self) -> tuple[DemoFault, ...]:
        """The faults that can be called at this table."""
        ...

    def listed(self) -> tuple[ShownFault, ...]:
        """Return the called and the standing faults, and the last mended one."""
        ...

    def call(self, fault: DemoFault, *, left: bool = False) -> None:
        """Call a fault, or for a standing fault let the simulated hands do their part of the repair.

        `left`: the simulated pit does not mend it.

        Raises `TableError` FAULT_NOT_POSSIBLE when this table cannot show it.
        """
        ...


class FaultRow(ViewModel):
    """A fault that a simulated table can show; `round` is the round in which it happened, 0 before it has.

    `stage`: a `called` fault comes as soon as the round allows it. `as_planned`: the round paid what it would
    have paid without the fault; None while unknown.
    """

    fault: DemoFault
    stage: Literal["ready"] | FaultStage
    round: int = 0
    as_planned: bool | None = None
