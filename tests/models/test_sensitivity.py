"""Tuned numbers are found in a source file, changed one at a time, and their effects told."""

from pathlib import Path

import pytest

from models.measure.tuning.sensitivity import nudged, page
from models.measure.tuning.tuned_numbers import tuned_numbers

SOURCE = '''"""A module."""

from typing import Final, NamedTuple


class EdgeRule(NamedTuple):
    """What an edge is. Source: none."""

    shares: tuple[float, float] = (0.08, -0.92)
    """Two of them."""

    steps: int = 20


class Card(NamedTuple):
    """No parameter object: one field has no value."""

    place: int
    p: float = 0.5


EDGE_RULE: Final = EdgeRule()
SHARP: Final = EdgeRule((0.1, 0.2), 5)
FACES: Final = 52
"""No rule says how many."""
'''


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "edges.py"
    path.write_text(SOURCE, encoding="utf-8")
    return path


def test_numbers_of_constants_and_parameter_objects_are_found_by_name(source: Path) -> None:
    assert [(number.name, number.value, number.sourced) for number in tuned_numbers(source)] == [
        ("EdgeRule.shares[0]", 0.08, True),
        ("EdgeRule.shares[1]", 0.92, True),
        ("EdgeRule.steps", 20, True),
        ("SHARP.shares[0]", 0.1, False),
        ("SHARP.shares[1]", 0.2, False),
        ("SHARP.steps", 5, False),
        ("FACES", 52, False),
    ]


def test_one_number_is_changed_and_nothing_else(source: Path) -> None:
    number = tuned_numbers(source)[1]
    assert number.text_with(0.9) == SOURCE.replace("-0.92", "-0.9")


@pytest.mark.parametrize(
    ("value", "less", "more"),
    [(20, 18, 22), (3, 2, 4), (0.2, 0.18, 0.22), (6.0, 5.4, 6.6), (0.98, 0.975, 0.984)],
)
def test_a_tenth_less_and_more(value: float, less: float, more: float) -> None:
    assert nudged(value) == pytest.approx((less, more))


def test_the_page_tells_what_changed_and_what_did_not() -> None:
    nothing = dict.fromkeys(("right", "wrong", "unclear", "exact", "silent"), 0)
    rows = [
        {
            "package": "assembly",
            "name": "EdgeRule.steps",
            "value": 20,
            "effects": [{**nothing, "right": -2}, None],
        },
        {"package": "objects", "name": "FACES", "value": 52, "effects": [nothing, nothing]},
    ]
    text = page("# Head", rows)
    assert "| `EdgeRule.steps` | 20 | 18: right -2 | 22: cannot read |" in text
    assert "Nothing changed with: `FACES` 52." in text
