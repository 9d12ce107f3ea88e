"""The whole view of a table, drawn up from one snapshot."""

from controller.domain.money import decimal
from controller.engine.state import TableState
from controller.i18n import catalogue
from controller.runtime.api import DeviceView, OrderView, TableSnapshot
from controller.web.asking import by_hand
from controller.web.betting import staked
from controller.web.desk import Desk
from controller.web.doubts import doubt_rows
from controller.web.eye import BLIND, Eye
from controller.web.felt import boxes_view, cards_aside, dealer_view
from controller.web.prompts import prompts_of
from controller.web.scene import Scene
from controller.web.secret import open_alerts
from controller.web.settings import WebSettings
from controller.web.view import AlertRow, Chip, DeviceRow, FeltView, HoldRow, LastOrder, TableView
from controller.web.words import say, told


class Drawer:
    """Draws views with one house's settings."""

    def __init__(self, settings: WebSettings, eye: Eye = BLIND) -> None:
        """Keep the settings and what follows from them; `eye` are the cameras."""
        self._settings = settings
        self._eye = eye
        self._values = tuple(chip.value_minor for chip in settings.chips)
        self._chips = tuple(
            Chip(value=decimal(chip.value_minor), face=chip.face, ink=chip.ink) for chip in settings.chips
        )

    def draw(self, shot: TableSnapshot, desk: Desk) -> TableView:
        """What every screen of this table shows after `shot.seq`."""
        scene = Scene(shot, desk, self._settings, self._eye)
        state = shot.state
        stage, prompts = prompts_of(scene)
        return TableView(
            seq=shot.seq,
            at_utc_us=shot.at_utc_us,
            mode=shot.mode,
            table=shot.table,
            currency=shot.currency,
            round=state.book.number,
            felt=_felt(shot),
            chips=self._chips,
            boxes=boxes_view(state, shot.result, shot.pay.handled, desk.drafts, self._values),
            dealer=dealer_view(state, shot.result),
            aside=cards_aside(state),
            staked=decimal(staked(scene)),
            stage=stage,
            prompts=prompts,
            shoe_used=_shoe_used(state),
            cut_card=state.shoe.cut,
            devices=tuple(_device(device) for device in shot.devices),
            holds=_holds(shot),
            alerts=_alerts(shot),
            doubts=doubt_rows(shot, self._eye),
            waiting=shot.waiting,
            autoplay=shot.autoplay,
            editing_by=desk.editing_by(),
            notice=desk.notice(),
            by_hand=by_hand(),
        )


def _felt(shot: TableSnapshot) -> FeltView:
    rules = shot.rules
    return FeltView(
        rules=rules.name,
        blackjack_pays=rules.blackjack_pays,
        hits_soft_17=rules.dealer_hits_soft_17,
        boxes=rules.boxes,
        back_bets=rules.back_bets,
    )


def _shoe_used(state: TableState) -> float:
    """The part of the shoe that is out, in steps that tell nobody how many cards are left."""
    return round(min(state.shoe.seen / state.shoe.size, 1.0), 2)


def _device(device: DeviceView) -> DeviceRow:
    last = device.last_order and _last_order(device.last_order)
    return DeviceRow(**device._replace(last_order=None)._asdict()).model_copy(update={"last_order": last})


def _last_order(last: OrderView) -> LastOrder:
    """Say how it went; a code without words of its own is the device's own word."""
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


def _holds(shot: TableSnapshot) -> tuple[HoldRow, ...]:
    return tuple(
        HoldRow(text=told("hold", hold.code, hold.params), since_utc_us=hold.since_utc_us, by=hold.by)
        for hold in shot.holds
    )


def _alerts(shot: TableSnapshot) -> tuple[AlertRow, ...]:
    """Newest first."""
    return tuple(
        AlertRow(
            alert=alert.alert,
            text=told("alert", alert.code, alert.params),
            severity=alert.severity,
            round=alert.round,
            at_utc_us=alert.at_utc_us,
            status=alert.status,
            by=alert.by.partition(":")[2],
        )
        for alert in sorted(open_alerts(shot), key=lambda entry: -entry.alert)
    )
