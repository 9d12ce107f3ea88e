"""The list of all acts with their declarations; it exports every shape."""

from collections.abc import Mapping
from typing import Any, Final, get_args

from controller.acts.declaring import DECLARED, Declared
from controller.acts.desk import *  # noqa: F403  # a new shape is handed on by being there
from controller.acts.desk import DeskAct
from controller.acts.money import *  # noqa: F403
from controller.acts.money import MoneyAct
from controller.acts.round import *  # noqa: F403
from controller.acts.round import RoundAct
from controller.acts.rulings import *  # noqa: F403
from controller.acts.rulings import Ruling
from controller.acts.shoe import *  # noqa: F403
from controller.acts.shoe import ShoeAct

Observation = RoundAct | Ruling | ShoeAct | MoneyAct | DeskAct
"""What happens at a table."""

ACTS: Final[Mapping[type[Any], Declared]] = {kind: DECLARED[kind] for kind in get_args(Observation)}
RULINGS: Final = get_args(Ruling)
RULING_NAMES: Final = frozenset(ACTS[kind].name for kind in RULINGS)
"""Rulings by their `obs` in feed and journal; a new ruling is among them by being declared."""
CORRECTION_NAMES: Final = frozenset(ACTS[kind].name for kind in RULINGS if ACTS[kind].corrects)
"""The rulings that change what was entered."""


def declared(observation: Observation) -> Declared:
    """Return the declarations of an observation's act."""
    return ACTS[type(observation)]
