"""What the routes of one table share."""

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Final, cast

from fastapi import Depends
from starlette.requests import HTTPConnection

from controller.people.register import FixedBook
from controller.people.session import Sessions
from controller.screens.table_screens import TableScreens
from controller.web.guard import Guard
from controller.web.metrics import ExtraFigures, Metrics
from controller.web.settings import WebSettings
from controller.web.signin import PinBook, PitSessions


class WebParts:
    """Guard, sign-in and figures of one table, beside its screens."""

    def __init__(self, screens: TableScreens, settings: WebSettings, figures: ExtraFigures) -> None:
        """Put the parts together; nothing runs yet."""
        self.screens: Final = screens
        self.settings: Final = settings
        self.figures: Final = figures
        self.guard: Final = Guard(settings.hosts)
        self.pins: Final = PinBook(settings.pins, time.monotonic)
        self.pit_sessions: Final = PitSessions(time.monotonic)
        self.sessions: Final = Sessions(FixedBook(), time.monotonic, secrets.token_urlsafe)
        self.metrics: Final = Metrics()
        self.sockets = 0
        """Screens connected now."""

    @contextmanager
    def one_socket(self) -> Iterator[None]:
        """Count a screen while it is connected."""
        self.sockets += 1
        try:
            yield
        finally:
            self.sockets -= 1


def _parts_of(connection: HTTPConnection) -> WebParts:
    return cast(WebParts, connection.app.state.parts)


Parts = Annotated[WebParts, Depends(_parts_of)]
"""The parts of the application that a request or socket came to."""
