"""The server from outside: state, commands, sign-in, previews, socket, page, headers."""

import gzip
import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from web_kit import Served
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from controller.acts.catalogue import Bet, CardSeen, Close, Decision, End
from controller.i18n import catalogue
from controller.web.packed_files import CONSOLE
from tests import people_kit

FRONTEND = Path(__file__).parents[2] / "controller/web/frontend/src"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with Served(tmp_path) as running:
        yield running


def chip(served: Served, value: str, *, box: int = 1, off: bool = False) -> tuple[int, dict[str, Any]]:
    return served.command({"do": "chip", "box": box, "seat": 0, "chip": value, "off": off})


def stake(served: Served, box: int = 1) -> str | None:
    found: str | None = served.state()["boxes"][box - 1]["stake"]
    return found


def line(served: Served) -> str:
    code: str = served.state()["prompts"][0]["line"]["code"]
    return code


def test_chips_add_up_to_a_stake_and_come_off_again(served: Served) -> None:
    for value in ("5", "5", "25"):
        assert chip(served, value)[0] == 200
    assert stake(served) == "35.00"
    assert chip(served, "25", off=True)[0] == 200
    assert stake(served) == "10.00"
    assert served.now.state.boxes[0].bets == ((0, 1000),)


def test_chips_below_the_minimum_wait_and_hold_the_deal_back(served: Served) -> None:
    assert chip(served, "1")[0] == 200
    view = served.state()
    assert view["boxes"][0]["seats"][0]["short"]["code"] == "refused.STAKE_BELOW_MIN"
    dealt_in = served.now.state.boxes
    assert dealt_in == ()
    for _ in range(3):
        chip(served, "1")
    assert served.state()["boxes"][0]["seats"][0]["short"] is None
    assert served.now.state.boxes[0].bets == ((0, 400),)


def test_a_stake_that_sinks_below_the_minimum_no_longer_counts(served: Served) -> None:
    chip(served, "5")
    chip(served, "1")
    chip(served, "5", off=True)
    assert stake(served) == "1.00"
    assert served.now.state.boxes == ()


def test_chips_that_never_became_a_stake_are_told_after_the_deal(served: Served) -> None:
    chip(served, "1", box=2)
    served.say(Bet(1, 0, 1000), Close())
    served.deal("10h")
    detail = served.state()["prompts"][0]["detail"]
    assert detail[0]["code"] == "note.CHIPS_NOT_TAKEN"


def test_a_chip_above_the_maximum_is_refused_and_changes_nothing(served: Served) -> None:
    served.say(Bet(1, 0, 20000))
    status, answer = chip(served, "5")
    assert (status, answer["code"]) == (409, "refused.STAKE_ABOVE_MAX")
    assert answer["params"]["limit"] == {"money": "200.00"}
    assert stake(served) == "200.00"


def test_clear_takes_every_chip_off(served: Served) -> None:
    served.say(Bet(1, 0, 1000), Bet(1, 1, 500))
    chip(served, "1", box=2)
    assert served.command({"do": "clear", "box": 1})[0] == 200
    assert served.command({"do": "clear", "box": 2})[0] == 200
    assert (stake(served, 1), stake(served, 2)) == (None, None)


def test_the_same_press_sent_twice_counts_once(served: Served) -> None:
    served.say(Bet(1, 0, 1000), Close())
    served.deal("5h", "6c", "4d", "9d")
    act = {"do": "observe", "obs": {"obs": "decision", "box": 1, "hand": 1, "action": "double"}}
    first = served.command(act, command_id="press-0001")
    again = served.command(act, command_id="press-0001")
    assert first == again
    assert first[0] == 200


def test_a_press_on_an_older_sight_is_refused(served: Served) -> None:
    served.say(Bet(1, 0, 1000), Close())
    served.deal("5h", "6c", "4d", "9d")
    seen = served.now.seq
    served.deal("2h")
    act = {"do": "observe", "obs": {"obs": "decision", "box": 1, "hand": 1, "action": "stand"}}
    status, answer = served.command(act, expected_seq=seen)
    assert (status, answer["code"]) == (409, "refused.STALE_COMMAND")


