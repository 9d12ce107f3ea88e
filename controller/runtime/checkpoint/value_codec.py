"""Values of the table as JSON and back: what the program has written and signed itself.

A named tuple or dataclass is an object with one key, the name of its type, and the list of its fields in
order; a tuple is a list. The parser of the standard library builds the values as it reads, so that half a
million of them take a fraction of a second. The types that may come are a closed list, given by whoever
knows them: what the file names can make nothing else.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from typing import Any, Final

Make = Callable[[list[Any]], Any]

_PLAIN: Final = (int, str, float, bool, type(None))


class ValueCodec:
    """Writes and reads values of some types."""

    def __init__(self, kinds: Iterable[type]) -> None:
        """`kinds` are named tuples and dataclasses; no two have the same name."""
        self._fields: dict[type, tuple[str, ...]] = {}
        self._makes: dict[str, tuple[Make, int]] = {}
        for kind in kinds:
            names = tuple(field.name for field in fields(kind)) if is_dataclass(kind) else _names(kind)
            assert kind.__name__ not in self._makes, f"two types are called {kind.__name__}"
            self._fields[kind] = names
            self._makes[kind.__name__] = _make_of(kind), len(names)

    def write(self, value: Any) -> bytes:
        """Write a value; raises `TypeError` where it holds a type that is not known."""
        told = self._told(value)
        return json.dumps(told, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()

    def read(self, data: bytes) -> Any:
        """Read a value. Raises `ValueError`, `TypeError` or `RecursionError` for anything else."""
        return _tupled(json.loads(data, object_pairs_hook=self._made))

    def _told(self, value: Any) -> Any:
        kind = type(value)
        if kind in _PLAIN:
            return value
        if kind is tuple:
            return [self._told(one) for one in value]
        names = self._fields.get(kind)
        if names is None:
            raise TypeError(f"{kind.__name__} is not written")
        return {kind.__name__: [self._told(getattr(value, name)) for name in names]}

    def _made(self, pairs: list[tuple[str, Any]]) -> Any:
        ((name, told),) = pairs
        known = self._makes.get(name)
        if known is None or len(told) != known[1]:
            raise ValueError(f"no {name} of this form")
        return known[0]([_tupled(one) if type(one) is list else one for one in told])


def _tupled(told: Any) -> Any:
    """A list as the tuple it was; what stands in it is built already."""
    if type(told) is not list:
        return told
    return tuple([_tupled(one) if type(one) is list else one for one in told])


def _names(kind: type) -> tuple[str, ...]:
    found: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]  # named tuples have no type of their own
    return found


def _make_of(kind: type) -> Make:
    if is_dataclass(kind):
        return lambda told: kind(*told)
    make: Make = kind._make  # type: ignore[attr-defined]  # see _names
    return make
