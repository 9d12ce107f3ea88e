"""A screen that is told of changes only, and puts its view together from them as the page does."""

import json
from typing import Any, Final

from websockets.sync.client import ClientConnection

PATIENCE_S: Final = 60.0


class ChangesScreen:
    """The far end of a socket that was opened with `changes`; `told` are the changes as they came."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self.view: dict[str, Any] = {}
        self.told: list[dict[str, Any]] = []

    def follow(self, seq: int) -> dict[str, Any]:
        """Listen until the view is that of entry `seq`, or newer."""
        while self.view.get("seq", -1) < seq:
            self._take(json.loads(self._socket.recv(timeout=PATIENCE_S)))
        return self.view

    def _take(self, message: dict[str, Any]) -> None:
        if message["type"] == "snapshot":
            self.view = message["view"]
        elif message["type"] == "changes" and self.view:
            boxes = [{**row, **message["boxes"].get(str(row["box"]), {})} for row in self.view["boxes"]]
            self.view = {**self.view, **message["fields"], "boxes": boxes}
            self.told.append(message)
        else:
            assert message["type"] in {"hello", "beat", "changes"}, message
