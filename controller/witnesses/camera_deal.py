"""The findings on the layout, in the order in which the table takes them: cards, decisions, reveals, the end.

The engine's state limits the possible meanings; it never decides which card it is. A finding with two
meanings is asked.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from controller.acts.catalogue import CardSeen, Correct, Decision, End, Observation, Reveal
from controller.engine.hands import hidden_hole, hole_of, makes_blackjack, up_rank
from controller.engine.play import can_decide, owed_at, split_reason
from controller.engine.settle import in_progress
from controller.engine.state import BETS, DEAL, INSURANCE, PEEK, PLAY, Hand, TableState
from controller.policy import Doubt
from controller.policy.decide import SURE_POSE, draws
from controller.policy.holds import IN_HAND, NOT_ARRIVED, Hold, is_void
from controller.policy.run import TableRun
from controller.witnesses.arrivals import (
    Arrivals,
    HandPlaces,
    RestingPairs,
    cards_of_hands,
    hides_card_at,
    hole_comes_within,
    may_take,
    open_boxes,
    open_hand,
    still_to_act,
)
from controller.witnesses.felt_view import DEALER_BOX, FeltFinding, FeltReading, LyingCard, OtherRead
from controller.witnesses.joining import ALIKE_AHEAD, ARRIVES_MS, ShoeJoining, cameras_differ
from controller.witnesses.lying_cards import (
    LyingCards,
    LyingMark,
    entered_cards,
    find_known,
    find_vanished,
    lies_elsewhere,
    lies_nowhere,
)

_CLEARED_MS: Final = 600
"""The felt is empty for so long before the table counts as cleared. Not measured."""

_NEVER_STOOD_ON: Final = 11
"""A hard hand of this total or less that seems to stand by the dealer's turning is asked: no card can break
it."""


RefusedView = tuple[TableState, tuple[Hold, ...], tuple[Observation, ...]]
"""What was said to a table that stood so, and need not be said again before something has changed."""


@dataclass(slots=True, eq=False)
class TakenReading:
    """A view that was taken, None before the first; it leads to the one after it."""

    view: FeltReading | None = None
    after: "TakenReading | None" = None


class Memory(NamedTuple):
    """The memory of a camera's deal: the layout, the reports to the table, the last view."""

    lying: LyingMark
    pairs: RestingPairs
    round_number: int
    played: bool
    refused: RefusedView | None
    shoe: ShoeJoining | None
    seen: TakenReading


