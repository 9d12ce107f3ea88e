"""The journal folded once more, to see whether the stored results follow from the stored facts."""

import json
from collections import deque
from collections.abc import Sequence
from typing import Final

from controller.domain import JournalError, Notice, Refused
from controller.journal.entry import Entry
from controller.journal.upcast import Body, body_of
from controller.policy.state.rounds import round_of, rounds_begun
from controller.runtime.ledger import Folded, Ledger, fold_read, open_ledger
from controller.runtime.ledger.draft import encoded, evidence_of
from controller.runtime.ledger.unread import SetAside

DERIVED: Final = frozenset({"alert", "settled", "adjusted", "disputed"})
"""Kinds of entries that the engine has made from the fact before them."""


class ResultVerifier:
    """An `EntryCheck` that takes entries in order from the first on. Its codes stand in docs/journal.md."""

    def __init__(self, aside: Sequence[SetAside] = ()) -> None:
        """Begin before entry 1; entries set `aside` are on no table, so nothing follows from them."""
        self.aside: Final = tuple(aside)
        self._due: deque[tuple[str, Body]] = deque()
        self.ledger: Ledger | None = None
        """The table after the last entry that fitted; None before the first."""
        self.folded: Folded | None = None
        """What the last entry that fitted led to; None before the second."""
        self.body: Body = {}
        """The body of the entry that was checked last, in today's form."""
        self.settled = 0
        """Settlements derived again so far, those after corrections included."""
        self.derived = b""
        """The body that this program writes for the result that was checked last."""

    @property
    def rounds(self) -> int:
        """The number of the last round that was begun, 0 without any."""
        return 0 if self.ledger is None else rounds_begun(self.ledger.state)

    def __call__(self, entry: Entry) -> str | None:
        """Check one entry; return None when it fits, else the code of its fault.

        Raises `JournalError` for an entry that is not JSON, or of a later program.
        """
        if self.ledger is not None and self.is_aside(entry.seq):
            self.ledger = self.ledger._replace(seq=entry.seq)
            return None
        try:
            return self._check(entry)
        except JournalError:
            raise
        except Exception:  # Whatever a body makes the fold do, it is this entry's.
            return "ENTRY_UNREADABLE"

    def is_aside(self, seq: int) -> bool:
        """Whether the entry of this number was set aside."""
        return bool(self.aside) and any(one.first <= seq <= one.last for one in self.aside)

    def end(self) -> str | None:
        """Check that no result is owed, here or when the journal ends."""
        return "EVIDENCE_MISSING" if self._due else None

    def _check(self, entry: Entry) -> str | None:
        body = self.body = body_of(entry)
        code = self._evidence(entry, body) if entry.kind in DERIVED else self.end()
        if code is not None:
            return code
        if self.ledger is None:
            self.ledger = open_ledger(entry)
            return None
        if entry.kind == "payout" and not self._is_booked_right(self.ledger, body):
            return "EVIDENCE_DIFFERS"
        self.folded = fold_read(self.ledger, entry, body)
        self.ledger = self.folded.ledger
        return self._owe(self.folded.notices)

    def _evidence(self, entry: Entry, body: Body) -> str | None:
        """Compare a stored result with the derived one."""
        if not self._due:
            return "EVIDENCE_UNCAUSED"
        due, result = self._due.popleft()
        self.derived = encoded(result)
        same = self.derived == entry.body or json.loads(self.derived) == body
        if due != entry.kind or not same:
            return "EVIDENCE_DIFFERS"
        self.settled += entry.kind == "settled"
        return None

    def _is_booked_right(self, ledger: Ledger, body: Body) -> bool:
        """Whether a payout's entry contains the amounts due and paid at that moment."""
        within = round_of(ledger.state, body["round"])
        result = None if within is None else within.settlement.result
        if within is None or result is None:
            return False
        bettor = (body["box"], body["seat"])
        due = next((int(bet.returned) for bet in result.bets if (bet.box, bet.seat) == bettor), 0)
        found = next((int(one[2]) for one in within.settlement.paid if one[:2] == bettor), None)
        paid = due if found is None and body["how"] == "computed" else found
        return (body["expected"], body["paid"], body["difference"]) == (due, paid, (paid or 0) - due)

    def _owe(self, notices: tuple[Notice, ...]) -> str | None:
        """Note the entries that must follow a fact."""
        for notice in notices:
            if isinstance(notice, Refused):
                return "FACT_REFUSED"
            self._due.append(evidence_of(notice))
        return None
