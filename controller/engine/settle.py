"""Settlement: the status of a round, what each bettor gets, and the float.

Fills and the house's wins add to the float. Credits, chips sold for the drop box, and payouts reduce it.
`Book.rack` contains the closed rounds; `float_due` adds the round on the table.
"""

from collections.abc import Iterator
from dataclasses import replace
from operator import attrgetter
from typing import Any, Final, TypeVar, assert_never, cast

from controller.acts.catalogue import AmendStake, Credit, Drop, Fill, FloatCounted, Paid, Ruling, Void
from controller.domain import (
    BetResult,
    DealerResult,
    HandResult,
    Money,
    Outcome,
    Params,
    Part,
    RoundResult,
    RoundStatus,
    RuleSet,
    TripleSeven,
)
from controller.engine.hands import hidden_hole, open_blackjack, up_rank
from controller.engine.state import (
    BETS,
    BUST,
    COMPLETE,
    DRAW,
    NATURAL,
    OPEN,
    SURRENDERED,
    Book,
    Box,
    Dealer,
    Fault,
    Hand,
    RuledMoney,
    RuleRefusal,
    Slip,
    TableState,
    refuse,
)


def share(rules: RuleSet, stake: Money, numerator: int, denominator: int) -> Money:
    """`stake` x numerator / denominator in minor units.

    A part of a unit goes up for the player or down for the house where the rule set says so; with
    `rounding = "exact"` it is refused as NOT_PAYABLE.
    """
    whole, rest = divmod(stake * numerator, denominator)
    if not rest:
        return Money(whole)
    match rules.rounding:
        case "house":
            return Money(whole)
        case "player":
            return Money(whole + 1)
        case "exact":
            return refuse("NOT_PAYABLE", stake=stake, numerator=numerator, denominator=denominator)


def half_of(rules: RuleSet, stake: Money) -> Money:
    """Half a stake, for surrender."""
    return share(rules, stake, 1, 2)


RUNNING: Final = "open"
SETTLED: Final = "settled"
VOIDED: Final = "voided"
DISPUTED: Final = "disputed"


def is_final(status: RoundStatus) -> bool:
    """Whether a round of this status has a result to pay: settled, or void with all stakes returned."""
    return status in (SETTLED, VOIDED)


def standing_faults(state: TableState) -> tuple[Fault, ...]:
    """Faults that no void of their box has settled."""
    faults = state.settlement.faults
    if not faults:
        return faults
    void = {fact.obs.box for fact in state.log if isinstance(fact.obs, Void)}
    return tuple(entry for entry in faults if entry.box < 1 or entry.box not in void)


def judge(state: TableState) -> TableState:
    """The state with the settlement that follows from its cards, faults and voids.

    `paid_out` keeps the last settlement that went out, also while a correction leaves the round disputed or
    open again: those chips have been paid, and the next settlement is given as a difference to them.
    """
    settlement = state.settlement
    if settlement.voided or (state.boxes and _all_void(state.boxes)):
        return _closed(state, VOIDED, _refund(state))
    faults = standing_faults(state)
    if faults:
        return _disputed(state, faults[0].code)
    if state.phase == COMPLETE and not _unread(state):
        try:
            return _closed(state, SETTLED, settle(state, state.book.rules))
        except RuleRefusal as refusal:
            if waiting(state):
                return _disputed(state, refusal.code)
            return _closed(state, SETTLED, settle(state, _rounded_down(state.book.rules)))
    if settlement.ended:
        return _disputed(state, incomplete_code(state))
    running = replace(settlement, status=RUNNING, code=None, result=None)
    return replace(state, settlement=OPEN if running == OPEN else running)


def _all_void(boxes: tuple[Box, ...]) -> bool:
    """Whether each box was voided separately."""
    void = 0
    for box in boxes:
        if box.void:
            void += 1
    return void == len(boxes)


