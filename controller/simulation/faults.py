"""Faults that the demo shows on purpose: each happens where it would at a real table, and is mended.

Devices misread or lose their cable, hands lay a card at the wrong box, the dealer presses the wrong key. One
fault happens at a time, every few rounds or when the page calls it. The journal records it like any other.
"""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Final, NamedTuple

from controller.acts.catalogue import AmendDecision, CardSeen, Decision, End, Paid, Reveal
from controller.domain import Card, TableError
from controller.engine import expected, legal, step
from controller.engine.hands import hidden_hole, hole_of
from controller.engine.play import can_take, owed_at
from controller.engine.refolding import numbered
from controller.engine.state import BETS, OWED_HIT, Box, Hand, TableState
from controller.runtime.api import AlertStep, Observe, TableSnapshot
from controller.screens.words import DEMO_FAULTS, DemoFault, FaultRow
from controller.simulation.felt import World
from controller.simulation.moves import (
    PIT,
    REASON,
    Amounts,
    DrawCard,
    Handle,
    NextAct,
    PressKeys,
    amounts,
    guest_decision,
    ruled,
    way_out,
)

Acts = tuple[NextAct, ...]
"""Acts in their order; () where the round leaves no room for the fault now."""


class FaultScene(NamedTuple):
    """The table's snapshot, and the true layout."""

    snapshot: TableSnapshot
    world: World

    @property
    def code(self) -> str:
        """The code of the expected act."""
        return self.snapshot.expected.code

    @property
    def is_paying(self) -> bool:
        """Whether the round is settled and no box has been paid yet."""
        result, pay = self.snapshot.result, self.snapshot.pay
        handled = pay.handled if result is not None and pay.round == result.round else ()
        return self.code == "SETTLED" and result is not None and not handled

    def dealer_draws(self, state: TableState) -> bool:
        """Whether the dealer takes the next card, in a state with every hand finished."""
        hole = hole_of(state.dealer)
        if hole is not None and hidden_hole(state.dealer):
            card = self.world.truth(hole)
            state = step(state, Reveal(card.rank, card.suit)).state
        return expected(state).code == "DRAW"


_ASKED_FROM: Final = 17
"""A card for a hard hand of this total or more is asked about, where nobody entered a hit (table options)."""


def stuck_cards(scene: FaultScene) -> Acts:
    """Two cards come out of the shoe as one while a guest asked for a single card.

    Only where the second one has a place: the guest wants it as well, or he is the last one and the dealer
    draws next.
    """
    state, at = scene.snapshot.state, scene.snapshot.state.current
    coming = scene.world.ahead(2)
    if at is None or at[1].owed != OWED_HIT or len(coming) < 2:
        return ()
    after = step(state, CardSeen(coming[0].rank, coming[0].suit)).state
    if not _is_at(after, at):
        return ()
    said = guest_decision(after, legal(after))
    goes_on = said.action == "hit" or (said.action == "stand" and _ends_play(scene, after, said))
    return (DrawCard(with_next=True),) if goes_on else ()


def _ends_play(scene: FaultScene, state: TableState, stand: Decision) -> bool:
    """Whether the dealer takes the next card after this hand stands."""
    after = step(state, stand).state
    return after.current is None and scene.dealer_draws(after)


def _is_at(state: TableState, at: tuple[Box, Hand]) -> bool:
    """Whether this hand is still acting."""
    now = state.current
    return now is not None and (now[0].box, now[1].number) == (at[0].box, at[1].number)


def mistapped_stand(scene: FaultScene) -> Acts:
    """The dealer taps Stand for a guest who takes a card.

    When the card can pass for one of the next hand, the error shows only after it lies there; otherwise the
    dealer takes the tap back at once.
    """
    state, at = scene.snapshot.state, scene.snapshot.state.current
    if scene.code != "PLAYER" or at is None or not scene.world.ahead(1):
        return ()
    meant = guest_decision(state, scene.snapshot.acts)
    if meant.action != "hit":
        return ()
    stand = Decision(meant.box, meant.hand, "stand")
    if _takes_unasked(step(state, stand).state):
        tap = PressKeys((Observe(stand),), "dealer", meant=(meant,))
        return (tap, DrawCard(lies_at=(meant.box, meant.hand)))
    return (PressKeys((Observe(stand),), "dealer", meant=()),)


