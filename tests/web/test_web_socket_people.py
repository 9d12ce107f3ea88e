"""Sockets by role: what each receives, that nothing is taken from them, and what closes them at once."""

import json
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest
from web_kit import Served
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from controller.acts.catalogue import Bet, Close
from controller.people.access import AccessSettings
from controller.people.sign_in import SessionLimits
from controller.people.store import PeopleFile, disabled, reset
from controller.web.parts import WebSettings
from tests import people_kit

CALM: Final = WebSettings(heartbeat_ms=600_000)
"""A socket that is closed within a test was not closed by the next heartbeat."""

PATIENCE_S: Final = 60.0
SIGNED_OUT: Final = 4401
ONE_OF_EACH: Final = tuple({role: person for person, role in people_kit.PEOPLE}.values())


def screen_of(served: Served, cookie: str, **headers: str) -> ClientConnection:
    return connect(f"ws://{served.host}/ws", additional_headers={"Cookie": cookie, **headers})


def heard(screen: ClientConnection) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(screen.recv(timeout=PATIENCE_S))
    return message


def status_of(served: Served, cookie: str, **headers: str) -> int:
    """The status with which a socket is refused, 101 where it is not."""
    try:
        with screen_of(served, cookie, **headers):
            return 101
    except InvalidStatus as refusal:
        return refusal.response.status_code


def close_code(screen: ClientConnection) -> int | None:
    with suppress(ConnectionClosed):
        while True:
            screen.recv(timeout=PATIENCE_S)
    return screen.protocol.close_code


def test_every_role_receives_the_same_view_and_tells_the_table_nothing(tmp_path: Path) -> None:
    with Served(tmp_path, settings=CALM, enforced=True) as served:
        served.say(Bet(1, 0, 1000), Close())
        served.deal("10h", "7c", "9d", "10s")
        cookies = {person: served.sign_in(person) for person in ONE_OF_EACH}
        served.hush()
        seq, state = served.now.seq, served.now.state
        act = {"do": "freeze", "note": "from a socket"}
        views = []
        for person, cookie in cookies.items():
            with screen_of(served, cookie) as screen:
                assert heard(screen)["type"] == "hello"
                first = heard(screen)
                assert first["type"] == "snapshot"
                views.append(json.dumps(first["view"]))
                for role in ("dealer", "pit", "administrator", "system"):
                    forged = {"actor": "P-7", "by": "P-7", "session": served.sign_in("P-7"), "role": role}
                    body = {"command_id": f"socket-{person}-{role}", "expected_seq": seq, "act": act}
                    screen.send(json.dumps({**body, **forged}))
                    again = heard(screen)
                    assert again["type"] == "snapshot", "whatever a screen says asks for a snapshot"
        assert set(views) == {views[0]}, "nobody's view names what another's does not"
        assert (served.now.seq, served.now.state, served.now.holds) == (seq, state, ())


def test_forged_expired_and_replayed_sessions_open_no_socket(tmp_path: Path) -> None:
    limits = AccessSettings(SessionLimits(other_idle_s=30.0))
    with Served(tmp_path, settings=CALM, access_settings=limits) as served:
        dealer, pit = served.sign_in("D-17"), served.sign_in("P-7")
        name, _, own = dealer.partition("=")
        for forged in ("", f"{name}=", f"{name}=guess", f"{name}={own[:-1]}", f"stand17={own}", own):
            assert status_of(served, forged) == 401
        assert status_of(served, dealer, Origin="http://elsewhere.example") == 403
        assert status_of(served, dealer) == 101
        sign_out(served, dealer)
        assert status_of(served, dealer) == 401, "a session that is over comes back for nobody"
        sessions = served.access.sessions
        before = sessions._mono_s
        sessions._mono_s = lambda: before() + 31
        assert status_of(served, pit) == 401


def sign_out(served: Served, cookie: str) -> None:
    request = urllib.request.Request(f"{served.url}/api/session", headers={"Cookie": cookie}, method="DELETE")
    urllib.request.urlopen(request, timeout=PATIENCE_S).close()


ENDS: Final[dict[str, Callable[[Served, PeopleFile, str], None]]] = {
    "sign-out": lambda served, _file, cookie: sign_out(served, cookie),
    "disabled": lambda _served, file, _cookie: _change(file, disabled("P-7")),
    "another PIN": lambda _served, file, _cookie: _change(
        file, reset("P-7", "918273", None, people_kit.CHEAP)
    ),
    "nothing done": lambda _served, _file, _cookie: None,
}


def _change(file: PeopleFile, update: Any) -> None:
    file.change(update, "console:root", 1)


@pytest.mark.parametrize("end", ENDS)
def test_what_ends_a_session_closes_every_socket_of_the_person_and_no_other(tmp_path: Path, end: str) -> None:
    file = PeopleFile(people_kit.people_file(tmp_path))
    idle_s = 5.0 if end == "nothing done" else 600.0
    limits = AccessSettings(SessionLimits(dealer_idle_s=600.0, other_idle_s=idle_s))
    with Served(tmp_path, settings=CALM, access_settings=limits, book=file) as served:
        first, dealer = served.sign_in("P-7"), served.sign_in("D-17")
        served._cookies.pop("P-7")
        second = served.sign_in("P-7")
        with (
            screen_of(served, first) as one,
            screen_of(served, second) as other,
            screen_of(served, dealer) as dealers,
        ):
            assert [heard(screen)["type"] for screen in (one, other, dealers)] == ["hello"] * 3
            ENDS[end](served, file, first)
            assert [close_code(screen) for screen in (one, other)] == [SIGNED_OUT] * 2
            assert heard(dealers)["type"] == "snapshot"
            dealers.send("still here?")
            assert heard(dealers)["type"] in {"snapshot", "state"}
        assert status_of(served, first) == 401
