"""Entries being thought out: a durable ledger and what is to be said in, a proved ledger and its entries out.

Each entry is proved as soon as it is proposed: it is encoded as it will be stored, and folded. A fact that
the policy has decided is adopted with the state that it was decided to; of any other entry the very bytes
are read back. What is folded here is what a restart would fold; nothing is on disk yet.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from controller.domain.errors import JournalError, TableError
from controller.feed.codec import to_json
from controller.journal.entry import GENESIS, Entry, NewEntry, require_writable
from controller.journal.upcast import VERSIONS, Body
from controller.runtime.ledger import DecidedFact, Folded, Ledger, fold, fold_read
from controller.runtime.ledger.evidence import evidence_of


def encoded(body: Body) -> bytes:
    """Write a body as compact UTF-8 JSON, keys in the order given."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def _proved(kind: str, body: Body) -> bytes:
    """Write a body, or raise `JournalError` ENTRY_UNWRITABLE where JSON or UTF-8 has no room for it."""
    try:
        return encoded(body)
    except (RecursionError, TypeError, ValueError) as error:
        raise JournalError("ENTRY_UNWRITABLE", kind=kind) from error


class RefusedByRules(TableError):
    """A fact is refused; the entry that says so stays."""


class Proposal(NamedTuple):
    """An entry that has been proved and not been taken yet."""

    entry: NewEntry
    folded: Folded


class DraftMark(NamedTuple):
    """A place in a draft to come back to: how many proposals it had taken, and its ledger."""

    taken: int
    ledger: Ledger


class Draft:
    """The ledger as it will be, and the entries that lead there."""

    def __init__(self, ledger: Ledger, at_utc_us: int, *, written: bool = True) -> None:
        """Begin at a durable ledger; every entry gets the time `at_utc_us`, microseconds since 1970 UTC.

        `written` is False where no journal will hold the entries: nothing is encoded and read back then.
        """
        self._written = written
        self.ledger: Ledger = ledger
        self.proposals: Final[list[Proposal]] = []
        """What was taken, in order."""
        self.at_utc_us: Final = at_utc_us

    @property
    def entries(self) -> tuple[NewEntry, ...]:
        """What is to be written, in order."""
        return tuple(proposal.entry for proposal in self.proposals)

    def mark(self) -> DraftMark:
        """Remember how far it has come."""
        return DraftMark(len(self.proposals), self.ledger)

    def rewind(self, mark: DraftMark) -> None:
        """Forget what was taken since then."""
        del self.proposals[mark.taken :]
        self.ledger = mark.ledger

    def propose(
        self,
        kind: str,
        body: Body,
        actor: str,
        caused_by: int | None = None,
        decided: DecidedFact | None = None,
    ) -> Proposal:
        """Prove an entry against the ledger without taking it; a fact that is `decided` is adopted as it is.

        Raises what `fold` raises, and `JournalError` ENTRY_UNWRITABLE for what no journal can hold.
        """
        round_id, version = self.ledger.state.book.number, VERSIONS[kind]
        new = NewEntry(
            kind, _proved(kind, body) if self._written else b"", actor, round_id, caused_by, version
        )
        stored = self._as_stored(new)
        if self._written:
            require_writable(new)
            if decided is None:
                return Proposal(new, fold(self.ledger, stored))
        return Proposal(new, fold_read(self.ledger, stored, body, decided))

    def propose_decided(
        self, decided: DecidedFact, proof: Body, actor: str, caused_by: int | None
    ) -> Proposal:
        """Prove a fact as `propose`, with the state that it was decided to; `proof` is of its command."""
        body = {**to_json(decided.observation), **proof} if self._written else proof
        return self.propose("fact", body, actor, caused_by, decided)

    def take(self, proposal: Proposal) -> int:
        """Add a proposal that was made from the present ledger; the sequence that its entry will have."""
        self.proposals.append(proposal)
        self.ledger = proposal.folded.ledger
        return self.ledger.seq

    def take_fact(self, fact: Proposal) -> None:
        """Take a fact, and as entries of their own all that the engine says about it."""
        seq = self.take(fact)
        for notice in fact.folded.notices:
            kind, evidence = evidence_of(notice)
            self.add(kind, evidence, "system:engine", seq)

    def add(self, kind: str, body: Body, actor: str, caused_by: int | None = None) -> int:
        """Propose an entry and take it."""
        return self.take(self.propose(kind, body, actor, caused_by))

    @contextmanager
    def whole_or_nothing(self, but: type[Exception] | tuple[()] = ()) -> Iterator[None]:
        """Take back all that was added inside when it ends with an error; what `but` ends with stays."""
        before = self.mark()
        try:
            yield
        except but:
            raise
        except BaseException:
            self.rewind(before)
            raise

    def _as_stored(self, new: NewEntry) -> Entry:
        """Give the entry as the journal will hold it, but for its hashes, which no fold of it reads."""
        return Entry(
            seq=self.ledger.seq + 1,
            kind=new.kind,
            version=new.version,
            at_utc_us=self.at_utc_us,
            round_id=new.round_id,
            actor=new.actor,
            caused_by=new.caused_by,
            body=new.body,
            prev_hash=GENESIS,
            hash=GENESIS,
        )
