"""Amounts by the digits of their currency's minor unit; what is no currency is refused."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from controller.cli.application import build
from controller.config.model import TableSection
from controller.i18n.numbers import money

LINES = (
    {"t": 1, "obs": "bet", "box": 1, "seat": 0, "stake": 4000},
    {"t": 2, "obs": "card", "rank": "10"},
    {"t": 3, "obs": "card", "rank": "9"},
    {"t": 4, "obs": "card", "rank": "9"},
    {"t": 5, "obs": "card", "rank": None, "face": "down"},
    {"t": 6, "obs": "decision", "box": 1, "hand": 1, "action": "stand"},
    {"t": 7, "obs": "reveal", "rank": "9"},
)


def replayed(folder: Path, currency: object) -> tuple[int, str]:
    header = {"feed": 1, "table": "B", "rules": "it", "currency": currency}
    path = folder / "a.feed.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in (header, *LINES)), encoding="utf-8")
    result = CliRunner().invoke(build("replay"), ["replay", str(path)])
    return result.exit_code, result.output


@pytest.mark.parametrize(
    ("currency", "written"),
    [("EUR", "win 40.00 -> 80.00"), ("JPY", "win 4000 -> 8000"), ("KWD", "win 4.000 -> 8.000")],
)
def test_a_round_is_told_in_the_digits_of_its_currency(currency: str, written: str, tmp_path: Path) -> None:
    status, told = replayed(tmp_path, currency)
    assert status == 0
    assert written in told


@pytest.mark.parametrize("currency", ["€", "", "EURO", "eur", "XYZ"])
def test_what_is_no_currency_is_refused_with_a_sentence(currency: str, tmp_path: Path) -> None:
    status, told = replayed(tmp_path, currency)
    assert status == 2
    assert "currency" in told
    assert "ISO 4217" in told


@pytest.mark.parametrize(("currency", "why"), [("EURO", "ISO 4217"), ("JPY", "two decimals"), ("KWD", "3")])
def test_a_live_table_takes_no_currency_that_its_screens_cannot_show(currency: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        TableSection(name="T", rules="it", currency=currency)
    assert TableSection(name="T", rules="it", currency="CHF").currency == "CHF"


def test_what_moved_has_its_sign_in_any_currency() -> None:
    assert money(1500, currency="JPY", signed=True) == "+1,500 JPY"
    assert money(-1500, "de", currency="BHD", signed=True) == "-1,500 BHD"
    assert money(1500) == "15.00"
