"""The closing count: compare dealt and remaining cards with the packs that were loaded."""

from typing import Final, NamedTuple

from controller.domain import RANKS, Card, Params, Rank
from controller.engine.dealer import hidden_hole
from controller.engine.hands import hole_of
from controller.engine.shoe.composition import WEIGHTS
from controller.engine.shoe.lifecycle import before_first_card
from controller.engine.state import Shoe, TableState

PACK: Final = 52


class Closing(NamedTuple):
    """The differences of a closing count: `missing` cards, and surplus cards (`extra`).

    `unread` is the number of dealt cards without a rank: each may be a missing card. A card without a suit
    stands for its rank, a card without a rank for any card.
    """

    missing: tuple[Card, ...]
    extra: tuple[Card, ...]
    unread: int

    @property
    def closes(self) -> bool:
        """Whether the unread cards account for all missing cards, and no card is extra."""
        return not self.extra and len(self.missing) == self.unread


class Counted(NamedTuple):
    """The number of dealt cards: in total, per rank, and per known rank and suit."""

    cards: int
    ranks: dict[Rank, int]
    suits: dict[Card, int]


def counted(shoe: Shoe) -> Counted:
    """Unpack the counts of a shoe."""
    ranks = {rank: (shoe.ranks >> weight.shift) & 255 for rank, weight in WEIGHTS.items()}
    suits = {
        Card(rank, suit): (shoe.suits >> shift) & 255
        for rank, weight in WEIGHTS.items()
        for suit, (_, shift) in weight.suits.items()
    }
    return Counted(shoe.seen, ranks, suits)


def together(one: Counted, other: Counted) -> Counted:
    """Both counts in one."""
    ranks = {rank: count + other.ranks[rank] for rank, count in one.ranks.items()}
    suits = {card: count + other.suits[card] for card, count in one.suits.items()}
    return Counted(one.cards + other.cards, ranks, suits)


def _with_rest(seen: Counted, rest: tuple[Card, ...]) -> Counted:
    """The count with the cards of the shoe's rest, each of a known rank and suit."""
    suits, ranks = dict(seen.suits), dict(seen.ranks)
    for card in rest:
        suits[card] = suits.get(card, 0) + 1
        if card.rank is not None:
            ranks[card.rank] += 1
    return Counted(seen.cards + len(rest), ranks, suits)


def closing(shoe: Shoe, count: Counted) -> Closing:
    """Compare a shoe's packs with the dealt cards and the counted rest.

    The contents of a shoe that did not hold whole packs are unknown: only its total, and too many cards of a
    kind, can be checked.
    """
    missing: list[Card] = []
    extra: list[Card] = []
    for rank in RANKS:
        lacking, over = _of_rank(shoe.decks, rank, count)
        missing += lacking
        extra += over
    unread = count.cards - sum(count.ranks.values())
    surplus = unread - len(missing)
    if shoe.size != shoe.decks * PACK:
        missing, unread = [Card(None)] * (shoe.size - count.cards), 0
        surplus = count.cards - shoe.size - len(extra)
    extra += [Card(None)] * surplus
    return Closing(tuple(missing), tuple(extra), min(unread, len(missing)))


def _of_rank(decks: int, rank: Rank, count: Counted) -> tuple[list[Card], list[Card]]:
    """Return the missing and the surplus cards of a rank.

    Cards without a suit fill the gaps: the rank closes if some choice of suits closes.
    """
    by_suit = {card: seen for card, seen in count.suits.items() if card.rank == rank}
    suitless = count.ranks[rank] - sum(by_suit.values())
    lacking = [card for card, seen in by_suit.items() for _ in range(decks - seen)]
    over = [card for card, seen in by_suit.items() for _ in range(seen - decks)]
    over += [Card(rank)] * (suitless - len(lacking))
    if suitless:
        lacking = [Card(rank)] * (len(lacking) - suitless)
    return lacking, over


def count_at_end(state: TableState) -> Counted:
    """Return the dealt cards of a shoe whose end is reported.

    In a house that shuffles each round, the last round's cards count until the next card is dealt.
    """
    count = counted(state.shoe)
    last = state.book.past.latest(1)
    if not state.book.rules.shuffled_each_round or not last or not before_first_card(state):
        return count
    return together(counted(last[0].shoe), count) if last[0].shoe.number == state.shoe.number else count


def closing_at_end(state: TableState, rest: tuple[Card, ...]) -> Closing:
    """Return the closing count of a shoe that ends now with `rest` left in it."""
    return closing(state.shoe, _with_rest(count_at_end(state), rest))


def closing_params(state: TableState, count: Closing) -> Params:
    """Return the parameters of a closing count.

    While a card is face down, the missing cards are a number only: their names would reveal it.
    """
    missing = (Card(None),) * len(count.missing) if _hides_a_card(state) else count.missing
    return (("missing", named(missing)), ("extra", named(count.extra)), ("unread", count.unread))


def _hides_a_card(state: TableState) -> bool:
    """Whether a card of this shoe is face down: the missing cards would reveal it."""
    hole = hole_of(state.dealer)
    return hole is not None and hidden_hole(state.dealer) and hole.n > state.shoe.earlier


def named(cards: tuple[Card, ...]) -> str:
    """Cards as a text such as `As, 9h x2`, `-` for none."""
    kinds = dict.fromkeys(str(card) for card in cards)
    counts = {kind: sum(1 for card in cards if str(card) == kind) for kind in kinds}
    return ", ".join(kind if count == 1 else f"{kind} x{count}" for kind, count in counts.items()) or "-"


def how_many(names: str) -> int:
    """The number of cards in a text of `named`."""
    parts = [] if names == "-" else names.split(", ")
    return sum(int(part.partition(" x")[2] or 1) for part in parts)
