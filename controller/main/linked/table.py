"""A table on the floor's network: what it shows and sends, from its own loop to the link's thread."""

import asyncio
import secrets
from typing import TYPE_CHECKING, Final

from controller.config import TableConfig
from controller.floor.outbox import OwnJournal
from controller.journal.table_key import TableKey
from controller.main.linked.access import require_extra
from controller.main.linked.answers import NAME, FloorAnswers, FloorTable
from controller.main.linked.state import PublishedState
from controller.people.person import PeopleBook
from controller.ports import Clock, Report, ReportSink, Trouble
from controller.runtime.failures import FailureSink
from controller.runtime.ledger import Ledger
from controller.runtime.snapshot.hub import SnapshotHub
from controller.runtime.snapshot.released import is_released, released_of
from controller.screens.table_screens import TableScreens

if TYPE_CHECKING:
    from controller.floor.link.table_link import TableLink

STATE_S: Final = 0.1
"""Time between two states that are sent, at least."""

AWAY_NS: Final = 60_000_000_000
"""Only a floor that was out of reach for so long is an alert."""


class TableFloor:
    """The floor's side of a table that may be on none."""

    def __init__(
        self, config: TableConfig, key: TableKey, post: ReportSink, clock: Clock, failures: FailureSink
    ) -> None:
        """`key` signs what goes out; nothing is sent yet. Raises `ConfigError` NATS_MISSING."""
        if config.floor is not None:
            require_extra()
        self._config, self._key, self._failures = config, key, failures
        self._post, self._clock = post, clock
        self._away_since_ns: int | None = None
        self._warned = False
        self._link: TableLink | None = None

    async def follow(self, hub: SnapshotHub, screens: TableScreens, book: PeopleBook) -> None:
        """Show the table, have sent what may be, and answer, until cancelled. On the table's loop."""
        assert self._config.floor is not None, "the table is on no floor"
        # Not above: a table that is on no floor needs no package for it.
        from controller.floor.link.connection import ServerAccess  # noqa: PLC0415 - see above
        from controller.floor.link.entries_out import EntriesOut  # noqa: PLC0415 - see above
        from controller.floor.link.table_link import Answers, TableLink  # noqa: PLC0415 - see above

        journal, section = OwnJournal(self._config.journal.file.resolve()), self._config.floor
        table = FloorTable(self._key.public, journal.id)
        answers = FloorAnswers(table, section.commanders, screens, book, self._failures)
        self._link = link = TableLink(
            ServerAccess(section, self._config.table.name),
            self._key,
            EntriesOut(self._key, journal, secrets.token_hex, self._stopped, section.archives),
            Answers(answers.command, answers.view),
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
        """Show the tile where it is another one; what comes too quickly is passed over."""
        shown = ""
        async for seq, _ in hub.subscribe():
            tile = await screens.tile(elsewhere=True)
            state = PublishedState(
                table=self._key.public, journal=journal, seq=seq, tile=tile
            ).model_dump_json()
            if state != shown:
                link.show(state.encode())
            shown = state
            await asyncio.sleep(STATE_S)

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
        if not self._warned and now_ns > since_ns + AWAY_NS:
            self._warned = True
            self._warn(Trouble("FLOOR_NOT_REACHED", (("reason", reason),), hold=False))

    def _stopped(self, code: str) -> None:
        self._warn(Trouble(code, hold=False))

    def _warn(self, trouble: Trouble) -> None:
        self._post(Report(NAME, self._clock.mono_ns(), (), (trouble,)))
