"""Why the table waits: each hold with who lifts it, the ways out, and what it is about."""

from typing import Final, Literal, NamedTuple

from controller.domain.irregularities import FAULT_CODES, FaultCode, Irregularity, Profile, Release, Way
from controller.domain.notices import Params
from controller.engine.settle.not_payable import NOT_PAYABLE
from controller.engine.watching import SHUFFLE_SUSPECT
from controller.policy.state.rest_cards import REST_EXTRA, REST_UNREAD

LEFT: Final = "BETTOR_LEFT"
ASKED: Final = "DECISION_UNCLEAR"
NO_HAND: Final[Params] = (("box", 0), ("hand", 0))
"""Parameters of `DECISION_UNCLEAR` for a card that no hand can take by a decision: the pit rules on it."""
LOST: Final = "DEVICE_LOST"
ABSENCE: Final[dict[Literal["stale", "lost"], str]] = {"stale": "DEVICE_STALE", "lost": LOST}
"""The alert about a device that does not answer, by its state."""
ABSENT: Final = frozenset(ABSENCE.values())
OUT_OF_PLACE: Final = frozenset(("CAMERA_BUMPED", "CAMERA_COVERED", "CAMERA_LIGHT", "DECK_ENROLLING"))
"""What a camera over the felt says by itself of its picture; over once it is back, or calibrated anew,
or the deck that is spread under it is enrolled."""
HOLE_ASKED: Final = "HOLE_CARD_UNREAD"
FROZEN: Final = "FROZEN"
INSURANCE_ASKED: Final = "INSURANCE_UNCLEAR"
NEED_ANSWER: Final = frozenset((ASKED, INSURANCE_ASKED))
"""Holds that nobody goes on over: they wait for their answer."""
STAKE_ASKED: Final = "STAKE_DIFFERS"
UNREAD: Final = "CARD_UNREAD"
STAKE_CHANGED: Final[FaultCode] = "STAKE_CHANGED"
WRONG_PAYOUT: Final[FaultCode] = "WRONG_PAYOUT"

NOT_ARRIVED: Final = "CARD_NOT_ARRIVED"
NOT_DEALT: Final = "CARD_NOT_DEALT"
IN_HAND: Final = "CARD_IN_HAND"
LIFTED_BY_CARD: Final = frozenset((NOT_ARRIVED, IN_HAND))
"""Holds that the card lifts by itself once it lies there."""
ELSEWHERE: Final = "CARD_ELSEWHERE"
VANISHED: Final = "CARD_VANISHED"
NOT_COUNTED: Final = "CARD_NOT_COUNTED"
READ_DIFFERENTLY: Final = "CARD_READ_DIFFERENTLY"
CAMERAS_DIFFER: Final = "CAMERAS_DIFFER"

COUNT_DUE: Final = "COUNT_DUE"

DISAGREES: Final = "CAMERA_DISAGREES"
DISAGREES_DEALER: Final = "CAMERA_DISAGREES_DEALER"
PICTURE_DIFFERS: Final = frozenset((DISAGREES, DISAGREES_DEALER))
"""Holds over a picture that shows another card than the table has: going on over one takes a reason."""

