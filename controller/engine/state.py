"""The state of a table: immutable tuples all the way down, so that every earlier state stays valid.

A round is the fold of its facts. `TableState.log` keeps them in order of arrival; a correction rewrites
one of them and folds the round again from `Book.shoe`, the shoe as it was before the round.
"""

from collections.abc import Iterator
from typing import Final, final

from controller.domain.cards import Card
from controller.domain.notices import BetResult, RoundResult
from controller.domain.observations import CardSeen
from controller.domain.rules import RuleSet
from controller.engine.constants import BETS, PLAY
from controller.engine.facts import Fact, Fault, Stranded
from controller.engine.record import Record


@final
class Seen(Record):
    """A card in a hand: its number in the round and what was seen."""

    FIELDS = ("n", "obs")
    __slots__ = FIELDS

    def __init__(
        self,
        n: int,
        obs: CardSeen,
    ) -> None:
        self.n: Final = n
        self.obs: Final = obs

    @property
    def card(self) -> Card:
        """Rank and suit as far as known; for a face-down card this is the secret itself."""
        return Card(self.obs.rank, self.obs.suit)


@final
class Hand(Record):
    """A hand of a box. `hard` counts free aces as 1; `aces` is the number of free aces."""

    FIELDS = ("number", "cards", "hard", "aces", "stakes", "status", "owed", "doubled", "split", "unread")
    __slots__ = FIELDS

    def __init__(
        self,
        number: int,
        cards: tuple[Seen, ...],
        hard: int,
        aces: int,
        stakes: tuple[tuple[int, int], ...],
        status: str,
        owed: int,
        doubled: bool,
        split: bool,
        unread: int,
    ) -> None:
        self.number: Final = number
        self.cards: Final = cards
        self.hard: Final = hard
        self.aces: Final = aces
        self.stakes: Final = stakes
        self.status: Final = status
        self.owed: Final = owed
        self.doubled: Final = doubled
        self.split: Final = split
        self.unread: Final = unread

    @property
    def total(self) -> int:
        """The total that counts, without unread cards."""
        return self.hard + 10 if self.aces and self.hard <= 11 else self.hard


@final
class Box(Record):
    """A box with bets: (seat, stake) pairs, hands in playing order, insurance, even money.

    `stranded` chips lie there for acts that no longer fit; they keep the round from settling and go back
    with a void.
    """

    FIELDS = ("box", "bets", "hands", "insurance", "even", "void", "stranded")
    __slots__ = FIELDS

    def __init__(
        self,
        box: int,
        bets: tuple[tuple[int, int], ...],
        hands: tuple[Hand, ...],
        insurance: tuple[tuple[int, int], ...],
        even: tuple[int, ...],
        void: bool,
        stranded: tuple[Stranded, ...] = (),
    ) -> None:
        self.box: Final = box
        self.bets: Final = bets
        self.hands: Final = hands
        self.insurance: Final = insurance
        self.even: Final = even
        self.void: Final = void
        self.stranded: Final = stranded


@final
class Dealer(Record):
    """The dealer's hand; `hard` and `aces` count shown cards only. `hole` is the hole card's index or -1."""

    FIELDS = ("cards", "hole", "revealed", "hard", "aces", "unread")
    __slots__ = FIELDS

    def __init__(
        self,
        cards: tuple[Seen, ...],
        hole: int,
        revealed: bool,
        hard: int,
        aces: int,
        unread: int,
    ) -> None:
        self.cards: Final = cards
        self.hole: Final = hole
        self.revealed: Final = revealed
        self.hard: Final = hard
        self.aces: Final = aces
        self.unread: Final = unread

    @property
    def total(self) -> int:
        """Total of the shown cards."""
        return self.hard + 10 if self.aces and self.hard <= 11 else self.hard


@final
class Shoe(Record):
    """Cards seen since the shoe was loaded: eight bits a rank (`ranks`) and a rank and suit (`suits`).

    `excess`: the card counted last was one more of its kind than the shoe holds.
    """

    FIELDS = ("decks", "size", "seen", "ranks", "suits", "burn_due", "cut", "excess")
    __slots__ = FIELDS

    def __init__(
        self,
        decks: int,
        size: int,
        seen: int,
        ranks: int,
        suits: int,
        burn_due: int,
        cut: bool,
        excess: bool = False,
    ) -> None:
        self.decks: Final = decks
        self.size: Final = size
        self.seen: Final = seen
        self.ranks: Final = ranks
        self.suits: Final = suits
        self.burn_due: Final = burn_due
        self.cut: Final = cut
        self.excess: Final = excess


@final
class Offers(Record):
    """Insurance and peek: who has still to answer, whether it is closed, what the peek said (or None)."""

    FIELDS = ("asked", "closed", "peeked")
    __slots__ = FIELDS

    def __init__(
        self,
        asked: tuple[tuple[int, int], ...],
        closed: bool,
        peeked: bool | None,
    ) -> None:
        self.asked: Final = asked
        self.closed: Final = closed
        self.peeked: Final = peeked


