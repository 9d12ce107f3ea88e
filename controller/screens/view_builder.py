"""The whole view of a table, drawn up from one snapshot."""

from typing import Final

from controller.engine.state import TableState
from controller.i18n import catalogue
from controller.i18n.numbers import units
from controller.runtime.api import DeviceView, OrderView, TableSnapshot
from controller.runtime.felt_witness import NO_LINES, ShoeLines
from controller.screens.evidence import NO_PICTURES, CardPictures, HoldEvidences, doubt_rows
from controller.screens.felt import boxes_view, cards_aside, dealer_view
from controller.screens.pit.rows import alert_rows, hold_rows, next_slips
from controller.screens.prompts.bets import staked
from controller.screens.prompts.context import PromptContext
from controller.screens.prompts.play import hit_key
from controller.screens.prompts.questions import by_hand, unread_hint
from controller.screens.prompts.stage import prompts_of, with_presses
from controller.screens.screen_state import ScreenSettings, ScreenState
from controller.screens.shapes.acts import DrawAct
from controller.screens.shapes.demo_faults import FaultBoard, FaultRow
from controller.screens.shapes.view import (
    BoxView,
    Chip,
    DeviceRow,
    FeltView,
    Key,
    LastOrder,
    TableView,
    UnconfirmedRow,
)
from controller.screens.shapes.words import say
from controller.screens.shoe_panel import shoe_view

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
            boxes=_boxes(context, screen),
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

    def follow(self, snapshot: TableSnapshot) -> None:
        """Store the evidence of each new hold, in order."""
        self.evidence.follow(snapshot)

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


def _boxes(context: PromptContext, screen: ScreenState) -> tuple[BoxView, ...]:
    snapshot = context.snapshot
    boxes = boxes_view(snapshot.state, snapshot.result, snapshot.pay.handled, screen.drafts, screen.laid)
    return with_presses(context, boxes)


def _unconfirmed(snapshot: TableSnapshot) -> tuple[UnconfirmedRow, ...]:
    """The newest ones, newest first."""
    return tuple(
        UnconfirmedRow(round=one.round, box=one.box, seat=one.seat, amount=units(one.amount))
        for one in snapshot.unconfirmed[: -_UNCONFIRMED_MAX - 1 : -1]
    )


def _fault_rows(board: FaultBoard) -> tuple[FaultRow, ...]:
    """Every fault of this table, with where it stands."""
    shown = {one.fault: one for one in reversed(board.listed())}
    rows = []
    for fault in board.possible:
        one = shown.get(fault)
        if one is None:
            rows.append(FaultRow(fault=fault, stage="ready"))
        else:
            rows.append(FaultRow(**one._asdict()))
    return tuple(rows)
