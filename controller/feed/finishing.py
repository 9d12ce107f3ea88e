"""What a line of the feed says in another way than an act's shape, turned round once it is read."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from controller.acts.catalogue import ACTS, Observation
from controller.acts.rulings import HandName
from controller.domain.cards import card_named

Finish = Callable[[Any], Observation]
"""Takes the observation with the values of the line."""

RULED_BY: Final = "pit:replay"
"""Who has ruled where a line does not say it."""


def finish_of(kind: type[Any]) -> Finish | None:
    """How an observation of this kind is finished; None where a line says the same as its shape."""
    turned = {field: turn for field, turn in _TURNS.items() if field in kind._fields}
    signed, own = "reason" in kind._fields, ACTS[kind].finish
    if not (turned or signed or own):
        return None

    def finish(built: Any) -> Observation:
        changed = {field: turn(getattr(built, field)) for field, turn in turned.items()}
        if signed and built.by is None:
            changed["by"] = RULED_BY
        finished: Observation = built._replace(**changed) if changed else built
        return own(finished) if own else finished

    return finish


def _hand(named: Mapping[str, int]) -> HandName:
    return HandName(named["box"], named["hand"])


def _listed(entered: Sequence[Any] | None) -> tuple[Any, ...] | None:
    return None if entered is None else tuple(entered)


def _pairs(named: Any) -> Any:
    """Amounts or pieces by what they are of, ascending; a player's own chips are one amount."""
    if not isinstance(named, dict):
        return named
    return tuple(sorted((int(key), amount) for key, amount in named.items()))


def _cards(named: Any) -> Any:
    """The cards of a shoe's rest; of a fresh shoe it is their number, of a shuffle a word."""
    if not isinstance(named, list):
        return named
    return tuple(card_named(name[:-1], name[-1]) for name in named)


_TURNS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "seats": _listed,
    "codes": _listed,
    "stakes": _pairs,
    "chips": _pairs,
    "cards": _cards,
    "from_hand": _hand,
    "with_hand": _hand,
}
"""How a field that JSON has no type for is turned into the shape's, by the name of the field."""
