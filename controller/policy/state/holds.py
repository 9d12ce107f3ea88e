"""Holds: the reason, the role that lifts it, the ways out, and its subject."""

from typing import Final, Literal, NamedTuple

from controller.domain import Params
from controller.engine.settle.not_payable import NOT_PAYABLE
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
