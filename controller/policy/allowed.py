"""Permissions: who may do an act now, with which second person, and which hold a ruling ends.

The live table checks each command and report with it, `stand17 replay --table` each line. The rules of
the game are checked after it. `docs/permissions.md` is printed from this module.
"""

from collections.abc import Iterable
from functools import cache, reduce
from operator import or_
from typing import Final, Literal, NamedTuple, assert_never

from controller.acts.catalogue import (
    ACTS,
    AmendClose,
    AmendDecision,
    AmendEvenMoney,
    AmendInsurance,
    AmendPeek,
    AmendReveal,
    AmendStake,
    CardSeen,
    ChipReading,
    Correct,
    Credit,
    Decision,
    Drop,
    Fill,
    FloatCounted,
    HoldsLifted,
    Limits,
    MoneyAct,
    Move,
    Observation,
    Paid,
    Reveal,
    Ruling,
    SlipVoided,
    Strike,
    Swap,
    Void,
    declared,
)
from controller.acts.declaring import (
    ALWAYS,
    NEVER,
    PEOPLE,
    PIT_ALONE,
    Act,
    Permission,
    Row,
    Situation,
    Subject,
    When,
)
from controller.domain import TableError
from controller.engine.cards import owed_anywhere, places
from controller.engine.hands import hidden_hole, hole_of
from controller.engine.refolding import numbered
from controller.engine.settle import NOT_PAYABLE, is_final, waiting
from controller.engine.state import BETS, DEAL, DEALER, DRAW, INSURANCE, Made, TableState
from controller.irregularities import HOLD_KINDS, OF_NO_RECORD, OWN_KINDS, Ends, Release, Way
from controller.policy.holds import (
    NO_HAND,
    WRONG_PAYOUT,
    Hold,
    card_fact,
    faults_of,
    is_one_too_many,
    is_out,
    is_void,
    kind_of,
    may_act,
    missed,
    payout_differs,
    round_of,
    waits_for_rank,
)
from controller.policy.line import REPLAY, Person, StaffRole, TableLine, TableRole, person_named
from controller.policy.money import differing, entered_stake
from controller.policy.run import SecondPerson, TableRun, rest_stands

ActingRole = StaffRole | TableRole | Literal["device"]
"""Whoever can stand behind an act: a person of the house by his employment, or a line's role.

A device reports (as shoe, camera or chips); as a sender of commands it may nothing.
"""


_BOTH: Final = Row(ALWAYS, ALWAYS)

_OF_NO_LINE: Final[dict[Act, Row]] = {
    Act.HANDLED: PEOPLE,
    Act.ALERT_SEEN: _BOTH,
    Act.ALERT: PIT_ALONE,
    Act.ORDER: PIT_ALONE,
    Act.NAME: PIT_ALONE,
    Act.EDITING: PIT_ALONE,
    Act.AUTOPLAY: _BOTH,
    Act.DRAW: _BOTH,
    # It names people: a dealer's colleagues, and the pit that rules on the dealer.
    Act.AUDIT: Row(NEVER, ALWAYS, administrator=ALWAYS, onlooker=ALWAYS),
    Act.STAFF_NOTE: Row(NEVER, NEVER, system=ALWAYS),
}
"""What screens and the table itself do that is no line of a feed; all other rows stand with their acts."""

_ROWS: Final = reduce(or_, (dict(one.permits) for one in ACTS.values()), _OF_NO_LINE)
PERMISSIONS: Final[dict[Act, Row]] = {act: _ROWS[act] for act in Act}
"""The whole table, in the order in which it is printed."""

DEALER_SECONDS: Final = frozenset(one.usual_permit for one in ACTS.values() if one.dealer_signs)
"""What a dealer may sign as the second person: chips that come, go or are counted at the table."""


def release_of(code: str) -> Release:
    """Return the role that lifts a hold without an entry in the profile."""
    kind = HOLD_KINDS.get(code) or OWN_KINDS.get(code, OF_NO_RECORD)
    return "pit" if kind.ruling is None else kind.ruling.release


_KINDS: Final = {**HOLD_KINDS, **OWN_KINDS}
DEALER_LIFTS: Final = frozenset(code for code in _KINDS if release_of(code) == "dealer")
"""Holds of no house's profile after which the dealer may go on alone; every other one is the pit's."""
ADMINISTRATOR_LIFTS: Final = frozenset(code for code, kind in _KINDS.items() if kind.administrator)
"""Holds that only an administrator lifts, and with them every other one that stands at that moment."""


