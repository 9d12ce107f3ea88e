"""The benchmark plays by the rules of each house, and its report holds what it promises."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from controller.bench import engine, played_rounds
from controller.bench.played_rounds import ADVICE
from controller.domain import ConfigError
from controller.rules import HOUSES, load_rules


def ran(*options: str) -> str:
    done = CliRunner().invoke(engine.app, ["engine", "--rounds", "100", "--repeats", "2", *options])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.night
def test_the_report_names_all_three_and_says_how_they_compare() -> None:
    report: dict[str, Any] = json.loads(ran("--json"))
    assert [speed["name"] for speed in report["speeds"]] == ["stand17", "blackjack21", "blackjack21", "py21"]
    own, *others = [speed["rounds_per_s"] for speed in report["speeds"]]
    assert report["beside_fastest"] == pytest.approx(own / max(others), rel=0.01)
    assert report["shift"]["rounds"] == 480
    corrected = report["correction"]
    assert corrected["settled"] + corrected["disputed"] == corrected["rounds"] == 480


@pytest.mark.night
def test_the_table_for_people_holds_the_same_figures() -> None:
    text = ran()
    for words in ("stand17", "blackjack21", "py21", "480 rounds", "median"):
        assert words in text


@pytest.mark.parametrize("house", HOUSES)
def test_basic_strategy_plays_a_shift_in_every_house_without_an_objection(house: str) -> None:
    rules = load_rules(house, engine.OVERRIDES, Path())
    dealt = engine.deal_shift(rules, rounds=40)
    assert engine.replay(rules, dealt)["rounds"] == 40
    assert {state.settlement.status for state in dealt.ends} == {"settled"}


def test_one_box_play_keeps_going_over_many_shoes() -> None:
    rules = load_rules("spielbank", engine.OVERRIDES, Path())
    played_rounds.prepare(rules, 1)(200)


@pytest.mark.night
def test_every_state_of_the_engine_and_no_state_of_the_rivals_is_kept_unless_said() -> None:
    rules = load_rules("fr", engine.OVERRIDES, Path())
    assert [keeps for _, _, keeps, _ in engine.contestants(rules)] == [
        "every state",
        "nothing",
        "copies of hands",
        "statistics",
    ]


def test_a_missing_rival_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "RIVALS", "nothing_of_that_name")
    with pytest.raises(ConfigError, match="BENCH_RIVAL_MISSING"):
        engine.contestants(load_rules("fr", {}, Path()))


def test_strategy_has_an_answer_for_every_total_and_open_card() -> None:
    hard = {(total, False) for total in range(4, 22)}
    soft = {(total, True) for total in range(12, 22)}
    assert {(total, soft_) for total, soft_, _ in ADVICE} == hard | soft
    assert len(ADVICE) == 10 * len(hard | soft)
