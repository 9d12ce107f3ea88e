"""Engine results as the objects of the feed format, section 3."""

from json import JSONEncoder
from typing import Any, Final, NamedTuple

from pydantic_core import PydanticSerializationError, to_json

from controller.acts.round import Face, Pose
from controller.domain import (
    Adjusted,
    Alert,
    BetResult,
    Difference,
    Disputed,
    Notice,
    Params,
    Refused,
    RoundResult,
    Settled,
)
from controller.engine.watching import COMPOSITION_SUSPECT, parse_suspects
from controller.policy.state.effects import Held, Inferred, Released

Json = dict[str, Any]

_ENCODER: Final = JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def line_text(line: Json) -> str:
    """Return an object of a replay as a line of `--json`, with its line feed.

    A round has no fractions, whose digits the faster writer chooses otherwise.
    """
    if line["type"] == "round":
        try:
            return to_json(line).decode() + "\n"
        except PydanticSerializationError:
            # A name with half a character, as a file system may have them.
            pass
    return _ENCODER.encode(line) + "\n"


class LockedCard(NamedTuple):
    """A card that a camera is certain of, as reported to the table; box 0 is the dealer.

    `rank` and `suit` are None for a face-down or unread card. `track` is its permanent number.
    """

    rank: str | None
    suit: str | None
    box: int
    hand: int
    face: Face
    pose: Pose
    track: int
    p: float


def round_json(result: RoundResult) -> Json:
    """A `round` object without `feed`."""
    return {
        "type": "round",
        "round": result.round,
        "status": result.status,
        "dealer": {**result.dealer._asdict(), "cards": list(result.dealer.cards)},
        "bets": [_bet_json(bet) for bet in result.bets],
        "hands": [
            {"box": hand.box, "hand": hand.hand, "cards": list(hand.cards), "total": hand.total}
            for hand in result.hands
        ],
        "settle_order": list(result.settle_order),
        "bonuses": [{"box": box, "hand": hand, "bonus": bonus} for box, hand, bonus in result.bonuses],
    }


def _bet_json(bet: BetResult) -> Json:
    """Return one bettor of a round."""
    return {
        "box": bet.box,
        "seat": bet.seat,
        "staked": bet.staked,
        "returned": bet.returned,
        "net": bet.returned - bet.staked,
        # Spelled out: `_asdict` takes four times as long, and a long replay makes thousands.
        "parts": [
            {
                "kind": part.kind,
                "hand": part.hand,
                "stake": part.stake,
                "outcome": part.outcome,
                "returned": part.returned,
            }
            for part in bet.parts
        ],
    }


def notice_json(notice: Notice) -> Json:
    """A notice as an object; line, time and feed are the caller's to add."""
    match notice:
        case Settled(result):
            return round_json(result)
        case Alert(code, severity, number, params):
            return {
                "type": "alert",
                "code": code,
                "severity": severity,
                "round": number,
                **({"params": _params_json(code, params)} if params else {}),
            }
        case Adjusted(number, bets):
            return {"type": "adjustment", "round": number, "bets": [_moved(entry) for entry in bets]}
        case Disputed(number, code, params):
            extra = {"params": dict(params)} if params else {}
            return {"type": "dispute", "round": number, "code": code, **extra}
        case Refused(code, params):
            return {"type": "refused", "code": code, **({"params": dict(params)} if params else {})}


def _params_json(code: str, params: Params) -> Json:
    """Parameters as an object; suspected cards as the list that the feed format wants."""
    if code != COMPOSITION_SUSPECT:
        return dict(params)
    fields = dict(params)
    cards = [
        {"card": card, "missing": 1, "odds": odds} for card, odds in parse_suspects(str(fields["cards"]))
    ]
    return {**fields, "cards": cards}


def effect_json(effect: Held | Released | Inferred | LockedCard) -> Json:
    """Return an effect of the table's door beside the engine; the caller adds line, time and feed."""
    match effect:
        case Held(hold=hold):
            return {
                "type": "hold",
                "code": hold.code,
                "release": hold.release,
                "ways": list(hold.ways),
                **({"params": dict(hold.params)} if hold.params else {}),
            }
        case Released(hold=hold, resumed=resumed):
            return {"type": "released", "code": hold.code, **({"resumed": True} if resumed else {})}
        case LockedCard():
            return {"type": "card", **effect._asdict()}
        case Inferred(what=what, box=box, hand=hand):
            place = {"box": box, "hand": hand} if box else {}
            return {"type": "inferred", "what": what, **place}


def _moved(moved: Difference) -> Json:
    """Return one bettor of an adjustment, with the stakes if they changed."""
    before, after = moved.staked_before, moved.staked_after
    return {
        "box": moved.box,
        "seat": moved.seat,
        "returned_before": moved.returned_before,
        "returned_after": moved.returned_after,
        "delta": moved.returned_after - moved.returned_before,
        **({} if before == after else {"staked_before": before, "staked_after": after}),
    }
