"""The reasons for a wait: each kind of hold with its subject, the role that lifts it, and its ways out.

A house's profile is data (`[irregularities]` of its rule file): jurisdictions contradict each other here.
A new hold is a word in `_ContractCode` (or in `FaultCode`, if every house has to rule on it) and a case of
`_kind`; the pages, the policy and the lock of the shoe read the record.
"""

from collections.abc import Callable, Mapping
from typing import Final, Literal, NamedTuple, assert_never, get_args

FaultCode = Literal[
    "CARD_BEFORE_BETS",
    "CARD_TO_EMPTY_BOX",
    "CARD_TO_DONE_HAND",
    "CARD_OWED",
    "CARD_AFTER_DEALER_BLACKJACK",
    "ACROSS_NOT_ALLOWED",
    "UP_CARD_FACE_DOWN",
    "MISSED_CARD",
    "DEALER_MISSED_CARD",
    "INSURANCE_NOT_CLOSED",
    "PEEK_MISSING",
    "PEEK_CONTRADICTS",
    "HOLE_CARD_CONTRADICTS",
    "HOLE_CARD_EXPOSED",
    "HOLE_NOT_REVEALED",
    "DEALER_DREW_ON_17",
    "DEALER_DREW_AFTER_BUST",
    "DEALER_STOOD_ON_16",
    "ROUND_INCOMPLETE",
    "ROUND_DISPUTED",
    "CARD_UNREAD",
    "TOO_MANY_OF_A_KIND",
    "BURN_MISSED",
    "SHUFFLE_DUE",
    "SHOE_DUE",
    "SHOE_OVERRUN",
    "SHOE_QUESTIONED",
    "SHOE_INCOMPLETE",
    "WRONG_PAYOUT",
    "STAKE_CHANGED",
    "STAKE_OUTSIDE_LIMITS",
    "BETTOR_LEFT",
]
"""Faults on which a house rules. ROUND_DISPUTED stands for whatever no longer fits after a ruling."""

_AskedCode = Literal[
    "SHUFFLE_SUSPECT",
    "COUNT_DUE",
    "DECISION_UNCLEAR",
    "DEVICE_LOST",
    "FROZEN",
    "INSURANCE_UNCLEAR",
    "HOLE_CARD_UNREAD",
    "STAKE_DIFFERS",
    "REST_CARD_UNREAD",
    "REST_CARD_EXTRA",
]
_WitnessCode = Literal[
    "CARD_NOT_ARRIVED",
    "CARD_IN_HAND",
    "CARD_NOT_DEALT",
    "CARD_ELSEWHERE",
    "CARD_VANISHED",
    "CARD_NOT_COUNTED",
    "CARD_READ_DIFFERENTLY",
    "CAMERAS_DIFFER",
    "CAMERA_DISAGREES",
    "CAMERA_DISAGREES_DEALER",
    "CAMERA_BUMPED",
    "CAMERA_COVERED",
    "CAMERA_LIGHT",
    "DECK_ENROLLING",
]
"""What cameras, or a shoe and a camera, tell of the cards."""
_ContractCode = _AskedCode | _WitnessCode
"""Holds on which no house rules: the feed format says who lifts them and how."""
HoldCode = FaultCode | _ContractCode
OwnCode = Literal[
    "RESTARTED",
    "DEVICE_STALE",
    "JOURNAL_SLOW",
    "JOURNAL_HEADS_CUT",
    "JOURNAL_HEADS_MISSING",
    "JOURNAL_KEPT_DIFFERS",
    "JOURNAL_PUT_BACK",
    "TAKEN_OVER",
    "SOFTWARE_DIFFERS",
    "SOFTWARE_FORGED",
]
"""Holds of the program itself that somebody else than one supervisor lifts; they are about no round."""

Release = Literal["dealer", "pit", "two"]
"""Who lifts a hold: the dealer, one supervisor, or two people."""

