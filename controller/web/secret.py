"""What a screen may not be told while a card lies face down."""

from typing import Final

from controller.engine.dealer import hidden_hole
from controller.runtime.api import AlertView, TableSnapshot

COUNTING: Final = frozenset({"TOO_MANY_OF_A_KIND"})
"""Alerts whose mere existence says something about the face-down card."""


def open_alerts(shot: TableSnapshot) -> tuple[AlertView, ...]:
    """The alerts that may be shown; what counts ranks waits until the face-down card is turned."""
    if not hidden_hole(shot.state.dealer):
        return shot.alerts
    number = shot.state.book.number
    return tuple(alert for alert in shot.alerts if alert.code not in COUNTING or alert.round != number)
