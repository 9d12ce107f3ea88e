"""The transaction of one line: the table as it changes, the effects in order, and rulings on a round."""

from dataclasses import replace
from typing import Final, Literal

from controller.acts.catalogue import (
    AmendReveal,
    CardRuling,
    CardSeen,
    Correct,
    DeviceSeen,
    Exposed,
    HoldsLifted,
    Move,
    Observation,
    Paid,
    Reveal,
    Ruling,
    ShoeVoided,
    Strike,
    Void,
)
from controller.domain import Adjusted, Alert, Notice, Params, Refused, Settled, TableError
from controller.engine.hands import hole_of
from controller.engine.rulings import QUESTIONABLE, is_counted
from controller.engine.settle import (
    DISPUTED,
    NOT_PAYABLE,
    SETTLED,
    is_final,
    waiting,
    wanted,
)
from controller.engine.state import ACTIVE, TableState
from controller.engine.table import differences, step
from controller.irregularities import FaultCode, Release
from controller.policy.allowed import is_mended, require_in_profile, require_second
from controller.policy.holds import (
    ASKED,
    HOLE_ASKED,
    INSURANCE_ASKED,
    Hold,
    faults_of,
    hands_of,
    is_void,
    missed,
    round_of,
    ruling_for,
)
from controller.policy.line import KeptCard, Person, TableLine
from controller.policy.money import Payout
from controller.policy.run import (
    CardKept,
    Effect,
    Held,
    House,
    Inferred,
    Noticed,
    PayoutNoted,
    Released,
    TableRun,
    Took,
    waived,
    with_fact,
    with_hold,
    without_hold,
)

EXPOSED: Final[FaultCode] = "HOLE_CARD_EXPOSED"

QUESTIONS: Final = frozenset((ASKED, HOLE_ASKED, INSURANCE_ASKED))
"""What is asked about the card that waits first."""

HOLDING: Final = frozenset(("CARD_UNREAD", "TOO_MANY_OF_A_KIND", "BURN_MISSED", "SHOE_OVERRUN"))
"""Warnings of the engine that are faults of cards, and so hold a table."""

_NONE_HELD: Final = frozenset[str]()


