"""The checks of a journal: the chain, a second fold of the entries, signatures, and self-proving cuts.

The hash of an entry covers the hash of the one before, so a signed head vouches for all entries before it. A
cut contains unbroken runs of entries, each up to one that a head seals, and no entry between the runs.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from controller.domain import TableError
from controller.journal.copying import entries_of, line_of, write_entry
from controller.journal.entry import GENESIS, BadEntry, Entry, digest
from controller.journal.head_file import Head, read_head, read_note
from controller.journal.heads import (
    ENDING,
    SignedHead,
    checkpoint_in,
    heads_in,
    heads_mark,
    heads_path,
    lines_from,
    root_of,
    runs_of,
)
from controller.journal.store import JournalReader


class EntryCheck(Protocol):
    """Folds the entries again and compares each stored entry with the derived one."""

    def __call__(self, entry: Entry) -> str | None:
        """Take the next entry; a code when it does not follow from those before it."""
        ...

    def end(self) -> str | None:
        """Called after the last entry; a code when an entry is missing that had to follow."""
        ...


class Misfit(NamedTuple):
    """The first entry that does not fit: its sequence and the code of its fault.

    GAP, LINK, HASH, FORM, UNREADABLE: the chain. MISSING: the side file names this entry, the journal lacks
    it. REWRITTEN: the side file has another hash here. Any other code is the check's.
    """

    seq: int
    code: str


class VerifyReport(NamedTuple):
    """The result of a verification. `sound` is False when SQLite finds damage outside the entries.

    `vouched` is False without the side file: then nothing proves that the last entry is the last one.
    `altered` names a missing, changed or foreign table, view or trigger, "" without one.
    """

    path: str
    entries: int
    head: Head
    misfit: Misfit | None
    sound: bool
    vouched: bool
    altered: str = ""

    @property
    def ok(self) -> bool:
        """Whether no fault was found."""
        return self.misfit is None and self.sound and not self.altered


def verify(path: Path, check: EntryCheck, progress: Callable[[int], None]) -> VerifyReport:
    """Walk the journal to the first entry that does not fit.

    `progress` gets each sequence that was good. Raises `JournalError` where the file is no journal or
    cannot be opened at all.
    """
    noted = read_head(path)
    reader = JournalReader(path)
    try:
        head, misfit = walk(reader.read(), check, progress, noted)
        sound, altered = reader.is_sound(), reader.altered()
    finally:
        reader.close()
    if misfit is None:
        misfit = _ended_early(head, check, noted)
    return VerifyReport(str(path), head.seq, head, misfit, sound, noted is not None, altered)


def walk(
    entries: Iterable[Entry | BadEntry],
    check: EntryCheck,
    progress: Callable[[int], None] = lambda _: None,
    noted: Head | None = None,
) -> tuple[Head, Misfit | None]:
    """Check entries in order; return the last good one, and the fault of the first that does not fit.

    `noted` is the head that a side file vouches for.
    """
    head = Head(0, GENESIS)
    for entry in entries:
        misfit = _judge(entry, check, noted)
        if misfit is not None or isinstance(entry, BadEntry):
            return head, misfit
        head = Head(entry.seq, entry.hash)
        progress(entry.seq)
    return head, None


def _ended_early(head: Head, check: EntryCheck, noted: Head | None) -> Misfit | None:
    """Find out whether something has to follow the last entry."""
    if noted is not None and noted.seq > head.seq:
        return Misfit(head.seq + 1, "MISSING")
    owed = check.end()
    return None if owed is None else Misfit(head.seq + 1, owed)


def _judge(entry: Entry | BadEntry, check: EntryCheck, noted: Head | None) -> Misfit | None:
    if isinstance(entry, BadEntry):
        return Misfit(entry.seq, entry.code)
    if noted is not None and noted.seq == entry.seq and noted.hash != entry.hash:
        return Misfit(entry.seq, "REWRITTEN")
    try:
        code = check(entry)
    except TableError as error:
        code = error.code
    return None if code is None else Misfit(entry.seq, code)


class TakenOver(NamedTuple):
    """The first entry of the machine that took a table over, its key, the two people who answer for it."""

    seq: int
    key: str
    by: str
    second: str


def _taken_over_in(reader: JournalReader) -> Iterator[TakenOver]:
    """Yield each takeover of this journal from a copy, in order; skip other entries."""
    for _, body in reader.of_kind("started"):
        try:
            started = json.loads(body)
            who = started["taken_over"]
            yield TakenOver(who["seq"] + 1, str(started["key"]), str(who["by"]), str(who["second"]))
        except (KeyError, RecursionError, TypeError, ValueError):
            continue


class SignedFault(NamedTuple):
    """A fault of the signatures: `code` names the text `signed.<code>` of the catalogues.

    HEADS_MISSING: there are no heads. HEADS_CUT, line: there are fewer heads than the note vouches for, or
    others. HEAD_FORGED, line: not signed by this key, or not in its place. HEAD_DIFFERS, line and seq: the
    journal has another entry there, or none. KEPT_FORGED, line: a head kept elsewhere is not signed by this
    key. KEPT_DIFFERS, line: it is not beside the journal. KEPT_NONE: no kept head belongs to this journal.
    NOTE_DIFFERS, seq: the note of the end vouches for another entry. UNVOUCHED, seq: nothing is signed from
    this entry on. VOUCHED_SINCE, seq: the table vouches only from this entry on, because an earlier one did
    not fit. TAKEN_OVER, seq: this key's machine continued there from a copy. OTHER_KEY_SINCE, seq: another
    key's machine did, and no copy shows the earlier entries. WITNESS_NONE: this witness has no checkpoint
    with a head of this journal. WITNESS_DIFFERS: the kept heads differ from those that it has signed.
    TWO_HISTORIES, line: a head of another journal of this table and the same hours was kept elsewhere.
    """

    code: str
    line: int = 0
    seq: int = 0


class SignedReport(NamedTuple):
    """The signed part of a journal: the entries up to `seq`, by `heads`; `kept` of them were found elsewhere.

    `code` is the sealed hash of the last head, "" without one; `closed`: it was signed at the program's end.
    `since` is the first entry that the table vouches for, 0 for all. `taken_over` is the machine that
    continued there under another key: its signatures are checked against that key, which this key does not
    vouch for. `witnessed` is the last entry under a head that a witness has signed, 0 for none.
    """

    key: str
    heads: int
    kept: int
    seq: int
    code: str
    closed: bool
    fault: SignedFault | None
    since: int = 0
    taken_over: TakenOver | None = None
    witnessed: int = 0


def verify_signed(path: Path, key: str, kept: Path | None = None, *, witness: str = "") -> SignedReport:
    """Check the files beside a journal, and heads kept elsewhere, against a public key.

    With the public key of a `witness` also its checkpoint, which is beside the file of kept heads. The
    journal's own chain is checked by `verify`. Raises `JournalError` for an unreadable file.
    """
    path = path.resolve()
    reader = JournalReader(path)
    try:
        check = _SignedCheck(reader, path, key)
        check.walk_heads()
        check.compare_kept(kept)
        check.ask_witness(kept, witness)
        check.ask_before(kept)
        check.ask_note()
        check.ask_since()
    finally:
        reader.close()
    last = check.heads[-1] if check.heads else None
    return SignedReport(
        key,
        len(check.heads),
        check.kept,
        check.vouched,
        "" if last is None else last.code,
        last is not None and last.reason == "close",
        check.fault,
        check.since,
        check.taken,
        check.witnessed,
    )


class _SignedCheck:
    """Goes on until the first fault."""

    def __init__(self, reader: JournalReader, path: Path, key: str) -> None:
        self._reader, self._path, self._key = reader, path, key
        self._beside = key
        """The key of the machine that the journal lies at."""
        self.taken: TakenOver | None = None
        self.heads: list[SignedHead] = []
        self.kept, self.vouched, self.since, self.witnessed = 0, 0, 0, 0
        self.fault: SignedFault | None = None
        self._kept: dict[int, SignedHead] = {}
        """The heads of this journal that were kept elsewhere, by their line."""

    def walk_heads(self) -> None:
        """Each head in its place, by this key, over the entry that the journal has."""
        if not heads_path(self._path).exists():
            self._fail("HEADS_MISSING")
            return
        for line, head in enumerate(heads_in(heads_path(self._path)), start=1):
            if line == 1 and head is not None:
                self._ask_whose(head)
            if head is None or head.number != line or not self._is_own(head):
                self._fail("HEAD_FORGED", line)
            elif not head.seals(self._reader.hash_at(head.seq)):
                self._fail("HEAD_DIFFERS", line, head.seq)
            if head is None or self.fault is not None:
                return
            self.heads.append(head)
            self.vouched, self.since = head.seq, max(self.since, head.since)
        if not self.heads:
            self._fail("HEADS_MISSING")

    def _ask_whose(self, head: SignedHead) -> None:
        """Accept another machine's key when the journal names its takeover."""
        named = (one for one in _taken_over_in(self._reader) if (one.key, one.seq) == (head.key, head.since))
        self.taken = next(named, None)
        if self.taken is not None:
            self._beside = head.key

    def compare_kept(self, kept: Path | None) -> None:
        """Find each head that was kept elsewhere beside the journal; those of other journals do not count."""
        if kept is None or self.fault is not None:
            return
        beside = {head.number: head._replace(nonce="") for head in self.heads}
        heads = (None if head is None or self._is_before(head) else head for head in heads_in(kept))
        runs = runs_of(heads, self.heads[0].journal)
        # Several days may share one file name; this journal is the day whose heads lie beside it.
        own = [run for run in runs if any(beside.get(head.number) == head for head in run.values())]
        for line, head in ((line, head) for run in own or runs for line, head in run.items()):
            if not self._is_own(head):
                self._fail("KEPT_FORGED", line)
            elif beside.get(head.number) != head:
                self._fail("KEPT_DIFFERS", line)
            self._kept[line] = head
        self.kept = len(self._kept)
        if not self.kept and self._beside == self._key:
            self._fail("KEPT_NONE")
        self._require_one_history({line: head for run in runs for line, head in run.items()})

    def _require_one_history(self, seen: Mapping[int, SignedHead]) -> None:
        """No other journal of this table is of the same hours."""
        times = [head.at_utc_us for head in self._kept.values()]
        for line, head in seen.items():
            if line in self._kept or not self._is_own(head):
                continue
            if min(times) <= head.at_utc_us <= max(times):
                self._fail("TWO_HISTORIES", line)

    def ask_witness(self, kept: Path | None, witness: str) -> None:
        """Check another house's signature: exactly these heads, and no other journal of the same hours."""
        if not witness or self.fault is not None:
            return
        path = None if kept is None else kept.with_suffix(ENDING)
        note = None if path is None or not path.exists() else checkpoint_in(path, witness)
        if kept is None or note is None or note.key != self._beside:
            self._fail("WITNESS_NONE")
            return
        numbered = [
            (number, line, head)
            for number, (line, head) in enumerate(lines_from(kept, 0), start=1)
            if head is not None
        ][: note.size]
        if root_of(line for _, line, _ in numbered) != note.root:
            self._fail("WITNESS_DIFFERS")
            return
        self._compare_witnessed({number: head for number, _, head in numbered})

    def _compare_witnessed(self, seen: Mapping[int, SignedHead]) -> None:
        own = [head for line, head in self._kept.items() if line in seen]
        if not own:
            self._fail("WITNESS_NONE")
            return
        self.witnessed = own[-1].seq
        self._require_one_history(seen)

    def _is_before(self, head: SignedHead) -> bool:
        """Whether the machine before the takeover has signed the head."""
        return self.taken is not None and head.key != self._beside and head.seq < self.taken.seq

    def ask_before(self, kept: Path | None) -> None:
        """Check this key's signatures from before a takeover: its heads are in the copy."""
        if self.taken is None or self._beside == self._key or self.fault is not None:
            return
        if kept is None:
            self._fail("OTHER_KEY_SINCE", seq=self.taken.seq)
            return
        vouched = 0
        for line, head in enumerate(heads_in(kept), start=1):
            if head is not None and head.nonce and head.key == self._key and self._is_before(head):
                if not head.is_genuine:
                    self._fail("KEPT_FORGED", line)
                elif not head.seals(self._reader.hash_at(head.seq)):
                    self._fail("KEPT_DIFFERS", line)
                self.kept, vouched = self.kept + 1, max(vouched, head.seq)
        if not vouched:
            self._fail("KEPT_NONE")
        self._compare_copied(kept, vouched, self.taken.seq)

    def _compare_copied(self, kept: Path, vouched: int, seq: int) -> None:
        """The entries behind the last head of the machine before, up to this one, as the copy has them."""
        for entry in entries_of(kept):
            if entry.seq >= seq:
                break
            if self._reader.hash_at(entry.seq) != entry.hash:
                self._fail("NOTE_DIFFERS", seq=entry.seq)
            vouched = max(vouched, entry.seq)
        if vouched < seq - 1:
            self._fail("UNVOUCHED", seq=vouched + 1)

    def ask_note(self) -> None:
        """Check the entries after the last head, for which the note vouches.

        A running table may write meanwhile: its note, read after the end, is never behind it.
        """
        end = self._reader.last_seq()
        note = read_note(self._path)
        if note is not None and note.genuine and note.key == self._beside:
            if note.heads is not None and heads_mark(self._path, note.heads.seq) != note.heads:
                self._fail("HEADS_CUT", line=note.heads.seq)
            self._vouch(note.head)
            if self._reader.hash_at(note.following.seq) == note.following.hash:
                self._vouch(note.following)
        if self.vouched < end:
            self._fail("UNVOUCHED", seq=self.vouched + 1)

    def ask_since(self) -> None:
        """Report an earlier doubt of the table: no later signature covers the entries before it."""
        if self.taken is not None and self.since == self.taken.seq:
            if self._beside == self._key:
                self._fail("TAKEN_OVER", seq=self.since)
        elif self.since:
            self._fail("VOUCHED_SINCE", seq=self.since)

    def _vouch(self, head: Head) -> None:
        if head.seq and self._reader.hash_at(head.seq) != head.hash:
            self._fail("NOTE_DIFFERS", seq=head.seq)
        self.vouched = max(self.vouched, head.seq)

    def _is_own(self, head: SignedHead) -> bool:
        return head.key == self._beside and head.is_genuine

    def _fail(self, code: str, line: int = 0, seq: int = 0) -> None:
        self.fault = self.fault or SignedFault(code, line, seq)


