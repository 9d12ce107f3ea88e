"""The rows of a view's lists: devices, holds, alerts, unconfirmed payouts, doubts, refused presses."""

from typing import Literal

from controller.irregularities import Entered, Release, Way
from controller.runtime.api import DeviceKind
from controller.screens.shapes.acts import CorrectWithoutTruth, NameAct
from controller.screens.shapes.base import ViewModel
from controller.screens.shapes.values import OpenCard, Words


class Notice(ViewModel):
    """Why a press at a keypad or pedal was refused; shown for some seconds. `number` tells them apart."""

    number: int
    device: str
    key: Words
    why: Words


class LastOrder(ViewModel):
    """What the pit last had a device do, and how it went: `answer` in words."""

    order: Words
    by: str
    at_utc_us: int
    answer: Words
    done: bool


class DeviceRow(ViewModel):
    """A device, what the pit can have it do now (`orders`), the SHA-256 of a camera's deck profile or ""."""

    name: str
    kind: DeviceKind
    state: Literal["live", "stale", "lost"]
    age_ms: int | None
    orders: tuple[str, ...] = ()
    last_order: LastOrder | None = None
    deck: str = ""


class CardReading(ViewModel):
    """What one reader takes a card for; `title` names the reader."""

    title: Words
    card: OpenCard


class HoldRow(ViewModel):
    """A reason why the table waits, who lifts it, and the ways out that the house allows.

    `title` names the fault in a few words. The usual way comes first. `rule` is where the house has its
    ruling from, by number; `rule_text` says the rule in one sentence. `round`, `card` (its number
    in the round, 0 where it is none) and `box` (0 dealer, -1 nowhere) say what it is about, `seat` the bettor
    where it is one's stake or payout. `about`: what a ruling on that round can be on to be one on this hold:
    `round`, `card:NUMBER`, `box:NUMBER`, `bettor:BOX:SEAT`, `hole`. `amends`: the entry that is most likely
    the wrong one. `two`: another person signs with the person who rules on it. `read` says who read the card
    and how surely; `readings` are those of two readers that differ.
    """

    title: Words
    text: Words
    since_utc_us: int
    by: str
    code: str
    release: Release
    ways: tuple[Way, ...]
    rule: Words | None
    rule_text: Words | None
    round: int
    card: int
    box: int
    seat: int | None
    about: tuple[str, ...]
    amends: Entered
    two: bool
    read: Words | None
    readings: tuple[CardReading, ...]


class HeldPicture(ViewModel):
    """What a camera saw at the place when the table held; `picture` is its path."""

    camera: str
    picture: str


class HeldShoeLine(ViewModel):
    """The shoe's message that a hold speaks of, as hex and as text, and what it reported to the table."""

    hex: str
    text: str
    reports: tuple[str, ...]


class HeldEvidence(ViewModel):
    """What the witnesses had at the moment at which the table held; at least one picture or the line."""

    at_utc_us: int
    pictures: tuple[HeldPicture, ...]
    shoe: HeldShoeLine | None


class AlertRow(ViewModel):
    """Alerts (`alerts`, journal entries) that say the same and are not resolved; `alert` is the newest.

    They came from `since_utc_us` to `at_utc_us`; `box` -1 is nowhere, `note` says to whom it was assigned.
    `held` is what the witnesses had when the table held for it.
    """

    alert: int
    alerts: tuple[int, ...]
    text: Words
    severity: str
    round: int
    at_utc_us: int
    since_utc_us: int
    status: Literal["open", "acked", "assigned"]
    by: str
    note: str
    box: int
    money: str | None
    holds: bool
    held: HeldEvidence | None = None


class UnconfirmedRow(ViewModel):
    """A payout that nobody has confirmed; the next bet, or the cleared table, says that it was paid."""

    round: int
    box: int
    seat: int
    amount: str


class DoubtRow(ViewModel):
    """A card that a camera was certain of and reads as another one again and again: the pit says which it is.

    `name` lacks `card` and `reason`. `correct` is sent instead, as a fact with rank, suit, name and reason,
    where `table` (the card as the table has it) turns out to be wrong: the camera hears of that, too.
    """

    doubt: int
    text: Words
    was: OpenCard
    seen: OpenCard
    name: NameAct
    correct: CorrectWithoutTruth | None = None
    table: OpenCard | None = None
    picture: str | None = None


class NextSlips(ViewModel):
    """A number for the next fill and the next credit, and the number of the last drop of the day.

    "" where nothing says what it is.
    """

    fill: str
    credit: str
    drop: str
