"""How commands write places, amounts and times of a replay."""

from datetime import timedelta
from typing import Any

from controller.i18n import text
from controller.i18n.numbers import money
from controller.replay.rounds.compared_facts import FactName
from controller.replay.rounds.difference import RoundDifference


def clock(t: float) -> str:
    """Seconds since the header as `0:31:20.5`."""
    whole = timedelta(seconds=round(t, 3))
    return str(whole)[:-3] if whole.microseconds else str(whole)


def amount(amount_minor: int, currency: str) -> str:
    """An amount in the currency's own notation, such as `37.50 EUR`."""
    return money(amount_minor, currency=currency)


def signed_amount(amount_minor: int, currency: str) -> str:
    """An amount that somebody won or lost, such as `+7.50 EUR`."""
    return money(amount_minor, currency=currency, signed=True)


def place(what: FactName) -> str:
    """The box, the bettor behind it, the hand, as far as a fact names them."""
    holes: dict[str, str | int] = {"box": what.box, "seat": what.seat, "hand": what.hand}
    if what.seat:
        return text("diff.at_seat", holes)
    return text("diff.at_hand" if what.hand else "diff.at_box", holes)


def difference_sentence(found: RoundDifference, currency: str) -> str:
    """One difference in words: where, what it is, what was expected."""
    where = [text("diff.round", {"round": found.round})]
    if found.line is not None:
        where.append(text("diff.line", {"line": found.line, "t": clock(found.t or 0.0)}))
    if found.by is not None:
        where.append(found.by)
    return f"{', '.join(where)}: {_what(found, currency)}"


def _what(found: RoundDifference, currency: str) -> str:
    if not isinstance(found.what, FactName):
        values = {name: _value(found, getattr(found, name), currency) for name in ("expected", "actual")}
        return text(f"diff.{found.what}", values)
    holes: dict[str, str | int] = {
        "place": place(found.what),
        "code": found.what.code,
        "expected": _value(found, found.expected, currency),
        "actual": _value(found, found.actual, currency),
    }
    return text(f"diff.{found.what.kind}", holes)


def _value(found: RoundDifference, value: Any, currency: str) -> str:
    if value is None:
        return text("diff.nothing")
    return amount(value, currency) if found.is_money else " ".join(map(str, value))
