"""The shared parts of a table's routes: settings, figures for monitoring, the table of each request.

A measured duration depends on disk, processor and line; no label contains a card, and no card decides the
counts.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final, Protocol, cast

from fastapi import Depends, HTTPException
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from pydantic import BaseModel, ConfigDict
from starlette.requests import HTTPConnection

from controller.config import WebSection
from controller.domain import ConfigError, TableError
from controller.outputs import read_regular
from controller.people.access import Access
from controller.people.sign_in import Sessions
from controller.policy.holds import Hold
from controller.ports import Clock, SystemClock
from controller.runtime.api import TableSnapshot
from controller.runtime.inbox import Batch, CommitResult, SubmittedCommand
from controller.runtime.ledger import Ledger
from controller.screens.dealt_rounds import LiveShift
from controller.screens.evidence import open_alerts
from controller.screens.table_screens import TableScreens
from controller.screens.tiles import SentTiles, Tile, TilesNews, in_order, sum_of, unread_tile
from controller.web.guard import Guard

_TOKEN_MIN: Final = 32
"""Characters of a token; `openssl rand -hex 32` makes 64."""

_TOKEN_MAX: Final = 1000
OTHERS: Final = 0o077

STATIC: Final = Path(__file__).parent / "static"
"""The built front end; absent in a checkout until the front end has been built."""


class WebSettings(BaseModel):
    """Settings of the server. `hosts` are its names, beside its numbers.

    `metrics_token` is the token of the house's monitoring, "" without one. `places` are the floor's.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    hosts: tuple[str, ...] = ("localhost",)
    static: Path = STATIC
    heartbeat_ms: int = 1000
    metrics_token: str = ""
    places: tuple[str, ...] = ()


def web_settings(section: WebSection) -> WebSettings:
    """Give the server the names and the token of its section; raises `ConfigError` as `metrics_token`."""
    hosts = (*WebSettings().hosts, section.host, *section.names)
    return WebSettings(hosts=hosts, metrics_token=metrics_token(section), places=section.places)


def metrics_token(section: WebSection) -> str:
    """Read the token of the house's monitoring, "" when none is configured.

    Raises `ConfigError` METRICS_TOKEN (missing, too short, no plain text), METRICS_TOKEN_OPEN when others may
    read the file.
    """
    path = section.metrics_token_file
    if path is None:
        return ""
    try:
        token, mode = read_regular(path, _TOKEN_MAX, links=True).decode("ascii").strip(), path.stat().st_mode
    except (OSError, UnicodeError) as error:
        raise ConfigError("METRICS_TOKEN", path=str(path), least=_TOKEN_MIN) from error
    if len(token) < _TOKEN_MIN or not token.isprintable():
        raise ConfigError("METRICS_TOKEN", path=str(path), least=_TOKEN_MIN)
    if mode & OTHERS:
        raise ConfigError("METRICS_TOKEN_OPEN", path=str(path))
    return token


DEVICE: Final = "device:"
_MS_NS: Final = 1_000_000
SECOND_US: Final = 1_000_000
_SECOND_NS: Final = 1_000_000_000

_COMMITS: Final = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5)
WAYS: Final = (0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5)
HOLDS: Final = (2, 5, 10, 20, 30, 60, 120, 300, 600, 1800)
"""Upper ends in seconds: of commits, of ways from a device to the disk and on to a screen, of holds."""


