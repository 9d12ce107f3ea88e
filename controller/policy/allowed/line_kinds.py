"""What each kind of line is to the table beside the rules, a row an act: from whom, when, and with whom."""

from typing import Final, NamedTuple

from controller.domain import observations as obs
from controller.domain import table_events as events
from controller.policy.allowed.permissions import Act
from controller.policy.state.line_person import REPLAY, Person


class LineKind(NamedTuple):
    """One row.

    `act` is what the table of permissions calls it, where nothing but its type says so. `pit`: it comes from
    the pit where the line does not say from whom. `second` is the field of `SecondPerson` by which a house
    has two people do it, `dealer_signs`: the second may be the dealer, before whose eyes the chips move.
    `in_count`: it may be told while the shoe's rest is counted. `timeless`: it says the same whatever has
    happened meanwhile; the engine refuses it when it is late.
    """

    act: Act
    pit: bool = False
    second: str = ""
    dealer_signs: bool = False
    in_count: bool = False
    timeless: bool = False


_RULING: Final = LineKind(Act.RULING, pit=True)

_MONEY: Final = LineKind(Act.FILL, pit=True, second="fill", dealer_signs=True, in_count=True)

_KINDS: Final[dict[type, LineKind]] = {
    obs.ShoeLoaded: LineKind(Act.SHOE),
    obs.Bet: LineKind(Act.BET, timeless=True),
    obs.Close: LineKind(Act.CLOSE, timeless=True),
    obs.CardSeen: LineKind(Act.CARD, in_count=True),
    obs.Decision: LineKind(Act.DECISION),
    obs.Insurance: LineKind(Act.INSURANCE, timeless=True),
    obs.EvenMoney: LineKind(Act.EVEN_MONEY, timeless=True),
    obs.InsuranceClosed: LineKind(Act.INSURANCE_CLOSED, timeless=True),
    obs.Peek: LineKind(Act.PEEK),
    obs.Reveal: LineKind(Act.REVEAL),
    obs.CutCard: LineKind(Act.CUT_CARD, timeless=True),
    obs.ChipReading: LineKind(Act.CHIP_READING, in_count=True),
    obs.Exposed: LineKind(Act.EXPOSED),
    obs.Leave: LineKind(Act.LEAVE),
    obs.DeviceSeen: LineKind(Act.DEVICE, in_count=True),
    obs.Paid: LineKind(Act.PAID, timeless=True),
    obs.Chips: LineKind(Act.CHIPS),
    obs.Bank: LineKind(Act.BANK),
    obs.End: LineKind(Act.END),
    events.ShoeShuffled: LineKind(Act.SHUFFLE),
    events.ShoeEnded: LineKind(Act.SHOE_END, in_count=True),
    events.ShoeVoided: LineKind(Act.RULING, pit=True, second="shoe_void", in_count=True),
    events.RestCounting: LineKind(Act.REST_COUNT, in_count=True),
    events.RestCard: LineKind(Act.REST_CARD, pit=True, in_count=True),
    events.Limits: LineKind(Act.LIMITS, pit=True, second="limits", in_count=True, timeless=True),
    events.TableDay: LineKind(Act.TABLE, in_count=True),
    events.DealerSeated: LineKind(Act.DEALER, in_count=True),
    events.FloatCounted: LineKind(
        Act.COUNT, pit=True, second="float_count", dealer_signs=True, in_count=True
    ),
    events.Fill: _MONEY,
    events.Credit: _MONEY._replace(act=Act.CREDIT, second="credit"),
    events.SlipVoided: LineKind(Act.SLIP_VOID, pit=True, dealer_signs=True),
    events.Drop: LineKind(Act.DROP, in_count=True),
    events.HoldsLifted: LineKind(Act.RESUME, pit=True, in_count=True),
    events.Note: LineKind(Act.NOTE, pit=True, in_count=True, timeless=True),
    events.Freeze: LineKind(Act.FREEZE, pit=True, in_count=True, timeless=True),
    events.Rated: LineKind(Act.RATING, pit=True, in_count=True, timeless=True),
    events.Message: LineKind(Act.MESSAGE, pit=True, in_count=True, timeless=True),
}


def kind_of(observation: obs.Observation) -> LineKind:
    """The row of an observation; every kind without one is a ruling."""
    return _KINDS.get(type(observation), _RULING)


def default_person(observation: obs.Observation) -> Person:
    """Who tells a line that does not say it."""
    if isinstance(observation, obs.CardSeen):
        return Person("shoe")
    if isinstance(observation, obs.DeviceSeen):
        return Person("system")
    if isinstance(observation, obs.ChipReading) or (
        isinstance(observation, obs.Paid) and observation.how == "measured"
    ):
        return Person("chips", REPLAY)
    return Person("pit" if kind_of(observation).pit else "dealer", REPLAY)
