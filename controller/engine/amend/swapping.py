"""Two hands whose cards had changed places: the cards go over, decisions and stakes stay with the hands."""

from dataclasses import replace

from controller.acts.catalogue import CardSeen, Swap
from controller.acts.rulings.swap import HandName
from controller.engine.amend.refolding import refold
from controller.engine.constants import Place
from controller.engine.errors import refuse
from controller.engine.facts import Fact
from controller.engine.round.play import find_hand
from controller.engine.state import TableState

Log = tuple[Fact, ...]


def swap(state: TableState, log: Log, ruling: Swap) -> TableState:
    """The round with the cards of two hands exchanged; `log` is its log, pinned. Raises RuleRefusal.

    The nth card of one hand takes the turn of the nth card of the other; cards that the other hand has no
    turn for lie there all the same, and the fold says what does not fit.
    """
    one, other = ruling.from_hand, ruling.with_hand
    if one == other:
        refuse("SAME_HAND", box=one.box, hand=one.hand)
    mine, theirs = _cards(state, one), _cards(state, other)
    turns = {fact.n: index for index, fact in enumerate(log) if fact.n}
    facts = list(log)
    for left, right in zip(mine, theirs, strict=False):
        facts[turns[left]] = _card_of(log[turns[right]], log[turns[left]])
        facts[turns[right]] = _card_of(log[turns[left]], log[turns[right]])
    for extra, there in ((mine[len(theirs) :], other), (theirs[len(mine) :], one)):
        for number in extra:
            facts[turns[number]] = _lying(facts[turns[number]], (there.box, there.hand))
    return refold(state, facts)


def _cards(state: TableState, hand: HandName) -> tuple[int, ...]:
    """Numbers of the hand's cards, first to last; refuses a hand that is none or has none."""
    box_at, hand_at = find_hand(state, hand.box, hand.hand)
    cards = tuple([seen.n for seen in state.boxes[box_at].hands[hand_at].cards])
    if not cards:
        refuse("NO_SUCH_HAND", box=hand.box, hand=hand.hand)
    return cards


def _card_of(taken: Fact, turn: Fact) -> Fact:
    """The turn of one card with the physical card of another: what was read goes over, the place stays."""
    card, here = taken.obs, turn.obs
    assert isinstance(card, CardSeen)
    assert isinstance(here, CardSeen)
    obs = here._replace(rank=card.rank, suit=card.suit, by=card.by, p=card.p, id=card.id)
    return replace(turn, n=taken.n, obs=obs)


def _lying(fact: Fact, at: Place) -> Fact:
    """The card, laid to another hand by a ruling."""
    assert isinstance(fact.obs, CardSeen)
    card = fact.obs._replace(to="box", box=at[0], hand=at[1])
    return replace(fact, obs=card, at=at)
