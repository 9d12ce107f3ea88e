"""One round in a journal or a recording: the table before it, its entries, its feed, its bytes."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import fields, replace
from heapq import merge
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final, NamedTuple, get_type_hints

from pydantic import TypeAdapter, ValidationError

from controller.domain import ConfigError, Money, RuleSet
from controller.engine.state import NO_HISTORY, Book, Shoe, begin
from controller.feed.codec import parse, to_json
from controller.feed.feed_lines import FeedHeader, FeedLine
from controller.feed.replay import Json, between_rounds, left_open, round_json
from controller.journal.copying import write_entry
from controller.journal.entry import BadEntry, Entry, body_of
from controller.journal.store import JournalReader
from controller.policy import House, TableRun
from controller.policy.holds import Hold
from controller.policy.money import CountedChips, StakeReading
from controller.recording.format import (
    WITHOUT_TABLE,
    RecordedSession,
    RecordedSource,
    RecordingError,
    decode_entry,
)
from controller.recording.recording_reader import Recorded, Recording, segments_in
from controller.replay.journal_feed import FIRST_LINE, carried, feed_object_of, header_of, signed
from controller.rules.loading import with_overrides
from controller.runtime.api import AlertView, HoldView, OrderView, Params
from controller.runtime.ledger import (
    Ledger,
    Opening,
    Waiting,
    all_waiting,
    hold_of,
    hold_view,
    house_before_profiles,
    open_ledger,
    with_devices,
    with_waiting,
)
from controller.runtime.restore import follow

CHECKPOINT: Final = "start.json"
"""Attachment of a recording that begins with a round instead of a journal."""


class RoundCheckpoint(NamedTuple):
    """The content of a ledger between two rounds, without the closed rounds.

    `rules` are those of this round, with the limits in force. `shoe` are the fields of
    `controller.engine.state.Shoe` in their order; older recordings lack the later ones. `waiting` are the
    sequence, actor and feed object of each line that came during a hold. `house` is the house of the table's
    policy, `stakes` the chip sources' readings, `dealer` the present dealer; older recordings lack all three.
    """

    table: str
    currency: str
    rules: RuleSet
    seq: int
    number: int
    shoe: tuple[int | bool, ...]
    chips: tuple[tuple[int, Money], ...]
    bank: int
    shuffle_due: bool
    holds: tuple[HoldView, ...]
    alerts: tuple[AlertView, ...]
    devices: tuple[tuple[str, str], ...]
    excused: tuple[tuple[int, Params], ...]
    orders: tuple[tuple[str, OrderView], ...]
    waiting: tuple[tuple[int, str, dict[str, Any]], ...]
    house: House | None = None
    stakes: tuple[StakeReading, ...] = ()
    dealer: str = ""


_LATER: Final = frozenset(RoundCheckpoint._field_defaults)
"""What older recordings do not say."""

_CHECKPOINT: Final = TypeAdapter(RoundCheckpoint)

_ABOUT: Final = HoldView._fields.index("about")
_ABOUT_FIELDS: Final = Hold._fields.index("since_utc_us")
"""So many fields of a hold stand there: since when and by whom stand beside it."""


def _checkpoint_of(ledger: Ledger) -> RoundCheckpoint:
    """Return the checkpoint of a ledger whose round has no bet and no card yet."""
    book, opening = ledger.state.book, ledger.opening
    shoe = tuple(getattr(ledger.state.shoe, field.name) for field in fields(Shoe))
    return RoundCheckpoint(
        opening.table,
        opening.currency,
        book.rules,
        ledger.seq,
        book.number,
        shoe,
        book.chips,
        book.bank,
        book.shuffle_due,
        tuple([hold_view(hold, opening.house) for hold in ledger.holds]),
        ledger.alerts,
        ledger.devices,
        ledger.excused,
        ledger.orders,
        tuple((arrived.seq, arrived.actor, to_json(arrived.observation)) for arrived in all_waiting(ledger)),
        opening.house if opening.profiled else None,
        ledger.run.chips.stakes,
        ledger.dealer,
    )


def ledger_of(start: RoundCheckpoint) -> Ledger:
    """Build the ledger that a checkpoint describes."""
    house = start.house or house_before_profiles(start.rules.name)
    opening = Opening(start.table, start.rules, start.currency, b"", house, start.house is not None)
    book = Book(
        start.rules,
        start.number,
        shoe_of(start),
        NO_HISTORY,
        start.chips,
        start.bank,
        start.shuffle_due,
    )
    holds = tuple([hold_of(held) for held in start.holds])
    ledger = Ledger(
        start.seq,
        opening,
        TableRun(begin(book), holds, chips=CountedChips(start.stakes)),
        alerts=start.alerts,
        excused=start.excused,
        orders=start.orders,
        dealer=start.dealer,
    )
    for seq, actor, obs in start.waiting:
        ledger = with_waiting(ledger, Waiting(seq, actor, parse(obs)))
    return with_devices(ledger, start.devices)


def shoe_of(start: RoundCheckpoint) -> Shoe:
    """The shoe as it stood, each field in the type that the state declares."""
    kinds = get_type_hints(Shoe)
    found = zip(fields(Shoe), start.shoe, strict=False)
    return Shoe(**{field.name: kinds[field.name](value) for field, value in found})


def encode(start: RoundCheckpoint) -> bytes:
    """Write a checkpoint as a JSON object; nested records are lists in the order of their fields."""
    fields = dict(zip(RoundCheckpoint._fields, _CHECKPOINT.dump_python(start, mode="json"), strict=True))
    for hold in fields["holds"]:
        hold[_ABOUT] = hold[_ABOUT] and hold[_ABOUT][:_ABOUT_FIELDS]
    return json.dumps(fields).encode()


def decode(data: bytes, path: str) -> RoundCheckpoint:
    """Read a checkpoint. Raises `RecordingError` NOT_A_RECORDING naming `path` for anything else."""
    try:
        fields = json.loads(data)
        start = _CHECKPOINT.validate_python(
            [fields[name] for name in RoundCheckpoint._fields if name in fields or name not in _LATER]
        )
        words = {name: value for name, value in start.rules._asdict().items() if name != "name"}
        return start._replace(rules=with_overrides(start.rules, words))
    except (ConfigError, KeyError, TypeError, ValueError, ValidationError) as error:
        raise RecordingError("NOT_A_RECORDING", path=path) from error


class RecordedRound(NamedTuple):
    """A round's entries, the table before them, and the ledger after the last.

    They begin with the round `first`. `ruled_on` is the earliest round that was ruled on meanwhile; where
    that lies before `first`, those rulings are left out.
    """

    number: int
    start: RoundCheckpoint
    entries: tuple[Entry, ...]
    after: Ledger
    first: int
    ruled_on: int


def find_round(entries: Sequence[Entry], number: int, first: int | None = None) -> RecordedRound:
    """Find a round, with the rounds from `first` on. Raises `ConfigError` ROUND_NOT_FOUND with the last.

    It begins with the first act or card, and ends with the cleared table and its effects; later rulings on it
    belong to the round in which they were made.
    """
    first = ruled_on = first or number
    before: Ledger | None = None
    mine: list[Entry] = []
    left: set[int] = set()
    ledger = open_ledger(entries[0])
    for entry in entries[1:]:
        after = follow(ledger, entry)
        if before is None and after.state.book.number == first and _act(entry) not in _OUTSIDE:
            before = ledger._replace(run=replace(ledger.run, state=between_rounds(ledger.state)))
        if before is not None and after.state.book.number > number and not _clears(entry, mine):
            break
        if before is not None:
            kept = _of_round(entry, first, left)
            mine.extend(kept)
            if not kept:
                obs = feed_object_of(entry.kind, body_of(entry)) or {}
                ruled_on = min(ruled_on, obs.get("round") or first)
        ledger = after
    if before is None:
        raise ConfigError("ROUND_NOT_FOUND", round=number, last=ledger.state.book.number)
    return RecordedRound(number, _checkpoint_of(before), tuple(mine), ledger, first, ruled_on)


def entries_of(entries: Iterable[Entry], number: int) -> list[Entry]:
    """Return the entries of a round's span without those about earlier rounds, as `find_round` does."""
    left: set[int] = set()
    return [one for entry in entries for one in _of_round(entry, number, left)]


