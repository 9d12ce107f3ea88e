"""The shuffle watch and the sets of packs: the input of each step, and their reports."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from controller.acts.catalogue import (
    RULINGS,
    CardSeen,
    HoldsLifted,
    Observation,
    RestCounting,
    Reveal,
    ShoeEnded,
    ShoeLoaded,
    ShoeShuffled,
)
from controller.domain import RANKS, SUITS, Alert, Notice, Settled
from controller.engine.hands import hidden_hole, hole_of
from controller.engine.settle import by_number, settle_order
from controller.engine.shoe import WEIGHTS, needs_no_card
from controller.engine.state import (
    BURNED,
    BUST,
    STRUCK,
    SURRENDERED,
    Book,
    Fact,
    Hand,
    Seen,
    Shoe,
    TableState,
)
from controller.forensics import STRUCK as STRUCK_CODE
from controller.forensics import UNKNOWN, PackSets, Run, Suspect, Watch, code_of

SHUFFLE_SUSPECT: Final = "SHUFFLE_SUSPECT"
COMPOSITION_SUSPECT: Final = "COMPOSITION_SUSPECT"
_RULINGS: Final = frozenset(RULINGS)
_SHOES: Final = frozenset((ShoeLoaded, ShoeShuffled))


def watched(before: TableState, after: TableState, obs: Observation) -> tuple[TableState, tuple[Notice, ...]]:
    """Update the watch and the sets by one step; return their reports."""
    kind = type(obs)
    if kind is CardSeen:
        return (after, ()) if after.watch is None else _reported(*_with_card(after, after.watch))
    if isinstance(obs, ShoeLoaded | ShoeShuffled | ShoeEnded):
        return _other_shoe(before, after, obs)
    watch = after.watch
    if watch is None or after.book.number != before.book.number:
        return after, ()
    if kind in _RULINGS or (kind is Reveal and hidden_hole(before.dealer)):
        return _reported(*_scanned(after, watch if before.watch is None else before.watch))
    if isinstance(obs, HoldsLifted) and (obs.codes is None or SHUFFLE_SUSPECT in obs.codes):
        return replace(after, watch=watch.let_stand()), ()
    if isinstance(obs, RestCounting):
        return replace(after, watch=watch.rest(resting=obs.state == "begin")), ()
    return after, ()


def _reported(state: TableState, run: Run | None) -> tuple[TableState, tuple[Notice, ...]]:
    if run is None:
        return state, ()
    params = (("repeats", run.repeats), ("shoe", run.shoe), ("cards", run.cards))
    return state, (Alert(SHUFFLE_SUSPECT, "critical", state.book.number, params),)


def in_place(notices: tuple[Notice, ...], reported: tuple[Notice, ...]) -> tuple[Notice, ...]:
    """Insert the reports on the cards before the round's settlement."""
    for at, notice in enumerate(notices):
        if isinstance(notice, Settled):
            return (*notices[:at], *reported, *notices[at:])
    return notices + reported


def _with_card(after: TableState, before: Watch) -> tuple[TableState, Run | None]:
    """The state after the card that was logged last."""
    watch, run = before.card(_code(after, after.log[-1])).suspect()
    return replace(after, watch=watch), run


def _code(state: TableState, fact: Fact) -> str:
    """Return the code of a logged card for the watch: unknown for a face-down card, or struck.

    A card burned on arrival is open; a card burned by a ruling was struck.
    """
    card = fact.obs
    assert isinstance(card, CardSeen)
    if fact.at == STRUCK or (fact.at == BURNED and fact.n):
        return STRUCK_CODE
    hole = hole_of(state.dealer)
    if hole is not None and hole.n == fact.n:
        return UNKNOWN if hidden_hole(state.dealer) else code_of(*hole.card)
    return UNKNOWN if card.face == "down" else code_of(card.rank, card.suit)


def _scanned(state: TableState, known: Watch) -> tuple[TableState, Run | None]:
    """The round's cards watched anew, since one of them was turned or is another one; reported once."""
    watch = state.book.watch
    if watch is None or known.resting:
        return replace(state, watch=known), None
    shoes = sum(type(fact.obs) in _SHOES for fact in state.log)
    if not shoes:
        watch = replace(watch, reported=known.reported, silenced=known.silenced)
    new: Run | None = None
    for fact in state.log:
        if type(fact.obs) in _SHOES:
            shoes -= 1
            watch = watch.next_shoe(told=True, loaded=isinstance(fact.obs, ShoeLoaded))
            if not shoes:
                watch = replace(watch, reported=known.reported, silenced=known.silenced)
        elif isinstance(fact.obs, CardSeen):
            watch, run = watch.card(_code(state, fact)).suspect()
            new = run if run is not None and not shoes else new
    return replace(state, watch=watch), new


