"""The pit's server: the tables of a floor from their journals, and the page over them."""

import asyncio
import getpass
import hmac
import secrets
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import structlog
from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import RedirectResponse, Response

from controller.domain import JournalError, TableError
from controller.floor.archive import file_state
from controller.floor.days import day_of
from controller.history.kept import KeptHistories
from controller.journal.entry import trusted
from controller.journal.heads import opened_of
from controller.journal.store import JournalReader
from controller.main.archived_history import ArchivedHistory
from controller.main.server import PageServer, address_of, listen
from controller.main.trust import TOKEN_BYTES, TablePeople
from controller.people.access import Access, AccessSettings, table_access
from controller.people.person import FixedBook, PersonRecord
from controller.people.sign_in import SessionLimits, StaffEvent
from controller.ports import Clock, SystemClock
from controller.runtime.followed_table import BROKEN, CONTRADICTS, FollowedTable
from controller.runtime.inbox import FailureLog, run_all, stop_on_signals
from controller.screens.commands import RemoteTable
from controller.screens.dealt_rounds import LiveShift
from controller.screens.felt import ScreenSettings
from controller.screens.patterns import EdgeFinder
from controller.screens.table_screens import TableScreens
from controller.screens.tiles import Tile, journal_tile
from controller.screens.words import cut
from controller.web.app import add_routes, create_app
from controller.web.parts import WebParts, WebSettings
from controller.web.session import PIT_PAGE, NotSignedIn, set_cookie

LOOK_S: Final = 0.5
"""Time between two looks for new entries and new journals."""

PAUSE_S: Final = 0.002
"""Rest between two slices: a live table in this process goes on in it."""

_OLDER_DAYS: Final = 4
"""Days that stay folded after somebody has looked at them; a shift takes some ten megabytes."""


class FoundJournal(NamedTuple):
    """A journal, and the entry that contradicts it; None without one."""

    path: Path
    error: JournalError | None = None


class _Day(NamedTuple):
    """A journal before it is folded: its table, its beginning, and its file."""

    table: str
    began_utc_us: int
    path: Path

    @property
    def names(self) -> tuple[str, str]:
        """The names by which it is requested: the UTC day of its beginning; its file without the ending."""
        return day_of(self.began_utc_us).isoformat(), self.path.stem


class _Opened(NamedTuple):
    """A journal that is folded, with its own screens."""

    table: FollowedTable
    screens: TableScreens
    broadcasting: "asyncio.Task[None]"
    turn: asyncio.Lock
    """Held while the journal is folded forward."""


class FloorTable:
    """A table whose journal is followed: tile and figures by its history, its screens on request.

    `controller.web.parts.OtherTable`; used on one loop.
    """

    def __init__(
        self,
        archived: ArchivedHistory,
        edge: EdgeFinder,
        fault: Callable[[], TableError | None],
        open_screens: Callable[[], Coroutine[Any, Any, TableScreens]],
    ) -> None:
        """`fault` is why nothing newer is shown; `open_screens` folds the journal."""
        self.archived: Final = archived
        self.journal: Final = archived.path
        self.opened: Final = open_screens
        self._edge, self._fault = edge, fault
        self._tile: tuple[object, Tile] | None = None

    @property
    def rounds(self) -> int:
        """The number of the last round that was read."""
        return int(self.archived.shift.history.rows("SELECT coalesce(max(round), 0) AS n FROM round")[0]["n"])

    @property
    def currency(self) -> str:
        """The currency of its amounts."""
        return self.archived.opening.currency

    async def tile(self, *, elsewhere: bool = True) -> Tile:
        """The tile of this table."""
        opening, fault = self.archived.opening, self._fault()
        edge = self._edge.of(opening.rules)
        key = (self.archived.end, edge, str(fault))
        # Most tables of a floor have not changed since the last request.
        if self._tile is None or self._tile[0] != key:
            name = cut(opening.table)
            tile = journal_tile(
                name,
                opening.rules.boxes,
                self.archived.shift,
                edge,
                fault,
                break_after_min=ScreenSettings().break_after_min,
            )
            self._tile = key, tile
        return self._tile[1].model_copy(update={"elsewhere": elsewhere})

    async def listed(self) -> tuple[LiveShift, str, int]:
        """Return its shift, its name and the number of its boxes, for a list of rounds."""
        opening = self.archived.opening
        return await self.read(), cut(opening.table), opening.rules.boxes

    async def read(self) -> LiveShift:
        """The shift with its rounds: those of a full day take 0.15 s, and other requests have a turn."""
        shift = self.archived.shift
        shift.select_rounds()
        await asyncio.sleep(0)
        return shift


