"""The printed parts and the circuit; both need what `make hardware` installs."""

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from design import bom
from design.geometry import CARDS, READER
from design.light import LAMP, budget, card_farad, filled, flash_lux

EDGE_MM = 1.0


@pytest.fixture(scope="module")
def solids() -> Any:
    pytest.importorskip("build123d", reason="make hardware installs it")
    from design import parts  # noqa: PLC0415

    return parts.parts()


def volume(shape: Any) -> float:
    return float(getattr(shape, "volume", 0.0) or 0.0)


def test_a_card_pushed_through_touches_nothing(solids: Any) -> None:
    from design.parts import card  # noqa: PLC0415

    begin, end = READER.tunnel
    for size in CARDS:
        for place in range(31):
            leading = begin + place * (end - begin + size.along) / 30
            for side, height in ((-0.5, 0.05), (0.5, READER.height - size.thick - 0.05)):
                sheet = card(size, leading, side, height)
                assert sum(volume(solid & sheet) for solid in solids.values()) == 0, (size, leading)


def test_light_reaches_every_part_of_the_window_and_the_lens_sees_it(solids: Any) -> None:
    from build123d import Vector  # noqa: PLC0415

    window = READER.window
    spots = [
        (x, y)
        for x in (window.x0 + EDGE_MM, 20.0, window.x1 - EDGE_MM)
        for y in (window.y0 + EDGE_MM, 20.0, window.y1 - EDGE_MM)
    ]
    walls = [solids["floor"], solids["chamber"]]
    for source in (*READER.lamps, READER.lens):
        for x, y in spots:
            for step in range(1, 40):
                share = step / 40
                at = Vector(
                    source[0] + (x - source[0]) * share,
                    -(source[1] + (y - source[1]) * share),
                    source[2] * (1 - share) - 0.01,
                )
                assert not any(wall.is_inside(at) for wall in walls), (source, x, y, at)


def test_the_parts_fit_together(solids: Any) -> None:
    for (one, first), (other, second) in combinations(solids.items(), 2):
        assert volume(first & second) < 1e-6, (one, other)


def test_each_screw_passes_one_part_and_holds_in_another(solids: Any) -> None:
    from design.parts import HEAD, screws  # noqa: PLC0415

    for screw in screws(READER):
        # Shaft and core of the thread meet nothing, material is around them, and a driver gets there.
        assert all(
            volume(screw.rod(2.4, 0.0, screw.long - 0.1) & solid) < 1e-6 for solid in solids.values()
        ), screw
        assert all(volume(screw.rod(HEAD - 0.2, -20.0, -0.1) & solid) < 1e-6 for solid in solids.values()), (
            screw
        )
        seat, thread = screw.rod(6.0, 0.0, 1.0), screw.rod(4.5, screw.passed, screw.long)
        assert volume(seat & solids[screw.through]) > 0.35 * volume(seat), screw
        assert volume(thread & solids[screw.into]) > 0.6 * volume(thread), screw


def test_no_light_of_the_room_comes_in_between_chamber_and_floor(solids: Any) -> None:
    from build123d import Pos  # noqa: PLC0415
    from design.parts import FLOOR  # noqa: PLC0415

    chamber = solids["chamber"]
    rim = Pos(0, 0, 0.2) * (chamber & slab(-FLOOR - 0.1, -FLOOR))
    assert volume(rim) > 0
    assert volume(rim & solids["floor"]) == pytest.approx(volume(rim), rel=0.02)


def slab(low: float, high: float) -> Any:
    """Everything between two heights."""
    from build123d import Box, Pos  # noqa: PLC0415

    return Pos(0, 0, (low + high) / 2) * Box(400, 400, high - low)


def test_every_part_can_be_printed(solids: Any) -> None:
    for name, solid in solids.items():
        assert solid.is_valid, name
        assert max(*solid.bounding_box().size) < 200, name


def test_the_circuit_keeps_its_rules(tmp_path: Path) -> None:
    pytest.importorskip("skidl", reason="make hardware installs it")
    from design import circuit  # noqa: PLC0415

    errors, _ = circuit.export(tmp_path)
    assert errors == 0
    assert "QRE1113" in (tmp_path / "reader.net").read_text(encoding="utf-8")


def test_light_and_currents_suffice() -> None:
    window = READER.window
    spots = [(x, y) for x in (window.x0, 20.0, window.x1) for y in (window.y0, 20.0, window.y1)]
    full = [filled(flash_lux(spot) * READER.flash_us / 1e6) for spot in spots]
    assert 0.1 < min(full) < max(full) < 0.5, (
        "twice the sensor's lowest gain fills the scale and clips nothing"
    )
    power = budget()
    assert power.usb_ampere < 0.5
    assert power.droop_volt < 0.2
    assert power.series_ohm > 0.5
    assert LAMP.ampere * READER.flash_us / (1000 * READER.flash_ms) < 0.35 / 100, (
        "a hundredth of its mean current"
    )
    one, two = (card_farad(sheets) - card_farad(0) for sheets in (1, 2))
    assert one > 100 * 0.5e-15, "a card is a hundred times what the FDC1004 resolves"
    assert two > 2 * one


def test_the_parts_cost_less_than_120_euros_and_each_price_has_its_source() -> None:
    assert bom.total_eur() < bom.LIMIT_EUR
    for row in bom.PARTS:
        assert row.source == "estimate" or "USD: " in row.source, row.part