def test_what_the_rules_forbid_is_told_with_its_code(served: Served) -> None:
    served.say(Bet(1, 0, 1000), Close())
    served.deal("5h", "6c", "4d", "9d")
    status, answer = served.observe("decision", box=1, hand=1, action="split")
    assert (status, answer["code"]) == (409, "refused.SPLIT_NOT_ALLOWED")


def test_a_dealer_cannot_correct_and_a_stranger_cannot_be_the_pit(served: Served) -> None:
    served.say(Bet(1, 0, 1000), Close())
    served.deal("5h", "6c", "4d", "9d")
    fact = {"obs": "correct", "card": 1, "rank": "9", "by": "D-17", "reason": "MISREAD"}
    act = {"do": "observe", "obs": fact}
    assert served.command(act)[1]["code"] == "refused.NOT_ALLOWED"
    assert served.command(act, role="pit")[1]["code"] == "refused.SIGN_IN_NEEDED"
    assert served.command(act, role="pit", grant="guess")[1]["code"] == "refused.SIGN_IN_NEEDED"


def test_the_pit_previews_and_corrects_a_card(served: Served) -> None:
    served.say(Bet(1, 0, 1000), Close())
    served.deal("10h", "6c", "9d", "10s")
    served.say(Decision(1, 1, "stand"))
    served.observe("reveal")
    served.deal("5d")
    assert stake(served) == "10.00"
    fact = {"obs": "correct", "card": 1, "rank": "7", "by": "S-02", "reason": "MISREAD"}
    status, shown = served.post("/api/preview", {"obs": fact}, **served.looking)
    assert status == 200
    assert [(row["total_before"], row["total_after"]) for row in shown["hands"]] == [("19", "16")]
    assert shown["hands"][0]["outcome_after"] == "lose"
    assert served.state()["boxes"][0]["hands"][0]["total"] == "19"
    pit = {"role": "pit", "actor": "S-02"}
    assert served.command({"do": "observe", "obs": fact}, **pit)[0] == 200
    hand = served.state()["boxes"][0]["hands"][0]
    assert (hand["total"], hand["outcome"]) == ("16", "lose")


BOX_1_LOSES: Final = {
    "box": 1,
    "seat": 0,
    "before": {"money": "+10.00"},
    "after": {"money": "-10.00"},
    "change": {"money": "-20.00"},
    "owed": None,
}


def test_a_preview_of_money_shows_what_the_house_gains(served: Served) -> None:
    served.say(Bet(1, 0, 1000), Close())
    served.deal("10h", "6c", "9d", "10s")
    served.say(Decision(1, 1, "stand"))
    served.observe("reveal")
    served.deal("2d")
    fact = {"obs": "correct", "card": 1, "rank": "7", "by": "S-02", "reason": "MISREAD"}
    _, shown = served.post("/api/preview", {"obs": fact}, **served.looking)
    assert shown["money"] == [BOX_1_LOSES]
    assert shown["house_change"] == {"money": "+20.00"}
    assert [
        (row["text"]["code"], row["before"]["money"], row["after"]["money"]) for row in shown["house"]
    ] == [
        ("ui.house_round", "-10.00", "+10.00"),
        ("ui.house_shift", "-10.00", "+10.00"),
    ]


def test_a_correction_in_progress_rests_the_dealers_keys(served: Served) -> None:
    served.say(Bet(1, 0, 1000), Close())
    served.deal("5h", "6c", "4d", "9d")
    pit = {"role": "pit", "actor": "S-02"}
    assert served.command({"do": "editing", "on": True}, **pit)[0] == 200
    assert line(served) == "line.PLAYER", "a page on which no card is chosen stops nobody"
    assert served.command({"do": "editing", "on": True, "card": 1}, **pit)[0] == 200
    assert served.state()["prompts"][0]["line"] == {"code": "line.PIT_EDITING_BOX", "params": {"box": 1}}
    act = {"do": "observe", "obs": {"obs": "decision", "box": 1, "hand": 1, "action": "stand"}}
    assert served.command(act)[1]["code"] == "refused.PIT_IS_EDITING"
    served.command({"do": "editing", "on": False}, **pit)
    assert line(served) == "line.PLAYER"


