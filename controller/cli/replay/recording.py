"""`stand17 replay RECORDING`: recorded bytes through the live table's drivers and engine once more."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from controller.cli.output import echo
from controller.cli.replay.source import ReplayFinding, ReplaySettings, ReplaySource
from controller.config import load_config
from controller.feed.replay import Json
from controller.i18n import text
from controller.recording import entry_codec
from controller.recording.recording_reader import Recorded, Recording
from controller.replay.live.differences import ReplayDifference, one_line
from controller.replay.live.recording_replayer import COMPARED, NextMessage, RecordingReplayer

_HEX_MAX: Final = 32
"""Bytes of a chunk that a step shows."""

_PRINTED_MAX: Final = 20
"""Differences that are printed in words; `--json` gives all of them."""


@contextmanager
def recording_source(path: Path, settings: ReplaySettings) -> Iterator[ReplaySource]:
    """Open a recording to be played. Raises `TableError` for a file that cannot be."""
    config = None if settings.config is None else load_config(settings.config)
    with Recording(path) as recording:
        replayer = RecordingReplayer(recording, config, _before(settings))
        currency = recording.session.currency
        played = replayer.play()
        yield ReplaySource(
            played, currency, lambda: _findings(replayer), lambda: _summary(recording, replayer)
        )


def _before(settings: ReplaySettings) -> Callable[[NextMessage], None]:
    """Wait until the message is due, or until Enter is pressed."""
    if settings.step:
        return _step
    begun = time.monotonic()

    def wait(moment: NextMessage) -> None:
        if settings.speed:
            time.sleep(max(0.0, begun + moment.t / settings.speed - time.monotonic()))

    return wait


def _step(moment: NextMessage) -> None:
    """Print the next message and wait for Enter; the end of standard input plays the rest."""
    recorded = moment.recorded
    echo(f"{moment.t:10.3f} {recorded.kind:4} {recorded.source or '-':10} {_contents(recorded)}", err=True)
    sys.stdin.readline()


def _contents(recorded: Recorded) -> str:
    match recorded.kind:
        case "rx" | "tx" | "key":
            more = " …" if len(recorded.data) > _HEX_MAX else ""
            return recorded.data[:_HEX_MAX].hex(" ") + more
        case "jpeg":
            return f"{len(recorded.data)} bytes"
        case "fact":
            entry = entry_codec.decode(recorded.data)
            return f"{entry.seq} {entry.actor} {entry.kind} {entry.body.decode('utf-8', 'replace')}"
        case "mark":
            return recorded.data.decode("utf-8", "replace")


def _findings(replayer: RecordingReplayer) -> Iterator[ReplayFinding]:
    """Yield the differences, without the cards of a round whose face-down card was never turned."""
    secret = replayer.secret
    for number, difference in enumerate(replayer.differences):
        found = difference.to_json(secret)
        yield ReplayFinding(found, _sentence(difference, found) if number < _PRINTED_MAX else "")
    left = len(replayer.differences) - _PRINTED_MAX
    if left > 0:
        yield ReplayFinding({}, text("replay.more", {"count": left}))


def _sentence(difference: ReplayDifference, fields: Json) -> str:
    holes: dict[str, str | int] = {
        "t": f"{difference.t:.3f}",
        "device": difference.device,
        "recorded": one_line(fields.get("recorded")),
        "made": one_line(fields.get("made")),
    }
    return text(f"replay.{difference.code}", holes)


def _summary(recording: Recording, replayer: RecordingReplayer) -> tuple[Json, str]:
    """Say how much was played, whether it is as it was, and whether the file is whole."""
    counts, different = replayer.counts, len(replayer.differences)
    whole = not (recording.cut or recording.damaged)
    fields: Json = {
        "type": "recording",
        "messages": {kind: counts[kind] for kind in sorted(counts) if kind != COMPARED},
        "compared": counts[COMPARED],
        "differences": different,
        "seconds": round(replayer.seconds, 3),
        "whole": whole,
    }
    unread = sorted(replayer.unread())
    if unread:
        fields["unread"] = unread
    parts = [
        text("replay.counted", {"messages": sum(fields["messages"].values()), "entries": counts[COMPARED]})
    ]
    if not replayer.at_table:
        parts.append(text("replay.alone"))
    elif not different:
        parts.append(text("replay.equal"))
    if unread:
        parts.append(text("replay.unread", {"names": ", ".join(unread)}))
    if not whole:
        parts.append(text("replay.cut"))
    return fields, " ".join(parts)
