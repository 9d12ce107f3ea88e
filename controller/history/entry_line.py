"""A journal entry after redaction, and its columns.

No column holds a card's rank, a certainty, a parameter that can name a card, or the body. A line that was
redacted while a card lay face down therefore gives the same row as the same line after the card was turned.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

Body = Mapping[str, Any]


class EntryLine(NamedTuple):
    """One entry, redacted by `controller.runtime.redaction`.

    `line` is the number of the feed's line that came with it, 0 without one; None: the history counts.
    """

    seq: int
    kind: str
    at_utc_us: int
    round: int | None
    actor: str
    body: Body
    caused_by: int | None = None
    line: int | None = None


class Columns(NamedTuple):
    """The columns of table `entry` that depend on the body alone; see `tables.TABLES`."""

    obs: str | None
    what: str | None
    state: str | None
    name: str | None
    code: str | None
    severity: str | None
    reason: str | None
    second: str | None
    box: int | None
    seat: int | None
    hand: int | None
    card: int | None
    amount: int | None


_AMOUNT_MAX: Final = 2**48
"""No amount, place or number is larger, so that the sums of a journal stay within 64 bits."""
ROLES: Final = frozenset({"dealer", "pit", "surveillance", "tester", "administrator"})
"""Roles of people in `role:name`; every other actor is a device or the table."""
_BY_DEVICES: Final = frozenset({"card", "device", "chip_reading", "rest_card"})
"""Facts whose `by` is a device."""
_ACTED: Final = frozenset(
    {"fact", "refused", "held", "resumed", "ruled", "named", "alert_step", "handled", "set_aside", "payout"}
)
"""Kinds of entries by which a person has acted; signing in is not one."""


def columns_of(kind: str, body: Body) -> Columns:
    """Read the columns of a body. A field of another type than today's gives NULL, never an error."""
    params = body.get("params")
    at = body if not isinstance(params, dict) else {**params, **body}
    return Columns(
        _text(body.get("obs")) if kind == "fact" else None,
        _text(body.get("what")) or _text(body.get("action")) or _text(body.get("order")),
        _first_text(body, ("status", "state", "at", "step", "how")),
        _first_text(body, ("slip", "id", "name", "device", "person", "camera")),
        _code(body),
        _text(body.get("severity")),
        _first_text(body, ("reason", "note", "text")),
        _text(body.get("second")),
        number_of(at.get("box")),
        number_of(at.get("seat")),
        number_of(at.get("hand")),
        number_of(at.get("card")),
        amount_of(body),
    )


def amount_of(body: Body) -> int | None:
    """The stake, sum or payout of a body in minor units; the sum of its chips where only these are given."""
    for name in ("amount", "stake", "paid"):
        if name in body and (known := number_of(body[name])) is not None:
            return known
    chips = body.get("chips")
    pairs = list(chips.items()) if isinstance(chips, dict) else chips
    if not isinstance(pairs, list):
        return None
    try:
        return sum(int(value) * int(pieces) for value, pieces in pairs)
    except (TypeError, ValueError):
        return None


def person_of(named: str, role: str) -> tuple[str, str]:
    """Role and name of a person who is named `role:name`, by the name alone or by the role alone."""
    before, _, name = named.partition(":")
    if before in ROLES:
        return before, name
    return (role if role in ROLES else "pit"), named


def people_of(line: EntryLine) -> Iterator[tuple[str, str]]:
    """Role and name of each person who has acted by this entry, or was seated by it."""
    if line.kind in _ACTED:
        yield from ((role, name) for role, name in _named(line) if role in ROLES and name)


def _named(line: EntryLine) -> Iterator[tuple[str, str]]:
    role, _, name = line.actor.partition(":")
    yield role, name
    body = line.body
    if body.get("obs") == "dealer":
        yield "dealer", str(body.get("id", ""))
    # The actor has signed in; a `by` beside him is a name that he wrote, and that of a card is a device.
    known = (role in ROLES and name) or line.kind != "fact" or body.get("obs") in _BY_DEVICES
    for field in ("second",) if known else ("by", "second"):
        if field in body and isinstance(named := body[field], str):
            yield person_of(named, role)


def _code(body: Body) -> str | None:
    codes = body.get("codes")
    if isinstance(codes, list | tuple):
        return ",".join(str(code) for code in codes)
    return _text(body.get("code"))


def _first_text(body: Body, names: tuple[str, ...]) -> str | None:
    for name in names:
        if name in body and isinstance(found := body[name], str):
            return found
    return None


def _text(value: object) -> str | None:
    return value if type(value) is str else None


def number_of(value: object) -> int | None:
    """The value where it is a whole number that the tables can hold, else None."""
    # By its type: a truth value is no number.
    return value if type(value) is int and -_AMOUNT_MAX < value < _AMOUNT_MAX else None
