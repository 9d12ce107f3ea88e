"""The shoe's panel and prompts: what can be entered in each phase, and what only the pit is entered."""

import json
from pathlib import Path

import pytest
from view_kit import after, cards, first_line, table, view_of
from web_kit import Served

from controller.acts.catalogue import (
    Bet,
    Close,
    CutCard,
    Decision,
    End,
    Observation,
    Reveal,
    ShoeEnded,
    ShoeLoaded,
    ShoeShuffled,
    ShoeVoided,
)
from controller.domain import RANKS, SUITS, Card
from controller.engine.state import TableState
from controller.policy import TableOptions
from controller.screens.view import ShoeView

ROUND_ONE: tuple[Observation, ...] = (
    Bet(1, 0, 1000),
    *cards("10", "10", "8", "7"),
    Decision(1, 1, "stand"),
    Reveal(),
    End(),
)
SMALL: tuple[Observation, ...] = (
    ShoeLoaded(6, 8),
    *ROUND_ONE,
    Bet(1, 0, 1000),
    *cards("10", "9", "4", "7"),
    Decision(1, 1, "hit"),
)
"""A small shoe is used up in its second round, and box 1 is owed a card."""
IN_ROUND = {"START": "CARDS_LEFT", "SHUFFLE": "CARDS_LEFT", "SHOE": "FINISH", "REST": "FINISH"}


def offered(state: TableState) -> dict[str, str]:
    """What can be entered of the shoe: "" for a key that can be pressed, else the code of its reason."""
    shoe = view_of(state).shoe
    return {
        item.key: "" if item.enabled or item.note is None else item.note.code
        for item in (*shoe.keys, shoe.rest)
    }


@pytest.mark.parametrize(
    ("entered", "state", "off"),
    [
        ((), "not_entered", {}),
        ((ShoeLoaded(6),), "in_use", {}),
        ((Bet(1, 0, 1000), *cards("10", "9")), "in_use", IN_ROUND),
        (SMALL, "run_out", {"SHOE": "FINISH", "REST": "FINISH"}),
        ((Bet(1, 0, 1000), *cards("10", "9"), CutCard()), "in_use", {**IN_ROUND, "CUT": "CUT_CARD_OUT"}),
        ((ShoeLoaded(6), CutCard()), "in_use", {"CUT": "CUT_CARD_OUT"}),
        ((ShoeEnded(),), "dealt_out", {}),
        ((ShoeVoided("pit", "x"),), "void", {"SHUFFLE": "SHOE_VOID"}),
    ],
)  # fmt: skip
def test_each_phase_offers_what_can_be_entered_and_says_why_not(
    entered: tuple[Observation, ...], state: str, off: dict[str, str]
) -> None:
    shown = after(table(), *entered)
    assert view_of(shown).shoe.state == state
    for name, why in offered(shown).items():
        expected = next((code for part, code in off.items() if name.startswith(part)), "")
        assert why.rpartition(".")[2].startswith(expected) if expected else why == "", (name, why)


def test_the_packs_that_the_rules_allow_have_a_key_each() -> None:
    shoe = view_of(table("de")).shoe
    assert [item.key for item in shoe.keys if item.key.startswith("START")] == [
        "START_SHOE",
        "START_SHOE_2",
        "START_SHOE_8",
    ]


def test_burned_cards_are_entered_as_due_now_or_after_the_round() -> None:
    def burns(shoe: ShoeView) -> tuple[int, int]:
        return shoe.burn_due, shoe.burn_later

    fresh = after(table("fr"), ShoeLoaded(6, 7))
    assert burns(view_of(fresh).shoe) == (5, 0)
    burn = cards("2", "3", "4", "5", "6")
    again = after(fresh, *burn, Bet(1, 0, 1000), *cards("9", "8"), ShoeLoaded(6))
    assert burns(view_of(again).shoe) == (0, 5)


def test_keys_beside_the_chips_stay_put_when_the_days_first_shoe_is_entered() -> None:
    """A key that left with the first bet would take the next tap with it."""
    fresh, loaded = view_of(table("it")), view_of(after(table("it"), ShoeLoaded(6)))
    keys = [[item.key for item in view.prompts[0].bar.keys] for view in (fresh, loaded)]
    assert keys[0] == keys[1]
    assert [item.enabled for item in fresh.shoe.keys if item.key == "START_SHOE"] == [True]


