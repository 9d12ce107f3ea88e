"""The evidence of each step of a recording, read in the background on request."""

import threading
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from controller.acts.catalogue import CardSeen
from controller.config import TableConfig
from controller.domain import TableError
from controller.replay.files.table_file import ReadFile
from controller.replay.live.moments import (
    Moment,
    ReadDifference,
    ReceivedBytes,
    SeenMoment,
    compare_settings,
    recorded_times,
    seen_moments,
)
from controller.runtime.contradictions import CameraSight
from controller.runtime.redaction import is_secret
from controller.runtime.snapshot import dealer_lies_open
from controller.screens.evidence import camera_view, report_texts, text_of
from controller.screens.words import described
from controller.studio.bodies import ReceivedView, SeenCameraView, SeenView
from controller.studio.studio_step import StudioStep


class RecordedSteps:
    """The evidence of one recording's steps; requested on the page's loop, read in a thread of its own."""

    def __init__(self, source: ReadFile, steps: Sequence[StudioStep], away: Sequence[float]) -> None:
        """Prepare the reading; nothing is shown around the times `away` of lines in unfinished rounds.

        Raises `RecordingError` for an unreadable file.
        """
        self._path: Final = Path(source.name)
        times = recorded_times(self._path, source.header.started_at)
        self.cameras: Final = tuple(sorted(times.pictures))
        """The cameras that pictures were recorded of."""
        self._pictures = times.pictures
        self._moment_of: Final = [times.moment(step.taken.line.t) for step in steps]
        secrets = [(times.moment(t), Moment(0, hides_dealer=True, hides_bytes=True), None) for t in away]
        shown = zip(self._moment_of, _hidden(steps), range(len(steps)), strict=True)
        placed = sorted(
            ((at, one, number) for at, one, number in (*shown, *secrets) if at is not None),
            key=lambda found: found[0],
        )
        self._moments: Final = [one._replace(mono_ns=at) for at, one, _ in placed]
        self._numbers: Final = [number for _, _, number in placed]
        self._found: dict[int, SeenMoment] = {}
        self._thread: threading.Thread | None = None
        self._ends = threading.Event()

    def pictured(self, at: int) -> tuple[str, ...]:
        """The cameras of which a picture was recorded since the step before."""
        now = self._moment_of[at]
        if now is None:
            return ()
        since = (self._moment_of[at - 1] if at else None) or 0
        return tuple(
            name
            for name in self.cameras
            if bisect_right(self._pictures[name], now) > bisect_right(self._pictures[name], since)
        )

    def view(self, at: int, picture_path: str, heat_path: str) -> SeenView:
        """Return the evidence of a step; a camera's pictures are at the paths/its place, see `sight`."""
        now = self._moment_of[at]
        if now is None:
            return SeenView(state="none")
        if self._thread is None:
            self._thread = threading.Thread(target=self._read, name="seen", daemon=True)
            self._thread.start()
        found = self._found.get(at)
        if found is None:
            return SeenView(state="reading" if self._thread.is_alive() else "none")
        return SeenView(
            state="ready",
            cameras=tuple(
                SeenCameraView(
                    before_ms=_before_ms(now, one.mono_ns),
                    heat=f"{heat_path}/{number}",
                    view=camera_view(one.sight, f"{picture_path}/{number}"),
                )
                for number, one in enumerate(found.cameras)
            ),
            received=tuple(_received(one, now) for one in found.received),
            hidden=found.hidden,
        )

    def sight(self, at: int, camera: int) -> CameraSight | None:
        """Return a camera's picture of a step, by its place in the view; None without one."""
        found = self._found.get(at)
        if found is None or not 0 <= camera < len(found.cameras):
            return None
        return found.cameras[camera].sight

    def under(self, config: TableConfig) -> Iterator[tuple[int, ReadDifference]]:
        """Yield the devices' differing reports under other settings, each with its step.

        Raises `RecordingError` and `JournalError`.
        """
        for found in compare_settings(self._path, self._moments, config):
            number = self._numbers[found.moment]
            if number is not None:
                yield number, found

    def close(self) -> None:
        """End the reading; its results stay."""
        self._ends.set()

    def _read(self) -> None:
        """Read the recording; an unplayable one yields the part before the fault."""
        seen = seen_moments(self._path, self._moments, self._ends.is_set)
        try:
            for number, one in zip(self._numbers, seen, strict=False):
                if number is not None:
                    self._found[number] = one
        except TableError:
            return


def _hidden(steps: Sequence[StudioStep]) -> Iterator[Moment]:
    """Yield what must be hidden at each step.

    After a round whose face-down card was never turned, bytes stay hidden up to the next card: a line may
    repeat its last ones.
    """
    carries = False
    for step in steps:
        before, after = step.taken.before, step.state
        # A round that is not over may still get its face-down card, and a line tells the next one first.
        closed = step.secret or not step.over
        secret = closed or is_secret(before) or is_secret(after)
        carries = closed or (carries and not isinstance(step.taken.line.obs, CardSeen))
        covers = closed or not dealer_lies_open(after.book.rules, after.dealer)
        yield Moment(0, hides_dealer=covers, hides_bytes=secret or carries)


def _received(chunk: ReceivedBytes, now: int) -> ReceivedView:
    return ReceivedView(
        source=chunk.source,
        before_ms=_before_ms(now, chunk.mono_ns),
        hex=chunk.data.hex(" "),
        text=text_of(chunk.data),
        reports=tuple(words for report in chunk.reports for words in report_texts(report.observations)),
        troubles=tuple(
            described("hold" if one.hold else "alert", one.code, one.params)
            for report in chunk.reports
            for one in report.troubles
        ),
    )


def _before_ms(now: int, then: int) -> int:
    return (now - then) // 1_000_000
