"""`python -m tests.bench.live_page`: from a card to the page's DOM, at a real table of a process of its own.

From a card's last byte on the shoe's line, and from the first picture of a card at rest, to the card in the
DOM of a page in Chromium, on the wall clock of one machine. The way to the disk times `stand17 bench live`.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, Final

from playwright.sync_api import Page, sync_playwright

from controller.bench.live import dealt, drawn_layout, figures
from controller.people.person import PinHasher
from controller.people.store import PeopleFile, added, new_person
from controller.ports import SystemClock
from drivers.simulated import PtyLine, card_bytes, report_frames
from vision.calibration import Layout, layout_text
from vision.geometry import Image
from vision.pictures import masked_excerpt

BYTE_S: Final = 10 / 4800
WAIT_S: Final = 30.0
LOOK_S: Final = 0.02
FRAME_S: Final = 1 / 30
WHOLE: Final = (0, 0, 1920, 1080)
PERSON: Final = "B-01"
PIN: Final = "271828"
FULL: Final = 7
"""Boxes of the table: two cards each and one of the dealer make a deal of 15."""

RANKS: Final = ("2", "3", "4", "5", "6", "7", "8", "9")
SUITS: Final = ("c", "d", "h", "s")

CAMERA: Final = """
[[camera]]
name = "overhead"
source = "{}"
layout = "layout.toml"
[witnesses]
source = "camera"
"""

NOTES: Final = """() => {
  window.shown = [];
  let known = 0;
  const look = () => {
    const cards = [...document.querySelectorAll("[data-card]")];
    const there = new Set(cards.map((card) => card.dataset.card)).size;
    const now = performance.timeOrigin + performance.now();
    for (let more = known; more < there; more += 1) window.shown.push(now);
    known = there;
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true });
}"""
"""Notes in `shown` when the page has one card more, in milliseconds since 1970."""


class PagedTable:
    """A running table, told of by its pit, and the page of one of its screens."""

    def __init__(self, address: str, page: Page) -> None:
        """The page is signed in, and notes its cards from now on."""
        self._address = address
        self._page = page
        self._clock = SystemClock()
        self._numbers = count(1)
        page.goto(address)
        page.locator("input[name='actor']").fill(PERSON)
        page.locator("input[name='pin']").fill(PIN)
        page.locator("form button[type='submit']").click()
        page.wait_for_selector(".instruction-bar")
        page.evaluate(NOTES)

    def tell(self, *observations: dict[str, Any]) -> None:
        """Have the pit tell facts, each accepted."""
        for observation in observations:
            state = self._page.request.get(f"{self._address}api/state").json()
            told = {
                "command_id": f"bench-page-{next(self._numbers)}",
                "expected_seq": state["seq"],
                "role": "pit",
                "act": {"do": "observe", "obs": observation},
            }
            answer = self._page.request.post(f"{self._address}api/commands", data=told)
            if not answer.ok:
                raise RuntimeError(f"{observation}: {answer.text()}")

    def load(self) -> int:
        """Tell of a fresh shoe; how many cards have to be burned from it."""
        decks = self._page.request.get(f"{self._address}api/state").json()["felt"]["decks"]
        self.tell({"obs": "shoe", "decks": decks})
        return int(self._page.request.get(f"{self._address}api/state").json()["shoe"]["burn_due"])

    def now_ms(self) -> float:
        """This moment on the clock of the page."""
        return self._clock.utc_us() / 1000

    def shown_ms(self, cards: int) -> float:
        """Wait until so many cards have come since the page was opened; when the last of them came."""
        end = time.monotonic() + WAIT_S
        while time.monotonic() < end:
            shown = self._page.evaluate("window.shown")
            if len(shown) >= cards:
                return float(shown[cards - 1])
            time.sleep(LOOK_S)
        raise RuntimeError(f"card {cards} never came to the page")


def shoe_to_page(folder: Path, cards: int) -> list[float]:
    """Milliseconds from the last byte of each card's first message on the line to the page's DOM."""
    took: list[float] = []
    line, numbers, chance = PtyLine(), count(), Random(7)
    pack = [(rank, suit) for rank in RANKS for suit in SUITS]
    names: list[tuple[str, str]] = []

    def send() -> float:
        if not names:
            # One order again and again would be a pack that nobody has shuffled: SHUFFLE_SUSPECT.
            names.extend(chance.sample(pack, 2 * FULL + 1))
        rank, suit = names.pop()
        data = report_frames(ord("0") + next(numbers) % 10, b"D" + card_bytes(rank, suit, 0, 1), copies=1)
        _write(line, data[:-1])
        sent_ms = table.now_ms()
        line.write(data[-1:])
        _write(line, data * 2)
        return sent_ms

    shown = 0
    with _running(folder, f'[shoe]\nport = "{line.port}"\n') as table:
        for _ in range(table.load()):
            send()
        while len(took) < cards:
            table.tell(*({"obs": "bet", "box": box, "seat": 0, "stake": 1000} for box in range(1, FULL + 1)))
            table.tell({"obs": "close"})
            for _ in range(2 * FULL + 1):
                shown += 1
                sent_ms = send()
                took.append(table.shown_ms(shown) - sent_ms)
            table.tell({"obs": "void", "by": "pit", "reason": "OTHER"}, {"obs": "end"})
    line.close()
    return took[:cards]


def camera_to_page(folder: Path, layout: Layout, deals: Sequence[tuple[int, list[Image]]]) -> list[float]:
    """Milliseconds from the first picture of each card at rest to the page's DOM, 30 pictures a second.

    `deals` are the boxes to bet on with the pictures of the empty table, then each card's box and pictures.
    """
    (_, empty), *laid = deals
    film, took = _Film([_jpeg(image) for image in empty]), list[float]()
    (folder / "layout.toml").write_text(layout_text(layout), encoding="utf-8")
    boxes = sorted({box for box, _ in laid if box})
    with film.served() as address, _running(folder, CAMERA.format(address)) as table:
        table.load()
        table.tell(*({"obs": "bet", "box": box, "seat": 0, "stake": 1000} for box in boxes))
        table.tell({"obs": "close"})
        for number, (_, images) in enumerate(laid, 1):
            time.sleep(1)
            pictures = [_jpeg(image) for image in images]
            laid_ms = film.show(pictures, table.now_ms)
            took.append(table.shown_ms(number) - laid_ms)
    return took


class _Film:
    """A network camera: whoever asks gets the pictures of now, again and again."""

    def __init__(self, pictures: list[bytes]) -> None:
        self._pictures = pictures
        self._open = True

    def show(self, pictures: list[bytes], now_ms: Callable[[], float]) -> float:
        """Send these from the next picture on; the moment at which they are there."""
        self._pictures = pictures
        return now_ms()

    @contextmanager
    def served(self) -> Iterator[str]:
        """Serve until the block ends; gives the address."""
        film = self

        class Answer(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
                self.end_headers()
                film.send(self.wfile.write)

            def log_message(self, *_: object) -> None: ...

        server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        server.daemon_threads = True
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            self._open = False
            server.shutdown()
            server.server_close()

    def send(self, write: Callable[[bytes], object]) -> None:
        """Send picture after picture until the other side hangs up."""
        for number in count():
            began = time.monotonic()
            data = self._pictures[number % len(self._pictures)]
            head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
            try:
                write(head.encode() + data + b"\r\n")
            except OSError:
                return
            if not self._open:
                return
            time.sleep(max(0.0, FRAME_S - (time.monotonic() - began)))


def _jpeg(image: Image) -> bytes:
    data = masked_excerpt(image, WHOLE, lambda _: True, side_max_px=WHOLE[2])
    assert data is not None, "all of it may be shown"
    return data


def _write(line: PtyLine, data: bytes) -> None:
    for byte in data:
        line.write(bytes((byte,)))
        time.sleep(BYTE_S)


@contextmanager
def _running(folder: Path, devices: str) -> Iterator[PagedTable]:
    """Run a table of the house `nl` with these devices, and a page of it."""
    config = folder / "table.toml"
    config.write_text(
        '[table]\nname = "bench"\nrules = "nl"\nsecond_person = { void_round = false }\n'
        '[journal]\nfile = "bench.journal"\n[web]\nport = 0\n[software]\nallow_unreleased = true\n' + devices
    )
    _people(folder)
    program = (sys.executable, "-c", "from controller.cli import main; main()", "run", str(config))
    with (
        (folder / "log").open("wb") as log,
        subprocess.Popen(program, stdout=subprocess.PIPE, stderr=log, text=True) as process,
    ):
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            found = re.search(r"http://\S+/", said)
            if found is None:
                raise RuntimeError((folder / "log").read_text(encoding="utf-8"))
            with sync_playwright() as playwright:
                path = shutil.which("chromium")
                browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
                yield PagedTable(found[0], browser.new_page())
                browser.close()
        finally:
            process.terminate()


def _people(folder: Path) -> None:
    """Somebody who answers for the table, and somebody of its pit."""
    people, hasher = PeopleFile(folder / "people.json"), PinHasher()
    for one in (
        new_person("B-00", "Bench", "administrator"),
        new_person(PERSON, "Bench", "supervisor"),
    ):
        people.change(added(one, PIN, "", hasher), "bench", SystemClock().utc_us())


def measured(cards: int, deals: int) -> dict[str, Any]:
    """Figures from both witnesses to the page's DOM; each deal under the camera at a table of its own."""
    with TemporaryDirectory() as name:
        found = {"shoe_to_page": figures(shoe_to_page(Path(name), cards))}
    taken: list[float] = []
    for number in range(deals):
        with TemporaryDirectory() as name:
            taken += camera_to_page(Path(name), drawn_layout(), list(dealt(number)))
    return {**found, "card_at_rest_to_page": figures(taken)} if taken else found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cards", type=int, default=100, help="Cards of the shoe.")
    parser.add_argument("--deals", type=int, default=3, help="Deals under the camera.")
    asked = parser.parse_args()
    sys.stdout.write(json.dumps(measured(asked.cards, asked.deals), indent=2) + "\n")
