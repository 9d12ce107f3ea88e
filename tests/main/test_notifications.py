"""People who are reached outside the page: a real webhook gets each unanswered alert once, and no card."""

import asyncio
import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from controller.acts.catalogue import Paid
from controller.config.notifications import NotifySection
from controller.domain.errors import ConfigError
from controller.main.notifications import DISCREET, Unanswered, message, notify_unanswered, recipients
from controller.runtime.snapshot.log_changes import logger
from tests.runtime.runtime_kit import DEAL, ENDING, OPENING, Bench

MINUTE_US = 60_000_000


class Webhook:
    """A server that keeps what it gets; the first `refused` bodies it does not take."""

    def __init__(self, refused: int = 0) -> None:
        self.bodies: list[str] = []
        self.asked = 0
        outer = self

        class Answer(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.asked += 1
                taken = outer.asked > refused
                if taken:
                    outer.bodies.append(json.loads(body)["message"])
                self.send_response(200 if taken else 503)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
                """Nothing."""

        self.server = HTTPServer(("127.0.0.1", 0), Answer)
        self.url = f"json://127.0.0.1:{self.server.server_port}/"
        Thread(target=self.server.serve_forever, daemon=True).start()


async def notified(path: Path, hook: Webhook, section: NotifySection, *, ahead_us: int) -> None:
    """A payout that was too much stays unanswered, while the clock goes on by `ahead_us`."""
    async with Bench(path) as bench:
        await bench.say(*OPENING)
        await bench.shoe(*DEAL)
        await bench.say(*ENDING)
        await bench.say(Paid(1, 0, 1500))
        clock_us = bench.clock.utc_us() + ahead_us

        def later() -> int:
            nonlocal clock_us
            clock_us += MINUTE_US
            return clock_us

        follower = asyncio.create_task(
            notify_unanswered(bench.table.hub, recipients((section,)), later, logger(), 0.01)
        )
        await bench.until(
            lambda: bool(hook.bodies) or follower.done() or hook.asked > 5 or clock_us > 1 << 61
        )
        for _ in range(20):
            await asyncio.sleep(0.01)
        follower.cancel()
        await asyncio.gather(follower, return_exceptions=True)


def test_an_alert_that_nobody_answers_is_sent_once_and_again_where_it_did_not_arrive(tmp_path: Path) -> None:
    hook = Webhook(refused=1)
    section = NotifySection(urls=(hook.url,), codes=frozenset(("WRONG_PAYOUT",)), after_s=90, language="fr")
    asyncio.run(notified(tmp_path / "t.journal", hook, section, ahead_us=0))
    assert (len(hook.bodies), hook.asked) == (1, 2)
    (body,) = hook.bodies
    assert body.startswith("T1 : Mauvais paiement. Attend")
    assert "15.00" not in body
    assert "10.00" not in body
    hook.server.shutdown()


def test_what_no_guest_may_know_has_no_name_in_a_message() -> None:
    said = {message("BJ1", Unanswered(code, 0), 60, "en") for code in DISCREET}
    assert len(said) == 1
    assert message("BJ1", Unanswered("WRONG_PAYOUT", 0), 60, "en") not in said


def test_an_address_of_no_service_is_refused_without_its_password() -> None:
    section = NotifySection(urls=("nonsense://user:secret@host",))
    with pytest.raises(ConfigError) as refused:
        recipients((section,))
    assert (refused.value.code, refused.value.params) == ("NOTIFY_URL", {"number": 1, "service": "nonsense"})
