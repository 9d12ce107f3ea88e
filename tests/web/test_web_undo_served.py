"""Undo over HTTP: the dealer's own key is taken until the next card, and refused afterwards."""

from pathlib import Path
from typing import Any

from web_kit import Served

from controller.acts.catalogue import Bet, Close


def keys(served: Served) -> dict[str, dict[str, Any]]:
    return {item["key"]: item for item in served.state()["prompts"][0]["bar"]["keys"]}


def test_a_dealer_takes_back_a_stand_and_no_more_bets(tmp_path: Path) -> None:
    with Served(tmp_path) as served:
        served.say(Bet(1, 0, 1000), Close())
        status, _ = served.command(keys(served)["UNDO"]["acts"][0])
        assert (status, served.now.state.phase) == (200, "bets")
        served.say(Close())
        served.deal("10h", "6c", "5d", "10s")
        served.observe("decision", box=1, hand=1, action="stand")
        assert served.state()["prompts"][0]["line"]["code"] == "line.REVEAL"
        taken_back = keys(served)["UNDO"]["acts"][0]
        status, _ = served.command(taken_back)
        assert (status, served.now.state.boxes[0].hands[0].status) == (200, "active")


def test_a_card_that_has_come_meanwhile_makes_it_the_pits(tmp_path: Path) -> None:
    with Served(tmp_path) as served:
        served.say(Bet(1, 0, 1000), Bet(2, 0, 1000), Close())
        served.deal("10h", "9c", "6c", "5d", "4d", "Qs")
        served.observe("decision", box=1, hand=1, action="stand")
        act = keys(served)["UNDO"]["acts"][0]
        served.deal("2h")
        status, answer = served.command(act)
        assert (status, answer["code"]) == (409, "refused.NOT_ALLOWED")
        assert keys(served)["UNDO"]["note"]["code"] == "why.CARD_SINCE"
