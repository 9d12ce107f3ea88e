"""Rulings of a supervisor rewrite a fact; then the round is folded again (G-03, G-04)."""

from dataclasses import replace

from controller.domain.observations import CardSeen, Correct, Move, Reveal, Strike
from controller.engine.constants import BURNED, DEAL, STRUCK
from controller.engine.errors import refuse
from controller.engine.facts import Fact
from controller.engine.hands import hole_of
from controller.engine.refolding import pinned, refold
from controller.engine.state import TableState

Ruling = Correct | Strike | Move


def find_card(state: TableState, ruling: Ruling) -> int:
    """Index in the log of the card that a ruling names by number or id, or -1."""
    for index, fact in enumerate(state.log):
        if not isinstance(fact.obs, CardSeen):
            continue
        if ruling.card is not None:
            if fact.n == ruling.card:
                return index
        elif fact.obs.id == ruling.id:
            return index
    return -1


def verify_ruling(state: TableState, ruling: Ruling) -> int:
    """Index of the card; refuses one that this round does not have, or that was struck before."""
    index = find_card(state, ruling)
    if index < 0:
        named = ruling.card if ruling.card is not None else str(ruling.id)
        refuse("NO_SUCH_CARD", card=named, round=state.book.number)
    if state.log[index].at == STRUCK and not isinstance(ruling, Move):
        refuse("CARD_STRUCK", card=state.log[index].n, round=state.book.number)
    return index


def rule(state: TableState, ruling: Ruling) -> TableState:
    """The round with the ruling applied, folded again from its start."""
    index = verify_ruling(state, ruling)
    if isinstance(ruling, Correct):
        return refold(state, _corrected(state, index, ruling))
    if isinstance(ruling, Strike):
        return refold(state, _struck(pinned(state), index, ruling))
    return refold(state, _moved(pinned(state), index, ruling))


def _corrected(state: TableState, index: int, ruling: Correct) -> tuple[Fact, ...]:
    """The log with another rank and suit; what the reveal said of the hole card changes with it."""
    fact = state.log[index]
    assert isinstance(fact.obs, CardSeen)
    card = fact.obs._replace(rank=ruling.rank, suit=ruling.suit)
    log = pinned(state)
    log = (*log[:index], replace(log[index], obs=card), *log[index + 1 :])
    hole = hole_of(state.dealer)
    if hole is None or hole.n != fact.n:
        return log
    return tuple(_reveal_as(entry, ruling) for entry in log)


def _reveal_as(fact: Fact, ruling: Correct) -> Fact:
    """The fact; where it is the reveal that named the hole card, it names the corrected one."""
    if isinstance(fact.obs, Reveal) and fact.obs.rank is not None:
        return replace(fact, obs=Reveal(ruling.rank, ruling.suit))
    return fact


def _struck(log: tuple[Fact, ...], index: int, ruling: Strike) -> tuple[Fact, ...]:
    """The log without the card. Where it stood in the initial deal, the cards after it move up one place."""
    fact = replace(log[index], at=BURNED if ruling.burn else STRUCK, fault=None)
    later = log[index + 1 :]
    if fact.phase == DEAL and log[index].fault is None:
        later = tuple(_unpinned(entry) for entry in later)
    return (*log[:index], fact, *later)


def _unpinned(fact: Fact) -> Fact:
    """A card that nobody attributed and no supervisor placed finds its place anew.

    One laid across stays where it lies: it is a double, and chips lie beside it.
    """
    card = fact.obs
    if not isinstance(card, CardSeen) or card.pose == "across":
        return fact
    auto = card.to is None and fact.at not in (BURNED, STRUCK)
    return replace(fact, at=None, phase=None) if auto else fact


def _moved(log: tuple[Fact, ...], index: int, ruling: Move) -> tuple[Fact, ...]:
    """The log with the card at the place that the supervisor names."""
    fact = log[index]
    assert isinstance(fact.obs, CardSeen)
    card = fact.obs._replace(to=ruling.to, box=ruling.box, hand=ruling.hand)
    return (
        *log[:index],
        replace(fact, obs=card, at=None, phase=None, fault=None, ruled=True),
        *log[index + 1 :],
    )
