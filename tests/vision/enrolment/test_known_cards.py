"""What a person says of pictures: labels and orders, right and wrong."""

from pathlib import Path

import pytest

from controller.domain import ConfigError
from controller.validation import MalformedLine
from vision.enrolment import load_labels, parse_order


def test_an_order_is_a_list_of_cards() -> None:
    assert [f"{name.rank}{name.suit}" for name in parse_order("As 10h  kD\nQc")] == ["As", "10h", "Kd", "Qc"]


@pytest.mark.parametrize(("text", "word"), [("As 1h", "1h"), ("As Kx", "Kx"), ("", "")])
def test_a_word_that_is_no_card_is_named(text: str, word: str) -> None:
    with pytest.raises(ConfigError) as wrong:
        parse_order(text)
    assert (wrong.value.code, wrong.value.params) == ("ENROL_ORDER_WRONG", {"word": word})


CVAT = """<?xml version="1.0" encoding="utf-8"?>
<annotations><version>1.1</version><meta><task><name>deck</name></task></meta>
<image id="0" name="deck/a.jpg" width="90" height="90">
<polygon label="As" occluded="0" points="0.00,0.00;9.50,0.00;9.50,20.00;0.00,20.00" z_order="0"></polygon>
<polygon label="10h" occluded="0" points="30,0;30,20;40,20;40,0" z_order="0"></polygon>
</image>
<image id="1" name="b.jpg" width="90" height="90"><points label="Kd" points="3.5,4"></points></image>
</annotations>"""


def test_labels_drawn_in_cvat_are_read(tmp_path: Path) -> None:
    path = tmp_path / "annotations.xml"
    path.write_text(CVAT)
    labels = load_labels(path)
    assert {file: [card.name for card in cards] for file, cards in labels.items()} == {
        "a.jpg": [("A", "s"), ("10", "h")],
        "b.jpg": [("K", "d")],
    }
    first, second = (card.quad for card in labels["a.jpg"])
    assert first is not None
    assert second is not None
    assert first.tolist() == [[0, 0], [9.5, 0], [9.5, 20], [0, 20]]
    assert second.tolist() == [[30, 0], [40, 0], [40, 20], [30, 20]], "drawn the other way round"
    assert labels["b.jpg"][0].at is not None


@pytest.mark.parametrize(
    ("was", "wrong", "file"),
    [
        ('label="10h"', 'label="card"', "deck/a.jpg"),
        ("30,0;30,20;40,20;40,0", "30,0;30,20;40,20", "deck/a.jpg"),
        ("3.5,4", "3.5", "b.jpg"),
        ("3.5,4", "nan,4", "b.jpg"),
        ("</annotations>", "", "-"),
    ],
)
def test_a_wrong_picture_of_cvat_is_named(tmp_path: Path, was: str, wrong: str, file: str) -> None:
    path = tmp_path / "annotations.xml"
    path.write_text(CVAT.replace(was, wrong))
    with pytest.raises(ConfigError) as raised:
        load_labels(path)
    assert (raised.value.code, raised.value.params["file"]) == ("ENROL_CVAT_WRONG", file)


def test_labels_are_found_by_the_pictures_name(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text(
        '{"file":"x/a.jpg","cards":[{"rank":"A","suit":"s","quad":[[0,0],[9,0],[9,9],[0,9]]}]}\n\n'
        '{"file":"b.jpg","cards":[{"rank":"10","suit":"h","at":[3.5,4]}]}\n'
    )
    labels = load_labels(path)
    assert sorted(labels) == ["a.jpg", "b.jpg"]
    assert labels["a.jpg"][0].name == ("A", "s")
    assert labels["b.jpg"][0].at is not None


@pytest.mark.parametrize(
    "line",
    [
        "no json",
        "[]",
        '{"cards":[]}',
        '{"file":"a","cards":[{"rank":"1","suit":"s","at":[1,2]}]}',
        '{"file":"a","cards":[{"rank":"A","suit":"s"}]}',
        '{"file":"a","cards":[{"rank":"A","suit":"s","quad":[[1,2]]}]}',
        '{"file":"a","cards":[{"rank":"A","suit":"s","at":[1,null]}]}',
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text('{"file":"a.jpg","cards":[]}\n' + line + "\n")
    with pytest.raises(ConfigError) as wrong:
        load_labels(path)
    if isinstance(wrong.value, MalformedLine):
        assert (wrong.value.code, wrong.value.where) == ("FEED_NOT_JSON", f"{path}:2")
    else:
        assert (wrong.value.code, wrong.value.params["line"]) == ("ENROL_LABELS_WRONG", 2)
