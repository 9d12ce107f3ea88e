"""Observations as JSON objects and back, every field checked (feed format, section 2)."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, get_args

from controller.domain.cards import RANKS, SUITS
from controller.domain.errors import ConfigError
from controller.domain.observations import (
    Action,
    Bank,
    Bet,
    CardSeen,
    Chips,
    Close,
    Correct,
    CutCard,
    Decision,
    DeviceSeen,
    End,
    EvenMoney,
    Face,
    Insurance,
    InsuranceClosed,
    Move,
    Observation,
    Paid,
    Peek,
    Pose,
    Presence,
    Reveal,
    ShoeLoaded,
    Strike,
    Target,
    Void,
)

AMOUNT_LIMIT: Final = 10**12
"""Largest amount in minor units that a feed may carry; above it a digit was typed twice."""

Check = Callable[[Any], bool]


class Field(NamedTuple):
    """One field: what it must be, in words, its check, and whether it may be left out (then None)."""

    wanted: str
    check: Check
    optional: bool = False


def _integer(least: int, most: int) -> Check:
    def check(value: Any) -> bool:
        return type(value) is int and least <= value <= most

    return check


def _one_of(words: Iterable[str]) -> Check:
    allowed = frozenset(words)

    def check(value: Any) -> bool:
        return type(value) is str and value in allowed

    return check


def _text(value: Any) -> bool:
    return type(value) is str and 0 < len(value) <= 200


def _flag(value: Any) -> bool:
    return type(value) is bool


def _share(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value <= 1


def _seats(value: Any) -> bool:
    return type(value) is list and all(_integer(0, 99)(seat) for seat in value)


def _stakes(value: Any) -> bool:
    if type(value) is not dict:
        return False
    return all(key.isdecimal() and len(key) < 3 and _AMOUNT.check(amount) for key, amount in value.items())


_AMOUNT: Final = Field("an amount in minor units", _integer(0, AMOUNT_LIMIT))
_BOX: Final = Field("a box number from 1", _integer(1, 99))
_SEAT: Final = Field("a seat number from 0", _integer(0, 99))
_HAND: Final = Field("a hand number from 1", _integer(1, 99))
_RANK: Final = Field("a rank " + " ".join(RANKS), _one_of(RANKS))
_SUIT: Final = Field("a suit " + " ".join(SUITS), _one_of(SUITS))
_NUMBER: Final = Field("a card number from 1", _integer(1, 10_000))
_ROUND: Final = Field("a round number from 1", _integer(1, 10**9))
_WORD: Final = Field("a text of at most 200 characters", _text)
_FLAG: Final = Field("true or false", _flag)


def _maybe(field: Field) -> Field:
    return field._replace(optional=True)


def _word(vocabulary: Any) -> Field:
    """One of the words of a Literal type."""
    words = get_args(vocabulary)
    return Field(" | ".join(words), _one_of(words))


_TARGET: Final = {"card": _maybe(_NUMBER), "id": _maybe(_WORD)}
_SIGNED: Final = {"by": _WORD, "reason": _WORD, "round": _maybe(_ROUND)}


class Form(NamedTuple):
    """How one kind of observation is written: its type and its fields."""

    kind: Callable[..., Observation]
    fields: Mapping[str, Field]


FORMS: Final[dict[str, Form]] = {
    "shoe": Form(ShoeLoaded, {"decks": Field("1 to 60 packs", _integer(1, 60)), "cards": _maybe(_NUMBER)}),
    "bet": Form(Bet, {"box": _BOX, "seat": _SEAT, "stake": _AMOUNT}),
    "close": Form(Close, {}),
    "card": Form(
        CardSeen,
        {
            "rank": _maybe(_RANK),
            "suit": _maybe(_SUIT),
            "by": _maybe(_WORD),
            "p": _maybe(Field("a probability 0..1", _share)),
            "to": _maybe(_word(Target)),
            "box": _maybe(_BOX),
            "hand": _maybe(_HAND),
            "face": _maybe(_word(Face)),
            "pose": _maybe(_word(Pose)),
            "id": _maybe(_WORD),
        },
    ),
    "decision": Form(
        Decision,
        {
            "box": _BOX,
            "hand": _HAND,
            "action": _word(Action),
            "seats": _maybe(Field("a list of seat numbers", _seats)),
            "stakes": _maybe(Field("an object seat: amount", _stakes)),
        },
    ),
    "insurance": Form(Insurance, {"box": _BOX, "seat": _SEAT, "stake": _AMOUNT}),
    "even_money": Form(EvenMoney, {"box": _BOX, "seat": _SEAT}),
    "insurance_closed": Form(InsuranceClosed, {}),
    "peek": Form(Peek, {"blackjack": _FLAG}),
    "reveal": Form(Reveal, {"rank": _maybe(_RANK), "suit": _maybe(_SUIT)}),
    "cut_card": Form(CutCard, {}),
    "correct": Form(Correct, {**_TARGET, "rank": _RANK, "suit": _maybe(_SUIT), **_SIGNED}),
    "strike": Form(Strike, {**_TARGET, "burn": _maybe(_FLAG), **_SIGNED}),
    "move": Form(
        Move,
        {
            **_TARGET,
            "to": _word(Target),
            "box": _maybe(_BOX),
            "hand": _maybe(_HAND),
            **_SIGNED,
        },
    ),
    "void": Form(Void, {"box": _maybe(_BOX), **_SIGNED}),
    "paid": Form(Paid, {"box": _BOX, "seat": _SEAT, "amount": _AMOUNT}),
    "device": Form(DeviceSeen, {"name": _WORD, "state": _word(Presence)}),
    "chips": Form(Chips, {"box": _BOX, "chips": _AMOUNT}),
    "bank": Form(Bank, {"box": _BOX}),
    "end": Form(End, {}),
}

NAMES: Final[dict[type, str]] = {
    form.kind: name for name, form in FORMS.items() if isinstance(form.kind, type)
}


def bad(code: str, **params: str | int) -> ConfigError:
    """A malformed line: what is wrong with it, for `error.<code>`."""
    return ConfigError(code, **params)


def parse(line: Mapping[str, Any]) -> Observation:
    """The observation of one feed object; fields that are not known are ignored.

    Raises ConfigError FEED_OBS_MISSING, FEED_OBS_UNKNOWN, FEED_FIELD_MISSING or FEED_FIELD_BAD.
    """
    name = line.get("obs")
    if name is None:
        raise bad("FEED_OBS_MISSING")
    form = FORMS.get(name) if type(name) is str else None
    if form is None:
        raise bad("FEED_OBS_UNKNOWN", obs=str(name))
    values = {field: _value(field, rule, line) for field, rule in form.fields.items()}
    if form.kind is CardSeen:
        _check_card(line, values)
    elif "card" in values:
        _check_target(values)
    elif name == "decision":
        _as_tuples(values)
    return form.kind(**values)


def _value(field: str, rule: Field, line: Mapping[str, Any]) -> Any:
    value = line.get(field)
    if value is None:
        if not rule.optional:
            raise bad("FEED_FIELD_MISSING", field=field, wanted=rule.wanted)
        return None
    if not rule.check(value):
        raise bad("FEED_FIELD_BAD", field=field, value=str(value)[:80], wanted=rule.wanted)
    return value


def _check_card(line: Mapping[str, Any], values: dict[str, Any]) -> None:
    """A rank, known or null, must be written unless the card lies face down; `box` alone means `to: box`."""
    if "rank" not in line and values["face"] != "down":
        raise bad("FEED_FIELD_MISSING", field="rank", wanted=_RANK.wanted)
    if values["to"] is None and values["box"] is not None:
        values["to"] = "box"
    if values["to"] == "box" and values["box"] is None:
        raise bad("FEED_FIELD_MISSING", field="box", wanted=_BOX.wanted)


def _check_target(values: dict[str, Any]) -> None:
    """A ruling names its card by number or id; `burn` left out means no."""
    if values["card"] is None and values["id"] is None:
        raise bad("FEED_FIELD_MISSING", field="card", wanted=_NUMBER.wanted)
    if values.get("to") == "box" and values["box"] is None:
        raise bad("FEED_FIELD_MISSING", field="box", wanted=_BOX.wanted)
    if "burn" in values:
        values["burn"] = bool(values["burn"])


def _as_tuples(values: dict[str, Any]) -> None:
    """Lists and objects of a decision as the immutable tuples of the domain."""
    if values["seats"] is not None:
        values["seats"] = tuple(values["seats"])
    if values["stakes"] is not None:
        values["stakes"] = tuple(sorted((int(seat), amount) for seat, amount in values["stakes"].items()))


def to_json(obs: Observation) -> dict[str, Any]:
    """The feed object of an observation, without fields that are not set; `parse` gives it back."""
    out: dict[str, Any] = {"obs": NAMES[type(obs)]}
    for field, value in obs._asdict().items():
        if value is None and not (field == "rank" and isinstance(obs, CardSeen)):
            continue
        if field == "seats":
            out[field] = list(value)
        elif field == "stakes":
            out[field] = {str(seat): amount for seat, amount in value}
        else:
            out[field] = value
    return out
