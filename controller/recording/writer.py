"""Writing one segment."""

import errno
import os
from collections.abc import Iterable
from contextlib import suppress
from io import BufferedWriter
from pathlib import Path
from typing import Final

from mcap.writer import CompressionType, Writer

from controller.outputs import place
from controller.ports.side_disk import MACHINE_DISK, DiskStream, SideDisk
from controller.recording.format import (
    HISTORY,
    METADATA,
    PARTIAL,
    PROFILE,
    SUFFIX,
    MessageKind,
    RecordedSession,
    RecordedSource,
    to_metadata,
    topic_of,
)
from controller.recording.schemas import SCHEMAS, ChannelSchema, packed

BUFFER_BYTES: Final = 1 << 20
CHUNK_BYTES: Final = 1 << 20
"""The most that a chunk waits for; `flush` ends it sooner."""

MESSAGE_BYTES: Final = 31
"""What a message takes beside its data."""


class SegmentWriter:
    """A segment being written as `NAME.mcap.partial`, readable by its owner alone; `NAME.mcap` once closed.

    Every method raises `OSError` as the disk does; `abandon` then leaves what was written as it is.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        session: RecordedSession,
        sources: Iterable[RecordedSource],
        history: bytes = b"",
        *,
        mono_ns: int | None = None,
        disk: SideDisk = MACHINE_DISK,
    ) -> None:
        """Create the file and write down what it is about; it begins at `mono_ns`, or with the session."""
        self.path: Final = folder / f"{name}{PARTIAL}"
        self.final: Final = folder / f"{name}{SUFFIX}"
        self.size = 0
        """Bytes of messages so far."""
        self._session = session
        self._last_ns = session.utc_ns(session.start_mono_ns if mono_ns is None else mono_ns)
        self._channels: dict[tuple[MessageKind, str], int] = {}
        self._settings = {source.name: dict(source.settings) for source in sources}
        if os.path.lexists(self.final):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(self.final))
        self._disk = disk
        handle = disk.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        self._file = BufferedWriter(DiskStream(disk, self.path, handle), BUFFER_BYTES)
        # A cut costs the last chunk only. Pictures are compressed already: the quicker of two ways is enough.
        self._mcap = Writer(self._file, CHUNK_BYTES, CompressionType.LZ4, enable_data_crcs=True)
        self._schemas: dict[str, int] = {}
        try:
            self._introduce(sources, history)
        except OSError:
            self._drop_file()
            raise

    def write(self, kind: MessageKind, source: str, mono_ns: int, data: bytes) -> None:
        """Add a message; a moment before the last message's is written as that one's."""
        self._last_ns = max(self._last_ns, self._session.utc_ns(mono_ns))
        channel = self._channel(kind, source)
        data = packed(kind, source, self._last_ns, data)
        self._mcap.add_message(channel, self._last_ns, data, self._last_ns)
        self.size += MESSAGE_BYTES + len(data)

    def attach(self, name: str, media_type: str, data: bytes) -> None:
        """Add a file to the segment."""
        self._mcap.add_attachment(self._last_ns, self._last_ns, name, media_type, data)

    def flush(self) -> None:
        """End the chunk and hand it to the system: a process that is killed afterwards has lost nothing.

        The disk is not waited for, here or in `close`: on ext4 each sync of a growing file makes the
        journal's commits wait behind it (measured: 1 s instead of 0.1 s in the worst hundredth).
        """
        self._mcap.flush()  # type: ignore[no-untyped-call]

    def close(self, ended_utc_ns: int | None = None) -> None:
        """End the file, and give it its final name and the time of its end."""
        self._mcap.finish()  # type: ignore[no-untyped-call]
        self._file.close()
        ended_ns = self._last_ns if ended_utc_ns is None else ended_utc_ns
        os.utime(self.path, ns=(ended_ns, ended_ns))
        self._disk.place(self.path, self.final, place)

    def abandon(self) -> None:
        """Give up a file that can no longer be written; never raises."""
        with suppress(OSError):
            self._file.close()
        with suppress(OSError):
            self._disk.place(self.path, self.final, place)

    def _introduce(self, sources: Iterable[RecordedSource], history: bytes) -> None:
        """Write what comes before the first message."""
        self._mcap.start(PROFILE, library=f"stand17 {self._session.program}")
        self._mcap.add_metadata(METADATA, to_metadata(self._session))
        if history:
            self.attach(HISTORY, "application/jsonl", history)
        for source in sources:
            for kind in source.kinds:
                self._channel(kind, source.name)

    def _drop_file(self) -> None:
        """Remove a file that could not even be begun."""
        with suppress(OSError):
            self._file.close()
        with suppress(OSError):
            self._disk.remove(self.path)

    def _channel(self, kind: MessageKind, source: str) -> int:
        known = self._channels.get((kind, source))
        if known is None:
            settings = self._settings.get(source, {})
            schema = SCHEMAS[kind]
            known = self._mcap.register_channel(
                topic_of(kind, source), schema.message_encoding, self._schema(schema), settings
            )
            self._channels[kind, source] = known
        return known

    def _schema(self, schema: ChannelSchema) -> int:
        """Register a schema with its first channel; 0 for a channel without."""
        if not schema.name:
            return 0
        if schema.name not in self._schemas:
            known = self._mcap.register_schema(schema.name, schema.encoding, schema.data)
            self._schemas[schema.name] = known
        return self._schemas[schema.name]