class CameraDeal:
    """Follows the rounds of one table by one camera's views. Call `next` until it returns None."""

    def __init__(self, camera: str, shoe: ShoeJoining | None = None, arrives_ms: int = ARRIVES_MS) -> None:
        """Begin; `camera` is the name in its reports, `shoe` the other witness, if any.

        A card before the due one waits `arrives_ms` for it. Without a shoe the burn cards are taken as burned
        once cards are dealt.
        """
        self._camera = camera
        self._shoe = shoe
        self._lying = LyingCards()
        self._hands = HandPlaces(self._lying)
        self._arrivals = Arrivals(camera, self._lying, self._hands, arrives_ms)
        self._round = 0
        self._refused: RefusedView | None = None
        self._played = False
        self._last_seen = TakenReading()

    def see(self, view: FeltReading) -> None:
        """Take the camera's view after its next picture."""
        self._last_seen.after = TakenReading(view)
        self._last_seen = self._last_seen.after
        self._lying.see(view)

    def next(self, run: TableRun) -> FeltFinding | None:
        """Return the next finding that this table lacks; None without one.

        A refused finding is not repeated until something changes.
        """
        state = run.state
        if state.book.number != self._round:
            self._round, self._played = state.book.number, False
            self._lying.forget_gone()
            self._hands.forget()
        self._hands.note_pairs(state)
        done, played = cards_of_hands(state, done=True), cards_of_hands(state, done=False)
        self._lying.follow(done, played, open_boxes(state), entered_cards(state))
        find_vanished(state, self._lying)
        for find in self._held if run.holds else self._free:
            shown = find(run)
            if shown is not None and self._is_new(shown, run):
                return shown
        return None

    def listen_to(self, shoe: ShoeJoining | None) -> None:
        """Count on this shoe as the other witness from now on, or on none."""
        self._shoe = shoe

    def mark(self) -> Memory:
        """Return the memory of layout and reports; the shoe's waiting cards have a mark of their own."""
        known = self._lying.mark(), self._hands.mark(), self._round, self._played, self._refused
        return Memory(*known, self._shoe, self._last_seen)

    def rewind(self, memory: Memory) -> None:
        """Undo the reports to the table since `memory`, after a failed write.

        The views since then are taken again, so that the layout is known as if nothing had come meanwhile.
        """
        self._lying.rewind(memory.lying)
        self._hands.rewind(memory.pairs)
        self._round, self._played, self._refused = memory.round_number, memory.played, memory.refused
        self._shoe = memory.shoe
        seen = memory.seen.after
        while seen is not None:
            if seen.view is not None:
                self._lying.see(seen.view)
            seen = seen.after

    def recognise(self, state: TableState) -> None:
        """Find the table's cards among the unreported ones, so that none is reported as new.

        For a camera that starts, or comes back, during a round.
        """
        self._round, self._played = state.book.number, bool(state.cards_seen)
        find_known(state, self._lying)

    def watched_ms(self, since_ms: int) -> int:
        """Return how long the felt was watched since this moment, in milliseconds."""
        return self._lying.watched.since(since_ms)

    def is_behind(self, t_ms: int) -> bool:
        """Whether an object that was there at this time has not been reported yet, and soon will be."""
        left = self._shoe is not None and self._shoe.is_behind(t_ms)
        return left or any(one.since_ms <= t_ms for one in self._lying.unreported())

    def burned(self, run: TableRun) -> FeltFinding | None:
        """Return the next burn card of a table that waits for nothing else, without a shoe."""
        return None if run.holds else self._burns(run.state)

    def before(self, run: TableRun, entered: Decision) -> FeltFinding | None:
        """Return the stand of an earlier hand that a person's decision implies."""
        hand = open_hand(run.state, entered.box, entered.hand)
        return None if hand is None or run.holds else self._stands_before(run.state, hand)

    @property
    def _free(self) -> tuple[Callable[[TableRun], FeltFinding | None], ...]:
        return (
            self._read_apart,
            self._cleared,
            self._read_late,
            self._turned,
            self._split,
            self._burned,
            self._elsewhere,
            self._vanished,
            self._arrived,
            self._overdue,
            self._in_hand,
            self._taken,
        )

    @property
    def _held(self) -> tuple[Callable[[TableRun], FeltFinding | None], ...]:
        return self._read_apart, self._read_late, self._mending

    def _is_new(self, shown: FeltFinding, run: TableRun) -> bool:
        """Whether this finding was not reported to the same state of the table before."""
        if shown.observation is None or (shown.card is not None and isinstance(shown.observation, CardSeen)):
            return True
        entered: tuple[Observation, ...] = ()
        if self._refused is not None and self._refused[0] is run.state and self._refused[1] == run.holds:
            entered = self._refused[2]
        if shown.observation in entered:
            return False
        self._refused = (run.state, run.holds, (*entered, shown.observation))
        return True

    def _cleared(self, run: TableRun) -> FeltFinding | None:
        """The table was cleared: of a round that was dealt nothing lies there any more."""
        since = self._lying.empty_since_ms
        dealt = self._played and in_progress(run.state) and not self._open_questions(run.state)
        if not dealt or since is None or self._lying.watched.since(since) < _CLEARED_MS:
            return None
        return FeltFinding(End())

    def _open_questions(self, state: TableState) -> bool:
        """Whether an object that may have been a card is still to be reported."""
        return any(may_take(state, one.seen.box or 0) for one in self._lying.unreported())

    def _read_apart(self, run: TableRun) -> FeltFinding | None:
        """A card of this round that two cameras read differently since the table knows it."""
        found = {fact.obs.id for fact in run.state.log if isinstance(fact.obs, CardSeen)} - {None, ""}
        for lying in self._lying.all.values():
            other, secret = lying.seen.other, hides_card_at(run.state, lying.seen.box)
            if other is not None and not lying.asked and lying.known_as in found and not secret:
                lying.asked = True
                doubt = cameras_differ(lying.seen, other, lying.known_as, secret=False)
                return FeltFinding(None, doubt=doubt)
        return None

    def _elsewhere(self, run: TableRun) -> FeltFinding | None:
        """A card of a hand in play that came to rest at another box than the table has it at."""
        doubt = lies_elsewhere(run.state, self._lying)
        return None if doubt is None else FeltFinding(None, doubt=doubt)

    def _vanished(self, run: TableRun) -> FeltFinding | None:
        """Return the hold for a card that is gone although its hand was not taken away."""
        doubt = lies_nowhere(run.state, self._lying)
        return None if doubt is None else FeltFinding(None, doubt=doubt)

    def _read_late(self, run: TableRun) -> FeltFinding | None:
        """A card that was reported unread has been read."""
        for fact in run.state.log:
            found = fact.obs
            if not isinstance(found, CardSeen) or found.rank is not None or found.face == "down":
                continue
            lying = self._lying.named(found.id or "-")
            if lying is None or lying.asked or (self._shoe is not None and not self._shoe.confirms(lying)):
                continue
            if lying.ready and lying.seen.card is not None:
                return FeltFinding(Correct(fact.n, None, *lying.seen.card, self._camera, "read"), lying)
        return None

    def _in_hand(self, run: TableRun) -> FeltFinding | None:
        """Ask whether an object lies at a box, when the camera cannot decide and others wait for it.

        After the answer it counts as not laid; a card that does lie there is laid when the hand is gone.
        """
        for lying in self._lying.unreported():
            lying.dismissed |= lying.asked_hand
        held = self._arrivals.in_a_hand(run.state)
        if held is None:
            return None
        held.asked_hand, box = True, held.seen.box or 0
        return FeltFinding(None, doubt=Doubt(IN_HAND, (("box", box),), box))

    def _taken(self, run: TableRun) -> FeltFinding | None:
        """Return the stand of an acting hand that was taken away without a visible decision."""
        at = run.state.current
        if at is None or owed_at(at[0]) >= 0 or self._awaits(at[0].box):
            return None
        since_ms = self._hands.taken_away_ms(at[1])
        if since_ms is None or self._lying.watched.since(since_ms) < self._arrivals.late_ms:
            return None
        return FeltFinding(Decision(at[0].box, at[1].number, "stand"), unclear=True)

    def _burned(self, run: TableRun) -> FeltFinding | None:
        """Cards are dealt, so the burn cards lie with the discards: no camera has seen them go there."""
        return self._burns(run.state) if any(one.ready for one in self._lying.unreported()) else None

    def _burns(self, state: TableState) -> FeltFinding | None:
        """Return the next burn card, without a shoe."""
        due = state.shoe.burn_due and state.phase in (BETS, DEAL) and not self._played
        if self._shoe is not None or not due:
            return None
        return FeltFinding(CardSeen(None, None, self._camera, to="burn", face="down"))

    def _turned(self, run: TableRun) -> FeltFinding | None:
        """The face-down card lies open; the hands that have not decided stand."""
        state = run.state
        turned = self._turned_card(state)
        if turned is None or turned.seen.card is None:
            return None
        reveal = FeltFinding(Reveal(*turned.seen.card), turned)
        if is_void(state) and any(fact.obs == reveal.observation for fact in state.log):
            return None  # Set aside with the round; with each look it would be said again.
        if state.phase == PLAY:
            return self._stands_before(state, None, by_turning=True) or reveal
        phase, rank = state.phase, turned.seen.card.rank
        early = phase == INSURANCE or (phase == PEEK and not makes_blackjack(up_rank(state.dealer), rank))
        if state.phase in (BETS, DEAL) or (early and not self._arrivals.is_late(turned)):
            return None
        return reveal

    def _turned_card(self, state: TableState) -> LyingCard | None:
        """The card that was dealt face down and lies face up now, with all that came before it reported."""
        hole = hole_of(state.dealer)
        if hole is None or not hidden_hole(state.dealer):
            return None
        lying = self._lying.named(hole.obs.id or "-")
        unreported = self._lying.unreported()
        if lying is None:
            # Lost while being turned: an unreported open card at the dealer is the hole card.
            lying = next((one for one in unreported if self._may_be_hole(one)), None)
            if lying is not None:
                unreported.remove(lying)
                lying.known_as = hole.obs.id or ""
        if lying is None or not lying.ready or lying.seen.face == "down":
            return None
        return None if any(one.seen.box != DEALER_BOX for one in unreported) else lying

    def _may_be_hole(self, lying: LyingCard) -> bool:
        laid = lying.ready and lying.laid_ms is not None
        return lying.seen.box == DEALER_BOX and laid and lying.seen.face == "up"

    def _stands_before(
        self, state: TableState, target: Hand | None, *, by_turning: bool = False
    ) -> FeltFinding | None:
        """The stand of the hand to act, where the felt shows that play has gone on behind it."""
        at = state.current
        if at is None or at[1] is target:
            return None
        box, hand = at
        stand = Decision(box.box, hand.number, "stand")
        if not can_decide(state, stand):
            return None
        low = by_turning and hand.total == hand.hard and hand.hard <= _NEVER_STOOD_ON
        # Cards of a standing hand are not removed: another card came, unseen or unread, and busted it.
        return FeltFinding(stand, unclear=low or self._hands.taken_away_ms(hand) is not None)

    def _split(self, run: TableRun) -> FeltFinding | None:
        """A pair was moved apart: the hands before it stand, and it is split."""
        state = run.state
        if state.phase != PLAY:
            return None
        for box, hand in still_to_act(state):
            if split_reason(state.book.rules, box, hand) is None and self._hands.is_apart(hand):
                split = Decision(box.box, hand.number, "split")
                return self._stands_before(state, hand) or self._allowed(state, split)
            if self._awaits(box.box):
                return None
        return None

    def _allowed(self, state: TableState, decision: Decision) -> FeltFinding | None:
        return FeltFinding(decision) if can_decide(state, decision) else None

    def _awaits(self, box: int) -> bool:
        """Whether a box has an object that the table does not know."""
        return any(one.seen.box == box for one in self._lying.unreported())

    def _mending(self, run: TableRun) -> FeltFinding | None:
        """While the table waits only the card that it waits for is reported."""
        dealing = run.state.phase == DEAL and all(hold.code == "CARD_UNREAD" for hold in run.holds)
        freed = all(hold.code == IN_HAND for hold in run.holds)
        awaited = self._shoe is not None and all(hold.code == NOT_ARRIVED for hold in run.holds)
        shown = self._arrivals.next(run.state)
        if shown is None or shown.card is None or not isinstance(shown.observation, CardSeen):
            return None
        late = awaited and self._shoe is not None and self._shoe.waits_for(shown.card, self._lying.watched)
        if dealing or freed or late or draws(run, shown.observation):
            return self._take(run, shown)
        return None

    def _arrived(self, run: TableRun) -> FeltFinding | None:
        """The next card that has come; where it has to be asked, hands before it stand first."""
        shown = self._arrivals.next(run.state)
        if shown is None or not isinstance(shown.observation, CardSeen):
            return None
        card, state = shown.observation, run.state
        hand = open_hand(state, card.box or 0, card.hand or 0)
        unsure = hand is not None and (shown.unclear or (card.p is not None and card.p < SURE_POSE))
        if unsure or ((hand is not None or card.to == "dealer") and self._is_one_taken_before(state, hand)):
            stands = self._stands_before(state, hand)
            if stands is not None:
                return stands
        return self._take(run, shown)

    def _is_one_taken_before(self, state: TableState, target: Hand | None) -> bool:
        """Whether a hand that has not acted was taken away: before this one, or any."""
        hands = [hand for _, hand in still_to_act(state)] if state.phase == PLAY else []
        before = hands if target is None else hands[: hands.index(target)]
        return any(self._hands.taken_away_ms(hand) is not None for hand in before)

    def _overdue(self, run: TableRun) -> FeltFinding | None:
        """Return the finding for a card that left the shoe and was not laid, or lay where none could come."""
        if self._shoe is None:
            return None
        watched, unreported = self._lying.watched, self._lying.unreported()
        passed = None if unreported else self._shoe.lay_in_passing(self._lying.passed, watched)
        if passed is not None:
            self._lying.passed.remove(passed)
            self._lying.vanished.append(passed)
            return self._take(run, self._arrivals.card(run.state, passed))
        secret = hole_comes_within(run.state, ALIKE_AHEAD)
        doubt = self._shoe.overdue(watched, unreported, secret=secret)
        return None if doubt is None else FeltFinding(None, doubt=doubt)

    def _take(self, run: TableRun, shown: FeltFinding) -> FeltFinding | None:
        """Note that a card is reported now; None while the shoe's word on it is waited for."""
        if self._shoe is not None:
            behind = [one for one in self._lying.unreported() if one is not shown.card]
            secret = hole_comes_within(run.state, ALIKE_AHEAD)
            joined = self._shoe.join(shown, behind, self._lying.watched, secret=secret)
            if joined is None or joined.observation is None:
                return joined
            shown = joined
        if shown.card is not None and isinstance(shown.observation, CardSeen):
            shown.card.known_as = shown.observation.id or ""
            shown.card.by_answer = shown.card.unread
            other = shown.card.seen.other
            if other is not None:
                shown.card.asked = True
                shown = shown._replace(doubt=_differ(run, shown.card, other))
            if shown.card in self._lying.vanished:
                self._lying.vanished.remove(shown.card)
                self._lying.gone.append(shown.card)
        self._played = True
        return shown


def _differ(run: TableRun, card: LyingCard, other: OtherRead) -> Doubt:
    """Return the question about a card that two cameras read differently."""
    secret = hides_card_at(run.state, card.seen.box)
    return cameras_differ(card.seen, other, card.known_as, secret=secret)
