"""`stand17` in a process of its own that is forked off one which has imported all of it already.

A new interpreter spends two to three seconds of processor time on imports. What happens after them is the
same here: an own process, its own exit status, memory limit and end.
"""

import multiprocessing
import os
import resource
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryFile
from types import TracebackType
from typing import IO, Final, NamedTuple, Self

from controller.cli import COMMANDS

ROOT: Final = Path(__file__).resolve().parents[1]
OFTEN: Final = ("demo", "pit", "read", "record", "replay", "run", "show", "verify", "witness")

_FORKS: Final = multiprocessing.get_context("forkserver")
# A name that cannot be imported is passed over without a word: so these are the commands' own.
_FORKS.set_forkserver_preload(["controller.main.compose", *(COMMANDS[name].module for name in OFTEN)])


class Ended(NamedTuple):
    """How a command ended, and what it printed; a signal that ended it counts as its negative number."""

    returncode: int
    stdout: str
    stderr: str


class _Place(NamedTuple):
    folder: Path
    changes: Mapping[str, str]
    memory: int | None
    streams: tuple[Connection, ...]
    """Standard input, output and error; a fork server takes open files as connections alone."""


def _command(words: tuple[str, ...], place: _Place) -> None:
    for number, stream in enumerate(place.streams):
        os.dup2(stream.fileno(), number)
        stream.close()
    if place.memory is not None:
        resource.setrlimit(resource.RLIMIT_AS, (place.memory, place.memory))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(place.folder)
    os.environ.update(place.changes)
    time.tzset()
    # Whoever forks for Python gives the child an empty one.
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.argv = ["stand17", *words]
    # Here, because the tests that only start commands need none of it themselves.
    from controller.cli import main  # noqa: PLC0415

    main()


class Forked:
    """A running command, with the members of `subprocess.Popen` that the tests use."""

    def __init__(
        self,
        *words: str | Path,
        stdin: IO[bytes] | None = None,
        stdout: IO[bytes] | None = None,
        stderr: IO[bytes] | None = None,
        changes: Mapping[str, str] | None = None,
        folder: Path = ROOT,
        memory: int | None = None,
    ) -> None:
        """Start a command in a folder, with changes to the environment and a limit to memory in bytes.

        Without files its input is empty, its output is a pipe, and its errors go to a file without a name.
        """
        far, near = os.pipe()
        self.stdout = os.fdopen(far, encoding="utf-8")
        with os.fdopen(near, "wb") as pipe, TemporaryFile() as errors, Path(os.devnull).open("rb") as nothing:
            # Opened once more: it is read from its beginning while the command writes at its end.
            again = os.open(f"/proc/self/fd/{errors.fileno()}", os.O_RDONLY)
            self.stderr = os.fdopen(again, encoding="utf-8")
            files = (stdin or nothing, stdout or pipe, stderr or errors)
            streams = tuple(Connection(os.dup(file.fileno())) for file in files)
            place = _Place(folder, dict(changes or {}), memory, streams)
            self._process = _FORKS.Process(target=_command, args=(tuple(map(str, words)), place))
            self._process.start()
            for stream in streams:
                stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.wait()
        for stream in (self.stdout, self.stderr):
            stream.close()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def poll(self) -> int | None:
        """Its exit status, None while it runs."""
        return self._process.exitcode

    def wait(self, timeout_s: float | None = None) -> int:
        """Wait for its end; AssertionError where it does not end in time."""
        self._process.join(timeout_s)
        assert self._process.exitcode is not None, "it has not ended"
        return self._process.exitcode

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def command(
    *words: str,
    changes: Mapping[str, str] | None = None,
    folder: Path = ROOT,
    memory: int | None = None,
    timeout_s: float = 60,
    data: bytes = b"",
    out: str = "",
) -> Ended:
    """Run a command to its end, as `Forked` does.

    `data` is its standard input; `out` is a file or terminal that its standard output goes to.

    AssertionError where it does not end in time; it is killed then.
    """
    with TemporaryFile() as given, TemporaryFile() as said, TemporaryFile() as errors, ExitStack() as kept:
        given.write(data)
        given.seek(0)
        place = kept.enter_context(os.fdopen(os.open(out, os.O_RDWR | os.O_NOCTTY), "wb")) if out else said
        process = Forked(
            *words, stdin=given, stdout=place, stderr=errors, changes=changes, folder=folder, memory=memory
        )
        try:
            status = process.wait(timeout_s)
        finally:
            process.kill()
        return Ended(status, *(_text(file) for file in (said, errors)))


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()
