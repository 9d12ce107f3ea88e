"""Pictures of a recording's table cameras, a file each, for whoever labels them."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from controller.domain.errors import ConfigError
from controller.journal.upcast import body_of
from controller.recording import entry_codec
from controller.recording.recording_reader import Recorded, Recording
from controller.replay.live.replayed_devices import recorded_config

PICTURES_MAX: Final = 200
"""A person labels no more at one sitting."""

_Picture = tuple[str, int]
"""A camera and when its picture was taken, in nanoseconds of the recording's clock."""


def write_pictures(path: Path, folder: Path, most: int = PICTURES_MAX) -> int:
    """Write each table camera's last picture before every card that was reported, spread over the recording.

    Files are called after camera and milliseconds; only their owner may read them, and what is there already
    stays as it is. Returns how many there are of this recording. A camera at a shoe's mouth sees cards that
    lie face down later: none of its pictures is written.

    Raises `RecordingError`, and `ConfigError` RECORDING_NO_PICTURES where there are none.
    """
    chosen = _chosen(path)
    if not chosen:
        raise ConfigError("RECORDING_NO_PICTURES", path=str(path))
    step = max(len(chosen) / most, 1.0)
    wanted = {chosen[int(at * step)] for at in range(min(len(chosen), most))}
    folder.mkdir(parents=True, exist_ok=True)
    with Recording(path) as recording:
        for recorded in recording:
            if (recorded.source, recorded.mono_ns) in wanted and recorded.kind == "jpeg":
                _write(folder, recorded)
    return len(wanted)


def _chosen(path: Path) -> list[_Picture]:
    """The pictures before each card, in order, each once."""
    with Recording(path) as recording:
        config = recorded_config(recording)
        cameras = set() if config is None else {section.name for section in config.table_cameras}
        return list(dict.fromkeys(_before_cards(recording, cameras)))


def _before_cards(recording: Recording, cameras: set[str]) -> Iterator[_Picture]:
    last: dict[str, int] = {}
    for recorded in recording:
        if recorded.kind == "jpeg" and recorded.source in cameras:
            last[recorded.source] = recorded.mono_ns
        elif recorded.kind == "fact":
            entry = entry_codec.decode(recorded.data, str(recording.path))
            if entry.kind == "fact" and body_of(entry).get("obs") == "card":
                yield from last.items()


def _write(folder: Path, recorded: Recorded) -> None:
    name = re.sub(r"[^\w-]", "_", recorded.source)
    file = folder / f"{name}-{recorded.mono_ns // 1_000_000}.jpg"
    if not file.exists():
        file.touch(mode=0o600)
        file.write_bytes(recorded.data)
