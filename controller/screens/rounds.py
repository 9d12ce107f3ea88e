"""The rounds of the day: rows found by time, number, box, amount or code; one round in detail; pictures."""

import asyncio
import hashlib
import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from controller.domain import MINOR
from controller.engine.state import TableState
from controller.history.history import MINUTE_US, SECOND_US, PhaseName, Row
from controller.ports import PastPicture, PastPictures
from controller.runtime.api import AuditLine, TablePort
from controller.runtime.snapshot import dealer_lies_open
from controller.screens.dealt_rounds import DealtRound, LedgerRow, LiveShift, ledger_rows
from controller.screens.evidence import CardPictures
from controller.screens.sentences import Say, body_of
from controller.screens.words import Money, ViewModel, Word, Words, money, moved, reason_of, say, short

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
    stakes: Money
    house: Money
    difference: Money
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
    house: Money
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


def round_list(tables: Iterable[tuple[LiveShift, str, int]], find: Find, page: int) -> RoundList:
    """The page of this number, counted from 0; rounds of several tables by the time at which they began.

    `tables` are the shift, the name and the number of boxes of each table.
    """
    of = [(one, (table, boxes)) for shift, table, boxes in tables for one in shift.finished]
    of.sort(key=lambda pair: pair[0].began_us)
    played = [one for one, _ in of]
    found = [(one, table) for one, table in reversed(of) if _fits(one, table[0], find)]
    first_open = [pair for pair in found if pair[0].is_open]
    others = [pair for pair in found if not pair[0].is_open]
    shown = others[page * PAGE : (page + 1) * PAGE]
    return RoundList(
        open=tuple(_round_row(one, *at) for one, at in first_open) if page == 0 else (),
        rows=tuple(_round_row(one, *at) for one, at in shown),
        page=page,
        found=len(found),
        rounds=len(played),
        since_utc_us=played[0].began_us if played else 0,
        dealers=tuple(sorted({one.dealer for one in played if one.dealer})),
        shoes=tuple(sorted({one.shoe for one in played})),
        house=moved(sum(one.win for one in played)),
        counts={kind: sum(_is(one, kind) for one in played) for kind in _KINDS},
    )


