"""The state of a table: facts, faults, hands, boxes, the shoe and the book of rounds.

A round is the fold of its facts. `TableState.log` keeps them in order of arrival; a correction rewrites
one of them and folds the round again from `Book.shoe`, the shoe as it was before the round.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, NoReturn, ParamSpec, final

from controller.acts.catalogue import CardSeen, Limits, Observation
from controller.acts.money import SlipKind
from controller.domain import BetResult, Card, Money, Params, RoundResult, RoundStatus, RuleSet, TableError
from controller.forensics import PackSets, Watch
from controller.forensics.order import ROUNDS_KEPT, SHOES_KEPT

Phase = Literal["bets", "deal", "insurance", "peek", "play", "reveal", "draw", "complete"]
HandStatus = Literal[
    "active",
    "stood",
    "stood_inferred",
    "full",
    "bust",
    "blackjack",
    "doubled",
    "split_ace",
    "insured",
    "surrendered",
    "void",
]
Owed = Literal[0, 1, 2, 3]
"""Which card a hand waits for: none, or one for a hit, a double or a split."""

BETS: Final = "bets"
DEAL: Final = "deal"
INSURANCE: Final = "insurance"
PEEK: Final = "peek"
PLAY: Final = "play"
REVEAL: Final = "reveal"
DRAW: Final = "draw"
COMPLETE: Final = "complete"

Place = tuple[int, int]
"""Where a card lies: (box, hand); hand 0 leaves the hand open."""
DEALER: Final[Place] = (0, 0)
BURNED: Final[Place] = (-1, 0)
STRUCK: Final[Place] = (-2, 0)

ACTIVE: Final = "active"
STOOD: Final = "stood"
INFERRED: Final = "stood_inferred"
FULL: Final = "full"
BUST: Final = "bust"
NATURAL: Final = "blackjack"
DOUBLED: Final = "doubled"
LOCKED: Final = "split_ace"
FROZEN: Final = "insured"
SURRENDERED: Final = "surrendered"
VOIDED: Final = "void"

OWED_NOTHING: Final = 0
OWED_HIT: Final = 1
OWED_DOUBLE: Final = 2
OWED_SPLIT: Final = 3

QUEUED: Final = "QUEUED"
"""Mark of a card that waits until an unread card before it has got its rank; not a fault."""


class RuleRefusal(TableError):
    """The rules forbid the act; the state stays as it was."""


class CardFault(TableError):
    """A fact that happened and does not fit; it is set aside and the round waits for a ruling."""


class CardQueued(TableError):
    """A card that waits for the rank of an unread card before it."""


Args = ParamSpec("Args")


def permitted(verify: Callable[Args, object], *args: Args.args, **kwargs: Args.kwargs) -> bool:
    """The `can` face of an act: whether its `verify` face passes."""
    try:
        verify(*args, **kwargs)
    except (RuleRefusal, CardFault):
        return False
    return True


def refuse(code: str, **params: str | int) -> NoReturn:
    """Refuse an act."""
    raise RuleRefusal(code, **params)


def fault(code: str, **params: str | int) -> NoReturn:
    """Set a fact aside as a table fault."""
    raise CardFault(code, **params)


class Stranded(NamedTuple):
    """Chips that one seat put up for a double or split at a hand.

    Each accepted double or split keeps them with its fact, so that a later correction does not change what
    was put up. Where a correction makes the act itself impossible, they lie on the box until a ruling.
    """

    seat: int
    hand: int
    amount: Money


class Made(NamedTuple):
    """The number of a decision of a hand, from 1. It is given once and stays with the fact that made it."""

    box: int
    hand: int
    nth: int


@final
@dataclass(frozen=True, slots=True)
class Fact:
    """One accepted or set-aside observation.

    `n` numbers the cards of the round from 1; 0: not a card of the round. `at` marks a burned or struck card.
    While a round is folded again, `at` also pins every other card to its earlier place. `fault` is the reason
    for setting the fact aside. `ruled` marks a card placed, a stake entered, or a payout rounded by a
    supervisor. `phase` is the phase of arrival; None for a card that the fold places again. `chips` are the
    stakes that a double or split added at `box`. `made` are the decisions that the fact made or implied; the
    first ruling after it numbers them. `idle` marks a stand that was ignored on arrival.
    """

    n: int
    obs: Observation
    at: Place | None
    phase: Phase | None
    fault: str | None = None
    ruled: bool = False
    box: int = 0
    chips: tuple[Stranded, ...] = ()
    made: tuple[Made, ...] = ()
    idle: bool = False

    def __eq__(self, other: object) -> bool:
        """Compare all fields except the decision numbers, which only later rulings use."""
        if not isinstance(other, Fact):
            return False
        mine = (self.n, self.obs, self.at, self.phase, self.fault, self.ruled, self.box, self.chips)
        its = (other.n, other.obs, other.at, other.phase, other.fault, other.ruled, other.box, other.chips)
        return mine == its

    def __hash__(self) -> int:
        """Hash three of the compared fields."""
        return hash((self.n, self.obs, self.at))


class Fault(NamedTuple):
    """A fact that does not fit.

    `fact` is its index in the log; `box` is where it lay (0 dealer, -1 nowhere), so that a void of the
    box settles it.
    """

    code: str
    params: Params
    fact: int
    box: int


class Slip(NamedTuple):
    """One movement of the float: a fill or credit with its number, or a drop with an optional number.

    `amount` is positive for chips into the float, negative for chips out of it.
    """

    kind: SlipKind
    number: str
    amount: int
    void: bool = False


Stakes = tuple[tuple[int, Money], ...]
"""(seat, amount) of each bettor at a box or hand, the box holder first."""

RuledMoney = tuple[int, int, int, int]
"""What a ruling has moved: (round, 0, 0, by how much the house's win has changed), or (round, box, seat, by
how much the stake has changed) where the round had no result yet."""


@final
@dataclass(frozen=True, slots=True)
class Seen:
    """A card in a hand: its number in the round, and its observation."""

    n: int
    obs: CardSeen

    @property
    def card(self) -> Card:
        """Rank and suit as far as known, also of a card that lies face down: never to be shown as it is."""
        return Card(self.obs.rank, self.obs.suit)


@final
@dataclass(frozen=True, slots=True)
class Hand:
    """A hand of a box.

    `hard` is the total with every ace as 1, `aces` how many of them may still count 11. `unread` cards add
    nothing to it yet. `owed` is the card that the hand waits for.
    """

    number: int
    cards: tuple[Seen, ...] = ()
    hard: int = 0
    aces: int = 0
    stakes: Stakes = ()
    status: HandStatus = ACTIVE
    owed: Owed = OWED_NOTHING
    doubled: bool = False
    split: bool = False
    unread: int = 0

    @property
    def total(self) -> int:
        """The total that counts, without unread cards."""
        return self.hard + 10 if self.aces and self.hard <= 11 else self.hard


@final
@dataclass(frozen=True, slots=True)
class Box:
    """A box with bets: (seat, stake) pairs, hands in playing order, insurance, even money.

    `stranded` chips lie there for acts that no longer fit; they keep the round from settling and go back
    with a void.
    """

    box: int
    bets: Stakes
    hands: tuple[Hand, ...] = ()
    insurance: Stakes = ()
    even: tuple[int, ...] = ()
    void: bool = False
    stranded: tuple[Stranded, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Dealer:
    """The dealer's hand; `hard` and `aces` count shown cards only. `hole` is the hole card's index or -1."""

    cards: tuple[Seen, ...] = ()
    hole: int = -1
    revealed: bool = False
    hard: int = 0
    aces: int = 0
    unread: int = 0

    @property
    def total(self) -> int:
        """Total of the shown cards."""
        return self.hard + 10 if self.aces and self.hard <= 11 else self.hard


_NO_DEALER: Final = Dealer()


@final
@dataclass(frozen=True, slots=True)
class Shoe:
    """Cards seen since the shoe was loaded or shuffled.

    They are counted in eight bits a rank (`ranks`) and eight bits a rank and suit (`suits`).

    `excess`: the card counted last was one more of its kind than the shoe holds. `number` changes with every
    load and shuffle, so that a late correction finds the count that its card is in. `loaded`: people entered
    of a shoe, its packs are not assumed. Nothing more comes out of a shoe that has `ended` or is `void`.
    Cards of this round up to number `earlier` came out of the shoe before. `burn_later` cards are burned
    once the round has ended in which the shoe was brought. `cut`: the cut card came out in this round;
    `cut_seen`: it has come out of this shoe.
    """

    decks: int
    size: int
    seen: int = 0
    ranks: int = 0
    suits: int = 0
    burn_due: int = 0
    cut: bool = False
    excess: bool = False
    number: int = 0
    loaded: bool = False
    ended: bool = False
    void: bool = False
    earlier: int = 0
    burn_later: int = 0
    cut_seen: bool = False


@final
@dataclass(frozen=True, slots=True)
class Offers:
    """Insurance and peek: the open answers, whether the offer is closed, and the peek's result or None."""

    asked: tuple[tuple[int, int], ...] = ()
    closed: bool = False
    peeked: bool | None = None