def incomplete_code(state: TableState) -> str:
    """Why a round that should be over is not: the dealer stopped on 16 or less, or facts are missing."""
    return "DEALER_STOOD_ON_16" if state.phase == DRAW else "ROUND_INCOMPLETE"


def _unread(state: TableState) -> bool:
    """Whether a card that affects the result has no rank yet."""
    if state.dealer.unread:
        return True
    for box in state.boxes:
        for hand in box.hands:
            if hand.unread and not box.void:
                return True
    return False


def _closed(state: TableState, status: RoundStatus, bets: tuple[BetResult, ...]) -> TableState:
    """The round with its final result."""
    result = round_result(state, status, bets)
    settlement = replace(state.settlement, status=status, code=None, result=result, paid_out=bets)
    return replace(state, settlement=settlement)


def _disputed(state: TableState, code: str) -> TableState:
    """The round in dispute: `code` says why, and nothing is returned."""
    result = round_result(state, DISPUTED, pending(state))
    return replace(state, settlement=replace(state.settlement, status=DISPUTED, code=code, result=result))


def in_progress(state: TableState) -> bool:
    """Whether the round has a stake, a card, or a fault."""
    return bool(state.boxes) or state.phase != BETS or bool(state.settlement.faults)


NOTHING: Final = Money(0)
Against = tuple[bool, int, bool]
"""What the bets are settled against: dealer blackjack, dealer total, whether the up card is an ace."""
AT_ONCE: Final[frozenset[Outcome]] = frozenset(("bust", "surrender"))
"""Outcomes whose chips are moved during play, before the dealer draws (DE-17, DE-23, SB-10, FR-06, NL-27)."""
_by_box = attrgetter("box")
by_number = attrgetter("number")
Result = TypeVar("Result")
_NEW: Final[Any] = tuple.__new__


def _made(kind: type[Result], fields: tuple[object, ...]) -> Result:
    """Make a named tuple without its own constructor, which is not compiled.

    Each round makes five: a twentieth of the time of `stand17 bench engine`.
    """
    return cast(Result, _NEW(kind, fields))


def settle(state: TableState, rules: RuleSet) -> tuple[BetResult, ...]:
    """Settle every bet by these rules, boxes and seats ascending. Raises RuleRefusal NOT_PAYABLE (G-01)."""
    dealer = (open_blackjack(state.dealer), state.dealer.total, up_rank(state.dealer) == "A")
    boxes = state.boxes if not state.book.bank else sorted(state.boxes, key=_by_box)
    return tuple([_bet_result(rules, box, seat, dealer) for box in boxes for seat, _ in box.bets])


def _bet_result(rules: RuleSet, box: Box, seat: int, dealer: Against) -> BetResult:
    """All parts of one bettor, hands in the order of their numbers, insurance last."""
    hands = box.hands if len(box.hands) == 1 else sorted(box.hands, key=by_number)
    parts = []
    staked = returned = 0
    for hand in hands:
        for owner, stake in hand.stakes:
            if owner == seat:
                outcome, back = _main(rules, box, hand, (seat, stake), dealer)
                parts.append(_made(Part, ("main", hand.number, stake, outcome, back)))
                staked += stake
                returned += back
    for owner, stake in box.insurance:
        if owner == seat:
            outcome, back = _insured(box, stake, dealer)
            parts.append(Part("insurance", 1, stake, outcome, back))
            staked += stake
            returned += back
    for owner, number, stake in box.stranded:
        if owner == seat:
            parts.append(Part("main", number, stake, "void", stake))
            staked += stake
            returned += stake
    return _made(BetResult, (box.box, seat, Money(staked), Money(returned), tuple(parts)))


def _insured(box: Box, stake: Money, dealer: Against) -> tuple[Outcome, Money]:
    """Insurance pays 2:1 on a dealer blackjack.

    NL-22, NL-23, DE-06, DE-07, SB-24, SB-25, FR-16, IT-21, IT-22. Against a card that was in truth no ace
    it goes back.
    """
    blackjack, _, ace_up = dealer
    if box.void or not ace_up:
        return "void", stake
    return ("insured", Money(3 * stake)) if blackjack else ("insurance_lost", NOTHING)


