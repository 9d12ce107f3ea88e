"""Who may look: whoever is signed in, and the house's monitoring by its token; nobody else sees a card."""

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest
from web_kit import Served
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from controller.config import WebSection
from controller.domain import ConfigError
from controller.web.parts import WebSettings, web_settings
from tests import people_kit

READS: Final = ("/api/state", "/api/facts", "/api/pictures/none", "/metrics", "/openapi.json")
OPEN: Final = ("/", "/api/health", "/api/session", "/api/catalogue/nl")
TOKEN: Final = "0123456789abcdef0123456789abcdef"
PREVIEW: Final = {"obs": {"obs": "void", "box": None, "by": "x", "reason": "y"}}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with Served(tmp_path, settings=WebSettings(metrics_token=TOKEN)) as running:
        yield running


def answer(served: Served, path: str, headers: Mapping[str, str]) -> tuple[int, bytes]:
    try:
        request = urllib.request.Request(served.url + path, headers=dict(headers))
        with urllib.request.urlopen(request, timeout=60) as said:
            return said.status, said.read()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read()


def test_nobody_sees_anything_of_a_table_unless_he_is_signed_in(served: Served) -> None:
    screen, pit = f"stand17_{served.port}", f"stand17_pit_{served.port}"
    for headers in ({}, {"Cookie": f"{screen}=guess"}, {"Cookie": f"{screen}=; {pit}=x"}):
        for path in READS:
            status, body = answer(served, path, headers)
            told = json.loads(body)
            assert (path, status, told["code"]) == (path, 401, "refused.SIGN_IN_NEEDED")
        with (
            pytest.raises(InvalidStatus) as refused,
            connect(f"ws://{served.host}/ws", additional_headers=headers),
        ):
            pass
        assert refused.value.response.status_code == 401
        for path in OPEN:
            assert answer(served, path, headers)[0] in {200, 503}, "503 where the page has not been built"
    assert served.post("/api/preview", PREVIEW)[0] == 401


def test_whoever_is_signed_in_looks_whatever_his_role(served: Served) -> None:
    for person, role in people_kit.PEOPLE:
        headers = {"Cookie": served.sign_in(person)}
        found = {path: answer(served, path, headers)[0] for path in READS}
        assert found == {path: 404 if "pictures" in path else 200 for path in READS}, role
        with connect(f"ws://{served.host}/ws", additional_headers=headers) as screen:
            assert [json.loads(screen.recv())["type"] for _ in range(2)] == ["hello", "snapshot"], role


def test_whoever_looks_takes_no_thread_of_the_table(served: Served) -> None:
    headers = {"Cookie": served.sign_in("D-17")}
    before = set(threading.enumerate())
    for path in READS:
        answer(served, path, headers)
    # One that was there may have ended meanwhile; none has come.
    assert set(threading.enumerate()) <= before


def test_the_monitoring_names_its_token_and_sees_the_figures_alone(served: Served) -> None:
    mine = {"Authorization": f"Bearer {TOKEN}"}
    status, figures = answer(served, "/metrics", mine)
    assert (status, b"stand17_journal_seq" in figures) == (200, True)
    assert answer(served, "/api/state", mine)[0] == 401
    for wrong in (f"Bearer {TOKEN}0", f"Bearer {TOKEN[:-1]}", "Bearer ", "", TOKEN, f"bearer {TOKEN}\u00e9"):
        assert answer(served, "/metrics", {"Authorization": wrong})[0] == 401


def test_without_a_configured_token_no_token_opens_the_figures(tmp_path: Path) -> None:
    with Served(tmp_path) as served:
        assert answer(served, "/metrics", {"Authorization": "Bearer "})[0] == 401
        assert answer(served, "/metrics", served.looking)[0] == 200


def test_a_screen_whose_person_signs_out_elsewhere_sees_no_more(served: Served) -> None:
    headers = {"Cookie": served.sign_in("D-17")}
    with connect(f"ws://{served.host}/ws", additional_headers=headers) as screen:
        assert json.loads(screen.recv())["type"] == "hello"
        request = urllib.request.Request(f"{served.url}/api/session", headers=headers, method="DELETE")
        urllib.request.urlopen(request, timeout=60).close()
        with suppress(ConnectionClosed):
            for _ in range(20):
                screen.recv(timeout=60)
        assert screen.protocol.close_code == 4401
    assert answer(served, "/api/state", headers)[0] == 401


def test_looking_on_keeps_nobody_signed_in_but_surveillance(tmp_path: Path) -> None:
    with Served(tmp_path) as served:
        pit, watch = ({"Cookie": served.sign_in(person)} for person in ("P-7", "E-01"))
        sessions = served.access.sessions
        later, before = sessions._limits.other_idle_s * 0.6, sessions._mono_s
        for passed in (1, 2):
            sessions._mono_s = lambda passed=passed: before() + passed * later  # type: ignore[misc]
            seen = [answer(served, "/api/state", headers)[0] for headers in (pit, watch)]
            assert seen == ([200, 200] if passed == 1 else [401, 200])


def test_a_token_that_is_too_short_or_that_others_read_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "token"
    section = WebSection(metrics_token_file=file)
    for text, mode, code in (
        (None, 0, "METRICS_TOKEN"),
        (TOKEN[:-1], 0o600, "METRICS_TOKEN"),
        ("\u00e9" * 40, 0o600, "METRICS_TOKEN"),
        (TOKEN, 0o640, "METRICS_TOKEN_OPEN"),
    ):
        if text is not None:
            file.write_text(text, encoding="utf-8")
            file.chmod(mode)
        with pytest.raises(ConfigError) as refused:
            web_settings(section)
        assert refused.value.code == code
    file.chmod(0o600)
    assert web_settings(section).metrics_token == TOKEN
