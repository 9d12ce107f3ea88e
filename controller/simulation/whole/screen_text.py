"""Everything that leaves a table: what its screens draw, and what its audit trail says."""

import json
from typing import Final

from controller.runtime.door.door import TableDoor
from controller.screens.screen_state import ScreenState
from controller.screens.settings import ScreenSettings
from controller.screens.view_builder import ViewBuilder

LINES: Final = 40
"""Lines of the audit trail that are looked at: those of the last round or two."""

VIEWS: Final = ViewBuilder(ScreenSettings())


def view_of(door: TableDoor) -> str:
    """What the screens draw, as they are sent it; ages of devices left out."""
    snapshot = door.hub.latest()._replace(devices=())
    return VIEWS.build(snapshot, ScreenState(lambda: 0.0)).model_dump_json()


def screen_text_of(door: TableDoor) -> str:
    """The view and the last lines of the audit trail, as text."""
    secrets = door.secrets()
    first = max(1, door.ledger.seq - LINES)
    lines = [line._asdict() for line in door.audit(first, LINES + 1, secrets)]
    return view_of(door) + json.dumps(lines)
