"""What proves a cut of a journal: its entries in unbroken runs, each up to one that a signed head seals.

The hash of an entry covers the hash of the one before, so a head vouches for the whole run in front of it.
Between the runs entries are left out: nobody who holds the cut learns them. The lines are those of a copy.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from controller.journal.checking.verify_signed import SignedFault
from controller.journal.copying.content import line_of
from controller.journal.copying.entry_lines import encode
from controller.journal.entry import Entry, digest
from controller.journal.signed_heads import SignedHead


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

    What no head seals yet goes without one: `CutProof.fault` then says so.
    """
    known = {head.seq: head for head in heads if head is not None and head.seq <= len(entries)}
    kept: set[int] = set()
    used: dict[int, SignedHead] = {}
    for seq in wanted:
        sealed = min((one for one in known if one >= seq), default=seq)
        kept.update(range(seq, sealed + 1))
        used.update({sealed: known[sealed]} if sealed in known else {})
    lines = [encode(entries[seq - 1]) + b"\n" for seq in sorted(kept)]
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