def _takes_unasked(state: TableState) -> bool:
    """Whether the next card passes for a hit of the acting hand."""
    at = state.current
    if at is None or owed_at(at[0]) >= 0:
        return False
    hand = at[1]
    soft = hand.total != hand.hard
    return can_take(hand, state.book.rules) and (soft or hand.total < _ASKED_FROM)


def _untapped(snapshot: TableSnapshot, *, late: bool) -> PressKeys | None:
    """Take the last stand that was entered back: the dealer's Undo, or `late` a ruling of the pit."""
    for fact in reversed(numbered(snapshot.state)):
        entered = fact.obs
        if isinstance(entered, Decision) and entered.action == "stand" and fact.made:
            made = next(one for one in fact.made if (one.box, one.hand) == (entered.box, entered.hand))
            if late:
                return ruled(AmendDecision(*made, None, PIT, REASON))
            undo = AmendDecision(*made, None, "simulated dealer", REASON)
            return PressKeys((Observe(undo),), "dealer", meant=())
    return None


UNREAD: Final = Card(None)

_STOPPED_ON: Final = range(12, 17)
"""Totals on which a dealer may believe to be done."""


def drew_on_17(scene: FaultScene) -> Acts:
    """The dealer is done and draws once more."""
    dealer = scene.snapshot.state.dealer
    done = dealer.revealed or dealer.hole < 0
    stood = done and 17 <= dealer.total <= 20 and len(dealer.cards) > 1
    if not (scene.is_paying and stood and scene.world.ahead(1)):
        return ()
    return (DrawCard(is_due=False),)


def stood_on_16(scene: FaultScene) -> Acts:
    """The dealer clears the table where one more card is due."""
    dealer = scene.snapshot.state.dealer
    if scene.code != "DRAW" or len(dealer.cards) < 2 or dealer.total not in _STOPPED_ON:
        return ()
    return (PressKeys((Observe(End()),), "dealer", meant=()),)


def wrong_box(scene: FaultScene) -> Acts:
    """A drawn card is laid at the neighbour's hand."""
    state, at = scene.snapshot.state, scene.snapshot.state.current
    if scene.code != "CARD_OWED" or at is None or not scene.world.ahead(1):
        return ()
    others = [box.box for box in state.boxes if box.box != at[0].box and not box.void]
    nearest = sorted(others, key=lambda box: abs(box - at[0].box))
    return (DrawCard(lies_at=(nearest[0], 1)),) if nearest else ()


def missed_box(scene: FaultScene) -> Acts:
    """A box is passed over in the deal: its card lies at the next one."""
    due = scene.snapshot.state.due
    if scene.code != "DEAL_BOX" or len(due) < 2 or not due[1] or not scene.world.ahead(1):
        return ()
    return (DrawCard(lies_at=(due[1], 1)),)


def unread_card(scene: FaultScene) -> Acts:
    """The reader cannot read a card."""
    if scene.code not in ("DEAL_BOX", "CARD_OWED") or not scene.world.ahead(1):
        return ()
    return (DrawCard(read_as=UNREAD),)


def one_too_many(scene: FaultScene) -> Acts:
    """The reader reads a card as one of a kind that is used up.

    The face-down card is not of that kind: before the reveal it must stay secret.
    """
    coming = scene.world.ahead(1)
    if scene.code != "DEAL_BOX" or not coming:
        return ()
    hole = hole_of(scene.snapshot.state.dealer)
    down = None if hole is None else scene.world.truth(hole)
    kinds = [card for card in scene.world.used_up() if card.rank != coming[0].rank and card != down]
    return (DrawCard(read_as=kinds[0]),) if kinds else ()


def wrong_payout(scene: FaultScene) -> Acts:
    """The dealer pays a winner nothing beside the stake, or a push as if it had won."""
    result = scene.snapshot.result
    if not scene.is_paying or result is None:
        return ()
    for bet in result.bets:
        if bet.returned:
            amount = bet.staked if bet.returned != bet.staked else 2 * bet.staked
            return (PressKeys((Observe(Paid(bet.box, bet.seat, amount)),), "dealer", meant=()),)
    return ()


def cable_pulled(scene: FaultScene) -> Acts:
    """The shoe's cable is pulled in the middle of a round."""
    return (Handle("pull_cable"),) if _has_begun(scene.snapshot.state) else ()


def smeared_lens(scene: FaultScene) -> Acts:
    """The lens of the camera over the table is smeared while cards lie there."""
    return (Handle("smear_lens"),) if scene.code == "PLAYER" else ()


