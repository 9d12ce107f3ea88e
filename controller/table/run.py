"""A table as its policy sees it: the engine's state, what holds, which cards wait."""

from dataclasses import dataclass, replace
from typing import final

from controller.domain.irregularities import Profile
from controller.engine.state import TableState
from controller.table.holds import Hold
from controller.table.options import DEFAULT_OPTIONS, TableOptions
from controller.table.told import KeptCard


@final
@dataclass(frozen=True, slots=True)
class House:
    """What a house has settled for its table: the profile of irregularities and the options."""

    profile: Profile
    options: TableOptions = DEFAULT_OPTIONS


@final
@dataclass(frozen=True, slots=True)
class TableRun:
    """A table between two lines.

    `lost` are the devices that are not there. `last_card_ms` is when the last card came. `waived` are the
    (code, round) of faults with which a supervisor has let the round go on.
    """

    state: TableState
    holds: tuple[Hold, ...] = ()
    kept: tuple[KeptCard, ...] = ()
    lost: tuple[str, ...] = ()
    last_card_ms: int | None = None
    waived: tuple[tuple[str, int], ...] = ()


def with_hold(run: TableRun, hold: Hold) -> TableRun:
    """The table with one more hold, in place of an older one about the same."""
    same = (hold.code, hold.round, hold.card, hold.get("seat"), hold.get("name"))
    others = [
        old for old in run.holds if (old.code, old.round, old.card, old.get("seat"), old.get("name")) != same
    ]
    return replace(run, holds=(*others, hold))


def without_hold(run: TableRun, hold: Hold) -> TableRun:
    """The table without this hold."""
    return replace(run, holds=tuple([held for held in run.holds if held is not hold]))