@cache
def allowed(role: ActingRole, act: Act, situation: Situation) -> Permission:
    """Answer whether this role may do this act as the table stands: the one place that knows."""
    return _when(role, PERMISSIONS[act]).answer(situation)


def may_ever(role: ActingRole, act: Act) -> bool:
    """Whether this role may do this act in any situation."""
    return _when(role, PERMISSIONS[act]) != NEVER


def _when(role: ActingRole, row: Row) -> When:  # noqa: C901  # a case for each role
    match role:
        case "dealer":
            return row.dealer
        case "supervisor" | "pit_manager" | "pit":
            return row.pit
        case "shoe" | "camera":
            return row.device
        case "chips":
            return row.chips
        case "administrator":
            return row.administrator
        case "surveillance" | "tester":
            return row.onlooker
        case "system":
            return row.pit if row.system is None else row.system
        case "device":
            return NEVER


class StandingTable(NamedTuple):
    """A table as `controller.acts.declaring.Standing` asks it."""

    state: TableState

    def bets_are_open(self) -> bool:
        """Whether the round takes bets."""
        return self.state.phase == BETS

    def waits_for_rank(self, card: int) -> bool:
        """Whether an open card has no rank; a card dealt face down is not read."""
        seen = [fact.obs for fact in self.state.log if fact.n == card]
        face_down = any(isinstance(one, CardSeen) and one.face == "down" for one in seen)
        return waits_for_rank(self.state, card) and not face_down

    def was_last(self, box: int, hand: int, nth: int, round_: int | None) -> bool:
        """Whether this decision is the last entry, with no card or reveal after it."""
        return round_ in (None, self.state.book.number) and last_decision(self.state) == (box, hand, nth)

    def was_just_closed(self) -> bool:
        """Whether the bets are closed and no card was dealt since."""
        return self.state.phase == DEAL and not self.state.cards_seen


def last_decision(state: TableState) -> Made | None:
    """Return the last entered decision; None when a card or reveal came after it."""
    for fact in reversed(numbered(state)):
        if isinstance(fact.obs, CardSeen | Reveal):
            return None
        if isinstance(fact.obs, Decision):
            own = (fact.obs.box, fact.obs.hand)
            return next((made for made in fact.made if (made.box, made.hand) == own), None)
    return None


def require_second_person(rules: SecondPerson, run: TableRun, line: TableLine) -> None:
    """Raise SECOND_FOR_ACT where the house wants another person beside the pit user, and there is none."""
    if line.by.role != "pit" or not takes_two(rules, run.state, line.observation):
        return
    if not is_other(line.by, line.second, dealer_may=declared(line.observation).dealer_signs):
        raise TableError("SECOND_FOR_ACT")


def is_other(by: Person, second: str | None, *, dealer_may: bool = False) -> bool:
    """Whether a second person of the pit signs, other than the first: `pit:P7` and `P7` are one person."""
    if not second:
        return False
    other = person_named(second) or Person("pit", second)
    fits = other.role == "pit" or (dealer_may and other.role == "dealer")
    return fits and other.id != by.id


def takes_two(rules: SecondPerson, state: TableState, observation: Observation) -> bool:
    """Whether the house lists this act."""
    listed = declared(observation).second
    listed = listed(observation) if callable(listed) else listed
    if listed == "always" or (listed and getattr(rules, listed)):
        return True
    number = getattr(observation, "round", None)
    if rules.ended_round and number is not None and number != state.book.number:
        return True
    changed = _changed_minor(state, observation)
    return rules.over_minor is not None and changed > rules.over_minor


def _changed_minor(state: TableState, observation: Observation) -> int:  # a case for each act
    """By how much a payout, a stake or an insurance bet is put right; 0 for an act that names no amount."""
    within = round_of(state, getattr(observation, "round", None) or state.book.number)
    if within is None or not isinstance(observation, MoneyAct | Ruling):
        return 0
    match observation:
        case Paid(box=box, seat=seat, amount=amount):
            result = within.settlement.result
            due = {(bet.box, bet.seat): bet.returned for bet in result.bets} if result is not None else {}
            return abs(amount - due.get((box, seat), 0))
        case AmendStake(box=box, seat=seat, stake=stake):
            laid = {(one.box, at): lying for one in within.boxes for at, lying in one.bets}
            return abs(stake - laid.get((box, seat), 0))
        case AmendInsurance(box=box, seat=seat, stake=stake):
            laid = {(one.box, at): lying for one in within.boxes for at, lying in one.insurance}
            return abs(stake - laid.get((box, seat), 0))
        case AmendDecision() | AmendEvenMoney() | AmendPeek() | AmendReveal() | AmendClose():
            return 0
        case Correct() | Strike() | Move() | Swap() | Void():
            return 0
        case ChipReading() | FloatCounted() | Fill() | Credit() | SlipVoided() | Drop() | Limits():
            return 0  # No payout or stake; `second` of the act says when it takes two people.


