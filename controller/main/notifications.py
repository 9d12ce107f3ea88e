"""Reaches people outside the page about holds and alerts that nobody answers, by apprise (an extra).

A message names the table, the kind and the time, never a card, an amount, a shoe or a person: it may lie
open on anybody's telephone.
"""

import asyncio
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Final, NamedTuple

import structlog

from controller.config.notifications import NotifySection
from controller.domain.errors import ConfigError
from controller.i18n import catalogue, text
from controller.runtime.api import Hub, TableSnapshot

Send = Callable[[str], bool]
"""Sends a message, and takes as long as it takes; False where it did not arrive."""

DISCREET: Final = frozenset(
    ("SHUFFLE_SUSPECT", "COMPOSITION_SUSPECT", "SHOE_INCOMPLETE", "COUNT_DUE", "FLOAT_DIFFERS")
)
"""Kinds that no guest may know of: whoever knows that an order repeats knows the next cards, and what is
missing from the rack is the house's."""
RETRY_US: Final = 60_000_000
SECOND_US: Final = 1_000_000


class Unanswered(NamedTuple):
    """A hold or alert that waits for somebody since `since_utc_us`."""

    code: str
    since_utc_us: int


class Recipient(NamedTuple):
    """A section, and the way to those whom it names."""

    section: NotifySection
    send: Send


def recipients(sections: Sequence[NotifySection]) -> tuple[Recipient, ...]:
    """The ways to everybody.

    Raises `ConfigError` APPRISE_MISSING, or NOTIFY_URL for an address of no service.
    """
    return tuple(Recipient(section, _sender(section)) for section in sections)


def _sender(section: NotifySection) -> Send:
    try:
        apprise = import_module("apprise").Apprise()
    except ImportError as error:
        raise ConfigError("APPRISE_MISSING") from error
    for number, url in enumerate(section.urls, 1):
        if not apprise.add(url):
            # Not the address itself: it holds a password.
            raise ConfigError("NOTIFY_URL", number=number, service=url.partition(":")[0])
    return lambda message: bool(apprise.notify(body=message))


def unanswered(now: TableSnapshot) -> frozenset[Unanswered]:
    """What waits for somebody; of a hold that has its alert, the hold alone."""
    holds = {Unanswered(hold.code, hold.since_utc_us) for hold in now.holds}
    held = {hold.code for hold in now.holds}
    alerts = {
        Unanswered(alert.code, alert.at_utc_us)
        for alert in now.alerts
        if alert.status == "open" and alert.code not in held
    }
    return frozenset(holds | alerts)


def message(table: str, one: Unanswered, waited_s: int, language: str) -> str:
    """What is sent, in the language of whoever gets it."""
    key = f"fault_name.{one.code}"
    discreet = one.code in DISCREET or key not in catalogue("en")
    kind = text("notify.pit_decides" if discreet else key, {}, language)
    return text("notify.waits", {"table": table, "kind": kind, "seconds": waited_s}, language)


async def notify_unanswered(
    hub: Hub,
    to: Sequence[Recipient],
    utc_us: Callable[[], int],
    log: structlog.typing.FilteringBoundLogger,
    every_s: float,
) -> None:
    """Look every so many seconds, until cancelled.

    Each recipient gets each message once, and again a minute after it did not arrive.
    """
    again: dict[tuple[int, Unanswered], int] = {}
    while True:
        now, at = hub.latest(), utc_us()
        waiting = unanswered(now)
        again = {known: until for known, until in again.items() if known[1] in waiting}
        for number, one in enumerate(to):
            for due in sorted(_due(one.section, waiting, at)):
                if again.get((number, due), 0) <= at:
                    again[number, due] = await _send(one, now.table, due, at)
                    if again[number, due] != _NEVER:
                        log.warning("not_notified", code=due.code, section=number + 1)
        await asyncio.sleep(every_s)


async def _send(to: Recipient, table: str, due: Unanswered, at_utc_us: int) -> int:
    """Send one message; when to send it again, in microseconds."""
    waited_s = (at_utc_us - due.since_utc_us) // SECOND_US
    words = message(table, due, waited_s, to.section.language)
    return _NEVER if await asyncio.to_thread(to.send, words) else at_utc_us + RETRY_US


_NEVER: Final = 1 << 62
"""When to send again what has arrived, in microseconds."""


def _due(section: NotifySection, waiting: frozenset[Unanswered], at_utc_us: int) -> set[Unanswered]:
    late = at_utc_us - section.after_s * SECOND_US
    return {
        one
        for one in waiting
        if one.since_utc_us <= late and (not section.codes or one.code in section.codes)
    }
