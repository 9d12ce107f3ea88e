"""A shoe's life: put in place, cut card, shuffled in the middle, dealt out, void (feed format, section 6)."""

from dataclasses import replace

from controller.acts.catalogue import (
    CardSeen,
    CutCard,
    HoldsLifted,
    ShoeEnded,
    ShoeLoaded,
    ShoeShuffled,
    ShoeVoided,
)
from controller.domain import Card
from controller.engine.constants import BETS, BURNED, COMPLETE, DEAL, STRUCK
from controller.engine.dealer import hidden_hole
from controller.engine.errors import permitted, refuse
from controller.engine.hands import hole_of
from controller.engine.settle.round_status import is_final
from controller.engine.shoe.composition import DECKS_LIMIT, count_card
from controller.engine.state import Shoe, TableState, fresh_shoe


def _is_dealt(state: TableState) -> bool:
    """Whether a box or the dealer has a card of this round."""
    return bool(state.dealer.cards) or any(hand.cards for box in state.boxes for hand in box.hands)


def _is_first_of_undue_deal(state: TableState) -> bool:
    """Whether the round's only card was dealt although a shuffle was due: the shoe can still be changed."""
    if not needs_shuffle(state):
        return False
    return len(state.dealer.cards) + sum(len(hand.cards) for box in state.boxes for hand in box.hands) == 1


def before_first_card(state: TableState) -> bool:
    """Whether this round still waits for its first card; burned cards belong to no round."""
    return state.phase == BETS or (state.phase == DEAL and not _is_dealt(state))


def needs_no_card(state: TableState) -> bool:
    """Whether the round needs no further card: none was dealt, the last one was, or the round is void.

    Independent of the settlement, which is unknown while a round is folded again.
    """
    if before_first_card(state) or state.phase == COMPLETE or state.settlement.voided:
        return True
    return all(box.void for box in state.boxes)


def is_spent(shoe: Shoe) -> bool:
    """Whether the shoe can deal no further card: it is void, ended, or empty by its count."""
    return shoe.void or shoe.ended or shoe.seen >= shoe.size


def verify_load(state: TableState, obs: ShoeLoaded) -> None:
    """Refuse a shoe of no packs, and one inside a round while cards come out of the old one.

    A first card dealt although the shuffle was due holds the table, and the fresh shoe is the way out of it.
    """
    if not 1 <= obs.decks <= DECKS_LIMIT:
        refuse("BAD_SHOE", decks=obs.decks)
    inside = not before_first_card(state) and not is_final(state.settlement.status)
    if inside and not is_spent(state.shoe) and not _is_first_of_undue_deal(state):
        refuse("SHOE_IN_ROUND", left=state.shoe.size - state.shoe.seen)


def can_load(state: TableState, obs: ShoeLoaded) -> bool:
    """Whether loading this shoe is allowed."""
    return permitted(verify_load, state, obs)


def load_shoe(state: TableState, obs: ShoeLoaded) -> TableState:
    """A fresh shoe: counting restarts, the house's burn cards are due (FR-01).

    Inside a round the round comes first: its cards are not burned, they are burned once it has ended.
    """
    burn = state.book.rules.burn_cards
    at_once = needs_no_card(state)
    shoe = replace(
        fresh_shoe(obs.decks, obs.cards),
        number=state.shoe.number + 1,
        loaded=True,
        burn_due=burn if at_once else 0,
        burn_later=0 if at_once else burn,
        earlier=state.cards_seen,
    )
    return replace(state, shoe=shoe, book=replace(state.book, shuffle_due=False))


def cut_card(state: TableState, _: CutCard) -> TableState:
    """The cut card came out (DE-01): before the first card of a round the shuffle is due at once."""
    state = replace(state, shoe=replace(state.shoe, cut=True, cut_seen=True))
    if not before_first_card(state):
        return state
    return replace(state, book=replace(state.book, shuffle_due=True))


def needs_shuffle(state: TableState) -> bool:
    """Whether a shuffle is due before this round's first card; the pit may keep the shoe for a round."""
    book = state.book
    return book.shuffle_due and book.kept_in != book.number


def keep_shoe(state: TableState, obs: HoldsLifted) -> TableState:
    """The pit lets this round be dealt although a shuffle is due; before the next one it is due again."""
    named = obs.codes is None or "SHUFFLE_DUE" in obs.codes
    if not named or not state.book.shuffle_due or not before_first_card(state):
        return state
    return replace(state, book=replace(state.book, kept_in=state.book.number))


def verify_shuffle(state: TableState, _: ShoeShuffled) -> None:
    """Refuse to shuffle a void shoe: a fresh one is due."""
    if state.shoe.void:
        refuse("SHOE_VOID")


def can_shuffle(state: TableState, obs: ShoeShuffled) -> bool:
    """Whether the shuffle is allowed."""
    return permitted(verify_shuffle, state, obs)


def shuffle(state: TableState, obs: ShoeShuffled) -> TableState:
    """Return cards to the shoe: all but those on the table can be dealt again.

    Discards are shuffled into the rest, so both have the same count. Only a shuffle of all cards cancels the
    shuffle that the cut card asked for. No card is burned.
    """
    all_cards = obs.cards == "all"
    old = state.shoe
    shoe = replace(
        fresh_shoe(old.decks, old.size),
        number=old.number + 1,
        loaded=old.loaded,
        burn_due=old.burn_due,
        burn_later=old.burn_later,
        earlier=old.earlier,
        cut=old.cut and not all_cards,
    )
    if needs_no_card(state):
        shoe = replace(shoe, earlier=state.cards_seen)
    for card in _on_table(state) if not needs_no_card(state) else ():
        shoe = count_card(shoe, card.rank, card.suit)
    due = state.book.shuffle_due and not all_cards
    return replace(state, shoe=replace(shoe, excess=False), book=replace(state.book, shuffle_due=due))


def _on_table(state: TableState) -> list[Card]:
    """The cards of this round that came out of the present shoe and lie on the table, as far as shown."""
    shown = {seen.n: seen.card for seen in state.dealer.cards}
    hole = hole_of(state.dealer)
    if hole is not None and hidden_hole(state.dealer):
        shown[hole.n] = Card(None)
    return [
        shown.get(fact.n, Card(fact.obs.rank, fact.obs.suit))
        for fact in state.log
        if isinstance(fact.obs, CardSeen) and fact.n > state.shoe.earlier and fact.at not in (BURNED, STRUCK)
    ]


def end_shoe(state: TableState, _: ShoeEnded) -> TableState:
    """The shoe is dealt out, or its rest was run through."""
    return replace(state, shoe=replace(state.shoe, ended=True))


def void_shoe(state: TableState, _: ShoeVoided) -> TableState:
    """Void the shoe: no further card is dealt from it; settled rounds stand."""
    return replace(state, shoe=replace(state.shoe, void=True))
