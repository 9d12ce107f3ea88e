"""The recorder's thread: it never holds anybody up, says what it lost, and comes back when the disk does."""

import json
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from controller.ports import Clock, SystemClock
from controller.recording.format import RecordedSession, RecordingError, decode_entry
from controller.recording.recorder import RETRY_NS, QueuedMessage, Recorder, RecordingQueue, SessionWriter
from controller.recording.recording_reader import Recording, segments_in
from controller.recording.segments import RetentionPolicy, SegmentStore
from tests.recording.recording_kit import NO_RESERVE, SOURCES, HandClock, entry

ROOT = Path(__file__).parents[2]


class Told(list[str]):
    """The codes of the warnings, in order."""

    def __call__(self, error: RecordingError) -> None:
        self.append(error.code)


def recorder_in(
    folder: Path,
    told: Told,
    *,
    queue: RecordingQueue | None = None,
    keep: RetentionPolicy = NO_RESERVE,
    clock: Clock | None = None,
) -> Recorder:
    clock = clock or SystemClock()
    session = RecordedSession("T", "EUR", "0.1", "live", clock.utc_us(), clock.mono_ns())
    return Recorder(SessionWriter(SegmentStore(folder, keep), session, SOURCES), clock, told, queue)


def until(holds: Callable[[], bool], timeout_s: float = 60) -> None:
    end_s = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < end_s
        time.sleep(0.01)


def test_what_several_threads_hand_over_is_written_in_each_ones_order(tmp_path: Path) -> None:
    told = Told()
    recorder = recorder_in(tmp_path, told)
    recorder.open()

    def device(name: str) -> None:
        for number in range(300):
            recorder(name, "rx", time.monotonic_ns(), f"{number}".encode())

    threads = [threading.Thread(target=device, args=(name,)) for name in ("a", "b", "c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    recorder.wrote([entry(1), entry(2)])
    recorder.close()
    (path,) = segments_in(tmp_path)
    with Recording(path) as recording:
        found = list(recording)
    for name in ("a", "b", "c"):
        assert [int(one.data) for one in found if one.source == name] == list(range(300))
    assert [json.loads(one.data)["seq"] for one in found if one.kind == "fact"] == [1, 2]
    assert [one.mono_ns for one in found] == sorted(one.mono_ns for one in found)
    assert told == []
    assert recorder.status().messages == 902


def test_a_full_queue_drops_pictures_first_counts_them_and_never_waits(tmp_path: Path) -> None:
    told, queue = Told(), RecordingQueue(bytes_max=100_000, items_max=200)
    recorder = recorder_in(tmp_path, told, queue=queue)
    for _ in range(30):
        recorder("camera", "jpeg", time.monotonic_ns(), bytes(10_000))
    for _ in range(50):
        recorder("shoe", "rx", time.monotonic_ns(), bytes(100))
    assert queue.dropped() == {"jpeg": 23}
    recorder.open()
    until(lambda: recorder.status().messages == 57)
    recorder.close()
    assert recorder.status().dropped == 23
    assert told == ["RECORDING_DROPS"]


def test_a_queue_is_limited_in_messages_too() -> None:
    queue = RecordingQueue(items_max=3)
    assert [queue.put(QueuedMessage("rx", "shoe", 0, b"")) for _ in range(5)] == [
        True,
        True,
        True,
        False,
        False,
    ]
    assert len(queue.take()) == 3
    assert queue.put(QueuedMessage("rx", "shoe", 0, b""))


def test_less_free_than_the_journals_reserve_records_nothing_and_says_so(tmp_path: Path) -> None:
    told = Told()
    recorder = recorder_in(tmp_path, told, keep=RetentionPolicy(reserve_bytes=1 << 60))
    recorder.open()
    until(lambda: bool(told))
    recorder("shoe", "rx", time.monotonic_ns(), b"x")
    until(lambda: recorder.status().dropped == 1)
    assert recorder.status().state == "stopped"
    recorder.close()
    assert told == ["RECORDING_DISK_LOW"]
    assert segments_in(tmp_path) == []


def test_a_folder_that_cannot_be_made_is_told_and_the_program_lives(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    told = Told()
    recorder = recorder_in(tmp_path / "taken", told)
    recorder.open()
    until(lambda: bool(told))
    recorder.close()
    assert told == ["RECORDING_FAILED"]


def test_a_second_recorder_in_the_same_folder_says_that_it_is_in_use(tmp_path: Path) -> None:
    told = Told()
    first, second = recorder_in(tmp_path, Told()), recorder_in(tmp_path, told)
    first.open()
    first("shoe", "rx", time.monotonic_ns(), b"x")
    until(lambda: first.status().messages == 1)
    second.open()
    until(lambda: bool(told))
    second.close()
    first.close()
    assert told == ["RECORDING_IN_USE"]
    assert len(segments_in(tmp_path)) == 1


def test_a_full_disk_stops_the_recording_and_room_brings_it_back(tmp_path: Path) -> None:
    """The limit of a file's size stands in for the disk: writes fail in the middle of a message.

    The clock stands still, so that the recorder tries again when the test says so and not in between: an
    entry that arrives in the very turn in which the disk comes back is a message of the new segment, and
    not in its history.
    """
    told, clock = Told(), HandClock()
    recorder = recorder_in(tmp_path, told, clock=clock)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, hard))
    try:
        recorder.open()
        for _ in range(50):
            recorder("camera", "jpeg", clock.mono_ns(), os.urandom(100_000))
        until(lambda: bool(told))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    recorder.wrote([entry(1)])
    until(lambda: recorder.status().messages + recorder.status().dropped == 51)
    assert recorder.status().state == "stopped"
    clock.now_ns += RETRY_NS
    until(lambda: recorder.status().state == "recording")
    written = recorder.status().messages
    recorder.wrote([entry(2)])
    recorder("shoe", "rx", clock.mono_ns(), b"back")
    until(lambda: recorder.status().messages == written + 2)
    recorder.close()
    assert told == ["RECORDING_DISK_FULL"]
    first, *_, last = segments_in(tmp_path)
    with Recording(first) as cut:
        assert all(len(one.data) == 100_000 for one in cut)
        assert cut.cut
    with Recording(last) as whole:
        found = list(whole)
        assert found[-1].data == b"back"
        assert not whole.cut
        assert whole.history == (entry(1),)
        assert [decode_entry(one.data) for one in found if one.kind == "fact"] == [entry(2)]


CHILD = """
import sys, time
from pathlib import Path
from tests.recording.test_recorder import Told, recorder_in
recorder = recorder_in(Path(sys.argv[1]), Told())
recorder.open()
for number in range(100_000):
    recorder("shoe", "rx", time.monotonic_ns(), f"{number:06}".encode() * 50)
    if number % 20 == 0:
        print(number, recorder.status().messages, flush=True)
    time.sleep(0.001)
"""


def test_a_process_killed_in_the_middle_leaves_a_readable_segment_that_is_kept(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    try:
        while int(child.stdout.readline().split()[1]) < 200:
            pass
        time.sleep(0.3)
    finally:
        child.kill()
    *_, last = child.stdout.read().splitlines()
    child.wait()
    sent, written = map(int, last.split())
    store = SegmentStore(tmp_path, NO_RESERVE)
    store.open()
    (kept,) = store.kept()
    with Recording(kept.path) as recording:
        found = [int(one.data[:6]) for one in recording]
        assert recording.cut
    assert found == list(range(len(found)))
    assert written <= len(found) <= sent + 25
    assert kept.pinned