@final
class Settlement(Record):
    """What is known of the round's end. `paid_out` is the last settlement that was announced."""

    FIELDS = ("status", "faults", "code", "result", "paid_out", "paid", "voided", "ended")
    __slots__ = FIELDS

    def __init__(
        self,
        status: str,
        faults: tuple[Fault, ...],
        code: str | None,
        result: RoundResult | None,
        paid_out: tuple[BetResult, ...] | None,
        paid: tuple[tuple[int, int, int], ...],
        voided: bool,
        ended: bool,
    ) -> None:
        self.status: Final = status
        self.faults: Final = faults
        self.code: Final = code
        self.result: Final = result
        self.paid_out: Final = paid_out
        self.paid: Final = paid
        self.voided: Final = voided
        self.ended: Final = ended


@final
class History(Record):
    """Closed rounds, oldest first; full chunks are shared from round to round, so adding one is cheap."""

    FIELDS = ("chunks", "last")
    __slots__ = FIELDS

    def __init__(
        self,
        chunks: tuple[tuple["TableState", ...], ...] = (),
        last: tuple["TableState", ...] = (),
    ) -> None:
        self.chunks: Final = chunks
        self.last: Final = last

    def added(self, state: "TableState") -> "History":
        """With one more round; beyond CHUNKS_LIMIT full chunks the oldest chunk is forgotten."""
        if len(self.last) < CHUNK_ROUNDS:
            return History(self.chunks, (*self.last, state))
        return History((*self.chunks, self.last)[-CHUNKS_LIMIT:], (state,))

    def __iter__(self) -> Iterator["TableState"]:
        for chunk in self.chunks:
            yield from chunk
        yield from self.last

    def __len__(self) -> int:
        return len(self.chunks) * CHUNK_ROUNDS + len(self.last)

    def latest(self, count: int) -> tuple["TableState", ...]:
        """The last `count` rounds, oldest first."""
        return tuple(self)[-count:]

    def replaced(self, old: "TableState", new: "TableState") -> "History":
        """With one round ruled on anew."""
        chunks = tuple([tuple([new if state is old else state for state in chunk]) for chunk in self.chunks])
        return History(chunks, tuple([new if state is old else state for state in self.last]))


@final
class Book(Record):
    """What outlives a round: rules, closed rounds, the shoe before this round, players' chips, the bank.

    `bank` is the banker's box where players take turns at it, else 0.
    """

    FIELDS = ("rules", "number", "shoe", "past", "chips", "bank", "shuffle_due")
    __slots__ = FIELDS

    def __init__(
        self,
        rules: RuleSet,
        number: int,
        shoe: Shoe,
        past: History,
        chips: tuple[tuple[int, int], ...],
        bank: int,
        shuffle_due: bool,
    ) -> None:
        self.rules: Final = rules
        self.number: Final = number
        self.shoe: Final = shoe
        self.past: Final = past
        self.chips: Final = chips
        self.bank: Final = bank
        self.shuffle_due: Final = shuffle_due


@final
class TableState(Record):
    """The whole table at one instant. `box_at` and `hand_at` index the hand to act while `phase` is play."""

    FIELDS = (
        "book",
        "log",
        "cards_seen",
        "phase",
        "boxes",
        "box_at",
        "hand_at",
        "dealer",
        "due",
        "shoe",
        "offers",
        "settlement",
    )
    __slots__ = FIELDS

    def __init__(
        self,
        book: Book,
        log: tuple[Fact, ...],
        cards_seen: int,
        phase: str,
        boxes: tuple[Box, ...],
        box_at: int,
        hand_at: int,
        dealer: Dealer,
        due: tuple[int, ...],
        shoe: Shoe,
        offers: Offers,
        settlement: Settlement,
    ) -> None:
        self.book: Final = book
        self.log: Final = log
        self.cards_seen: Final = cards_seen
        self.phase: Final = phase
        self.boxes: Final = boxes
        self.box_at: Final = box_at
        self.hand_at: Final = hand_at
        self.dealer: Final = dealer
        self.due: Final = due
        self.shoe: Final = shoe
        self.offers: Final = offers
        self.settlement: Final = settlement

    @property
    def current(self) -> tuple[Box, Hand] | None:
        """Box and hand to act, or None outside play."""
        if self.phase != PLAY:
            return None
        box = self.boxes[self.box_at]
        return box, box.hands[self.hand_at]


NO_DEALER: Final = Dealer((), -1, False, 0, 0, 0)
NO_OFFERS: Final = Offers((), False, None)
OPEN: Final = Settlement("open", (), None, None, None, (), False, False)
CHUNK_ROUNDS: Final = 32
CHUNKS_LIMIT: Final = 16
"""Closed rounds kept for late corrections: at least 512, a long shift."""
NO_HISTORY: Final = History()


def fresh_shoe(decks: int, size: int | None = None) -> Shoe:
    """A full shoe of which nothing has been seen."""
    return Shoe(decks, size or decks * 52, 0, 0, 0, 0, False)


def begin(book: Book) -> TableState:
    """A cleared table that waits for bets."""
    return TableState(book, (), 0, BETS, (), -1, -1, NO_DEALER, (), book.shoe, NO_OFFERS, OPEN)


def new_table(rules: RuleSet) -> TableState:
    """A table before its first round; without a `shoe` observation the rule set's packs are assumed."""
    return begin(Book(rules, 1, fresh_shoe(rules.decks), NO_HISTORY, (), 0, False))