class TableTimes:
    """Fed by the table's door and its screens, all on one loop."""

    def __init__(self, clock: Clock) -> None:
        """Begin with none."""
        own = self.registry = CollectorRegistry()
        self._clock = clock
        self._last = (0, 0)
        self._commit = Histogram(
            "stand17_commit_seconds", "Entries onto the disk", buckets=_COMMITS, registry=own
        )
        self._durable = Histogram(
            "stand17_durable_seconds",
            "A device's last byte, or a camera's picture, to its entry on the disk",
            ["source"],
            buckets=WAYS,
            registry=own,
        )
        self._screen = Histogram(
            "stand17_screen_seconds",
            "From the disk to a screen's socket",
            buckets=WAYS,
            registry=own,
        )
        self._hold = Histogram(
            "stand17_hold_seconds",
            "How long the table waited",
            ["code"],
            buckets=HOLDS,
            registry=own,
        )

    def finished(self, batch: Batch, written: CommitResult, before: Ledger) -> None:
        """Count a batch that is on the disk, after the ledger `before`."""
        if written.last_seq is None:
            return
        durable_ns = written.began_ns + written.took_ms * _MS_NS
        self._last = written.last_seq, durable_ns
        self._commit.observe(written.took_ms / 1000)
        for source, moment_ns in _devices(batch).items():
            self._durable.labels(source).observe(max(durable_ns - moment_ns, 0) / _SECOND_NS)
        for hold in _ended(before, batch.draft.ledger):
            lasted_us = batch.draft.at_utc_us - hold.since_utc_us
            self._hold.labels(hold.code).observe(max(lasted_us, 0) / SECOND_US)

    def sent(self, seq: int) -> None:
        """Count a view that a screen has been sent, where it is that of the last commit."""
        last, durable_ns = self._last
        if seq == last:
            self._screen.observe(max(self._clock.mono_ns() - durable_ns, 0) / _SECOND_NS)


def _devices(batch: Batch) -> dict[str, int]:
    """Return the time of each device's report that became an entry."""
    actors = {proposal.entry.actor for proposal in batch.draft.proposals}
    brought = (item for item in batch.items if not isinstance(item, SubmittedCommand))
    return {one.source: one.mono_ns for one in brought if f"{DEVICE}{one.source}" in actors}


def _ended(before: Ledger, after: Ledger) -> Iterator[Hold]:
    left = {_key(hold) for hold in after.holds}
    return (hold for hold in before.holds if _key(hold) not in left)


def _key(hold: Hold) -> tuple[str, int, int, int, int]:
    return hold.code, hold.round, hold.card, hold.box, hold.since_utc_us


class Metrics:
    """Counts the screens' requests and shows the snapshot's figures; one registry per table."""

    def __init__(self, times: TableTimes | None = None) -> None:
        """Begin at zero; `times` are measured by the table's door, None when another program has it."""
        self._times = times
        self._figures: dict[str, Gauge] = {}
        self._registry = CollectorRegistry()
        self._seq = Gauge("stand17_journal_seq", "Newest journal entry shown", registry=self._registry)
        self._round = Gauge("stand17_round", "Number of the round on the table", registry=self._registry)
        self._holds = Gauge("stand17_holds", "Reasons why the table waits", registry=self._registry)
        self._alerts = Gauge("stand17_alerts", "Alerts not resolved", ["severity"], registry=self._registry)
        self._unconfirmed = Gauge(
            "stand17_payouts_not_confirmed", "Payouts that nobody has confirmed", registry=self._registry
        )
        self._devices = Gauge(
            "stand17_device_live", "1 = live, 0 = stale or lost", ["name"], registry=self._registry
        )
        self.screens = Gauge("stand17_screens", "Screens connected", registry=self._registry)
        self.commands = Counter("stand17_commands", "Commands by answer", ["answer"], registry=self._registry)

    def render(self, snapshot: TableSnapshot, figures: Mapping[str, float]) -> bytes:
        """The exposition text for this snapshot and the figures of other parts."""
        self._seq.set(snapshot.seq)
        self._round.set(snapshot.state.book.number)
        self._holds.set(len(snapshot.holds))
        self._unconfirmed.set(len(snapshot.unconfirmed))
        for severity in ("info", "warning", "critical"):
            count = sum(alert.severity == severity for alert in open_alerts(snapshot))
            self._alerts.labels(severity).set(count)
        for device in snapshot.devices:
            self._devices.labels(device.name).set(device.state == "live")
        for name, value in figures.items():
            known = self._figures.get(name)
            if known is None:
                known = Gauge(f"stand17_{name}", "Measured by another part", registry=self._registry)
                self._figures[name] = known
            known.set(value)
        times = b"" if self._times is None else generate_latest(self._times.registry)
        return generate_latest(self._registry) + times

    def sent(self, seq: int) -> None:
        """Count a view that a screen has been sent."""
        if self._times is not None:
            self._times.sent(seq)


