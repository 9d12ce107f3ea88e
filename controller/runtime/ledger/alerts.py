"""Alerts in the ledger, and people's steps on them."""

from typing import Final

from controller.acts.catalogue import Message
from controller.journal.entry import Entry
from controller.journal.upcast import Body
from controller.policy.lines.desk import HOLDING
from controller.policy.state.rounds import TOO_MANY, names_unturned
from controller.runtime.api import AlertView
from controller.runtime.ledger.ledger import Ledger, params_of

MESSAGE: Final = "PIT_MESSAGE"
"""The code of the pit's line to the dealer."""


def alerted(ledger: Ledger, entry: Entry, body: Body) -> Ledger:
    """Open an alert; withhold an alert that only a never turned card explains."""
    alert = _alert(entry, body)
    if alert.code in TOO_MANY and names_unturned(ledger.state, alert.params):
        return ledger._replace(withheld=ledger.withheld | {entry.seq})
    return ledger._replace(alerts=(*ledger.alerts, alert))


def _alert(entry: Entry, body: Body) -> AlertView:
    """Return the alert for people: an alert that holds the table is critical, whatever the engine says."""
    return AlertView(
        alert=entry.seq,
        code=body["code"],
        severity="critical" if body["code"] in HOLDING else body["severity"],
        round=body["round"],
        params=params_of(body),
        at_utc_us=entry.at_utc_us,
        status="open",
        by="",
        note="",
    )


def with_message(ledger: Ledger, entry: Entry, message: Message) -> Ledger:
    """Add the pit's message to the dealer to the open alerts, until the dealer acknowledges it (`ack`)."""
    number = ledger.state.book.number
    params = (("text", message.text),)
    line = AlertView(entry.seq, MESSAGE, "info", number, params, entry.at_utc_us, "open", "", "")
    return ledger._replace(alerts=(*ledger.alerts, line))


def stepped(ledger: Ledger, entry: Entry, body: Body) -> Ledger:
    """Record a person's step on an alert."""
    return ledger._replace(alerts=_after_step(ledger.alerts, entry, body))


def _after_step(alerts: tuple[AlertView, ...], entry: Entry, body: Body) -> tuple[AlertView, ...]:
    if body["step"] == "resolve":
        return tuple(alert for alert in alerts if alert.alert != body["alert"])
    change = {"status": f"{body['step']}ed", "by": entry.actor, "note": body["note"]}
    return tuple(alert._replace(**change) if alert.alert == body["alert"] else alert for alert in alerts)