def _main(
    rules: RuleSet, box: Box, hand: Hand, bet: tuple[int, Money], dealer: Against
) -> tuple[Outcome, Money]:
    """Outcome and amount handed back for one (seat, stake) on one hand.

    1:1 for a higher total, the stake back for an equal one (NL-08, DE-26, SB-13, FR-09, IT-14).
    """
    seat, stake = bet
    blackjack, total, _ = dealer
    if box.void:
        return "void", stake
    status = hand.status
    if status == BUST:
        return "bust", NOTHING
    if status == SURRENDERED:
        return "surrender", half_of(rules, stake)
    if status == NATURAL:
        return _natural(rules, box, seat, stake, blackjack)
    if blackjack:
        return _against_blackjack(rules, box, hand, seat, stake)
    mine = hand.total
    if total > 21 or mine > total:
        return "win", Money(2 * stake)
    return ("push", stake) if mine == total else ("lose", NOTHING)


def ratio(rules: RuleSet, outcome: Outcome) -> tuple[int, int]:
    """Return the win per stake of an outcome, as a fraction; (0, 1) for an outcome without a win."""
    match outcome:
        case "blackjack":
            return rules.blackjack_pays
        case "win" | "even_money":
            return 1, 1
        case "insured":
            return 2, 1
        case "push" | "lose" | "bust" | "surrender" | "insurance_lost" | "void":
            return 0, 1
        case _:
            assert_never(outcome)


def _natural(rules: RuleSet, box: Box, seat: int, stake: Money, blackjack: bool) -> tuple[Outcome, Money]:
    """Even money, push against a blackjack, else the bonus.

    NL-09, NL-10, NL-25, DE-10, DE-13, SB-11, FR-11, IT-07.
    """
    if seat in box.even:
        return "even_money", Money(2 * stake)
    if blackjack:
        return "push", stake
    return "blackjack", Money(stake + share(rules, stake, *ratio(rules, "blackjack")))


def _against_blackjack(
    rules: RuleSet, box: Box, hand: Hand, seat: int, stake: Money
) -> tuple[Outcome, Money]:
    """All stakes, or the opening stake only (NL-11, DE-09, SB-07, FR-14, IT-05)."""
    match rules.dealer_blackjack_takes:
        case "all":
            return "lose", NOTHING
        case "original":
            return ("push", stake) if hand.number > 1 else ("lose", Money(stake - dict(box.bets)[seat]))


def _refund(state: TableState) -> tuple[BetResult, ...]:
    """Every stake goes back: the void round."""
    if not all(box.hands for box in state.boxes):
        return tuple(
            BetResult(box.box, seat, stake, stake, (Part("main", 1, stake, "void", stake),))
            for box in state.boxes
            for seat, stake in box.bets
        )
    void = tuple(replace(box, void=True) for box in state.boxes)
    return settle(replace(state, boxes=void), state.book.rules)


def pending(state: TableState) -> tuple[BetResult, ...]:
    """Return the stakes on the layout of an unsettled round, with no parts and no return."""
    results = []
    for box in sorted(state.boxes, key=_by_box):
        for seat, stake in box.bets:
            main = sum(amount for hand in box.hands for owner, amount in hand.stakes if owner == seat)
            insured = sum(amount for owner, amount in box.insurance if owner == seat)
            stranded = sum(amount for owner, _, amount in box.stranded if owner == seat)
            out = Money((main or stake) + insured + stranded)
            results.append(BetResult(box.box, seat, out, NOTHING, ()))
    return tuple(results)


