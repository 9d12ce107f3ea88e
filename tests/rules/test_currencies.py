"""Amounts by the digits of their currency's minor unit; what is no currency is refused."""

import json
from decimal import Decimal
from pathlib import Path

import pytest
from typer.testing import CliRunner

from controller.cli.application import build
from controller.config import TableSection
from controller.domain import ConfigError
from controller.i18n import LANGUAGES, catalogue, money, text
from tests.studio.studio_kit import StudioServer

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


@pytest.mark.parametrize(
    ("currency", "code", "named"),
    [
        ("EURO", "CONFIG_NO_CURRENCY", "EURO"),
        ("JPY", "CONFIG_CURRENCY_DIGITS", "JPY"),
        ("KWD", "CONFIG_CURRENCY_DIGITS", "3"),
    ],
)
def test_a_live_table_takes_no_currency_that_cannot_be_typed_at_it(
    currency: str, code: str, named: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        TableSection(name="T", rules="it", currency=currency)
    assert refused.value.code == code
    for language in LANGUAGES:
        assert named in text(f"error.{code}", refused.value.params, language)
        assert f"error.{code}" in catalogue(language)
    assert TableSection(name="T", rules="it", currency="CHF").currency == "CHF"


WRITTEN = [("EUR", "40.00"), ("JPY", "4000"), ("KWD", "4.000")]
"""A stake of 4000 minor units as a page gets it."""


def feed_in(folder: Path, currency: str) -> Path:
    header = {"feed": 1, "table": "B", "rules": "it", "currency": currency}
    path = folder / "a.feed.jsonl"
    lines = (header | {"started_at": "2026-11-20T19:00:00Z"}, *LINES, {"t": 8, "obs": "end"})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize(("currency", "stake"), WRITTEN)
def test_the_studio_shows_amounts_in_the_digits_of_the_file(
    currency: str, stake: str, tmp_path: Path
) -> None:
    with StudioServer([feed_in(tmp_path, currency)]) as server:
        server.enter()
        steps = server.get("/api/studio/0")["steps"]
        shown = [server.get(f"/api/studio/0/step/{at}") for at in range(len(steps))]
    entered = [dict(one["entry"]) for one in shown]
    assert [one["stake"] for one in entered if "stake" in one] == [{"money": stake}]
    assert f'"stake": "{stake}"' in json.dumps([one["view"] for one in shown])


@pytest.mark.parametrize(("currency", "stake"), WRITTEN)
def test_a_shift_is_reported_in_the_digits_of_its_currency(currency: str, stake: str, tmp_path: Path) -> None:
    feed = feed_in(tmp_path, currency)
    told = CliRunner().invoke(build("report"), ["report", "--table", str(feed)])
    whole = stake if "." in stake else f"{int(stake):,}"
    assert f"-{whole}" in told.output, told.output


@pytest.mark.parametrize(("currency", "stake"), WRITTEN)
def test_a_feed_is_shrunk_by_an_amount_of_its_currency(currency: str, stake: str, tmp_path: Path) -> None:
    feed, out = feed_in(tmp_path, currency), tmp_path / "b.feed.jsonl"
    paid = str(2 * Decimal(stake))
    done = CliRunner().invoke(
        build("shrink"), ["shrink", str(feed), "--when", f"paid[1]=={paid}", "-o", str(out)]
    )
    assert done.exit_code == 0, done.output


def test_what_moved_has_its_sign_in_any_currency() -> None:
    assert money(1500, currency="JPY", signed=True) == "+1,500 JPY"
    assert money(-1500, "de", currency="BHD", signed=True) == "-1,500 BHD"
    assert money(1500) == "15.00"