CONTRACT: Final[dict[str, Irregularity]] = {
    SHUFFLE_SUSPECT: Irregularity("pit", ("shoe_void", "shuffle", "keep")),
    COUNT_DUE: Irregularity("pit", ("shoe_end", "keep")),
    ASKED: Irregularity("dealer", ("burn", "move", "strike", "void_round")),
    LOST: Irregularity("dealer", ("keep",)),
    FROZEN: Irregularity("pit", ("keep",)),
    INSURANCE_ASKED: Irregularity("dealer", ("strike", "burn", "void_round")),
    HOLE_ASKED: Irregularity("dealer", ("correct",)),
    STAKE_ASKED: Irregularity("dealer", ("keep",)),
    REST_UNREAD: Irregularity("dealer", ("keep",)),
    REST_EXTRA: Irregularity("pit", ("keep",)),
    NOT_ARRIVED: Irregularity("pit", ("keep", "void_round")),
    IN_HAND: Irregularity("dealer", ("keep", "void_round")),
    NOT_DEALT: Irregularity("pit", ("strike", "burn", "keep", "move", "void_round")),
    ELSEWHERE: Irregularity("pit", ("move", "keep", "strike", "burn", "void_round")),
    VANISHED: Irregularity("pit", ("keep", "move", "strike", "burn", "void_round")),
    NOT_COUNTED: Irregularity("pit", ("strike", "keep", "correct", "void_round")),
    READ_DIFFERENTLY: Irregularity("dealer", ("correct", "strike", "void_round")),
    CAMERAS_DIFFER: Irregularity("pit", ("correct", "strike", "keep", "void_round")),
    **dict.fromkeys(
        sorted(PICTURE_DIFFERS),
        Irregularity(
            "pit", ("correct", "move", "strike", "burn", "amend", "swap", "keep", "void_box", "void_round")
        ),
    ),
    **dict.fromkeys(sorted(OUT_OF_PLACE), Irregularity("pit", ("keep", "void_round"))),
}
"""Holds on which no house rules: a decision answers `DECISION_UNCLEAR`, `insurance_closed` or the last seat's
answer `INSURANCE_UNCLEAR`, the turned card's rank `HOLE_CARD_UNREAD`, the stake entered once more
`STAKE_DIFFERS`; a table that the pit has stopped goes on when the pit says so. A card of the shoe's rest
that was not read is run through again, one too many is taken out of the count, or stays in it.

The next seven are about shoe and camera, or the two parts of a joined shoe: a card that left the shoe and
lies nowhere is none of this round (`keep`), what a hand is on lies there once it is free, or is none of that
box (`keep`), one that lies there and never left it is one (`keep`) or none
(`strike`), one that rests at another box than the table has it at belongs there (`move`) or is laid back
(`keep`), one that is gone from its hand is laid back (`keep`), lies elsewhere (`move`) or was none
(`strike`), one that was named and never counted is a card (`keep`, `correct`) or none (`strike`), and whoever
looks at a card that both read differently says what it is. So does whoever looks at a card that two cameras
read differently; it may be what the table has already (`keep`). The last are about a camera that is not in
its place: somebody puts it back or calibrates it anew, and goes on.
"""

SHOE_HOLDS: Final = frozenset(
    (
        "SHUFFLE_DUE",
        "SHOE_DUE",
        "SHOE_OVERRUN",
        "SHOE_QUESTIONED",
        "SHOE_INCOMPLETE",
        SHUFFLE_SUSPECT,
        COUNT_DUE,
    )
)
"""Holds about the shoe: they outlive the round in which they came."""
BEFORE_SHOE: Final = frozenset((COUNT_DUE, "SHUFFLE_DUE", SHUFFLE_SUSPECT))
"""Holds in front of other packs: the rest of the present ones can be counted while they stand."""

OF_NO_ROUND: Final = SHOE_HOLDS | {LOST, FROZEN}
"""Holds that no ruling on a round mends, nor its end."""


class Hold(NamedTuple):
    """One reason why the table waits.

    `card` is the number of the card in the round that does not fit, 0 where it is none; `box` where the fault
    lies (0 dealer, -1 nowhere). `fault`: a fact that the engine has set aside. `owed`: somebody waited for a
    card when it began. `since_utc_us` and `by` are when it began and who asked for it, at a table that has a
    journal. A hold of the runtime's own is about no round (0), and nothing but a resume lifts it.
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
        """One parameter, None where there is none of that name."""
        return dict(self.params).get(key)


def ruling_for(profile: Profile, code: str) -> Irregularity:
    """How the house rules on a code; whatever no longer fits after a ruling is ruled as a dispute.

    A payout that cannot be paid in full is one, too, and the pit may enter it as it was rounded.
    """
    if code in CONTRACT:
        return CONTRACT[code]
    if code == NOT_PAYABLE:
        disputed = profile["ROUND_DISPUTED"]
        return disputed._replace(ways=("paid", *disputed.ways))
    known: FaultCode = "ROUND_DISPUTED"
    for named in FAULT_CODES:
        if named == code:
            known = named
    return profile[known]


def is_same(one: Hold, other: Hold) -> bool:
    """Whether two holds are about the same fault, whatever was learnt of it meanwhile."""
    return _about(one) == _about(other)


def _about(hold: Hold) -> tuple[object, ...]:
    if hold.code in PICTURE_DIFFERS:
        return hold.code, hold.round, hold.params
    seat = hold.get("seat")
    bettor = None if seat is None else (hold.get("box"), seat)
    return hold.code, hold.round, hold.card, bettor, hold.get("name")