def _of_round(entry: Entry, number: int, left: set[int]) -> tuple[Entry, ...]:
    """The entry, where it is of this round; else it is noted in `left`.

    Of an earlier round is an unconfirmed payout that is booked after a bet in this one, and a ruling, or what
    follows from it.
    """
    body = body_of(entry)
    booked = entry.kind == "payout" and body.get("how") == "computed" and body["round"] < number
    fields = feed_object_of(entry.kind, body)
    ruled = entry.caused_by in left or (fields is not None and _is_earlier(fields, number))
    if not booked and not ruled:
        return (entry,)
    left.add(entry.seq)
    return ()


_OUTSIDE: Final = frozenset({None, "device", "end"})
"""What begins no round: whatever is no fact, what devices say of themselves, the end of the round before."""


def _act(entry: Entry) -> object:
    return body_of(entry).get("obs") if entry.kind == "fact" else None


def _clears(entry: Entry, mine: Sequence[Entry]) -> bool:
    """Whether an entry clears the table, or follows from an entry that does."""
    if _act(entry) == "end":
        return not mine or _act(mine[-1]) != "end"
    return entry.caused_by is not None and any(
        one.seq == entry.caused_by and _act(one) == "end" for one in mine
    )


def round_feed(found: RecordedRound) -> tuple[FeedHeader, list[FeedLine], list[Json]]:
    """Return the round as a feed of its own, whose first round is round 1, with its expectation.

    The shoe's earlier cards are burned at the beginning, so that the count is right.
    """
    start = found.start
    began_us = found.entries[0].at_utc_us
    setting_up = carried(
        shoe_of(start), start.chips, start.bank, shuffle_due=start.shuffle_due, dealer=start.dealer
    )
    lines = [FeedLine(number, 0.0, obs) for number, obs in enumerate(setting_up, start=FIRST_LINE)]
    for entry in found.entries:
        obs = feed_object_of(entry.kind, body_of(entry))
        if obs is None or _is_earlier(obs, found.first):
            continue
        within = (obs.get("round") or 0) - found.first + 1
        t = max(lines[-1].t if lines else 0.0, (entry.at_utc_us - began_us) / 1e6)
        line = FeedLine(FIRST_LINE + len(lines), t, parse({**obs, "round": within if within > 0 else None}))
        lines.append(signed(line, entry.actor))
    header = header_of(found.after.opening, start.rules, began_us)
    return header, lines, _expected(found)