def test_a_shoe_that_runs_out_in_a_round_is_replaced_in_the_houses_way() -> None:
    state = after(table(), *SMALL)
    discards = view_of(state).prompts[0]
    assert first_line(discards) == ("SHUFFLE_DISCARDS", ["SHUFFLE", "START_SHOE"])
    fresh = view_of(state, options=TableOptions(shoe_runs_out="shoe")).prompts[0]
    assert first_line(fresh) == ("NEW_SHOE", ["START_SHOE", "SHUFFLE"])
    shuffled = after(state, ShoeShuffled("discards"))
    assert view_of(shuffled).prompts[0].line.code == "line.CARD_OWED"


def whole_pack_but(*missing: str) -> tuple[Card, ...]:
    pack = [Card(rank, suit) for rank in RANKS for suit in SUITS]
    return tuple(card for card in pack if str(card) not in missing)


def test_the_closing_count_names_cards_to_a_signed_in_pit_alone(tmp_path: Path) -> None:
    with Served(tmp_path, rules="nl", enforced=True) as served:
        served.say(ShoeLoaded(1), ShoeEnded(whole_pack_but("Qs", "9h")))
        entered = served.get("/api/state").decode()
        assert "Qs" not in entered
        assert "Q♠" not in entered
        hold = next(hold for hold in served.now.holds if hold.code == "SHOE_INCOMPLETE")
        assert dict(hold.params) == {"missing": 2, "extra": 0, "unread": 0}
        assert served.post("/api/closing", {})[0] == 409
        assert served.post("/api/closing", {}, Cookie=served.sign_in("D-17"))[0] == 409
        _, count = served.post("/api/closing", {}, Cookie=served.sign_in("S-02"))
        named = {"missing": "9♥, Q♠", "extra": "-", "unread": 0}
        assert count == {"open": True, **named, "counting": False, "out": []}


def test_the_rest_is_counted_by_the_reader_across_a_restart(tmp_path: Path) -> None:
    """All see how many cards were counted; which are missing or too many, the pit alone."""
    rest = [str(card) for card in whole_pack_but("Qs")]
    with Served(tmp_path, rules="nl", enforced=True) as served:
        served.say(ShoeLoaded(1))
        begin = served.state()["shoe"]["keys"][-1]
        assert (begin["key"], served.command(begin["acts"][0])[0]) == ("REST_COUNT", 200)
        served.deal(*rest[:20])
        served.restart()
        assert served.command({"do": "resume"}, actor="S-02", role="pit")[0] == 200
        assert served.observe("cut_card")[0] == 200
        served.deal(*rest[20:], "9h")
        assert [hold.code for hold in served.now.holds] == ["REST_CARD_EXTRA"]
        pit = {"Cookie": served.sign_in("S-02")}
        _, count = served.post("/api/closing", {}, **pit)
        (out,) = count.pop("out")
        named = {"missing": "Q♠", "extra": "9♥", "unread": 0}
        assert count == {"open": True, **named, "counting": True}
        assert served.command(out["acts"][0])[0] == 409
        assert served.command(out["acts"][0], actor="S-02", role="pit")[0] == 200
        view = served.state()
        prompt = view["prompts"][0]
        assert (prompt["line"]["code"], prompt["detail"][0]["params"]) == ("line.REST_COUNT", {"count": 51})
        entered = json.dumps(view, ensure_ascii=False)
        assert "Qs" not in entered
        assert "Q♠" not in entered
        done = next(key for key in prompt["bar"]["keys"] if key["key"] == "REST_DONE")
        assert served.command(done["acts"][0])[0] == 200
        assert [hold.code for hold in served.now.holds] == ["SHOE_INCOMPLETE"]


def test_a_dealer_tells_of_the_shoe_and_not_of_its_end_for_good(tmp_path: Path) -> None:
    with Served(tmp_path, enforced=True) as served:
        assert served.observe("shoe", decks=8)[1]["code"] == "refused.BAD_SHOE"
        for obs in ({"obs": "shoe", "decks": 6}, {"obs": "shuffle", "cards": "all"}):
            assert served.command({"do": "observe", "obs": obs})[0] == 200, obs
        refused = served.observe("shoe_void", by="D-17", reason="OTHER")
        assert refused == (409, {"code": "refused.NOT_ALLOWED", "params": {"role": "dealer"}})
        limits = {"stake_min": 1000, "stake_max": 20000, "stake_step": 500}
        assert served.observe("limits", **limits)[0] == 409
        served.say(Bet(1, 0, 1000), Close())
        assert served.observe("cut_card")[0] == 200
        assert [hold.code for hold in served.now.holds] == ["SHUFFLE_DUE"]
        served.say(ShoeLoaded(6))
        assert served.now.holds == ()