class OtherTable(Protocol):
    """A table that another controller plays."""

    @property
    def journal(self) -> Path:
        """Its journal here."""

    @property
    def rounds(self) -> int:
        """The number of the last round of it that is known here."""

    @property
    def currency(self) -> str:
        """The currency of its amounts."""

    async def tile(self, *, elsewhere: bool) -> Tile:
        """The tile of this table."""

    async def read(self) -> LiveShift:
        """Return its shift up to the newest entry."""

    async def listed(self) -> tuple[LiveShift, str, int]:
        """Return its shift, its name and the number of its boxes, for a list of rounds."""

    async def opened(self) -> TableScreens:
        """Its screens; the first call takes seconds. Raises `TableError` where they cannot be shown."""


_NEWS_S: Final = 0.8
"""How long a question for news is held: a server that ends waits a second for its answers."""

_NO_COUNT: Final = -1
"""A count that never was: the one of now is answered at once."""


class OlderDays(Protocol):
    """Earlier days of tables whose journals are kept."""

    def days_of(self, table: str) -> tuple[str, ...]:
        """Return all days of a table, newest first: "2026-11-25", or the name of the file."""

    async def older(self, address: str) -> TableScreens | None:
        """Return a day by its address, such as "BJ1@2026-11-25"; None without one."""


Archived = Callable[[str, str], int | None]
"""The last round that the archive knows, by a table's name and the hash of its journal's first entry."""


class NetworkTables(Protocol):
    """Tables that show themselves over the floor's network."""

    def tiles(self, archived: "Archived") -> Mapping[str, Tile]:
        """Return the present tile of each table, by its name."""

    async def news(self, after: int) -> int:
        """Wait until one shows something else than at this count; the count of now."""