Way = Literal[
    "strike",
    "burn",
    "keep",
    "move",
    "swap",
    "correct",
    "amend",
    "draw",
    "shoe",
    "paid",
    "void_box",
    "void_round",
    "shoe_void",
    "shuffle",
    "shoe_end",
]
"""A way out of a hold (feed format, section 7)."""

FAULT_CODES: Final[tuple[FaultCode, ...]] = get_args(FaultCode)
_CONTRACT_CODES: Final[tuple[_ContractCode, ...]] = (*get_args(_AskedCode), *get_args(_WitnessCode))
RELEASES: Final[tuple[Release, ...]] = get_args(Release)
WAYS: Final[tuple[Way, ...]] = get_args(Way)

DEALER_RELEASES: Final[frozenset[FaultCode]] = frozenset(("CARD_UNREAD",))
"""Faults that a house may leave to the dealer; every other one is at least the pit's."""


class Irregularity(NamedTuple):
    """A house's ruling on one fault: the role that lifts its hold, the ways out, the usual one first.

    `source` is the source of the house's ruling.
    """

    release: Release
    ways: tuple[Way, ...]
    source: str = ""


Profile = Mapping[FaultCode, Irregularity]
"""A whole profile: every fault has its ruling."""


Ends = Literal[
    "ruling",
    "card",
    "camera",
    "resume",
    "deal_order",
    "rank",
    "kind_count",
    "card_place",
    "other_box",
    "same_box",
    "entered_stake",
    "known_stake",
    "drawing",
    "round_over",
    "acting",
    "decision",
    "insurance",
    "hole_rank",
    "picture",
    "payout",
    "rest_count",
    "rest_extra",
]
"""What shows that a hold's fault is over.

`ruling`: nothing on the table does, so a ruling on it ends the hold; `card`: as `ruling`, or the card itself
once it lies there; `camera`: as `ruling`, or the camera itself says so; `resume`: nothing does, and no ruling
on a round either. The rest are looked at (`controller/policy/allowed.py::stands`).
"""
Of = Literal["round", "shoe", "table"]
Entered = Literal["decision", "stake", "insurance", "peek", "reveal"]


class HoldKind(NamedTuple):
    """The properties of a kind of hold, beside a house's ruling on it.

    `ends`: the condition that ends its fault. `ruling`: the role that lifts it and the ways out, the usual
    one first; None: each house's profile has it. `of`: a hold of the shoe or the table outlives its round,
    and no ruling on a round concerns it. `amends`: the entry that is most likely wrong.

    `hole`: rulings on the dealer's face-down card concern it. `cards`: `shoe_void` concerns it too.
    `read_anew`: naming the card ends it, even when the table has that card already. `asked`: the dealer
    answers it at once, so the shoe is not locked. `answer_only`: it cannot be accepted, only answered.
    `stays`: once accepted, it does not hold again in the same round. `packs`: the rest of the shoe can be
    counted during it. `picture`: a resume over it requires a reason. `administrator`: only this role lifts
    it, with every other hold at that moment.
    """

    ends: Ends
    ruling: Irregularity | None = None
    of: Of = "round"
    amends: Entered = "decision"
    hole: bool = False
    cards: bool = False
    read_anew: bool = False
    asked: bool = False
    answer_only: bool = False
    stays: bool = False
    packs: bool = False
    picture: bool = False
    administrator: bool = False


_PICTURE_DIFFERS: Final = Irregularity(
    "pit", ("correct", "move", "strike", "burn", "amend", "swap", "keep", "void_box", "void_round")
)
BY_RULING: Final = HoldKind("ruling")