class CutProof(NamedTuple):
    """The entries of a proof by their number, and the heads; `broken` is the first line that is neither."""

    entries: Mapping[int, Entry]
    heads: tuple[SignedHead, ...]
    broken: int = 0

    def fault(self, key: str, wanted: Iterable[int]) -> SignedFault | None:
        """Why `key` does not vouch for each of the `wanted` entries: HEAD_FORGED, HEAD_DIFFERS, UNVOUCHED."""
        if self.broken:
            return SignedFault("HEAD_FORGED", line=self.broken)
        for line, head in enumerate(self.heads, start=1):
            if head.key != key or not head.is_genuine:
                return SignedFault("HEAD_FORGED", line=line)
            sealed = self.entries.get(head.seq)
            if sealed is None or not head.seals(sealed.hash):
                return SignedFault("HEAD_DIFFERS", line=line, seq=head.seq)
        vouched = self._vouched()
        first = next((seq for seq in sorted(wanted) if seq not in vouched), None)
        return None if first is None else SignedFault("UNVOUCHED", seq=first)

    def _vouched(self) -> frozenset[int]:
        """The entries from which an unbroken run leads to a head that vouches for them."""
        since = {head.seq: head.since for head in self.heads}
        found: set[int] = set()
        from_seq = 0
        for seq in sorted(self.entries, reverse=True):
            entry, after = self.entries[seq], self.entries.get(seq + 1)
            linked = after is not None and seq + 1 in found and after.prev_hash == entry.hash
            if seq in since:
                from_seq = since[seq]
            if digest(entry) == entry.hash and (linked or seq in since) and seq >= from_seq:
                found.add(seq)
        return frozenset(found)


