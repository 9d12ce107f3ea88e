"""The table's door: one line in, everything that follows from it out.

A card is laid, kept while the table waits, or asked about.
"""

from dataclasses import replace
from typing import Final, NamedTuple, assert_never

from controller.acts.catalogue import (
    Bank,
    Bet,
    CardSeen,
    ChipReading,
    Chips,
    Close,
    Credit,
    CutCard,
    DealerSeated,
    Decision,
    DeskAct,
    DeviceSeen,
    Drop,
    End,
    EnteredAct,
    EvenMoney,
    Exposed,
    Fill,
    FloatCounted,
    Freeze,
    HoldsLifted,
    Insurance,
    InsuranceClosed,
    Leave,
    Limits,
    MoneyAct,
    Paid,
    Peek,
    RestCard,
    RestCounting,
    Reveal,
    Ruling,
    ShoeAct,
    ShoeEnded,
    ShoeLoaded,
    ShoeShuffled,
    ShoeVoided,
    SlipVoided,
    TableDay,
    Written,
)
from controller.domain import TableError
from controller.engine.cards import places, wanted
from controller.engine.hands import hidden_hole, hole_of
from controller.engine.play import can_take, owed_at
from controller.engine.state import (
    ACTIVE,
    BURNED,
    COMPLETE,
    DEAL,
    DEALER,
    DRAW,
    INSURANCE,
    PLAY,
    REVEAL,
    Box,
    Hand,
    Place,
    RuleRefusal,
    TableState,
)
from controller.policy import everyday, rulings
from controller.policy.allowed import require_allowed, require_free, require_second_person
from controller.policy.desk import Desk, rule
from controller.policy.everyday import TOO_LATE, ask_stakes, late_bet, read_chips, watch
from controller.policy.holds import (
    ASKED,
    HOLE_ASKED,
    INSURANCE_ASKED,
    LIFTED_BY_CARD,
    NO_HAND,
    READ_DIFFERENTLY,
    UNREAD,
    hands_of,
    kind_of,
)
from controller.policy.line import SYSTEM, Doubt, KeptCard, TableLine
from controller.policy.rulings import (
    begin_or_cancel,
    close_day,
    count_card,
    end_shoe,
    enter_card,
    require_no_count,
)
from controller.policy.run import Effect, House, Noticed, Refusal, TableRun


class Decided(NamedTuple):
    """The table after a line, and the effects of the line in order.

    A refusal is the only effect of its line, except for the alert of a late bet.
    """

    run: TableRun
    effects: tuple[Effect, ...]


def decide(  # a line from the question who may, to the cards that waited for it
    house: House, run: TableRun, line: TableLine
) -> Decided:
    """Decide one line. Raises nothing for any report of people or devices."""
    desk = Desk(house, run)
    try:
        answer = require_allowed(run, line)
        require_second_person(house.second, run, line)
        require_free(run, line, answer)
        act = line.observation
        if isinstance(act, CardSeen):
            card = _arrived(desk, line, act)
            if not waits(desk.run):
                lay(desk, card, waited=False)
            elif draws(run, act) or _is_dealt_on(desk):
                desk.fact(act, line.by, line.mark)
            else:
                desk.keep(card)
        elif isinstance(act, Ruling):
            require_no_count(desk, line)
            rule(desk, line, act)
        else:
            _take(desk, line, act)
        # Cards that waited first: a payout that a source has counted goes to the round they complete.
        _lay_kept(desk)
        watch(desk, line.mark)
    except TableError as refusal:
        by_rules = isinstance(refusal, RuleRefusal) or type(desk.refused) is type(line.observation)
        return _refused(run, line, refusal, by_rules=by_rules)
    run = desk.run
    if run.last_card_ms != desk.card_ms:
        run = replace(run, last_card_ms=desk.card_ms)
    return Decided(run, tuple(desk.effects))


def _refused(run: TableRun, line: TableLine, refusal: TableError, *, by_rules: bool) -> Decided:
    """Refuse a line and leave the table unchanged; a late bet adds an alert.

    The journal writes a repeated alert once.
    """
    refused = Refusal(line.mark, refusal.code, tuple(refusal.params.items()), line.by, by_rules)
    late = late_bet(run.state, line) if refusal.code == TOO_LATE else None
    return Decided(run, (refused,) if late is None else (refused, Noticed(line.mark, late)))


