"""What a form of the feed says in another way than the domain, turned round once it is read."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, cast, get_args

from controller.domain import observations as domain
from controller.domain import table_events
from controller.domain.cards import card_named

Finish = Callable[[Any, Mapping[str, Any]], domain.Observation]
"""Takes the observation as its form has it, and the values that were told."""

RULED_BY: Final = "pit:replay"
"""Who has ruled where a line does not say it."""

RULINGS: Final = (
    *get_args(domain.Ruling),
    table_events.ShoeVoided,
    table_events.HoldsLifted,
    table_events.Freeze,
)


def finish_of(kind: type[domain.Observation]) -> Finish | None:
    """How an observation of this kind is finished; None where its form says the same as the domain."""
    if kind in RULINGS:
        return _ruling
    return _FINISH.get(kind)


def _placed_card(card: domain.CardSeen, _: Mapping[str, Any]) -> domain.CardSeen:
    """A card with a box goes to that box."""
    return card if card.box is None or card.to is not None else card._replace(to="box")


def _decided(decision: domain.Decision, values: Mapping[str, Any]) -> domain.Decision:
    if decision.seats is None and decision.stakes is None:
        return decision
    return decision._replace(seats=_listed(values.get("seats")), stakes=_stakes(values.get("stakes")))


def _chips_entered(counted: Any, values: Mapping[str, Any]) -> domain.Observation:
    told: domain.Observation = counted._replace(chips=_stakes(values.get("chips")))
    return told


def _cards_left(ended: table_events.ShoeEnded, values: Mapping[str, Any]) -> table_events.ShoeEnded:
    if ended.cards is None:
        return ended
    return ended._replace(cards=tuple(card_named(name[:-1], name[-1]) for name in values["cards"]))


def _ruling(built: Any, values: Mapping[str, Any]) -> domain.Observation:
    """A ruling; where the line does not say who, it is the replay's pit."""
    get = values.get
    if built.by is None:
        built = built._replace(by=RULED_BY)
    match built:
        case domain.Strike(burn=None):
            return built._replace(burn=False)
        case domain.AmendDecision():
            return built._replace(seats=_listed(get("seats")), stakes=_stakes(get("stakes")))
        case table_events.HoldsLifted():
            return built._replace(codes=_listed(get("codes")))
        case domain.Swap():
            return built._replace(from_hand=_hand(values["from"]), with_hand=_hand(values["with"]))
    return cast(domain.Observation, built)


def _hand(told: Mapping[str, int]) -> domain.HandName:
    return domain.HandName(told["box"], told["hand"])


def _listed(told: Sequence[Any] | None) -> tuple[Any, ...] | None:
    return None if told is None else tuple(told)


def _stakes(named: Mapping[str, int] | None) -> tuple[tuple[int, int], ...] | None:
    return None if named is None else tuple(sorted((int(key), amount) for key, amount in named.items()))


_FINISH: Final[Mapping[type[domain.Observation], Finish]] = {
    domain.CardSeen: _placed_card,
    domain.Decision: _decided,
    table_events.FloatCounted: _chips_entered,
    table_events.Fill: _chips_entered,
    table_events.Credit: _chips_entered,
    table_events.ShoeEnded: _cards_left,
}
