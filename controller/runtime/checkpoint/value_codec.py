"""Values of the table as JSON and back: what the program has written and signed itself.

A named tuple or dataclass is an object with one key and the list of its fields in order, a tuple is a list.
The key is the name of the type and the places of fields that are tuples, `Hand 1 4`: so the parser of the
standard library builds the values as it reads, and a hundred thousand of them take a tenth of a second. The
types that may come are a closed list, given by whoever knows them: the file can make nothing else.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any, Final, NamedTuple

Make = Callable[[list[Any]], Any]

LONG_BITS: Final = 4096
"""Longer numbers are sets of places and written in base 16: Python reads decimals up to 4300 digits."""
_LONG: Final = "int"
_PLAIN: Final = (int, str, float, bool, type(None))


class _ValueForm(NamedTuple):
    """How the values under one key are built."""

    make: Make
    fields: int
    tuples: tuple[int, ...]


class ValueCodec:
    """Writes and reads values of some types."""

    def __init__(self, kinds: Iterable[type]) -> None:
        """`kinds` are named tuples and dataclasses; no two have the same name."""
        self._fields: dict[type, tuple[str, ...]] = {}
        self._kinds: dict[str, type] = {}
        self._forms: dict[str, _ValueForm] = {_LONG: _ValueForm(lambda entered: int(entered[0], 16), 1, ())}
        for kind in kinds:
            assert kind.__name__ not in self._kinds, f"two types are called {kind.__name__}"
            self._kinds[kind.__name__] = kind
            self._fields[kind] = _names(kind)

    def write(self, value: Any) -> bytes:
        """Write a value; raises `TypeError` where it holds a type that is not known."""
        found = self._encoded(value)
        return json.dumps(found, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()

    def read(self, data: bytes) -> Any:
        """Read a value. Raises `ValueError`, `TypeError`, `KeyError` or `RecursionError` for another."""
        return _tupled(json.loads(data, object_pairs_hook=self._made))

    def _encoded(self, value: Any) -> Any:
        kind = type(value)
        if kind is int and value.bit_length() > LONG_BITS:
            return {_LONG: [hex(value)]}
        if kind in _PLAIN:
            return value
        if kind is tuple:
            return [self._encoded(one) for one in value]
        names = self._fields.get(kind)
        if names is None:
            raise TypeError(f"{kind.__name__} is not written")
        known = [self._encoded(getattr(value, name)) for name in names]
        tuples = [str(at) for at, one in enumerate(known) if type(one) is list]
        return {" ".join((kind.__name__, *tuples)): known}

    def _made(self, pairs: list[tuple[str, Any]]) -> Any:
        ((key, entered),) = pairs
        form = self._forms.get(key) or self._form(key)
        make, count, tuples = form
        if len(entered) != count:
            raise ValueError(f"no {key}")
        for at in tuples:
            entered[at] = _tupled(entered[at])
        return make(entered)

    def _form(self, key: str) -> _ValueForm:
        name, *tuples = key.split(" ")
        kind = self._kinds[name]
        self._forms[key] = _ValueForm(_make_of(kind), len(self._fields[kind]), tuple(map(int, tuples)))
        return self._forms[key]


def _tupled(entered: Any) -> Any:
    """A list as the tuple it was; what stands in it is built already."""
    if type(entered) is not list:
        return entered
    return tuple([_tupled(one) if type(one) is list else one for one in entered])


def _names(kind: type) -> tuple[str, ...]:
    if is_dataclass(kind):
        return tuple(field.name for field in fields(kind))
    found: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]  # named tuples have no type of their own
    return found


def _make_of(kind: type) -> Make:
    """What builds a value from as many fields as it has."""
    if is_dataclass(kind):
        return lambda entered: kind(*entered)
    make: Make = partial(tuple.__new__, kind)
    return make
