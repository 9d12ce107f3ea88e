"""What the routes of one table share."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Final, cast

from fastapi import Depends
from starlette.requests import HTTPConnection

from controller.people.access import Access
from controller.people.session import Sessions
from controller.screens.table_screens import TableScreens
from controller.web.guard import Guard
from controller.web.metrics import ExtraFigures, Metrics
from controller.web.settings import WebSettings


class WebParts:
    """Guard, people and figures of one table, beside its screens."""

    def __init__(
        self, screens: TableScreens, access: Access, settings: WebSettings, figures: ExtraFigures
    ) -> None:
        """Put the parts together; nothing runs yet."""
        self.screens: Final = screens
        self.access: Final = access
        self.settings: Final = settings
        self.figures: Final = figures
        self.guard: Final = Guard(settings.hosts)
        self.metrics: Final = Metrics()
        self.sockets = 0
        """Screens connected now."""

    @property
    def sessions(self) -> Sessions:
        """Who is signed in at this table."""
        return self.access.sessions

    @contextmanager
    def one_socket(self) -> Iterator[None]:
        """Count a screen while it is connected."""
        self.sockets += 1
        try:
            yield
        finally:
            self.sockets -= 1


async def _parts_of(connection: HTTPConnection) -> WebParts:
    return cast(WebParts, connection.app.state.parts)


# Found on the loop: FastAPI gives a plain function a thread of its pool, forty of them with 500 screens.
Parts = Annotated[WebParts, Depends(_parts_of)]
"""The parts of the application that a request or socket came to."""
