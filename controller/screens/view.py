"""The view of a screen: one `TableView` of codes and decimal strings, with nothing left to compute.

A face-down card is `{"hidden": true}` and nothing more. Its rank is no input of this module either:
the runtime's snapshots come without it.
"""

from typing import Literal

from pydantic import Field

from controller.acts.money import PayoutKnown
from controller.irregularities import Entered, Release, Way
from controller.ports import DeviceKind
from controller.screens.acts import CorrectWithoutTruth, DrawAct, FactWithoutRank, NameAct, ScreenAct
from controller.screens.words import FaultRow, HiddenCard, OpenCard, ViewModel, Words


class Notice(ViewModel):
    """Why a press at a keypad or pedal was refused; shown for some seconds. `number` tells them apart."""

    number: int
    device: str
    key: Words
    why: Words


class LastOrder(ViewModel):
    """The pit's last order to a device, and its result: `answer` in words."""

    order: Words
    by: str
    at_utc_us: int
    answer: Words
    done: bool


class DeviceRow(ViewModel):
    """A device, the pit's possible `orders` to it, and the SHA-256 of a camera's deck profile or ""."""

    name: str
    kind: DeviceKind
    state: Literal["live", "stale", "lost"]
    age_ms: int | None
    orders: tuple[str, ...] = ()
    last_order: LastOrder | None = None
    deck: str = ""


class CardReading(ViewModel):
    """One reader's card; `title` names the reader."""

    title: Words
    card: OpenCard


class HoldRow(ViewModel):
    """A reason why the table waits, the role that lifts it, and the permitted ways out.

    `title` names the fault in a few words. The usual way comes first. `rule` is the number of the house's
    rule, `rule_text` its sentence. `round`, `card` (its number in the round, 0 without one), `box` (0 dealer,
    -1 none) and `seat` (for a stake or payout) are the subject. `about`: the subjects of a ruling that
    concern this hold: `round`, `card:NUMBER`, `box:NUMBER`, `bettor:BOX:SEAT`, `hole`. `amends`: the entry
    that is most likely wrong. `two`: a second person must sign. `read` names the reader of the card and its
    certainty; `readings` are those of two contradicting readers.
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
    """A camera's picture of the place when the table was held; `picture` is its path."""

    camera: str
    picture: str


class HeldShoeLine(ViewModel):
    """The shoe's message that a hold concerns, as hex and as text, and its reports to the table."""

    hex: str
    text: str
    reports: tuple[str, ...]


class HeldEvidence(ViewModel):
    """The witnesses' evidence at the beginning of a hold: at least one picture or the line."""

    at_utc_us: int
    pictures: tuple[HeldPicture, ...]
    shoe: HeldShoeLine | None


class AlertRow(ViewModel):
    """Equal unresolved alerts (`alerts`, journal entries); `alert` is the newest.

    They came from `since_utc_us` to `at_utc_us`. `box` -1: no box. `note` names the person to whom it was
    assigned. `held` is the witnesses' evidence at the beginning of its hold.
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
    """A payout without a confirmation; the next bet, or the cleared table, confirms it."""

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
    """The proposed numbers of the next fill and credit, and the number of the day's last drop.

    "" when there is nothing to derive it from.
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

    A press sends `acts` in this order. `opens` names a dialog that the screen opens instead. The first of
    `hotkeys` is shown in the corner of the key. By default a key has the label of its name, and the main key
    has Enter.
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
    """One box: its bettors, the chips in the circle, its hands, and the remaining chip moves.

    `stake` is the round's; `chips` and `seats` are what still lies, without what the dealer has taken.
    `repeat` contains the acts that repeat the last round's bets. `press` is the meaning of a tap on the
    circle while no bets are taken; it is disabled with a reason when a tap has no meaning. `paid` is the
    source of the payouts, the weakest of its bettors; None without an entry.
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
    """The question for a card. The tapped `rank` goes into `rank_obs`; the other acts are sent as is.

    `guesses` are (rank, per cent) of an unsure reader, and only mark the keys. `watched`: a place is reserved
    for the camera's picture, so that no key moves when it comes. `picture` is its path, None without one.
    """

    title: Words
    rank_obs: FactWithoutRank
    not_a_card: ScreenAct | None = None
    face_down: ScreenAct | None = None
    guesses: tuple[tuple[str, int], ...] = ()
    watched: bool = False
    picture: str | None = None


class Side(ViewModel):
    """The block at the right of the line: a small title and the next act."""

    title: Words
    text: Words


class Prompt(ViewModel):
    """The dealer's next act. `amount_for`: the meaning of a typed amount, None when none can be typed."""

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
    """The public state of the shoe, and the possible entries for it.

    `keys` send their acts when pressed; `rest` opens the closing count. `burn_due` cards are burned next,
    `burn_later` after the round. Acts that need the pit have no key.
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
    """The parts of the layout that the rules decide."""

    rules: str
    blackjack_pays: tuple[int, int]
    hits_soft_17: bool
    boxes: int
    decks: int
    back_bets: int


class TableView(ViewModel):
    """The content of the dealer's and the pit's screen after journal entry `seq`.

    The dealer advances through `prompts` with Next, from a prompt that only informs (STAND 17, or the first
    of two acts at a box); they begin anew whenever `stage` changes.
    `shadow`: the table watches, and stops nothing.
    `sound_percent` is the volume of the house's screens.
    `aside` are cards without a place that wait for a ruling. `holds_more` and `alerts_more` count the items
    not shown; of the `unconfirmed_count` payouts without a confirmation the newest are shown. `draw` draws a
    card from a simulated shoe, `faults` are the faults of a simulated table, `speed` is its pace: all three
    are empty at a real table. `slips` are the proposed numbers of the next fill and credit; `dealing` is the
    dealer, "" without one.
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
