"""Alerts that nobody has resolved, as rows for the pit: equal ones joined, with place, money and age."""

from typing import Final

from controller.domain import Money
from controller.i18n.numbers import units
from controller.policy.state.holds import FROZEN
from controller.runtime.api import AlertView, Params, TableSnapshot
from controller.screens.disclosure import open_alerts
from controller.screens.evidence.hold_evidence import HoldEvidences
from controller.screens.pit.device_words import current_text
from controller.screens.pit.hold_rows import frozen_by_pit
from controller.screens.shapes.rows import AlertRow

NOWHERE: Final = -1


def alert_rows(
    snapshot: TableSnapshot, limit: int, evidence: HoldEvidences
) -> tuple[tuple[AlertRow, ...], int]:
    """The newest rows, newest first, and how many older ones are not among them."""
    joined: dict[tuple[str, Params], list[AlertView]] = {}
    own = frozen_by_pit(snapshot.holds) is not None
    for alert in open_alerts(snapshot):
        # The pit needs no alert of what it has done itself.
        if own and alert.code == FROZEN:
            continue
        joined.setdefault((alert.code, alert.params), []).append(alert)
    groups = sorted(joined.values(), key=lambda alerts: -alerts[-1].alert)
    return tuple(_row(snapshot, group, evidence) for group in groups[:limit]), max(0, len(groups) - limit)


def _row(snapshot: TableSnapshot, alerts: list[AlertView], evidence: HoldEvidences) -> AlertRow:
    """One row for alerts that say the same; it is as far as the least of them."""
    newest = alerts[-1]
    least = next((one for one in alerts if one.status == "open"), newest)
    money = _at_stake(snapshot, newest)
    return AlertRow(
        alert=newest.alert,
        alerts=tuple(one.alert for one in alerts),
        text=current_text(snapshot, "alert", newest.code, newest.params),
        severity=newest.severity,
        round=newest.round,
        at_utc_us=newest.at_utc_us,
        since_utc_us=alerts[0].at_utc_us,
        status=least.status,
        by=least.by.partition(":")[2],
        note=least.note,
        box=_box(snapshot, newest),
        money=None if money is None else units(Money(money)),
        holds=still_holds(snapshot, newest),
        held=evidence.of(newest.code, newest.params),
    )


def still_holds(snapshot: TableSnapshot, alert: AlertView) -> bool:
    """Whether the table still waits for what the alert tells of: then it is ruled on, not resolved."""
    return any((hold.code, hold.params) == (alert.code, alert.params) for hold in snapshot.holds)


def _box(snapshot: TableSnapshot, alert: AlertView) -> int:
    """The box that the cameras are asked for: the alert's own, else that of the hold that it tells of."""
    place = _place(alert.params)
    if place != NOWHERE:
        return place
    named = (alert.code, alert.params)
    return next((hold.box for hold in snapshot.holds if (hold.code, hold.params) == named), NOWHERE)


def _place(params: Params) -> int:
    box = dict(params).get("box")
    return box if isinstance(box, int) else NOWHERE


def _at_stake(snapshot: TableSnapshot, alert: AlertView) -> int | None:
    """What a payout was wrong by, else what lies at the box in this round; None where neither is known."""
    params = dict(alert.params)
    paid, expected = params.get("paid"), params.get("expected")
    if isinstance(paid, int) and isinstance(expected, int):
        return abs(paid - expected)
    if alert.round != snapshot.state.book.number:
        return None
    box = next((one for one in snapshot.state.boxes if one.box == _place(alert.params)), None)
    if box is None:
        return None
    on_hands = sum(stake for hand in box.hands for _, stake in hand.stakes)
    return (on_hands or sum(stake for _, stake in box.bets)) + sum(stake for _, stake in box.insurance)
