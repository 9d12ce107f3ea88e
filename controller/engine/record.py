"""The base of the engine's state types: immutable values with named fields.

Plain slotted classes are built and read as fast as tuples by the interpreter and several times faster
once the engine is compiled, where a tuple's fields would still be looked up by name (see docs/decisions).
"""

from typing import Any, ClassVar, Self


class Record:
    """A value: equal when all fields are equal, changed only by making another one.

    A subclass names its fields in `FIELDS`, in the order of its constructor's parameters, takes them as its
    slots and declares each as Final.
    """

    FIELDS: ClassVar[tuple[str, ...]] = ()
    __slots__ = ()

    def _values(self) -> tuple[Any, ...]:
        return tuple([getattr(self, name) for name in self.FIELDS])

    def _replace(self, **changes: Any) -> Self:
        """Another value with some fields changed; a name that is no field is a TypeError."""
        values = [changes.pop(name) if name in changes else getattr(self, name) for name in self.FIELDS]
        if changes:
            raise TypeError(f"{type(self).__name__} has no field {', '.join(changes)}")
        return type(self)(*values)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Record) or type(self) is not type(other):
            return False
        return self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        inner = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.FIELDS)
        return f"{type(self).__name__}({inner})"
