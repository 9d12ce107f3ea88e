"""A round that leaves the table: the smallest recording that shows it, and the dispute file with its proof.

A dispute file is such a recording with two more attachments: `rulings.jsonl`, and `proof.jsonl`
(`controller.journal.checking`). `unrecorded.json` says why bytes and pictures are missing.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from controller.acts.catalogue import RULINGS as ACTS_OF_RULING
from controller.acts.catalogue import HoldsLifted, declared
from controller.domain import ConfigError
from controller.feed.codec import parse
from controller.journal.checking import SignedFault, prove, read_proof
from controller.journal.entry import Entry, body_of
from controller.journal.heads import SignedHead
from controller.outputs import place
from controller.recording.format import RecordingError, decode_entry
from controller.recording.recording_reader import Recorded, Recording
from controller.recording.segments import SegmentWriter
from controller.replay.devices import RecordedLayouts, ReplayDifference, mark_of, repeated
from controller.replay.journal_feed import by_of, feed_object_of
from controller.replay.recording_replayer import RecordingReplayer
from controller.replay.round_entries import (
    CHECKPOINT,
    Clip,
    RecordedRound,
    clip_of,
    decode,
    encode,
    entries_of,
    find_round,
    is_recorded,
    journal_clip,
    round_feed,
    segments_of,
)
from controller.replay.shift_file import history_of
from controller.replay.table_file import ROUND_EXPECT, ROUND_FEED, feed_text, json_lines
from controller.runtime.ledger import Ledger, open_ledger
from controller.runtime.restore import follow
from controller.runtime.snapshot import is_released

_LEAD_NS: Final = 1_000_000_000
"""A card's bytes come less than this before its journal entry."""


class ExportedRound(NamedTuple):
    """An exported round: the round, the number of messages, and the differences found by its replay."""

    found: RecordedRound
    messages: int
    differences: tuple[ReplayDifference, ...]


def export_round(cuts: Iterable[tuple[RecordedRound, Clip]], out: Path) -> ExportedRound:
    """Write the recording of a round to `out`, which ends in `.mcap`, readable by its owner alone.

    Begin with as few bytes before the round as possible. When the replay of that differs, begin at the last
    opening of a line, then at the beginning. After those, use the next of `cuts`, which begin with earlier
    rounds. Keep the smallest of those that differ least. Raises `ConfigError` ROUND_NOT_RECORDED, and
    `RecordingError` for an error of the disk.
    """
    try:
        with TemporaryDirectory(dir=out.parent, prefix=f".{out.stem}.") as folder:
            draft = Path(folder) / out.name
            exported = _smallest(cuts, draft)
            place(draft, out)
    except FileExistsError as error:
        raise ConfigError("OUTPUT_EXISTS", path=str(out)) from error
    except OSError as error:
        raise RecordingError(
            "RECORDING_FAILED", path=str(out), reason=error.strerror or str(error)
        ) from error
    return exported


def _smallest(cuts: Iterable[tuple[RecordedRound, Clip]], draft: Path) -> ExportedRound:
    """Write a recording that differs least; see `export_round`."""
    best: ExportedRound | None = None
    kept = draft.with_name(f"least.{draft.name}")
    for tried in _tries(cuts, draft):
        if best is None or len(tried.differences) < len(best.differences):
            best = tried
            draft.replace(kept)
        if not best.differences:
            break
    assert best is not None, "there is one cut at least"
    kept.replace(draft)
    return best


def _tries(cuts: Iterable[tuple[RecordedRound, Clip]], draft: Path) -> Iterator[ExportedRound]:
    """Write one after the other, the smallest first."""
    for found, clip in cuts:
        first_ns, last_ns, settled_ns, opened_ns = _places(found, clip)
        begins = (max(first_ns - _LEAD_NS, settled_ns), opened_ns, 0)
        # A journal alone has no bytes before the round.
        for from_ns in begins if clip.segments else begins[:1]:
            draft.unlink(missing_ok=True)
            messages = _write(found, clip, draft, from_ns, last_ns)
            with Recording(draft) as recording:
                showing = RecordingReplayer(recording)
                for _ in showing.play():
                    pass
            yield ExportedRound(found, messages, tuple(showing.differences))


