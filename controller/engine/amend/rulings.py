"""Rulings of a supervisor rewrite a fact; then the round is folded again (G-03, G-04)."""

from dataclasses import replace
from typing import Final

from controller.acts.catalogue import Amend, AmendStake, Bet, CardSeen, Correct, Move, Reveal, Strike, Swap
from controller.domain.money import Money
from controller.domain.notices import Alert
from controller.engine.amend.amendments import amend, placed_anew
from controller.engine.amend.decisions import numbered
from controller.engine.amend.refolding import refold
from controller.engine.amend.swapping import swap
from controller.engine.constants import BURNED, DEAL, STRUCK
from controller.engine.errors import permitted, refuse
from controller.engine.facts import Fact
from controller.engine.hands import hole_of
from controller.engine.round.betting import verify_stake
from controller.engine.state import TableState

CardRuling = Correct | Strike | Move
Refolding = CardRuling | Swap | Amend
"""Rulings that rewrite facts. A void is a fact of its own, which follows the others."""
COUNTED: Final = frozenset({"boxed", "defective", "extra"})
"""Struck cards that came from this shoe, so that its count keeps them."""
UNCOUNTED: Final = frozenset({"double_read", "foreign"})
REPLACED: Final = frozenset({"boxed", "defective", "foreign"})
"""Struck cards whose place the next card takes."""
QUESTIONABLE: Final = frozenset({"defective", "foreign"})
"""Struck cards after which nobody can vouch for the shoe."""


def find_card(state: TableState, ruling: CardRuling) -> int:
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


def verify_ruling(state: TableState, ruling: CardRuling) -> int:
    """Index of the card; refuses one that this round does not have, or that was struck before."""
    index = find_card(state, ruling)
    if index < 0:
        named = ruling.card if ruling.card is not None else str(ruling.id)
        refuse("NO_SUCH_CARD", card=named, round=state.book.number)
    if state.log[index].at == STRUCK and not isinstance(ruling, Move):
        refuse("CARD_STRUCK", card=state.log[index].n, round=state.book.number)
    return index


def rule(state: TableState, ruling: Refolding) -> TableState:
    """The round with the ruling applied, folded again from its start. Raises RuleRefusal."""
    if isinstance(ruling, Correct | Strike | Move):
        index = verify_ruling(state, ruling)
        log = numbered(state)
        if isinstance(ruling, Correct):
            return refold(state, _corrected(state, log, index, ruling))
        if isinstance(ruling, Strike):
            return refold(state, _struck(log, index, ruling))
        return refold(state, _moved(log, index, ruling))
    if isinstance(ruling, Swap):
        return swap(state, numbered(state), ruling)
    return amend(state, numbered(state), ruling)


def ruling_alerts(state: TableState, ruling: Refolding) -> tuple[Alert, ...]:
    """What a ruling says about the shoe or the limits; `state` is the round after it."""
    number = state.book.number
    match ruling:
        case Strike(struck_as=kind) if kind in QUESTIONABLE:
            return (Alert("SHOE_QUESTIONED", "critical", number, (("struck_as", kind),)),)
        case AmendStake(box, seat, stake) if stake and not permitted(
            verify_stake, state.book.rules, Bet(box, seat, stake)
        ):
            params = (("box", box), ("seat", seat), ("stake", Money(stake)))
            return (Alert("STAKE_OUTSIDE_LIMITS", "critical", number, params),)
    return ()


def _corrected(state: TableState, log: tuple[Fact, ...], index: int, ruling: Correct) -> tuple[Fact, ...]:
    """The log with another rank and suit; what the reveal said of the hole card changes with it."""
    fact = state.log[index]
    assert isinstance(fact.obs, CardSeen)
    # How sure a reader was says something of the card, too.
    p = None if ruling.rank is None else fact.obs.p
    card = fact.obs._replace(rank=ruling.rank, suit=ruling.suit, p=p)
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


def is_counted(ruling: Strike) -> bool:
    """Whether the struck card was one of this shoe, so that its count keeps it."""
    kind = ruling.struck_as
    return kind in COUNTED or (ruling.burn and kind not in UNCOUNTED)


def _struck(log: tuple[Fact, ...], index: int, ruling: Strike) -> tuple[Fact, ...]:
    """The log without the card. Where it stood in the initial deal, the cards after it move up one place.

    So they do wherever a card has to take the place of one that was boxed, defective or foreign.
    """
    kind = ruling.struck_as
    fact = replace(log[index], at=BURNED if is_counted(ruling) else STRUCK, fault=None)
    later = log[index + 1 :]
    if kind in REPLACED:
        later = placed_anew(later)
    elif fact.phase == DEAL and log[index].fault is None:
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
