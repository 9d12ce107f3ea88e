"""Devices that report facts of the table, and how they say how they are."""

from collections.abc import Callable
from typing import Literal, NamedTuple, Protocol, assert_never, runtime_checkable

from controller.acts.catalogue import Observation

DeviceState = Literal["absent", "opening", "live", "stale", "lost", "backoff", "fault"]
"""Life of a device: not there · being opened · speaking · silent too long · gone · waiting to try again ·
given up until somebody acknowledges it."""

Presence = Literal["live", "stale", "lost"]
"""A device as the table counts on it: it speaks · it has been silent too long · it is not there."""

ReportSink = Callable[["Report"], None]
"""Takes what a device has to say; may be called from any thread."""


def presence_of(state: DeviceState) -> Presence:
    """Tell what a driver's state means to the table: whoever is not live or stale cannot be counted on."""
    match state:
        case "live" | "stale":
            return state
        case "absent" | "opening" | "lost" | "backoff" | "fault":
            return "lost"
        case _:
            assert_never(state)


class Trouble(NamedTuple):
    """Something that a device cannot vouch for. `code` names the text `trouble.<code>`.

    `hold` is true where a card may be unknown, doubled or wrong: the table then waits for a person.
    """

    code: str
    params: tuple[tuple[str, int | str], ...] = ()
    hold: bool = True


class OrderAnswer(NamedTuple):
    """How a device took an order: `code` is "" when it was carried out, else why not."""

    order: str
    code: str


class Report(NamedTuple):
    """What one device event means to the table: facts to decide on and troubles to hold or warn for.

    `mono_ns` is the moment of the event on the injected clock. The tuples may be empty. `raw` is the one
    message that reported the card among the observations, as it was on the line, b"" where none is kept: for
    `ShoeLines`, never for journal, log or alert. `cards` are the numbers of the cards that the troubles are
    about, in their order, 0 for none.
    """

    source: str
    mono_ns: int
    observations: tuple[Observation, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    answers: tuple[OrderAnswer, ...] = ()
    raw: bytes = b""
    cards: tuple[int, ...] = ()


class Health(NamedTuple):
    """A device as it is now.

    `age_ms` is the age of its last sign of life (None before the first), `detail` a code for the last
    failure or "", `counters` what has been counted since the start, by name, `settings` what the device is
    set to, in words, `orders` what it can be asked to do at this moment (see `Orderable`).
    """

    name: str
    kind: str
    state: DeviceState
    port: str
    age_ms: int | None
    detail: str
    counters: tuple[tuple[str, int], ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    orders: tuple[str, ...] = ()


class ObservationSource(Protocol):
    """A device that speaks by itself, from a thread of its own, through the callback it was made with."""

    def open(self) -> None:
        """Start; returns at once and never fails: a device that is not there is reported as such."""
        ...

    def close(self) -> None:
        """Stop and wait for the thread; afterwards nothing is posted any more."""
        ...

    def health(self) -> Health:
        """May be asked from any thread at any time."""
        ...

    def acknowledge(self) -> None:
        """Let a device that was given up be tried again; nothing happens to any other."""
        ...


@runtime_checkable
class Orderable(Protocol):
    """A device that can be asked to do something."""

    def order(self, order: str) -> bool:
        """Have it done once, never again by itself. True: done. False: the answer follows in a `Report`.

        Raises `DeviceError` when it cannot be asked for this now.
        """
        ...