def hold_over(house: House, run: TableRun, doubt: Doubt, mark: int) -> Decided:
    """Begin a hold for two contradicting witnesses; the card in question was placed before."""
    desk = Desk(house, run)
    card = doubt.number
    for fact in run.state.log:
        if doubt.card and isinstance(fact.obs, CardSeen) and fact.obs.id == doubt.card:
            card = fact.n
    for hold in desk.run.holds:
        if doubt.code == READ_DIFFERENTLY and (hold.code, hold.card) == (UNREAD, card):
            desk.release(hold, mark)  # The same question with the same ways, and this one says who read what.
    desk.alert(doubt.code, mark, doubt.params)
    desk.hold_for(doubt.code, mark, doubt.params, card=card, box=doubt.box)
    return Decided(desk.run, tuple(desk.effects))


def go_on(house: House, run: TableRun) -> Decided:
    """Place the waiting cards until a hold begins."""
    desk = Desk(house, run)
    _lay_kept(desk)
    return Decided(desk.run, tuple(desk.effects))


def _take(  # noqa: C901  # a case for each act
    desk: Desk, line: TableLine, act: EnteredAct | ShoeAct | MoneyAct | DeskAct
) -> None:
    """Apply the act of a line; one case per act, the most frequent first."""
    if desk.run.rest is not None and isinstance(act, CutCard):
        return  # It runs through the reader with the rest, and asks for no shuffle.
    require_no_count(desk, line)
    match act:
        case Decision():
            everyday.decision(desk, line, act)
        case Bet():
            everyday.bet(desk, line, act)
        case Close():
            everyday.close(desk, line)
        case Reveal():
            everyday.reveal(desk, line, act)
        case End():
            everyday.end(desk, line)
        case Leave():
            everyday.leave(desk, line, act)
        case Insurance() | EvenMoney() | InsuranceClosed() | Peek() | Exposed() | Chips() | Bank():
            everyday.plain(desk, line)
        case _:
            _take_beside_play(desk, line, act)


def _take_beside_play(  # noqa: C901, PLR0912  # a case for each act
    desk: Desk, line: TableLine, act: ShoeAct | MoneyAct | DeskAct
) -> None:
    if isinstance(act, Written):
        everyday.plain(desk, line)
        return
    match act:
        case Paid():
            rulings.paid(desk, line, act)
        case HoldsLifted():
            rulings.resume(desk, line, act)
        case DeviceSeen():
            everyday.device(desk, line, act)
        case ChipReading():
            read_chips(desk, line, act)
        case Freeze():
            everyday.freeze(desk, line, act)
        case FloatCounted():
            everyday.count_float(desk, line, act)
        case Fill() | Credit() | Drop():
            everyday.enter_slip(desk, line, act)
        case RestCounting():
            begin_or_cancel(desk, line, act)
        case RestCard():
            enter_card(desk, line, act)
        case ShoeEnded():
            end_shoe(desk, line, act)
        case ShoeLoaded() | ShoeShuffled():
            rulings.shoe(desk, line, act)
        case TableDay():
            close_day(desk, line, act)
        # No fault can lie in these.
        case CutCard() | Limits() | SlipVoided() | DealerSeated():
            everyday.plain(desk, line)
        case ShoeVoided():
            rule(desk, line, act)
        case _:
            assert_never(act)


SURE_POSE: Final = 0.9
"""Below this a camera's reading of a card that lies across is asked: a double is money. Not measured; the
reader gives resting cards that it is certain of above 0.99."""

_CARDS_DEALT: Final = 2
"""A hand of more cards than these has taken one by a decision."""


def _arrived(desk: Desk, line: TableLine, card: CardSeen) -> KeptCard:
    """A card has come."""
    last, run = desk.card_ms, desk.run
    desk.card_ms = line.t_ms
    if line.shown and run.holds and all(hold.code in LIFTED_BY_CARD for hold in run.holds):
        # A witness of the felt reports only the card that was waited for.
        for hold in run.holds:
            desk.release(hold, line.mark)
    gap_ms = None if last is None else line.t_ms - last
    return KeptCard(card, line.by, line.mark, gap_ms, line.shown, line.unclear)