def _way_of(hold: Hold, act: Observation) -> Way | None:
    """Return the way out of a hold that an act takes; None for an act that ends no hold."""
    lifts = declared(act).lifts
    return None if lifts is None else lifts.way_out(act, hold.ways)


def is_about(state: TableState, hold: Hold, act: Observation) -> bool:
    """Whether an act concerns this hold's fault."""
    lifts = declared(act).lifts
    if lifts is None:
        return False
    if not lifts.any_round:
        number = getattr(act, "round", None) or state.book.number
        if number != hold.round or kind_of(hold).of != "round":
            return False
    return lifts.about(act, _subject_of(state, hold))


def _subject_of(state: TableState, hold: Hold) -> Subject:
    """Return the subject of a hold, in the terms of an act."""
    kind = kind_of(hold)
    within = round_of(state, hold.round) if hold.card else None
    fact = None if within is None else card_fact(within, hold.card)
    return Subject(
        hold.code,
        hold.ways,
        hold.card,
        fact.obs.id if fact is not None and isinstance(fact.obs, CardSeen) else None,
        hold.box,
        (hold.get("box"), hold.get("seat")),
        (hold.get("box"), hold.get("hand")),
        of_hole=kind.hole,
        of_shoe=kind.cards or kind.of == "shoe",
    )


def answered(state: TableState, holds: tuple[Hold, ...], act: Observation | None) -> frozenset[str]:
    """The codes of the questions that an act answers; others may be asked the same."""
    answers = None if act is None else declared(act).answers
    if answers is None:
        return frozenset()
    return frozenset(hold.code for hold in holds if answers(act, _subject_of(state, hold)))


def subjects_of(state: TableState, hold: Hold) -> tuple[str, ...]:
    """Return the subjects of a ruling that concern this hold, as words for the pages.

    Words are `round`, `card:NUMBER`, `box:NUMBER`, `bettor:BOX:SEAT`, `hole`. The acts decide: each word is
    probed with a ruling.
    """
    number, box, seat = hold.round, hold.get("box"), hold.get("seat")
    probes: dict[str, Observation] = {
        "round": Void(None, "", "", number),
        f"card:{hold.card}": Correct(hold.card, None, None, None, "", "", number),
        "hole": AmendPeek(blackjack=False, by="", reason="", round=number),
    }
    if hold.box > 0:
        probes[f"box:{hold.box}"] = AmendStake(hold.box, 0, 0, "", "", number)
    if isinstance(box, int) and isinstance(seat, int):
        probes[f"bettor:{box}:{seat}"] = Paid(box, seat, 0, number)
    return tuple([word for word, probe in probes.items() if is_about(state, hold, probe)])


def require_in_profile(run: TableRun, ruling: Observation) -> None:
    """Raise NOT_IN_PROFILE when the house forbids this way out of a hold that the ruling concerns.

    A wrong payout does not forbid the way out of another hold on its round: its own hold stays.
    """
    about = [(hold, _way_of(hold, ruling)) for hold in run.holds if is_about(run.state, hold, ruling)]
    offered = any(way in hold.ways for hold, way in about)
    for hold, way in about:
        beside = offered and hold.code == WRONG_PAYOUT
        if way is not None and way not in hold.ways and not beside:
            raise TableError("NOT_IN_PROFILE", hold=hold.code, ways=", ".join(hold.ways))


def require_second(run: TableRun, ruling: Observation, by: Person, second: str | None) -> None:
    """Raise SECOND_NEEDED where a hold asks for two people and there is only one."""
    for hold in run.holds:
        if hold.release == "two" and is_about(run.state, hold, ruling) and not is_other(by, second):
            raise TableError("SECOND_NEEDED", hold=hold.code)


