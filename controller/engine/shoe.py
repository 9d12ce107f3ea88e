"""The shoe: its packs, its composition, its end, and the table's day."""

from dataclasses import replace
from typing import Final, NamedTuple

from controller.acts.catalogue import (
    Bet,
    CardSeen,
    Credit,
    CutCard,
    Drop,
    Fill,
    FloatCounted,
    HoldsLifted,
    Limits,
    ShoeEnded,
    ShoeLoaded,
    ShoeShuffled,
    ShoeVoided,
    SlipVoided,
    TableDay,
)
from controller.acts.money import SlipKind
from controller.domain import RANKS, SUITS, Card, Money, Params, Rank, RuleSet, Suit
from controller.engine.hands import hidden_hole, hole_of
from controller.engine.settle import (
    float_due,
    in_progress,
    is_final,
    slip_of,
    with_count,
    with_slip,
    without_slip,
)
from controller.engine.state import (
    BETS,
    BURNED,
    COMPLETE,
    DEAL,
    STRUCK,
    Book,
    Shoe,
    TableState,
    fresh_shoe,
    permitted,
    refuse,
)


def set_limits(state: TableState, obs: Limits) -> TableState:
    """Other limits, at once between rounds, else for the next one.

    A bet that was taken away has begun the round, too: played again it has to find the limits it was laid
    under.
    """
    book = state.book
    laid = [fact for fact in state.log if isinstance(fact.obs, Bet) and fact.obs.stake]
    if laid or in_progress(state):
        return replace(state, book=replace(book, limits_next=obs))
    return replace(state, book=replace(book, rules=_with_limits(book.rules, obs), limits_next=None))


def _with_limits(rules: RuleSet, limits: Limits) -> RuleSet:
    """The rule set with other limits for stakes."""
    least, most, step = limits.stake_min, limits.stake_max, limits.stake_step
    return rules._replace(stake_min=Money(least), stake_max=Money(most), stake_step=Money(step))


def set_day(state: TableState, obs: TableDay) -> TableState:
    """The table opens or closes, at once between rounds, else with the next one."""
    closed = obs.state == "closed"
    if in_progress(state):
        return replace(state, book=replace(state.book, closed_next=closed))
    return replace(state, book=_with_day(replace(state.book, closed_next=None), closed=closed))


def _with_day(book: Book, *, closed: bool) -> Book:
    """The book open or closed; with the opening a day begins."""
    begins = book.closed and not closed
    return replace(book, closed=closed, day_slips=len(book.slips) if begins else book.day_slips)


def take_pending(book: Book) -> Book:
    """Return the book at the start of a round, with the limits and closing reported during the last."""
    if book.limits_next is not None:
        book = replace(book, rules=_with_limits(book.rules, book.limits_next), limits_next=None)
    if book.closed_next is not None:
        book = _with_day(replace(book, closed_next=None), closed=book.closed_next)
    return book


def _verify_two_people(obs: FloatCounted | Fill | Credit | SlipVoided) -> None:
    """Refuse one person who is named as two: chips are counted by two people."""
    if obs.second is not None and obs.second == obs.by:
        refuse("SAME_PERSON_TWICE", by=obs.second)


def count_float(state: TableState, obs: FloatCounted) -> TableState:
    """Record a float counted by two people."""
    _verify_two_people(obs)
    return with_count(state, obs)


def use_slip(state: TableState, obs: Fill | Credit | Drop) -> TableState:
    """Record a float movement. Refuse a used slip number, and a credit above the expected float."""
    if not isinstance(obs, Drop):
        _verify_two_people(obs)
    slip, book = slip_of(obs), state.book
    if slip.number and _numbered(book, slip.kind, slip.number) >= 0:
        refuse("SLIP_USED", slip=slip.number)
    due = float_due(state)
    if slip.kind == "credit" and book.counted_in and due + slip.amount < 0:
        refuse("CREDIT_ABOVE_FLOAT", amount=-slip.amount, expected=due)
    return replace(state, book=with_slip(book, slip))


def _numbered(book: Book, kind: SlipKind, number: str) -> int:
    """Index of the slip of this kind and number, -1 for none."""
    for at, slip in enumerate(book.slips):
        if slip.kind == kind and slip.number and is_same_slip(slip.number, number):
            return at
    return -1


def is_same_slip(number: str, other: str) -> bool:
    """Whether two slip numbers are equal, apart from case and blanks."""
    return "".join(number.split()).casefold() == "".join(other.split()).casefold()


