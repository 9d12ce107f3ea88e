"""`stand17 plan camera` before a camera is bought, `stand17 calibrate shoe` after a reader is built."""

import json
import threading
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from design.geometry import READER
from typer.testing import CliRunner

from controller.cli.application import build
from controller.cli.calibrate_shoe import judged, settings_of
from controller.devices.shoes import joined_shoe
from drivers.camera import EncodedPictures
from drivers.shoe.open_shoe import OpenShoe
from drivers.shoe.reader import (
    CardOut,
    CutCardOut,
    DoubleFeed,
    PassageMeasured,
    ShoeCommand,
    ShoeEvent,
    ShoeValue,
)
from tests.hardware.firmware_kit import load_firmware
from tests.hardware.passages import CARD_COUNTS, DARK_MV, Drawn, Face, Rig, by_hand, steady
from tests.hardware.table_kit import ReaderAtTable, cut_card, face
from tests.hardware.test_firmware import NoCamera

BLANK: Final = np.full((88, 63, 3), 255, np.uint8)
CARD: Final = Face(BLANK, BLANK[..., 0])


def planned(*args: str) -> dict[str, object]:
    result = CliRunner().invoke(build("plan"), ["plan", "camera", "--json", *args])
    assert result.exit_code == 0, result.output
    answer: dict[str, object] = json.loads(result.output)
    return answer


def test_twice_the_pixels_read_more_and_a_higher_camera_less() -> None:
    def read(*args: str) -> list[float]:
        rows = planned(*args)["boxes"]
        assert isinstance(rows, list)
        return [row["read_percent"] for row in rows if row["sees"]]

    low, high, fine = (read(*args) for args in (("--height", "1.0"), ("--height", "1.5"), ("--sensor", "4k")))
    assert min(low) > max(high)
    assert min(fine) > 75 > max(high)
    assert len(read("--height", "0.8")) < 8, "too low, the outer boxes leave the picture"


def test_the_plan_of_the_mouth_is_the_readers_own_geometry() -> None:
    plan = planned("--sensor", "mouth")
    assert plan["px_per_mm"] == pytest.approx(READER.px_per_mm)
    assert plan["blur_px"] == pytest.approx(READER.blur_px(2.0) * 1280 / 320)
    assert plan["depth_mm"] == pytest.approx(READER.depth_mm() / 2), "a pixel is half of 6 um"
    assert plan["distance_mm"] == pytest.approx(READER.path_mm, abs=0.1)