def _places(found: RecordedRound, clip: Clip) -> tuple[int, int, int, int]:
    """The place of a round in a clip, in nanoseconds UTC: its first and its last entry.

    Then the last journal entry of a device before the round, and the last opening of a device before that.
    """
    seqs = {entry.seq for entry in found.entries}
    times: list[int] = []
    settled_ns = opened_ns = 0
    for recorded in clip._replace(pictures=False).messages():
        if recorded.kind == "fact":
            entry = decode_entry(recorded.data)
            if entry.seq in seqs:
                times.append(recorded.utc_ns)
            elif not times and entry.actor.startswith("device:"):
                settled_ns = recorded.utc_ns
        elif recorded.kind == "mark" and not times:
            mark = mark_of(recorded)
            if mark.state == "live" and not mark.again:
                opened_ns = recorded.utc_ns
    if not times:
        raise ConfigError("ROUND_NOT_RECORDED", round=found.number)
    return times[0], times[-1], settled_ns, opened_ns


def _write(found: RecordedRound, clip: Clip, draft: Path, from_ns: int, until_ns: int) -> int:
    """Write everything between two moments, with the entries of the round alone."""
    seqs = {entry.seq for entry in found.entries}
    session = clip.session._replace(segment=1, layouts=_layouts(found, clip))
    marks: dict[str, Recorded] = {}
    count = 0
    writer = SegmentWriter(draft.parent, draft.stem, session, clip.sources())
    header, lines, expected = round_feed(found)
    writer.attach(CHECKPOINT, "application/json", encode(found.start))
    writer.attach(ROUND_FEED, "application/jsonl", feed_text(header, lines).encode())
    writer.attach(ROUND_EXPECT, "application/jsonl", json_lines(expected).encode())
    for name, data in clip.attached:
        writer.attach(name, "application/jsonl", data)
    for recorded in clip.messages():
        if recorded.utc_ns > until_ns:
            break
        if recorded.utc_ns < from_ns:
            if recorded.kind == "mark":
                marks[recorded.source] = recorded
            continue
        if recorded.kind == "fact" and decode_entry(recorded.data).seq not in seqs:
            continue
        for mark in marks.values():
            writer.write("mark", mark.source, recorded.mono_ns, repeated(mark_of(mark)))
        count += 1 + len(marks)
        marks.clear()
        writer.write(recorded.kind, recorded.source, recorded.mono_ns, recorded.data)
    writer.close()
    return count


def _layouts(found: RecordedRound, clip: Clip) -> str:
    """Name the layouts that the cameras had when the round began: a round carries no journal before it."""
    if not clip.session.layouts or not clip.segments:
        return clip.session.layouts
    with Recording(clip.segments[0]) as recording:
        layouts = RecordedLayouts(recording, replaced=False)
    for recorded in clip._replace(pictures=False).messages():
        if recorded.kind == "fact":
            entry = decode_entry(recorded.data)
            if entry.seq >= found.entries[0].seq:
                break
            layouts.follow(entry)
    return layouts.named


RULINGS: Final = "rulings.jsonl"
PROOF: Final = "proof.jsonl"
_UNRECORDED: Final = "unrecorded.json"


class FiledRuling(BaseModel):
    """A ruling on the round, and the entry that says so; `t` in seconds since the round's first entry.

    `win_before` and `win_after` are as in view `ruling` of the history.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    what: str
    round: int
    t: float
    by: str
    reason: str
    win_before: int | None
    win_after: int | None
    seq: int


class Unrecorded(NamedTuple):
    """Why bytes and pictures of a round are missing, as an error's `code` and `params` say it."""

    code: str
    params: Mapping[str, str | int]


