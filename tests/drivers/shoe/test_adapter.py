"""What the shoe says reaches the table as facts, and whatever it cannot vouch for holds the table."""

import pytest

from controller.acts.catalogue import CardSeen
from drivers.shoe import reader as shoe
from drivers.shoe.reader import ShoeAdapter
from drivers.simulated import card_bytes

HOLDING = [
    (shoe.Gap("1", "3", 2), "SHOE_GAP"),
    (shoe.Gap("1", "3", None), "SHOE_GAP"),
    (shoe.CopiesDiffer(b"1", b"2"), "SHOE_COPIES_DIFFER"),
    (shoe.NotUnderstood(b"\xff"), "SHOE_NOT_UNDERSTOOD"),
    (shoe.CardRepeated("A", "h", known=False), "SHOE_CARD_UNMATCHED"),
    (shoe.ShoeError(1, "NO_READ", stopped=True), "SHOE_NO_READ"),
    (shoe.ShoeError(4, "REVERSE_AT_EXIT", stopped=True), "SHOE_REVERSE_AT_EXIT"),
    (shoe.DoubleFeed(), "SHOE_DOUBLE_FEED"),
    (shoe.CardPulledBack(), "SHOE_CARD_PULLED_BACK"),
    (shoe.LidChanged(is_open=True), "SHOE_LID_OPEN"),
    (shoe.InTestMode(), "SHOE_TEST_MODE"),
    (shoe.ShoeRefused("DEFAULTS"), "SHOE_DEFAULTS"),
    (shoe.ShoeError(12, "THICKNESS", stopped=False), "SHOE_THICKNESS"),
]
WARNING = [
    (shoe.CardOut(1, "A", "h", "locked"), "SHOE_CARD_OUTSIDE_GAME"),
    (shoe.ShoeError(2, "OVERDRAW", stopped=True), "SHOE_OVERDRAW"),
    (shoe.ShoeErrorCleared(1, "NO_READ"), "SHOE_ERROR_CLEARED"),
    (shoe.LockChanged(locked=True), "SHOE_LOCKED"),
    (shoe.LockChanged(locked=False), "SHOE_UNLOCKED"),
    (shoe.PresetChanged("01", "0203"), "SHOE_PRESET_CHANGED"),
    (shoe.CommandAnswered("lock", "BUSY"), "SHOE_COMMAND_REFUSED"),
    (shoe.LidChanged(is_open=False), "SHOE_LID_CLOSED"),
]
SILENT = [
    shoe.ShoeStarted(),
    shoe.Standby(),
    shoe.ShoeIdentified("SN1", "00", ()),
    shoe.StatusChanged(("BRAKE",)),
    shoe.BurnCount(3),
    shoe.FirmwareResult("tie"),
    shoe.LineFault("BCC_WRONG", b"x"),
    shoe.CardRepeated("A", "h", known=True),
    shoe.CommandAnswered("lock", ""),
    shoe.CardOut(1, "A", "h"),
]


@pytest.mark.parametrize(("event", "code"), HOLDING)
def test_doubt_about_a_card_holds_the_table(event: shoe.ShoeEvent, code: str) -> None:
    (trouble,) = ShoeAdapter("shoe", "s1").to_troubles(event)
    assert (trouble.code, trouble.hold) == (code, True)


@pytest.mark.parametrize(("event", "code"), WARNING)
def test_what_leaves_no_doubt_only_warns(event: shoe.ShoeEvent, code: str) -> None:
    (trouble,) = ShoeAdapter("shoe", "s1").to_troubles(event)
    assert (trouble.code, trouble.hold) == (code, False)


@pytest.mark.parametrize("event", SILENT)
def test_the_rest_troubles_nobody(event: shoe.ShoeEvent) -> None:
    assert ShoeAdapter("shoe", "s1").to_troubles(event) == ()


def test_no_trouble_tells_a_card_that_may_be_the_hole_card() -> None:
    card = b"1D" + card_bytes("K", "s")
    for event in (
        shoe.CopiesDiffer(card, card),
        shoe.NotUnderstood(card),
        shoe.CardOut(1, "K", "s", "error"),
    ):
        (trouble,) = ShoeAdapter("shoe", "s1").to_troubles(event)
        told = " ".join(str(value) for _, value in trouble.params)
        assert card.hex() not in told
        assert "K" not in told


def test_a_card_outside_the_game_is_counted_all_the_same() -> None:
    report = ShoeAdapter("shoe", "s1").report(shoe.CardOut(4, "K", "s", "error"), 99)
    assert report.observations == (CardSeen("K", "s", by="shoe", id="shoe.s1.4"),)
    assert (report.source, report.mono_ns) == ("shoe", 99)


def test_a_shoe_that_restarts_in_the_middle_holds_the_table() -> None:
    adapter = ShoeAdapter("shoe", "s1")
    adapter.report(shoe.CardOut(1, "K", "s"), 0)
    assert [trouble.code for trouble in adapter.to_troubles(shoe.ShoeStarted(again=True))] == [
        "SHOE_RESTARTED"
    ]
