"""The whole view of a table: built from one snapshot per change, shared by all screens."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple, Protocol

from controller.engine.state import TableState
from controller.i18n import catalogue, units
from controller.runtime.api import DeviceView, Hub, OrderView, TableSnapshot
from controller.runtime.felt_witness import NO_LINES, ShoeLines
from controller.screens.acts import DrawAct
from controller.screens.asking import by_hand, unread_hint
from controller.screens.evidence import NO_PICTURES, CardPictures, HoldEvidences, doubt_rows
from controller.screens.felt import ScreenSettings, ScreenState, boxes_view, cards_aside, dealer_view
from controller.screens.panels import alert_rows, hold_rows, next_slips, shoe_view
from controller.screens.playing import PromptContext, hit_key, staked
from controller.screens.prompts import prompts_of, with_presses
from controller.screens.view import (
    BoxView,
    Chip,
    DeviceRow,
    FeltView,
    Key,
    LastOrder,
    TableView,
    UnconfirmedRow,
)
from controller.screens.words import FaultBoard, FaultRow, say

BOXES: Final = "boxes"
"""The field whose rows are sent field by field: they are most of a view, and little of a row changes."""


class Member(NamedTuple):
    """`"name":value` as JSON text, and the first version of the view in which it stood like this."""

    text: str
    version: int


Members = Mapping[str, Member]
"""The members of an object by name."""


@dataclass(frozen=True)
class RenderedView:
    """A view as it goes out: `version` counts the views of this process from 1 on.

    `fields` are those of the view but its boxes; `boxes` are the fields of each box, by its number.
    """

    version: int
    seq: int
    view: TableView
    fields: Members
    boxes: Mapping[int, Members]
    _changes: dict[int, str] = field(default_factory=dict, compare=False)

    @cached_property
    def body(self) -> str:
        """The whole view."""
        rows = ",".join(f"{{{_newer(row, 0)}}}" for row in self.boxes.values())
        return f'{{{_newer(self.fields, 0)},"{BOXES}":[{rows}]}}'

    def changes(self, version: int) -> str:
        """Return the changes since view `version`: two more members of a `ChangesMessage`."""
        if version not in self._changes:
            changed = [(box, _newer(row, version)) for box, row in self.boxes.items()]
            rows = ",".join(f'"{box}":{{{members}}}' for box, members in changed if members)
            fields = _newer(self.fields, version)
            self._changes[version] = f'"fields":{{{fields}}},"{BOXES}":{{{rows}}}'
        return self._changes[version]


def render(view: TableView, before: RenderedView | None) -> RenderedView:
    """Render a view; members equal to those of `before` keep their version."""
    version = 1 if before is None else before.version + 1
    rows = {} if before is None else before.boxes
    return RenderedView(
        version,
        view.seq,
        view,
        _members(view, {} if before is None else before.fields, version),
        {row.box: _members(row, rows.get(row.box, {}), version) for row in view.boxes},
    )


def _members(shown: TableView | BoxView, before: Members, version: int) -> Members:
    written = {}
    for name in type(shown).model_fields:
        if name == BOXES:
            continue
        # ASCII, because each screen's socket encodes the text again: one other letter makes that 27 µs
        # instead of 1 for 20 kB.
        text = shown.model_dump_json(include={name}, ensure_ascii=True)[1:-1]
        known = before.get(name)
        written[name] = known if known is not None and known.text == text else Member(text, version)
    return written


def _newer(members: Members, version: int) -> str:
    return ",".join(member.text for member in members.values() if member.version > version)


class Views(Protocol):
    """The newest view of a table: a `ViewBroadcaster`, or a remote table's views."""

    def latest(self) -> RenderedView:
        """Return the view of now."""

    async def newer(self, version: int) -> RenderedView:
        """Wait for a view newer than `version`; at once where there is one."""

    def wake(self) -> None:
        """Wake all screens that wait for a newer view."""

    async def run(self) -> None:
        """Follow the table until cancelled."""

    async def await_pictures(self, period_s: float) -> None:
        """Wake every `period_s` seconds while a question waits for a camera's picture, until cancelled."""


ROWS_MAX: Final = 50
"""Holds and alerts that a view lists; the others are counted. A view does not grow with a table's history."""


_UNCONFIRMED_MAX: Final = 7
"""Payouts without a confirmation that a view lists: those of one whole table."""


