"""The rounds of the day, a row each: found by time, number, box, amount, dealer or code, and paged."""

import hashlib
import re
from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

from controller.domain import MINOR
from controller.history.shift import MINUTE_US
from controller.screens.shapes.words import Money as Amount
from controller.screens.shapes.words import ViewModel, Words, money, say, short
from controller.screens.shift.dealt_rounds import DealtRound
from controller.screens.shift.reader import LiveShift
from controller.screens.shift.sentences import moved, plain

PAGE: Final = 50
CODE: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's digits: none is taken for another one."""
_CODE_LENGTH: Final = 4
_DAY_MINUTES: Final = 24 * 60

Kind = Literal["differences", "stops", "corrected", "by_hand"]
BoxMark = Literal["empty", "dealt", "differs", "corrected"]

_BOX: Final = re.compile(r"\b(?:box|case|boxe?s?)\s*(\d)\b", re.IGNORECASE)
_TIME: Final = re.compile(r"^(\d{1,2}):(\d{2})$")
_AMOUNT: Final = re.compile(r"^\d+[.,]\d{2}$")


class RoundRow(ViewModel):
    """One round; `boxes` are those of the table in order, `house` is the house's win.

    `difference` is the players' surplus, `happened` are the unusual events of the round.
    """

    table: str
    round: int
    code: str
    at_utc_us: int
    dealer: str
    boxes: tuple[BoxMark, ...]
    dealer_has: str
    stakes: Amount
    house: Amount
    difference: Amount
    open: bool
    corrected: bool
    happened: tuple[Words, ...]


class RoundList(ViewModel):
    """A page of rounds: `open` are those with a difference that was not accepted, then the newest.

    `found` is the number of matching rounds, `counts` the number per kind; `dealers` and `shoes` are those of
    the day.
    """

    open: tuple[RoundRow, ...]
    rows: tuple[RoundRow, ...]
    page: int
    found: int
    rounds: int
    since_utc_us: int
    dealers: tuple[str, ...]
    shoes: tuple[int, ...]
    house: Amount
    counts: dict[Kind, int]


class Find(NamedTuple):
    """A search: words that must all match, a kind of round, one dealer or shoe.

    `minutes` is the offset of the reader's clock from UTC.
    """

    text: str = ""
    kind: Kind | None = None
    dealer: str = ""
    shoe: int | None = None
    minutes: int = 0


class ListedTable(NamedTuple):
    """A table whose rounds are listed, with the number of its boxes."""

    shift: LiveShift
    table: str
    boxes: int


def round_list(tables: Iterable[ListedTable], find: Find, page: int) -> RoundList:
    """The page of this number, counted from 0; rounds of several tables by the time at which they began."""
    of = [(one, table) for table in tables for one in table.shift.finished]
    of.sort(key=lambda pair: pair[0].began_us)
    played = [one for one, _ in of]
    found = [(one, table) for one, table in reversed(of) if _fits(one, table.table, find)]
    first_open = [pair for pair in found if pair[0].is_open]
    others = [pair for pair in found if not pair[0].is_open]
    shown = others[page * PAGE : (page + 1) * PAGE]
    return RoundList(
        open=tuple(round_row(one, at.table, at.boxes) for one, at in first_open) if page == 0 else (),
        rows=tuple(round_row(one, at.table, at.boxes) for one, at in shown),
        page=page,
        found=len(found),
        rounds=len(played),
        since_utc_us=played[0].began_us if played else 0,
        dealers=tuple(sorted({one.dealer for one in played if one.dealer})),
        shoes=tuple(sorted({one.shoe for one in played})),
        house=moved(sum(one.win for one in played)),
        counts={kind: sum(_is(one, kind) for one in played) for kind in _KINDS},
    )


def round_row(played: DealtRound, table: str, boxes: int) -> RoundRow:
    """The row of one settled round."""
    return RoundRow(
        table=table,
        round=played.number,
        code=code_of(played, table),
        at_utc_us=played.began_us,
        dealer=played.dealer,
        boxes=tuple(_mark(played, box) for box in range(1, boxes + 1)),
        dealer_has=played.bank,
        stakes=plain(sum(played.staked.values())),
        house=moved(played.win),
        difference=moved(played.differs),
        open=played.is_open,
        corrected=played.corrected,
        happened=tuple(_happened(played)),
    )


