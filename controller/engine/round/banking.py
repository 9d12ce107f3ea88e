"""Players who take turns at the bank with their own chips (NL-29, NL-30)."""

from dataclasses import replace

from controller.acts.catalogue import Bank, Chips
from controller.domain import BetResult, Money
from controller.engine.constants import BETS
from controller.engine.errors import refuse
from controller.engine.state import Book, TableState


def _verify_rotating(state: TableState) -> None:
    """Refuse where the house is the bank, or while a round is on."""
    if state.book.rules.banker != "rotating":
        refuse("BANK_IS_THE_HOUSE")
    if state.phase != BETS or state.boxes:
        refuse("ROUND_RUNNING")


def take_chips(state: TableState, obs: Chips) -> TableState:
    """A player's own chips as counted before the bets."""
    _verify_rotating(state)
    kept = [pair for pair in state.book.chips if pair[0] != obs.box]
    chips = tuple(sorted([*kept, (obs.box, Money(obs.chips))]))
    return replace(state, book=replace(state.book, chips=chips))


def take_bank(state: TableState, obs: Bank) -> TableState:
    """Name the box that is the bank now; the table decides who begins (NL-29: the oldest player)."""
    _verify_rotating(state)
    if not 1 <= obs.box <= state.book.rules.boxes:
        refuse("NO_SUCH_BOX", box=obs.box, boxes=state.book.rules.boxes)
    return replace(state, book=replace(state.book, bank=obs.box))


def next_bank(book: Book) -> int:
    """The bank moves one seat to the left each round, past players who are out (NL-29, NL-30)."""
    if not book.bank:
        return 0
    playing = [box for box, chips in book.chips if chips > 0] or [book.bank]
    return min(playing, key=lambda box: (box <= book.bank, box))


def move_chips(
    book: Book, before: tuple[BetResult, ...], after: tuple[BetResult, ...]
) -> tuple[tuple[int, Money], ...]:
    """Return the players' chips when settlement `after` replaces `before`; the bank pays the wins."""
    moves: dict[int, int] = {}
    for sign, bets in ((-1, before), (1, after)):
        for bet in bets:
            net = sign * (bet.returned - bet.staked)
            moves[bet.box] = moves.get(bet.box, 0) + net
            moves[book.bank] = moves.get(book.bank, 0) - net
    return tuple((box, Money(chips + moves.get(box, 0))) for box, chips in book.chips)
