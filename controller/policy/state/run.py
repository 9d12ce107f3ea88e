"""A table as its policy sees it: the engine's state, what holds, which cards wait."""

from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import Final, NamedTuple, final

from controller.acts.catalogue import Observation
from controller.domain import BetResult, RuleSet
from controller.engine.state import TableState, new_table
from controller.irregularities import Profile
from controller.policy.state.counted_chips import NO_CHIPS, CountedChips, chips_after, with_answer
from controller.policy.state.holds import STAKE_ASKED, STAKE_CHANGED, Hold, is_same, kind_of
from controller.policy.state.line import KeptCard
from controller.policy.state.options import DEFAULT_OPTIONS, TableOptions
from controller.policy.state.rest_cards import Rest, rest_after
from controller.policy.state.slip_entered import SlipEntered


class SecondPerson(NamedTuple):
    """Which acts of the pit take two people; nothing does by default, as in a feed.

    `over_minor` is in minor units: a payout or stake that is put right by more than that takes two; None for
    any amount by one.
    """

    void_round: bool = False
    ended_round: bool = False
    shoe_void: bool = False
    limits: bool = False
    fill: bool = False
    credit: bool = False
    float_count: bool = False
    over_minor: int | None = None


NO_SECOND: Final = SecondPerson()


@final
@dataclass(frozen=True, slots=True)
class House:
    """What a house has settled for its table: the profile of irregularities, the options, what takes two."""

    profile: Profile
    options: TableOptions = DEFAULT_OPTIONS
    second: SecondPerson = NO_SECOND

    @property
    def in_shadow(self) -> bool:
        """Whether the table notes what it would have stopped, and never waits."""
        return self.options.mode == "shadow"


@final
@dataclass(frozen=True, slots=True)
class TableRun:
    """A table between two lines.

    `lost` are the devices that are not there. `last_card_ms` is when the last card came. `waived` are the
    (code, round) of faults with which a supervisor has let the round go on. `chips` is what chip sources see,
    `rest` what was counted of the shoe's rest, None where nobody counts it, `slip` the slip that was
    entered last. `unreported` is the round that
    was complete while the table waited, and is reported as settled once nothing holds any more; 0 for none.
    `reported` are the bets of that round as they went out before it was opened again, None where they never
    did.
    """

    state: TableState
    holds: tuple[Hold, ...] = ()
    kept: tuple[KeptCard, ...] = ()
    lost: tuple[str, ...] = ()
    last_card_ms: int | None = None
    waived: tuple[tuple[str, int], ...] = ()
    chips: CountedChips = NO_CHIPS
    rest: Rest | None = None
    slip: SlipEntered | None = None
    unreported: int = 0
    reported: tuple[BetResult, ...] | None = None


def new_run(house: House, rules: RuleSet) -> TableRun:
    """A table before its first round, watched as the house has it."""
    return TableRun(new_table(rules, watch=house.options.shuffle_watch))


def with_fact(run: TableRun, observation: Observation, state: TableState, card_ms: int | None) -> TableRun:
    """The table after a fact whose engine step led to `state`; the last card came at `card_ms`.

    As `replace`, which would take as long as the engine for each fact.
    """
    values = list(_VALUES(run))
    values[_STATE], values[_CARD_MS] = state, card_ms
    values[_CHIPS] = chips_after(run.chips, run.state, state, observation)
    values[_REST] = rest_after(run.rest, observation)
    return TableRun(*values)


_NAMES: Final = [field.name for field in fields(TableRun)]
_VALUES: Final = attrgetter(*_NAMES)
_STATE, _CHIPS, _REST, _CARD_MS = map(_NAMES.index, ("state", "chips", "rest", "last_card_ms"))


def with_hold(run: TableRun, hold: Hold) -> TableRun:
    """The table with one more hold, in place of an older one about the same."""
    others = [old for old in run.holds if not is_same(old, hold)]
    return replace(run, holds=(*others, hold))


def without_hold(run: TableRun, hold: Hold) -> TableRun:
    """The table without this hold; chips that it was about may lie as they do."""
    chips = _chips_without(run.chips, hold)
    return replace(run, holds=tuple([held for held in run.holds if held is not hold]), chips=chips)


def _chips_without(chips: CountedChips, hold: Hold) -> CountedChips:
    """What chip sources see once a hold is lifted: chips that it was about may lie as they do."""
    seat = hold.get("seat")
    about_chips = hold.code in (STAKE_ASKED, STAKE_CHANGED)
    return with_answer(chips, hold.box, seat) if about_chips and isinstance(seat, int) else chips


def waived(run: TableRun, hold: Hold) -> TableRun:
    """The table whose round goes on in spite of this fault."""
    run = replace(run, state=standing(run.state, hold.code))
    return replace(run, waived=(*run.waived, (hold.code, hold.round))) if kind_of(hold).stays else run


def standing(state: TableState, code: str) -> TableState:
    """The engine's state after a supervisor has let a fault stand: a burn that was missed is due no more."""
    if code != "BURN_MISSED":
        return state
    return replace(state, shoe=replace(state.shoe, burn_due=0))
