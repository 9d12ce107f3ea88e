"""What a screen draws: one `TableView`, codes and decimal strings, nothing left to compute.

A face-down card is `{"hidden": true}` and nothing more. Its rank is no input of this module either:
the runtime's snapshots come without it.
"""

from typing import Literal

from pydantic import Field

from controller.acts.money import PayoutKnown
from controller.irregularities import Entered, Release, Way
from controller.ports import DeviceKind
from controller.screens.shapes.acts import CorrectWithoutTruth, DrawAct, FactWithoutRank, NameAct, ScreenAct
from controller.screens.shapes.demo_faults import FaultRow
from controller.screens.shapes.words import HiddenCard, OpenCard, ViewModel, Words


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


Tone = Literal["act", "pay", "take", "push", "stop"]
Icon = Literal["chip", "turn", "draw", "stand", "pay", "take", "push", "ask", "stop", "eye"]
Outcome = Literal[
    "win", "lose", "push", "blackjack", "bust", "surrender", "even_money", "insured", "insurance_lost", "void"
]


class Key(ViewModel):
    """A key of the bottom bar, always in its place; disabled with a reason in `note`.

    `acts` are sent in this order when it is pressed. `opens` names what the screen does itself instead.
    The first of `hotkeys` stands in the corner of the key. Left to itself a key has the label of its name,
    and Enter is the main one.
    """

    key: str
    label: Words = Field(default_factory=lambda known: Words(code=f"key.{known['key']}"))
    enabled: bool = True
    main: bool = False
    pressed: bool | None = None
    hotkeys: tuple[str, ...] = Field(default_factory=lambda known: ("Enter",) if known["main"] else ())
    note: Words | None = None
    acts: tuple[ScreenAct, ...] = ()
    opens: Literal["next", "pad", "clear", "repeat", "amount"] | None = None


class HandView(ViewModel):
    """A box's hand; `total` such as "7/17", "16", "10+?"; `outcome` once the hand has one."""

    hand: int
    cards: tuple[HiddenCard | OpenCard, ...]
    total: str
    blackjack: bool = False
    doubled: bool = False
    active: bool = False
    outcome: Outcome | None = None


class SeatView(ViewModel):
    """A bettor's stake in chips as they lie; `short` says why it is not (yet) a legal stake."""

    seat: int
    stake: str
    chips: tuple[tuple[str, int], ...] = ()
    insurance: str | None = None
    short: Words | None = None


class MoveView(ViewModel):
    """Chips of a bettor that are still to be moved at a box of a settled round."""

    verb: Literal["pay", "take", "push"]
    seat: int
    amount: str


class BoxView(ViewModel):
    """One box: its bettors, what lies in the circle, its hands, and what is still to be moved there.

    `repeat` are the bets of the round before, to be made again. `press` is what a tap on the circle does
    while no bets are taken; it is off with a reason where a tap would mean nothing. `paid` says how what was
    given there is known, by the weakest of its bettors; None where nothing was entered.
    """

    box: int
    stake: str | None
    chips: tuple[tuple[str, int], ...]
    seats: tuple[SeatView, ...]
    hands: tuple[HandView, ...]
    active: bool = False
    handled: bool = False
    voided: bool = False
    moves: tuple[MoveView, ...] = ()
    paid: PayoutKnown | None = None
    repeat: tuple[ScreenAct, ...] = ()
    press: Key | None = None


class DealerView(ViewModel):
    """The dealer's hand as far as it lies open; `total` counts open cards only."""

    cards: tuple[HiddenCard | OpenCard, ...]
    total: str | None
    outcome: Literal["blackjack", "bust"] | None = None


class SettlingStep(ViewModel):
    """A box in the order of settlement: `open`, `now`, `done`, or `none` where nothing lies."""

    box: int
    state: Literal["open", "now", "done", "none"]


class Settling(ViewModel):
    """Progress of the settlement, as the dealer works through the boxes."""

    steps: tuple[SettlingStep, ...]
    done: int
    of: int
    paid: str
    taken: str


class Chip(ViewModel):
    """A kind of chip: value and colours (`face`, `ink`) as the house has them."""

    value: str
    face: str
    ink: str


class Bar(ViewModel):
    """The bottom bar: chips while bets are open, keys, an explaining `info` field, or the settlement."""

    keys: tuple[Key, ...]
    chips: tuple[str, ...] = ()
    info: Words | None = None
    info_note: Words | None = None
    settling: Settling | None = None