class ViewBuilder:
    """Builds views with one house's settings."""

    def __init__(
        self,
        settings: ScreenSettings,
        pictures: CardPictures = NO_PICTURES,
        *,
        lines: ShoeLines = NO_LINES,
        draws: bool = False,
        faults: FaultBoard | None = None,
    ) -> None:
        """Store the settings and the values derived from them; `pictures` are the cameras.

        `draws`: the shoe is simulated, and the page may draw a card from it. `faults` are the faults of a
        simulation.
        """
        self._draws = draws
        self._faults = faults
        self._settings = settings
        self._pictures = pictures
        self.evidence: Final = HoldEvidences(pictures, lines)
        self._chips = tuple(
            Chip(value=units(chip.value_minor), face=chip.face, ink=chip.ink) for chip in settings.chips
        )

    def build(self, snapshot: TableSnapshot, screen: ScreenState) -> TableView:
        """Return the view of all screens of this table after `snapshot.seq`."""
        result, handled = snapshot.result, snapshot.pay.handled
        boxes = boxes_view(snapshot.state, result, handled, screen.drafts, screen.laid)
        alerts, alerts_more = alert_rows(snapshot, ROWS_MAX, self.evidence)
        stage, prompts = prompts_of(context := self._context(snapshot, screen))
        return TableView(
            seq=snapshot.seq,
            at_utc_us=snapshot.at_utc_us,
            mode=snapshot.mode,
            shadow=snapshot.options.mode == "shadow",
            table=snapshot.table,
            currency=snapshot.currency,
            round=snapshot.state.book.number,
            felt=_felt(snapshot),
            chips=self._chips,
            sound_percent=self._settings.sound_percent,
            boxes=with_presses(context, boxes),
            dealer=dealer_view(snapshot.state, snapshot.result),
            aside=cards_aside(snapshot.state),
            staked=units(staked(context)),
            stage=stage,
            prompts=prompts,
            shoe_used=_shoe_used(snapshot.state),
            cut_card=snapshot.state.shoe.cut,
            shoe=shoe_view(snapshot),
            slips=next_slips(snapshot.state.book),
            dealing=snapshot.dealing,
            devices=tuple(_device(device) for device in snapshot.devices),
            holds=hold_rows(snapshot, ROWS_MAX),
            holds_more=max(0, len(snapshot.holds) - ROWS_MAX),
            alerts=alerts,
            alerts_more=alerts_more,
            doubts=doubt_rows(snapshot, self._pictures),
            unconfirmed=_unconfirmed(snapshot),
            unconfirmed_count=len(snapshot.unconfirmed),
            waiting=snapshot.waiting,
            autoplay=snapshot.autoplay,
            draw=DrawAct() if self._draws and snapshot.autoplay is False else None,
            faults=() if self._faults is None else _fault_rows(self._faults),
            speed=None if self._faults is None else self._faults.speed,
            editing_by=screen.editing_by(),
            notice=screen.notice(),
            by_hand=by_hand(),
        )

    def has_picture(self, snapshot: TableSnapshot, screen: ScreenState) -> bool:
        """Whether a camera has a picture of the card that is asked about."""
        return unread_hint(self._context(snapshot, screen)).picture is not None

    def hit_key(self, snapshot: TableSnapshot, screen: ScreenState) -> Key | None:
        """Give the key that the screens lack, because a card says it by itself: a keypad may say it first."""
        return hit_key(self._context(snapshot, screen))

    def _context(self, snapshot: TableSnapshot, screen: ScreenState) -> PromptContext:
        return PromptContext(snapshot, screen, self._settings, self._pictures)


def _felt(snapshot: TableSnapshot) -> FeltView:
    rules = snapshot.rules
    return FeltView(
        rules=rules.name,
        blackjack_pays=rules.blackjack_pays,
        hits_soft_17=rules.dealer_hits_soft_17,
        boxes=rules.boxes,
        decks=rules.decks,
        back_bets=rules.back_bets,
    )


def _shoe_used(state: TableState) -> float:
    """Return the dealt part of the shoe, in steps too coarse to count the remaining cards."""
    return round(min(state.shoe.seen / state.shoe.size, 1.0), 2)


def _device(device: DeviceView) -> DeviceRow:
    last = device.last_order and _last_order(device.last_order)
    return DeviceRow(**device._replace(last_order=None)._asdict()).model_copy(update={"last_order": last})


