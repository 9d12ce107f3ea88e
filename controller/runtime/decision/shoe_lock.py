"""The shoe is locked while the table waits, where the house allows it: which order is due, its alert."""

from typing import Final, Literal

from controller.policy.state.holds import Hold, kind_of
from controller.ports import Trouble
from controller.runtime.api import OrderView
from controller.runtime.ledger import NO_ANSWER, Ledger
from controller.runtime.ledger.restore import SYSTEM

LockOrder = Literal["lock", "unlock"]

REASON: Final = "TABLE_HELD"
"""Why the table gives these orders, for the audit."""

_NEEDS_A_CARD: Final = "draw"
"""The way out of a hold that is the next card of the shoe."""


def due_order(ledger: Ledger, shoe: str) -> LockOrder | None:
    """Return the order that the shoe needs now; None when it needs none or has not answered yet.

    A shoe unlocked by the pit during a hold stays unlocked until the next hold, and a shoe locked by a person
    is not unlocked. A failed order is not repeated before the next hold.
    """
    last = dict(ledger.orders).get(shoe)
    if last is not None and last.code is None:
        return None
    if locks(ledger.holds):
        return None if last is not None and _settled_since(last, ledger.holds) else "lock"
    own = last is not None and (last.by, last.order) == (SYSTEM, "lock")
    return "unlock" if own and last is not None and last.code in ("", NO_ANSWER) else None


def locks(holds: tuple[Hold, ...]) -> bool:
    """Whether the table waits for a ruling that needs no card of the shoe."""
    ruled = [hold for hold in holds if not kind_of(hold).asked]
    return bool(ruled) and not any(_NEEDS_A_CARD in hold.ways for hold in ruled)


def _settled_since(last: OrderView, holds: tuple[Hold, ...]) -> bool:
    """Whether the shoe is locked, or a person has given it an order since the hold began."""
    locked = last.order == "lock" and last.code == ""
    return locked or last.at_utc_us >= min(hold.since_utc_us for hold in holds)


def ends_alert(ledger: Ledger, device: str, trouble: Trouble) -> tuple[int, ...] | None:
    """Return the alerts that end when the shoe is unlocked by the table's own order; None otherwise.

    The pit has asked for nothing there, so the unlocking is no alert of its own.
    """
    last = dict(ledger.orders).get(device)
    if trouble.code != "SHOE_UNLOCKED" or last is None or last.by != SYSTEM:
        return None
    locked = ("SHOE_LOCKED", trouble.params)
    return tuple(alert.alert for alert in ledger.alerts if (alert.code, alert.params) == locked)
