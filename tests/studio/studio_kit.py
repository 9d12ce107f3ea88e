"""The tester's page on a free port, and a browser's worth of HTTP to ask it with."""

import http.client
import json
import socket
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

import uvicorn
from fastapi import FastAPI

from controller.ports import SystemClock
from controller.studio.app import StudioGate, create_studio

TOKEN = "the-token-of-this-test"


class LocalServer:
    """Serves a local page until it is left."""

    def __init__(self, make: Callable[[StudioGate], FastAPI]) -> None:
        """Listen; nothing is opened yet."""
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        app = make(StudioGate(TOKEN, f"session-{self.port}"))
        self._server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), daemon=True)
        self.cookie = ""

    def __enter__(self) -> Self:
        """Serve."""
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)
        return self

    def __exit__(self, *_: object) -> None:
        """Stop serving."""
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()

    def enter(self) -> int:
        """Go through the printed address; returns the status."""
        answer = self._ask(f"/?token={TOKEN}", {})
        self.cookie = (answer.getheader("set-cookie") or "").partition(";")[0]
        return answer.status

    def status(self, path: str, host: str | None = None) -> int:
        """The status of an answer, to a request by this host name."""
        return self._ask(path, {} if host is None else {"Host": host}).status

    def get(self, path: str) -> Any:
        """The body of a good answer."""
        return json.loads(self.bytes(path))

    def bytes(self, path: str) -> bytes:
        """The bytes of a good answer."""
        answer = self._ask(path, {})
        body = answer.read()
        assert answer.status == 200, (path, answer.status, body)
        return body

    def refused(self, path: str) -> Any:
        """The words of an answer that says why there is no other."""
        answer = self._ask(path, {})
        assert answer.status == 409, (path, answer.status)
        return json.loads(answer.read())

    def post(self, path: str, body: Any) -> tuple[int, Any]:
        """The status and the body of an answer to what the page sends."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {
            "Cookie": self.cookie,
            "Content-Type": "application/json",
            "Origin": f"http://127.0.0.1:{self.port}",
        }
        connection.request("POST", path, json.dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read() or b"null")

    def _ask(self, path: str, headers: dict[str, str]) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", path, headers={"Cookie": self.cookie, **headers})
        return connection.getresponse()


class StudioServer(LocalServer):
    """The tester's screen over files; feeds go through the table's door."""

    def __init__(
        self,
        paths: Sequence[Path],
        cases: Path | None = None,
        rules: Sequence[str] = (),
        *,
        face_down: bool = False,
    ) -> None:
        """Listen; nothing is opened yet."""
        super().__init__(
            lambda gate: create_studio(
                paths,
                gate,
                at_table=True,
                cases=cases,
                rules=rules,
                face_down=face_down,
                clock=SystemClock(),
            )
        )