class Desk:
    """Takes the facts of one line; `effects` contains what followed."""

    def __init__(self, house: House, run: TableRun) -> None:
        """Begin at a table between two lines."""
        self.house: Final = house
        self.run = run
        self.card_ms = run.last_card_ms
        """When the last card came, this line's included."""
        self.effects: list[Effect] = []
        self.refused: Observation | None = None
        """What the engine has refused."""

    @property
    def state(self) -> TableState:
        """The engine's state as it is now."""
        return self.run.state

    def fact(self, observation: Observation, by: Person, mark: int, *, kept: bool = False) -> None:
        """Give an observation to the engine; begin and end holds by it. Raises the engine's refusal."""
        before, taken = self.run, step(self.run.state, observation)
        for notice in taken.notices:
            if isinstance(notice, Refused):
                self.refused = observation
                raise TableError(notice.code, **dict(notice.params))
        self.run = with_fact(before, observation, taken.state, self.card_ms)
        notices = self._of_the_table(taken.notices)
        place = len(self.effects)
        self.lift_mended(observation, before, mark)
        self._hold_faults(observation, before, notices, mark)
        notices = self._without_early_result(before.state, notices)
        # Before the holds that it ended and began: the fact precedes its release in every journal.
        self.effects.insert(place, Took(mark, observation, by, notices, before.state, taken, kept))
        if self.run.unreported and not self.run.holds:
            self._conclude(mark)
        self._infer_stands(before.state, mark)

    def _without_early_result(self, before: TableState, notices: tuple[Notice, ...]) -> tuple[Notice, ...]:
        """The notices without a round's settlement while the table waits for a ruling.

        An adjustment is against the last settlement that went out; a first one adjusts nothing.
        """
        if not notices:
            return notices
        number = self.state.book.number
        known = [one for one in notices if isinstance(one, Settled) and one.result.round == number]
        settled = any(one.result.status == SETTLED for one in known)
        if settled and not is_final(before.settlement.status) and self.run.unreported != number:
            self.run = replace(self.run, unreported=number, reported=before.settlement.paid_out)
        if self.run.unreported != number:
            return notices
        others = tuple([one for one in notices if not isinstance(one, Adjusted) or one.round != number])
        final = next((one for one in known if is_final(one.result.status)), None)
        if final is None:
            return others
        if settled and self.run.holds:
            return tuple([one for one in others if one is not final])
        at = others.index(final)
        return (*others[:at], *self._reported(final), *others[at + 1 :])

    def _reported(self, final: Settled) -> tuple[Notice, ...]:
        """Return the settlement to publish, after its adjustment of an earlier published one."""
        known, bets = self.run.reported, final.result.bets
        self.run = replace(self.run, unreported=0, reported=None)
        moved = () if known is None else differences(known, bets)
        return (Adjusted(final.result.round, moved), final) if moved else (final,)

    def _conclude(self, mark: int) -> None:
        """Say how the round has settled, now that nothing holds; not where it was reopened meanwhile."""
        result = self.state.settlement.result
        settled = self.state.settlement.status == SETTLED and self.state.book.number == self.run.unreported
        if settled and result is not None:
            self.effects += [Noticed(mark, notice) for notice in self._reported(Settled(result))]

    def lift_mended(self, observation: Observation, before: TableRun, mark: int) -> None:
        """Lift each hold that the accepted observation ends."""
        for hold in self.run.holds:
            if is_mended(self.run, hold, observation, before):
                self.release(hold, mark, resumed=isinstance(observation, HoldsLifted))

    def release(self, hold: Hold, mark: int, *, resumed: bool = False) -> None:
        """Lift one hold; `resumed`: a person resumed play although the fault persists."""
        self.run = without_hold(self.run, hold)
        self.effects.append(Released(mark, hold, resumed))

    def hold(self, hold: Hold, mark: int) -> None:
        """Begin a hold; a table in shadow records it and resumes at once."""
        self.run = with_hold(self.run, hold)
        self.effects.append(Held(mark, hold))
        if self.house.in_shadow:
            self.waive(hold)
            self.release(hold, mark, resumed=True)

    def ask(
        self,
        code: str,
        kept: KeptCard,
        params: Params = (),
        *,
        card: int = 0,
        box: int = -1,
        release: Release | None = None,
    ) -> bool:
        """Ask about a card, which waits for the answer; False in shadow, where it is laid as it seems."""
        if not self.house.in_shadow:
            self.keep(kept, first=True)
        self.hold_for(code, kept.mark, params, card=card, box=box, release=release)
        return not self.house.in_shadow

    def hold_for(
        self,
        code: str,
        mark: int,
        params: Params = (),
        *,
        number: int = 0,
        card: int = 0,
        box: int = -1,
        fault: bool = False,
        owed: bool = False,
        release: Release | None = None,
    ) -> None:
        """Make the table wait as the house's profile has it; `number` is the round, this one by default."""
        ruling = ruling_for(self.house.profile, code)
        # Without a card that waits there is nothing to rule on, only an answer to wait for.
        ways = (
            ruling.ways if card or code != ASKED else tuple(way for way in ruling.ways if way == "void_round")
        )
        within = number or self.state.book.number
        self.hold(Hold(code, release or ruling.release, ways, params, within, card, box, fault, owed), mark)

    def alert(
        self, code: str, mark: int, params: Params = (), severity: Literal["warning", "critical"] = "critical"
    ) -> None:
        """Raise an alert of the table itself."""
        alert = Alert(code, severity, self.state.book.number, params)
        self.effects.append(Noticed(mark, alert))

    def infer(self, what: str, mark: int, box: int = 0, hand: int = 0) -> None:
        """Record an inferred act."""
        self.effects.append(Inferred(mark, what, box, hand))

    def note_payout(self, payout: Payout, by: Person, mark: int) -> None:
        """Put a payout into the books, where this table has them."""
        if self.house.options.payouts is not None:
            self.effects.append(PayoutNoted(mark, payout, by))

    def burn_kept(self) -> None:
        """Cards that waited while their round was voided lie with the burned ones."""
        waiting, self.run = self.run.kept, replace(self.run, kept=())
        for kept in waiting:
            burned = kept.card if kept.card.out else kept.card._replace(to="burn", box=None, hand=None)
            self.fact(burned, kept.by, kept.mark, kept=True)

    def keep(self, kept: KeptCard, *, first: bool = False) -> None:
        """Keep a card until the hold ends; `first`: it is asked about and precedes the waiting cards."""
        waiting = (kept, *self.run.kept) if first else (*self.run.kept, kept)
        self.run = replace(self.run, kept=waiting)
        self.effects.append(CardKept(kept.mark, kept))

    def replace_kept(self, kept: tuple[KeptCard, ...]) -> None:
        """Replace the waiting cards: an answer has placed one of them."""
        self.run = replace(self.run, kept=kept)

    def note_device(self, seen: DeviceSeen) -> None:
        """Remember whether a device is there."""
        others = tuple([name for name in self.run.lost if name != seen.name])
        self.run = replace(self.run, lost=others if seen.state == "live" else (*others, seen.name))

    def waive(self, hold: Hold) -> None:
        """The round goes on in spite of this fault."""
        self.run = waived(self.run, hold)

    def _of_the_table(self, notices: tuple[Notice, ...]) -> tuple[Notice, ...]:
        """Return the notices without the waived alerts, and with faults of cards as critical."""
        if not notices:
            return notices
        waived = self.run.waived
        open_still = [
            notice
            for notice in notices
            if not (isinstance(notice, Alert) and (notice.code, notice.round) in waived)
        ]
        return tuple(
            notice._replace(severity="critical")
            if isinstance(notice, Alert) and notice.code in HOLDING
            else notice
            for notice in open_still
        )

    def _hold_faults(
        self, observation: Observation, before: TableRun, notices: tuple[Notice, ...], mark: int
    ) -> None:
        """Begin a hold for each fault that is new, and for each critical alert without one."""
        state = self.run.state
        number = getattr(observation, "round", None) or before.state.book.number
        held = self._hold_set_aside(number, before.state, mark)
        for notice in notices:
            if isinstance(notice, Alert) and notice.severity == "critical" and notice.code not in held:
                self._hold_alert(notice, observation, mark)
        owed = missed(state)
        if owed is not None and missed(before.state) != owed:
            self._hold_gap(observation, mark)

    def _hold_set_aside(self, number: int, before: TableState, mark: int) -> frozenset[str]:
        """Begin a hold for each fact that the engine newly set aside; return their codes.

        A fault in a void round or box needs no ruling: its stakes are returned in any case.
        """
        new = round_of(self.run.state, number)
        if new is None or not (new.settlement.faults or new.settlement.status == DISPUTED):
            return _NONE_HELD
        old = round_of(before, number)
        known = [(fault.code, fault.fact) for fault, _ in faults_of(old)] if old is not None else []
        begun = [(fault, card) for fault, card in faults_of(new) if (fault.code, fault.fact) not in known]
        for fault, card in begun:
            params = fault.params
            self.hold_for(fault.code, mark, params, number=number, card=card, box=fault.box, fault=True)
        standing = [fault for fault, _ in faults_of(new)]
        answered = frozenset(fault.code for fault in new.settlement.faults if fault not in standing)
        code = new.settlement.code
        disputed = new.settlement.status == DISPUTED and code is not None and not faults_of(new)
        if disputed and (old is None or old.settlement.code != code):
            self._hold_dispute(str(code), new, mark)
            return answered | {str(code)}
        return answered.union(fault.code for fault, _ in begun)

    def _hold_dispute(self, code: str, within: TableState, mark: int) -> None:
        """Begin the hold of a round that cannot settle though every fact fits, or one for each payout."""
        number = within.book.number
        asked = waiting(within) if code == NOT_PAYABLE else ()
        for bet in asked:
            self.hold_for(code, mark, wanted(bet), number=number, box=bet.box, fault=True)
        if not asked:
            self.hold_for(code, mark, number=number, fault=True)

    def _hold_alert(self, alert: Alert, observation: Observation, mark: int) -> None:
        """Begin the hold of an alert that sets no fact aside."""
        card = self._card_of(observation) if alert.code in HOLDING else 0
        params = dict(alert.params)
        box = params.get("box", -1)
        where = box if isinstance(box, int) else -1
        self.hold_for(alert.code, mark, alert.params, number=alert.round, card=card, box=where)

    def _card_of(self, observation: Observation) -> int:
        """The number of the card that an observation is about."""
        if isinstance(observation, Correct):
            return observation.card or 0
        hole = hole_of(self.state.dealer)
        if isinstance(observation, Reveal) and hole is not None:
            return hole.n
        return self.state.cards_seen

    def _hold_gap(self, observation: Observation, mark: int) -> None:
        """Begin the hold for a box, or the dealer, that the deal has passed over."""
        owed = missed(self.state) or 0
        got = observation.box or 0 if isinstance(observation, CardSeen) else 0
        code = "MISSED_CARD" if owed else "DEALER_MISSED_CARD"
        params: Params = (("box", owed), ("got", got))
        self.alert(code, mark, params)
        self.hold_for(code, mark, params, card=self.state.cards_seen, box=owed or got)

    def _infer_stands(self, before: TableState, mark: int) -> None:
        """Infer a stand for each hand that a card to a later hand has ended."""
        state = self.state
        if before.book.number != state.book.number or before.boxes is state.boxes:
            return
        stood = [
            (box.box, hand.number)
            for box in state.boxes
            for hand in box.hands
            if hand.status == "stood_inferred"
        ]
        for number, hand_number in stood:
            if any(hand.number == hand_number and hand.status == ACTIVE for hand in hands_of(before, number)):
                self.infer("stand", mark, number, hand_number)