class DisputedRound(NamedTuple):
    """A round as it may leave the table: `released` are the journal's entries up to there."""

    found: RecordedRound
    rulings: tuple[FiledRuling, ...]
    released: tuple[Entry, ...]

    @property
    def seqs(self) -> list[int]:
        """The entries that are to be proved."""
        return sorted({entry.seq for entry in self.found.entries} | {one.seq for one in self.rulings})

    def clip(
        self, recordings: Path, journal_id: str, heads: Sequence[SignedHead | None]
    ) -> tuple[Clip, Unrecorded | None]:
        """The bytes and pictures of the round as far as they are still recorded, with all of its entries.

        The second value says why bytes of the round are missing.
        """
        try:
            clip, missing = self._recorded(recordings, journal_id)
        except (ConfigError, RecordingError) as error:
            clip = journal_clip(self.found.entries, self.found.start)
            missing = Unrecorded(error.code, error.params)
        rulings = "".join(f"{one.model_dump_json()}\n" for one in self.rulings).encode()
        proof = prove(self.released, heads, self.seqs)
        attached = [(RULINGS, rulings), (PROOF, proof)]
        if missing is not None:
            attached.append((_UNRECORDED, json.dumps(missing._asdict()).encode()))
        return clip._replace(attached=tuple(attached)), missing

    def _recorded(self, recordings: Path, journal_id: str) -> tuple[Clip, Unrecorded | None]:
        """Return the recording of the round with the entries that it lacks. Raises without a recording."""
        entries, number = self.found.entries, {"round": self.found.number}
        clip = clip_of(segments_of(recordings), entries, pictures=True)
        if clip.session.journal_id not in {"", journal_id}:
            raise ConfigError("ROUND_NOT_RECORDED", **number)
        facts = (one for one in clip._replace(pictures=False).messages() if one.kind == "fact")
        there = {decode_entry(one.data).seq for one in facts}
        whole = clip._replace(entries=tuple(one for one in entries if one.seq not in there))
        return whole, None if is_recorded(clip.segments, entries) else Unrecorded(
            "ROUND_RECORDED_PARTLY", number
        )


def disputed_round(entries: Sequence[Entry], number: int) -> DisputedRound:
    """Find a round and every ruling on it in a journal's entries.

    Raises `ConfigError` ROUND_NOT_FOUND, and ROUND_FACE_DOWN while a card of it is face down or cards wait:
    nothing of it leaves the table then, since a hash of later entries would reveal the card.
    """
    ledger, end = open_ledger(entries[0]), 1
    before, began_us = ledger, entries[0].at_utc_us
    for entry in entries[1:]:
        before, ledger = ledger, follow(ledger, entry)
        if is_released(ledger.state, ledger.waiting_count):
            end = entry.seq
        if before.state.book.number < number == ledger.state.book.number:
            began_us = entry.at_utc_us
    if end < ledger.seq and ledger.state.book.number == number:
        raise ConfigError("ROUND_FACE_DOWN", round=number)
    released = tuple(entries[:end])
    found = find_round(released, number)
    rulings = _rulings(entries, ledger, number, began_us)
    return DisputedRound(found, tuple(one for one in rulings if one.seq <= end), released)


def _rulings(entries: Sequence[Entry], ledger: Ledger, number: int, began_us: int) -> Iterator[FiledRuling]:
    """The rulings on a round; resumes of its holds, too."""
    by_seq = {entry.seq: entry for entry in entries}
    history = history_of(entries, ledger)
    for row in history.rows("SELECT * FROM ruling WHERE round = ? ORDER BY seq", (number,)):
        words = _words(by_seq[row["seq"]])
        if words is not None:
            what, by, reason = words
            yield FiledRuling(
                what=what,
                round=number,
                t=round((row["us"] - began_us) / 1e6, 3),
                by=by,
                reason=reason,
                win_before=row["won_before"],
                win_after=row["won_after"],
                seq=row["seq"],
            )