_NO_OFFERS: Final = Offers()


@final
@dataclass(frozen=True, slots=True)
class Settlement:
    """The settlement of a round: status, faults, result, payouts.

    `faults` are the facts that do not fit, `code` is the reason of a dispute. `paid_out` is the last
    published settlement; `paid` contains the entered payouts as (box, seat, amount). `voided`: the whole
    round is void. `ended`: the table was cleared.
    """

    status: RoundStatus = "open"
    faults: tuple[Fault, ...] = ()
    code: str | None = None
    result: RoundResult | None = None
    paid_out: tuple[BetResult, ...] | None = None
    paid: tuple[tuple[int, int, Money], ...] = ()
    voided: bool = False
    ended: bool = False


OPEN: Final = Settlement()
_CHUNK_ROUNDS: Final = 32
_CHUNKS_LIMIT: Final = 16
"""Closed rounds kept for late corrections: at least 512, a long shift."""


@final
@dataclass(frozen=True, slots=True)
class History:
    """Closed rounds, oldest first; full chunks are shared from round to round, so adding one is cheap."""

    chunks: tuple[tuple["TableState", ...], ...] = ()
    last: tuple["TableState", ...] = ()

    def added(self, state: "TableState") -> "History":
        """With one more round; beyond _CHUNKS_LIMIT full chunks the oldest chunk is forgotten."""
        if len(self.last) < _CHUNK_ROUNDS:
            return History(self.chunks, (*self.last, state))
        return History((*self.chunks, self.last)[-_CHUNKS_LIMIT:], (state,))

    def __iter__(self) -> Iterator["TableState"]:
        for chunk in self.chunks:
            yield from chunk
        yield from self.last

    def __len__(self) -> int:
        return len(self.chunks) * _CHUNK_ROUNDS + len(self.last)

    def latest(self, count: int) -> tuple["TableState", ...]:
        """The last `count` rounds, oldest first."""
        return tuple(self)[-count:]

    def replaced(self, old: "TableState", new: "TableState") -> "History":
        """With one closed round in another version, after a ruling."""
        chunks = tuple([tuple([new if state is old else state for state in chunk]) for chunk in self.chunks])
        return History(chunks, tuple([new if state is old else state for state in self.last]))


