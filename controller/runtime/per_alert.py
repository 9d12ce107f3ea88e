"""Something worked out for each open alert, and kept as long as the alert is the same.

Nobody may have resolved an alert for weeks; a state that comes with each card must not look at all of them
anew.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

from controller.runtime.api import AlertView

Made = TypeVar("Made")
Alerts = tuple[AlertView, ...]


class PerAlert(Generic[Made]):
    """Remembers what was made of the alerts of one state, for the next; usable from any thread."""

    def __init__(self, make: Callable[[AlertView], Made]) -> None:
        """`make` looks at the alert alone."""
        self._make = make
        self._last: tuple[Alerts, tuple[Made, ...]] = (), ()

    def of(self, alerts: Alerts) -> tuple[Made, ...]:
        """What is made of each, in their order."""
        known, made = self._last
        if known is not alerts:
            # By identity: the tuple that is remembered keeps each of them alive.
            before = {id(alert): one for alert, one in zip(known, made, strict=True)}
            make = self._make
            made = tuple([before[id(alert)] if id(alert) in before else make(alert) for alert in alerts])
            self._last = alerts, made
        return made