def _is_earlier(obs: Json, first: int) -> bool:
    """Whether an act rules on a round before the first, which this feed lacks."""
    return (obs.get("round") or first) < first


def _expected(found: RecordedRound) -> list[Json]:
    settled = (body_of(entry) for entry in found.entries if entry.kind == "settled")
    results = {body["round"]: body for body in settled if body["round"] >= found.first}
    left = left_open(found.after.state)
    if left is not None and left.result.round == found.number:
        results[found.number] = round_json(left.result)
    return [{**results[number], "round": number - found.first + 1} for number in sorted(results)]


def journal_entries(path: Path) -> list[Entry]:
    """Read a journal up to the first entry that cannot be trusted. Raises `JournalError`."""
    with closing(JournalReader(path)) as reader:
        found: list[Entry] = []
        for entry in reader.read():
            if isinstance(entry, BadEntry):
                break
            found.append(entry)
        return found


def recorded_entries(path: Path, most: int | None = None) -> list[Entry]:
    """Read the journal that a recording carries, its own entries included, or the first `most` of them.

    Raises `RecordingError`: where it carries none RECORDING_WITHOUT_TABLE, or RECORDING_WITHOUT_JOURNAL if a
    table ran all the same.
    """
    with Recording(path) as recording:
        later = (decode_entry(one.data, str(path)) for one in recording if one.kind == "fact")
        found = list(islice(chain(recording.history_entries(), later), most))
    if not found:
        alone = recording.session.mode == WITHOUT_TABLE
        code = "RECORDING_WITHOUT_TABLE" if alone else "RECORDING_WITHOUT_JOURNAL"
        raise RecordingError(code, path=str(path))
    return found