NO_HISTORY: Final = History()
NO_SETS: Final = PackSets()


@final
@dataclass(frozen=True, slots=True)
class Book:
    """The state that outlives a round: rules, closed rounds, the shoe before this round, chips, the bank.

    `bank` is the banker's box where players take turns at it, else 0. `closed`: the table takes no bets.
    `limits_next` and `closed_next` were reported during this round and apply from the next one. `slips` are
    the fills, credits and drops in order, with their used numbers. Slips from `day_slips` on belong to this
    day; slips before `counted_slips` were part of the opening count. `rack` is the expected float without
    this round's result. `counted_in` is the round of the opening count, 0 without one; `ruled` contains the
    movements by rulings since. `kept_in` is the round for which the pit keeps a shoe whose shuffle is due.
    `watch` is the shuffle watch before this round, None without one. `sets` are the sets of packs with their
    counts.
    """

    rules: RuleSet
    number: int
    shoe: Shoe
    past: History = NO_HISTORY
    chips: tuple[tuple[int, Money], ...] = ()
    bank: int = 0
    shuffle_due: bool = False
    closed: bool = False
    closed_next: bool | None = None
    limits_next: Limits | None = None
    slips: tuple[Slip, ...] = ()
    day_slips: int = 0
    counted_slips: int = 0
    rack: int = 0
    counted_in: int = 0
    ruled: tuple[RuledMoney, ...] = ()
    kept_in: int = 0
    watch: Watch | None = None
    sets: PackSets = NO_SETS


@final
@dataclass(frozen=True, slots=True)
class TableState:
    """The whole table at one instant. `box_at` and `hand_at` index the hand to act while `phase` is play.

    `watch` is the shuffle watch with this round's cards.
    """

    book: Book
    shoe: Shoe
    log: tuple[Fact, ...] = ()
    cards_seen: int = 0
    phase: Phase = BETS
    boxes: tuple[Box, ...] = ()
    box_at: int = -1
    hand_at: int = -1
    dealer: Dealer = _NO_DEALER
    due: tuple[int, ...] = ()
    offers: Offers = _NO_OFFERS
    settlement: Settlement = OPEN
    watch: Watch | None = None

    @property
    def current(self) -> tuple[Box, Hand] | None:
        """Box and hand to act, or None outside play."""
        if self.phase != PLAY:
            return None
        box = self.boxes[self.box_at]
        return box, box.hands[self.hand_at]


def fresh_shoe(decks: int, size: int | None = None) -> Shoe:
    """A full shoe of which nothing has been seen."""
    return Shoe(decks, size or decks * 52)


def begin(book: Book) -> TableState:
    """A cleared table that waits for bets."""
    return TableState(book, book.shoe, watch=book.watch)


def new_table(rules: RuleSet, *, watch: bool = False) -> TableState:
    """A table before its first round; without a `shoe` observation the rule set's packs are assumed.

    `watch`: the order of its cards is watched.
    """
    kept = ROUNDS_KEPT if rules.shuffled_each_round else SHOES_KEPT
    return begin(Book(rules, 1, fresh_shoe(rules.decks), watch=Watch(kept) if watch else None))