def _words(entry: Entry) -> tuple[str, str, str] | None:
    """Return a ruling's name, author and reason; None for another entry."""
    fields = feed_object_of(entry.kind, body_of(entry))
    obs = None if fields is None else parse(fields)
    if obs is None or not isinstance(obs, (*ACTS_OF_RULING, HoldsLifted)):
        return None
    by = str(getattr(obs, "by", None) or by_of(entry.actor, obs))
    return f"{declared(obs).name} {declared(obs).what}".rstrip(), by, str(getattr(obs, "reason", None) or "")


_MISSING: Final = TypeAdapter[Unrecorded | None](Unrecorded | None)


class CheckedDispute(NamedTuple):
    """The signed content of a dispute file: a round's `entries`, and the rulings on it.

    `unrecorded`: why the file lacks bytes and pictures, None when it gives no reason; this is not signed.
    """

    table: str
    round: int
    entries: int
    rulings: tuple[FiledRuling, ...]
    pictures: int
    fault: SignedFault | None
    unrecorded: Unrecorded | None = None


def check_dispute(path: Path, key: str) -> CheckedDispute:
    """Check a dispute file against a table's public key.

    Fault ROUND_DIFFERS: the entries that are played are not all those of the round in the proof. Raises
    `RecordingError`, and `ConfigError` NOT_A_DISPUTE for a recording without a proof.
    """
    with Recording(path) as recording:
        messages = [(one.kind, one.data) for one in recording if one.kind in {"fact", "jpeg"}]
        carried = dict(recording.attachments)
        cut = recording.cut or recording.damaged
    if not carried.keys() >= {CHECKPOINT, RULINGS, PROOF} or cut:
        raise ConfigError("NOT_A_DISPUTE", path=str(path))
    start = decode(carried[CHECKPOINT], str(path))
    number, table = start.number, start.table
    try:
        rulings = tuple(FiledRuling.model_validate_json(one) for one in carried[RULINGS].splitlines())
        missing = _MISSING.validate_json(carried.get(_UNRECORDED, b"null"))
    except ValidationError as error:
        raise ConfigError("NOT_A_DISPUTE", path=str(path)) from error
    proof = read_proof(carried[PROOF])
    played = [decode_entry(data, str(path)) for kind, data in messages if kind == "fact"]
    fault = proof.fault(key, {entry.seq for entry in played} | {one.seq for one in rulings})
    if fault is None:
        # A ruling may name another person or reason than its entry.
        unlike = (
            one.seq for one in rulings if _words(proof.entries[one.seq]) != (one.what, one.by, one.reason)
        )
        fault = _unlike(played, proof.entries, number) or next(
            (SignedFault("ROUND_DIFFERS", seq=seq) for seq in unlike), None
        )
    if fault is None and any(head.table != table for head in proof.heads):
        fault = SignedFault("ROUND_DIFFERS", seq=played[0].seq)
    pictures = sum(kind == "jpeg" for kind, _ in messages)
    return CheckedDispute(table, number, len(played), rulings, pictures, fault, missing)


def _unlike(played: Sequence[Entry], proved: Mapping[int, Entry], number: int) -> SignedFault | None:
    """The first entry that is played and not proved so, or left out between the first and the last."""
    if not played:
        return SignedFault("ROUND_DIFFERS")
    first, last = played[0].seq, played[-1].seq
    there = [proved[seq] for seq in range(first, last + 1) if seq in proved]
    wanted = {entry.seq: entry for entry in entries_of(there, number)}
    have = {entry.seq: entry for entry in played}
    unlike = [seq for seq in sorted(wanted.keys() | have.keys()) if wanted.get(seq) != have.get(seq)]
    gap = [seq for seq in range(first, last + 1) if seq not in proved]
    wrong = min([*unlike, *gap], default=0)
    return SignedFault("ROUND_DIFFERS", seq=wrong) if wrong else None
