"""The screens of one table: the running table and its cameras in, views, answers and keys out."""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from controller.engine.state import TableState
from controller.history.history import History
from controller.journal.heads import SignedHead
from controller.ports import PastPictures
from controller.runtime.api import Hub, TablePort, TableSnapshot
from controller.runtime.contradictions import NO_CAMERAS, TrackedCards
from controller.runtime.felt_witness import NO_LINES, ShoeLines
from controller.screens.audit_trail import AuditReader
from controller.screens.commands import CommandHandler, Commands, DrawsCard, KeypadHandler, RemoteTable
from controller.screens.dealt_rounds import LiveShift, ShiftReader
from controller.screens.evidence import CardPictures
from controller.screens.felt import ScreenSettings, ScreenState
from controller.screens.figures import Books, ShiftFigures, ShoeCheck, shift_books, shift_figures, shoe_check
from controller.screens.patterns import EdgeFinder, SeveralDays, days_beside
from controller.screens.rounds import (
    RoundPictures,
    RoundSheet,
    alert_pictures,
    round_pictures,
    round_sheet,
)
from controller.screens.rulings import with_round
from controller.screens.sentences import Say, placed_sentence
from controller.screens.tiles import Tile, tile_of
from controller.screens.views import ViewBroadcaster, ViewBuilder, Views
from controller.screens.words import DemoFault, FaultBoard


