"""Words of the table, for all packages: errors, plain text, money, cards, rule sets, notices.

Imports the standard library only, and of that nothing that knows time, chance, files or threads.
"""

import re
from collections.abc import Mapping
from typing import Final, Literal, NamedTuple, NewType, get_args, get_origin, get_type_hints


class TableError(Exception):
    """Anything that a user has to be told.

    `code` names the text `error.<code>` in the catalogues of `controller/i18n`; `params` fill its holes
    and are plain strings or integers.
    """

    def __init__(self, code: str, **params: str | int) -> None:
        """Keep the code and its parameters; no sentence is built here."""
        super().__init__(code, params)
        self.code = code
        self.params = params

    @property
    def where(self) -> str:
        """Place for a person to look at, such as a file and its line; "" where there is none."""
        return ""

    def __str__(self) -> str:
        """Code and parameters, for logs and test output."""
        inner = ", ".join(f"{key}={value}" for key, value in self.params.items())
        return f"{self.code}({inner})"


class DeviceError(TableError):
    """A device could not be opened or was lost; `params` always carries `port` or `name`."""


class JournalError(TableError):
    """The journal cannot be read or written; nothing may be shown until it can."""


class ConfigError(TableError):
    """A configuration, rule file, model or feed is wrong; the program says which and stops."""


UNFIT: Final = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # control characters: they end a line of a log, a header or a terminal's colours
    "\u2028\u2029"  # ends of a line and of a paragraph
    "\u202a-\u202e\u2066-\u2069"  # the direction of writing turned round: "D-17" can look like "71-D"
    "\ud800-\udfff"  # halves of a character, which no file can hold
    "]"
)
"""What no name, note or reason holds."""

WANTED: Final = "text without control characters"


def is_plain(text: str) -> bool:
    """Whether a text can be shown, logged and stored as it is."""
    return UNFIT.search(text) is None


def plain(text: str) -> str:
    """Give a text with a question mark for each character that is not plain."""
    return UNFIT.sub("?", text)


def escaped(text: str, keep: str = "") -> str:
    """Give a text with an escape for each character that is not plain, as JSON has it; `keep` stays.

    A terminal obeys such characters: they erase lines and write others.
    """
    return UNFIT.sub(lambda sign: sign[0] if sign[0] in keep else f"\\u{ord(sign[0]):04x}", text)


def unfit_place(data: object) -> tuple[str, ...] | None:
    """Return the path to the first text or key in JSON data that is not plain; None when all are.

    Without recursion: foreign data may be nested as deeply as the reader allows.
    """
    left: list[tuple[tuple[str, ...], object]] = [((), data)]
    while left:
        way, value = left.pop()
        if isinstance(value, str):
            if not is_plain(value):
                return way
        elif isinstance(value, Mapping):
            left.extend(((*way, str(key)), one) for key, one in value.items())
            if not all(is_plain(str(key)) for key in value):
                return way
        elif isinstance(value, list | tuple):
            left.extend(((*way, str(place)), one) for place, one in enumerate(value))
    return None


Money = NewType("Money", int)
"""An amount in minor units, negative where it is taken away.

A type for the checker only: at run time, in feeds and in journals it is a plain integer. What devices and
people report is an integer, too, until the engine has taken it for an amount.
"""

MINOR: Final = 100
"""Minor units in one unit of the table's currency."""


def decimal(amount_minor: int, digits: int = 2) -> str:
    """An amount in units as a decimal string: 2250 is "22.50", -5 is "-0.05"; of a yen 2250 is "2250"."""
    sign = "-" if amount_minor < 0 else ""
    whole, part = divmod(abs(amount_minor), 10**digits)
    return f"{sign}{whole}.{part:0{digits}d}" if digits else f"{sign}{whole}"


_DIGITS_OF: Final[Mapping[int, str]] = {
    0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
    2: (
        "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD "
        "CDF CHE CHF CHW CNY COP COU CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP "
        "GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL "
        "MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN "
        "QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD "
        "TWD TZS UAH USD USN UYU UZS VED VES WST XCD YER ZAR ZMW ZWG ZWL"
    ),
    3: "BHD IQD JOD KWD LYD OMR TND",
    4: "CLF UYW",
}
"""The currencies by the digits of their minor unit."""

_DIGITS: Final = {code: digits for digits, codes in _DIGITS_OF.items() for code in codes.split()}

CURRENCY_WANTED: Final = "a currency of ISO 4217, such as EUR"


def digits_of(currency: str) -> int | None:
    """Return the digits of a currency's minor unit; None for an unknown currency (ISO 4217)."""
    return _DIGITS.get(currency)


