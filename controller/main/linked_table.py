"""A table on the floor's network: its servers as a command names them; its state, entries and answers."""

import asyncio
import json
import secrets
import tomllib
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from pydantic import TypeAdapter, ValidationError

from controller.config import FloorSection, TableConfig
from controller.domain import ConfigError, TableError
from controller.floor.messages import AskedCommand, OwnJournal, accepted, refused, taken_command
from controller.i18n import text
from controller.journal.head_file import TableKey
from controller.outputs import read_regular
from controller.people.person import PeopleBook
from controller.people.sign_in import Session, session_of_record
from controller.ports import Clock, Report, ReportSink, Trouble
from controller.runtime.inbox import FailureSink
from controller.runtime.ledger import Ledger
from controller.runtime.snapshot import SnapshotHub, is_released, released_of
from controller.screens.acts import ScreenAct
from controller.screens.commands import ScreenCommand, require_second
from controller.screens.table_screens import TableScreens
from controller.screens.tiles import Tile
from controller.screens.words import ViewModel, cut
from controller.software import way_to_install

if TYPE_CHECKING:
    from controller.floor.table_link import TableLink


def require_extra() -> None:
    """Raise `ConfigError` NATS_MISSING where the package that speaks to the servers is not there."""
    if find_spec("nats") is None:
        raise ConfigError("NATS_MISSING", way=way_to_install("floor"))


def floor_section(servers: Sequence[str], file: Path | None) -> FloorSection:
    """The `[floor]` of a file, with other servers where some are named; paths are relative to the file.

    Raises `ConfigError` CONFIG_MISSING, CONFIG_NOT_TOML, CONFIG_WRONG, NATS_MISSING.
    """
    require_extra()
    path = file or Path("[floor]")
    try:
        written = b"" if file is None else read_regular(file, links=True)
        raw = tomllib.loads(written.decode("utf-8")).get("floor", {})
        return FloorSection.model_validate(raw | ({"servers": servers} if servers else {})).rooted(
            path.parent
        )
    except OSError as error:
        raise ConfigError("CONFIG_MISSING", path=str(path), reason=error.strerror or "") from error
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(("floor", *map(str, first["loc"])))
        raise ConfigError("CONFIG_WRONG", path=str(path), field=field, reason=first["msg"]) from error
    except ValueError as error:
        raise ConfigError("CONFIG_NOT_TOML", path=str(path), reason=str(error)) from error


class NetworkReport:
    """Tells of the network's coming and going: each once."""

    def __init__(self, say: Callable[[str], None]) -> None:
        """`say` gets sentences."""
        self._say, self._last = say, "-"

    def changed(self, reason: str) -> None:
        """Report a new state of the connection: "" is connected, else the reason."""
        if reason != self._last:
            self._say(text("floor.away", {"reason": reason}) if reason else text("floor.connected"))
        self._last = reason


_STATE_MAX: Final = 32_000
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
    """Read a state; None for a foreign or overlong one."""
    try:
        return PublishedState.model_validate_json(bounded(data, _STATE_MAX))
    except (ValidationError, ValueError):
        return None


def bounded(data: bytes, longest: int) -> bytes:
    """Return a table's JSON with each text cut, since it goes to every open page.

    Raises ValueError for more than `longest` bytes, and for text that is no JSON.
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


VIEW_S: Final = 1.0
"""How long a question for a newer view waits."""

COMMAND_S: Final = 10.0
"""How long the table may take for a command of the floor."""

NAME: Final = "floor"

_ACT: Final[TypeAdapter[ScreenAct]] = TypeAdapter(ScreenAct)

AnswerT = TypeVar("AnswerT")


class FloorTable(NamedTuple):
    """A table on its present day: its public key, and the hash of its journal's first entry."""

    key: str
    journal: str


class FloorAnswers:
    """Answers the pit's server through the table's own door. Made on the table's loop."""

    def __init__(
        self,
        table: FloorTable,
        commanders: tuple[str, ...],
        screens: TableScreens,
        book: PeopleBook,
        failures: FailureSink,
    ) -> None:
        """`commanders` are the public keys of the pit's servers that may command."""
        self._table, self._commanders = table, frozenset(commanders)
        self._screens, self._book, self._failures = screens, book, failures
        self._loop = asyncio.get_running_loop()

    async def command(self, data: bytes) -> bytes:
        """Carry a command out, or answer its refusal. On the link's loop."""
        try:
            asked, commander = taken_command(data, self._commanders)
            return accepted(await self._at_table(self._take(asked, commander), COMMAND_S))
        except TableError as refusal:
            return refused(refusal)
        except TimeoutError:
            return refused(TableError("TABLE_UNANSWERED"))
        except Exception as error:
            self._failures.failed(NAME, error)
            return refused(TableError("NOT_TAKEN"))

    async def view(self, data: bytes) -> bytes:
        """Give a view newer than the version that the question names; after a while the same one again."""
        with suppress(TimeoutError):
            return await self._at_table(self._view(data), VIEW_S + COMMAND_S)
        return b""

    async def _at_table(self, work: Coroutine[Any, Any, AnswerT], within_s: float) -> AnswerT:
        """Run it on the table's loop."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        async with asyncio.timeout(within_s):
            return await asyncio.wrap_future(future)

    async def _view(self, data: bytes) -> bytes:
        broadcaster = self._screens.broadcaster
        with suppress(TimeoutError, ValueError):
            version = int(data or b"0")
            async with asyncio.timeout(VIEW_S):
                await broadcaster.newer(version)
        latest = broadcaster.latest()
        return f'{{"version":{latest.version},"view":{latest.body}}}'.encode()

    async def _take(self, asked: AskedCommand, commander: str) -> int:
        try:
            return await self._screens.commands.take(self._command(asked, commander))
        finally:
            self._screens.broadcaster.wake()

    def _command(self, asked: AskedCommand, commander: str) -> ScreenCommand:
        """Check table, day, people and act, which the signature does not prove. Raises `TableError`."""
        if (asked.table, asked.journal) != self._table:
            raise TableError("COMMAND_FOR_ANOTHER")
        actor, act = self._person(asked.actor), _act_of(asked)
        if actor.line_role != "pit":
            raise TableError("NOT_ALLOWED", role=actor.role)
        if asked.second:
            second = self._person(asked.second)
            require_second(actor.person_id, second.person_id, second.line_role, act)
        return ScreenCommand(
            asked.command_id,
            asked.expected_seq,
            actor.person_id,
            "pit",
            act,
            asked.second,
            commander=commander,
        )

    def _person(self, person_id: str) -> Session:
        """A person of this table's own list, in the role of that list."""
        record = self._book.register().person(person_id)
        if record is None:
            raise TableError("PERSON_UNKNOWN_HERE", id=person_id)
        return session_of_record(record)


