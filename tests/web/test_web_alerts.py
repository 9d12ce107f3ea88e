"""Alerts of the pit: equal ones are one row, with money and place; a mended cause closes its own."""

import json
from pathlib import Path

from view_kit import after, cards, table, view_of
from web_kit import Served

from controller.acts.catalogue import Bet, Close, Decision, DeviceSeen, Paid, Reveal
from controller.ports import Report
from controller.runtime.api import AlertView, HoldView


def alert(number: int, code: str, at_utc_us: int, **params: int | str) -> AlertView:
    return AlertView(number, code, "warning", 1, tuple(params.items()), at_utc_us, "open", "", "")


def test_equal_alerts_are_one_row_with_what_is_at_stake() -> None:
    state = after(table(), Bet(2, 0, 1500), Bet(2, 1, 400), *cards("10", "9"))
    unread = [alert(number, "CAMERA_UNREAD", number, box=2) for number in (4, 9)]
    other = alert(6, "CAMERA_UNREAD", 6, box=3)._replace(status="assigned", by="pit:S-02", note="technician")
    wrong = alert(7, "WRONG_PAYOUT", 7, box=2, seat=0, paid=1000, expected=3000)
    hold = HoldView("WRONG_PAYOUT", wrong.params, 7, "system:table")
    rows = view_of(state, alerts=(unread[0], other, wrong, unread[1]), holds=(hold,)).alerts
    told = [(row.alerts, row.since_utc_us, row.box, row.money, row.status, row.holds) for row in rows]
    assert told == [
        ((4, 9), 4, 2, "19.00", "open", False),
        ((7,), 7, 2, "20.00", "open", True),
        ((6,), 6, 3, None, "assigned", False),
    ]
    assert (rows[2].by, rows[2].note) == ("S-02", "technician")


def test_a_payout_put_right_closes_its_alert_and_says_so(tmp_path: Path) -> None:
    with Served(tmp_path, enforced=True) as served:
        served.say(Bet(1, 0, 1000), Close())
        served.deal("10h", "10c", "9c", "8s")
        served.say(Decision(1, 1, "stand"), Reveal(), Paid(1, 0, 1500))
        (row,) = served.state()["alerts"]
        assert (row["text"]["code"], row["money"], row["holds"]) == ("alert.WRONG_PAYOUT", "5.00", True)
        served.say(Paid(1, 0, 2000, round=1))
        assert served.now.holds == ()
        assert served.state()["alerts"] == []
        # On disk it is a step like any other, with its reason.
        steps = [line for line in served.call(served.lines()) if line.kind == "alert_step"]
        assert [(line.actor, '"note": "MENDED"' in line.body) for line in steps] == [("system:table", True)]


def test_an_alert_cannot_be_resolved_while_the_table_waits_for_its_cause(tmp_path: Path) -> None:
    with Served(tmp_path, enforced=True) as served:
        served.say(Bet(1, 0, 1000), Close())
        served.deal("10h", "10c", "9c", "8s")
        served.say(Decision(1, 1, "stand"), Reveal(), Paid(1, 0, 1500))
        (row,) = served.state()["alerts"]
        resolve = {"do": "alert", "alert": row["alert"], "step": "resolve", "note": "CHECKED"}
        assert served.command(resolve, role="pit", actor="S-02")[1]["code"] == "refused.ALERT_HOLDS"
        seen = {"do": "alert", "alert": row["alert"], "step": "ack"}
        assert served.command(seen, role="pit", actor="S-02")[0] == 200
        assert [one["status"] for one in served.state()["alerts"]] == ["acked"]


def test_a_device_that_answers_again_closes_its_alert_and_leaves_the_hold(tmp_path: Path) -> None:
    with Served(tmp_path) as served:
        for state in ("lost", "live"):
            before = served.now.seq
            served.report(Report("shoe", 0, (DeviceSeen("shoe", state),)))
            served.until(lambda: served.now.seq > before)  # noqa: B023 - awaited within the turn
            assert [one["text"]["code"] for one in served.state()["alerts"]] == (
                ["alert.DEVICE_BACK"] if state == "lost" else []
            )
        assert [hold.code for hold in served.now.holds] == ["DEVICE_LOST"]


def test_a_late_bet_is_a_row_for_the_pit_and_stops_nothing(tmp_path: Path) -> None:
    with Served(tmp_path, enforced=True) as served:
        served.say(Bet(1, 0, 1000), Close())
        late = {"do": "observe", "obs": {"obs": "bet", "box": 2, "seat": 0, "stake": 1500}}
        for _ in range(2):
            assert served.command(late, role="dealer")[1]["code"] == "refused.BETS_CLOSED"
        assert served.now.holds == ()
        (row,) = served.state()["alerts"]
        assert (row["severity"], row["box"], row["text"]["code"]) == ("warning", 2, "alert.LATE_BET")
        assert row["text"]["params"] == {
            "box": 2,
            "seat": 0,
            "stake": {"money": "15.00"},
            "stage": {"word": "stage.closed", "params": {}},
        }
        kept = [line for line in served.call(served.lines()) if line.kind in ("refused", "trouble")]
        assert [line.kind for line in kept] == ["refused", "trouble", "refused"]