def _last_order(last: OrderView) -> LastOrder:
    """Return the pit's last order; a result without a text is shown as the device reported it."""
    code = {None: "WAITING", "": "DONE"}.get(last.code, last.code)
    key = f"ui.order_{code}"
    answer = say(key) if key in catalogue("en") else say("ui.order_refused", reason=str(code))
    return LastOrder(
        order=say(f"ui.order_{last.order}"),
        by=last.by.partition(":")[2],
        at_utc_us=last.at_utc_us,
        answer=answer,
        done=last.code == "",
    )


def _unconfirmed(snapshot: TableSnapshot) -> tuple[UnconfirmedRow, ...]:
    """The newest ones, newest first."""
    return tuple(
        UnconfirmedRow(round=one.round, box=one.box, seat=one.seat, amount=units(one.amount))
        for one in snapshot.unconfirmed[: -_UNCONFIRMED_MAX - 1 : -1]
    )


def _fault_rows(board: FaultBoard) -> tuple[FaultRow, ...]:
    """Every fault of this table, with where it stands."""
    shown = {one.fault: one for one in reversed(board.listed())}
    return tuple(shown.get(fault) or FaultRow(fault=fault, stage="ready") for fault in board.possible)


TURN: Final = 0.382
"""The part of the screens that goes to the queue's end with each view: the golden section spreads them."""


class ViewBroadcaster:
    """Builds the view on request after a change; all screens share it.

    A slow screen skips views and delays no other. Used on the table's loop.
    """

    def __init__(self, hub: Hub, screen: ScreenState, builder: ViewBuilder) -> None:
        """Begin with the snapshot that the hub holds."""
        self._hub = hub
        self._screen = screen
        self._builder = builder
        self._waiting: dict[asyncio.Future[None], None] = {}
        self._built_from: tuple[TableSnapshot, int] | None = None
        self._rendered: RenderedView | None = None

    def latest(self) -> RenderedView:
        """Return the view of now."""
        snapshot = self._hub.latest()
        self._screen.follow(snapshot)
        self._builder.evidence.follow(snapshot)
        if self._rendered is None or self._is_old(snapshot):
            self._rendered = render(self._builder.build(snapshot, self._screen), self._rendered)
            self._built_from = snapshot, self._screen.version
        return self._rendered

    def wake(self) -> None:
        """Wake all screens that wait for a newer view."""
        waiting, self._waiting = tuple(self._waiting), {}
        # Screens queue in the order served, or the last one would always be last.
        first = int(len(waiting) * TURN)
        for screen in (*waiting[first:], *waiting[:first]):
            if not screen.done():
                screen.set_result(None)

    async def run(self) -> None:
        """Follow the hub until cancelled."""
        async for _, snapshot in self._hub.subscribe():
            # Every snapshot, even without a viewer: late chips have to be detected.
            self._screen.follow(snapshot)
            self._builder.evidence.follow(snapshot)
            self.wake()

    async def await_pictures(self, period_s: float) -> None:
        """While a pad waits for a camera's picture, look for it every `period_s` seconds, until cancelled."""
        while True:
            await asyncio.sleep(period_s)
            prompts = () if self._rendered is None else self._rendered.view.prompts
            pads = [prompt.pad for prompt in prompts if prompt.pad is not None]
            waits = any(pad.watched and pad.picture is None for pad in pads)
            if waits and self._builder.has_picture(self._hub.latest(), self._screen):
                self._screen.touch()
                self.wake()

    async def newer(self, version: int) -> RenderedView:
        """Wait for a view newer than `version`; at once where there is one."""
        while (rendered := self.latest()).version <= version:
            # A future for each of them: an event's own waiting takes twice the time, for 500 screens at once.
            wakened = asyncio.get_running_loop().create_future()
            self._waiting[wakened] = None
            try:
                await wakened
            finally:
                self._waiting.pop(wakened, None)
        return rendered

    async def views(self) -> AsyncIterator[RenderedView]:
        """Yield the latest view at once, then each newer one, without those in between."""
        version = 0
        while True:
            rendered = await self.newer(version)
            version = rendered.version
            yield rendered

    def _is_old(self, snapshot: TableSnapshot) -> bool:
        if self._built_from is None:
            return True
        return self._built_from[0] is not snapshot or self._built_from[1] != self._screen.version