def is_mended(run: TableRun, hold: Hold, ruling: Observation, before: TableRun) -> bool:
    """Whether an accepted act ends a hold; `before` is the table before the act."""
    lifts, way = declared(ruling).lifts, _way_of(hold, ruling)
    at_once = lifts is not None and lifts.ends_at_once(ruling)
    # No fact shows whether such a hold is mended: the pit's ruling ends it.
    at_once = at_once or (way == "correct" and kind_of(hold).read_anew) or not is_looked_at(hold)
    # A void round's stakes are returned: that does not tell which were handed back before.
    at_once = at_once and not (way == "void_round" and hold.code == WRONG_PAYOUT)
    if at_once and way in hold.ways and is_about(before.state, hold, ruling):
        return True
    return not stands(run, hold, before)


def is_looked_at(hold: Hold) -> bool:
    """Whether the table's state shows the end of a fault, as it does for each fact that was set aside."""
    return hold.fault or kind_of(hold).ends not in ("ruling", "card", "camera")


def stands(run: TableRun, hold: Hold, before: TableRun) -> bool:
    """Whether a hold's fault persists; `before` is the table before the last line.

    Voiding a round ends its earlier faults. A fault that appears in a void round is judged as in any other
    round.
    """
    ends = kind_of(hold).ends
    if ends == "rest_count":
        return run.rest is not None
    if ends == "rest_extra":
        return rest_stands(run.state, run.rest, hold.params)
    within = round_of(run.state, hold.round)
    if within is None or ends == "resume":
        return True
    if ends == "payout":
        return payout_differs(within, hold.box, int(hold.get("seat") or 0))
    was = round_of(before.state, hold.round)
    if is_void(within) and (was is None or not is_void(was)):
        return ends == "kind_count" and "void_round" not in hold.ways
    if hold.fault:
        known = [(fault.code, number) for fault, number in faults_of(within)]
        disputed = within.settlement.code == hold.code and not known
        if disputed and hold.code == NOT_PAYABLE:
            return any((bet.box, bet.seat) == (hold.box, hold.get("seat")) for bet in waiting(within))
        return (hold.code, hold.card) in known or disputed
    return _shows(run, within, hold, ends)


def _shows(run: TableRun, within: TableState, hold: Hold, ends: Ends) -> bool:  # noqa: C901, PLR0912
    """Whether the hold's round still has its fault; one case per kind of end."""
    match ends:
        case "deal_order":
            return missed(within) is not None
        case "rank":
            return waits_for_rank(within, hold.card)
        case "kind_count":
            return is_one_too_many(run.state, within, hold.card)
        case "drawing":
            return within.phase == DRAW and not is_final(within.settlement.status)
        case "round_over":
            return not is_final(within.settlement.status) and not (hold.owed and not owed_anywhere(within))
        case "acting":
            return may_act(within, hold.box)
        case "card_place":
            return _lies_wrongly(within, hold)
        case "other_box" | "same_box":
            there = places(within).get(hold.card, DEALER)[0] == hold.box
            return _lies_wrongly(within, hold) and (not hold.card or there == (ends == "same_box"))
        case "entered_stake":
            unanswered = [one[:2] for one in differing(within, run.chips) if not one.answered]
            return (hold.box, hold.get("seat")) in unanswered
        case "known_stake":
            return _lies_otherwise(within, hold)
        case "decision":
            return _decision_unclear(run, within, hold)
        case "insurance":
            return within.phase == INSURANCE
        case "hole_rank":
            hole = hole_of(within.dealer)
            return hole is not None and hidden_hole(within.dealer) and hole.obs.rank is None
        case "picture":
            return _is_missing(within, hold)
        case "ruling" | "card" | "camera" | "resume" | "payout" | "rest_count" | "rest_extra":
            return True
        case _:
            assert_never(ends)


def _is_missing(within: TableState, hold: Hold) -> bool:
    """Whether the table lacks the card in the picture, beyond the cards that it had when the hold began."""
    box = int(hold.get("box") or 0)
    hidden = hole_of(within.dealer) if hidden_hole(within.dealer) else None
    cards = [seen for one in within.boxes if one.box == box for hand in one.hands for seen in hand.cards]
    lying = [str(seen.card) for seen in (cards if box else within.dealer.cards) if seen is not hidden]
    seen = str(hold.get("seen"))
    had = str(hold.get("known")).split()
    return _count(lying, seen) <= _count(had, seen)


def _count(cards: Iterable[str], seen: str) -> int:
    """Return the number of cards equal to this one; without a suit, compare the rank alone."""
    return sum(card == seen or card.rstrip("cdhs") == seen for card in cards)


