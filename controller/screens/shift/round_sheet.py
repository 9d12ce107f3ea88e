"""One round of the day in detail: its phases, money box by box, corrections, and acts."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from controller.history.history import Row
from controller.history.shift import PhaseName
from controller.runtime.api import AuditLine, TablePort
from controller.screens.shapes.words import Money as Amount
from controller.screens.shapes.words import ViewModel, Word, Words, reason_of
from controller.screens.shift.card_sentences import Say
from controller.screens.shift.dealt_rounds import DealtRound, Payment
from controller.screens.shift.ledger import LedgerRow, ledger_rows
from controller.screens.shift.reader import LiveShift
from controller.screens.shift.round_rows import RoundRow, round_row
from controller.screens.shift.sentences import body_of, moved

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
    before: Amount
    after: Amount
    change: Amount


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
    house_due: Amount
    house_paid: Amount
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
    return RoundSheet(
        row=round_row(played, name, boxes),
        shoe=played.shoe,
        until_utc_us=played.last_us,
        previous=numbers[place - 1] if place else None,
        next=numbers[place + 1] if place + 1 < len(numbers) else None,
        phases=tuple(_phases(played)),
        money=ledger_rows(played),
        house_due=moved(played.won),
        house_paid=moved(staked - sum(one for one in paid if one is not None)),
        corrections=await _corrections(shift, played, lines, say),
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


def _phases(played: DealtRound) -> Iterator[Phase]:
    """The parts of the round that took half a second or more."""
    for name, spent in played.seconds.items():
        if round(spent):
            yield Phase(name=name, seconds=round(spent))


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


async def _corrections(
    shift: LiveShift, played: DealtRound, lines: list[AuditLine], say: Say
) -> tuple[CorrectionView, ...]:
    """Return the rulings and corrected payouts, oldest first, each with its changes."""
    by_seq = {line.seq: line for line in lines}
    rulings = shift.history.rows(
        "SELECT * FROM ruling WHERE round = ? AND what <> 'resume' AND NOT undo ORDER BY seq",
        (played.number,),
    )
    told = [_ruling(row, await say(by_seq[row["seq"]])) for row in rulings if row["seq"] in by_seq]
    return (*told, *_put_right(shift, played, by_seq))


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
            found.append(
                CorrectionView(
                    seq=after.seq,
                    at_utc_us=after.at_utc_us,
                    by=after.by,
                    second=str(body.get("second") or ""),
                    reason=reason_of(_remark(shift, played, after)),
                    text=Words(code="happened.payout_corrected", params={"box": bettor[0]}),
                    changes=(
                        _change(paid, before.paid - staked, after.paid - staked),
                        _change(differs, before.paid - due, after.paid - due),
                    ),
                )
            )
    return found


def _remark(shift: LiveShift, played: DealtRound, payment: Payment) -> str:
    """Return the reason of a corrected payout: its author's next note."""
    found = shift.history.rows(
        "SELECT reason FROM entry WHERE number = ? AND obs = 'note' AND seq > ? AND who = ?"
        " ORDER BY seq LIMIT 1",
        (played.number, payment.seq, payment.by),
    )
    return str(found[0]["reason"] or "") if found else ""


def _change(text: Words, before: int, after: int) -> ChangeRow:
    return ChangeRow(text=text, before=moved(before), after=moved(after), change=moved(after - before))
