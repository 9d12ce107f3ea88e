"""Rounds in which people told something wrongly, ruled right: they pay what the clean round pays."""

from collections import Counter
from pathlib import Path

import pytest
from mistakes import KINDS
from ruled_rounds import ruled_round

from controller.rules import HOUSES, load_rules

ROUNDS = 400
"""In each of the five houses; `tests/oracle/ruled_rounds.py` plays as many as it is asked for."""


@pytest.mark.parametrize("house", HOUSES)
def test_mended_round_pays_what_the_clean_round_pays(house: str) -> None:
    rules = load_rules(house, {}, Path())
    plain = rules._asdict()
    compared: Counter[str] = Counter()
    for seed in range(ROUNDS):
        played = ruled_round(rules, plain, seed)
        assert played is not None, f"{house} seed {seed}: no mistake possible"
        assert played.wrong == "", f"{house} seed {seed} {played.kind}"
        compared[played.kind] += played.compared
    assert sum(compared.values()) > ROUNDS / 2
    hidden = rules.hole_card != "none"
    possible = set(KINDS) - ({"peek"} if rules.peek == "none" else set()) - (set() if hidden else {"reveal"})
    assert {kind for kind, number in compared.items() if number} == possible
