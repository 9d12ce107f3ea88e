"""Requests and messages that know the schema and leave it, drawn from a seed; no answer may be a 5xx.

`python -m tests.limits.request_fuzz --requests 200000 --seed 17` runs them against a real `stand17 run` with
a shoe that deals meanwhile, and prints what was answered, memory before and after, and what `verify` says.
"""

import argparse
import http.client
import json
import random
import string
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from controller.acts.catalogue import ACTS
from controller.domain import RANKS, SUITS
from controller.journal.checking import verify
from controller.runtime.restore import ResultVerifier, set_aside_in
from tests.limits.run_kit import Running

TEXTS: Final = (
    "",
    "D-17",
    "D\n17",
    "\x00",
    "\ud800",
    "a\udfff",
    "\u202e",
    "\x1b[2J",
    "\u00e9\U0001f0a1",
    "x" * 200,
    "x" * 201,
    "x" * 5000,
    "../../etc/passwd",
    "{name}",
    "' OR 1=1 --",
    "NaN",
    "0",
    "As",
    "8h",
)
NUMBERS: Final = (0, 1, -1, 2, 7, 8, 99, 100, 2**31, 2**53, 2**63, 2**64, 10**30, -(2**63), 10**400)
FLOATS: Final = (0.0, 0.5, 1.0, -0.0, 1e308, float("nan"), float("inf"), float("-inf"), 1e-320)
WORDS: Final = {
    "obs": tuple(dict.fromkeys(said.name for said in ACTS.values())),
    "do": tuple(
        "observe chip clear freeze resume alert handled autoplay order name editing".split()  # noqa: SIM905
    ),
    "rank": ("A", "2", "9", "10", "K", None),
    "suit": ("c", "d", "h", "s", None),
    "action": ("hit", "stand", "double", "split", "surrender"),
    "to": ("box", "dealer", "burn"),
    "face": ("up", "down"),
    "pose": ("along", "across"),
    "state": ("live", "stale", "lost"),
    "step": ("ack", "assign", "resolve"),
    "order": ("lock", "unlock", "clear_error"),
    "role": ("dealer", "pit"),
}
FIELDS: Final = {
    "bet": ("box", "seat", "stake"),
    "card": ("rank", "suit", "by", "p", "to", "box", "hand", "face", "pose", "id"),
    "decision": ("box", "hand", "action", "seats", "stakes"),
    "insurance": ("box", "seat", "stake"),
    "even_money": ("box", "seat"),
    "peek": ("blackjack",),
    "reveal": ("rank", "suit"),
    "correct": ("card", "id", "rank", "suit", "by", "reason", "round"),
    "strike": ("card", "id", "burn", "by", "reason", "round"),
    "move": ("card", "id", "to", "box", "hand", "by", "reason", "round"),
    "void": ("box", "by", "reason", "round"),
    "paid": ("box", "seat", "amount"),
    "device": ("name", "state"),
    "chips": ("box", "chips"),
    "bank": ("box",),
    "shoe": ("decks", "cards"),
    "chip": ("box", "seat", "chip", "off"),
    "clear": ("box",),
    "freeze": ("note",),
    "resume": ("without",),
    "alert": ("alert", "step", "note"),
    "handled": ("round", "box"),
    "autoplay": ("on",),
    "order": ("device", "order", "reason"),
    "name": ("camera", "box", "at", "was", "seen", "card", "reason"),
    "editing": ("on", "card"),
}
SMALL: Final = frozenset({"box", "seat", "hand", "card", "cards", "decks", "round", "alert"})
PATHS: Final = ("/api/commands",) * 12 + ("/api/preview",) * 3 + ("/api/session",)
PLACES: Final = ("/", "/api/state", "/metrics", "/api/catalogue/nl", "/api/catalogue/%ff", "/openapi.json")
ODD_PATHS: Final = (
    "/%00",
    "/static/..%2f..%2fetc",
    "/api/picture/\u00e4",
    "//",
    "/api/commands?x=%ff",
    "/" + "a" * 4000,
)
HEADERS: Final = (
    ("Host", "[::1"),
    ("Host", ""),
    ("Host", "a" * 3000),
    ("Origin", "http://["),
    ("Origin", "null"),
    ("Content-Type", "text/plain"),
    ("Content-Type", "application/json; charset=\xff"),
    ("Content-Length", "-1"),
    ("Content-Length", "99999999999999999999"),
    ("Transfer-Encoding", "gzip"),
    ("Upgrade", "websocket"),
    ("Accept", "\xff" * 100),
    ("X" * 300, "y"),
)


DEAL_EVERY: Final = 500
"""Requests between two cards; a simulated shoe takes its time to send one."""

BODIES: Final = (b"[" * 20_000, b'{"a":' * 3000, b"9" * 6000, b"\xff" * 100, b" " * 70_000, b"")


