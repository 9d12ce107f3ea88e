"""Several corrections of one round: previewed as one, applied by one press."""

from pathlib import Path
from typing import Any

from web_kit import Served

from controller.acts.catalogue import Bet, Close, Decision, End, Paid, Reveal

PIT = {"actor": "S-02", "role": "pit"}


def corrects(card: int, rank: str, suit: str, number: int = 1) -> dict[str, Any]:
    return {
        "obs": "correct",
        "card": card,
        "rank": rank,
        "suit": suit,
        "by": "S-02",
        "reason": "MISREAD",
        "round": number,
    }


def settled(served: Served) -> None:
    """Boxes 1 and 3 win against 18 with 19; the next round waits for its second card."""
    served.say(Bet(1, 0, 1000), Bet(3, 0, 1000), Close())
    served.deal("10h", "10c", "10d", "9c", "9s", "8s")
    served.say(Decision(1, 1, "stand"), Decision(3, 1, "stand"), Reveal(), Paid(1, 0, 2000), Paid(3, 0, 2000))
    served.say(End(), Bet(1, 0, 1000), Close())
    served.deal("5h")


def preview(served: Served, obs: dict[str, Any], *first: dict[str, Any]) -> dict[str, Any]:
    cookie = served.sign_in("S-02")
    return served.post("/api/preview", {"obs": obs, "first": list(first)}, Cookie=cookie)[1]


def test_a_preview_of_several_corrections_has_the_money_of_all(tmp_path: Path) -> None:
    with Served(tmp_path, enforced=True) as served:
        settled(served)
        one, other = corrects(4, "6", "s"), corrects(5, "7", "h")
        alone, together = preview(served, one), preview(served, other, one)
        assert [row["box"] for row in alone["money"]] == [1]
        assert [row["box"] for row in together["money"]] == [1, 3]
        changes = [shown["house_change"]["money"] for shown in (alone, together)]
        assert changes == ["+20.00", "+40.00"]
        assert [row["box"] for row in together["hands"]] == [1, 3]


def test_several_corrections_are_one_press_while_the_next_round_goes_on(tmp_path: Path) -> None:
    with Served(tmp_path, enforced=True) as served:
        settled(served)
        before = served.now.seq
        act = {"do": "observe_all", "obs": [corrects(4, "6", "s"), corrects(5, "7", "h")]}
        status, answer = served.command(act, command_id="both-at-once", expected_seq=before, **PIT)
        assert status == 200, answer
        # The same press again is the same corrections.
        assert served.command(act, command_id="both-at-once", expected_seq=before, **PIT)[0] == 200
        rulings = [
            line for line in served.call(served.lines()) if line.kind == "ruled" or "MISREAD" in line.body
        ]
        assert len([line for line in rulings if line.seq > before and '"correct"' in line.body]) == 2
        (played,) = [old for old in served.now.state.book.past if old.book.number == 1]
        assert played.settlement.result is not None
        assert [int(bet.returned) for bet in played.settlement.result.bets] == [0, 0]


def test_where_a_later_correction_is_refused_none_is_applied(tmp_path: Path) -> None:
    """Half of them would be an entry that the pit believes refused."""
    with Served(tmp_path, enforced=True) as served:
        settled(served)
        act = {"do": "observe_all", "obs": [corrects(4, "6", "s"), corrects(40, "7", "h")]}
        status, answer = served.command(act, command_id="one-unfit", **PIT)
        assert (status, answer["code"]) == (409, "refused.NO_SUCH_CARD")
        assert not any("MISREAD" in line.body for line in served.call(served.lines()))
        act["obs"] = [corrects(4, "6", "s"), corrects(5, "7", "h")]
        assert served.command(act, command_id="both-fit", **PIT)[0] == 200


def test_of_corrections_of_two_rounds_or_of_no_ruling_none_is_applied(tmp_path: Path) -> None:
    with Served(tmp_path, enforced=True) as served:
        settled(served)
        bet = {"obs": "bet", "box": 2, "seat": 0, "stake": 1000}
        for other in (corrects(1, "6", "s", 2), bet):
            before = served.now.seq
            act = {"do": "observe_all", "obs": [corrects(4, "6", "s"), other]}
            assert served.command(act, **PIT)[1]["code"] == "refused.NOT_ALLOWED"
            assert [
                line for line in served.call(served.lines()) if line.seq > before and line.kind == "fact"
            ] == []