class FloorTables:
    """The tables of a floor, by their journals; used on one loop. A table's newest journal is followed."""

    def __init__(
        self,
        journals: Callable[[], Iterable[FoundJournal]],
        clock: Clock,
        report: Callable[[Path, JournalError], None] = lambda _path, _error: None,
        kept: KeptHistories | None = None,
        remote: Callable[[str], RemoteTable | None] = lambda _name: None,
    ) -> None:
        """`journals` finds the files, in a thread; `report` is given each that cannot be read.

        `kept` has the histories of journals that were read before. `remote` gives where the table of a name
        can be reached.
        """
        self._remote = remote
        self._journals, self._clock, self._report = journals, clock, report
        self._kept = kept
        self.refused: Final[dict[Path, JournalError]] = {}
        """What came and cannot be read as a table at all."""
        self._days: dict[Path, _Day] = {}
        self._contradicted: dict[Path, JournalError] = {}
        self._open: dict[Path, _Opened] = {}
        self._dropped: dict[Path, object] = {}
        self._failures = FailureLog(structlog.get_logger())
        self._opening, self._edge = asyncio.Lock(), EdgeFinder()
        self.tables: Final[dict[str, FloorTable]] = {}
        """By the tables' names, in their order; a table is there once its journal has been read whole."""
        self.opened: Final = asyncio.Event()
        """Set once the first table is there, or the first look has found none."""

    async def follow(self) -> None:
        """Look again and again, until cancelled."""
        try:
            while True:
                await self.look()
                await asyncio.sleep(LOOK_S)
        finally:
            for one in self._open.values():
                one.broadcasting.cancel()

    async def look(self) -> None:
        """Read the new entries of every journal. Raises as `journals`."""
        for path, error in await asyncio.to_thread(lambda: tuple(self._journals())):
            if error is not None:
                self._contradicted[path] = error
            if path not in self._days:
                await self._read(path)
        for day in self._newest().values():
            await self._apart(day, self._follow(day))
        for path, one in tuple(self._open.items()):
            day = self._days[path]
            # An older day is brought forward when it is asked for.
            if self._newest().get(day.table) == day:
                await self._apart(day, self._forward(one.table, one.turn))
        self.opened.set()

    async def _apart(self, day: _Day, work: Coroutine[Any, Any, None]) -> None:
        """Do something for one table; its journal's faults do not affect the others."""
        try:
            await work
        except JournalError as error:
            self._refuse(day.path, error)
        except Exception as error:
            # A foreign journal can contain entries that this program never writes.
            self._failures.failed("floor", error)
            self._dropped[day.path] = file_state(day.path)
            self._refuse(day.path, JournalError("TABLE_NOT_SHOWN", path=str(day.path)))
            self.tables.pop(day.table, None)
            self._shut(day.path)

    def _shut(self, path: Path) -> None:
        if path in self._open:
            self._open.pop(path).broadcasting.cancel()

    def _newest(self) -> dict[str, _Day]:
        """The day of each table that was begun last; months of journals are no more than looked at."""
        return {day.table: day for day in sorted(self._days.values(), key=lambda day: day.began_utc_us)}

    async def _read(self, path: Path) -> None:
        try:
            self._days[path] = await asyncio.to_thread(_day_of, path)
            self.refused.pop(path, None)
        except JournalError as error:
            self._refuse(path, error)

    async def _follow(self, day: _Day) -> None:
        """Read the new entries of a table's newest journal, and draw its tile."""
        known = self.tables.get(day.table)
        if known is not None and known.journal == day.path:
            await self._advance(known.archived)
            await known.tile()
            return
        if self._dropped.get(day.path) == file_state(day.path):
            return
        archived = await asyncio.to_thread(ArchivedHistory, day.path, self._kept)
        await self._advance(archived)

        def fault() -> TableError | None:
            broken = archived.error if archived.error and archived.error.code == BROKEN else None
            contradicts = self._contradicted.get(day.path, archived.rewritten or broken)
            return archived.error if contradicts is None else TableError(CONTRADICTS, reason=contradicts.code)

        def opened() -> Coroutine[Any, Any, TableScreens]:
            return self._screens(day.path, self._remote(day.table))

        table = FloorTable(archived, self._edge, fault, opened)
        await table.tile()
        self.refused.pop(day.path, None)
        self.tables[day.table] = table
        in_order = {one: self.tables[one] for one in sorted(self.tables)}
        self.tables.clear()
        self.tables.update(in_order)
        self.opened.set()

    async def _advance(self, archived: ArchivedHistory) -> None:
        """Read the new entries in slices."""
        more = True
        while more and (news := await asyncio.to_thread(archived.read)) is not None:
            more = archived.take(news)
            await asyncio.sleep(PAUSE_S)
        if (keep := archived.to_keep()) is not None:
            await asyncio.to_thread(keep)

    def _refuse(self, path: Path, error: JournalError) -> None:
        """Asked again at the next look: the file may not be whole yet."""
        if str(self.refused.get(path)) != str(error):
            self._report(path, error)
        self.refused[path] = error

    def days_of(self, table: str) -> tuple[str, ...]:
        """Return the names of a table's days, newest first; two journals of one day by their files."""
        own = [day for day in self._days.values() if day.table == table]
        own.sort(key=lambda day: day.began_utc_us, reverse=True)
        twice = Counter(day.names[0] for day in own)
        return tuple(day.names[twice[day.names[0]] > 1] for day in own)

    async def older(self, address: str) -> TableScreens | None:
        """A day of a table, folded when asked for: a table's name, "@", a day's name."""
        name, _, named = address.rpartition("@")
        found = [day for day in self._days.values() if day.table == name and named in day.names]
        if not found:
            return None
        day = max(found, key=lambda day: day.began_utc_us)
        newest = self.tables.get(name)
        if newest is not None and newest.journal == day.path:
            return await newest.opened()
        older = [path for path in self._open if self._newest()[self._days[path].table].path != path]
        for path in [one for one in older if one != day.path][: 1 - _OLDER_DAYS]:
            self._shut(path)
        screens = await self._screens(day.path)
        # Late entries of that day.
        if (opened := self._open.get(day.path)) is not None:
            await self._forward(opened.table, opened.turn)
        return screens

    async def _screens(self, path: Path, remote: RemoteTable | None = None) -> TableScreens:
        """The screens of a journal, of a table that can be reached at `remote`. Raises `JournalError`."""
        if path in self._open:
            return self._open[path].screens
        async with self._opening:
            if path not in self._open:
                table = await asyncio.to_thread(FollowedTable, path, self._clock.utc_us)
                turn = asyncio.Lock()
                await self._forward(table, turn)
                screens = TableScreens(
                    table, table.hub, time.monotonic, journal=path, remote=remote, edge=self._edge
                )
                running = asyncio.create_task(screens.broadcaster.run())
                self._open[path] = _Opened(table, screens, running, turn)
            return self._open[path].screens

    async def _forward(self, table: FollowedTable, turn: asyncio.Lock) -> None:
        async with turn:
            while await asyncio.to_thread(table.fold):
                await asyncio.sleep(PAUSE_S)
            if table.path in self._contradicted:
                table.doubt(self._contradicted[table.path])
            table.publish()