def _kind(code: HoldCode) -> HoldKind:  # noqa: C901, PLR0912  # a case for each code
    """The record of each hold, closed: a code without one is a type error."""
    match code:
        case "CARD_TO_DONE_HAND" | "CARD_OWED" | "CARD_AFTER_DEALER_BLACKJACK" | "CARD_BEFORE_BETS":
            return BY_RULING
        case "ACROSS_NOT_ALLOWED" | "UP_CARD_FACE_DOWN" | "ROUND_DISPUTED" | "DEALER_DREW_ON_17":
            return BY_RULING
        case "DEALER_DREW_AFTER_BUST":
            return BY_RULING
        case "CARD_TO_EMPTY_BOX" | "STAKE_OUTSIDE_LIMITS":
            return BY_RULING._replace(amends="stake")
        case "INSURANCE_NOT_CLOSED":
            return HoldKind("ruling", amends="insurance")
        case "PEEK_MISSING" | "PEEK_CONTRADICTS":
            return HoldKind("ruling", hole=True, amends="peek")
        case "HOLE_CARD_CONTRADICTS" | "HOLE_CARD_EXPOSED" | "HOLE_NOT_REVEALED":
            return HoldKind("ruling", hole=True, amends="reveal")
        case "MISSED_CARD" | "DEALER_MISSED_CARD":
            return HoldKind("deal_order")
        case "DEALER_STOOD_ON_16":
            return HoldKind("drawing")
        case "ROUND_INCOMPLETE":
            return HoldKind("round_over")
        case "CARD_UNREAD":
            return HoldKind("rank", asked=True)
        case "TOO_MANY_OF_A_KIND":
            return HoldKind("kind_count", cards=True)
        case "BURN_MISSED":
            return HoldKind("card_place", stays=True)
        case "SHUFFLE_DUE":
            return HoldKind("resume", of="shoe", stays=True, packs=True)
        case "SHOE_DUE" | "SHOE_OVERRUN" | "SHOE_QUESTIONED" | "SHOE_INCOMPLETE":
            return HoldKind("resume", of="shoe", stays=code in ("SHOE_DUE", "SHOE_OVERRUN"))
        case "WRONG_PAYOUT":
            return HoldKind("payout", amends="stake")
        case "STAKE_CHANGED":
            return HoldKind("known_stake", amends="stake")
        case "BETTOR_LEFT":
            return HoldKind("acting")
        case _:
            return _contract_kind(code)


def _contract_kind(code: _ContractCode) -> HoldKind:  # noqa: C901  # a case for each code
    match code:
        case "SHUFFLE_SUSPECT":
            ruling = Irregularity("pit", ("shoe_void", "shuffle", "keep"))
            return HoldKind("resume", ruling, of="shoe", packs=True)
        case "COUNT_DUE":
            ruling = Irregularity("pit", ("shoe_end", "keep"))
            return HoldKind("resume", ruling, of="shoe", packs=True)
        case "DEVICE_LOST":
            return HoldKind("resume", Irregularity("dealer", ("keep",)), of="table")
        case "FROZEN":
            # Goes on when the pit says so.
            return HoldKind("resume", Irregularity("pit", ("keep",)), of="table")
        case "DECISION_UNCLEAR":
            # The decision itself answers it.
            ruling = Irregularity("dealer", ("burn", "move", "strike", "void_round"))
            return HoldKind("decision", ruling, asked=True, answer_only=True)
        case "INSURANCE_UNCLEAR":
            # `insurance_closed`, or the answer of the last seat.
            ruling = Irregularity("dealer", ("strike", "burn", "void_round"))
            return HoldKind("insurance", ruling, asked=True, answer_only=True)
        case "HOLE_CARD_UNREAD":
            return HoldKind("hole_rank", Irregularity("dealer", ("correct",)), asked=True)
        case "STAKE_DIFFERS":
            # The stake, entered once more.
            return HoldKind("entered_stake", Irregularity("dealer", ("keep",)), asked=True)
        case "REST_CARD_UNREAD":
            # The card is run through again.
            return HoldKind("rest_count", Irregularity("dealer", ("keep",)), asked=True)
        case "REST_CARD_EXTRA":
            # It is taken out of the count, or stays in it.
            return HoldKind("rest_extra", Irregularity("pit", ("keep",)))
        case _:
            return _witness_kind(code)


