"""Which faults met which states of the round: a closed table, counted while tables are played."""

from collections import Counter
from typing import Final, Literal, get_args

from controller.config import CardsFrom
from controller.engine.cards import ExpectedCode
from tests.whole.at_rest import RestFault
from tests.whole.devices.seeded_camera import CameraFault
from tests.whole.devices.seeded_inputs import SmallFault
from tests.whole.devices.seeded_wire import LineFault
from tests.whole.disk import DiskFault

PeopleFault = Literal["mischief", "call"]
"""Somebody does what he may not · the pit stops the table."""

EndFault = Literal["await", "now"]
"""The program ends between two steps of its loop · between two acts."""

ShoeFault = LineFault | Literal["unplugged"]

FaultKind = DiskFault | RestFault | EndFault | PeopleFault | SmallFault | ShoeFault | CameraFault

SMALL: Final[tuple[FaultKind, ...]] = get_args(SmallFault)
DISK: Final[tuple[DiskFault, ...]] = get_args(DiskFault)
AT_REST: Final[tuple[RestFault, ...]] = get_args(RestFault)
BESIDE: Final[tuple[FaultKind, ...]] = ("forgotten", "lying", *AT_REST)
"""What befalls the files beside the journal alone, or all of them at rest."""
ENDS: Final[tuple[DiskFault | RestFault | EndFault, ...]] = (
    *DISK,
    *AT_REST,
    *get_args(EndFault),
)
"""What befalls the disk, or ends the program."""
ANYWHERE: Final[tuple[FaultKind, ...]] = (
    *ENDS,
    *get_args(PeopleFault),
    *SMALL,
)
SHOE: Final[tuple[FaultKind, ...]] = (*get_args(LineFault), "unplugged")
CAMERA: Final[tuple[CameraFault, ...]] = get_args(CameraFault)
KINDS: Final[tuple[FaultKind, ...]] = (*ANYWHERE, *SHOE, *CAMERA)

HELD: Final = "held "
OPENING: Final = "OPENING"
"""The program comes up: nothing but its disk and power can fail it then."""

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


def states_of(kind: FaultKind) -> tuple[str, ...]:
    """The states that a fault could meet."""
    # While a table comes up no head is synced.
    return STATES if kind in DISK and kind != "lying" else STATES[1:]


def never_met(met: Coverage, source: CardsFrom) -> tuple[Meeting, ...]:
    """What such a table could still meet, the rest of the closed table: first where its rounds do come to."""
    left = [(kind, state) for kind in kinds_at(source) for state in states_of(kind) if not met[kind, state]]
    come_to = {state for (_, state), count in met.items() if count}
    return tuple(sorted(left, key=lambda one: one[1] not in {OPENING, *come_to}))