def drops_of_day(book: Book) -> tuple[int, ...]:
    """Return the indexes of this day's drops in the slips, void ones included."""
    return tuple([at for at, slip in enumerate(book.slips) if slip.kind == "drop" and at >= book.day_slips])


def void_slip(state: TableState, obs: SlipVoided) -> TableState:
    """Void a slip or a drop, once; a number stays used, and nothing that it says is edited."""
    _verify_two_people(obs)
    book = state.book
    if obs.slip is not None:
        at = _numbered(book, obs.kind, obs.slip)
    else:
        drops = drops_of_day(book)
        at = drops[obs.nth - 1] if obs.nth is not None and obs.nth <= len(drops) else -1
    if at < 0 or book.slips[at].void:
        refuse("SLIP_NOT_OPEN", slip=obs.slip if obs.slip is not None else str(obs.nth))
    return replace(state, book=without_slip(book, at))


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
    if not 1 <= obs.decks <= _DECKS_LIMIT:
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


class Weight(NamedTuple):
    """The position of a rank's count: eight bits of `Shoe.ranks`, and eight bits of `Shoe.suits` per suit."""

    bit: int
    shift: int
    suits: dict[Suit, tuple[int, int]]


def _weight(index: int) -> Weight:
    """Return the position of the count of the rank at this index of RANKS."""
    shifts = {suit: 8 * (index * len(SUITS) + number) for number, suit in enumerate(SUITS)}
    return Weight(1 << (8 * index), 8 * index, {suit: (1 << shift, shift) for suit, shift in shifts.items()})


WEIGHTS: Final = {rank: _weight(index) for index, rank in enumerate(RANKS)}
_DECKS_LIMIT: Final = 60
"""Most packs in a shoe: 4 x 60 still fits the eight bits a rank."""


def count_card(shoe: Shoe, rank: Rank | None, suit: Suit | None) -> Shoe:
    """The shoe after one more card; an unknown rank or suit counts as a card only."""
    return _counted(shoe, 1, rank, suit)


def _counted(shoe: Shoe, cards: int, rank: Rank | None, suit: Suit | None) -> Shoe:
    """The shoe with `cards` more seen (0 or 1) and one more of this kind; `excess`: it holds no such card."""
    decks, ranks, suits = shoe.decks, shoe.ranks, shoe.suits
    excess = False
    if rank is not None:
        bit, shift, by_suit = WEIGHTS[rank]
        ranks += bit
        count = (ranks >> shift) & 255
        excess = count > 4 * decks
        if suit is not None:
            bit, shift = by_suit[suit]
            suits += bit
            excess = excess or (count > decks and (suits >> shift) & 255 > decks)
    return replace(shoe, seen=shoe.seen + cards, ranks=ranks, suits=suits, excess=excess)


def hide(shoe: Shoe, card: Card) -> Shoe:
    """Return the shoe without the rank and suit of a counted card.

    Until the reveal, a hole card counts as a card without a rank. Otherwise the alert for a surplus card
    would reveal it.
    """
    if card.rank is None:
        return shoe
    weight = WEIGHTS[card.rank]
    suits = shoe.suits if card.suit is None else shoe.suits - weight.suits[card.suit][0]
    return replace(shoe, ranks=shoe.ranks - weight.bit, suits=suits, excess=False)


def learn(shoe: Shoe, card: Card) -> Shoe:
    """The shoe with the rank and suit of a card that was counted before, such as a turned hole card."""
    return _counted(shoe, 0, card.rank, card.suit)


def too_many(shoe: Shoe, rank: Rank | None, suit: Suit | None) -> bool:
    """Whether more cards of this rank, or rank and suit, were counted than the shoe contains."""
    if rank is None:
        return False
    weight = WEIGHTS[rank]
    if (shoe.ranks >> weight.shift) & 255 > 4 * shoe.decks:
        return True
    return suit is not None and (shoe.suits >> weight.suits[suit][1]) & 255 > shoe.decks


def shifted(shoe: Shoe, before: Shoe, after: Shoe) -> Shoe:
    """Return `shoe` after a correction changed an earlier round's count from `before` to `after`.

    A shoe that was loaded or shuffled later does not contain the cards of that count.
    """
    if shoe.number != after.number:
        return shoe
    return replace(
        shoe,
        seen=shoe.seen + after.seen - before.seen,
        ranks=shoe.ranks + after.ranks - before.ranks,
        suits=shoe.suits + after.suits - before.suits,
    )


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
