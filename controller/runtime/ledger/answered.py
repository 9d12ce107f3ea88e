"""The accepted commands of a journal: looked up by id in every state of the table, and shared by them.

A million of them have to fit into the memory of a table and be read back at its start, so the older ones are
packed: a record of fixed length for each, in a bucket that the id's hash names.
"""

import hashlib
from typing import Final, NamedTuple

NEWEST_MAX: Final = 256
"""Commands that are not packed yet. Each state copies these and shares the buckets."""

_BUCKETS: Final = 4096
"""A command of a million is then looked for in 8 kB, and packing 256 copies 2 MB."""

_ID_BYTES: Final = 16
_SEQ_BYTES: Final = 7
_MEANING_BYTES: Final = 8
_RECORD_BYTES: Final = _ID_BYTES + _SEQ_BYTES + 1 + _MEANING_BYTES
"""Hash of the id · sequence · whether a meaning is known · the meaning."""


class GivenAnswer(NamedTuple):
    """The last entry of a command, and the hash of its meaning; "" in journals without it."""

    seq: int
    meaning: str

    def differs_from(self, meaning: str) -> bool:
        """Whether this was another act; an unknown meaning does not differ."""
        return bool(self.meaning) and bool(meaning) and self.meaning != meaning


class AnsweredCommands(NamedTuple):
    """Every accepted command of a journal; a value.

    `buckets` hold the records of the older ones in the order in which they came; () before there are any.
    """

    newest: tuple[tuple[str, GivenAnswer], ...] = ()
    buckets: tuple[bytes, ...] = ()

    def find(self, command_id: str) -> GivenAnswer | None:
        """Return the answer of a command; None when it was never accepted."""
        for known, answer in reversed(self.newest):
            if known == command_id:
                return answer
        return _packed(self.buckets, command_id) if self.buckets else None

    def with_answer(self, command_id: str, seq: int, meaning: str) -> "AnsweredCommands":
        """Add an accepted command; a command with several entries is answered by the last."""
        newest = self.newest[:-1] if self.newest and self.newest[-1][0] == command_id else self.newest
        newest = (*newest, (command_id, GivenAnswer(seq, meaning)))
        if len(newest) < NEWEST_MAX:
            return self._replace(newest=newest)
        return AnsweredCommands((), _with_records(self.buckets, newest))


NO_ANSWERS: Final = AnsweredCommands()


def _with_records(
    buckets: tuple[bytes, ...], commands: tuple[tuple[str, GivenAnswer], ...]
) -> tuple[bytes, ...]:
    changed = list(buckets or (b"",) * _BUCKETS)
    for command_id, answer in commands:
        name = _hashed(command_id)
        changed[_bucket_of(name)] += name + _record(answer)
    return tuple(changed)


def _packed(buckets: tuple[bytes, ...], command_id: str) -> GivenAnswer | None:
    """Look from the end on: the last answer counts. A hash may also lie across two records."""
    name = _hashed(command_id)
    bucket = buckets[_bucket_of(name)]
    at = bucket.rfind(name)
    while at >= 0 and at % _RECORD_BYTES:
        at = bucket.rfind(name, 0, at + _ID_BYTES - 1)
    return None if at < 0 else _answer_in(bucket[at + _ID_BYTES : at + _RECORD_BYTES])


def _record(answer: GivenAnswer) -> bytes:
    meaning = _meaning_bytes(answer.meaning)
    return (
        answer.seq.to_bytes(_SEQ_BYTES) + bytes((meaning is not None,)) + (meaning or bytes(_MEANING_BYTES))
    )


def _answer_in(record: bytes) -> GivenAnswer:
    is_known = record[_SEQ_BYTES]
    return GivenAnswer(
        int.from_bytes(record[:_SEQ_BYTES]), record[_SEQ_BYTES + 1 :].hex() if is_known else ""
    )


def _meaning_bytes(meaning: str) -> bytes | None:
    """Pack what `decision.proof.meaning_hash` wrote; other words differ from each of its hashes."""
    try:
        packed = bytes.fromhex(meaning)
    except (TypeError, ValueError):
        packed = b""
    if len(packed) == _MEANING_BYTES:
        return packed
    return hashlib.blake2b(str(meaning).encode(), digest_size=_MEANING_BYTES).digest() if meaning else None


def _hashed(command_id: str) -> bytes:
    """Return a collision-resistant hash of sixteen bytes for an id."""
    return hashlib.blake2b(str(command_id).encode(), digest_size=_ID_BYTES).digest()


def _bucket_of(name: bytes) -> int:
    return int.from_bytes(name[:2]) % _BUCKETS
