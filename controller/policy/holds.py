"""Holds, and the rounds that they are about."""

from typing import Final, Literal, NamedTuple

from controller.acts.catalogue import Bet, CardSeen
from controller.domain import RANKS, SUITS, Params, Suit
from controller.engine.betting import deal_order, due
from controller.engine.hands import hidden_hole, hole_of
from controller.engine.settle import NOT_PAYABLE, VOIDED, is_final, standing_faults
from controller.engine.shoe import hide, too_many
from controller.engine.state import ACTIVE, BURNED, DEAL, STRUCK, Fact, Fault, Hand, TableState
from controller.irregularities import (
    FAULT_CODES,
    HOLD_KINDS,
    OF_NO_RECORD,
    OWN_KINDS,
    FaultCode,
    HoldKind,
    Irregularity,
    Profile,
    Release,
    Way,
    codes_of,
)


def round_of(state: TableState, number: int) -> TableState | None:
    """Return the round of this number; None when it is not kept any more."""
    if number == state.book.number:
        return state
    return next((old for old in state.book.past if old.book.number == number), None)


def rounds_begun(state: TableState) -> int:
    """The number of the last round that a bet or a card has begun, 0 without any."""
    is_begun = any(isinstance(fact.obs, Bet | CardSeen) for fact in state.log)
    return state.book.number if is_begun else state.book.number - 1


def card_fact(state: TableState, number: int) -> Fact | None:
    """The fact of the card of this number in the round."""
    return next((fact for fact in state.log if fact.n == number and number), None)


def is_out(fact: Fact) -> bool:
    """Whether a card was struck or burned."""
    return fact.at in (STRUCK, BURNED)


def faults_of(state: TableState) -> tuple[tuple[Fault, int], ...]:
    """The faults that keep the round from settling, each with the number of its card (0: no card)."""
    if is_void(state):
        return ()
    return tuple([(fault, state.log[fault.fact].n) for fault in standing_faults(state)])


def is_void(state: TableState) -> bool:
    """Whether the whole round was voided."""
    return state.settlement.status == VOIDED


def missed(state: TableState) -> int | None:
    """Return the target that the deal passed over: a box, 0 for the dealer, None when the order was kept."""
    if state.phase != DEAL or not state.due:
        return None
    boxes = tuple([box.box for box in state.boxes if not box.void])
    order = deal_order(state.book.rules, boxes)
    return None if order[-len(state.due) :] == state.due else state.due[0]


def may_act(state: TableState, number: int) -> bool:
    """Whether a hand of this box may still act."""
    hands = [hand for box in state.boxes if box.box == number and not box.void for hand in box.hands]
    return any(hand.status == ACTIVE for hand in hands)


def hands_of(state: TableState, number: int) -> tuple[Hand, ...]:
    """Return the hands of this box; none without a bet."""
    return next((box.hands for box in state.boxes if box.box == number), ())


def waits_for_rank(state: TableState, number: int) -> bool:
    """Whether the card of this number still needs its rank."""
    fact = card_fact(state, number)
    if fact is None or is_out(fact) or is_void(state) or not isinstance(fact.obs, CardSeen):
        return False
    lying = {seen.n for box in state.boxes if box.void for hand in box.hands for seen in hand.cards}
    return fact.obs.rank is None and number not in lying


def is_one_too_many(table: TableState, state: TableState, number: int) -> bool:
    """Whether more cards of this card's kind were counted than the shoe contains."""
    fact = card_fact(state, number)
    if fact is None or is_out(fact) or not isinstance(fact.obs, CardSeen):
        return False
    return too_many(table.shoe, fact.obs.rank, fact.obs.suit)


def payout_differs(state: TableState, box: int, seat: int) -> bool:
    """Whether a known payout of this bettor differs from the amount due.

    A void round returns the stakes. While a round is open again or disputed, no amount is due yet: a payout
    of 0 must not pass for a correct one.
    """
    paid = next((entry[2] for entry in state.settlement.paid if entry[:2] == (box, seat)), None)
    settled = is_final(state.settlement.status)
    return paid is not None and not (settled and due(state, box, seat) == paid)


TOO_MANY: Final = frozenset({"TOO_MANY_OF_A_KIND", "REST_CARD_EXTRA"})
"""Alerts that a card may explain which was never turned."""


def names_unturned(state: TableState, params: Params) -> bool:
    """Whether a kind is surplus only because a card that was never turned belongs to it.

    In a house that shuffles each round, the count contains no earlier round.
    """
    fields = dict(params)
    rank, suit = fields.get("rank"), fields.get("suit") or None
    if state.book.rules.shuffled_each_round:
        return False
    shoe = state.shoe
    for kept in state.book.past:
        hole = hole_of(kept.dealer)
        same = kept.shoe.number == shoe.number and hidden_hole(kept.dealer)
        if same and hole is not None and hole.n > kept.shoe.earlier and hole.obs.rank == rank:
            shoe = hide(shoe, hole.card)
    return shoe is not state.shoe and not any(
        too_many(shoe, known, colour) for known in RANKS if known == rank for colour in _suits(suit)
    )


