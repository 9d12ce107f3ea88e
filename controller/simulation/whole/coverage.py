"""Which faults met which states of the round: a closed table, counted while tables are played."""

from collections import Counter
from typing import Final, Literal, get_args

from controller.config.witnesses import CardsFrom
from controller.engine.round.expected import ExpectedCode
from controller.simulation.whole.devices.seeded_camera import CameraFault
from controller.simulation.whole.devices.seeded_inputs import SmallFault
from controller.simulation.whole.devices.seeded_wire import LineFault
from controller.simulation.whole.disk import DiskFault

PeopleFault = Literal["mischief", "call"]
"""Somebody does what he may not · the pit stops the table."""

EndFault = Literal["await", "now"]
"""The program ends between two steps of its loop · between two acts."""

ShoeFault = LineFault | Literal["unplugged"]

FaultKind = DiskFault | EndFault | PeopleFault | SmallFault | ShoeFault | CameraFault

SMALL: Final[tuple[FaultKind, ...]] = get_args(SmallFault)
ANYWHERE: Final[tuple[FaultKind, ...]] = (
    *get_args(DiskFault),
    *get_args(EndFault),
    *get_args(PeopleFault),
    *SMALL,
)
SHOE: Final[tuple[FaultKind, ...]] = (*get_args(LineFault), "unplugged")
CAMERA: Final[tuple[FaultKind, ...]] = get_args(CameraFault)
KINDS: Final[tuple[FaultKind, ...]] = (*ANYWHERE, *SHOE, *CAMERA)

HELD: Final = "held "
OPENING: Final = "OPENING"
"""The program comes up."""

CODES: Final[tuple[ExpectedCode, ...]] = get_args(ExpectedCode)
STATES: Final = (OPENING, *CODES, *(HELD + code for code in CODES))
"""What the table waits for, free or held; STAND and VOIDED pass within one act where nothing holds."""

Meeting = tuple[FaultKind, str]
"""A fault, and a state of the round that it met."""

Coverage = Counter[Meeting]
"""How many times each was met."""


def kind_named(word: str) -> FaultKind:
    """A fault by its word. Raises `StopIteration` for one that there is not."""
    return next(kind for kind in KINDS if kind == word)


def kinds_at(source: CardsFrom) -> tuple[FaultKind, ...]:
    """The faults that a table with these witnesses can have."""
    match source:
        case "shoe":
            return (*ANYWHERE, *SHOE)
        case "camera":
            return (*ANYWHERE, *CAMERA)
        case "both":
            return KINDS


def never_met(met: Coverage, source: CardsFrom) -> tuple[Meeting, ...]:
    """What such a table could still meet, the rest of the closed table."""
    return tuple((kind, state) for kind in kinds_at(source) for state in STATES if not met[kind, state])
