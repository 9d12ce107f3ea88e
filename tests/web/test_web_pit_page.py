"""The pit's page: a session of its own beside the dealer's, the rounds of the day, and a second table."""

import json
import threading
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from web_kit import Served

from controller.acts.catalogue import (
    Bet,
    CardSeen,
    Close,
    Correct,
    Decision,
    End,
    Paid,
    Reveal,
    ShoeEnded,
    ShoeLoaded,
)
from controller.domain import Card
from tests import people_kit

RECORDED = Path(__file__).parents[1] / "journals" / "release_0.1.0_six_rounds.journal"


class PitPage:
    """A browser on the pit's page, with the cookie that it got there."""

    def __init__(self, served: Served, person: str = "S-02") -> None:
        self._served = served
        body = {"actor": person, "pin": people_kit.PINS[person]}
        self.status, self.answer, cookie = self._ask("/pit/api/session", body)
        self.cookie, _, self.attributes = cookie.partition(";")

    def ask(self, path: str, body: dict[str, Any] | None = None) -> tuple[int, Any]:
        status, answer, _ = self._ask(f"/pit{path}", body, Cookie=self.cookie)
        return status, answer

    def command(self, act: dict[str, Any], **fields: Any) -> tuple[int, Any]:
        body = {"command_id": f"pit-{id(act)}-{self._served.now.seq}", "role": "pit", "act": act}
        return self.ask("/api/commands", {**body, "expected_seq": self._served.now.seq, **fields})

    def _ask(self, path: str, body: dict[str, Any] | None, **headers: str) -> tuple[int, Any, str]:
        data = None if body is None else json.dumps(body).encode()
        asks = urllib.request.Request(
            self._served.url + path, data, {"Content-Type": "application/json", **headers}
        )
        try:
            with urllib.request.urlopen(asks, timeout=120) as answer:
                return answer.status, json.load(answer), answer.headers.get("Set-Cookie", "")
        except urllib.error.HTTPError as refusal:
            return refusal.code, json.loads(refusal.read() or b"{}"), ""


def a_round(served: Served, paid: int = 3000) -> None:
    """Box 1 pushes on 17, box 2 wins 15 with 19 and box 3 loses 50; the table is cleared afterwards."""
    served.say(Bet(1, 0, 1000), Bet(2, 0, 1500), Bet(3, 0, 5000), Close())
    served.deal("10h", "10c", "10d", "9c", "7s", "9d", "6d", "8s")
    served.say(*(Decision(box, 1, "stand") for box in (1, 2, 3)), Reveal())
    served.say(Paid(1, 0, 1000), Paid(2, 0, paid), End())


def test_the_pit_watches_with_a_session_of_its_own(tmp_path: Path) -> None:
    with Served(tmp_path) as served:
        page = PitPage(served)
        assert "Path=/pit" in page.attributes
        status, session = page.ask("/api/session")
        assert (status, session["screen"]["id"], session["pit"], session["table"]) == (
            200,
            "S-02",
            None,
            "BJ 04",
        )
        assert 0 < session["left_s"] <= 120
        # What is signed in at the dealer's screen counts for nothing here, nor the other way round.
        dealer = served.sign_in(people_kit.DEALER)
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(
                urllib.request.Request(f"{served.url}/pit/api/state", headers={"Cookie": dealer}), timeout=60
            )
        with pytest.raises(urllib.error.HTTPError, match="401"):
            urllib.request.urlopen(
                urllib.request.Request(f"{served.url}/api/state", headers={"Cookie": page.cookie}), timeout=60
            )
        refused = page.command({"do": "handled", "round": 1, "box": 1}, role="dealer")
        assert (refused[0], refused[1]["code"]) == (409, "refused.ACTOR_DIFFERS")


def test_the_page_is_for_whoever_may_read_the_record(tmp_path: Path) -> None:
    with Served(tmp_path) as served:
        answers = {who: PitPage(served, who) for who in ("D-17", "E-01", "A-01")}
        assert [page.status for page in answers.values()] == [409, 200, 200]
        assert answers["D-17"].answer["code"] == "refused.NOT_ALLOWED"