def _suits(suit: object) -> tuple[Suit | None, ...]:
    return tuple(known for known in SUITS if known == suit) or (None,)


LEFT: Final = "BETTOR_LEFT"
ASKED: Final = "DECISION_UNCLEAR"
NO_HAND: Final[Params] = (("box", 0), ("hand", 0))
"""Parameters of `DECISION_UNCLEAR` for a card that no hand can take by a decision: the pit rules on it."""
LOST: Final = "DEVICE_LOST"
ABSENCE: Final[dict[Literal["stale", "lost"], str]] = {"stale": "DEVICE_STALE", "lost": LOST}
"""The alert about a device that does not answer, by its state."""
ABSENT: Final = frozenset(ABSENCE.values())
HOLE_ASKED: Final = "HOLE_CARD_UNREAD"
FROZEN: Final = "FROZEN"
INSURANCE_ASKED: Final = "INSURANCE_UNCLEAR"
STAKE_ASKED: Final = "STAKE_DIFFERS"
UNREAD: Final = "CARD_UNREAD"
STAKE_CHANGED: Final[FaultCode] = "STAKE_CHANGED"
WRONG_PAYOUT: Final[FaultCode] = "WRONG_PAYOUT"

NOT_ARRIVED: Final = "CARD_NOT_ARRIVED"
NOT_DEALT: Final = "CARD_NOT_DEALT"
IN_HAND: Final = "CARD_IN_HAND"
ELSEWHERE: Final = "CARD_ELSEWHERE"
VANISHED: Final = "CARD_VANISHED"
READ_DIFFERENTLY: Final = "CARD_READ_DIFFERENTLY"
CAMERAS_DIFFER: Final = "CAMERAS_DIFFER"
COUNT_DUE: Final = "COUNT_DUE"
DISAGREES: Final = "CAMERA_DISAGREES"
DISAGREES_DEALER: Final = "CAMERA_DISAGREES_DEALER"

OUT_OF_PLACE: Final = codes_of(lambda kind: kind.ends == "camera")
"""What a camera over the felt says by itself of its picture."""
LIFTED_BY_CARD: Final = codes_of(lambda kind: kind.ends == "card")
NEED_ANSWER: Final = codes_of(lambda kind: kind.answer_only)
PICTURE_DIFFERS: Final = codes_of(lambda kind: kind.picture)
"""Holds over a picture that shows another card than the table has."""
SHOE_HOLDS: Final = codes_of(lambda kind: kind.of == "shoe")


class Hold(NamedTuple):
    """One reason why the table waits.

    `card` is the number of the card at fault, 0 without one; `box` is the place of the fault (0 dealer, -1
    none). `fault`: the engine set a fact aside. `owed`: a hand was owed a card when the hold began.
    `since_utc_us` and `by` are the time and the author of the hold, at a table with a journal. A hold of the
    runtime belongs to no round (0), and only a resume lifts it.
    """

    code: str
    release: Release
    ways: tuple[Way, ...]
    params: Params
    round: int
    card: int = 0
    box: int = -1
    fault: bool = False
    owed: bool = False
    since_utc_us: int = 0
    by: str = ""

    def get(self, key: str) -> int | str | None:
        """Return one parameter; None when the hold has no parameter of that name."""
        return dict(self.params).get(key)


def ruling_for(profile: Profile, code: str) -> Irregularity:
    """Return the house's ruling on a code; a fact that no longer fits after a ruling is a dispute.

    A payout that cannot be paid in full is a dispute too; the pit may enter the rounded payout.
    """
    kind = HOLD_KINDS.get(code)
    if kind is not None and kind.ruling is not None:
        return kind.ruling
    if code == NOT_PAYABLE:
        disputed = profile["ROUND_DISPUTED"]
        return disputed._replace(ways=("paid", *disputed.ways))
    known: FaultCode = "ROUND_DISPUTED"
    for named in FAULT_CODES:
        if named == code:
            known = named
    return profile[known]


def kind_of(hold: Hold) -> HoldKind:
    """Return the kind of a hold.

    A set-aside fact whose code has no kind is ruled as a dispute. So is a round's hold by an earlier version
    with a code of its own.
    """
    kind = HOLD_KINDS.get(hold.code)
    if kind is not None:
        return kind
    if hold.round or hold.fault:
        return HOLD_KINDS["ROUND_DISPUTED"]
    return OWN_KINDS.get(hold.code, OF_NO_RECORD)


def is_same(one: Hold, other: Hold) -> bool:
    """Whether two holds concern the same fault, apart from what was learnt later."""
    return _about(one) == _about(other)


def _about(hold: Hold) -> tuple[object, ...]:
    if hold.code in PICTURE_DIFFERS:
        return hold.code, hold.round, hold.params
    seat = hold.get("seat")
    bettor = None if seat is None else (hold.get("box"), seat)
    return hold.code, hold.round, hold.card, bettor, hold.get("name")
