"""Errors of the engine: refusals of commands, and faults of cards on the layout."""

from collections.abc import Callable
from typing import NoReturn, ParamSpec

from controller.domain import TableError


class RuleRefusal(TableError):
    """The rules forbid the act; the state stays as it was."""


class CardFault(TableError):
    """A fact that happened and does not fit; it is set aside and the round waits for a ruling."""


class CardQueued(TableError):
    """A card that waits for the rank of an unread card before it."""


Args = ParamSpec("Args")


def permitted(verify: Callable[Args, object], *args: Args.args, **kwargs: Args.kwargs) -> bool:
    """The `can` face of an act: whether its `verify` face passes."""
    try:
        verify(*args, **kwargs)
    except (RuleRefusal, CardFault):
        return False
    return True


def refuse(code: str, **params: str | int) -> NoReturn:
    """Refuse an act."""
    raise RuleRefusal(code, **params)


def fault(code: str, **params: str | int) -> NoReturn:
    """Set a fact aside as a table fault."""
    raise CardFault(code, **params)
