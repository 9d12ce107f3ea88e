"""A chip pad at a live table: the real driver on a pseudo-terminal, its recording, and its replay."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from controller.acts.catalogue import Bet, ChipReading, Close, Decision, End, HoldsLifted, Paid, Reveal
from controller.config.inputs import ChipsSection
from controller.devices.inputs.chip_source import ChipAdapter
from controller.rules import load_rules
from controller.runtime.api import Observe, Rejected
from drivers.chips import ChipsSeen
from drivers.simulated import PtyLine, PtyShoe
from drivers.simulated.rfid_reader import CIRCLES, WORTH, SimulatedRfidReader
from tests.devices.test_inputs import deal
from tests.drivers.far_ends.chip_source import SimulatedChipSource
from tests.main.live_kit import Live, play
from tests.replay.replay_kit import call, objects

RULES = load_rules("spielbank", {}, Path())
SLOW_DEALER = {"card_gap_ms": 0, "payouts": "measure"}


def test_a_pad_watches_a_whole_round_and_a_replay_of_its_bytes_says_the_same(
    tmp_path: Path, shoe: PtyShoe, line: PtyLine
) -> None:
    pad = SimulatedChipSource(line)

    async def story(live: Live) -> None:
        await live.until(lambda: live.device("pad") == "live")
        pad.lay(1, 0, 1000)
        pad.lay(2, 0, 1500)
        await live.until(lambda: len(live.now.chips) == 2)
        await live.say(Bet(1, 0, 1000), Bet(2, 0, 1000), Close())
        assert live.holds == ["STAKE_DIFFERS"]
        await live.say(Bet(2, 0, 1500), Close())
        await deal(live, shoe, "10", "10", "9", "9", "8", "8")
        pad.lay(2, 0, 4000)
        await live.until(lambda: live.holds == ["STAKE_CHANGED"])
        assert isinstance(await live.ask(Observe(Decision(1, 1, "stand")), role="dealer"), Rejected)
        pad.lay(2, 0, 1500)
        await live.until(lambda: [one.amount for one in live.now.chips] == [1000, 1500])
        assert live.holds == ["STAKE_CHANGED"]
        await live.say(HoldsLifted("pit:p7", "looked at it", ("STAKE_CHANGED",)))
        await live.say(Decision(1, 1, "stand"), Decision(2, 1, "stand"), Reveal())
        pad.pay(1, 0, 2000)
        pad.pay(2, 0, 2500)
        await live.until(lambda: live.holds == ["WRONG_PAYOUT"])
        await live.say(Paid(2, 0, 3000), End())
        assert live.holds == []
        line.unplug()
        await live.until(lambda: "DEVICE_LOST" in live.alerts and not live.now.chips)
        assert live.holds == []

    section = {"name": "pad", "port": line.port}
    table = {"options": SLOW_DEALER}
    play(tmp_path, story, {"port": shoe.port}, chips=[section], table=table, recording={"enabled": True})
    (file,) = (tmp_path / "table.recordings").glob("*.mcap")
    told = objects(call("replay", "--json", file))
    assert [one for one in told if one["type"] == "difference"] == []
    (sums,) = [one for one in told if one["type"] == "recording"]
    assert sums["compared"] > 30


@contextmanager
def signs_of_life(reader: SimulatedRfidReader) -> Iterator[None]:
    """The reader says that it is there, however long the table takes."""
    ended = threading.Event()

    def say() -> None:
        while not ended.wait(0.5):
            reader.report_alive()

    thread = threading.Thread(target=say)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def test_an_rfid_reader_holds_a_changed_stake_and_a_wrong_payout_and_its_bytes_replay(
    tmp_path: Path, shoe: PtyShoe, line: PtyLine
) -> None:
    reader = SimulatedRfidReader(line)

    async def story(live: Live) -> None:
        await live.until(lambda: live.device("rfid") == "live")
        reader.lay(1, 0, 1000)
        await live.until(lambda: [one.amount for one in live.now.chips] == [1000])
        await live.say(Bet(1, 0, 1000), Close())
        await deal(live, shoe, "10", "10", "9", "8")
        reader.lay(1, 0, 3000)
        await live.until(lambda: live.holds == ["STAKE_CHANGED"])
        reader.lay(1, 0, 1000)
        await live.say(HoldsLifted("pit:p7", "looked at it", ("STAKE_CHANGED",)))
        await live.say(Decision(1, 1, "stand"), Reveal())
        reader.pay(1, 0, 1500)
        await live.until(lambda: live.holds == ["WRONG_PAYOUT"])
        await live.say(Paid(1, 0, 2000), End())
        assert live.holds == []

    antennas = [
        {"antenna": one.antenna, "box": one.box, "reads": "payout" if one.payout else "stake"}
        for one in CIRCLES
        if one.seat == 0
    ]
    section = {"name": "rfid", "kind": "llrp", "port": line.port, "antennas": antennas, "values": WORTH}
    table = {"options": SLOW_DEALER}
    with signs_of_life(reader):
        play(tmp_path, story, {"port": shoe.port}, chips=[section], table=table, recording={"enabled": True})
    (file,) = (tmp_path / "table.recordings").glob("*.mcap")
    told = objects(call("replay", "--json", file))
    assert [one for one in told if one["type"] == "difference"] == []
    (sums,) = [one for one in told if one["type"] == "recording"]
    assert sums["compared"] > 20


@pytest.mark.parametrize(
    "section",
    [
        {"kind": "llrp"},
        {"kind": "llrp", "antennas": [{"antenna": 1, "box": 1}]},
        {"antennas": [{"antenna": 1, "box": 1}], "values": {"e2": 500}},
        {
            "kind": "llrp",
            "antennas": [{"antenna": 1, "box": 1}, {"antenna": 1, "box": 2}],
            "values": {"e2": 500},
        },
        {"kind": "llrp", "antennas": [{"antenna": 0, "box": 1}], "values": {"e2": 500}},
        {"kind": "llrp", "antennas": [{"antenna": 1, "box": 1}], "values": {"chip": 500}},
        {"kind": "llrp", "antennas": [{"antenna": 1, "box": 1}], "values": {"e2": 0}},
    ],
)
def test_a_reader_whose_antennas_or_chips_are_not_known_is_refused(section: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ChipsSection(port="socket://127.0.0.1:5084", **section)


def test_what_the_pad_is_not_sure_of_is_no_amount_and_a_warning() -> None:
    adapter = ChipAdapter(ChipsSection(name="pad", port="pty"))
    sure = adapter.report(ChipsSeen("stake", 3, 0, 1500, 0.99), RULES, 0)
    assert sure is not None
    assert (sure.observations, sure.troubles) == ((ChipReading("stake", 3, 0, 1500, 0.99),), ())
    assert adapter.report(ChipsSeen("stake", 3, 0, 1500, 0.985), RULES, 0) is None
    doubtful = adapter.report(ChipsSeen("stake", 3, 0, 2500, 0.9), RULES, 0)
    assert doubtful is not None
    assert doubtful.observations == (ChipReading("stake", 3, 0, None, 0.9),)
    assert [(one.code, one.hold) for one in doubtful.troubles] == [("CHIPS_UNSURE", False)]


def test_a_place_where_nobody_can_bet_is_told_and_no_reading() -> None:
    adapter = ChipAdapter(ChipsSection(name="pad", port="pty"))
    for place in ((9, 0), (1, 1)):
        report = adapter.report(ChipsSeen("stake", *place, 500, 1.0), load_rules("it", {}, Path()), 0)
        assert report is not None
        assert (report.observations, report.troubles[0].code) == ((), "CHIPS_OUT_OF_PLACE")


def test_what_a_lost_source_saw_is_forgotten_and_told_anew_when_it_is_back() -> None:
    adapter = ChipAdapter(ChipsSection(name="pad", port="pty"))
    seen = ChipsSeen("stake", 3, 0, 1500, 0.99)
    adapter.report(seen, RULES, 0)
    gone = adapter.forgotten(1)
    assert gone is not None
    assert gone.observations == (ChipReading("stake", 3, 0, None),)
    assert adapter.forgotten(2) is None
    assert adapter.report(seen, RULES, 3) is not None