class Pad(ViewModel):
    """Which card is it? The tapped `rank` goes into `rank_obs`; `not_a_card`, `face_down` go as they are.

    `guesses` are (rank, per cent) of an unsure reader: marked on the keys, which do nothing else for it.
    `watched`: a place is kept for the camera's picture, so that no key moves when it comes; `picture` is
    where to get it, None where there is none.
    """

    title: Words
    rank_obs: FactWithoutRank
    not_a_card: ScreenAct | None = None
    face_down: ScreenAct | None = None
    guesses: tuple[tuple[str, int], ...] = ()
    watched: bool = False
    picture: str | None = None


class Side(ViewModel):
    """The block at the right of the line: a small title and what comes next."""

    title: Words
    text: Words


class Prompt(ViewModel):
    """What the dealer does now. `amount_for`: what a typed amount means, None where none can be typed."""

    line: Words
    tone: Tone = "act"
    icon: Icon
    detail: tuple[Words, ...] = ()
    chips: tuple[tuple[str, int], ...] = ()
    side: Side | None = None
    bar: Bar
    pad: Pad | None = None
    pad_opens: bool = False
    amount_for: Literal["stake", "insure", "given"] | None = None
    box: int | None = None
    hand: int | None = None
    dealer: bool = False


class LimitsView(ViewModel):
    """Limits for a stake, "0" where there is none."""

    stake_min: str
    stake_max: str
    stake_step: str


ShoeState = Literal["not_entered", "in_use", "run_out", "dealt_out", "void"]
"""Nobody has entered one, cards come out of it, none is left, entered as at its end, nothing may be dealt."""


class ShoeView(ViewModel):
    """The shoe as everybody may know it, and what can be entered for it now.

    `keys` send their acts when they are pressed; `rest` opens the closing count. `burn_due` cards are burned
    next, `burn_later` once the round has ended. What needs the pit is not among the keys.
    """

    state: ShoeState
    decks: int
    burn_due: int
    burn_later: int
    shuffle_due: bool
    keys: tuple[Key, ...]
    rest: Key
    limits: LimitsView


class FeltView(ViewModel):
    """What is printed on the felt and decided by the rules."""

    rules: str
    blackjack_pays: tuple[int, int]
    hits_soft_17: bool
    boxes: int
    decks: int
    back_bets: int


class TableView(ViewModel):
    """Everything that the dealer's and the pit's screen draw after journal entry `seq`.

    `prompts` follow each other on the screen when the dealer presses Next on one that only tells
    (STAND 17, or the first of two things to do at a box); they begin anew whenever `stage` changes.
    `shadow`: the table watches, and stops nothing.
    `sound_percent` is how loud the house has its screens.
    `aside` are cards that fit nowhere and wait for a ruling; `holds_more` and `alerts_more` are not shown,
    of the `unconfirmed_count` payouts without a confirmation the newest are. `draw` lets a card leave a
    simulated shoe, `faults` are those that a simulated table can show, `speed` is how fast it plays: none at
    any other. `slips` are numbers for the next fill and credit; `dealing` is who deals, "" for nobody.
    """

    seq: int
    at_utc_us: int
    mode: Literal["live", "simulation"]
    shadow: bool
    table: str
    currency: str
    round: int
    felt: FeltView
    chips: tuple[Chip, ...]
    sound_percent: int
    boxes: tuple[BoxView, ...]
    dealer: DealerView
    aside: tuple[OpenCard, ...]
    staked: str
    stage: str
    prompts: tuple[Prompt, ...]
    shoe_used: float | None = None
    cut_card: bool = False
    shoe: ShoeView
    slips: NextSlips
    dealing: str
    devices: tuple[DeviceRow, ...] = ()
    holds: tuple[HoldRow, ...] = ()
    holds_more: int = 0
    alerts: tuple[AlertRow, ...] = ()
    alerts_more: int = 0
    doubts: tuple[DoubtRow, ...] = ()
    unconfirmed: tuple[UnconfirmedRow, ...] = ()
    unconfirmed_count: int = 0
    waiting: int = 0
    autoplay: bool | None = None
    draw: DrawAct | None = None
    faults: tuple[FaultRow, ...] = ()
    speed: float | None = None
    editing_by: str | None = None
    notice: Notice | None = None
    by_hand: Pad
