"""The state of the policy between two lines, and the effects of a line.

Each effect names its line by `mark`.
"""

from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import Final, NamedTuple, final

from controller.acts.catalogue import (
    CutCard,
    Observation,
    RestCard,
    RestCounting,
    ShoeAct,
    ShoeEnded,
    ShoeLoaded,
    ShoeShuffled,
    ShoeVoided,
)
from controller.domain import BetResult, Card, Notice, Params, RuleSet, card_named
from controller.engine.shoe import count_at_end
from controller.engine.state import TableState, new_table
from controller.engine.table import Step
from controller.irregularities import Profile
from controller.policy.holds import STAKE_ASKED, STAKE_CHANGED, Hold, is_same, kind_of
from controller.policy.line import DEFAULT_OPTIONS, KeptCard, Person, TableOptions
from controller.policy.money import NO_CHIPS, CountedChips, Payout, SlipEntered, chips_after, with_answer

REST_UNREAD: Final = "REST_CARD_UNREAD"
REST_EXTRA: Final = "REST_CARD_EXTRA"


class Rest(NamedTuple):
    """The cards that were read so far, each with rank and suit."""

    cards: tuple[Card, ...] = ()


def _rest_after(rest: Rest | None, observation: Observation) -> Rest | None:
    """Return the count after an accepted observation; None without a count."""
    if not isinstance(observation, ShoeAct):
        return rest
    match observation:
        case RestCounting(state=counting):
            return Rest() if counting == "begin" else None
        case RestCard(rank=rank, suit=suit, out=out):
            if rest is None or rank is None or suit is None:
                return rest
            return _counted(rest, Card(rank, suit), out=bool(out))
        case ShoeEnded() | ShoeLoaded() | ShoeShuffled() | ShoeVoided():
            return None  # The counted shoe is in use no more, or its cards are others.
        case CutCard():
            return rest


def _counted(rest: Rest, card: Card, *, out: bool) -> Rest:
    if not out:
        return Rest((*rest.cards, card))
    left = list(rest.cards)
    if card in left:
        left.remove(card)
    return Rest(tuple(left))


def is_extra(state: TableState, rest: Rest, card: Card) -> bool:
    """Whether this card was counted more often than the packs contain it; False without a loaded shoe.

    Cards without a suit count by their rank alone.
    """
    shoe, count = state.shoe, count_at_end(state)
    if not shoe.loaded or card.rank is None:
        return False
    of_rank = [seen for kind, seen in count.suits.items() if kind.rank == card.rank]
    suitless = count.ranks[card.rank] - sum(of_rank)
    in_rest = sum(one.rank == card.rank for one in rest.cards)
    one_suit = count.suits[card] + rest.cards.count(card)
    return one_suit > shoe.decks or (suitless > 0 and count.ranks[card.rank] + in_rest > 4 * shoe.decks)


def rest_stands(state: TableState, rest: Rest | None, params: Params) -> bool:
    """Whether the running count still contains a surplus card."""
    if rest is None:
        return False
    named = dict(params)
    return is_extra(state, rest, card_named(str(named["rank"]), str(named["suit"])))


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
    values[_REST] = _rest_after(run.rest, observation)
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


class Took(NamedTuple):
    """An observation that the engine accepted; `kept`: a card that had waited.

    `notices` are the notices that the table reports. `step` is the engine's answer to the state `before`; the
    journal adopts it, so that the engine computes it once.
    """

    mark: int
    observation: Observation
    by: Person
    notices: tuple[Notice, ...]
    before: TableState
    step: Step
    kept: bool = False


class Noticed(NamedTuple):
    """An alert of the table's own, or the result of a round that was complete while the table waited."""

    mark: int
    notice: Notice


class Held(NamedTuple):
    """From here on the table waits."""

    mark: int
    hold: Hold


class Released(NamedTuple):
    """A lifted hold: its fault has ended, or a person `resumed` play."""

    mark: int
    hold: Hold
    resumed: bool = False


class Inferred(NamedTuple):
    """An act without a report that the state implies: `what` is a decision, or reveal."""

    mark: int
    what: str
    box: int = 0
    hand: int = 0


class PayoutNoted(NamedTuple):
    """A payout for the books: reported now, or computed because it was not confirmed."""

    mark: int
    payout: Payout
    by: Person


class CardKept(NamedTuple):
    """A card waits until the table goes on; by a `ruling` on a waiting card it waits as this one."""

    mark: int
    kept: KeptCard
    ruling: Observation | None = None


class Refusal(NamedTuple):
    """The line was refused and has changed nothing; `by_rules`: the engine itself refused it."""

    mark: int
    code: str
    params: Params
    by: Person
    by_rules: bool = False


Effect = Took | Noticed | Held | Released | Inferred | PayoutNoted | CardKept | Refusal