def _dealer_result(dealer: Dealer) -> DealerResult:
    """The dealer's hand as shown: a hole card that was not turned does not appear."""
    hidden = dealer.hole if hidden_hole(dealer) else -1
    cards = tuple([seen.obs.rank or "?" for index, seen in enumerate(dealer.cards) if index != hidden])
    total = dealer.total
    return _made(DealerResult, (cards, total, open_blackjack(dealer), total > 21))


def _hand_results(boxes: tuple[Box, ...]) -> tuple[HandResult, ...]:
    """Every hand, by box and hand number."""
    results = []
    for box in boxes:
        for hand in box.hands:
            cards = tuple([seen.obs.rank or "?" for seen in hand.cards])
            results.append(_made(HandResult, (box.box, hand.number, cards, hand.total)))
    return tuple(results) if len(results) == 1 else tuple(sorted(results))


def settle_order(rules: RuleSet, boxes: tuple[Box, ...]) -> tuple[int, ...]:
    """Boxes in the house's order: box 7 lies at the dealer's right (DE-28, FR-28)."""
    if len(boxes) == 1:
        return (boxes[0].box,)
    return tuple(sorted([box.box for box in boxes], reverse=rules.settle_from == "right"))


def bonuses(rules: RuleSet, boxes: tuple[Box, ...]) -> tuple[tuple[int, int, TripleSeven], ...]:
    """Three sevens in a hand of three cards: the house's gift (SB-27)."""
    if rules.triple_seven == "none":
        return ()
    return tuple(
        (box.box, hand.number, rules.triple_seven)
        for box in sorted(boxes, key=_by_box)
        for hand in sorted(box.hands, key=by_number)
        if not box.void and [seen.obs.rank for seen in hand.cards] == ["7", "7", "7"]
    )


def round_result(state: TableState, status: RoundStatus, bets: tuple[BetResult, ...]) -> RoundResult:
    """The round as the feed prints it."""
    rules, boxes = state.book.rules, state.boxes
    number, dealer, hands = state.book.number, _dealer_result(state.dealer), _hand_results(boxes)
    order, gifts = settle_order(rules, boxes), bonuses(rules, boxes)
    return _made(RoundResult, (number, status, dealer, bets, hands, order, gifts))


NOT_PAYABLE = "NOT_PAYABLE"


def _rounded_down(rules: RuleSet) -> RuleSet:
    """The same rules with a part of a unit left to the house."""
    return rules._replace(rounding="house")


def unpayable(state: TableState) -> tuple[BetResult, ...]:
    """Return the results whose payout is no whole number of units, rounded down."""
    found = []
    for bet in settle(state, _rounded_down(state.book.rules)):
        box = next(box for box in state.boxes if box.box == bet.box)
        alone = replace(box, bets=tuple([one for one in box.bets if one[0] == bet.seat]))
        try:
            settle(replace(state, boxes=(alone,)), state.book.rules)
        except RuleRefusal:
            found.append(bet)
    return tuple(found)


def waiting(state: TableState) -> tuple[BetResult, ...]:
    """Return the unpayable results for which no supervisor has entered a payout."""
    known = [fact.obs for fact in state.log if isinstance(fact.obs, Paid) and fact.ruled]
    entered = {(paid.box, paid.seat) for paid in known}
    return tuple([bet for bet in unpayable(state) if (bet.box, bet.seat) not in entered])


def wanted(bet: BetResult) -> Params:
    """Return the parameters of an unpayable result's hold: box, seat, and the amount rounded down."""
    return (("box", bet.box), ("seat", bet.seat), ("expected", bet.returned))


def float_due(state: TableState) -> int:
    """Return the expected float; without an opening count it starts at 0."""
    return state.book.rack + house_win(state)


def house_win(state: TableState) -> int:
    """Return the house's win of a settled round: stakes less payouts; a payout not entered counts as due."""
    if not is_final(state.settlement.status):
        return 0
    won = 0
    for bet, given in payouts_of(state):
        won += bet.staked - (bet.returned if given is None else given)
    return won


