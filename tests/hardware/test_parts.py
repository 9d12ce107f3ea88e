"""The printed parts and the circuit; both need what `make hardware` installs."""

from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import pytest
from design import bom
from design.geometry import CARDS, READER, Point

EDGE_MM = 1.0


@pytest.fixture(scope="module")
def solids() -> Any:
    pytest.importorskip("build123d", reason="make hardware installs it")
    from design import parts  # noqa: PLC0415

    return parts.parts()


def volume(shape: Any) -> float:
    return float(getattr(shape, "volume", 0.0) or 0.0)


def test_a_card_pushed_through_touches_nothing(solids: Any) -> None:
    from design.parts import card, pane  # noqa: PLC0415

    begin, end = READER.tunnel[0], READER.floor_end
    everything = [*solids.values(), pane()]
    for size in CARDS:
        for place in range(31):
            leading = begin + place * (end - begin + size.along) / 30
            for side, height in ((-0.5, 0.05), (0.5, READER.height - size.thick - 0.05)):
                sheet = card(size, leading, side, height)
                assert sum(volume(solid & sheet) for solid in everything) == 0, (size, leading)


def test_a_card_that_sags_into_the_window_meets_no_edge_on_its_way_out(solids: Any) -> None:
    from build123d import Box, Pos  # noqa: PLC0415
    from design.parts import pane  # noqa: PLC0415

    ground = solids["floor"] + pane()

    def top(x: float, y: float) -> float:
        """The highest thing below a card at this place."""
        stick = Pos(x, -y, -1.0) * Box(0.05, 0.05, 2.0)
        found = ground & stick
        return found.bounding_box().max.Z if volume(found) > 0 else -2.0

    window = READER.window
    for y in (window.y0 + 1, 20.0, window.y1 - 1):
        heights = [top(x / 4, y) for x in range(round(4 * window.x0) + 2, round(4 * (window.x1 + 8)))]
        # The narrow gap beside the pane is no hole for a card that is 0.3 mm thick.
        ways = [max(pair) for pair in pairwise(heights)]
        climbs = [after - before for before, after in pairwise(ways)]
        assert max(climbs) < 0.1, "no steeper than 22 degrees"
        assert max(ways) == pytest.approx(0.0, abs=1e-6)


def test_a_fingertip_reaches_a_card_on_the_floor(solids: Any) -> None:
    from design.parts import fingertip  # noqa: PLC0415

    for wide in (14.0, 16.0, 18.0):
        for x in (-20.0, 10.0, 40.0):
            tip = fingertip(x, wide)
            assert sum(volume(solid & tip) for solid in solids.values()) == 0, wide


def test_a_slot_of_twelve_millimetres_would_stop_it(solids: Any) -> None:
    from build123d import Pos  # noqa: PLC0415
    from design.geometry import FINGER  # noqa: PLC0415
    from design.parts import fingertip  # noqa: PLC0415

    closer = (FINGER[1] - FINGER[0] - 12.5) / 2
    narrow = [Pos(0, -closer, 0) * solids["roof-window"], Pos(0, closer, 0) * solids["roof-foils"]]
    assert any(volume(roof & fingertip(10.0, 14.0)) > 0.5 for roof in narrow)


def test_the_reflective_sensor_fits_its_seat_and_sees_the_card(solids: Any) -> None:
    from build123d import Box, Pos  # noqa: PLC0415
    from design.geometry import PAPER  # noqa: PLC0415

    x, y = PAPER
    body = Pos(x, -y, -0.7 - 0.85) * Box(3.6, 2.9, 1.7)
    assert volume(solids["floor"] & body) == 0
    assert volume(solids["floor"] & Pos(x, -y, -0.35) * Box(3.0, 2.0, 0.7)) == 0, "both eyes look through"
    assert volume(solids["floor"] & Pos(0, 0, 0.1) * body) > 0.3, "and it lies 0.7 mm below the cards"


def test_mirror_pane_and_camera_have_their_places(solids: Any) -> None:
    from build123d import Pos  # noqa: PLC0415
    from design.parts import camera, mirror, pane  # noqa: PLC0415

    mounted = {"mirror": mirror(), "pane": pane()}
    near, far = READER.carriage()
    for front in READER.stack.front_mm:
        mounted[f"camera, {front} mm"] = camera(front_mm=front)
    for name, body in mounted.items():
        for part, solid in solids.items():
            assert volume(solid & body) < 0.01, (name, part)
    # The carriage reaches both ends of its way.
    for moved in ((near - far) / 2, (far - near) / 2):
        camera_there, carriage = Pos(0, -moved, 0) * camera(), Pos(0, -moved, 0) * solids["carriage"]
        assert volume(solids["chamber"] & carriage) < 0.01
        assert volume(solids["chamber"] & camera_there) < 0.01


def test_the_parts_that_carry_stand_on_the_felt(solids: Any) -> None:
    from design.parts import PADS, SHOE  # noqa: PLC0415

    for name in ("chamber", "tray", "slide", "plinth"):
        assert pytest.approx(READER.bottom_z + PADS) == solids[name].bounding_box().min.Z, name
    # A shoe of 3 kg stands on two of them, its mouth level with the tunnel.
    from build123d import Box, Pos  # noqa: PLC0415

    x0, x1 = READER.tunnel[0] - 60.0, READER.tunnel[0] - 0.5
    shoe = Pos((x0 + x1) / 2, -(READER.width / 2 - 1), 50.0 - SHOE[1]) * Box(x1 - x0, 118.0, 100.0)
    under = Pos(0, 0, -0.1) * shoe
    assert sum(volume(solid & shoe) for solid in solids.values()) < 0.01
    borne = volume(solids["plinth"] & under) / 0.1
    assert borne > 5000, "square millimetres"
    column = 3 * 4.0 * 119.0
    assert 3.0 * 9.81 / column < 0.1, "newtons a square millimetre; PETG bears 40"


