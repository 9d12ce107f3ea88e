"""The next act of the simulated people: the one that the table expects.

The dealer's hands deal whenever a card is due. Guests decide, the dealer presses keys and the pit rules only
while autoplay is on; otherwise the screens do. With a camera, hands move cards and few keys are pressed:
bets, insurance, even money, surrender and the peek are entered.
"""

from collections.abc import Iterable, Iterator
from random import Random
from typing import Final, Literal, NamedTuple

from controller.acts.catalogue import (
    Bet,
    CardSeen,
    Close,
    Correct,
    CutCard,
    Decision,
    End,
    EvenMoney,
    HoldsLifted,
    Insurance,
    InsuranceClosed,
    Observation,
    Paid,
    Peek,
    Reveal,
    ShoeLoaded,
    ShoeVoided,
    Strike,
    Void,
)
from controller.acts.round import Action as PlayAction
from controller.domain import POINTS, Card, Refused, RuleSet
from controller.engine import OfferedAct, TableState, expected, legal, new_table, step
from controller.engine.hands import hidden_hole, hole_of, makes_blackjack, up_rank
from controller.engine.settle import SETTLED
from controller.engine.state import BETS, Hand, Seen
from controller.policy.holds import ASKED, NEED_ANSWER, NOT_DEALT, PICTURE_DIFFERS
from controller.runtime.api import Action, BoxHandled, HoldView, Observe, Resume, Role, TableSnapshot
from controller.simulation.felt import HandName, World, after_all, burned, placed


class DrawCard(NamedTuple):
    """The dealer draws a card and gives it to its hand.

    `read_as`: the reader's result, where it differs from the card. `lies_at`: the hand that gets it, where it
    is another than the card's own. `with_next`: the card behind sticks to it and comes out, too. `is_due`:
    False for a card beyond the deal. `meant`: the decisions that it shows to a camera.
    """

    read_as: Card | None = None
    lies_at: HandName | None = None
    with_next: bool = False
    is_due: bool = True
    meant: tuple[Observation, ...] = ()


class PressKeys(NamedTuple):
    """A person presses these keys in this order.

    `meant` is the true decision, where the keys say another one.
    """

    actions: tuple[Action, ...]
    role: Role = "system"
    meant: tuple[Observation, ...] | None = None


Handling = Literal["pull_cable", "plug_cable", "smear_lens", "wipe_lens", "lay_right"]
"""Acts of hands beside dealing."""


class Handle(NamedTuple):
    """A person changes a device or the cards on the felt."""

    what: Handling


class MoveCards(NamedTuple):
    """Hands move cards on the layout; `meant` lists the acts that this shows to a camera."""

    what: Literal["split", "turn_up", "clear"]
    meant: tuple[Observation, ...]


NextAct = DrawCard | PressKeys | Handle | MoveCards | None
"""The next act; None: the people wait for the table or the screens."""


STEPS_MAX: Final = 10
"""Guests bet at most so many times the minimum."""

_BOXES_A_DECK: Final = 5
"""More boxes than that could use up a single pack within a round."""

_SPLIT_PAIRS: Final = frozenset({"A", "8", "9", "7", "3", "2"})


def guest_bets(rules: RuleSet, chance: Random) -> tuple[Observation, ...]:
    """Place the stakes of a round, with a back bet now and then, and close the bets."""
    most = min(rules.boxes, _BOXES_A_DECK * rules.decks)
    boxes = sorted(chance.sample(range(1, rules.boxes + 1), chance.randint(min(3, most), most)))
    placed: list[Observation] = [Bet(box, 0, _stake(rules, chance)) for box in boxes]
    if rules.back_bets and not rules.box_max:
        placed += [Bet(box, 1, _stake(rules, chance)) for box in boxes if chance.random() < 0.2]
    return (*placed, Close())


def guest_insurance(acts: Iterable[OfferedAct], chance: Random) -> Observation:
    """Take even money or insurance now and then; else decline for all who have not answered."""
    for act in acts:
        if act.code is None and act.action == "even_money" and chance.random() < 0.5:
            return EvenMoney(act.box, act.seat)
        if act.code is None and act.action == "insurance" and chance.random() < 0.15:
            return Insurance(act.box, act.seat, act.amount_minor)
    return InsuranceClosed()