def with_discards(state: TableState, book: Book) -> Book:
    """The next round's book with the closed round's cards among the discards, and shuffled where due."""
    watch, sets = state.watch, book.sets
    if watch is not None:
        watch = watch.pick_up("".join(picked_up(state)))
    if book.rules.shuffled_each_round:
        watch = None if watch is None else watch.next_shoe(told=False)
        sets = _with_shoe(sets, state.shoe)
    return replace(book, watch=watch, sets=sets)


def picked_up(state: TableState) -> Iterator[str]:
    """The round's cards in the order in which the house picks them up (feed format, section 8).

    Hands settled during play at that moment, then the others box by box, the dealer's last.
    """
    hands = {(box.box, hand.number): hand for box in state.boxes for hand in box.hands}
    early = [place for place, hand in hands.items() if hand.status in (BUST, SURRENDERED)]
    order = settle_order(state.book.rules, state.boxes)
    boxes = {box.box: sorted(box.hands, key=by_number) for box in state.boxes}
    later = [(box, hand.number) for box in order for hand in boxes[box]]
    for place in dict.fromkeys([*early, *later]):
        yield from _codes_of(hands[place])
    hidden = hole_of(state.dealer) if hidden_hole(state.dealer) else None
    for seen in state.dealer.cards:
        yield UNKNOWN if seen is hidden else _seen_code(seen)


def _codes_of(hand: Hand) -> Iterator[str]:
    return map(_seen_code, hand.cards)


def _seen_code(seen: Seen) -> str:
    return code_of(seen.obs.rank, seen.obs.suit)


def _other_shoe(
    before: TableState, after: TableState, obs: ShoeLoaded | ShoeShuffled | ShoeEnded
) -> tuple[TableState, tuple[Notice, ...]]:
    """The state with other cards in the shoe, or with those of the present one counted."""
    book, watch = after.book, after.watch
    if isinstance(obs, ShoeEnded):
        counted = book.sets.with_count() if obs.cards is not None else book.sets
        return replace(after, book=replace(book, sets=counted)), ()
    if watch is not None:
        watch = watch.next_shoe(told=True, loaded=isinstance(obs, ShoeLoaded))
    sets = book.sets
    notices: tuple[Notice, ...] = ()
    if is_new_shoe(before, obs):
        sets, notices = _suspects(after, _with_shoe(sets, before.shoe))
        sets = sets.brought(obs.set if isinstance(obs, ShoeLoaded) else sets.name)
    return replace(after, book=replace(book, sets=sets), watch=watch), notices


def is_new_shoe(state: TableState, obs: ShoeLoaded | ShoeShuffled) -> bool:
    """Whether this line ends the shoe: a fresh shoe is loaded, or all cards are shuffled between rounds."""
    return isinstance(obs, ShoeLoaded) or (obs.cards == "all" and needs_no_card(state))


def _suspects(state: TableState, sets: PackSets) -> tuple[PackSets, tuple[Notice, ...]]:
    """Return the suspects in the counts of the current set, at a table with a watch."""
    if state.watch is None:
        return sets, ()
    sets, suspects = sets.suspects()
    if not suspects:
        return sets, ()
    params = (("set", sets.name), ("cards", _suspects_text(suspects)))
    return sets, (Alert(COMPOSITION_SUSPECT, "warning", state.book.number, params),)


def _suspects_text(suspects: tuple[Suspect, ...]) -> str:
    """Suspects as a text such as `As 1:52000, 9h 1:61000`; `parse_suspects` reads it."""
    return ", ".join(f"{suspect.card} 1:{suspect.odds}" for suspect in suspects)


def parse_suspects(text: str) -> tuple[tuple[str, int], ...]:
    """Each suspected card with its odds, from a text of `_suspects_text`."""
    pairs = [one.split(" 1:") for one in text.split(", ") if one]
    return tuple([(card, int(odds)) for card, odds in pairs])


def _with_shoe(sets: PackSets, shoe: Shoe) -> PackSets:
    """Add the dealt cards of a shoe to the sets."""
    return sets.dealt(shoe.decks, shoe.size, came(shoe)) if shoe.loaded else sets


def came(shoe: Shoe) -> tuple[int, ...]:
    """Return the number of dealt cards of each kind, by `KINDS`, as far as suits are known."""
    return tuple([(shoe.suits >> WEIGHTS[rank].suits[suit][1]) & 255 for rank in RANKS for suit in SUITS])
