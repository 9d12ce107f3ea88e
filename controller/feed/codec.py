"""Observations as JSON objects and back, every field checked (feed format, section 2)."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from controller.domain.cards import RANKS, SUITS
from controller.domain.errors import ConfigError
from controller.domain.observations import (
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
    Insurance,
    InsuranceClosed,
    Move,
    Observation,
    Paid,
    Peek,
    Reveal,
    ShoeLoaded,
    Strike,
    Void,
)

AMOUNT_LIMIT: Final = 10**12
"""Largest amount in minor units that a feed may carry; above it a digit was typed twice."""

Check = Callable[[Any], bool]


class FieldRule(NamedTuple):
    """One field: what it must be, in words, its check, and whether it may be left out (then None)."""

    wanted: str
    check: Check
    optional: bool = False


def _integer(least: int, most: int) -> Check:
    def check(value: Any) -> bool:
        return type(value) is int and least <= value <= most

    return check


def _one_of(words: tuple[str, ...]) -> Check:
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


_AMOUNT: Final = FieldRule("an amount in minor units", _integer(0, AMOUNT_LIMIT))
_BOX: Final = FieldRule("a box number from 1", _integer(1, 99))
_SEAT: Final = FieldRule("a seat number from 0", _integer(0, 99))
_HAND: Final = FieldRule("a hand number from 1", _integer(1, 99))
_RANK: Final = FieldRule("a rank " + " ".join(RANKS), _one_of(RANKS))
_SUIT: Final = FieldRule("a suit " + " ".join(SUITS), _one_of(SUITS))
_NUMBER: Final = FieldRule("a card number from 1", _integer(1, 10_000))
_ROUND: Final = FieldRule("a round number from 1", _integer(1, 10**9))
_WORD: Final = FieldRule("a text of at most 200 characters", _text)
_FLAG: Final = FieldRule("true or false", _flag)


def _maybe(field: FieldRule) -> FieldRule:
    return field._replace(optional=True)


def _word(*words: str) -> FieldRule:
    return FieldRule(" | ".join(words), _one_of(words))


_TARGET: Final = {"card": _maybe(_NUMBER), "id": _maybe(_WORD)}
_SIGNED: Final = {"by": _WORD, "reason": _WORD, "round": _maybe(_ROUND)}


class ObservationForm(NamedTuple):
    """How one kind of observation is written: its type and its fields."""

    kind: Callable[..., Observation]
    fields: Mapping[str, FieldRule]


FORMS: Final[dict[str, ObservationForm]] = {
    "shoe": ObservationForm(
        ShoeLoaded, {"decks": FieldRule("1 to 60 packs", _integer(1, 60)), "cards": _maybe(_NUMBER)}
    ),
    "bet": ObservationForm(Bet, {"box": _BOX, "seat": _SEAT, "stake": _AMOUNT}),
    "close": ObservationForm(Close, {}),
    "card": ObservationForm(
        CardSeen,
        {
            "rank": _maybe(_RANK),
            "suit": _maybe(_SUIT),
            "by": _maybe(_WORD),
            "p": _maybe(FieldRule("a probability 0..1", _share)),
            "to": _maybe(_word("box", "dealer", "burn")),
            "box": _maybe(_BOX),
            "hand": _maybe(_HAND),
            "face": _maybe(_word("up", "down")),
            "pose": _maybe(_word("along", "across")),
            "id": _maybe(_WORD),
        },
    ),
    "decision": ObservationForm(
        Decision,
        {
            "box": _BOX,
            "hand": _HAND,
            "action": _word("hit", "stand", "double", "split", "surrender"),
            "seats": _maybe(FieldRule("a list of seat numbers", _seats)),
            "stakes": _maybe(FieldRule("an object seat: amount", _stakes)),
        },
    ),
    "insurance": ObservationForm(Insurance, {"box": _BOX, "seat": _SEAT, "stake": _AMOUNT}),
    "even_money": ObservationForm(EvenMoney, {"box": _BOX, "seat": _SEAT}),
    "insurance_closed": ObservationForm(InsuranceClosed, {}),
    "peek": ObservationForm(Peek, {"blackjack": _FLAG}),
    "reveal": ObservationForm(Reveal, {"rank": _maybe(_RANK), "suit": _maybe(_SUIT)}),
    "cut_card": ObservationForm(CutCard, {}),
    "correct": ObservationForm(Correct, {**_TARGET, "rank": _RANK, "suit": _maybe(_SUIT), **_SIGNED}),
    "strike": ObservationForm(Strike, {**_TARGET, "burn": _maybe(_FLAG), **_SIGNED}),
    "move": ObservationForm(
        Move,
        {
            **_TARGET,
            "to": _word("box", "dealer", "burn"),
            "box": _maybe(_BOX),
            "hand": _maybe(_HAND),
            **_SIGNED,
        },
    ),
    "void": ObservationForm(Void, {"box": _maybe(_BOX), **_SIGNED}),
    "paid": ObservationForm(Paid, {"box": _BOX, "seat": _SEAT, "amount": _AMOUNT}),
    "device": ObservationForm(DeviceSeen, {"name": _WORD, "state": _word("live", "stale", "lost")}),
    "chips": ObservationForm(Chips, {"box": _BOX, "chips": _AMOUNT}),
    "bank": ObservationForm(Bank, {"box": _BOX}),
    "end": ObservationForm(End, {}),
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


def _value(field: str, rule: FieldRule, line: Mapping[str, Any]) -> Any:
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
