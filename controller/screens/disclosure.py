"""The data that no screen may receive while a card is face down."""

from typing import Final

from controller.engine.hands import hidden_hole
from controller.policy.holds import TOO_MANY
from controller.runtime.api import AlertView, TableSnapshot
from controller.runtime.contradictions import DEALER_BOX
from controller.runtime.snapshot import dealer_lies_open

_COUNTING: Final = TOO_MANY
"""Alerts whose mere existence says something about the face-down card."""


def open_alerts(snapshot: TableSnapshot) -> tuple[AlertView, ...]:
    """Return the alerts that may be shown; alerts that count ranks wait for the reveal."""
    if not hidden_hole(snapshot.state.dealer):
        return snapshot.alerts
    number = snapshot.state.book.number
    return tuple(alert for alert in snapshot.alerts if alert.code not in _COUNTING or alert.round != number)


SECOND: Final = 1
"""Place of the dealer's second card, which lies face down wherever there is a hole card."""


def may_picture(snapshot: TableSnapshot, box: int, place: int | None) -> bool:
    """Whether a camera's picture of this card may be shown; `place` counts the cards of its box from 0.

    A picture also shows the neighbouring cards. Therefore the dealer's second card has none, and no card of
    the dealer has one while a card is or will be face down.
    """
    if box != DEALER_BOX:
        return True
    return may_show_dealer(snapshot) and place not in (None, SECOND, snapshot.state.dealer.hole)


def may_show_dealer(snapshot: TableSnapshot) -> bool:
    """Whether no card of the dealer is face down now or later in this round."""
    return dealer_lies_open(snapshot.rules, snapshot.state.dealer)
