"""Two programs on one machine, each at a port of its own, in one browser."""

import http.cookiejar
import json
import urllib.request
from pathlib import Path

from fastapi import APIRouter, FastAPI
from web_kit import Served

from controller.studio.app import StudioGate, local_app
from tests import people_kit
from tests.studio.studio_kit import TOKEN, LocalServer


def _browser() -> urllib.request.OpenerDirector:
    return urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))


def test_a_sign_in_at_one_port_signs_nobody_out_at_another(tmp_path: Path) -> None:
    """A browser gives a host's cookies to all of its ports."""
    browser = _browser()
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    with Served(tmp_path / "one") as one, Served(tmp_path / "two") as two:
        for served in (one, two):
            body = json.dumps({"actor": "D-17", "pin": people_kit.PINS["D-17"]}).encode()
            asked = urllib.request.Request(
                f"{served.url}/api/session", body, {"Content-Type": "application/json"}
            )
            assert browser.open(asked).status == 200
        for served in (one, two):
            assert browser.open(f"{served.url}/api/state").status == 200


def _local(gate: StudioGate) -> FastAPI:
    router = APIRouter()

    @router.get("/there")
    async def there() -> str:
        return "here"

    return local_app("local", "studio.html", gate, router)


def test_a_local_page_stays_open_beside_another_one() -> None:
    browser = _browser()
    with LocalServer(_local) as one, LocalServer(_local) as two:
        for local in (one, two):
            assert browser.open(f"http://127.0.0.1:{local.port}/?token={TOKEN}").status == 200
        for local in (one, two):
            assert browser.open(f"http://127.0.0.1:{local.port}/there").status == 200
