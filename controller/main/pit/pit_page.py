"""The pit's page over tables that are played elsewhere, for this machine's browser alone."""

import asyncio
import getpass
import hmac
import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from controller.main.pit.floor_tables import FloorTables
from controller.main.server import PageServer, address_of, listen
from controller.main.table_people import TOKEN_BYTES, TablePeople
from controller.people.access import Access, AccessSettings, table_access
from controller.people.person import FixedBook, PersonRecord
from controller.people.sign_in import SessionLimits, StaffEvent
from controller.ports import SystemClock
from controller.runtime.door.supervisor import run_all, stop_on_signals
from controller.studio.report_page import shift_report
from controller.studio.round_replay import round_replay
from controller.web.app import add_routes, create_app
from controller.web.parts import WebParts
from controller.web.reading import NotSignedIn
from controller.web.session import PIT_PAGE, set_cookie
from controller.web.settings import WebSettings

if TYPE_CHECKING:
    # What speaks to a network is not installed everywhere.
    from controller.main.linked.pit import LinkedFloor

HOST: Final = "127.0.0.1"
PORTS: Final = 20
DAY_S: Final = 24 * 3600.0
FLOOR_PAGE: Final = f"{PIT_PAGE}/floor"
"""Where the pit's page has all tables."""


async def serve_pit(
    floor: FloorTables,
    port: int,
    told: Callable[[str], None],
    linked: "LinkedFloor | None" = None,
    people: TablePeople | None = None,
    *,
    places: tuple[str, ...] = (),
) -> None:
    """Serve until SIGINT or SIGTERM, on the first free port of twenty; `told` is given the address.

    It lets one browser in, once: whoever began the program looks on, as surveillance does, and rules on
    nothing here. With `people` these sign in instead, and rule as at their tables. `linked` are the tables
    of a network, `places` those of the floor. Raises as `FloorTables.look`.
    """
    looks_on = PersonRecord(id="local", name=getpass.getuser(), role="surveillance", pin="")
    settings = AccessSettings(SessionLimits(other_idle_s=DAY_S, longest_s=DAY_S))
    access = table_access(
        FixedBook(looks_on) if people is None else people.book,
        _nothing_noted,
        SystemClock(),
        lambda: secrets.token_urlsafe(TOKEN_BYTES),
        settings=settings if people is None else people.settings,
    )
    token = secrets.token_urlsafe(TOKEN_BYTES)
    served = WebParts(
        None,
        access,
        WebSettings(places=places),
        others=floor.tables,
        refused=floor.refused,
        older=floor,
        shown=linked,
    )
    app = create_app(served)
    add_routes(app, round_replay())
    add_routes(app, shift_report())
    if people is None:
        app.include_router(_entrance(access, looks_on, token))
    listening = listen(HOST, port, PORTS)
    try:
        address = address_of(listening) + (f"enter?token={token}" if people is None else FLOOR_PAGE[1:])
        work = {"floor": floor.follow(), "page": PageServer(app).run_on(listening)}
        if linked is not None:
            work["network"] = linked.run()
        await run_all(work | {"address": _announce(floor, told, address)}, stop_on_signals())
    finally:
        listening.close()


async def _announce(floor: FloorTables, told: Callable[[str], None], address: str) -> None:
    """Give the address as soon as the first table can be seen: a day of a dozen takes a minute to read."""
    await floor.opened.wait()
    told(address)
    await asyncio.Event().wait()


def _entrance(access: Access, person: PersonRecord, token: str) -> APIRouter:
    """The printed address: it signs its browser in, and works once."""
    router, left = APIRouter(include_in_schema=False), [token]

    @router.get("/enter")
    async def enter(request: Request, token: str = "") -> Response:
        if not left or not hmac.compare_digest(token.encode(), left[0].encode()):
            raise NotSignedIn
        left.clear()
        answer = RedirectResponse(FLOOR_PAGE, 303)
        set_cookie(request, answer, "page", access.sessions.open(person))
        return answer

    return router


async def _nothing_noted(_: StaffEvent) -> None:
    """Who looks on here stands in no table's journal."""
