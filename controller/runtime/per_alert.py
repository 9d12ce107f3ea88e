"""A cached value per open alert, kept as long as the alert is unchanged.

Alerts may stay open for weeks; a snapshot per card must not compute all of them again.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

from controller.runtime.api import AlertView

Made = TypeVar("Made")
Alerts = tuple[AlertView, ...]


class PerAlert(Generic[Made]):
    """Caches the values of one state's alerts for the next state; usable from any thread."""

    def __init__(self, make: Callable[[AlertView], Made]) -> None:
        """`make` looks at the alert alone."""
        self._make = make
        self._last: tuple[Alerts, tuple[Made, ...]] = (), ()

    def of(self, alerts: Alerts) -> tuple[Made, ...]:
        """Return the cached value for each alert, in order."""
        known, made = self._last
        if known is not alerts:
            # By identity: the tuple that is remembered keeps each of them alive.
            before = {id(alert): one for alert, one in zip(known, made, strict=True)}
            make = self._make
            made = tuple([before[id(alert)] if id(alert) in before else make(alert) for alert in alerts])
            self._last = alerts, made
        return made