def _round_row(played: DealtRound, table: str, boxes: int) -> RoundRow:
    """The row of one settled round."""
    # The gravest first.
    said = [
        *_payouts(played),
        *(short(code) for code in dict.fromkeys(played.stops) if code != "WRONG_PAYOUT"),
        *([say("happened.corrected")] if played.ruled else []),
        *([say("happened.dealer_blackjack")] if played.bank == "BJ" else []),
        *([say("happened.dealer_bust")] if played.bank_bust else []),
        *([say("happened.insured")] if played.insured else []),
        *([say("happened.by_hand", count=played.by_hand)] if played.by_hand else []),
    ]
    return RoundRow(
        table=table,
        round=played.number,
        code=code_of(played, table),
        at_utc_us=played.began_us,
        dealer=played.dealer,
        boxes=tuple(_mark(played, box) for box in range(1, boxes + 1)),
        dealer_has=played.bank,
        stakes=money(sum(played.staked.values())),
        house=moved(played.win),
        difference=moved(played.differs),
        open=played.is_open,
        corrected=played.corrected,
        happened=tuple(said[:2]),
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


_ENTRIES_MAX: Final = 500

QUIET: Final = frozenset(
    {"alert_step", "handled", "answered", "ordered", "signed_in", "signed_out", "commanded"}
)
"""Kinds that a round's own sentences leave out."""

STOPS: Final = frozenset({"held", "alert", "trouble"})


class Phase(ViewModel):
    """A part of the round and how long it took."""

    name: PhaseName
    seconds: int


class PhasePace(Phase):
    """The mean of a part over the shift, of the present dealer, and of the median dealer of the shift.

    `dealer` is None when the present dealer has no round, `median` when fewer than two dealers have one.
    """

    dealer: int | None
    median: int | None


class Deed(ViewModel):
    """An entry of the round as a sentence; `box` is the box that it concerns.

    `stops`: the table stopped or alerted people. `differs`: the entered payout differs from the amount due.
    """

    seq: int
    at_utc_us: int
    box: int | None
    text: Words
    differs: bool
    stops: bool


class ChangeRow(ViewModel):
    """The change of a correction: before, after, difference."""

    text: Words
    before: Money
    after: Money
    change: Money


class CorrectionView(ViewModel):
    """A ruling on the round, or a payout that was put right."""

    seq: int
    at_utc_us: int
    by: str
    second: str
    reason: str | Word
    text: Words
    changes: tuple[ChangeRow, ...]


class RoundSheet(ViewModel):
    """The round with its neighbours; `deeds` are in the order in which they happened."""

    row: RoundRow
    shoe: int
    until_utc_us: int
    previous: int | None
    next: int | None
    phases: tuple[Phase, ...]
    money: tuple[LedgerRow, ...]
    house_due: Money
    house_paid: Money
    corrections: tuple[CorrectionView, ...]
    deeds: tuple[Deed, ...]


async def round_sheet(
    shift: LiveShift, table: TablePort, name: str, boxes: int, number: int, *, say: Say
) -> RoundSheet | None:
    """Return the round of this number; None when the day has no such round with a result."""
    played = shift.rounds.get(number)
    if played is None or not played.has_result:
        return None
    lines = await _lines(shift, played, table)
    paid = [played.paid(at) for at in played.staked]
    numbers = [one.number for one in shift.finished]
    place = numbers.index(number)
    staked = sum(played.staked.values())
    by_seq = {line.seq: line for line in lines}
    rulings = shift.history.rows(
        "SELECT * FROM ruling WHERE round = ? AND what <> 'resume' AND NOT undo ORDER BY seq",
        (played.number,),
    )
    told = [_ruling(row, await say(by_seq[row["seq"]])) for row in rulings if row["seq"] in by_seq]
    return RoundSheet(
        row=_round_row(played, name, boxes),
        shoe=played.shoe,
        until_utc_us=played.last_us,
        previous=numbers[place - 1] if place else None,
        next=numbers[place + 1] if place + 1 < len(numbers) else None,
        phases=tuple(
            Phase(name=name, seconds=round(spent)) for name, spent in played.seconds.items() if round(spent)
        ),
        money=ledger_rows(played),
        house_due=moved(played.won),
        house_paid=moved(staked - sum(one for one in paid if one is not None)),
        corrections=(*told, *_put_right(shift, played, by_seq)),
        deeds=tuple([deed for line in lines if (deed := await _deed(line, number, say)) is not None]),
    )


async def _lines(shift: LiveShift, played: DealtRound, table: TablePort) -> list[AuditLine]:
    """The entries about the round: its own in one piece, then those of later rulings one by one."""
    count = min(played.last_seq - played.first_seq + 1, _ENTRIES_MAX)
    lines = list(await table.audit(played.first_seq, max(count, 1)))
    known = {line.seq for line in lines}
    later = shift.history.rows(
        "SELECT seq FROM entry WHERE number = ? AND late ORDER BY seq", (played.number,)
    )
    for seq in sorted({one["seq"] for one in later} - known):
        lines += await table.audit(seq, 1)
    return lines


async def _deed(line: AuditLine, number: int, say: Say) -> Deed | None:
    body = body_of(line)
    if line.kind in QUIET or (line.kind == "payout" and body.get("round") != number):
        return None
    text = await say(line)
    if text is None:
        return None
    box = body.get("box", body.get("params", {}).get("box"))
    return Deed(
        seq=line.seq,
        at_utc_us=line.at_utc_us,
        box=box if isinstance(box, int) else None,
        text=text,
        differs=line.kind == "payout" and body["paid"] != body["expected"],
        stops=line.kind in STOPS,
    )


def _ruling(row: Row, said: Words | None) -> CorrectionView:
    """A ruling with both settlements; before the first one no money moved."""
    # Of a round that waits again nothing is settled now.
    before, after = row["won_before"], row["won_after"] or 0
    return CorrectionView(
        seq=row["seq"],
        at_utc_us=row["us"],
        by=row["by"] or row["role"],
        second=row["second"] or "",
        reason=reason_of(row["reason"]),
        text=said or Words(code="happened.corrected"),
        changes=() if before is None else (_change(Words(code="ui.house_round"), before, after),),
    )


def _put_right(shift: LiveShift, played: DealtRound, by_seq: dict[int, AuditLine]) -> list[CorrectionView]:
    found = []
    for bettor, entered in sorted(played.payments.items()):
        staked = played.staked.get(bettor, 0)
        for before, after in pairwise(entered):
            if before.paid == after.paid:
                continue
            paid = Words(code="ui.box_paid", params={"box": bettor[0]})
            due = played.due(bettor)
            differs = Words(code="ui.box_difference", params={"box": bettor[0]})
            body = body_of(by_seq[after.seq]) if after.seq in by_seq else {}
            # The reason is the author's next note.
            notes = shift.history.rows(
                "SELECT reason FROM entry WHERE number = ? AND obs = 'note' AND seq > ? AND who = ?"
                " ORDER BY seq LIMIT 1",
                (played.number, after.seq, after.by),
            )
            found.append(
                CorrectionView(
                    seq=after.seq,
                    at_utc_us=after.at_utc_us,
                    by=after.by,
                    second=str(body.get("second") or ""),
                    reason=reason_of(str(notes[0]["reason"] or "") if notes else ""),
                    text=Words(code="happened.payout_corrected", params={"box": bettor[0]}),
                    changes=(
                        _change(paid, before.paid - staked, after.paid - staked),
                        _change(differs, before.paid - due, after.paid - due),
                    ),
                )
            )
    return found


def _change(text: Words, before: int, after: int) -> ChangeRow:
    return ChangeRow(text=text, before=moved(before), after=moved(after), change=moved(after - before))


_BEFORE_S: Final = (20, 15, 10, 5, 0)
"""How long before an alert its five pictures were taken."""


class RoundPicture(ViewModel):
    """A camera's picture of a round; `picture` is its path for some seconds."""

    camera: str
    at_utc_us: int
    picture: str


class RoundPictures(ViewModel):
    """The pictures of a round, and why there are none.

    Recording is off, the round is not settled, its face-down card was never turned, or nothing is kept.
    """

    pictures: tuple[RoundPicture, ...] = ()
    none: Literal["off", "unsettled", "unturned", "not_kept"] | None = None


async def round_pictures(
    shift: LiveShift, played: TableState | None, past: PastPictures | None, pictures: CardPictures
) -> RoundPictures:
    """Return the pictures of a round of the shift; `played` is its present state, None when not kept.

    No picture of a round whose face-down card was never turned: the round may have ended by the dealer's
    peek, and the picture would show the lifted corner.
    """
    known = None if played is None else shift.rounds.get(played.book.number)
    why = _why_none(played, past)
    if why in (None, "unturned") and (known is None or not known.has_result):
        return RoundPictures(none="unsettled")
    if past is None or known is None or why is not None:
        return RoundPictures(none=why)
    return _kept(await asyncio.to_thread(past.at, known.settled_us), pictures)


async def alert_pictures(
    shift: LiveShift,
    played: TableState | None,
    past: PastPictures | None,
    pictures: CardPictures,
    *,
    at_us: int,
    now_us: int,
) -> RoundPictures:
    """Return up to five pictures of the seconds before an alert, by its round's first camera, oldest first.

    None while a card of the dealer is face down, and none of the neighbouring rounds: they may show the
    lifted corner of a secret card.
    """
    why = _why_none(played, past)
    known = None if played is None else shift.rounds.get(played.book.number)
    if past is None or known is None or why is not None:
        return RoundPictures(none=why or "not_kept")
    after = shift.rounds.get(known.number + 1)
    ends_us = now_us if after is None else after.began_us
    moments = (min(at_us, ends_us) - seconds * SECOND_US for seconds in _BEFORE_S)
    found = await asyncio.to_thread(lambda: [next(iter(past.at(moment)), None) for moment in moments])
    within = {one.at_utc_us: one for one in found if one and known.began_us <= one.at_utc_us < ends_us}
    return _kept(within.values(), pictures)


def _why_none(
    played: TableState | None, past: PastPictures | None
) -> Literal["off", "unturned", "not_kept"] | None:
    """Return the reason why no picture of a round may be shown; None when one may."""
    if past is None:
        return "off"
    if played is None:
        return "not_kept"
    return None if dealer_lies_open(played.book.rules, played.dealer) else "unturned"


def _kept(found: Iterable[PastPicture], pictures: CardPictures) -> RoundPictures:
    found = tuple(found)
    kept = tuple(
        RoundPicture(camera=one.camera, at_utc_us=one.at_utc_us, picture=path)
        for one, path in zip(found, pictures.keep(one.jpeg for one in found), strict=True)
    )
    return RoundPictures(pictures=kept, none=None if kept else "not_kept")