def test_the_correction_of_a_settled_round_keeps_no_dealer_waiting(served: Served) -> None:
    """Nor does a card that is none of the running round."""
    served.say(Bet(1, 0, 1000), Close())
    served.deal("10h", "6c", "9d", "10s")
    pit = {"role": "pit", "actor": "S-02"}
    served.command({"do": "editing", "on": True, "card": 9}, **pit)
    assert line(served) == "line.PLAYER"
    served.say(Decision(1, 1, "stand"))
    served.observe("reveal")
    served.deal("2d")
    shown = line(served)
    served.command({"do": "editing", "on": True, "card": 1}, **pit)
    assert line(served) == shown != "line.PIT_EDITING_BOX"
    served.say(End(), Bet(1, 0, 1000))
    served.command({"do": "editing", "on": True, "card": 1}, **pit)
    assert line(served) == "line.PLACE_BETS"


def test_a_frozen_table_takes_nothing_until_the_pit_lifts_it(served: Served) -> None:
    served.say(Bet(1, 0, 1000), Close())
    assert served.command({"do": "freeze", "note": "BOX 1"})[0] == 200
    assert line(served) == "line.STOP"
    assert served.command({"do": "resume", "without": []})[1]["code"] == "refused.NOT_ALLOWED"
    pit = {"role": "pit", "actor": "S-02"}
    assert served.command({"do": "resume", "without": []}, **pit)[0] == 200
    assert line(served) == "line.DEAL_BOX"


def test_an_alert_is_seen_and_resolved(served: Served) -> None:
    served.say(Bet(1, 0, 1000), Close())
    served.deal("5h", "6c", "4d", "9d")
    served.say(CardSeen("9", "s", to="box", box=5))
    alert = served.state()["alerts"][0]
    assert alert["text"]["code"] == "alert.CARD_TO_EMPTY_BOX"
    step = {"do": "alert", "alert": alert["alert"], "step": "ack", "note": ""}
    assert served.command(step)[0] == 200
    assert served.state()["alerts"][0]["status"] == "acked"


def test_pins_are_checked_and_lock_after_three_tries(served: Served) -> None:
    right = {"actor": "S-02", "pin": people_kit.PINS["S-02"]}
    assert served.post("/api/session", right)[0] == 200
    assert served.post("/api/session", {**right, "actor": "S-99"})[1]["code"] == "refused.PIN_WRONG"
    for _ in range(3):
        served.post("/api/session", {**right, "pin": "000000"})
    status, answer = served.post("/api/session", right)
    assert (status, answer["code"]) == (409, "refused.PIN_LOCKED")


def test_a_malformed_command_is_refused_with_its_field(served: Served) -> None:
    wrong = [
        served.command({"do": "dance"}),
        served.command({"do": "chip", "box": 1, "seat": 0, "chip": "5", "offf": True}),
        served.command({"do": "chip", "box": 1, "seat": -1, "chip": "5"}),
        served.observe("bet", box=1, seat=0),
        served.observe("decision", box=1, hand=1, action="stand", seats=[0, 100]),
        served.observe("card", by="pit"),
        served.observe("bet", box=1, seat=0, stake=500, t=1.5),
        served.post("/api/preview", {"obs": {"obs": "strike", "by": "x", "reason": "y"}}, **served.looking),
    ]
    assert {status for status, _ in wrong} == {422}
    assert {answer["code"] for _, answer in wrong} == {"error.REQUEST_WRONG"}
    assert [answer["params"]["field"] for _, answer in wrong] == [
        "act",
        "act.offf",
        "act.seat",
        "act.obs.stake",
        "act.obs.seats.1",
        "act.obs.rank",
        "act.obs.t",
        "obs.card",
    ]
    assert served.now.seq == 4, "nothing was asked of the table but to note a sign-in, and who deals"
    assert chip(served, "-5")[1]["code"] == "refused.CHIP_UNKNOWN"