def code_of(played: DealtRound, table: str) -> str:
    """A short name of a round that no other one near it has: for a call, a slip, a search."""
    digest = hashlib.sha256(f"{table} {played.number} {played.began_us}".encode()).digest()
    return "".join(CODE[byte % len(CODE)] for byte in digest[:_CODE_LENGTH])


def _mark(played: DealtRound, box: int) -> BoxMark:
    bettors = [bettor for bettor in played.staked if bettor[0] == box]
    if not bettors:
        return "empty"
    if any(played.difference(bettor) for bettor in bettors):
        return "differs"
    put_right = any(len({one.paid for one in played.payments.get(bettor, ())}) > 1 for bettor in bettors)
    return "corrected" if put_right else "dealt"


def _happened(played: DealtRound) -> Iterable[Words]:
    """Return the unusual events of a round, the gravest first; at most two."""
    said = [
        *_payouts(played),
        *(short(code) for code in dict.fromkeys(played.stops) if code != "WRONG_PAYOUT"),
        *([say("happened.corrected")] if played.ruled else []),
        *([say("happened.dealer_blackjack")] if played.bank == "BJ" else []),
        *([say("happened.dealer_bust")] if played.bank_bust else []),
        *([say("happened.insured")] if played.insured else []),
        *([say("happened.by_hand", count=played.by_hand)] if played.by_hand else []),
    ]
    return said[:2]


def _payouts(played: DealtRound) -> Iterable[Words]:
    for (box, _), entered in sorted(played.payments.items()):
        paid, before = entered[-1], [one.paid for one in entered if one.paid != entered[-1].paid]
        due = played.due((box, _))
        if paid.paid != due:
            yield say("happened.differs", box=box, paid=money(paid.paid), due=money(due))
        elif before:
            yield say("happened.put_right", box=box, was=money(before[-1]), paid=money(paid.paid))


_KINDS: Final[tuple[Kind, ...]] = ("differences", "stops", "corrected", "by_hand")


def _is(played: DealtRound, kind: Kind) -> bool:
    match kind:
        case "differences":
            return played.is_open
        case "stops":
            return bool(played.stops)
        case "corrected":
            return played.corrected
        case "by_hand":
            return played.by_hand > 0


def _fits(played: DealtRound, table: str, find: Find) -> bool:
    if find.kind is not None and not _is(played, find.kind):
        return False
    if find.dealer and played.dealer != find.dealer:
        return False
    if find.shoe is not None and played.shoe != find.shoe:
        return False
    boxes = {int(box) for box in _BOX.findall(find.text)}
    dealt = {box for box, _ in played.staked}
    words = _BOX.sub(" ", find.text).replace("·", " ").split()
    return boxes <= dealt and all(_word_fits(played, table, word, boxes, find.minutes) for word in words)


def _word_fits(played: DealtRound, table: str, word: str, boxes: set[int], minutes: int) -> bool:
    """Whether a word is the round's number, time, dealer or code, or an amount at one of these boxes."""
    if word.lower() in (played.dealer.lower(), code_of(played, table).lower()):
        return True  # before all numbers: some codes are digits alone
    if time := _TIME.match(word):
        wanted = int(time[1]) * 60 + int(time[2])
        first, last = (at // MINUTE_US + minutes for at in (played.began_us, played.last_us))
        return any(at % _DAY_MINUTES == wanted for at in range(first, last + 1))
    if _AMOUNT.match(word):
        return int(re.sub("[.,]", "", word)) in _amounts(played, boxes)
    if word.isdecimal():
        return int(word) == played.number or int(word) * MINOR in _amounts(played, boxes)
    return False


def _amounts(played: DealtRound, boxes: set[int]) -> set[int]:
    """Every amount at these boxes, or of the round: staked, due and paid, with the stake and without."""
    found: set[int] = set()
    for bettor, staked in played.staked.items():
        if boxes and bettor[0] not in boxes:
            continue
        backs = [played.due(bettor), *(one.paid for one in played.payments.get(bettor, ()))]
        found |= {staked, played.opening.get(bettor, staked), abs(played.difference(bettor))}
        found |= {*backs, *(abs(back - staked) for back in backs)}
    return found - {0}