def _lay_kept(desk: Desk) -> None:
    """Lay the cards that have waited, in order, until one of them holds again."""
    while desk.run.kept and not waits(desk.run):
        first, *rest = desk.run.kept
        desk.run = replace(desk.run, kept=tuple(rest))
        lay(desk, first, waited=True)


def waits(run: TableRun) -> bool:
    """Whether cards wait. During the count of a shoe's rest, a hold for the next shoe does not stop them."""
    if run.rest is None:
        return bool(run.holds)
    return not all(kind_of(hold).packs for hold in run.holds)


def lay(desk: Desk, kept: KeptCard, *, waited: bool) -> None:
    """Place one card, unless its place must be asked or the shoe's rest is counted."""
    if desk.run.rest is not None:
        count_card(desk, kept, waited=waited)
        return
    if kept.card.out is not None:
        desk.fact(kept.card, kept.by, kept.mark, kept=waited)
        return
    where = wanted(kept.card)
    burned = where == BURNED or (where is None and desk.state.shoe.burn_due)
    if not burned and _waits(desk, kept, where):
        return
    before = desk.state
    desk.fact(kept.card, kept.by, kept.mark, kept=waited)
    if where != BURNED:
        _mark_decision(desk, before, kept.mark)
    elif kept.shown:
        desk.infer("burn", kept.mark)


def _waits(desk: Desk, kept: KeptCard, where: Place | None) -> bool:
    """Whether a card of the round waits for a person's answer; then it is kept.

    During an insurance offer, a bettor may have declined without a tap, or chips may lie there unentered.
    """
    if ask_stakes(desk, kept.mark):
        desk.keep(kept, first=True)
        return True
    if desk.state.phase == INSURANCE:
        if desk.ask(INSURANCE_ASKED, kept, card=desk.state.cards_seen + 1):
            return True
        desk.fact(InsuranceClosed(), SYSTEM, kept.mark)
    number = desk.state.cards_seen + 1
    if where is None and _is_left_over(desk, kept):
        return desk.ask(ASKED, kept, NO_HAND, card=number, box=0, release="pit")
    if _turns(desk, where) and not _turn(desk, kept):
        return True
    asked = _asked_hand(desk, kept, where)
    if asked is None:
        return False
    box, hand = asked
    return desk.ask(ASKED, kept, (("box", box.box), ("hand", hand.number)), card=number, box=box.box)


def _is_stuck(desk: Desk, kept: KeptCard) -> bool:
    """Whether a card followed the last card so soon that both may have left the shoe together."""
    return kept.gap_ms is not None and kept.gap_ms < desk.house.options.card_gap_ms


def _is_left_over(desk: Desk, kept: KeptCard) -> bool:
    """Whether a card stuck to a hand's card and no decision can take it: the pit rules on it.

    A card that is owed is no such card: one of the deal, of the dealer, or the second of a split hand.
    """
    at, state = desk.state.current, desk.state
    if kept.ruled or not _is_stuck(desk, kept) or state.phase not in (PLAY, REVEAL, DRAW, COMPLETE):
        return False
    owed = at is not None and owed_at(at[0]) >= 0
    if at is not None and not owed and can_take(at[1], state.book.rules):
        return False
    place = places(state).get(state.cards_seen)
    if place is None:
        return True
    hands = [hand for hand in hands_of(state, place[0]) if hand.number == place[1]]
    return any(len(hand.cards) > _CARDS_DEALT or (hand.split and not owed) for hand in hands)


def _mark_decision(desk: Desk, before: TableState, mark: int) -> None:
    """Infer the decision that the last placed card implies; none for a card that the hand was owed."""
    if before.phase != PLAY:
        return
    after = desk.state
    box, number = places(after).get(after.cards_seen, DEALER)
    for hand in hands_of(before, box):
        if hand.number == number and len(hand.cards) > 1 and not hand.owed:
            doubled = any(later.doubled for later in hands_of(after, box) if later.number == number)
            desk.infer("double" if doubled else "hit", mark, box, number)


