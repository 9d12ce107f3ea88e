"""Cards to boxes by their place on the felt: exact where it is known, nobody's where it is not."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from controller.cli.read import read
from controller.config import CameraSection
from controller.devices.cameras.setup import layout_of, zones_of
from controller.domain import ConfigError
from vision.calibration.layout import TableMap, load_layout
from vision.reading import ReadCard, Reading
from vision.synth import DEALER, DrawnTableView, TableCard, TableHand, render_frame, table_scene
from vision.synth.demo_table import CARD_PX, CardPlace, card_place

EXAMPLE = Path(__file__).parents[3] / "examples" / "layout.toml"
WIDE = CARD_PX * 63 / 88


def felt(width: int = 1920, height: int = 1080) -> TableMap:
    return TableMap(load_layout(EXAMPLE), width, height)


def card(spot: CardPlace, hand: int = 1, *, size: float = 1.0, known: bool = True) -> ReadCard:
    """A card as the reader tells it: its index in the upper left corner."""
    turn = np.deg2rad(spot.angle)
    turned = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    half = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (WIDE / 2, CARD_PX / 2) * size
    corners = half @ turned + (spot.x, spot.y)
    x, y = (half[0] * 0.7) @ turned + (spot.x, spot.y)
    first, second, third, fourth = ((float(a), float(b)) for a, b in corners)
    quad = (first, second, third, fourth) if known else None
    return ReadCard("7", "h", 0.999, (float(x), float(y)), quad, "up", hand)


def boxes(*cards: ReadCard, at: TableMap | None = None) -> list[tuple[int | None, int | None]]:
    placed = (at or felt()).assign(Reading(cards, (), 1.0)).cards
    return [(one.box, one.box_hand) for one in placed]


def test_every_place_of_the_demo_s_table_belongs_to_its_box() -> None:
    for box in range(1, 8):
        hands = [card(card_place(box, hand, number), hand) for hand in (1, 2, 3) for number in (0, 3)]
        assert boxes(*hands) == [(box, hand) for hand in (1, 2, 3) for _ in (0, 3)]
    dealt = [card(card_place(DEALER, 1, number), number + 1) for number in range(5)]
    assert boxes(*dealt) == [(DEALER, 1)] * 5


def test_hands_side_by_side_count_from_the_dealer_s_left() -> None:
    right, left = card(CardPlace(330 + 150, 400, 0), 1), card(CardPlace(330 + 50, 400, 20), 2)
    assert boxes(right, left) == [(2, 2), (2, 1)]


def test_a_card_outside_every_zone_is_nobody_s() -> None:
    assert boxes(card(CardPlace(1000, 40, 0))) == [(None, None)]


def test_an_index_alone_has_a_box_only_where_the_whole_card_must_lie_in_it() -> None:
    inside, near_the_border = CardPlace(200, 400, 0), CardPlace(310, 400, 0)
    assert boxes(card(inside, known=False)) == [(1, 1)]
    assert boxes(card(near_the_border, known=False)) == [(None, None)]


def test_an_index_alone_lies_as_the_other_cards_of_its_hand() -> None:
    mate, alone = card(CardPlace(290, 400, 0)), card(CardPlace(311, 400, 0), known=False)
    assert boxes(mate, alone) == [(2, 1), (2, 1)]
    assert boxes(alone) == [(None, None)]


@pytest.mark.parametrize(("size", "kept"), [(0.8, 0), (0.9, 1), (1.0, 1), (1.1, 1), (1.2, 0)])
def test_what_is_not_of_a_card_s_size_is_unclear(size: float, kept: int) -> None:
    found = felt().assign(Reading((card(CardPlace(200, 400, 30), size=size),), (), 1.0))
    assert len(found.cards) == kept
    assert [spot.reason for spot in found.unclear] == ["size"] * (1 - kept)


def test_a_scaled_picture_is_read_alike_and_one_of_another_aspect_refused() -> None:
    half = felt(960, 540)
    spot = card_place(5, 1, 2)
    small = card(CardPlace(spot.x / 2, spot.y / 2, 0), size=0.5)
    assert boxes(small, at=half) == boxes(card(spot)) == [(5, 1)]
    with pytest.raises(ConfigError) as caught:
        felt(1920, 1200)
    assert caught.value.code == "LAYOUT_OTHER_SIZE"


VIEW = DrawnTableView(
    (
        TableHand(1, 1, (TableCard("A", "s"), TableCard("9", "h"), TableCard("5", "c"))),
        TableHand(6, 1, (TableCard("K", "d"), TableCard("8", "d", across=True))),
        TableHand(6, 2, (TableCard("8", "c"), TableCard("3", "s"))),
        TableHand(DEALER, 1, (TableCard("Q", "h"), TableCard("K", "s", "down"))),
    )
)


def photograph(folder: Path, *, width: int = 1920) -> Path:
    frame = render_frame(table_scene(VIEW, 1), 1)
    scale = width / frame.shape[1]
    path = folder / f"{width}.png"
    cv2.imwrite(str(path), cv2.resize(frame, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA))
    return path


def test_read_gives_each_card_of_a_picture_its_box_and_hand(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(read)
    path = photograph(tmp_path)
    cut = tmp_path / "cut.png"
    cv2.imwrite(str(cut), np.zeros((600, 1920, 3), np.uint8))
    done = CliRunner().invoke(app, ["--json", "--layout", str(EXAMPLE), str(path), str(cut)])
    assert done.exit_code == 1
    assert "600 pixels" in done.stderr
    (line,) = (json.loads(line) for line in done.stdout.splitlines())
    found: dict[tuple[int, int], list[tuple[str | None, str | None]]] = {}
    for one in line["cards"]:
        found.setdefault((one["box"], one["box_hand"]), []).append((one["rank"], one["suit"]))
    wanted = {
        (hand.box, hand.hand): [
            (one.rank, one.suit) if one.face == "up" else (None, None) for one in hand.cards
        ]
        for hand in VIEW.hands
    }
    assert found == wanted
    shown = CliRunner().invoke(app, ["--layout", str(EXAMPLE), str(path)]).stdout
    assert "6.2" in shown


def test_a_layout_that_cannot_be_used_ends_the_command(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(read)
    done = CliRunner().invoke(app, ["--layout", str(tmp_path / "none.toml"), "a.png"])
    assert done.exit_code == 2
    assert "none.toml" in done.stderr


def section(**more: object) -> CameraSection:
    return CameraSection.model_validate({"source": "0", "layout": str(EXAMPLE)} | more)


def test_the_live_table_finds_its_boxes_by_the_layout() -> None:
    box_at = zones_of(section())
    spots = {box: card_place(box, 1, 0) for box in range(8)}
    assert {box: box_at((spot.x, spot.y)) for box, spot in spots.items()} == {box: box for box in range(8)}
    assert box_at((1000, 40)) is None


def test_a_camera_of_another_size_than_its_layout_is_refused() -> None:
    with pytest.raises(ConfigError) as caught:
        layout_of(section(width=1280, height=720))
    assert caught.value.code == "LAYOUT_OTHER_SIZE"


def test_circles_beside_a_layout_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="not both"):
        section(dealer={"x": 1, "y": 1, "radius": 5})
