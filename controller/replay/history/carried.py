"""A table in the middle of its day, as the lines that set a fresh one up like it."""

from collections.abc import Iterator

from controller.acts.catalogue import Bank, CardSeen, Chips, CutCard, DealerSeated, Observation, ShoeLoaded
from controller.domain import Money, Rank, Suit
from controller.engine.shoe.composition import WEIGHTS
from controller.engine.state import Shoe


def carried(
    shoe: Shoe, chips: tuple[tuple[int, Money], ...], bank: int, *, shuffle_due: bool, dealer: str = ""
) -> Iterator[Observation]:
    """Bring a shoe and burn what it had given, so that the count is right; chips and bank as they were.

    `dealer` is who deals, where that is known.
    """
    if shoe.seen or shoe.burn_due:
        yield ShoeLoaded(shoe.decks, None if shoe.size == shoe.decks * 52 else shoe.size)
        yield from (CardSeen(rank, suit, to="burn") for rank, suit in _seen(shoe))
    if shoe.cut or shuffle_due:
        yield CutCard()
    yield from (Chips(box, amount) for box, amount in chips)
    if bank:
        yield Bank(bank)
    if dealer:
        yield DealerSeated(dealer, "in")


def _seen(shoe: Shoe) -> Iterator[tuple[Rank | None, Suit | None]]:
    """Name the cards that the shoe has given, as far as they are known."""
    known = 0
    for rank, weight in WEIGHTS.items():
        of_rank = (shoe.ranks >> weight.shift) & 255
        known += of_rank
        for suit, (_, shift) in weight.suits.items():
            of_suit = (shoe.suits >> shift) & 255
            of_rank -= of_suit
            yield from [(rank, suit)] * of_suit
        yield from [(rank, None)] * of_rank
    yield from [(None, None)] * (shoe.seen - known)
