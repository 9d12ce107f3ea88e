"""What a table shows to the floor: the tile of the pit's page, and where its journal is."""

import json
from typing import Any, Final

from pydantic import ValidationError

from controller.screens.pit.tiles import Tile
from controller.screens.shapes.words import ViewModel, cut

STATE_MAX: Final = 32_000
"""Bytes; a tile of ours has about 2,000."""

VIEW_MAX: Final = 512_000
"""Bytes; a view with fifty holds and alerts has about 60,000."""


class PublishedState(ViewModel):
    """`table` is the public key, `journal` the hash of the journal's first entry, `seq` its newest entry."""

    table: str
    journal: str
    seq: int
    tile: Tile


def state_in(data: bytes) -> PublishedState | None:
    """Read a state; None for what another program has said, or for one that is too long."""
    try:
        return PublishedState.model_validate_json(bounded(data, STATE_MAX))
    except (ValidationError, ValueError):
        return None


def bounded(data: bytes, longest: int) -> bytes:
    """The JSON of a table with each text cut: what it sends goes to every open page.

    Raises ValueError where it is longer than so many bytes, or no JSON.
    """
    if len(data) > longest:
        raise ValueError("too long")
    try:
        return json.dumps(_cut(json.loads(data))).encode()
    except RecursionError as error:
        raise ValueError("too deep") from error


def _cut(value: Any) -> Any:
    match value:
        case str():
            return cut(value)
        case list():
            return [_cut(item) for item in value]
        case dict():
            return {cut(name): _cut(item) for name, item in value.items()}
        case _:
            return value
