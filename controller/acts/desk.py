"""The table as a place of work: its day, dealer, devices and holds, and what people write down."""

from typing import Literal, NamedTuple

from controller.acts.declaring import (
    ADMINISTRATORS,
    ALWAYS,
    NEVER,
    NOT_ADMINISTRATORS,
    OWN_HOLDS,
    PEOPLE,
    PIT_ALONE,
    UNHELD,
    Act,
    Declared,
    Lifts,
    Row,
    Subject,
)

DayState = Literal["open", "closed"]


@Declared("table", {Act.TABLE: PEOPLE}, in_count=True)
class TableDay(NamedTuple):
    """The table opens or closes for the day.

    Example: `{"obs": "table", "state": "open"}`
    """

    state: DayState
    by: str | None = None


DealerStep = Literal["in", "out"]


@Declared("dealer", {Act.DEALER: Row(UNHELD, UNHELD, system=ALWAYS)}, in_count=True)
class DealerSeated(NamedTuple):
    """A dealer begins or ends dealing at the table.

    Example: `{"obs": "dealer", "id": "D-07", "at": "in"}`
    """

    id: str
    at: DealerStep


Presence = Literal["live", "stale", "lost"]


@Declared(
    "device",
    {Act.DEVICE: Row(ALWAYS, ALWAYS, ALWAYS, ALWAYS), Act.DEVICE_AT_SCREEN: PIT_ALONE},
    unnamed="system",
    in_count=True,
    at_screen=Act.DEVICE_AT_SCREEN,
)
class DeviceSeen(NamedTuple):
    """A device came or went.

    Example: `{"obs": "device", "name": "shoe", "state": "lost"}`
    """

    name: str
    state: Presence


@Declared(
    "freeze",
    {Act.FREEZE: PIT_ALONE, Act.CALL_PIT: Row(ALWAYS, ALWAYS)},
    unnamed="pit",
    in_count=True,
    timeless=True,
)
class Freeze(NamedTuple):
    """The pit stops the table at once; it goes on when the pit says so.

    Example: `{"obs": "freeze", "by": "P-02", "reason": "PIT_LOOKS"}`
    """

    by: str
    reason: str


def _named(lifted: "HoldsLifted", hold: Subject) -> bool:
    return lifted.codes is None or hold.code in lifted.codes


@Declared(
    "resume",
    {
        Act.RESUME: Row(OWN_HOLDS, NOT_ADMINISTRATORS, administrator=ADMINISTRATORS),
        Act.RESUME_WITHOUT: Row(NEVER, NOT_ADMINISTRATORS, administrator=ADMINISTRATORS),
        # A house that has set it so; by default it is an act of the row above.
        Act.RESUME_WITHOUT_WITNESS: Row(OWN_HOLDS, NOT_ADMINISTRATORS, administrator=ADMINISTRATORS),
        Act.RESUME_AT_SCREEN: Row(NEVER, NOT_ADMINISTRATORS),
    },
    unnamed="pit",
    in_count=True,
    at_screen=Act.RESUME_AT_SCREEN,
    lifts=Lifts("keep", _named, at_once=True, any_round=True),
)
class HoldsLifted(NamedTuple):
    """The holds of these codes are lifted, all of them by default.

    Example: `{"obs": "resume", "by": "P-02", "reason": "CHECKED", "codes": ["FROZEN"]}`
    """

    by: str
    reason: str
    codes: tuple[str, ...] | None = None
    second: str | None = None


@Declared(
    "note",
    {Act.NOTE: Row(ALWAYS, ALWAYS, ALWAYS, ALWAYS, ALWAYS, ALWAYS)},
    unnamed="pit",
    in_count=True,
    timeless=True,
)
class Note(NamedTuple):
    """A person's remark on the running or the named round; it changes nothing.

    Example: `{"obs": "note", "text": "new cards at 22:00"}`
    """

    text: str
    round: int | None = None
    by: str | None = None


@Declared("message", {Act.MESSAGE: PIT_ALONE}, unnamed="pit", in_count=True, timeless=True)
class Message(NamedTuple):
    """The pit's line on the dealer's screen until he has answered it; it changes nothing.

    Example: `{"obs": "message", "text": "limits change after this round"}`
    """

    text: str
    by: str | None = None


@Declared("rating", {Act.RATING: PIT_ALONE}, unnamed="pit", in_count=True, timeless=True)
class Rated(NamedTuple):
    """A guest was rated under this pseudonym. Earlier versions wrote it; it is ignored.

    Example: `{"obs": "rating", "box": 1, "seat": 0, "guest": "QX7K2MZA"}`
    """

    box: int
    seat: int = 0
    guest: str | None = None
    by: str | None = None


Written = Note | Message | Rated
"""What people write down; nothing of the table changes with it."""
DeskAct = TableDay | DealerSeated | DeviceSeen | Freeze | HoldsLifted | Written