Rank = Literal["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
Suit = Literal["c", "d", "h", "s"]

RANKS: Final[tuple[Rank, ...]] = get_args(Rank)
SUITS: Final[tuple[Suit, ...]] = get_args(Suit)

_RANK: Final[Mapping[str, Rank]] = {rank: rank for rank in RANKS}
_SUIT: Final[Mapping[str, Suit]] = {suit: suit for suit in SUITS}

POINTS: Final[dict[Rank, int]] = {
    **{rank: int(rank) for rank in RANKS if rank.isdigit()},
    "J": 10,
    "Q": 10,
    "K": 10,
    "A": 1,
}
"""Points of each rank, the ace counted low (NL-05, DE-03, SB-16, FR-04, IT-03)."""


class Card(NamedTuple):
    """A physical card as far as it is known; `None` is an unread rank or suit."""

    rank: Rank | None
    suit: Suit | None = None

    def __str__(self) -> str:
        """Short form such as `Ah`, `10`, `?`: for reports and messages, never parsed back."""
        return (self.rank or "?") + (self.suit or "")


def card_named(rank: str | None, suit: str | None) -> Card:
    """Return the card of a reader's labels, None for an unread part; KeyError for an unknown label."""
    return Card(None if rank is None else _RANK[rank], None if suit is None else _SUIT[suit])


HoleCard = Literal["second_down", "first_down", "none"]
PeekOn = Literal["ten_or_ace", "none"]
BlackjackTakes = Literal["all", "original"]
DoubleOn = Literal["any", "9-11", "10-11"]
SplitOn = Literal["value", "rank"]
SplitDraw = Literal["one_by_one", "both"]
InsuranceAmount = Literal["none", "half", "up_to_half"]
Surrender = Literal["none", "late"]
TripleSeven = Literal["none", "drink"]
SettleFrom = Literal["right", "left"]
Rounding = Literal["exact", "player", "house"]
Banker = Literal["house", "rotating"]


class RuleSet(NamedTuple):
    """One house's rules, immutable and hashable. The files in `controller/rules` comment the fields.

    Of those without a comment: `box_max` is the most that may lie on one box before the deal, all bettors
    together (0 = no limit; back bets are cut first); `shuffled_each_round` restarts the composition count
    with every round (NL-01); `packs_allowed` are numbers of packs that the text allows besides `decks`.
    """

    name: str
    decks: int
    burn_cards: int
    hole_card: HoleCard
    peek: PeekOn
    dealer_hits_soft_17: bool
    dealer_blackjack_takes: BlackjackTakes
    blackjack_pays: tuple[int, int]
    double_on: DoubleOn
    soft_double_ace: int
    double_after_split: bool
    split_on: SplitOn
    max_hands: int
    split_aces_one_card: bool
    resplit_aces: bool
    split_21_is_blackjack: bool
    split_draw: SplitDraw
    hit_on_21: bool
    insurance: InsuranceAmount
    insurance_ends_turn: bool
    insure_blackjack: bool
    even_money: bool
    surrender: Surrender
    surrender_after_split: bool
    stake_min: Money
    stake_max: Money
    stake_step: Money
    boxes: int
    back_bets: int
    triple_seven: TripleSeven
    settle_from: SettleFrom
    rounding: Rounding
    banker: Banker
    box_max: Money = Money(0)
    shuffled_each_round: bool = False
    packs_allowed: tuple[int, ...] = ()

    def may_load(self, decks: int) -> bool:
        """Whether a shoe of so many packs is permitted."""
        return decks == self.decks or decks in self.packs_allowed


CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    field: get_args(kind) for field, kind in get_type_hints(RuleSet).items() if get_origin(kind) is Literal
}
"""The words of each field that takes a word."""


Severity = Literal["info", "warning", "critical"]
RoundStatus = Literal["open", "settled", "voided", "disputed"]
BetKind = Literal["main", "insurance"]
Outcome = Literal[
    "win",
    "lose",
    "push",
    "blackjack",
    "bust",
    "surrender",
    "even_money",
    "insured",
    "insurance_lost",
    "void",
]
ShownRank = Rank | Literal["?"]
"""A card of a result; "?" is one that nobody has read."""
Params = tuple[tuple[str, int | str], ...]
"""What fills the holes of a message's text, as (name, value)."""


class Refused(NamedTuple):
    """The rules forbid the act; nothing changed. `params` fill the text `refused.<code>`."""

    code: str
    params: Params = ()


class Alert(NamedTuple):
    """A table fault or contradiction. Rounds count from 1."""

    code: str
    severity: Severity
    round: int
    params: Params = ()


class Part(NamedTuple):
    """One stake of one bettor; `returned` includes the stake handed back."""

    kind: BetKind
    hand: int
    stake: Money
    outcome: Outcome
    returned: Money


class BetResult(NamedTuple):
    """Everything one bettor put up and got back in a round, minor units."""

    box: int
    seat: int
    staked: Money
    returned: Money
    parts: tuple[Part, ...]


class HandResult(NamedTuple):
    """A hand as it lay at the end; `total` is the total that counts."""

    box: int
    hand: int
    cards: tuple[ShownRank, ...]
    total: int


class DealerResult(NamedTuple):
    """The dealer's hand as far as it was shown; `total` counts shown cards only."""

    cards: tuple[ShownRank, ...]
    total: int
    blackjack: bool
    bust: bool


class RoundResult(NamedTuple):
    """A round as the feed prints it."""

    round: int
    status: RoundStatus
    dealer: DealerResult
    bets: tuple[BetResult, ...]
    hands: tuple[HandResult, ...]
    settle_order: tuple[int, ...]
    bonuses: tuple[tuple[int, int, TripleSeven], ...]


class Difference(NamedTuple):
    """A bettor's return and stake, before and after a ruling."""

    box: int
    seat: int
    returned_before: Money
    returned_after: Money
    staked_before: Money
    staked_after: Money


class Adjusted(NamedTuple):
    """A settled round is settled again after a ruling: each bettor whose amounts changed."""

    round: int
    bets: tuple[Difference, ...]


class Disputed(NamedTuple):
    """The round cannot be settled without a ruling; `code` names the first fact that does not fit."""

    round: int
    code: str
    params: Params = ()


class Settled(NamedTuple):
    """A round has a result: settled (for the first time or anew), voided, or ended while in dispute.

    `result.status` says which: "open" where a ruling makes the round wait for a card or decision again.
    """

    result: RoundResult


Notice = Refused | Alert | Settled | Adjusted | Disputed
