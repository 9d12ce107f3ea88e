"""A table as bytes. The engine's states are compiled: pickle does not find their fields by itself."""

import pickle
from dataclasses import fields, is_dataclass
from io import BytesIO
from typing import Any


class _StatePickler(pickle.Pickler):
    """Writes a state as its class and its fields; parts shared by two states are written once."""

    def reducer_override(self, value: Any) -> Any:
        """Return the constructor of a dataclass; pickle's own for anything else."""
        if is_dataclass(value) and not isinstance(value, type):
            return type(value), tuple(getattr(value, field.name) for field in fields(value))
        return NotImplemented


def state_bytes(value: object) -> bytes:
    """The value as bytes that `pickle.loads` reads."""
    stream = BytesIO()
    _StatePickler(stream, pickle.HIGHEST_PROTOCOL).dump(value)
    return stream.getvalue()
