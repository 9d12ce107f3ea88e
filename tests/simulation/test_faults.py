"""Every fault of the demo in every house: it holds, it is mended, and the round pays what it was to pay."""

from pathlib import Path

import pytest

from controller.screens.words import DEMO_FAULTS, DemoFault
from tests.own_houses import ALL_HOUSES, house_name
from tests.simulation.fault_kit import FaultTable

SHOWN: dict[DemoFault, set[str]] = {
    "drew_on_17": {"DEALER_DREW_ON_17"},
    "stood_on_16": {"DEALER_STOOD_ON_16"},
    "stuck_cards": {"DECISION_UNCLEAR"},
    "wrong_box": {"CAMERA_DISAGREES"},
    "missed_box": {"CAMERA_DISAGREES"},
    "unread_card": {"CARD_UNREAD"},
    "one_too_many": {"TOO_MANY_OF_A_KIND"},
    "wrong_payout": {"WRONG_PAYOUT"},
    "cable_pulled": {"DEVICE_LOST"},
    "smeared_lens": {"CAMERA_UNREAD"},
    "mistapped_stand": set(),
}
"""What the table says of each: a hold, or an alert where nothing has to wait."""


@pytest.mark.parametrize("house", ALL_HOUSES, ids=house_name)
def test_each_fault_is_told_and_mended_and_the_round_pays_as_planned(house: str, tmp_path: Path) -> None:
    table = FaultTable(tmp_path, house, seed=5)
    for fault in DEMO_FAULTS:
        table.until_stands(fault)
        assert table.codes >= SHOWN[fault], fault
        ended = table.until_round_over()
        assert (ended.fault, ended.as_planned) == (fault, True)
        assert table.codes == set()
    table.close()
    assert table.refused == []


def test_a_fault_that_is_left_to_a_person_stays_until_one_rules(tmp_path: Path) -> None:
    table = FaultTable(tmp_path, "spielbank", seed=5)
    table.faults.call("wrong_payout", left=True)
    for _ in range(400):
        table.act()
    assert "WRONG_PAYOUT" in table.codes
    number = table.now.state.book.number
    for _ in range(50):
        table.act()
    assert ("WRONG_PAYOUT" in table.codes, table.now.state.book.number) == (True, number)
    table.close()