def _lies_otherwise(within: TableState, hold: Hold) -> bool:
    """Whether a bettor's chips differ from the entered stake; chips in a void box are no stake."""
    void = any(box.box == hold.box and box.void for box in within.boxes)
    return not void and entered_stake(within, hold.box, int(hold.get("seat") or 0)) != hold.get("stake")


def _lies_wrongly(within: TableState, hold: Hold) -> bool:
    """Whether the card in question belongs to the round.

    A card without a number is in no round yet: it waits, or only a camera reported it.
    """
    if not hold.card:
        return True
    fact = card_fact(within, hold.card)
    return fact is not None and not is_out(fact)


def _decision_unclear(run: TableRun, within: TableState, hold: Hold) -> bool:
    if hold.params == NO_HAND:
        return bool(run.kept)
    at = within.current
    if at is None:
        return False
    return (at[0].box, at[1].number, 0) == (hold.get("box"), hold.get("hand"), at[1].owed)


_SHOES: Final = frozenset((Act.SHOE, Act.SHUFFLE, Act.SHOE_END, Act.REST_COUNT))

SHOWN: Final = frozenset((Act.DECISION, Act.END, Act.NAME_RANK))
"""What a dealer would tell, and the felt may show to a camera instead."""


def require_allowed(run: TableRun, line: TableLine) -> Permission:
    """Raise NOT_ALLOWED where this role may never tell this as the table stands; the answer otherwise."""
    answer = answer_to(run, line)
    if answer == "no":
        raise TableError("NOT_ALLOWED", role=line.by.role)
    return answer


def require_free(run: TableRun, line: TableLine, answer: Permission) -> None:
    """Raise TABLE_HELD where the table waits for something else; `answer` is that of `require_allowed`."""
    if answer == "held":
        codes = answered(run.state, run.holds, line.observation)
        raise TableError("TABLE_HELD", reason=next(one.code for one in run.holds if one.code not in codes))


def default_person(observation: Observation) -> Person:
    """Return the person of a line that names none."""
    if isinstance(observation, Paid) and observation.how == "measured":
        return Person("chips", REPLAY)
    role = declared(observation).unnamed
    return Person(role, "" if role in ("shoe", "system") else REPLAY)


def answer_to(run: TableRun, line: TableLine) -> Permission:
    """Ask the table of permissions for a line."""
    act = act_of(run.state, line.observation)
    # Without a named person, a shoe comes from and is counted by anyone who may bring it.
    unnamed_shoe = not line.named and act in _SHOES
    role: ActingRole = "pit" if unnamed_shoe and line.by.role == "dealer" else line.by.role
    if line.shown and role == "camera" and act in SHOWN:
        role = "dealer"
    return allowed(role, act, situation_of(run, line.observation))


def act_of(state: TableState, observation: Observation) -> Act:
    """Find the act that an observation is, as its declaration says it."""
    return declared(observation).permit_of(observation, StandingTable(state))


def situation_of(run: TableRun, observation: Observation | None) -> Situation:
    """Return the table's situation for an observation; None is an act that does not concern the round."""
    codes = observation.codes if isinstance(observation, HoldsLifted) else None
    holds = named_holds(run, codes)
    if not holds:
        return _free_situation(run.state)
    if _is_answer(run.state, holds, observation):
        return Situation.ANSWERING
    releases = {hold.release for hold in holds}
    if "two" in releases:
        return Situation.HELD_TWO
    return Situation.HELD_PIT if "pit" in releases else Situation.HELD_DEALER


def _free_situation(state: TableState) -> Situation:
    """Find how a table stands that nothing holds."""
    if state.phase == BETS and not state.boxes:
        return Situation.DAY_CLOSED if state.book.closed else Situation.NO_ROUND
    if is_final(state.settlement.status):
        return Situation.SETTLED
    return Situation.BETTING if state.phase == BETS else Situation.DEALING


def _is_answer(state: TableState, holds: tuple[Hold, ...], observation: Observation | None) -> bool:
    """Whether the observation answers all holds; other packs, or a count of them, pass every other hold."""
    if observation is None:
        return False
    lifts = declared(observation).lifts
    over_others = lifts is not None and lifts.over_others
    if over_others and any(is_about(state, hold, observation) for hold in holds):
        return True
    codes = answered(state, holds, observation)
    return all(hold.code in codes for hold in holds)


def named_holds(run: TableRun, codes: tuple[str, ...] | None) -> tuple[Hold, ...]:
    """Return the holds of these codes; all holds when `codes` is None."""
    if codes is None:
        return run.holds
    return tuple([hold for hold in run.holds if hold.code in codes])