class Draw:
    """Draws requests from a seed: mostly whole ones, some with a field or a byte that is none."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._seed = seed
        self._numbers = iter(range(10**9))

    def field(self, name: str) -> Any:
        """A value that fits the field, most of the time."""
        rng = self._rng
        if rng.random() < 0.06:
            return self.anything(3)
        if name in WORDS:
            return rng.choice(WORDS[name])
        if name in SMALL:
            return rng.randint(0, 8)
        if name in {"stake", "amount", "chips"}:
            return rng.choice((0, 500, 1000, 2500, 10**12, 10**12 + 1))
        if name in {"off", "on", "burn", "blackjack"}:
            return rng.random() < 0.5
        return self._list_or_text(name)

    def _list_or_text(self, name: str) -> Any:
        rng = self._rng
        match name:
            case "seats":
                return [rng.randint(0, 4) for _ in range(rng.randint(0, 4))]
            case "stakes":
                return {
                    str(rng.randint(0, 120)): rng.choice((0, 500, 10**13)) for _ in range(rng.randint(0, 3))
                }
            case "without":
                return [rng.choice(TEXTS) for _ in range(rng.choice((0, 0, 1, 40)))]
            case "at":
                return rng.choice((None, [1, 2], [1], [10**9, 0], "x"))
            case "p":
                return rng.choice((None, 0, 1, 0.98, 2))
            case "chip":
                return rng.choice(("5.00", "2.50", "0", "-5", "1e3", "\u0665", "9" * 20, "5.001", ""))
            case "id":
                return rng.choice((None, "shoe.1", *TEXTS))
        return rng.choice(("P-7", "D-17", "shoe", *TEXTS))

    def anything(self, depth: int) -> Any:
        """A value of any kind."""
        rng = self._rng
        match rng.randint(0, 6 if depth else 4):
            case 0:
                return rng.choice(TEXTS)
            case 1:
                return rng.choice(NUMBERS)
            case 2:
                return rng.choice(FLOATS)
            case 3:
                return rng.choice((None, True, False))
            case 4:
                return "".join(rng.choice(string.printable) for _ in range(rng.randint(0, 30)))
            case 5:
                return [self.anything(depth - 1) for _ in range(rng.randint(0, 4))]
        return {
            rng.choice((*TEXTS, "box", "obs")): self.anything(depth - 1) for _ in range(rng.randint(0, 4))
        }

    def object(self, tag: str) -> dict[str, Any]:
        """An act or an observation with most of its fields."""
        rng = self._rng
        name = str(rng.choice(WORDS[tag]))
        made = {tag: name} | {
            field: self.field(field) for field in FIELDS.get(name, ()) if rng.random() < 0.93
        }
        if name == "observe":
            made["obs"] = self.object("obs")
        if rng.random() < 0.03:
            made[rng.choice(TEXTS)] = self.anything(2)
        return made

    def body(self, path: str, seq: int) -> Any:
        """What such a request carries."""
        rng = self._rng
        if rng.random() < 0.02:
            return self.anything(4)
        if path == "/api/session":
            return {"actor": self.field("actor"), "pin": self.field("pin")}
        if path == "/api/preview":
            return {"obs": self.object("obs")}
        role = rng.choice(WORDS["role"])
        body = {
            "command_id": f"fuzz-{self._seed}-{next(self._numbers):08}",
            "expected_seq": seq,
            "actor": "P-7" if role == "pit" else "D-17",
            "role": role,
            "act": self.object("do"),
        }
        if rng.random() < 0.1:
            body[rng.choice(tuple(body))] = self.anything(3)
        return body

    def bytes_of(self, body: Any) -> bytes:
        """The body as JSON, in rare cases with bytes that are none."""
        rng = self._rng
        data = json.dumps(body).encode()
        kind = rng.random()
        if kind < 0.02:
            at = rng.randrange(len(data) + 1)
            return data[:at] + bytes(rng.randrange(256) for _ in range(rng.randint(1, 8))) + data[at:]
        if kind < 0.03:
            return rng.choice(
                (b"[" * 20_000, b'{"a":' * 3000, b"9" * 6000, b"\xff" * 100, b" " * 70_000, b"")
            )
        return data

    def headers(self) -> dict[str, str]:
        """Headers beside the usual ones."""
        return dict([self._rng.choice(HEADERS)]) if self._rng.random() < 0.02 else {}

    def path(self) -> str:
        """Where a request goes."""
        return self._rng.choice(PATHS)

    def place(self) -> str | None:
        """Where a reading request goes, now and then."""
        rng = self._rng
        return rng.choice(PLACES + ODD_PATHS) if rng.random() < 0.04 else None

    def message(self) -> str | bytes:
        """What a screen says on its socket."""
        rng = self._rng
        return rng.choice(
            ("", "x", json.dumps(self.anything(2)).encode(), "y" * 4000, b"\xff\x00", "z" * 5000)
        )


class Fuzz:
    """Sends what is drawn, and counts what is answered."""

    def __init__(self, port: int, seed: int, cookies: Mapping[str, str]) -> None:
        """`cookies` is the header of a screen at which a dealer and the pit are signed in."""
        self._port = port
        self._cookies = dict(cookies)
        self._draw = Draw(seed)
        self._line = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.answers: Counter[int] = Counter()
        self.failed: list[tuple[str, bytes, dict[str, str], int]] = []
        self.closed: list[str] = []
        """Requests whose line was closed without an answer."""

    def run(self, requests: int, between: Callable[[int], None] = lambda _: None) -> None:
        """Send that many; `between` is called after each."""
        seq = 0
        for number in range(requests):
            if number % 50 == 0:
                seq = self._look()
            if number % 200 == 0:
                self._talk()
            place = self._draw.place()
            path = place or self._draw.path()
            data = b"" if place else self._draw.bytes_of(self._draw.body(path, seq))
            headers = self._draw.headers()
            status = self._send("GET" if place else "POST", path, data, headers)
            self.answers[status] += 1
            if status >= 500:
                self.failed.append((path, data[:2000], headers, status))
            between(number)

    def _send(self, method: str, path: str, data: bytes, headers: dict[str, str]) -> int:
        """The status, 0 where the line was closed without one."""
        try:
            self._line.putrequest(
                method, path.encode("ascii", "replace").decode(), skip_host="Host" in headers
            )
            usual = {"Content-Type": "application/json", "Content-Length": str(len(data)), **self._cookies}
            sent = {**usual, **headers}
            for name, value in sent.items():
                self._line.putheader(name, value.encode("latin-1"))
            self._line.endheaders(data)
            answer = self._line.getresponse()
            answer.read()
        except (OSError, http.client.HTTPException) as error:
            self._line.close()
            self.closed.append(f"{method} {path[:40]} {len(data)} bytes {data[:20]!r} {headers} {error!r}")
            return 0
        if headers:
            self._line.close()
        return answer.status

    def _look(self) -> int:
        """The newest entry."""
        self._line.close()
        self._line.request("GET", "/api/state", headers=self._cookies)
        seq: int = json.loads(self._line.getresponse().read())["seq"]
        return seq

    def _talk(self) -> None:
        """A screen that says things; the server may close it, and has to give a view."""
        url = f"ws://127.0.0.1:{self._port}/ws"
        with (
            suppress(WebSocketException, OSError),
            connect(url, additional_headers=self._cookies) as screen,
        ):
            assert json.loads(screen.recv(timeout=30))["type"] == "hello"
            assert json.loads(screen.recv(timeout=30))["type"] == "snapshot"
            for _ in range(3):
                screen.send(self._draw.message())
            screen.recv(timeout=30)

    def close(self) -> None:
        self._line.close()


@contextmanager
def fuzz_of(port: int, seed: int, cookies: Mapping[str, str]) -> Iterator[Fuzz]:
    fuzz = Fuzz(port, seed, cookies)
    try:
        yield fuzz
    finally:
        fuzz.close()


def memory_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return float(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))) / 1024


def main() -> int:
    """Run as told on the command line; 0 where nothing failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--clients", type=int, default=8)
    asked = parser.parse_args()
    rng = random.Random(asked.seed)
    with tempfile.TemporaryDirectory(prefix="stand17-fuzz-") as folder, Running(Path(folder)) as running:
        cookies = {"Cookie": f"{running.looking['Cookie']}; {running.beside()}"}
        before, begun = memory_mb(running.process.pid), time.monotonic()

        def between(number: int) -> None:
            if number % DEAL_EVERY == 0:
                running.shoe.deal(rng.choice(RANKS), rng.choice(SUITS))
                used, passed = memory_mb(running.process.pid), time.monotonic() - begun
                sys.stderr.write(f"{number * asked.clients} requests, {used:.0f} MB, {passed:.0f} s\n")

        def client(place: int) -> Fuzz:
            with fuzz_of(running.port, asked.seed + place, cookies) as fuzz:
                fuzz.run(asked.requests // asked.clients, between if place == 0 else lambda _: None)
            return fuzz

        with ThreadPoolExecutor(asked.clients) as clients:
            done = list(clients.map(client, range(asked.clients)))
        after, alive = memory_mb(running.process.pid), running.process.poll() is None
        journal = Path(folder) / "table.journal"
        report = verify(journal, ResultVerifier(set_aside_in(journal)), lambda _: None)
        log = running.log()
    failed = [one for fuzz in done for one in fuzz.failed]
    result = {
        "answers": dict(sorted(sum((fuzz.answers for fuzz in done), Counter()).items())),
        "alive": alive,
        "entries": report.entries,
        "verified": report.ok,
        "memory_mb": [round(before), round(after)],
        "closed": [one for fuzz in done for one in fuzz.closed],
        "failures_logged": log.count('"event": "failed"'),
        "seconds": round(time.monotonic() - begun),
    }
    sys.stdout.write(json.dumps(result) + "\n" + "".join(f"{one}\n" for one in failed[:5]))
    return 0 if alive and report.ok and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