def test_light_reaches_every_part_of_the_window_and_the_lens_sees_it(solids: Any) -> None:
    from build123d import Vector  # noqa: PLC0415
    from design.parts import mirror  # noqa: PLC0415

    window = READER.window
    spots = [
        (x, y)
        for x in (window.x0 + EDGE_MM, 22.0, window.x1 - 2 * EDGE_MM)
        for y in (window.y0 + EDGE_MM, 20.0, window.y1 - EDGE_MM)
    ]
    walls = [solids["floor"], solids["chamber"], mirror()]

    def clear(begin: Point, end: Point) -> bool:
        ways = [
            tuple(a + (b - a) * step / 40 for a, b in zip(begin, end, strict=True)) for step in range(1, 40)
        ]
        return not any(wall.is_inside(Vector(x, -y, z - 0.01)) for x, y, z in ways for wall in walls)

    for x, y in spots:
        # Each place is lit by all lamps of one end at least, and by all but two of both.
        lit = [clear(lamp, (x, y, 0.0)) for lamp in READER.lamps]
        assert sum(lit) >= 4, (x, y, lit)
        # The way of the light to the lens: down to the mirror's face, and along the axis.
        lens = READER.lens
        share = next(
            step / 1000
            for step in range(1000)
            if -READER.path_mm * step / 1000 <= READER.pupil[2] - (y + (lens[1] - y) * step / 1000 - lens[1])
        )
        on_mirror = (x + (lens[0] - x) * share, y + (lens[1] - y) * share, -READER.path_mm * share + 0.1)
        assert clear((x, y, 0.0), on_mirror)
        front = (READER.pupil[0], READER.pupil[1] - 1.0, READER.pupil[2])
        assert clear(on_mirror, front), (x, y)


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
        assert volume(seat & solids[screw.through]) > 0.3 * volume(seat), screw
        assert volume(thread & solids[screw.into]) > 0.6 * volume(thread), screw


def test_no_light_of_the_room_comes_in_between_chamber_and_floor(solids: Any) -> None:
    from build123d import Pos  # noqa: PLC0415
    from design.parts import FLOOR  # noqa: PLC0415

    chamber = solids["chamber"]
    rim = Pos(0, 0, 0.2) * (chamber & slab(-FLOOR - 0.1, -FLOOR))
    assert volume(rim) > 0
    covered = volume(rim & solids["floor"]) + volume(rim & solids["foil-cover"])
    assert covered == pytest.approx(volume(rim), rel=0.04), "but for the noses under the pane"


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


def test_the_parts_are_few_and_the_sum_says_how_many_prices_are_estimates(tmp_path: Path) -> None:
    assert len(bom.PARTS) < 18
    assert bom.total_eur() < bom.LIMIT_EUR
    for row in bom.PARTS:
        assert row.source == "estimate" or "USD: " in row.source, row.part
    bom.export(tmp_path / "bom.md")
    last = (tmp_path / "bom.md").read_text(encoding="utf-8").splitlines()[-1]
    assert (
        f"{sum(row.source == 'estimate' for row in bom.PARTS)} of {len(bom.PARTS)} prices are estimates"
        in last
    )


def test_the_stripboard_is_the_circuit(tmp_path: Path) -> None:
    pytest.importorskip("skidl", reason="make hardware installs it")
    from design import circuit, stripboard  # noqa: PLC0415

    nets = circuit.nets(tmp_path)
    places = {(ref, pin): place for ref, pins in stripboard.LEADS.items() for pin, place in pins.items()}
    places |= {wire: place for wire, (place, _) in stripboard.WIRES.items()}
    places |= {("U1", name): stripboard.pico_pin(int(pin)) for name, (pin, _) in circuit.PICO_PINS.items()}
    copper = stripboard.joined()
    of: dict[str, set[tuple[int, int]]] = {}
    for name, pins in nets.items():
        of[name] = {copper[stripboard.segment(places[pin])] for pin in pins if pin in places}
        # Two grounds of the Pico are one inside it.
        off = [pin for pin in pins if pin not in places]
        assert len(of[name]) <= 1 or name == "GND", (name, of[name], off)
    ground = {copper[stripboard.segment(stripboard.pico_pin(pin))] for pin in (3, 8, 13, 18, 23, 28, 38)}
    assert of["GND"] <= ground
    taken = [piece for name, pieces in of.items() for piece in pieces]
    assert len(taken) == len(set(taken)), "no piece of copper is two nets"
    # A piece that also has a pin of the Pico that nothing uses must bear 3.3 V: none is at 5 or 27 V.
    spare = {copper[stripboard.segment(stripboard.pico_pin(pin))] for pin in (1, 2, 6, 9, 10, 34)}
    assert not (of["VBUS"] | of["FLASH_SUPPLY"]) & spare
    holes = [*places.values(), *(place for link in stripboard.LINKS for place in link)]
    shared = [place for place in set(holes) if holes.count(place) > 1]
    assert shared == [(1, 16)], "only the code lights' six red wires join in one hole"
