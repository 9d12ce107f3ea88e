"""`stand17` in a process of its own that is forked off one which has imported all of it already.

A new interpreter spends two to three seconds of processor time on imports. What happens after them is the
same here: an own process, its own exit status, memory limit and end.
"""

import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from importlib import import_module
from io import TextIOWrapper
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryFile
from types import SimpleNamespace
from typing import IO, Final, NamedTuple, Self

from controller.cli import COMMANDS

ROOT: Final = Path(__file__).resolve().parents[1]
OFTEN: Final = ("demo", "pit", "read", "record", "replay", "run", "show", "verify", "witness")
OWN: Final = ("controller.studio.report_page", "controller.studio.round_replay")
"""What a page starts as processes of their own."""

_FORKS: Final = multiprocessing.get_context("forkserver")
# A name that cannot be imported is passed over without a word: so these are the commands' own.
_FORKS.set_forkserver_preload(["controller.main.compose", *OWN, *(COMMANDS[name].module for name in OFTEN)])


class Ended(NamedTuple):
    """How a command ended, and what it printed; a signal that ended it counts as its negative number."""

    returncode: int
    stdout: str
    stderr: str


class _Place(NamedTuple):
    folder: Path
    environment: Mapping[str, str]
    memory: int | None
    streams: tuple[Connection, ...]
    """Standard input, output and error; a fork server takes open files as connections alone."""
    module: str


def _command(words: tuple[str, ...], place: _Place) -> None:
    for number, stream in enumerate(place.streams):
        os.dup2(stream.fileno(), number)
        stream.close()
    if place.memory is not None:
        resource.setrlimit(resource.RLIMIT_AS, (place.memory, place.memory))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(place.folder)
    # The fork server has that of the test which used it first.
    os.environ.clear()
    os.environ.update(place.environment)
    time.tzset()
    # Whoever forks for Python gives the child an empty one.
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.argv = ["stand17", *words]
    import_module(place.module).main()


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
        module: str = "controller.cli",
    ) -> None:
        """Start a command in a folder, with changes to the environment and a limit to memory in bytes.

        Its program is `main` of a module.

        Without files its input is empty, its output is a pipe, and its errors go to a file without a name.
        """
        far, near = os.pipe()
        self.stdout = TextIOWrapper(os.fdopen(far, "rb"), encoding="utf-8")
        with os.fdopen(near, "wb") as pipe, TemporaryFile() as errors, Path(os.devnull).open("rb") as nothing:
            # Opened once more: it is read from its beginning while the command writes at its end.
            again = os.open(f"/proc/self/fd/{errors.fileno()}", os.O_RDONLY)
            self.stderr = os.fdopen(again, encoding="utf-8")
            files = (stdin or nothing, stdout or pipe, stderr or errors)
            streams = tuple(Connection(os.dup(file.fileno())) for file in files)
            place = _Place(folder, {**os.environ, **(changes or {})}, memory, streams, module)
            self._process = _FORKS.Process(target=_command, args=(tuple(map(str, words)), place))
            self._process.start()
            for stream in streams:
                stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
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


class ForkedModule:
    """A module that runs as a program, started as `controller.screens.patterns` starts one."""

    def __init__(self, arguments: Sequence[str], **_streams: int) -> None:
        """Start the module behind `-m`."""
        name = arguments.index("-m") + 1
        far, near = os.pipe()
        with os.fdopen(far, "rb") as given:
            self._running = Forked(*arguments[name + 1 :], stdin=given, module=arguments[name])
        self.stdin = os.fdopen(near, "wb")
        self.stdout = self._running.stdout.buffer
        self.kill = self._running.kill

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.stdin.close()
        self._running.__exit__(None, None, None)

    @property
    def returncode(self) -> int | None:
        return self._running.poll()


FORKED_MODULES: Final = SimpleNamespace(Popen=ForkedModule, PIPE=subprocess.PIPE, DEVNULL=subprocess.DEVNULL)
"""In place of `subprocess` in `controller.screens.patterns`."""


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
