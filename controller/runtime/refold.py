"""The table's story once more, to see whether the stored results follow from the stored facts."""

import json
from collections import deque
from typing import Final

from controller.domain.errors import ConfigError
from controller.domain.notices import Refused
from controller.engine import TableState, step
from controller.feed.codec import parse
from controller.journal.entry import Entry
from controller.journal.upcast import Body, body_of
from controller.runtime.draft import encoded
from controller.runtime.evidence import Evidence, evidence_of
from controller.runtime.ledger import open_ledger

DERIVED: Final = frozenset({"alert", "settled", "adjusted", "disputed"})


class Refolder:
    """Takes entries in order; answers with a code for the first that does not follow. See docs/journal.md."""

    def __init__(self) -> None:
        """Begin before entry 1."""
        self._state: TableState | None = None
        self._due: deque[Evidence] = deque()
        self.rounds = 0
        """Settlements derived again so far, those after corrections included."""
        self.derived = b""
        """The body that this program writes for the result that was checked last."""

    def __call__(self, entry: Entry) -> str | None:
        """Check one entry; None when it fits."""
        try:
            return self._checked(entry)
        except (ConfigError, KeyError, TypeError, ValueError):
            return "ENTRY_UNREADABLE"

    def _checked(self, entry: Entry) -> str | None:
        body = body_of(entry)
        if entry.kind in DERIVED:
            return self._evidence(entry.kind, body)
        if self._due:
            return "EVIDENCE_MISSING"
        if self._state is None:
            self._state = open_ledger(entry).state
            return None
        return self._fact(self._state, body) if entry.kind == "fact" else None

    def end(self) -> str | None:
        """Check that nothing is owed when the journal ends."""
        return "EVIDENCE_MISSING" if self._due else None

    def _evidence(self, kind: str, body: Body) -> str | None:
        if not self._due:
            return "EVIDENCE_UNCAUSED"
        due, result = self._due.popleft()
        if (due, json.loads(json.dumps(result))) != (kind, body):
            return "EVIDENCE_DIFFERS"
        self.derived = encoded(result)
        self.rounds += kind == "settled"
        return None

    def _fact(self, state: TableState, body: Body) -> str | None:
        observation = parse({key: value for key, value in body.items() if key != "command"})
        self._state, notices = step(state, observation)
        for notice in notices:
            if isinstance(notice, Refused):
                return "FACT_REFUSED"
            self._due.append(evidence_of(notice))
        return None
