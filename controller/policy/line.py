"""A line at the table's door: its person, its card, and the options of the house."""

from functools import lru_cache
from typing import Final, Literal, NamedTuple, get_args

from controller.acts.catalogue import CardSeen, Observation
from controller.domain import Params

TableRole = Literal["dealer", "pit", "shoe", "camera", "chips", "system"]

StaffRole = Literal["dealer", "supervisor", "pit_manager", "surveillance", "tester", "administrator"]
"""What a person is employed as. A line of the feed knows dealer and pit alone."""

PIT_STAFF: Final[frozenset[StaffRole]] = frozenset(("supervisor", "pit_manager"))
"""Whoever is the pit on a line."""

WANTED: Final = "dealer, dealer:ID, pit, pit:ID, shoe, camera:NAME, chips:NAME or system"
DEVICES: Final[frozenset[TableRole]] = frozenset(("shoe", "camera", "chips"))
PIT_ROLES: Final[frozenset[TableRole]] = frozenset(("pit", "system"))
REPLAY: Final = "replay"
"""The id of the people whom a feed does not name."""


class Person(NamedTuple):
    """A role and the id in it; devices and the system have theirs as well."""

    role: TableRole
    id: str = ""

    def __str__(self) -> str:
        return f"{self.role}:{self.id}" if self.id else self.role


SYSTEM: Final = Person("system")


@lru_cache(maxsize=1024)
def person_named(text: str) -> Person | None:
    """Return the person of a line's `by`; None when the text names no person."""
    role, _, name = text.partition(":")
    if role not in get_args(TableRole):
        return None
    if role in ("shoe", "system"):
        return Person(role) if not name else None  # type: ignore[arg-type]  # checked above
    if role in ("camera", "chips") and not name:
        return None
    return Person(role, name or REPLAY)  # type: ignore[arg-type]  # checked above


class TableLine(NamedTuple):
    """An observation with its person, an optional second person, and its time.

    `mark` names the line in all its effects: a feed's line number, a journal's sequence. `t_ms` counts
    milliseconds from the beginning. `named`: the line itself names its person. `shown`: a camera read it on
    the layout without a report; its decisions are marked as inferred. `unclear`: the reading has two
    meanings, and is asked. `without`: lost devices without which the table is resumed.
    """

    observation: Observation
    by: Person
    mark: int
    t_ms: int = 0
    second: str | None = None
    named: bool = True
    shown: bool = False
    unclear: bool = False
    without: tuple[str, ...] = ()


class Doubt(NamedTuple):
    """A contradiction of two witnesses: the code of the hold, both readings, and the place.

    `card` is the id of the card there, "" without one; `number` is the number of a card without an id.
    """

    code: str
    params: Params
    box: int = -1
    card: str = ""
    number: int = 0


class KeptCard(NamedTuple):
    """A card that waits for the end of a hold or for an answer. `gap_ms`: since the last card.

    `shown` and `unclear` as in `TableLine`. `ruled`: the pit placed it; no question follows.
    """

    card: CardSeen
    by: Person
    mark: int
    gap_ms: int | None = None
    shown: bool = False
    unclear: bool = False
    ruled: bool = False


UnclearPolicy = Literal["mark", "ask"]
RunsOut = Literal["discards", "shoe"]
Mode = Literal["live", "shadow"]
PayoutsBy = Literal["confirm", "enter", "measure"]
"""How a house knows what was given: one tap at each box, an amount typed for it, or a chip source."""


class TableOptions(NamedTuple):
    """The options of a table; the defaults are those of a live table.

    `shoe_runs_out`: when the shoe runs out in a round, the screens ask for a shuffle of the discards (South
    Dakota 20:18:15:28; NSW BJ 17.11) or for a fresh shoe; the table accepts both.
    `card_gap_ms` is in milliseconds; 0: no question. `ask_hit_from` is a hard total; 0: no question.
    `shuffle_watch`: compare the order of the cards with earlier orders; off at a table opened before the
    watch existed. `count_every`: a count is due after this many shoes of uncounted packs; 0: never.
    `count_at_close`: a count is due before the table closes. `float_check`: a closing count that differs
    from the float raises an alert; off at a table opened before the check existed, and in a feed that does
    not ask for it. `payouts` is None at a table opened before the journal had payout entries: it continues
    without them. `mode`: a table in `shadow` records holds and questions, and does not wait.
    """

    stand_on_21: bool = True
    turn_by_card: bool = True
    paid_by_next_bet: bool = True
    unclear: UnclearPolicy = "ask"
    later_hand: UnclearPolicy = "mark"
    card_gap_ms: int = 250
    ask_hit_from: int = 17
    shoe_runs_out: RunsOut = "discards"
    payouts: PayoutsBy | None = "confirm"
    shuffle_watch: bool = True
    count_every: int = 0
    count_at_close: bool = False
    float_check: bool = True
    mode: Mode = "live"


DEFAULT_OPTIONS: Final = TableOptions()
