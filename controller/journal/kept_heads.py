"""Signed heads that were kept elsewhere, held against those beside the journal.

A journal that was put back with everything beside it fits itself; only what it has sent away contradicts it.
One file holds the heads of every journal of that name, one after the other: a run each.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal, NamedTuple

from controller.domain.errors import JournalError
from controller.journal.signed_heads import SignedHead, heads_beside, heads_in
from controller.ports.sources import Trouble

Judgement = Literal["fits", "anew", "cut", "rewritten", "put_back"]
"""What is kept fits · is of earlier journals alone · has heads that are missing beside · has others there ·
goes on with a later journal."""


class KeptJudgement(NamedTuple):
    """How a file of kept heads lies to a journal; `last` is the newest head that contradicts it."""

    code: Judgement
    last: SignedHead | None = None


def judged(kept: Path, journal: Path, public: str) -> KeptJudgement:
    """Hold the heads of a file that this key has signed against those beside a journal.

    Raises `JournalError` HEADS_UNREADABLE; a file that is not there fits.
    """
    runs = _runs(kept, journal.name, public)
    beside = {head.number: head for found in heads_beside(journal) if (head := _own(found, public))}
    own = [run for run in runs if beside.get(run[0].number) == run[0]]
    if not own:
        return KeptJudgement("anew" if runs and not beside else "fits")
    if own[-1] is not runs[-1]:
        return KeptJudgement("put_back", runs[-1][-1])
    missing = [head for head in own[-1] if head.number not in beside]
    other = [head for head in own[-1] if head.number in beside and _contradicts(head, beside[head.number])]
    if other:
        return KeptJudgement("rewritten", other[-1])
    return KeptJudgement("cut", missing[-1]) if missing else KeptJudgement("fits")


def kept_finding(kept: Path, journal: Path, public: str, end: int) -> Trouble | None:
    """What a table has to be held for at its start; `end` is the last entry of its journal, 0 for none.

    Raises `JournalError` JOURNAL_CUT_OFF or JOURNAL_REWRITTEN where it must not be written to.
    """
    found = judged(kept, journal, public)
    last = found.last
    if last is None:
        is_anew = found.code == "anew" and not end
        return Trouble("JOURNAL_BEGUN_ANEW", (("place", str(kept.parent)),)) if is_anew else None
    if found.code == "rewritten":
        raise JournalError("JOURNAL_REWRITTEN", path=str(journal), seq=last.seq)
    if found.code == "cut" and last.seq > end:
        raise JournalError("JOURNAL_CUT_OFF", path=str(journal), found=end, noted=last.seq)
    if found.code == "cut":
        return Trouble("JOURNAL_HEADS_CUT", (("found", last.number - 1), ("vouched", last.number)))
    return Trouble("JOURNAL_PUT_BACK", (("found", end), ("noted", last.seq)))


def _contradicts(head: SignedHead, beside: SignedHead) -> bool:
    """Whether the head of this number beside the journal says otherwise, and vouches for what this one saw.

    Where a disk has lost a head that was kept elsewhere already, a start has held the table for it, and the
    head that took its number vouches only for what came afterwards.
    """
    return beside != head and beside.since <= head.seq


def runs_of(heads: Iterable[SignedHead | None], name: str) -> list[dict[int, SignedHead]]:
    """The heads of each journal of this name by their line, in the order in which they were kept.

    A journal's first head may be missing: the place was not reachable then. Entries only ever become more.
    """
    runs: list[dict[int, SignedHead]] = []
    seq = 0
    for line, head in enumerate(heads, start=1):
        if head is not None and head.journal == name:
            if head.number == 1 or head.seq < seq or not runs:
                runs.append({})
            runs[-1][line], seq = head._replace(nonce=""), head.seq
    return runs


def _runs(kept: Path, name: str, public: str) -> list[list[SignedHead]]:
    """The runs of the heads that this table has signed."""
    heads = (_own(found, public) for found in heads_in(kept)) if kept.exists() else ()
    return [[*run.values()] for run in runs_of(heads, name)]


def _own(head: SignedHead | None, public: str) -> SignedHead | None:
    """The head as it leaves the folder, None where it is not this table's."""
    if head is None or head.key != public or not head.is_genuine:
        return None
    return head._replace(nonce="")