class WebParts:
    """Guard, people and figures of one table, beside its screens."""

    def __init__(
        self,
        screens: TableScreens | None,
        access: Access,
        settings: WebSettings | None = None,
        figures: Callable[[], Mapping[str, float]] = dict,
        others: Mapping[str, OtherTable] = MappingProxyType({}),
        *,
        refused: Mapping[Path, TableError] = MappingProxyType({}),
        older: OlderDays | None = None,
        shown: NetworkTables | None = None,
        times: TableTimes | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Assemble the parts without starting them. Without `screens` other controllers play all tables.

        `others` are those tables by name; more may come while the server runs. `refused` are journals of the
        floor that cannot be read as a table, and why. `access` knows its people. `figures` are measured by
        other parts of the program for the house's monitoring, `times` by the table itself. `shown` are tables
        with a state on the floor's network. `clock` is the machine's own by default.
        """
        self._clock: Final = clock or SystemClock()
        self._shown: Final = shown
        self.own: Final = screens
        self._others: Final = others
        self._refused: Final = refused
        self._older: Final = older
        self._of: Final[dict[str, WebParts]] = {}
        self._sent: Final = SentTiles()
        self.access: Final = access
        self.settings: Final = settings or WebSettings()
        self.figures: Final = figures
        self.guard: Final = Guard(self.settings.hosts)
        self.metrics: Final = Metrics(times)
        self.sockets = 0
        """Screens connected now."""

    @property
    def sessions(self) -> Sessions:
        """The sessions of this table."""
        return self.access.sessions

    @property
    def screens(self) -> TableScreens:
        """The screens of the table that these parts are of; 404 where there is none."""
        if self.own is None:
            raise HTTPException(404)
        return self.own

    async def of(self, table: str | None) -> "WebParts":
        """The parts of a table by its name or an older day's, with the same people; 404 for no such.

        Without a name it is the table that this server runs, else the first one.
        """
        if self.own is not None and table in (None, self.own.hub.latest().table):
            return self
        table = table or next(iter(self._others), "")
        other, screens = self._others.get(table), None
        if other is not None:
            screens = await other.opened()
        elif self._older is not None:
            screens = await self._older.older(table)
        if screens is None:
            raise HTTPException(404)
        if table not in self._of or self._of[table].screens is not screens:
            self._of[table] = WebParts(
                screens, self.access, self.settings, dict, older=self._older, clock=self._clock
            )
        return self._of[table]

    def days(self) -> tuple[str, ...]:
        """Return the days of this table that can be opened, newest first; empty when only one is kept."""
        return () if self._older is None else self._older.days_of(self.screens.hub.latest().table)

    async def tiles(self) -> tuple[Tile, ...]:
        """Return the tile of each table by its place, then by name, and the tiles of unreadable journals."""
        own = {} if self.own is None else {self.own.hub.latest().table: await self.own.tile(elsewhere=False)}
        shown = {} if self._shown is None else self._shown.tiles(self._archived)
        alone = {name: tile.model_copy(update={"opens": False}) for name, tile in shown.items()}
        known = {
            name: shown.get(name) or await one.tile(elsewhere=True)
            for name, one in tuple(self._others.items())
        }
        found = alone | known | own
        places = {name: place for place, name in enumerate(self.settings.places)}
        names = sorted(found, key=lambda name: (places.get(name, len(places)), in_order(name)))
        tables = (found[name] for name in names)
        unread = (unread_tile(path.stem, one) for path, one in sorted(self._refused.items()))
        return (*tables, *unread)

    def floor(self) -> tuple[OtherTable | TableScreens, ...]:
        """Each table that is known here with its journal, by name."""
        known: dict[str, OtherTable | TableScreens] = dict(self._others)
        if self.own is not None:
            known[self.own.hub.latest().table] = self.own
        return tuple(known[name] for name in sorted(known, key=in_order))

    async def won(self) -> int | None:
        """Return the house's win of the shift at all tables; None for one, or for several currencies."""
        tables = self.floor()
        currencies = {one.currency for one in tables}
        if not len(tables) > 1 == len(currencies):
            return None
        return sum([int((await one.read()).row["win"]) for one in tables])

    def _archived(self, table: str, journal: str) -> int | None:
        """The last round of the followed journal; an archive's file ends with how its first hash begins."""
        known = self._others.get(table)
        if known is None:
            return None
        first = known.journal.stem.rpartition("-")[2]
        return known.rounds if first and journal.startswith(first) else None

    async def news(self, after: int) -> TilesNews:
        """The tiles that changed since this count, as soon as one did, and after a moment in any case."""
        # Before the tiles: a change while they are gathered counts as new.
        count = 0 if self._shown is None else await self._shown.news(_NO_COUNT)
        tiles = await self.tiles()
        found = self._sent.news(tiles, after)
        if after and not found.tiles:
            await self._until_news(count)
            tiles = await self.tiles()
            found = self._sent.news(tiles, after)
        one_currency = len({one.currency for one in self.floor()}) <= 1
        total = sum_of(tiles) if one_currency else None
        more = {"places": self.settings.places, "sum": total, "now_utc_us": self._clock.utc_us()}
        return found.model_copy(update=more)

    async def _until_news(self, count: int) -> None:
        """Until the network is beyond this count; folders are looked at again after a moment."""
        try:
            async with asyncio.timeout(_NEWS_S):
                if self._shown is not None:
                    await self._shown.news(count)
                else:
                    await asyncio.Event().wait()
        except TimeoutError:
            return

    @contextmanager
    def one_socket(self) -> Iterator[None]:
        """Count a screen while it is connected."""
        self.sockets += 1
        try:
            yield
        finally:
            self.sockets -= 1


async def _parts_of(connection: HTTPConnection) -> WebParts:
    parts = cast(WebParts, connection.app.state.parts)
    return await parts.of(connection.path_params.get("table"))


# Found on the loop: FastAPI gives a plain function a thread of its pool, forty of them with 500 screens.
Parts = Annotated[WebParts, Depends(_parts_of)]
"""The parts of the application that a request or socket came to."""