def guest_decision(state: TableState, acts: Iterable[OfferedAct]) -> Decision:
    """Decide for the hand to act."""
    allowed = {act.action for act in acts if act.code is None}
    current = state.current
    assert current is not None, "asked without a hand to act"
    box, hand = current
    wanted = _wanted(hand, _up_card(state))
    action = next(choice for choice in (*wanted, "stand") if choice in allowed or choice == "stand")
    return Decision(box.box, hand.number, action)


def _stake(rules: RuleSet, chance: Random) -> int:
    step = rules.stake_step or rules.stake_min or 500
    least = rules.stake_min or step
    most = min(rules.stake_max or least * STEPS_MAX, least * STEPS_MAX)
    return least + step * chance.randint(0, (most - least) // step)


def _up_card(state: TableState) -> int:
    """Points of the dealer's open card, the ace counted 11."""
    dealer = state.dealer
    points = [
        POINTS[seen.obs.rank]
        for place, seen in enumerate(dealer.cards)
        if seen.obs.rank is not None and place != dealer.hole
    ]
    return 11 if points and points[0] == 1 else (points or [10])[0]


def _wanted(hand: Hand, up: int) -> tuple[PlayAction, ...]:
    """List the actions that basic strategy would take, best first."""
    ranks = [seen.obs.rank for seen in hand.cards]
    if len(ranks) == 2 and ranks[0] == ranks[1] and ranks[0] in _SPLIT_PAIRS and up <= 7:
        return ("split", *_by_total(hand, up))
    return _by_total(hand, up)


def _by_total(hand: Hand, up: int) -> tuple[PlayAction, ...]:
    soft = hand.total != hand.hard
    if hand.total == 16 and not soft and up >= 10:
        return ("surrender", "hit")
    if hand.total in (10, 11) and up < hand.total:
        return ("double", "hit")
    if soft:
        return ("hit",) if hand.total < 18 else ("stand",)
    stands = hand.total >= 17 or (hand.total >= 12 and up <= 6)
    return ("stand",) if stands else ("hit",)


_MEANT: Final = (
    Bet,
    Close,
    Decision,
    Insurance,
    EvenMoney,
    InsuranceClosed,
    Reveal,
)
"""Entries of a round beside its cards."""

Amounts = dict[tuple[int, int], tuple[int, int]]
"""(staked, returned) by (box, seat), in minor units."""


class CleanRound:
    """The intended round: the true cards and decisions, settled without any fault or ruling.

    A round in which people at the screens take part is unknown.
    """

    def __init__(self) -> None:
        """Begin without a round."""
        self._number = 0
        self._state: TableState | None = None
        self._stuck: Card | None = None

    def follow(self, snapshot: TableSnapshot, *, autoplay: bool) -> None:
        """Begin anew with each round of the table, before its first bet."""
        state = snapshot.state
        if state.book.number != self._number:
            self._number = state.book.number
            fresh = state.phase == BETS and not state.boxes
            self._state = new_table(state.book.rules) if fresh else None
            self._stuck = None
        if not autoplay:
            self._state = None

    def take_decided(self, observation: Observation) -> None:
        """Apply a true decision, then the card that waited for it."""
        if not isinstance(observation, _MEANT):
            return
        self._take(observation)
        if self._stuck is not None:
            stuck, self._stuck = self._stuck, None
            if self._state is not None and expected(self._state).code == "REVEAL":
                self._take(Reveal())
            self.dealt(stuck)

    def dealt(self, card: Card) -> None:
        """Apply a card given to its own hand."""
        self._take(CardSeen(card.rank, card.suit))

    def stuck(self, card: Card) -> None:
        """Keep a card that came out with the last one, until the next decision assigns it."""
        self._stuck = card

    def pays(self) -> Amounts | None:
        """The amounts of the settled round; None while they are unknown."""
        if self._state is None or self._state.settlement.status != SETTLED:
            return None
        return amounts(self._state)

    def _take(self, observation: Observation) -> None:
        if self._state is None:
            return
        state, notices = step(self._state, observation)
        refused = any(isinstance(notice, Refused) for notice in notices)
        self._state = None if refused else state


def amounts(state: TableState) -> Amounts:
    """Return each bettor's stake and return of a settled round."""
    result = state.settlement.result
    return {} if result is None else {(bet.box, bet.seat): (bet.staked, bet.returned) for bet in result.bets}


PIT: Final = "simulated pit"
REASON: Final = "simulation"

UNREAD: Final = frozenset(("CARD_UNREAD", "HOLE_CARD_UNREAD", "CARD_READ_DIFFERENTLY"))
"""Holds that end once a person has named the card; the pit rules on them only after that."""

MISREAD: Final = ("TOO_MANY_OF_A_KIND", "CAMERA_DISAGREES", "CAMERA_UNSURE")
"""Prefixes of hold codes after which the pit compares every card with the screen."""


def way_out(snapshot: TableSnapshot, world: World) -> NextAct:
    """Answer the question, or mend the first fault.

    None: nothing can be done yet, or a person has frozen the table.
    """
    if any(hold.code == "FROZEN" for hold in snapshot.holds):
        return None
    # A question is not gone on over, and not answered while the table waits for more.
    others = tuple(hold for hold in snapshot.holds if hold.code not in NEED_ANSWER)
    for hold in sorted(others or snapshot.holds, key=_turn):
        act = _ruling(snapshot, hold, world)
        if act is not None:
            return act
    if world.unplugged:
        return Handle("plug_cable")
    if any(device.state == "lost" for device in snapshot.devices):
        return None
    return PressKeys((Resume(),), "pit")


def ruled(observation: Observation) -> PressKeys:
    """The pit enters a ruling."""
    return PressKeys((Observe(observation),), "pit", meant=())


def _ruling(snapshot: TableSnapshot, hold: HoldView, world: World) -> NextAct:
    """Return the way out of one hold; None when only a resume is left."""
    if hold.code in NEED_ANSWER and hold.release == "dealer":
        decided = hold.code == ASKED
        answer = guest_decision(snapshot.state, snapshot.acts) if decided else InsuranceClosed()
        return PressKeys((Observe(answer),))
    if hold.code in UNREAD:
        return _named(snapshot, hold.card, world)
    if hold.code == NOT_DEALT and hold.card:
        return _not_dealt(snapshot, hold, world)
    if hold.code == "WRONG_PAYOUT":
        return _paid(snapshot, hold)
    if hold.code.startswith(MISREAD):
        if world.out_of_place:
            return Handle("lay_right")
        misread = _misread(snapshot, world)
        if misread is not None:
            return misread
    return _by_profile(snapshot, hold)


def _by_profile(snapshot: TableSnapshot, hold: HoldView) -> NextAct:
    """Return the house's way that does not depend on the layout; None when the round may continue."""
    if hold.code in PICTURE_DIFFERS and hold.ways:
        return ruled(HoldsLifted(PIT, REASON, (hold.code,)))
    if "draw" in hold.ways:
        return DrawCard()
    if "burn" in hold.ways:
        return ruled(Strike(hold.card or snapshot.state.cards_seen, None, PIT, REASON, burn=True))
    if "shoe" in hold.ways:
        return PressKeys((Observe(ShoeLoaded(snapshot.rules.decks)),), "pit", meant=())
    if "keep" in hold.ways or not hold.ways:
        return None
    if "void_round" in hold.ways:
        return ruled(Void(None, PIT, REASON))
    return ruled(ShoeVoided(PIT, REASON)) if "shoe_void" in hold.ways else None


def _turn(hold: HoldView) -> int:
    """Order of the rulings: whether a card is there, which card it is, the rest."""
    return 0 if hold.code == NOT_DEALT else 1 if hold.code in UNREAD else 2


def _not_dealt(snapshot: TableSnapshot, hold: HoldView, world: World) -> NextAct:
    """Keep a card that the shoe missed and that lies there; strike one that is gone."""
    lying = sum(laid.box == hold.box for laid in world.lying_cards().values())
    known = sum(laid.box == hold.box for _, laid in placed(snapshot.state))
    there = lying >= known and "keep" in hold.ways
    return None if there else ruled(Strike(hold.card, None, PIT, REASON))


def _named(snapshot: TableSnapshot, number: int, world: World) -> NextAct:
    """Name a card of the round as it lies there."""
    for seen in _cards(snapshot):
        if seen.n == number:
            card = world.truth(seen)
            return ruled(Correct(number, None, card.rank, card.suit, PIT, REASON))
    return None


def _misread(snapshot: TableSnapshot, world: World) -> NextAct:
    """Name the first open card that the table takes for another one."""
    hole = snapshot.state.dealer.hole if hidden_hole(snapshot.state.dealer) else -1
    down = snapshot.state.dealer.cards[hole].n if hole >= 0 else 0
    for seen in _cards(snapshot):
        if seen.n != down and seen.card != world.truth(seen):
            return _named(snapshot, seen.n, world)
    return None


def _cards(snapshot: TableSnapshot) -> Iterator[Seen]:
    """The cards of the round in the order in which they came."""
    for fact in snapshot.state.log:
        if isinstance(fact.obs, CardSeen):
            yield Seen(fact.n, fact.obs)


def _paid(snapshot: TableSnapshot, hold: HoldView) -> NextAct:
    """Enter the correct payout of a wrong one."""
    seat = dict(hold.params).get("seat")
    result = snapshot.result
    for bet in () if result is None else result.bets:
        if (bet.box, bet.seat) == (hold.box, seat):
            return ruled(Paid(bet.box, bet.seat, bet.returned))
    return None


DRAWS: Final = frozenset({"BURN", "DEAL_BOX", "DEAL_DEALER", "DEAL_DEALER_DOWN", "CARD_OWED", "DRAW"})
"""Expected codes that a card from the shoe answers."""


def next_move(snapshot: TableSnapshot, world: World, chance: Random, *, autoplay: bool) -> NextAct:
    """The next act of the people; None: they wait for the screens.

    A table that a person has stopped stays stopped until a person goes on.
    """
    if snapshot.holds:
        return way_out(snapshot, world) if autoplay else None
    if snapshot.expected.code in DRAWS:
        return DrawCard()
    if snapshot.expected.code == "NEW_SHOE" or _shoe_is_missing(snapshot):
        return _keys_for(ShoeLoaded(snapshot.rules.decks))
    return pressed(snapshot, chance) if autoplay else None


def pressed(snapshot: TableSnapshot, chance: Random) -> NextAct:  # noqa: C901  # a case for each
    """Return the keys for the expected act; None when it is a card."""
    state = snapshot.state
    match snapshot.expected.code:
        case "PLACE_BETS":
            return _keys_for(*guest_bets(snapshot.rules, chance))
        case "INSURANCE":
            return _keys_for(guest_insurance(snapshot.acts, chance))
        case "PLAYER":
            return _keys_for(guest_decision(state, snapshot.acts))
        case "REVEAL":
            return _keys_for(Reveal())
        case "SETTLED":
            return _settle(snapshot)
        case "DISPUTED":
            return _keys_for(Void(None, PIT, REASON))
        case "VOIDED":
            return _keys_for(End())
        case "NEW_SHOE" | "BURN" | "DEAL_BOX" | "DEAL_DEALER" | "DEAL_DEALER_DOWN" | "WHICH_CARD":
            return None
        case "PEEK" | "CARD_OWED" | "DRAW" | "STAND":
            return None


def _settle(snapshot: TableSnapshot) -> NextAct:
    """Pay box after box in the house's order, then clear the table."""
    result = snapshot.result
    if result is None:
        return _keys_for(End())
    left = [box for box in result.settle_order if box not in snapshot.pay.handled]
    return PressKeys((BoxHandled(result.round, left[0]),)) if left else _keys_for(End())


def _shoe_is_missing(snapshot: TableSnapshot) -> bool:
    """A table that was just opened waits for its first shoe."""
    state = snapshot.state
    loaded = any(isinstance(fact.obs, ShoeLoaded) for fact in state.log)
    return (
        state.book.number == 1
        and state.shoe.seen == 0
        and snapshot.expected.code == "PLACE_BETS"
        and not loaded
    )


def _keys_for(*observations: Observation) -> PressKeys:
    """The dealer enters these observations one after the other."""
    return PressKeys(tuple(Observe(observation) for observation in observations))


TURNS: Final = MoveCards("turn_up", (Reveal(),))
CLEARS: Final = MoveCards("clear", (End(),))


def next_move_on_felt(snapshot: TableSnapshot, world: World, chance: Random, *, autoplay: bool) -> NextAct:
    """Return the next act, with hands in place of the keys for decisions.

    The dealer's hands deal, peek and turn the face-down card even while autoplay is off.
    """
    if snapshot.holds:
        return way_out(snapshot, world) if autoplay else None
    by_hands = _by_hands(snapshot, world)
    if by_hands is not None or not autoplay:
        return by_hands
    state = burned(snapshot.state)
    if expected(state).code == "PLAYER":
        return _decided(state)
    act = pressed(snapshot._replace(state=state, expected=expected(state), acts=legal(state)), chance)
    # A settled round is ended by clearing the table; a void one by its key.
    return CLEARS if expected(state).code == "SETTLED" and act == _keys_for(End()) else act


def _by_hands(snapshot: TableSnapshot, world: World) -> NextAct:
    """Return the dealer's next act; None at the guests' turn."""
    if snapshot.expected.code == "NEW_SHOE" or _shoe_is_missing(snapshot):
        return _keys_for(ShoeLoaded(snapshot.rules.decks))
    if not world.shoe_reads and world.has_shoe and world.cut_card_due:
        world.deal_cut_card()
        return _keys_for(CutCard())
    state = snapshot.state if world.shoe_reads else burned(snapshot.state)
    match expected(state).code:
        case "PEEK":
            return _keys_for(Peek(_has_blackjack(state, world)))
        case "REVEAL":
            return TURNS
        case code:
            return DrawCard() if code in DRAWS else None


def _decided(state: TableState) -> NextAct:
    """The guests' next decision as hands show it, after the guests who stand."""
    said: list[Observation] = []
    ahead = state
    while expected(ahead).code == "PLAYER":
        decision = guest_decision(ahead, legal(ahead))
        said.append(decision)
        if decision.action != "stand":
            return _as_hands_show(decision, tuple(said))
        ahead = step(ahead, decision).state
    match expected(ahead).code:
        case "REVEAL":
            return MoveCards("turn_up", (*said, Reveal()))
        case "DRAW":
            return DrawCard(meant=tuple(said))
        case _:
            return _keys_for(*said)


def _as_hands_show(decision: Decision, said: tuple[Observation, ...]) -> NextAct:
    """Return a decision as its movement of cards; a surrender moves none, and is entered."""
    if decision.action == "surrender":
        return PressKeys((Observe(decision),), meant=said)
    if decision.action == "split":
        return MoveCards("split", said)
    return DrawCard(meant=said)


def _has_blackjack(state: TableState, world: World) -> bool:
    hole = hole_of(state.dealer)
    return hole is not None and makes_blackjack(up_rank(state.dealer), world.truth(hole).rank)


def moved(world: World, act: MoveCards, state: TableState) -> None:
    """Move the cards on the layout as hands do."""
    match act.what:
        case "split":
            world.move_apart(state, act.meant)
        case "turn_up":
            world.turn_up()
        case "clear":
            world.clear()


def is_done(act: MoveCards, before: TableState, now: TableState) -> bool:
    """Whether the table has seen the movement."""
    match act.what:
        case "split":
            return _hands(now) > _hands(after_all(before, act.meant[:-1]))
        case "turn_up":
            return now.dealer.revealed
        case "clear":
            return now.book.number > before.book.number


def _hands(state: TableState) -> int:
    return sum(len(box.hands) for box in state.boxes)