def rule(desk: Desk, line: TableLine, ruling: Ruling | ShoeVoided | Paid) -> None:
    """A ruling of the pit, or a dealer's own."""
    place = _kept_place(desk.run, ruling)
    if isinstance(ruling, CardRuling) and place >= 0:
        _rule_kept(desk, line, ruling, place)
        return
    require_in_profile(desk.run, ruling)
    require_second(desk.run, ruling, line.by, line.second)
    turned = _turned_too_early(desk) if isinstance(ruling, AmendReveal) else None
    if turned is not None:
        desk.release(turned, line.mark)
        return
    desk.fact(ruling, line.by, line.mark)
    if isinstance(ruling, Void) and ruling.round in (None, desk.state.book.number) and is_void(desk.state):
        desk.burn_kept()


def _turned_too_early(desk: Desk) -> Hold | None:
    """The hold for a turning before its time, which the rules have not taken as one."""
    holds = [hold for hold in desk.run.holds if hold.code == EXPOSED and not hold.fault]
    return holds[0] if holds and (holds[0].get("turned") or seen_turned(desk)) else None


def seen_turned(desk: Desk) -> Exposed | None:
    """Return the reading of a card turned too early; None when it was only exposed."""
    seen = [fact.obs for fact in desk.state.log if isinstance(fact.obs, Exposed)]
    return seen[-1] if seen and seen[-1].turned else None


