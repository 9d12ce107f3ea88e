"""Ten thousand draws of thirteen kinds through the simulated reader at a real table; for the night."""

import json
from pathlib import Path

import pytest

from tests.hardware.many_passages import Account, Kept, go_on

DRAWS = 10_000
NAMED_MIN = 0.999


@pytest.mark.night
@pytest.mark.timeout(6 * 3600)
def test_no_card_is_counted_or_named_wrong_in_silence() -> None:
    kept = Kept(None)
    go_on(kept, DRAWS)
    assert kept.faults == []
    assert kept.named["1 m/s"] >= NAMED_MIN * kept.drawn("1 m/s")


def test_a_count_goes_on_where_it_was_stopped_and_another_readers_is_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "draws.json"
    shoe = Account()
    shoe.results["1 m/s", "named"] = 3
    shoe.named["1 m/s"] = 3
    Kept(path).add(shoe)
    again = Kept(path)
    again.add(shoe)
    assert (again.draws, again.shoes, Kept(path).named["1 m/s"]) == (6, 2, 6)
    whole = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**whole, "of": "another firmware"}), encoding="utf-8")
    assert Kept(path).draws == 0