def test_an_alert_about_two_readings_leads_to_the_box_where_the_card_lies() -> None:
    state = after(table(), Bet(2, 0, 1500), *cards("10", "9"))
    apart = alert(7, "CARD_READ_DIFFERENTLY", 7, shoe="8h", camera="3h", line=4)
    other = alert(8, "CARD_NOT_ARRIVED", 8, shoe="9c", line=5)
    hold = HoldView("CARD_READ_DIFFERENTLY", apart.params, 7, "system:table", box=2)
    view = view_of(state, alerts=(apart, other), holds=(hold,))
    rows = view.alerts
    # The pit's dialog shows what the cameras see there; a card that lies nowhere has no place.
    assert {row.text.params["shoe"]: row.box for row in rows} == {"8h": 2, "9c": -1}
    # Two equal answers.
    assert [(one.card.rank, one.card.suit) for one in view.holds[0].readings] == [("8", "h"), ("3", "h")]
    secret = hold._replace(params=(("shoe", "?"), ("camera", "3h")))
    assert view_of(state, holds=(secret,)).holds[0].readings == ()


def test_the_pit_stops_the_table_and_writes_to_the_dealer_who_answers(tmp_path: Path) -> None:
    pit = {"actor": "S-02", "role": "pit"}
    with Served(tmp_path, enforced=True) as served:
        written = {"obs": "message", "text": "the cage pays box 1"}
        assert served.command({"do": "observe", "obs": written})[1]["code"] == "refused.NOT_ALLOWED"
        assert served.command({"do": "observe", "obs": written}, **pit)[0] == 200
        prompt = served.state()["prompts"][0]
        assert prompt["detail"][0]["params"] == {"text": "the cage pays box 1"}
        seen = next(key for key in prompt["bar"]["keys"] if key["key"] == "MESSAGE_SEEN")
        assert served.command(seen["acts"][0])[0] == 200
        (row,) = served.state()["alerts"]
        assert (row["status"], row["by"], row["severity"]) == ("acked", "D-17", "info")
        assert "MESSAGE_SEEN" not in [key["key"] for key in served.state()["prompts"][0]["bar"]["keys"]]
        # A usual line is read in the dealer's language, whatever the pit's is.
        assert served.command({"do": "observe", "obs": {"obs": "message", "text": "COMING"}}, **pit)[0] == 200
        told = served.state()["prompts"][0]["detail"][0]["params"]["text"]
        assert told == {"word": "reason.COMING", "params": {}}

        stop = {"do": "observe", "obs": {"obs": "freeze", "reason": "two guests quarrel"}}
        assert served.command(stop, **pit)[0] == 200
        remark = {"do": "observe", "obs": {"obs": "note", "text": "they quarrel about box 2"}}
        assert served.command(remark)[0] == 200
        assert served.observe("bet", box=1, seat=0, stake=1000)[1]["code"] == "refused.TABLE_HELD"
        assert served.command({"do": "resume"})[1]["code"] == "refused.NOT_ALLOWED"
        assert served.command({"do": "resume"}, **pit)[0] == 200
        assert served.observe("bet", box=1, seat=0, stake=1000)[0] == 200
        served.restart()
        facts = [json.loads(line.body) for line in served.call(served.lines()) if line.kind == "fact"]
        kept = {fact["obs"]: (fact.get("by"), fact.get("text", fact.get("reason"))) for fact in facts}
        assert kept["message"] == ("S-02", "COMING")
        assert kept["freeze"] == ("S-02", "two guests quarrel")
        assert kept["note"] == ("D-17", "they quarrel about box 2")


def test_a_ruling_that_names_nobody_is_the_signed_in_persons(tmp_path: Path) -> None:
    with Served(tmp_path, enforced=True) as served:
        served.say(Bet(1, 0, 1000), Close())
        void = {"obs": "void", "reason": "the guest has left"}
        pit = {"actor": "S-02", "role": "pit"}
        other = {"do": "observe", "obs": {**void, "by": "pit:replay"}}
        assert served.command(other, **pit)[1]["code"] == "refused.ACTOR_DIFFERS"
        assert served.command({"do": "observe", "obs": void}, **pit)[0] == 200
        voided = [line for line in served.call(served.lines()) if line.kind == "fact"][-1]
        assert json.loads(voided.body)["by"] == "S-02"
