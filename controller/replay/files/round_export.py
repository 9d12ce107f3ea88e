"""The smallest recording that shows one round: cut out of a longer one, and tried before it is kept."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from controller.domain import ConfigError
from controller.outputs import place
from controller.recording import entry_codec
from controller.recording.format import RecordingError
from controller.recording.recording_reader import Recorded, Recording
from controller.recording.segments import SegmentWriter
from controller.replay.files.entry_sources import Clip
from controller.replay.files.feed_files import ROUND_EXPECT, ROUND_FEED, feed_text, json_lines
from controller.replay.history.checkpoint import CHECKPOINT, encode
from controller.replay.history.entries_of_round import RecordedRound, round_feed
from controller.replay.live.differences import ReplayDifference
from controller.replay.live.recorded_layouts import RecordedLayouts
from controller.replay.live.recording_replayer import RecordingReplayer
from controller.replay.live.replayed_devices import mark_of, repeated

_LEAD_NS: Final = 1_000_000_000
"""A card's bytes come less than this before its journal entry."""


class RoundSpan(NamedTuple):
    """The place of a round in a clip, in nanoseconds UTC.

    `settled_ns` is the last journal entry of a device before the round, `opened_ns` the last opening of a
    device before that.
    """

    first_ns: int
    last_ns: int
    settled_ns: int
    opened_ns: int


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
        places = _places(found, clip)
        begins = (max(places.first_ns - _LEAD_NS, places.settled_ns), places.opened_ns, 0)
        # A journal alone has no bytes before the round.
        for from_ns in begins if clip.segments else begins[:1]:
            yield _try(found, clip, draft, from_ns, places.last_ns)


def _try(found: RecordedRound, clip: Clip, draft: Path, from_ns: int, until_ns: int) -> ExportedRound:
    """Write the round and play it."""
    draft.unlink(missing_ok=True)
    messages = _write(found, clip, draft, from_ns, until_ns)
    with Recording(draft) as recording:
        showing = RecordingReplayer(recording)
        for _ in showing.play():
            pass
    return ExportedRound(found, messages, tuple(showing.differences))


def _places(found: RecordedRound, clip: Clip) -> RoundSpan:
    seqs = {entry.seq for entry in found.entries}
    times: list[int] = []
    settled_ns = opened_ns = 0
    for recorded in clip._replace(pictures=False).messages():
        if recorded.kind == "fact":
            entry = entry_codec.decode(recorded.data)
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
    return RoundSpan(times[0], times[-1], settled_ns, opened_ns)


def _write(found: RecordedRound, clip: Clip, draft: Path, from_ns: int, until_ns: int) -> int:
    """Write everything between two moments, with the entries of the round alone."""
    seqs = {entry.seq for entry in found.entries}
    session = clip.session._replace(segment=1, layouts=_layouts(found, clip))
    marks: dict[str, Recorded] = {}
    count = 0
    writer = SegmentWriter(draft.parent, draft.stem, session, clip.sources())
    _attach(writer, found)
    for name, data in clip.attached:
        writer.attach(name, "application/jsonl", data)
    for recorded in clip.messages():
        if recorded.utc_ns > until_ns:
            break
        if recorded.utc_ns < from_ns:
            if recorded.kind == "mark":
                marks[recorded.source] = recorded
            continue
        if recorded.kind == "fact" and entry_codec.decode(recorded.data).seq not in seqs:
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
            entry = entry_codec.decode(recorded.data)
            if entry.seq >= found.entries[0].seq:
                break
            layouts.follow(entry)
    return layouts.named


def _attach(writer: SegmentWriter, found: RecordedRound) -> None:
    header, lines, expected = round_feed(found)
    writer.attach(CHECKPOINT, "application/json", encode(found.start))
    writer.attach(ROUND_FEED, "application/jsonl", feed_text(header, lines).encode())
    writer.attach(ROUND_EXPECT, "application/jsonl", json_lines(expected).encode())
