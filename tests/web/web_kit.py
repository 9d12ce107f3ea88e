"""The real table behind the real server on a free loopback port, for tests that look from outside."""

import asyncio
import json
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import fastapi.routing
import pytest
from sight_kit import StageCamera

from controller.acts.catalogue import CardSeen, ChipReading, Observation
from controller.devices.cameras.follower import FrameFollower, follow_frames
from controller.domain import card_named
from controller.journal.store import Journal
from controller.main.pit_page import FloorTables, FoundJournal
from controller.main.server import PageServer, listen
from controller.people.access import AccessSettings
from controller.people.person import PeopleBook
from controller.policy import House, SecondPerson, TableOptions
from controller.policy.line import PayoutsBy
from controller.policy.run import NO_SECOND
from controller.ports import Health, PastPictures, Report, SystemClock
from controller.rules import load_file, load_rules
from controller.runtime.api import Accepted, AuditLine, Command, Mode, Observe, TableSnapshot
from controller.runtime.contradictions import NO_CAMERAS, TrackedCard, TrackedCards
from controller.runtime.decide import TableDevices
from controller.runtime.door import TableDoor, TableTask
from controller.runtime.felt_witness import ContradictionDetector, VotePolicy
from controller.runtime.inbox import TableLimits
from controller.runtime.ledger import BEFORE_PROFILES
from controller.runtime.restore import Identity, start
from controller.runtime.staff_notes import StaffNotes
from controller.screens import patterns
from controller.screens.table_screens import TableScreens
from controller.screens.words import FaultBoard
from controller.studio.report_page import shift_report
from controller.studio.round_replay import round_replay
from controller.web.app import add_routes, create_app
from controller.web.parts import WebParts, WebSettings
from controller.web.routes import people_router, router
from controller.web.session import COOKIES
from controller.web.shift_routes import shift_router
from tests import people_kit
from tests.forked_process import FORKED_MODULES
from vision.reading import ReadCard

LIVE = (
    Health("shoe", "shoe", "live", "none", 5, ""),
    Health("camera", "camera", "live", "none", 40, ""),
)
ROUTERS: Final = (router, people_router, shift_router)
"""Those of every table, which are made when their modules are imported."""

_BUILD: Final = fastapi.routing._EffectiveRouteContext.from_api_route
_built: Final[dict[tuple[int, str], Any]] = {}


def _build_once(*, original_route: Any, include_context: Any) -> Any:
    """Build a route of every table once for all tables of a process.

    FastAPI builds all routes again at the first request of each application: 0.1 s of processor time a table.
    """
    build = partial(_BUILD, original_route=original_route, include_context=include_context)
    if not any(include_context.included_router is shared for shared in ROUTERS):
        return build()
    key = id(original_route), include_context.path_for(original_route)
    return _built.get(key) or _built.setdefault(key, build())


fastapi.routing._EffectiveRouteContext.from_api_route = _build_once  # type: ignore[method-assign]


_ports: Final[list[int]] = []


def free_port() -> int:
    """A free port, one of an earlier table where it is free again: a browser has kept its files."""
    for port in (*_ports, 0):
        with socket.socket() as probe, suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
            found: int = probe.getsockname()[1]
            if not port:
                _ports.append(found)
            return found
    raise AssertionError("no port is free")


