"""Screens at a simulated table: real server, sockets that lag and break, acts that are sent again.

Two of the pit enter slips with two signatures at one of them. The server is asked in the same process and on
the table's own loop: what is sent, and when it breaks off, follows from the seed.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from starlette.websockets import WebSocketDisconnect

from controller.journal.entry import Entry
from controller.journal.store import JournalReader
from controller.screens.table_screens import TableScreens
from controller.web.app import create_app
from controller.web.parts import WebParts
from controller.web.session import COOKIES
from tests import people_kit
from tests.whole.broken import Broken, require
from tests.whole.seeded_table import SeededTable

SCREENS = 3
AMOUNT = 12_500
SLIPS, AGAIN, BREAKS, LAGS = 0.03, 0.5, 0.02, 0.1
"""Shares: steps with a slip, slips sent twice, steps in which a socket breaks, messages that are slow."""

HEADERS = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")]


class Screen:
    """The far end of one socket: a view that is put together from what has changed."""

    def __init__(self, screens: "Screens") -> None:
        self._screens = screens
        self.view: dict[str, Any] = {}
        self.gone = asyncio.Event()
        self.behind = False
        self._asked = [{"type": "websocket.connect"}]

    async def receive(self) -> dict[str, Any]:
        if self._asked:
            return self._asked.pop()
        await self.gone.wait()
        return {"type": "websocket.disconnect", "code": 1001}

    async def send(self, message: Any) -> None:
        if self.gone.is_set():
            raise OSError("gone")
        if message["type"] == "websocket.close":
            self.gone.set()
        if message["type"] != "websocket.send":
            return
        if self._screens.chance.random() < LAGS:
            self.behind = True
            await asyncio.sleep(self._screens.chance.choice((0.5, 2.0, 9.0)))
        self.behind = False
        self.take(json.loads(message["text"]))

    def take(self, sent: dict[str, Any]) -> None:
        durable = self._screens.table.open_table.journal.head().seq
        require(sent.get("seq", 0) <= durable, "SHOWN_BEFORE_COMMIT", f"{sent.get('seq')} of {durable}")
        if sent["type"] == "snapshot":
            self.view = sent["view"]
        elif sent["type"] == "changes":
            boxes = [{**row, **sent["boxes"].get(str(row["box"]), {})} for row in self.view["boxes"]]
            self.view = {**self.view, **sent["fields"], "boxes": boxes}


class Screens:
    """All screens of a table; made once, and called whenever the table has come up."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(f"screens {seed}")
        self.figures = Counter[str]()
        self._unanswered: list[tuple[str, str]] = []
        self._answered: dict[str, str] = {}
        self._slips = 0
        self._broken: Broken | None = None

    def __call__(self, table: SeededTable) -> Callable[[], None]:
        self.table, self._screens = table, list[Screen]()
        with table.loop.running():
            access = people_kit.access(_note, clock=table.clock)
            self._sessions = access.sessions
            self._people = {one.id: one for one in people_kit.BOOK.register().working}
            self._parts = TableScreens(table.task, table.task.hub, lambda: table.clock.mono_ns() / 1e9)
            self._app = create_app(WebParts(self._parts, access, clock=table.clock))
            table.loop.create_task(self._parts.broadcaster.run())
        self._sit_down()
        return self._step

    def _sit_down(self) -> None:
        """Sign in anew, reconnect, and send again what was not answered."""
        self._cookie = self._sessions.open(self._people["S-02"])
        for _ in range(SCREENS):
            self._connect()
        self.table.loop.run()
        for command, slip in tuple(self._unanswered):
            self.figures["sent again after a restart"] += 1
            self._send(command, slip)

    def _step(self) -> None:
        while len(self._screens) < SCREENS:
            self._connect()
        if self.chance.random() < BREAKS:
            screen = self._screens.pop(self.chance.randrange(SCREENS))
            screen.gone.set()
            self.figures["socket broke"] += 1
        # A count of the opening begins the float anew, whatever came to it before.
        if self.chance.random() < SLIPS and self.table.ledger.state.book.counted_in:
            self._slip()
        self.table.loop.run()
        if self._broken is not None:
            raise self._broken
        self._screens = [screen for screen in self._screens if not screen.gone.is_set()]
        shown = json.loads(self._parts.broadcaster.latest().body)
        for screen in self._screens:
            if not screen.behind and screen.view:
                self.figures["screens compared"] += 1
                require(screen.view == shown, "SCREEN_DIFFERS", f"{_first(screen.view, shown)}")

    def _slip(self) -> None:
        self.table.drop_twin()
        self._slips += 1
        command, slip = f"screen-{self._slips:06}", f"S{self._slips}"
        self._unanswered.append((command, slip))
        answer = self._send(command, slip)
        self.figures["slip" if answer.startswith("200") else "slip refused"] += 1
        if self.chance.random() < AGAIN:
            again = self._send(command, slip)
            self.figures["sent twice"] += 1
            done = answer.startswith("200")
            require(again == answer or not done, "DONE_TWICE", f"{slip}: {answer}, then {again}")

    def _send(self, command: str, slip: str) -> str:
        """Have the pit enter a slip, signed by a second; the status and the body of the answer."""
        self._stay_signed_in()
        body = {
            "command_id": command,
            "expected_seq": self.table.task.hub.latest().seq,
            "role": "pit",
            "second": self._sessions.grant(self._people["S-03"], "second"),
            "act": {"do": "observe", "obs": {"obs": "fill", "slip": slip, "amount": AMOUNT}},
        }
        said: list[Any] = []
        with self.table.loop.running():
            self.table.loop.create_task(
                self._app(self._scope("http", "/api/commands"), _once(body), _into(said))
            )
        self.table.loop.run()
        answer = f"{said[0]['status']} {b''.join(part.get('body', b'') for part in said[1:]).decode()}"
        self._unanswered = [one for one in self._unanswered if one[0] != command]
        if answer.startswith("200"):
            known = self._answered.setdefault(slip, answer)
            require(known == answer, "DONE_TWICE", f"{slip}: {known}, then {answer}")
        return answer

    def _stay_signed_in(self) -> None:
        if not self._sessions.find(self._cookie):
            self._cookie = self._sessions.open(self._people["S-02"])
            self.figures["signed in anew"] += 1

    def _connect(self) -> None:
        self._stay_signed_in()
        with self.table.loop.running():
            self._screens.append(screen := Screen(self))
            scope = self._scope("websocket", "/ws") | {"query_string": b"changes=true", "subprotocols": []}
            scope["extensions"] = {"websocket.http.response": {}}
            self.table.loop.create_task(self._serve(screen, scope))

    async def _serve(self, screen: Screen, scope: dict[str, Any]) -> None:
        try:
            await self._app(scope, screen.receive, screen.send)
        except (WebSocketDisconnect, OSError):
            """Its server writes that down, and no more."""
        except Broken as broken:
            self._broken = broken
        finally:
            # Where the application returns, its server closes the socket.
            screen.gone.set()

    def _scope(self, kind: str, path: str) -> dict[str, Any]:
        cookie = (b"cookie", f"{COOKIES['screen']}_80={self._cookie}".encode())
        scheme = "ws" if kind == "websocket" else "http"
        place = {
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": b"",
            "scheme": scheme,
        }
        ends = {
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 80),
            "http_version": "1.1",
            "method": "POST",
        }
        return {"type": kind, "headers": [*HEADERS, cookie], "asgi": {"version": "3.0"}, **place, **ends}

    def check(self, journal: Path) -> None:
        """Each slip that was answered is in the journal once, and no other twice."""
        reader = JournalReader(journal)
        facts = [entry for entry in reader.read() if isinstance(entry, Entry) and entry.kind == "fact"]
        reader.close()
        bodies = [json.loads(entry.body) for entry in facts]
        slips = Counter(body["slip"] for body in bodies if body["obs"] == "fill")
        lost = [slip for slip in self._answered if slips[slip] != 1]
        require(not lost, "ANSWERED_NOT_WRITTEN", f"{lost}")
        require(max(slips.values(), default=1) == 1, "DONE_TWICE", f"{slips}")


async def _note(_: Any) -> None:
    """Who signs in is not written down here."""


def _once(body: Any) -> Any:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": json.dumps(body).encode(), "more_body": False}

    return receive


def _into(said: list[Any]) -> Any:
    async def send(message: Any) -> None:
        said.append(message)

    return send


def _first(one: dict[str, Any], other: dict[str, Any]) -> str:
    """The first part in which two views differ."""
    differ = (key for key in other if one.get(key) != other[key])
    return next((f"{key}: {one.get(key)!r:.200}, {other[key]!r:.200}" for key in differ), "")