def payouts_of(state: TableState) -> Iterator[tuple[BetResult, int | None]]:
    """Yield each bet of the result with its payout; None when the payout was not entered."""
    settlement = state.settlement
    given = {(box, seat): amount for box, seat, amount in settlement.paid}
    for bet in () if settlement.result is None else settlement.result.bets:
        yield bet, given.get((bet.box, bet.seat))


def with_count(state: TableState, obs: FloatCounted) -> TableState:
    """Begin the float anew with the count of the opening; another count is compared and moves nothing."""
    if obs.at != "open":
        return state
    rack = sum_of(obs) - house_win(state)
    book = replace(state.book, rack=rack, counted_in=state.book.number, ruled=())
    return replace(state, book=replace(book, counted_slips=len(book.slips)))


def moved(book: Book, amount: int) -> Book:
    """The book after so much has come to the float (below 0: has left it)."""
    return replace(book, rack=book.rack + amount) if amount else book


def slip_of(obs: Fill | Credit | Drop) -> Slip:
    """Return the slip of a float movement; its amount is negative when chips left the float."""
    match obs:
        case Fill():
            return Slip("fill", obs.slip, sum_of(obs))
        case Credit():
            return Slip("credit", obs.slip, -sum_of(obs))
        case Drop():
            return Slip("drop", obs.slip or "", -obs.amount)
        case _:
            assert_never(obs)


def with_slip(book: Book, slip: Slip) -> Book:
    """Return the book after a fill, a credit, or a drop."""
    return moved(replace(book, slips=(*book.slips, slip)), slip.amount)


def without_slip(book: Book, at: int) -> Book:
    """The book as if the money of the slip at an index had not moved; the count of an opening stands."""
    slip = book.slips[at]
    slips = (*book.slips[:at], slip._replace(void=True), *book.slips[at + 1 :])
    return moved(replace(book, slips=slips), 0 if at < book.counted_slips else -slip.amount)


def sum_of(obs: FloatCounted | Fill | Credit) -> int:
    """The sum of a count or slip, which says it or its pieces."""
    if obs.amount is not None:
        return obs.amount
    total = 0
    for value, pieces in obs.chips or ():
        total += value * pieces
    return total


def noted(after: TableState, old: TableState, new: TableState, obs: Ruling) -> TableState:
    """Return the table after a ruling, with the amount that it moved; `old` and `new` are the ruled round.

    The change of a closed round's win moves the float. A stake amended before the settlement moves no money
    yet: only the difference is recorded, and the result contains the rest.
    """
    change = house_win(new) - house_win(old)
    book = moved(after.book, change) if new.book.number != after.book.number else after.book
    entry: RuledMoney | None = None
    if change:
        entry = new.book.number, 0, 0, change
    elif isinstance(obs, AmendStake) and not is_final(new.settlement.status):
        laid = _stake(new, obs.box, obs.seat) - _stake(old, obs.box, obs.seat)
        if laid:
            entry = new.book.number, obs.box, obs.seat, laid
    if entry is not None:
        book = replace(book, ruled=_with(book.ruled, entry))
    return after if book is after.book else replace(after, book=book)


def _with(ruled: tuple[RuledMoney, ...], entry: RuledMoney) -> tuple[RuledMoney, ...]:
    """Add an amount to the movements by rulings: one entry per round and bettor, none for a sum of 0."""
    kept: list[RuledMoney] = []
    known = False
    for one in ruled:
        if one[:3] != entry[:3]:
            kept.append(one)
            continue
        known = True
        change = one[3] + entry[3]
        if change:
            kept.append((*entry[:3], change))
    return tuple(kept) if known else (*ruled, entry)


def _stake(state: TableState, number: int, seat: int) -> int:
    """Return a bettor's stake before the deal."""
    for box in state.boxes:
        if box.box == number:
            for at, stake in box.bets:
                if at == seat:
                    return stake
    return 0