def _day_of(path: Path) -> _Day:
    """Return the table of a journal by its first entry. Raises `JournalError`."""
    with closing(JournalReader(path)) as journal:
        found = next(journal.read(), None)
    if found is None:
        raise JournalError("NOT_OPENED", seq=1, kind="-")
    first = trusted(found)
    return _Day(cut(str(opened_of(first.body).get("table", ""))), first.at_utc_us, path)


if TYPE_CHECKING:
    # The network's packages are optional.
    from controller.main.linked_pit import LinkedFloor

HOST: Final = "127.0.0.1"
PORTS: Final = 20
DAY_S: Final = 24 * 3600.0
_FLOOR_PAGE: Final = f"{PIT_PAGE}/floor"
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

    It admits one browser, once: the person who began the program watches, as surveillance does, and rules on
    nothing here. With `people` these sign in instead, and rule as at their tables. `linked` are the tables
    of a network, `places` those of the floor. Raises as `FloorTables.look`.
    """
    looks_on = PersonRecord(id="local", name=getpass.getuser(), role="surveillance", pin="")
    alone = AccessSettings(SessionLimits(other_idle_s=DAY_S, longest_s=DAY_S))
    book = FixedBook(looks_on) if people is None else people.book
    settings = alone if people is None else people.settings
    new_token = partial(secrets.token_urlsafe, TOKEN_BYTES)
    access = table_access(book, _nothing_noted, SystemClock(), new_token, settings=settings)
    token, web = new_token(), WebSettings(places=places)
    served = WebParts(
        None, access, web, others=floor.tables, refused=floor.refused, older=floor, shown=linked
    )
    app = _with_replay(create_app(served))
    if people is None:
        app.include_router(_entrance(access, looks_on, token))
    listening = listen(HOST, port, PORTS)
    try:
        address = address_of(listening) + (f"enter?token={token}" if people is None else _FLOOR_PAGE[1:])
        work = {"floor": floor.follow(), "page": PageServer(app).run_on(listening)}
        if linked is not None:
            work["network"] = linked.run()
        await run_all(work | {"address": _announce(floor, told, address)}, stop_on_signals())
    finally:
        listening.close()


def _with_replay(app: FastAPI) -> FastAPI:
    """The pages that play journals again. They load the card reader: only a pit that opens waits for it."""
    from controller.studio.report_page import shift_report  # noqa: PLC0415 - see above
    from controller.studio.round_replay import round_replay  # noqa: PLC0415 - see above

    add_routes(app, round_replay())
    add_routes(app, shift_report())
    return app


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
        answer = RedirectResponse(_FLOOR_PAGE, 303)
        set_cookie(request, answer, "page", access.sessions.open(person))
        return answer

    return router


async def _nothing_noted(_: StaffEvent) -> None:
    """Record nothing: a person who watches here is in no table's journal."""