def _has_begun(state: TableState) -> bool:
    """Whether cards are dealt and bets are closed, and the round is not settled yet."""
    return state.phase != BETS and state.cards_seen > 0 and state.settlement.status == "open"


_CAUSES: Final[Mapping[DemoFault, Callable[[FaultScene], Acts]]] = {
    "drew_on_17": drew_on_17,
    "stood_on_16": stood_on_16,
    "stuck_cards": stuck_cards,
    "wrong_box": wrong_box,
    "missed_box": missed_box,
    "unread_card": unread_card,
    "one_too_many": one_too_many,
    "wrong_payout": wrong_payout,
    "cable_pulled": cable_pulled,
    "smeared_lens": smeared_lens,
    "mistapped_stand": mistapped_stand,
}


_EVERY_ROUNDS: Final = 2
"""From a fault of the plan to the next one."""

_NOTICED_US: Final = 8_000_000
"""A fault that no device has reported after this time is noticed by a person at the table."""

_UNSEEN_BY_SHOE: Final[frozenset[DemoFault]] = frozenset(("unread_card",))
"""Faults of a reader in the shoe: a camera at its mouth does not have them."""


@dataclass
class StandingFault:
    """A fault that has begun.

    `acts` are still to happen; `noticed_us` is when the table or a person noticed it. `late`: a card came
    before that.
    """

    fault: DemoFault
    round: int
    began_us: int
    acts: deque[NextAct]
    noticed_us: int | None = None
    mending: bool = False
    late: bool = False


