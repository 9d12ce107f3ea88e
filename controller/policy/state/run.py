"""The state of the policy: the engine's state, the holds, the waiting cards."""

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
    """The pit's acts that take two people; none by default, as in a feed.

    `over_minor` is in minor units: a payout or stake changed by more than that takes two people; None: one
    person for any amount.
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
    """The settings of a house: the profile of irregularities, the options, the second person."""

    profile: Profile
    options: TableOptions = DEFAULT_OPTIONS
    second: SecondPerson = NO_SECOND

    @property
    def in_shadow(self) -> bool:
        """Whether the table records its holds and never waits."""
        return self.options.mode == "shadow"


@final
@dataclass(frozen=True, slots=True)
class TableRun:
    """A table between two lines.

    `lost` are the missing devices. `last_card_ms` is the time of the last card. `waived` contains the (code,
    round) of each fault that a supervisor accepted. `chips` contains the chip sources' readings, `rest` the
    counted cards of the shoe's rest (None without a count), `slip` the last entered slip. `unreported` is the
    round that was completed during a hold and is published after it; 0 for none. `reported` contains the
    published bets of that round before it was opened again; None when none were published.
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
    """Return the table after a fact whose engine step led to `state`; the last card came at `card_ms`.

    Equal to `replace`, which would take as long as the engine for each fact.
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
    """Return the readings after a hold is lifted: the chips that it concerned are accepted."""
    seat = hold.get("seat")
    about_chips = hold.code in (STAKE_ASKED, STAKE_CHANGED)
    return with_answer(chips, hold.box, seat) if about_chips and isinstance(seat, int) else chips


def waived(run: TableRun, hold: Hold) -> TableRun:
    """Return the table after a supervisor accepted this fault."""
    run = replace(run, state=standing(run.state, hold.code))
    return replace(run, waived=(*run.waived, (hold.code, hold.round))) if kind_of(hold).stays else run


def standing(state: TableState, code: str) -> TableState:
    """The engine's state after a supervisor has let a fault stand: a burn that was missed is due no more."""
    if code != "BURN_MISSED":
        return state
    return replace(state, shoe=replace(state.shoe, burn_due=0))
