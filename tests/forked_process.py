"""`stand17` in a process of its own that is forked off one which has imported all of it already.

A new interpreter spends two to three seconds of processor time on imports. What happens after them is the
same here: an own process, its own exit status, memory limit and end.
"""

import multiprocessing
import os
import resource
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from controller.cli import COMMANDS

ROOT: Final = Path(__file__).resolve().parents[1]
OFTEN: Final = ("demo", "read", "replay", "run", "show", "verify")

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
    out: str


def _command(words: tuple[str, ...], place: _Place, kept: str) -> None:
    for number, name in ((0, f"{kept}/in"), (1, place.out or f"{kept}/out"), (2, f"{kept}/err")):
        os.dup2(os.open(name, os.O_RDWR | os.O_CREAT | os.O_NOCTTY), number)
    if place.memory is not None:
        resource.setrlimit(resource.RLIMIT_AS, (place.memory, place.memory))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(place.folder)
    os.environ.update(place.changes)
    # Whoever forks for Python gives the child an empty one.
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.argv = ["stand17", *words]
    # Here, because the tests that only start commands need none of it themselves.
    from controller.cli import main  # noqa: PLC0415

    main()


def command(
    *words: str,
    changes: Mapping[str, str] | None = None,
    folder: Path = ROOT,
    memory: int | None = None,
    timeout_s: float = 60,
    data: bytes = b"",
    out: str = "",
) -> Ended:
    """Run a command to its end, in a folder, with changes to the environment and a limit to memory in bytes.

    `data` is its standard input; `out` is a file or terminal that its standard output goes to.

    AssertionError where it does not end in time; it is killed then.
    """
    with TemporaryDirectory() as kept:
        Path(kept, "in").write_bytes(data)
        Path(kept, "out").touch()
        place = _Place(folder, dict(changes or {}), memory, out)
        process = _FORKS.Process(target=_command, args=(words, place, kept))
        process.start()
        process.join(timeout_s)
        late = process.is_alive()
        process.kill()
        process.join()
        said, err = (Path(kept, name).read_text(encoding="utf-8") for name in ("out", "err"))
        assert not late, (words, said, err)
        assert process.exitcode is not None
        return Ended(process.exitcode, said, err)
