"""Labels of pictures: what is written, what is kept, what is refused, and what comes first."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from controller.domain.errors import ConfigError
from controller.studio.labelling.compare import compare
from controller.studio.labelling.folder import outline_of
from controller.studio.labelling.label_file import LabelCard, LabelFile, LabelRow, Rank, Suit
from models.measure.photographs import rows_of, truths_of
from tests.replay.replay_kit import call
from tests.studio.labelled_kit import draw, labelling, rows
from tests.studio.studio_kit import LocalServer
from vision.enrolment import load_labels
from vision.reading import PointPx, ReadCard

SQUARE = [10.0, 10.0, 60.0, 10.0, 60.0, 90.0, 10.0, 90.0]


def read_card(rank: str, suit: str | None, at: PointPx) -> ReadCard:
    return ReadCard(rank, suit, 0.999, at, None, "up", 1)


def labelled(rank: Rank, suit: Suit | None, left: float) -> LabelCard:
    return LabelCard(rank=rank, suit=suit, bbox=(left, 0, left + 50, 80))


def picture(server: LocalServer, number: int) -> Any:
    """A picture once it is read, however long that takes."""
    while not (found := server.get(f"/api/labels/{number}"))["width"]:
        time.sleep(0.05)
    return found


def test_the_reader_is_held_against_the_label_of_its_place() -> None:
    labels = [labelled("A", "s", 0), labelled("9", None, 100), labelled("K", "d", 200)]
    read = [read_card("A", "h", (20, 20)), read_card("9", "c", (120, 20)), read_card("4", "s", (400, 20))]
    found = compare(labels, read)
    told = [(one.kind, one.label, one.read) for one in found.found]
    assert told == [("other", "As", "Ah"), ("unlabelled", "", "4s"), ("unread", "Kd", "")]
    assert found.unlabelled == (read[2],)


def test_of_two_cards_that_overlap_each_read_takes_the_label_that_it_confirms() -> None:
    labels = [labelled("A", "s", 0), labelled("7", "h", 20)]
    assert compare(labels, [read_card("7", "h", (30, 20)), read_card("A", "s", (40, 20))]).found == ()


def test_an_outline_is_clockwise_from_its_first_corner_whichever_way_it_was_tapped() -> None:
    back = [*SQUARE[:2], *SQUARE[6:], *SQUARE[4:6], *SQUARE[2:4]]
    assert outline_of(SQUARE, 100, 100) == outline_of(back, 100, 100)
    assert outline_of(SQUARE, 100, 100)["bbox"] == [10, 10, 60, 90]


@pytest.mark.parametrize(
    "corners",
    [
        [0, 0, 10, 10, 20, 20, 30, 30],
        [10, 10, 60, 90, 60, 10, 10, 90],
        [-5, 10, 60, 10, 60, 90, 10, 90],
        [10, 10, 12, 10, 12, 12, 10, 12],
    ],
    ids=["in a row", "in a bow", "outside", "no larger than a spot"],
)
def test_corners_that_stand_around_no_card_are_refused(corners: list[float]) -> None:
    with pytest.raises(ConfigError) as wrong:
        outline_of(corners, 100, 100)
    assert wrong.value.code == "LABEL_OUTLINE"


def test_labels_of_other_pictures_stay_byte_for_byte_and_replaced_ones_in_the_history(tmp_path: Path) -> None:
    other = '{"cards": [{"suit":null,"rank":"T","bbox":[1,2,3,4],"quad":null}], "file":"b.jpg","by":"us"}'
    mine = '{"file": "a.jpg", "licence": "own", "cards": []}'
    (tmp_path / "labels.jsonl").write_text(f"{other}\n\n{mine}\n")
    file = LabelFile(tmp_path)
    row = file.rows()["a.jpg"]
    card = LabelCard(rank="10", suit="h", bbox=(0, 0, 9, 9))
    file.keep(LabelRow.model_validate({**row.model_dump(), "cards": [card]}), 1_790_000_000_000_000)
    first, second = (tmp_path / "labels.jsonl").read_text().splitlines()
    assert first == other
    assert json.loads(second)["licence"] == "own"
    assert [(one["file"], one["was"]) for one in rows(tmp_path, "labels.history.jsonl")] == [
        ("a.jpg", json.loads(mine))
    ]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("no json", "FEED_NOT_JSON"),
        ('{"file":"a.jpg","cards":[{"rank":"1","suit":"s"}]}', "LABELS_WRONG"),
        ('{"file":"a.jpg","cards":[{"rank":"A","suit":"s","quad":[[0,0],[1,1]]}]}', "LABELS_WRONG"),
        ('{"file":"z.jpg","cards":[]}', "LABELS_TWICE"),
    ],
)
def test_a_line_that_is_no_label_is_named_and_nothing_is_written(
    tmp_path: Path, line: str, code: str
) -> None:
    draw(tmp_path / "z.jpg", ("A", "s"), ("9", "d"))
    text = f'{{"file":"z.jpg","cards":[]}}\n{line}\n'
    (tmp_path / "labels.jsonl").write_text(text)
    with pytest.raises(ConfigError) as wrong:
        LabelFile(tmp_path).keep(LabelRow(file="z.jpg", cards=()), 0)
    assert wrong.value.code == code
    assert wrong.value.params.get("line", 2) == 2
    told = call("label", tmp_path)
    assert told.returncode == 2
    assert "line 2" in told.stderr or "labels.jsonl:2" in told.stderr
    assert (tmp_path / "labels.jsonl").read_text() == text
    assert not (tmp_path / "labels.history.jsonl").exists()


def test_a_folder_without_pictures_is_refused(tmp_path: Path) -> None:
    told = call("label", tmp_path)
    assert told.returncode == 2
    assert "no pictures" in told.stderr


def test_a_picture_is_labelled_and_measuring_and_enrolment_read_it(tmp_path: Path) -> None:
    photos = tmp_path / "photos"
    draw(photos / "images" / "own_1.jpg", ("A", "s"), ("10", "h"))
    with labelling(photos) as server:
        server.enter()
        shown = picture(server, 0)
        assert (shown["width"], shown["height"], shown["cards"], shown["state"]) == (1920, 1080, [], "open")
        read = [card for card in shown["read"] if card["is_new"]]
        cards = [{**{key: one[key] for key in ("rank", "suit", "corners")}, "kept": None} for one in read]
        status, after = server.post("/api/labels/0", {"stamp": "", "cards": cards})
        assert (status, after["state"], len(after["cards"])) == (200, "agrees", 2)
        # Whoever was shown the labels before these must not write over them.
        assert server.post("/api/labels/0", {"stamp": "", "cards": []})[0] == 409
    (_, row), *_ = rows_of(tmp_path)
    assert {(card.rank, card.suit) for card in truths_of(row)} == {("A", "s"), ("10", "h")}
    known = load_labels(photos / "labels.jsonl")["own_1.jpg"]
    assert all(card.quad is not None for card in known)


def test_where_label_and_reader_differ_comes_first(tmp_path: Path) -> None:
    agrees = draw(tmp_path / "a.jpg", ("A", "s"), ("9", "d"))
    draw(tmp_path / "b.jpg", ("K", "s"), ("9", "d"))
    (tmp_path / "c.jpg").write_text("no picture")
    (tmp_path / "d.jpg").write_bytes(agrees.read_bytes())
    whole = [0, 0, 1920, 1080]
    right = [{"rank": "A", "suit": "s", "bbox": whole}, {"rank": "9", "suit": "d", "bbox": whole}]
    wrong = [{"rank": "A", "suit": "h", "bbox": whole}, {"rank": "9", "suit": "d", "bbox": whole}]
    lines = [{"file": "a.jpg", "cards": right}, {"file": "d.jpg", "cards": wrong}]
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with labelling(tmp_path) as server:
        server.enter()
        while (listed := server.get("/api/labels"))["left"]:
            time.sleep(0.05)
        assert [(one["name"], one["state"]) for one in listed["pictures"]] == [
            ("d.jpg", "differs"),
            ("b.jpg", "open"),
            ("a.jpg", "agrees"),
            ("c.jpg", "unreadable"),
        ]
        assert server.get("/api/labels/2")["why"]["code"] == "error.PICTURE_NOT_A_PICTURE"
        assert server.status("/api/labels/4") == 404


def test_nobody_sees_a_picture_who_did_not_come_through_the_address(tmp_path: Path) -> None:
    draw(tmp_path / "a.jpg", ("A", "s"), ("9", "d"))
    with labelling(tmp_path) as server:
        assert [server.status(path) for path in ("/", "/api/labels", "/api/labels/0/picture")] == [401] * 3