class Served:
    """A running table with its screens; D-17 deals, S-02, S-03 and P-7 are its pit.

    Everything of the table runs on one loop in a thread of its own.
    """

    def __init__(
        self,
        folder: Path,
        *,
        rules: str = "spielbank",
        mode: Mode = "live",
        settings: WebSettings | None = None,
        camera: StageCamera | None = None,
        enforced: bool = False,
        second: SecondPerson = NO_SECOND,
        access_settings: AccessSettings | None = None,
        payouts: PayoutsBy = "confirm",
        faults: FaultBoard | None = None,
        past: PastPictures | None = None,
        book: PeopleBook = people_kit.BOOK,
        beside: tuple[Path, ...] = (),
        forks: bool = True,
    ) -> None:
        """`enforced`: the house's profile and options count, as at a live table; `payouts` is one of them.

        `forks`: what the server starts as a process of its own is forked, and not a new interpreter.
        `faults` are those that a simulation shows, `past` finds recorded pictures.
        """
        self._forks = forks
        self._patch = pytest.MonkeyPatch()
        self._faults = faults
        self._past = past
        self._book = book
        self.beside = FloorTables(lambda: map(FoundJournal, beside), SystemClock())
        self._camera = camera
        self._clock = SystemClock()
        self.folder = folder
        self._file = folder / "table.journal"
        # The kit's shoe deals faster than any hand: how close cards come is not what these tests are about.
        # The stories deal the same few cards again and again, which a watch over the shuffle would stop.
        own = TableOptions(card_gap_ms=0, payouts=payouts, shuffle_watch=False)
        options = own if enforced else BEFORE_PROFILES
        house = House(load_file(rules, Path()).irregularities, options, second)
        self._identity = Identity("BJ 04", load_rules(rules, {}, Path()), "EUR", house)
        self._mode = mode
        self._settings = settings or WebSettings()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._numbers = iter(range(1, 100_000))
        self._cookies: dict[str, str] = {}
        self._access_settings = access_settings
        self.port = free_port()
        self.host = f"127.0.0.1:{self.port}"
        self.url = f"http://{self.host}"

    def __enter__(self) -> Self:
        if self._forks:
            self._patch.setattr(patterns, "subprocess", FORKED_MODULES)
        self._thread.start()
        self.call(self._start())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.call(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._patch.undo()

    def restart(self) -> None:
        """The process ends and comes back on the same journal and port."""
        self.call(self._stop())
        self._cookies.clear()
        self.call(self._start())

    def call(self, work: Coroutine[Any, Any, Any], timeout_s: float = 60.0) -> Any:
        future: Future[Any] = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(timeout_s)
        except TimeoutError:
            self._raise_dead()
            raise

    def _raise_dead(self) -> None:
        """A task that died is the reason why nothing answers."""
        for task in self._tasks:
            if task.done() and task.exception():
                raise AssertionError("a task of the table died") from task.exception()

    @property
    def now(self) -> TableSnapshot:
        return self._table.hub.latest()

    def spots(self, box: int) -> tuple[TrackedCard, ...]:
        """What the camera sees at a box."""
        return self._sights.at(box)

    def lying(self) -> tuple[ReadCard, ...]:
        """The cards that the camera is certain of, those that lie face down too."""
        return () if self._sight is None or self._sight.last is None else self._sight.last.scene.cards

    def say(self, *observations: Observation) -> None:
        """Facts of people, each accepted."""
        for observation in observations:
            command = Command(f"kit-{next(self._numbers)}", "kit", "pit", None, Observe(observation))
            answer = self.call(self._table.submit(command))
            assert isinstance(answer, Accepted), (observation, answer)

    def deal(self, *cards: str) -> None:
        """Cards out of the shoe, such as "10h", "As", "?" (nobody could read it)."""
        for card in cards:
            before = self.now.seq
            self._loop.call_soon_threadsafe(
                self._table.post, Report("shoe", self._clock.mono_ns(), (seen(card),))
            )
            self.until(lambda: self.now.seq > before)  # noqa: B023 - awaited within the turn

    def count(self, *readings: ChipReading) -> None:
        """What a chip pad sees."""
        for reading in readings:
            before = self.now.seq
            report = Report("pad", self._clock.mono_ns(), (reading,))
            self._loop.call_soon_threadsafe(self._table.post, report)
            self.until(lambda: self.now.seq > before)  # noqa: B023 - awaited within the turn

    def report(self, report: Report) -> None:
        """What a device sends."""
        self._loop.call_soon_threadsafe(self._table.post, report)

    async def lines(self) -> tuple[AuditLine, ...]:
        """The journal as its audit trail shows it."""
        return await self._table.audit(1, 500)

    def until(self, holds: Callable[[], bool], timeout_s: float = 60.0) -> None:
        async def wait() -> None:
            async with asyncio.timeout(timeout_s):
                while not holds():
                    await asyncio.sleep(0.005)

        self.call(wait(), timeout_s + 5)

    def freeze(self, seconds: float) -> None:
        """Stop the whole process side of the server for a while: nothing is sent, nothing is answered."""
        self._loop.call_soon_threadsafe(threading.Event().wait, seconds)

    @property
    def looking(self) -> dict[str, str]:
        """The header of a screen that only looks on; no entry tells of it."""
        return {"Cookie": f"{COOKIES['screen']}_{self.port}={self._looking}"}

    def get(self, path: str) -> bytes:
        request = urllib.request.Request(self.url + path, headers=self.looking)
        with urllib.request.urlopen(request, timeout=60) as answer:
            body: bytes = answer.read()
            return body

    def get_as_host(self, path: str, host: str) -> None:
        urllib.request.urlopen(
            urllib.request.Request(self.url + path, headers={"Host": host, **self.looking}), timeout=60
        ).close()

    def headers(self, path: str) -> dict[str, str]:
        try:
            request = urllib.request.Request(self.url + path, headers=self.looking)
            with urllib.request.urlopen(request, timeout=60) as answer:
                return {name.lower(): value for name, value in answer.headers.items()}
        except urllib.error.HTTPError as refusal:
            return {name.lower(): value for name, value in refusal.headers.items()}

    def hush(self) -> None:
        """No more ticks: the socket has nothing to say but its heartbeat."""
        self._loop.call_soon_threadsafe(self._tasks[1].cancel)

    def state(self) -> dict[str, Any]:
        view: dict[str, Any] = json.loads(self.get("/api/state"))
        return view

    def post(self, path: str, body: dict[str, Any], **headers: str) -> tuple[int, dict[str, Any]]:
        request = urllib.request.Request(
            self.url + path, json.dumps(body).encode(), {"Content-Type": "application/json", **headers}
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refusal:
            return refusal.code, json.loads(refusal.read() or b"{}")

    def sign_in(self, person: str) -> str:
        """Sign somebody in at the screen, once; the header that shows it."""
        if person not in self._cookies:
            body = json.dumps({"actor": person, "pin": people_kit.PINS[person]}).encode()
            request = urllib.request.Request(
                f"{self.url}/api/session", body, {"Content-Type": "application/json"}
            )
            with urllib.request.urlopen(request, timeout=60) as answer:
                self._cookies[person] = answer.headers["Set-Cookie"].partition(";")[0]
        return self._cookies[person]

    def command(self, act: dict[str, Any], **fields: Any) -> tuple[int, dict[str, Any]]:
        """A command of D-17 at his screen, or of the signed-in `actor` of the fields."""
        body = {
            "command_id": f"command-{next(self._numbers)}",
            "actor": people_kit.DEALER,
            "role": "dealer",
            "act": act,
            **fields,
        }
        cookie = self.sign_in(str(body["actor"]))
        # Signing in is an entry, too.
        return self.post("/api/commands", {"expected_seq": self.now.seq, **body}, Cookie=cookie)

    def observe(self, obs: str, **fields: Any) -> tuple[int, dict[str, Any]]:
        return self.command({"do": "observe", "obs": {"obs": obs, **fields}})

    async def _start(self) -> None:
        self._journal = Journal.open(self._file, self._clock)
        ledger = start(self._journal, self._identity, self._mode, "test")
        sights, sight = (None, None) if self._camera is None else self._camera.sights(self._clock)
        named = (lambda _action, _who: None) if sights is None else sights.name_card
        door = TableDoor(
            self._journal,
            ledger,
            self._clock,
            mode=self._mode,
            devices=TableDevices(lambda: LIVE, card_named=named),
            limits=TableLimits(journal_slow_ms=60_000),
            detector=None if sights is None else ContradictionDetector({"camera": VotePolicy(2, 100)}),
        )
        self._table = TableTask(door)
        self._sight = sight
        self._sights: TrackedCards = sights or NO_CAMERAS
        self.access = people_kit.access(
            StaffNotes(self._table).note, book=self._book, tries=ledger.tries, settings=self._access_settings
        )
        self._looking = self.access.sessions.open(self._book.register().people["E-01"])
        self.screens = TableScreens(
            self._table,
            self._table.hub,
            time.monotonic,
            cameras=self._sights,
            faults=self._faults,
            dealer=self.access.sessions.dealer_id,
            past=self._past,
            journal=self._file,
        )
        app = create_app(
            WebParts(self.screens, self.access, self._settings, others=self.beside.tables, clock=self._clock)
        )
        add_routes(app, round_replay())
        add_routes(app, shift_report())
        self._server = PageServer(app)
        listening = listen("127.0.0.1", self.port, 1)
        self._tasks = [
            asyncio.create_task(self._table.run()),
            asyncio.create_task(self._table.tick(1.0)),
            asyncio.create_task(self._server.serve([listening])),
            asyncio.create_task(self.beside.follow()),
        ]
        if self._camera is not None and sight is not None:
            watching = follow_frames(
                self._camera, FrameFollower(sight, self._camera.plan), self._clock, self._table.post
            )
            self._tasks.append(asyncio.create_task(watching))
        while not self._server.started:
            await asyncio.sleep(0.01)

    async def _stop(self) -> None:
        self._server.should_exit = True
        await self._tasks[2]
        others = [*self._tasks[:2], *self._tasks[3:]]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        self._journal.close()


def seen(card: str) -> CardSeen:
    """ "10h" as the shoe reports it; "?" is a card that lies open and could not be read."""
    if card == "?":
        return CardSeen(None, by="shoe", face="up")
    named = card_named(card[:-1], card[-1])
    return CardSeen(named.rank, named.suit, by="shoe")