def _act_of(asked: AskedCommand) -> ScreenAct:
    try:
        act = _ACT.validate_json(json.dumps(asked.act))
    except ValidationError as error:
        raise TableError("REQUEST_WRONG", field="act", reason=error.errors()[0]["msg"]) from error
    if not 8 <= len(asked.command_id) <= 64:
        raise TableError("REQUEST_WRONG", field="command_id", reason="8 to 64")
    return act


_STATE_S: Final = 0.1
"""Time between two states that are sent, at least."""

_AWAY_NS: Final = 60_000_000_000
"""Only a floor that was out of reach for so long is an alert."""


class TableFloor:
    """The floor's side of a table that may be on none."""

    def __init__(
        self, config: TableConfig, key: TableKey, post: ReportSink, clock: Clock, failures: FailureSink
    ) -> None:
        """Prepare the link; `key` signs its messages. Raises `ConfigError` NATS_MISSING."""
        if config.floor is not None:
            require_extra()
        self._config, self._key, self._failures = config, key, failures
        self._post, self._clock = post, clock
        self._away_since_ns: int | None = None
        self._warned = False
        self._link: TableLink | None = None

    async def follow(self, hub: SnapshotHub, screens: TableScreens, book: PeopleBook) -> None:
        """Show the table, send released entries, and answer, until cancelled. On the table's loop."""
        assert self._config.floor is not None, "the table is on no floor"
        # Not above: a table that is on no floor needs no package for it.
        from controller.floor.table_link import EntriesOut, ServerAccess, TableLink  # noqa: PLC0415 - see above

        journal, section = OwnJournal(self._config.journal.file.resolve()), self._config.floor
        table = FloorTable(self._key.public, journal.id)
        answers = FloorAnswers(table, section.commanders, screens, book, self._failures)
        self._link = link = TableLink(
            ServerAccess(section, self._config.table.name),
            self._key,
            EntriesOut(self._key, journal, secrets.token_hex, self._stopped, section.archives),
            command=answers.command,
            view=answers.view,
            run=secrets.token_hex(),
            changed=self._changed,
            failed=lambda error: self._failures.failed(NAME, error),
        )
        link.open()
        await asyncio.gather(self._release(hub, link), self._show(hub, screens, link, journal.id))

    async def _release(self, hub: SnapshotHub, link: "TableLink") -> None:
        async for seq in released_of(hub):
            link.release(seq)

    async def _show(self, hub: SnapshotHub, screens: TableScreens, link: "TableLink", journal: str) -> None:
        """Show each changed tile; changes in quick succession are skipped."""
        shown = ""
        async for seq, _ in hub.subscribe():
            tile = await screens.tile(elsewhere=True)
            state = PublishedState(
                table=self._key.public, journal=journal, seq=seq, tile=tile
            ).model_dump_json()
            if state != shown:
                link.show(state.encode())
            shown = state
            await asyncio.sleep(_STATE_S)

    def close(self, ledger: Ledger) -> None:
        """Send the end, as far as it may be, then stop."""
        if self._link is not None:
            if is_released(ledger.state, ledger.waiting_count):
                self._link.release(ledger.seq)
            self._link.close()

    def _changed(self, reason: str) -> None:
        """Tell once of a floor that is out of reach for long. On the link's thread."""
        if not reason:
            self._away_since_ns, self._warned = None, False
            return
        now_ns = self._clock.mono_ns()
        since_ns = self._away_since_ns = self._away_since_ns or now_ns
        if not self._warned and now_ns > since_ns + _AWAY_NS:
            self._warned = True
            self._warn(Trouble("FLOOR_NOT_REACHED", (("reason", reason),), hold=False))

    def _stopped(self, code: str) -> None:
        self._warn(Trouble(code, hold=False))

    def _warn(self, trouble: Trouble) -> None:
        self._post(Report(NAME, self._clock.mono_ns(), (), (trouble,)))