class TableScreens:
    """The shared state of all screens, keypads and pedals of one table. Used on the table's loop."""

    _tile: tuple[object, Tile] | None = None
    """The last tile, and what it was made of."""
    _books: tuple[object, Books] | None = None
    """The last books, and the entries that they were made of."""

    def __init__(
        self,
        table: TablePort,
        hub: Hub,
        mono_s: Callable[[], float],
        settings: ScreenSettings | None = None,
        cameras: TrackedCards = NO_CAMERAS,
        *,
        draw: DrawsCard | None = None,
        faults: FaultBoard | None = None,
        dealer: Callable[[], str | None] = lambda: None,
        signed: Callable[[], SignedHead | None] = lambda: None,
        past: PastPictures | None = None,
        lines: ShoeLines = NO_LINES,
        journal: Path | None = None,
        remote: RemoteTable | None = None,
        edge: EdgeFinder | None = None,
    ) -> None:
        """Assemble the parts without starting them. `mono_s` returns seconds of a monotonic clock.

        `signed` returns the last signed head of the journal, None without a signature. `journal` is the file
        from which closed rounds are replayed, None without one. `remote` is the address of a table that
        another controller plays; `edge` is shared with other tables. `past` finds recorded pictures, `lines`
        are the shoe's last messages. `dealer` returns the id of the signed-in dealer, who makes the keypad
        presses. `draw` draws a card from a simulated shoe, `faults` are the faults of a simulation; None at a
        real table.
        """
        known = settings or ScreenSettings()
        self._table, self._past = table, past
        self.hub: Final = hub
        self.faults: Final = faults
        self.shift: Final = ShiftReader(table)
        self.signed: Final = signed
        self.journal: Final = journal
        self._edge: Final = edge or EdgeFinder()
        self._break_after_min: Final = known.break_after_min
        self._one_process: Final = asyncio.Lock()
        self.pictures: Final = CardPictures(cameras)
        self._state = ScreenState(mono_s, (chip.value_minor for chip in known.chips))
        self._builder = ViewBuilder(known, self.pictures, lines=lines, draws=draw is not None, faults=faults)
        local = ViewBroadcaster(hub, self._state, self._builder)
        handler = CommandHandler(table, hub, self._state, self.pictures, draw)
        self.broadcaster: Final[Views] = local if remote is None else remote.views(local)
        self.commands: Final[Commands] = handler if remote is None else remote.commands(handler)
        self.keypads: Final = KeypadHandler(table, hub, self._state, local, self._builder, dealer=dealer)

    def picture(self, name: str) -> bytes | None:
        """Give a camera's picture that a view has named by its path; None when it is no longer kept."""
        return self.pictures.fetch(name) or self._builder.evidence.fetch(name)

    def with_round(self, number: int | None) -> TableSnapshot:
        """The newest snapshot, with the closed round of this number where that is kept."""
        latest = self.hub.latest()
        return latest if number is None else with_round(latest, self._table.closed_round(number))

    def closed_rounds(self, number: int) -> tuple[TableState | None, TableState | None]:
        """Return the round before this one, and this one, as screens may see them; None for one not kept."""
        state = self.hub.latest().state
        played = state if state.book.number == number else self._table.closed_round(number)
        return self._table.closed_round(number - 1), played

    async def shift_figures(self) -> ShiftFigures:
        """Return the figures of the shift; the expected win follows seconds after the first request."""
        latest = self.hub.latest()
        shift = await self.shift.read_cards(latest.state.book.number)
        key = (latest.seq, shift.seq)
        # Explanations of a difference need all closed rounds: computed once for all readers.
        if self._books is None or self._books[0] != key:
            self._books = key, shift_books(shift, latest.state, self._rounds_since)
        edge, books = self._edge.of(latest.rules), self._books[1]
        return shift_figures(shift, edge, latest.at_utc_us, books, self._break_after_min)

    @property
    def currency(self) -> str:
        """The currency of its amounts."""
        return self.hub.latest().currency

    async def read(self) -> LiveShift:
        """Return the shift up to the newest entry."""
        return await self.shift.read()

    async def shoe_check(self) -> ShoeCheck:
        """Return the check of the shoe in place, for a reader of its settled rounds."""
        return shoe_check(await self.shift.read(), self.hub.latest())

    async def several_days(self) -> SeveralDays | None:
        """Return the patterns of all days whose journals are beside this table's; None without a file."""
        if self.journal is None:
            return None
        async with self._one_process:
            return await asyncio.to_thread(days_beside, self.journal)

    def _rounds_since(self, number: int) -> tuple[TableState, ...]:
        """The closed rounds that are kept, from this number on, oldest first."""
        latest = self.hub.latest()
        first, now = max(number, latest.first_round), latest.state.book.number
        found = (self._table.closed_round(one) for one in range(first, now))
        return tuple(one for one in found if one is not None)

    async def tile(self, *, elsewhere: bool) -> Tile:
        """The tile of this table; `elsewhere` where another controller runs it."""
        latest, view = self.hub.latest(), self.broadcaster.latest()
        edge = self._edge.of(latest.rules)
        key = (latest.seq, view.version, edge, elsewhere)
        # Most tables of a floor have not changed since the last request.
        if self._tile is None or self._tile[0] != key:
            shift = await self.shift.read()
            before = None if self._tile is None else self._tile[1]
            self._tile = (
                key,
                tile_of(
                    view.view,
                    shift,
                    edge,
                    elsewhere=elsewhere,
                    break_after_min=self._break_after_min,
                    before=before,
                ),
            )
        return self._tile[1]

    async def listed(self) -> tuple[LiveShift, str, int]:
        """Return the shift, the table's name and the number of its boxes, for a list of rounds."""
        latest = self.hub.latest()
        return await self.shift.read(), latest.table, latest.rules.boxes

    async def round_pictures(self, number: int) -> RoundPictures:
        """Return the recorded pictures of a settled round of the shift."""
        _, played = self.closed_rounds(number)
        return await round_pictures(await self.shift.read(), played, self._past, self.pictures)

    async def alert_pictures(self, number: int, at_us: int) -> RoundPictures:
        """Return the recorded pictures of the seconds before an alert of a round."""
        _, played = self.closed_rounds(number)
        shift, now_us = await self.shift.read(), self.hub.latest().at_utc_us
        return await alert_pictures(shift, played, self._past, self.pictures, at_us=at_us, now_us=now_us)

    async def round_sheet(self, number: int) -> RoundSheet | None:
        """Return a settled round of the day in detail; None when the day has no such round."""
        latest = self.hub.latest()
        shift = await self.shift.read()
        say = self.card_sentences(shift.history)
        return await round_sheet(shift, self._table, latest.table, latest.rules.boxes, number, say=say)

    def card_sentences(self, history: History) -> Say:
        """Return the function that states an entry, with the place of each card of a kept round."""
        return partial(placed_sentence, self._table, self.hub.latest(), history)

    def audit_reader(self) -> AuditReader:
        """Reads the journal as it may be shown now."""
        return AuditReader(self._table, self.hub.latest())

    def call_fault(self, fault: DemoFault, *, left: bool = False) -> None:
        """Let a fault of the simulation happen, and show that it was called; raises as `FaultBoard.call`."""
        assert self.faults is not None, "a real table shows no faults on purpose"
        self.faults.call(fault, left=left)
        self._state.touch()
        self.broadcaster.wake()

    def set_speed(self, speed: float) -> None:
        """Let the simulation play so many times as fast as people do, or pause with 0."""
        assert self.faults is not None, "people at a real table have their own pace"
        self.faults.speed = speed
        self._state.touch()
        self.broadcaster.wake()