def test_dealer_and_pit_act_in_the_same_second(tmp_path: Path) -> None:
    with Served(tmp_path) as served:
        page = PitPage(served)
        served.sign_in(people_kit.DEALER)
        served.say(Bet(1, 0, 1000), Close())
        served.deal("10h", "10c", "5c", "8s")
        together, answers = threading.Barrier(2), {}

        def act(who: str, do: Any) -> None:
            together.wait()
            answers[who] = do()

        hands = {
            "dealer": lambda: served.observe("decision", box=1, hand=1, action="stand"),
            "pit": lambda: page.command({"do": "alert", "alert": 1, "step": "ack"}),
        }
        threads = [threading.Thread(target=act, args=one) for one in hands.items()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert answers["dealer"][0] == 200, answers
        assert answers["pit"][1]["code"] == "refused.ALERT_UNKNOWN", answers
        # And the dealer's keys stay while the pit is signed in.
        assert served.state()["editing_by"] is None


def test_the_rounds_of_the_day_are_found_by_what_one_remembers(tmp_path: Path) -> None:
    with Served(tmp_path, enforced=True) as served:
        page = PitPage(served)
        a_round(served)
        a_round(served)
        found = page.ask("/api/rounds")[1]
        assert [row["round"] for row in found["rows"]] == [2, 1]
        assert (found["rounds"], found["house"]["money"], found["open"]) == (2, "+70.00", [])
        code = found["rows"][1]["code"]
        wanted = {
            "1": [1],
            code: [1],
            code.lower(): [1],
            "box 2 30.00": [2, 1],
            "case 2 15,00": [2, 1],
            "box 1 30.00": [],
            "D-99": [],
            "35": [],
        }
        for text, rounds in wanted.items():
            listed = page.ask(f"/api/rounds?find={urllib.parse.quote(text)}")[1]
            assert [row["round"] for row in listed["rows"]] == rounds, text
        assert page.ask("/api/rounds?kind=corrected")[1]["rows"] == []
        assert page.ask("/api/rounds?kind=x")[0] == 422


def test_a_round_opened_has_its_money_and_who_did_what_in_sentences(tmp_path: Path) -> None:
    with Served(tmp_path, enforced=True) as served:
        page = PitPage(served)
        a_round(served)
        a_round(served)
        served.say(Correct(2, None, "9", "c", "kit", "MISREAD", round=1), Paid(2, 0, 1500, round=1))
        status, sheet = page.ask("/api/rounds/1")
        assert status == 200
        assert (sheet["previous"], sheet["next"], sheet["row"]["corrected"]) == (None, 2, True)
        money = {row["box"]: row for row in sheet["money"]}
        # Box 2 has 18 against 17 still; the payout that was put right afterwards is the wrong one now.
        assert (money[2]["was"]["money"], money[2]["paid"]["money"]) == ("+15.00", "0.00")
        assert money[2]["difference"]["money"] == "-15.00"
        ruling, payout = sheet["corrections"]
        assert (ruling["reason"]["word"], ruling["text"]["code"]) == ("reason.MISREAD", "did.correct_placed")
        assert [change["change"]["money"] for change in payout["changes"]] == ["-15.00", "-15.00"]
        codes = [deed["text"]["code"] for deed in sheet["deeds"]]
        assert codes[:4] == ["did.bet", "did.bet", "did.bet", "did.close"]
        assert {
            "did.card_total",
            "did.decision_stand",
            "did.reveal",
            "did.settled",
            "did.paid",
            "did.correct_placed",
        } <= set(codes)
        assert "did.paid_late" in codes
        assert page.ask("/api/rounds/9")[0] == 404
        assert page.ask("/api/played/1")[0] == 200


def test_a_face_down_card_is_in_no_round_that_the_page_lists(tmp_path: Path) -> None:
    with Served(tmp_path) as served:
        page = PitPage(served)
        served.say(Bet(1, 0, 1000), Close())
        served.deal("10h", "10c", "9c", "8s")
        assert page.ask("/api/rounds")[1]["rows"] == []
        assert page.ask("/api/rounds/1")[0] == 404
        told = json.dumps([page.ask(path)[1] for path in ("/api/ledger", "/api/figures", "/api/tables")])
        assert "8♠" not in told
        assert '"8s"' not in told
        shoe = page.ask("/api/shoe")[1]
        assert (shoe["dealt"], shoe["ranks"], shoe["order"]) == (4, [], "off")


def test_the_shoe_is_checked_from_its_settled_rounds(tmp_path: Path) -> None:
    with Served(tmp_path) as served:
        page = PitPage(served)
        served.say(ShoeLoaded(6))
        a_round(served)
        shoe = page.ask("/api/shoe")[1]
        assert (shoe["shoe"], shoe["dealt"], shoe["size"], shoe["each"]) == (1, 8, 312, 24)
        assert {one["rank"]: one["count"] for one in shoe["ranks"] if one["count"]} == {
            **{"6": 1, "7": 1, "8": 1, "9": 2},
            "10": 3,
        }
        # By hand: 13 ranks, of which each comes three times among eight cards in 1.8 % of shoes.
        assert (shoe["one_in"], shoe["last_count"]) == (4, None)
        served.say(ShoeEnded((Card("A", "h"),)))
        counted = page.ask("/api/shoe")[1]["last_count"]
        assert (counted["shoe"], counted["missing"], counted["extra"]) == (1, 303, 0)
        served.say(ShoeLoaded(6))
        shoe = page.ask("/api/shoe")[1]
        assert (shoe["shoe"], shoe["dealt"], shoe["ranks"], shoe["last_count"]) == (2, 0, [], counted)
        assert PitPage(served, people_kit.DEALER).ask("/api/shoe")[0] == 401


def test_a_recorded_table_stands_beside_the_live_one(tmp_path: Path) -> None:
    with Served(tmp_path, beside=(RECORDED,)) as served:
        page = PitPage(served)
        served.say(Bet(1, 0, 1000), CardSeen("9", "h", by="shoe"))
        served.until(lambda: len(served.beside.tables) == 1)
        live, left = page.ask("/api/tables")[1]
        assert (live["table"], live["elsewhere"], live["seats"][0]) == ("BJ 04", False, "stake")
        assert left["elsewhere"]
        there = f"/tables/{urllib.parse.quote(left['table'])}/api"
        assert page.ask(f"{there}/state")[1]["table"] == left["table"]
        rows = page.ask(f"{there}/rounds")[1]["rows"]
        assert len(rows) == 6
        sheet = page.ask(f"{there}/rounds/{rows[-1]['round']}")
        assert sheet[0] == 200
        freeze = {"do": "freeze", "note": ""}
        act = {"command_id": "pit-elsewhere", "role": "pit", "act": freeze, "expected_seq": 1}
        assert page.ask(f"{there}/commands", act)[1]["code"] == "refused.TABLE_ELSEWHERE"
        assert page.ask("/tables/none/api/state")[0] == 404