def reported() -> list[ShoeEvent]:
    """Six cards and the cut card through the firmware, and the name of each."""
    rig, host = Rig(load_firmware(), np.random.default_rng(4), pictures=False), OpenShoe(camera=NoCamera())
    events: list[ShoeEvent] = []
    for speed in (0.5, 0.8, 1.0, 0.9, 1.2, 1.5, 1.8):
        place = steady(speed) if speed > 1 else by_hand(speed)
        sheet = CARD._replace(cut=True, thick=2.2) if speed == 0.9 else CARD
        for _ in rig.draw([Drawn(sheet)], place, 160 / speed):
            pass
        events += host.feed(rig.link.outgoing(rig.now_us // 1000))
        # What `calibrate shoe` asks after each passage.
        for number in (64, 65):
            host.request(ShoeCommand("setting", number))
            for order in rig.link.receive(host.poll(rig.now_us // 1000)[1], rig.now_us // 1000):
                rig.reader.order(order, rig.now_us)
            events += host.feed(rig.link.outgoing(rig.now_us // 1000))
    measured = [event for event in events if isinstance(event, PassageMeasured | ShoeValue)]
    return [*measured, CutCardOut(), *(CardOut(number, "K", "s", p=1.0) for number in range(1, 7))]


def test_a_well_built_reader_has_nothing_to_complain_of() -> None:
    found = judged(reported(), ["Ks"] * 6)
    assert found.complaints == ()
    assert (found.cards, found.named) == (6, 6)
    assert found.card_mm == pytest.approx(63.5, abs=3)
    assert found.pair == 130
    settings = settings_of(found, card_mm=63.5)
    assert settings["gap_mm"] == pytest.approx(48, abs=2)
    assert settings["cut"] == pytest.approx(220, abs=20)
    assert settings["card_counts"] == pytest.approx(CARD_COUNTS, rel=0.15)
    assert DARK_MV["cut"] * 1.5 < settings["dark_mv"] < DARK_MV["paper"] / 1.5
    firmware = load_firmware().mouth.Settings(**settings, flash_us=5200)
    assert firmware.complete, "every setting is one that the board takes"


def test_a_reader_whose_setting_for_a_card_is_wrong_is_put_right_by_its_counts() -> None:
    """With air under the foils a card is half of the default: nothing is wrong but the setting."""
    halved = [
        event
        if not isinstance(event, PassageMeasured)
        else replace(event, thick_percent=event.thick_percent // 2)
        for event in reported()
    ]
    found = judged([*halved, DoubleFeed()], ["Ks"] * 6)
    assert found.complaints == ()
    assert found.card_counts == pytest.approx(CARD_COUNTS, rel=0.15)


def test_a_cut_card_that_shines_is_said() -> None:
    bright = [
        ShoeValue(65, DARK_MV["paper"]) if isinstance(event, ShoeValue) and event.number == 65 else event
        for event in reported()
    ]
    assert [one.code for one in judged(bright, ["Ks"] * 6).complaints] == ["SHOE_CUT_BRIGHT"]


def test_each_fault_of_a_built_reader_has_its_sentence() -> None:
    good = reported()
    cards = [event for event in good if isinstance(event, CardOut)]
    measured = [event for event in good if not isinstance(event, CardOut | ShoeValue)]
    unread = [CardOut(number, None, None) for number in range(1, 7)]
    long = [PassageMeasured(1, (48.0, 60.0, 48.0), 100)] * 6
    loose = [PassageMeasured(1, (48.0, 15.0, 48.0), percent) for percent in (60, 100, 150)]

    def codes(events: list[ShoeEvent], names: str = "") -> list[str]:
        return [one.code for one in judged(events, names.split()).complaints]

    assert codes([*measured, *unread]) == ["SHOE_UNREAD"]
    assert codes(good, "Ks Ks Qs Ks Ks Ks") == ["SHOE_WRONG"]
    assert codes(good, "Ks Ks Ks Ks Ks Ks Ks") == ["SHOE_FEW"]
    assert codes([*long, *cards]) == ["SHOE_LENGTH"]
    assert codes([*loose, *cards]) == ["SHOE_THICKNESS"]


def test_a_table_without_both_halves_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    table = (
        '[table]\nname = "BJ1"\nrules = "nl"\n[journal]\nfile = "day.journal"\n[shoe]\nport = "/dev/shoe"\n'
    )
    path.write_text(table, encoding="utf-8")
    result = CliRunner().invoke(build("calibrate"), ["calibrate", "shoe", str(path)])
    assert result.exit_code == 2
    assert "code" in result.output


def test_a_calibration_is_written_onto_the_board_and_ends_with_its_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = ReaderAtTable(5)
    opened = partial(joined_shoe, connect_camera=lambda _: EncodedPictures(reader.film))
    monkeypatch.setattr("controller.cli.calibrate_shoe.joined_shoe", opened)
    path = tmp_path / "table.toml"
    mouth = reader.mouth
    path.write_text(
        '[table]\nname = "BJ1"\nrules = "nl"\n[journal]\nfile = "day.journal"\n'
        f'[shoe]\nport = "{reader.line.port}"\nprotocol = "open"\nbaud = 115200\ncertain = 0.95\n'
        '[[camera]]\nname = "mouth"\nprofile = "shoe_mouth"\nsource = "drawn"\nleaves = "left"\n'
        f"mirrored = true\nsilence_ms = 20000\ncode = {mouth['code']}\n",
        encoding="utf-8",
    )
    before = reader.rig.reader.mouth.settings.all()

    def draw_all() -> None:
        while not reader.rig.link.unacked:
            time.sleep(0.05)
        time.sleep(0.5)
        for sheet in (face("K", "s"), face("9", "h"), cut_card(), face("8", "c")):
            reader.draw([Drawn(sheet)], by_hand(1.0), 160)
            time.sleep(0.3)

    hands = threading.Thread(target=draw_all, daemon=True)
    hands.start()
    try:
        arguments = [
            "calibrate",
            "shoe",
            str(path),
            "--cards",
            "Ks 9h 8c",
            "--card-mm",
            "63.5",
            "--language",
            "en",
        ]
        result = CliRunner().invoke(build("calibrate"), arguments)
        hands.join(30)
    finally:
        reader.close()
    assert result.exit_code == 0, result.output
    assert result.output.splitlines()[-1] == (
        "This reader is ready for the table: the settings are on its board."
    )
    after = reader.rig.reader.mouth.settings.all()
    assert after["card_counts"] == pytest.approx(CARD_COUNTS, rel=0.1)
    assert after["dark_mv"] != before["dark_mv"]
