"""What a table shows to the floor: the tile of the pit's page, and where its journal is."""

from pydantic import ValidationError

from controller.screens.pit.tiles import Tile
from controller.screens.shapes.base import ViewModel


class PublishedState(ViewModel):
    """`table` is the public key, `journal` the hash of the journal's first entry, `seq` its newest entry."""

    table: str
    journal: str
    seq: int
    tile: Tile


def state_in(data: bytes) -> PublishedState | None:
    """Read a state; None for what another program has said."""
    try:
        return PublishedState.model_validate_json(data)
    except ValidationError:
        return None