def prove(entries: Sequence[Entry], heads: Iterable[SignedHead | None], wanted: Iterable[int]) -> bytes:
    """Write the proof of the `wanted` entries; `entries` may leave the table, and begin with number 1.

    An entry without a head yet is written without one: `CutProof.fault` reports it.
    """
    known = {head.seq: head for head in heads if head is not None and head.seq <= len(entries)}
    kept: set[int] = set()
    used: dict[int, SignedHead] = {}
    for seq in wanted:
        sealed = min((one for one in known if one >= seq), default=seq)
        kept.update(range(seq, sealed + 1))
        used.update({sealed: known[sealed]} if sealed in known else {})
    lines = [write_entry(entries[seq - 1]) + b"\n" for seq in sorted(kept)]
    return b"".join([*lines, *(used[seq].line(with_nonce=True).encode() for seq in sorted(used))])


def read_proof(data: bytes) -> CutProof:
    """Read what `prove` has written; nothing is checked yet."""
    entries: dict[int, Entry] = {}
    heads: list[SignedHead] = []
    broken = 0
    for number, line in enumerate(data.splitlines(), start=1):
        match line_of(line):
            case Entry() as entry if entry.seq not in entries:
                entries[entry.seq] = entry
            case SignedHead() as head:
                heads.append(head)
            case _:
                broken = broken or number
    return CutProof(entries, tuple(heads), broken)
