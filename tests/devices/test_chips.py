"""A chip pad at a live table: the real driver on a pseudo-terminal, its recording, and its replay."""

from pathlib import Path
from typing import Final

import pytest

from controller.acts.catalogue import Bet, ChipReading, Close, Decision, End, HoldsLifted, Paid, Reveal
from controller.config import ChipsSection, load_config
from controller.devices.inputs import ChipListener
from controller.domain import ConfigError, RuleSet
from controller.main.doctor import check_settings
from controller.ports import Report, SystemClock
from controller.rules import load_rules
from controller.runtime.api import Observe, Rejected
from drivers.device_driver import DeviceChanged
from drivers.inputs import ChipsSeen
from drivers.simulated import PtyLine, PtyShoe
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


RFID: Final = Path(__file__).parents[1] / "recordings" / "chips-by-rfid-reader.mcap"


def test_a_recording_of_an_rfid_reader_replays_from_its_entries_and_says_so() -> None:
    """Its bytes are LLRP, which no driver reads any more; the shoe's bytes are played as before."""
    told = objects(call("replay", "--json", RFID))
    assert [one for one in told if one["type"] == "difference"] == []
    (sums,) = [one for one in told if one["type"] == "recording"]
    assert (sums["unread"], sums["differences"]) == (["rfid"], 0)
    assert sums["compared"] > 10
    in_words = call("replay", RFID).stdout
    assert "The bytes of rfid are not read any more" in in_words
    assert "Everything is as it was." in in_words
    assert "WRONG_PAYOUT" in in_words


LLRP_TABLE: Final = """
[table]
name = "BJ1"
rules = "spielbank"
[table.options]
payouts = "measure"
[journal]
file = "table.journal"
[shoe]
port = "/dev/shoe"
[rack]
port = "/dev/rack"
[[chips]]
kind = "llrp"
port = "socket://192.0.2.20:5084"
antennas = [{ antenna = 1, box = 1 }]
values = { "e280116040" = 1000 }
"""


def test_a_table_with_an_rfid_reader_and_a_rack_opens_and_names_what_replaces_them(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(LLRP_TABLE, encoding="utf-8")
    config = load_config(path)
    assert (config.inputs, config.retired) == ((), ("RETIRED_RACK", "RETIRED_LLRP"))
    assert all("means nothing any more" in one.words("en") for one in check_settings(config))
    path.write_text(LLRP_TABLE.partition("[rack]")[0], encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        load_config(path)
    assert "measure" in str(refused.value.params["reason"]), "a table that never had a counter is refused"


def test_a_counter_that_is_no_retired_one_stays(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(LLRP_TABLE + '[[chips]]\nname = "pad"\nport = "socket://192.0.2.21:5100"\n')
    config = load_config(path)
    assert [one.name for one in config.inputs] == ["pad"]
    path.write_text(LLRP_TABLE + '[[chips]]\nname = "pad"\nport = "x"\nkind = "rfid"\n')
    with pytest.raises(ConfigError, match="CONFIG_WRONG"):
        load_config(path)


class Pad:
    """A chip source whose events are given by hand; `reports` are those to the table."""

    def __init__(self, rules: RuleSet = RULES) -> None:
        self.reports: list[Report] = []
        section = ChipsSection(name="pad", port="pty")
        self._listener = ChipListener(section, SystemClock(), self.reports.append, lambda: rules)

    def told(self, event: object) -> Report | None:
        before = len(self.reports)
        self._listener.receive(event, before)
        return self.reports[before] if len(self.reports) > before else None


def test_what_the_pad_is_not_sure_of_is_no_amount_and_a_warning() -> None:
    pad = Pad()
    sure = pad.told(ChipsSeen("stake", 3, 0, 1500, 0.99))
    assert sure is not None
    assert (sure.observations, sure.troubles) == ((ChipReading("stake", 3, 0, 1500, 0.99),), ())
    assert pad.told(ChipsSeen("stake", 3, 0, 1500, 0.985)) is None
    doubtful = pad.told(ChipsSeen("stake", 3, 0, 2500, 0.9))
    assert doubtful is not None
    assert doubtful.observations == (ChipReading("stake", 3, 0, None, 0.9),)
    assert [(one.code, one.hold) for one in doubtful.troubles] == [("CHIPS_UNSURE", False)]


def test_a_place_where_nobody_can_bet_is_told_and_no_reading() -> None:
    pad = Pad(load_rules("it", {}, Path()))
    for place in ((9, 0), (1, 1)):
        report = pad.told(ChipsSeen("stake", *place, 500, 1.0))
        assert report is not None
        assert (report.observations, report.troubles[0].code) == ((), "CHIPS_OUT_OF_PLACE")


def test_what_a_lost_source_saw_is_forgotten_and_told_anew_when_it_is_back() -> None:
    pad, seen = Pad(), ChipsSeen("stake", 3, 0, 1500, 0.99)
    pad.told(seen)
    gone = pad.told(DeviceChanged("stale", "pty", "SILENT"))
    assert gone is not None
    assert gone.observations == (ChipReading("stake", 3, 0, None),)
    count = len(pad.reports)
    pad.told(DeviceChanged("stale", "pty", "SILENT"))
    assert [one for one in pad.reports[count:] if one.observations] == []
    assert pad.told(seen) is not None
