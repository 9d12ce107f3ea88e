"""What a person says of pictures: labels and orders, right and wrong."""

from pathlib import Path

import pytest

from controller.domain.errors import ConfigError
from controller.validation.strict_json import MalformedLine
from vision.enrolment import load_labels, parse_order


def test_an_order_is_a_list_of_cards() -> None:
    assert [f"{name.rank}{name.suit}" for name in parse_order("As 10h  kD\nQc")] == ["As", "10h", "Kd", "Qc"]


@pytest.mark.parametrize(("text", "word"), [("As 1h", "1h"), ("As Kx", "Kx"), ("", "")])
def test_a_word_that_is_no_card_is_named(text: str, word: str) -> None:
    with pytest.raises(ConfigError) as wrong:
        parse_order(text)
    assert (wrong.value.code, wrong.value.params) == ("ENROL_ORDER_WRONG", {"word": word})


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
