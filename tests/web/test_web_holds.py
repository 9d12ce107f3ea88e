"""Holds on the wire: what they show, which ways out are taken, and what the house's profile refuses."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from web_kit import Served

from controller.acts.catalogue import Bet, Close, Decision, Reveal, ShoeLoaded


@pytest.fixture
def drawn_on_17(tmp_path: Path) -> Iterator[Served]:
    """The dealer has 17 and drew a card all the same."""
    with Served(tmp_path, enforced=True) as served:
        begin(served)
        served.say(Decision(1, 1, "stand"), Reveal())
        served.deal("5s")
        yield served


def begin(served: Served) -> None:
    """Box 1 has 19 against a 7, and a ten lies face down."""
    served.say(ShoeLoaded(6), Bet(1, 0, 1000), Close())
    served.deal("10h", "7c", "9d", "10s")


PIT: Final = {"actor": "S-02", "role": "pit"}


def rule(served: Served, obs: str, **fields: Any) -> tuple[int, dict[str, Any]]:
    act = {"do": "observe", "obs": {"obs": obs, "by": "S-02", "reason": "DEALER_ERROR", **fields}}
    return served.command(act, **PIT)


def test_a_hold_shows_rule_evidence_and_its_ways_the_usual_one_first(drawn_on_17: Served) -> None:
    (hold,) = drawn_on_17.state()["holds"]
    assert (hold["code"], hold["release"], hold["card"]) == ("DEALER_DREW_ON_17", "pit", 5)
    assert hold["ways"][0] == "burn"
    assert hold["rule"]["code"] in ("ui.rule", "ui.rule_own")
    assert hold["rule"]["params"]["source"].startswith("SB-08; ")
    assert hold["rule_text"] == {"code": "rule.DEALER_DREW_ON_17", "params": {}}
    assert hold["read"] == {"code": "ui.read_by", "params": {"by": "shoe"}}


def test_the_way_out_that_the_house_allows_lifts_the_hold(drawn_on_17: Served) -> None:
    status, _ = rule(drawn_on_17, "strike", card=5, burn=True)
    assert (status, drawn_on_17.state()["holds"]) == (200, [])


def test_what_the_profile_forbids_is_refused_and_the_hold_stays(drawn_on_17: Served) -> None:
    status, answer = rule(drawn_on_17, "resume", codes=["DEALER_DREW_ON_17"])
    assert (status, answer["code"]) == (409, "refused.NOT_IN_PROFILE")
    assert len(drawn_on_17.state()["holds"]) == 1


def test_letting_it_stand_is_one_act_with_a_reason(tmp_path: Path) -> None:
    with Served(tmp_path, enforced=True) as served:
        begin(served)
        served.observe("exposed", who="dealer")
        (hold,) = served.state()["holds"]
        assert "keep" in hold["ways"]
        status, _ = rule(served, "resume", codes=[hold["code"]])
        assert (status, served.state()["holds"]) == (200, [])


def test_a_missing_card_that_the_pit_lays_by_hand_mends_the_fault(tmp_path: Path) -> None:
    with Served(tmp_path, enforced=True) as served:
        served.say(ShoeLoaded(6), Bet(1, 0, 1000), Close())
        served.deal("10h", "6c", "9d", "10s")
        served.say(Decision(1, 1, "stand"), Reveal())
        served.observe("end")
        (hold,) = served.state()["holds"]
        assert "draw" in hold["ways"]
        status, _ = served.command({"do": "observe", "obs": {"obs": "card", "rank": "5", "by": "pit"}}, **PIT)
        assert (status, served.state()["holds"]) == (200, [])
        assert served.now.state.dealer.total == 21


def test_the_facts_of_a_round_are_served_without_the_face_down_card(tmp_path: Path) -> None:
    with Served(tmp_path, enforced=True) as served:
        begin(served)
        served.observe("decision", box=1, hand=1, action="stand")
        facts = served.get("/api/facts")
        assert b'"nth":1' in facts
        assert b"rank" not in facts