class PlannedFaults:
    """Lets faults happen and mends them; `FaultBoard` of the screens. Used on the table's loop."""

    def __init__(
        self,
        world: World,
        seed: int,
        *,
        mouth: bool = False,
        look_us: int = 0,
        every_rounds: int = _EVERY_ROUNDS,
        without: frozenset[DemoFault] = frozenset(),
        speed: float | None = None,
    ) -> None:
        """Prepare the faults. `mouth`: a camera sees the cards leave the shoe.

        `look_us` is the time for which a fault is shown. `every_rounds` is the number of rounds between two
        planned faults; 0: only called ones. `without` are those that this table cannot show. `speed`: see
        `FaultBoard`.
        """
        self.speed = speed
        self._world = world
        self._look_us = look_us
        self._every_rounds = every_rounds
        left_out = without | (_UNSEEN_BY_SHOE if mouth else frozenset())
        self._possible = tuple(fault for fault in DEMO_FAULTS if fault not in left_out)
        self._chance = Random(f"faults {seed}")
        self._called: list[DemoFault] = []
        self._left: set[DemoFault] = set()
        self._plan: list[DemoFault] = []
        self._next_round = 0
        self._standing: StandingFault | None = None
        self._last: FaultRow | None = None

    @property
    def possible(self) -> tuple[DemoFault, ...]:
        """The faults that this table can show."""
        return self._possible

    def listed(self) -> tuple[FaultRow, ...]:
        """The fault that stands, those called, and the last one mended."""
        standing = self._standing
        now = (
            ()
            if standing is None
            else (FaultRow(fault=standing.fault, stage="stands", round=standing.round),)
        )
        called = tuple(FaultRow(fault=fault, stage="called") for fault in self._called)
        return (*now, *called, *(() if self._last is None else (self._last,)))

    def call(self, fault: DemoFault, *, left: bool = False) -> None:
        """Call a fault, or repair the standing one; `left` leaves its repair to people.

        Raises `TableError` FAULT_NOT_POSSIBLE.
        """
        if fault not in self._possible:
            raise TableError("FAULT_NOT_POSSIBLE")
        standing = self._standing
        if standing is not None and standing.fault == fault:
            self._put_right()
        elif fault not in self._called:
            self._called.append(fault)
            if left:
                self._left.add(fault)

    def round_over(self, snapshot: TableSnapshot, planned: Amounts | None) -> None:
        """Compare the last fault's round with its planned payouts, before the table is cleared."""
        last = self._last
        if last is None or last.round != snapshot.state.book.number or planned is None:
            return
        self._last = last.model_copy(update={"as_planned": amounts(snapshot.state) == planned})

    def take_turn(self, snapshot: TableSnapshot, *, autoplay: bool) -> tuple[bool, NextAct]:
        """Return whether a fault or its repair comes before everything else, and its act."""
        if self._standing is None:
            self._begin(snapshot, autoplay=autoplay)
        if self._standing is None:
            return False, None
        return self._go_on(self._standing, snapshot, autoplay=autoplay)

    def _begin(self, snapshot: TableSnapshot, *, autoplay: bool) -> None:
        """Begin the first fault that the round leaves room for; the plan rests while people play."""
        if snapshot.holds or snapshot.waiting or not self._world.has_shoe:
            return
        scene = FaultScene(snapshot, self._world)
        planned = self._due(snapshot.state.book.number) if autoplay else ()
        for fault in (*self._called, *planned):
            acts = _CAUSES[fault](scene)
            if acts:
                self._take_off(fault)
                number = snapshot.state.book.number
                late = any(isinstance(act, DrawCard) for act in acts)
                self._standing = StandingFault(fault, number, snapshot.at_utc_us, deque(acts), late=late)
                self._next_round = number + self._every_rounds
                return

    def _due(self, number: int) -> tuple[DemoFault, ...]:
        """The faults of the plan, the next one first; none while the last one is fresh."""
        if not self._plan:
            self._plan = list(self._possible)
            self._chance.shuffle(self._plan)
        return tuple(self._plan) if self._every_rounds and number >= self._next_round else ()

    def _take_off(self, fault: DemoFault) -> None:
        for waiting in (self._called, self._plan):
            if fault in waiting:
                waiting.remove(fault)

    def _go_on(
        self, standing: StandingFault, snapshot: TableSnapshot, *, autoplay: bool
    ) -> tuple[bool, NextAct]:
        """Let the fault happen, be noticed, be seen for a while, and be mended."""
        if standing.acts:
            return True, standing.acts.popleft()
        now_us = snapshot.at_utc_us
        if standing.noticed_us is None:
            if not _is_noticed(standing, snapshot) and now_us - standing.began_us < _NOTICED_US:
                return True, None
            standing.noticed_us = now_us
        if not autoplay or standing.fault in self._left:
            return self._leave_to_people(standing, snapshot)
        if now_us - standing.noticed_us < self._look_us:
            return True, None
        return True, self._mend(standing, snapshot)

    def _leave_to_people(self, standing: StandingFault, snapshot: TableSnapshot) -> tuple[bool, NextAct]:
        """Wait for the people at the screens; the hands repair their part on request."""
        if not snapshot.holds and not self._is_out_of_order():
            self._over(standing)
            return False, None
        return bool(snapshot.holds), None

    def _mend(self, standing: StandingFault, snapshot: TableSnapshot) -> NextAct:
        """The next step back to a sound table; then the fault is over."""
        if not standing.mending:
            standing.mending = True
            if standing.fault == "mistapped_stand":
                return _untapped(snapshot, late=standing.late)
        if self._world.smeared:
            return Handle("wipe_lens")
        if self._world.out_of_place:
            return Handle("lay_right")
        if snapshot.holds:
            return self._way_out(standing, snapshot)
        open_since = [alert for alert in snapshot.alerts if alert.at_utc_us >= standing.began_us]
        self._over(standing)
        steps = tuple(AlertStep(alert.alert, "resolve", "mended") for alert in open_since)
        return PressKeys(steps, "pit", meant=())

    def _way_out(self, standing: StandingFault, snapshot: TableSnapshot) -> NextAct:
        """The pit's way; a card that is asked about after a mis-tapped stand was meant before it came."""
        act = way_out(snapshot, self._world)
        meant_before = standing.fault == "mistapped_stand" and isinstance(act, PressKeys)
        return act._replace(meant=()) if meant_before and isinstance(act, PressKeys) else act

    def _over(self, standing: StandingFault) -> None:
        self._left.discard(standing.fault)
        self._last = FaultRow(fault=standing.fault, stage="mended", round=standing.round)
        self._standing = None

    def _is_out_of_order(self) -> bool:
        world = self._world
        return world.smeared or world.unplugged or world.out_of_place

    def _put_right(self) -> None:
        """Repair what only hands can: the cable, the lens, the cards on the layout."""
        if self._world.unplugged:
            self._world.plug_cable()
        self._world.wipe_lens()
        self._world.lay_right()


def _is_noticed(standing: StandingFault, snapshot: TableSnapshot) -> bool:
    """Whether the table shows the fault: a hold, or an alert since it began."""
    found = any(alert.at_utc_us >= standing.began_us for alert in snapshot.alerts)
    return bool(snapshot.holds) or found
