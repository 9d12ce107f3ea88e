"""A real `stand17 run` in a process of its own, with a shoe on a pseudo-terminal."""

import json
import os
import subprocess
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from drivers.simulated import PtyShoe
from tests import people_kit
from tests.forked_process import ROOT, Forked
from tests.replay.replay_kit import PROGRAM

CONFIG: Final = """
[table]
name = "BJ1"
rules = "spielbank"
[journal]
file = "table.journal"
slow_ms = 60000
[web]
port = 0
[shoe]
port = "{port}"
[recording]
enabled = false
[software]
allow_unreleased = true
"""


class Running:
    """The process; `page` is its address once it can be opened."""

    def __init__(
        self,
        folder: Path,
        environment: Mapping[str, str] | None = None,
        config: str = CONFIG,
    ) -> None:
        self.folder = folder
        self._config = config
        self.shoe = PtyShoe()
        self._environment = dict(environment or {})
        self._presses = 0

    def __enter__(self) -> Self:
        if not (self.folder / "people.json").exists():
            people_kit.people_file(self.folder)
        self._cookie = ""
        config = self.folder / "table.toml"
        config.write_text(self._config.format(port=self.shoe.port), encoding="utf-8")
        self._log = (self.folder / "log").open("w+b")
        self.process = self._started(config)
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        assert "http://" in said, (said, self.log())
        self.page = "http://" + said.split("http://")[1].split()[0].rstrip("/.")
        self.port = int(self.page.rpartition(":")[2])
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait(20)
        if self.process.stdout is not None:
            self.process.stdout.close()
        self._log.close()
        self.shoe.close()

    def _started(self, config: Path) -> Forked | subprocess.Popen[str]:
        """The process; what the linker or the interpreter reads at its start needs a new interpreter."""
        if not {"LD_PRELOAD", "PYTHONPATH"} & self._environment.keys():
            return Forked("run", config, stderr=self._log, changes=self._environment)
        return subprocess.Popen(
            [*PROGRAM, "run", str(config)],
            cwd=ROOT,
            env=os.environ | {"PYTHONUNBUFFERED": "1"} | self._environment,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )

    def log(self) -> str:
        return (self.folder / "log").read_text(encoding="utf-8", errors="replace")

    @property
    def looking(self) -> dict[str, str]:
        """The header of the dealer's screen, who has signed in."""
        if not self._cookie:
            self.post("/api/session", {"actor": people_kit.DEALER, "pin": people_kit.PINS[people_kit.DEALER]})
        return {"Cookie": self._cookie}

    def beside(self) -> str:
        """Sign the pit in beside the dealer; its cookie."""
        body = {"actor": "P-7", "pin": people_kit.PINS["P-7"], "at": "pit"}
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.page + "/api/session", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return str(answer.headers["Set-Cookie"]).partition(";")[0]

    def state(self) -> dict[str, Any]:
        request = urllib.request.Request(self.page + "/api/state", headers=self.looking)
        with urllib.request.urlopen(request, timeout=30) as answer:
            view: dict[str, Any] = json.load(answer)
        return view

    def command(self, act: dict[str, Any], **fields: Any) -> tuple[int, dict[str, Any]]:
        """A command of D-17 unless `fields` say otherwise."""
        self._presses += 1
        body = {
            "command_id": f"command-{os.getpid()}-{self._presses}",
            "expected_seq": self.state()["seq"],
            "role": "dealer",
            "act": act,
            **fields,
        }
        return self.post("/api/commands", body)

    def post(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Send JSON as the dealer's screen does, signed in as far as it is."""
        headers = {"Content-Type": "application/json", "Cookie": self._cookie}
        request = urllib.request.Request(self.page + path, json.dumps(body).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                self._cookie = answer.headers.get("Set-Cookie", self._cookie).partition(";")[0]
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refusal:
            return refusal.code, json.loads(refusal.read() or b"{}")