def test_the_socket_says_hello_then_the_table_then_changes(served: Served) -> None:
    with connect(f"ws://{served.host}/ws", additional_headers=served.looking) as live:
        assert json.loads(live.recv())["type"] == "hello"
        snapshot = json.loads(live.recv())
        assert snapshot["type"] == "snapshot"
        served.say(Bet(2, 0, 1000))
        change = json.loads(live.recv(timeout=60))
        while change["seq"] == snapshot["seq"]:
            change = json.loads(live.recv(timeout=60))
        assert change["type"] == "state"
        assert change["view"]["boxes"][1]["stake"] == "10.00"
        live.send(json.dumps({"type": "snapshot"}))
        kinds = [json.loads(live.recv(timeout=60))["type"] for _ in range(2)]
        assert "snapshot" in kinds


def test_the_socket_beats_while_nothing_happens(served: Served) -> None:
    served.hush()
    with connect(f"ws://{served.host}/ws", additional_headers=served.looking) as live:
        kinds = [json.loads(live.recv(timeout=60))["type"] for _ in range(3)]
    assert kinds == ["hello", "snapshot", "beat"]


def test_another_sites_page_is_kept_out(served: Served) -> None:
    with (
        pytest.raises((ConnectionClosed, InvalidStatus)),
        connect(
            f"ws://{served.host}/ws", origin=Origin("http://evil.example"), additional_headers=served.looking
        ) as live,
    ):
        live.recv(timeout=60)
    body = {"actor": "S-02", "pin": people_kit.PINS["S-02"]}
    assert served.post("/api/session", body, Origin="http://evil.example")[0] == 403
    assert served.post("/api/session", body, Origin=served.url)[0] == 200
    with pytest.raises(urllib.error.HTTPError, match="400"):
        served.get_as_host("/api/state", "evil.example")
    served.get_as_host("/api/state", "192.168.7.20:8017")
    served.get_as_host("/api/state", "localhost")


def test_every_answer_carries_the_policy(served: Served) -> None:
    for path in ("/", "/api/state", "/api/catalogue/nl"):
        headers = served.headers(path)
        assert headers["content-security-policy"].startswith("default-src 'self'")
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert {"camera=()", "microphone=()"} <= set(headers["permissions-policy"].split(", "))
        assert "strict-transport-security" not in headers, "without TLS a browser could not come back"


@pytest.mark.parametrize("taken", ["gzip, br", "br", ""])
def test_what_a_page_fetches_once_is_packed_and_kept(served: Served, taken: str) -> None:
    page = served.get("/").decode()
    (script,) = re.findall(r'src="(/static/assets/index-[^"]+\.js)"', page)
    assert served.headers("/")["cache-control"] == "no-store"
    for path, kept in ((script, "public, max-age=31536000, immutable"), ("/api/catalogue/de", "no-store")):
        asked = urllib.request.Request(served.url + path, headers={"Accept-Encoding": taken})
        with urllib.request.urlopen(asked, timeout=60) as answer:
            body, headers = answer.read(), answer.headers
        assert (headers["cache-control"], headers["vary"]) == (kept, "Accept-Encoding")
        assert headers["content-encoding"] == ("gzip" if "gzip" in taken else None)
        plain = served.get(path)
        assert (gzip.decompress(body) if "gzip" in taken else body) == plain
        assert "gzip" not in taken or len(body) < len(plain) / 2
        assert headers["content-type"].partition(";")[0] in {"text/javascript", "application/json"}


def test_a_page_is_sent_every_text_but_those_of_the_console(served: Served) -> None:
    sent = json.loads(served.get("/api/catalogue/en"))
    missing = {key.partition(".")[0] for key in catalogue("en").keys() - sent.keys()}
    assert missing == CONSOLE
    source = "".join(path.read_text() for path in FRONTEND.rglob("*.ts*"))
    assert re.findall(rf"""["'`](?:{"|".join(missing)})\.\w+["'`]""", source) == []


def test_metrics_count_commands_by_answer(served: Served) -> None:
    chip(served, "5")
    served.command({"do": "resume", "without": []})
    text = served.get("/metrics").decode()
    assert 'stand17_commands_total{answer="accepted"} 1.0' in text
    assert 'stand17_commands_total{answer="NOT_HELD"} 1.0' in text
    assert 'stand17_device_live{name="shoe"} 1.0' in text