def _witness_kind(code: _WitnessCode) -> HoldKind:  # noqa: C901  # a case for each code
    match code:
        case "CARD_NOT_ARRIVED":
            # The card left the shoe and is not on the table; `keep`: it is not part of this round.
            return HoldKind("card", Irregularity("pit", ("keep", "void_round")))
        case "CARD_IN_HAND":
            # A card under a hand is dealt once the hand is gone; `keep`: it is not part of that box.
            return HoldKind("card", Irregularity("dealer", ("keep", "void_round")))
        case "CARD_NOT_DEALT":
            # The card is on the table and never left the shoe; `keep`: it counts, `strike`: it does not.
            ruling = Irregularity("pit", ("strike", "burn", "keep", "move", "void_round"))
            return HoldKind("card_place", ruling)
        case "CARD_ELSEWHERE":
            # It rests at another box than the table has it at: it belongs there, or is laid back (`keep`).
            ruling = Irregularity("pit", ("move", "keep", "strike", "burn", "void_round"))
            return HoldKind("other_box", ruling)
        case "CARD_VANISHED":
            # It is gone from its hand: laid back (`keep`), elsewhere (`move`) or none (`strike`).
            ruling = Irregularity("pit", ("keep", "move", "strike", "burn", "void_round"))
            return HoldKind("same_box", ruling)
        case "CARD_NOT_COUNTED":
            # It was named and never counted: it is a card (`keep`, `correct`), or none (`strike`).
            ruling = Irregularity("pit", ("strike", "keep", "correct", "void_round"))
            return HoldKind("card_place", ruling, read_anew=True)
        case "CARD_READ_DIFFERENTLY":
            return HoldKind("rank", Irregularity("dealer", ("correct", "strike", "void_round")))
        case "CAMERAS_DIFFER":
            # It may be a card that the table already has; `keep`: it is.
            ruling = Irregularity("pit", ("correct", "strike", "keep", "void_round"))
            return HoldKind("card_place", ruling, read_anew=True)
        case "CAMERA_DISAGREES" | "CAMERA_DISAGREES_DEALER":
            return HoldKind("picture", _PICTURE_DIFFERS, read_anew=True, picture=True)
        case "CAMERA_BUMPED" | "CAMERA_COVERED" | "CAMERA_LIGHT" | "DECK_ENROLLING":
            # Ends when the camera is back or calibrated again, or its deck is enrolled.
            return HoldKind("camera", Irregularity("pit", ("keep", "void_round")))
        case _:
            assert_never(code)


HOLD_KINDS: Final[Mapping[str, HoldKind]] = {code: _kind(code) for code in (*FAULT_CODES, *_CONTRACT_CODES)}

OF_NO_RECORD: Final = HoldKind("resume", Irregularity("pit", ("keep",)), of="table")
"""A trouble of a code without a record: a device has its own codes, a shoe one for each of its errors."""


def _own_kind(code: OwnCode) -> HoldKind:
    match code:
        case "RESTARTED" | "DEVICE_STALE" | "JOURNAL_SLOW":
            return OF_NO_RECORD._replace(ruling=Irregularity("dealer", ("keep",)))
        case (
            "JOURNAL_HEADS_CUT"
            | "JOURNAL_HEADS_MISSING"
            | "JOURNAL_KEPT_DIFFERS"
            | "JOURNAL_PUT_BACK"
            | "TAKEN_OVER"
        ):
            # Evidence is gone, by the table's own word or with it: two people answer for going on.
            return OF_NO_RECORD._replace(ruling=Irregularity("two", ("keep",)))
        case "SOFTWARE_DIFFERS" | "SOFTWARE_FORGED":
            return OF_NO_RECORD._replace(administrator=True)
        case _:
            assert_never(code)


OWN_KINDS: Final[Mapping[str, HoldKind]] = {code: _own_kind(code) for code in get_args(OwnCode)}


def codes_of(which: Callable[[HoldKind], bool]) -> frozenset[str]:
    """The codes of which this is true."""
    return frozenset(code for code, kind in HOLD_KINDS.items() if which(kind))