def segments_of(path: Path) -> list[Path]:
    """Give the segments of a folder that carry the newest one's journal, or the one file.

    Raises `RecordingError` RECORDING_MISSING for a folder without any.
    """
    if not path.is_dir():
        return [path]
    segments = segments_in(path)
    if not segments:
        raise RecordingError("RECORDING_MISSING", path=str(path), reason="-")
    ids = {segment: _journal_id(segment) for segment in segments}
    journal = next((found for found in reversed(ids.values()) if found is not None), None)
    if journal is None:
        raise RecordingError("RECORDING_EMPTY", path=str(path))
    return [segment for segment, found in ids.items() if found == journal]


class Clip(NamedTuple):
    """Segments of one recording, in order, with the journal entries that they lack.

    Without `pictures` only those of a camera at the shoe's mouth stay: they stand for a shoe's bytes.
    `attached` are the names and contents of attached files.
    """

    segments: tuple[Path, ...]
    session: RecordedSession
    pictures: bool = True
    entries: tuple[Entry, ...] = ()
    attached: tuple[tuple[str, bytes], ...] = ()

    def messages(self) -> Iterator[Recorded]:
        """Give every message, on the clock of the first segment's session."""
        return merge(self._journalled(), self._recorded(), key=lambda one: one.utc_ns)

    def _journalled(self) -> Iterator[Recorded]:
        for entry in self.entries:
            utc_ns = entry.at_utc_us * 1000
            yield Recorded("fact", "", self.session.mono_ns(utc_ns), utc_ns, write_entry(entry))

    def _recorded(self) -> Iterator[Recorded]:
        mouth = _mouth(self.session)
        for path in self.segments:
            with Recording(path) as recording:
                for recorded in recording:
                    if self.pictures or recorded.kind != "jpeg" or recorded.source == mouth:
                        yield recorded._replace(mono_ns=self.session.mono_ns(recorded.utc_ns))

    def sources(self) -> list[RecordedSource]:
        """Return the devices with the settings that a replay needs for their drivers."""
        found: dict[str, RecordedSource] = {}
        for path in self.segments:
            with Recording(path) as recording:
                for (kind, name), settings in recording.settings.items():
                    known = found.get(name, RecordedSource(name, (), settings))
                    if name and kind not in known.kinds:
                        found[name] = known._replace(kinds=(*known.kinds, kind))
        return list(found.values())


def _mouth(session: RecordedSession) -> str:
    """Name the camera that has seen the cards, "" where a shoe has read them."""
    try:
        cameras = json.loads(session.config)["camera"]
        return str(next((one["name"] for one in cameras if one.get("profile") == "shoe_mouth"), ""))
    except (AttributeError, KeyError, TypeError, ValueError):
        return ""


def clip_of(segments: Sequence[Path], entries: Sequence[Entry], *, pictures: bool) -> Clip:
    """Choose the segments in which these entries were made, by the journal that each begins with."""
    first, last = entries[0].seq, entries[-1].seq
    ends = [_history_end(segment) for segment in segments]
    nexts = [*ends[1:], last]
    chosen = [
        segment
        for segment, before, after in zip(segments, ends, nexts, strict=True)
        if before < last and after >= first
    ]
    if not chosen:
        raise ConfigError("ROUND_NOT_RECORDED", round=entries[0].round_id or 0)
    return Clip(tuple(chosen), _session(chosen[0]), pictures)


def is_recorded(segments: Sequence[Path], entries: Sequence[Entry]) -> bool:
    """Whether the segments reach back to the first of these entries, which the ring may have dropped."""
    return _history_end(segments[0]) < entries[0].seq


def journal_clip(entries: Sequence[Entry], start: RoundCheckpoint) -> Clip:
    """Make a clip of a journal alone: there are no bytes, everything is taken as it was journalled."""
    begun_us = entries[0].at_utc_us
    session = RecordedSession(start.table, start.currency, "", "live", begun_us, begun_us * 1000)
    return Clip((), session, entries=tuple(entries))


def _journal_id(path: Path) -> str | None:
    """Name the journal of a segment; None for a file that a crash left without a beginning."""
    try:
        return _session(path).journal_id
    except RecordingError:
        return None


def _session(path: Path) -> RecordedSession:
    with Recording(path) as recording:
        return recording.session


def _history_end(path: Path) -> int:
    with Recording(path) as recording:
        return recording.history[-1].seq if recording.history else 0