def _turns(desk: Desk, where: Place | None) -> bool:
    """Whether a card implies the reveal of the face-down card."""
    state = desk.state
    due = state.phase == REVEAL and not state.offers.peeked and hidden_hole(state.dealer)
    return due and desk.house.options.turn_by_card and where in (None, DEALER)


def _turn(desk: Desk, kept: KeptCard) -> bool:
    """Reveal the face-down card; False when it was not read: then its rank is asked and the card waits."""
    hole = hole_of(desk.state.dealer)
    if hole is None or hole.obs.rank is None:
        return not desk.ask(HOLE_ASKED, kept, card=hole.n if hole is not None else 0, box=0)
    desk.fact(Reveal(), kept.by, kept.mark)
    desk.infer("reveal", kept.mark)
    return not desk.run.holds


def _asked_hand(desk: Desk, kept: KeptCard, where: Place | None) -> tuple[Box, Hand] | None:
    """Return the hand whose player must be asked about this card; None when the card has one meaning only."""
    at = desk.state.current
    if at is None or owed_at(at[0]) >= 0 or at[1].unread:
        return None
    if kept.ruled:
        return None
    if kept.unclear and desk.house.options.unclear == "ask":
        return at
    if where is None or _is_of(at, where):
        asked = _asks_hit(desk, kept, at[1])
    else:
        asked = desk.house.options.later_hand == "ask" and _is_later(desk.state, where)
    return at if asked else None


def _asks_hit(desk: Desk, kept: KeptCard, hand: Hand) -> bool:
    """Whether a card may be unwanted by the guest, though the hand to act could take it."""
    options = desk.house.options
    if kept.card.pose == "across":
        return _asks_pose(desk, kept.card)
    if not can_take(hand, desk.state.book.rules):
        return False
    hard = hand.total == hand.hard
    high = bool(options.ask_hit_from) and hard and hand.total >= options.ask_hit_from
    return high or _is_stuck(desk, kept)


def _asks_pose(desk: Desk, card: CardSeen) -> bool:
    """Whether a card reported as across could be a hit as well as a double."""
    doubtful = card.pose == "across" and card.p is not None and card.p < SURE_POSE
    return doubtful and desk.house.options.unclear == "ask"


def _is_of(at: tuple[Box, Hand], where: Place) -> bool:
    """Whether the place is that of the hand to act; a place without a hand is the box's first open hand."""
    return where[0] == at[0].box and where[1] in (0, at[1].number)


def _is_later(state: TableState, where: Place) -> bool:
    """Whether the place is a later hand that may still act, or the dealer's open hand."""
    if where == DEALER:
        return not hidden_hole(state.dealer)
    for box_at in range(state.box_at, len(state.boxes)):
        for hand_at, hand in enumerate(state.boxes[box_at].hands):
            named = state.boxes[box_at].box == where[0] and where[1] in (0, hand.number)
            if named and hand.status == ACTIVE and (box_at, hand_at) > (state.box_at, state.hand_at):
                return True
    return False


def draws(run: TableRun, card: CardSeen) -> bool:
    """Whether a card during a hold is the owed card, in a house that lets it end the hold."""
    where = wanted(card)
    return where != BURNED and any(
        "draw" in hold.ways and hold.round == run.state.book.number and _is_owed(run.state, where)
        for hold in run.holds
    )


def _is_dealt_on(desk: Desk) -> bool:
    """Whether the deal continues beside an unread card: the order of the deal gives each card's place."""
    return desk.state.phase == DEAL and all(hold.code == "CARD_UNREAD" for hold in desk.run.holds)


def _is_owed(state: TableState, where: Place | None) -> bool:
    """Whether a hand is owed a card, and this card may be it."""
    if state.phase == DEAL:
        return bool(state.due) and (where is None or where[0] == state.due[0])
    if state.phase == DRAW:
        return where in (None, DEALER)
    if state.phase == PLAY:
        box = state.boxes[state.box_at]
        owed = owed_at(box)
        return owed >= 0 and (where is None or where in ((box.box, box.hands[owed].number), (box.box, 0)))
    return False