def _kept_place(run: TableRun, ruling: object) -> int:
    """Return the index of the waiting card that a ruling names; -1 for any other card."""
    if not isinstance(ruling, CardRuling) or ruling.round not in (None, run.state.book.number):
        return -1
    for place, (number, kept) in enumerate(zip(_numbers_of(run), run.kept, strict=True)):
        named = ruling.card == number if ruling.card is not None else ruling.id == kept.card.id
        if named and number:
            return place
    return -1


def _numbers_of(run: TableRun) -> tuple[int, ...]:
    """Return the numbers of the waiting cards, in order; 0 for a burned card, which has no number."""
    number, numbers = run.state.cards_seen, list[int]()
    for kept in run.kept:
        number += kept.card.to != "burn"
        numbers.append(0 if kept.card.to == "burn" else number)
    return tuple(numbers)


def _rule_kept(desk: Desk, line: TableLine, ruling: CardRuling, place: int) -> None:
    """Rule on a waiting card: it will be placed as the pit ruled, in its turn.

    Raises NOT_IN_PROFILE, SECOND_NEEDED, or CARD_STRUCK for a card that was taken out before.
    """
    kept, number = desk.run.kept[place], _numbers_of(desk.run)[place]
    named = ruling._replace(card=number, id=None)
    require_in_profile(desk.run, named)
    require_second(desk.run, named, line.by, line.second)
    if kept.card.out is not None and not isinstance(ruling, Move):
        raise TableError("CARD_STRUCK", card=number, round=desk.state.book.number)
    moves = isinstance(ruling, Move)
    ruled = kept._replace(card=_ruled_card(kept.card, ruling), ruled=moves or kept.ruled)
    desk.replace_kept((*desk.run.kept[:place], ruled, *desk.run.kept[place + 1 :]))
    desk.effects.append(CardKept(line.mark, ruled, ruling))
    if place == 0:
        _end_questions(desk, ruled, line.mark, moved=moves)
    if isinstance(ruling, Strike) and ruling.struck_as in QUESTIONABLE:
        params = (("struck_as", str(ruling.struck_as)),)
        desk.alert("SHOE_QUESTIONED", line.mark, params)
        desk.hold_for("SHOE_QUESTIONED", line.mark, params)


def _ruled_card(card: CardSeen, ruling: CardRuling) -> CardSeen:
    """The card as the ruling has it."""
    match ruling:
        case Correct(rank=rank, suit=suit):
            return card._replace(rank=rank, suit=suit, p=None if rank is None else card.p)
        case Strike():
            return card._replace(out="burned" if is_counted(ruling) else "struck")
        case Move(to=to, box=box, hand=hand):
            return card._replace(to=to, box=box, hand=hand, out=None)


def _end_questions(desk: Desk, kept: KeptCard, mark: int, *, moved: bool) -> None:
    """End the questions about a card that was taken out, and about the hand of a card that was moved."""
    for hold in desk.run.holds:
        if hold.code in QUESTIONS and (kept.card.out is not None or (moved and hold.code == ASKED)):
            desk.release(hold, mark)
