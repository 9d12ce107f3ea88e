"""Published incidents and their clean twins, and the page that is made from them."""

from pathlib import Path

from controller.cli.replay.incidents import SEED, page
from controller.simulation.incident_play import accounts

ROOT = Path(__file__).resolve().parent.parent.parent


def test_each_incident_is_reported_its_twin_is_silent_and_the_page_says_so() -> None:
    found = accounts(SEED)
    assert {one.incident.name: (one.code, one.twin) for one in found if not one.holds} == {}
    assert len({one.incident.source for one in found}) >= 12
    assert (ROOT / "docs/incidents.md").read_text(encoding="utf-8") == page(found, SEED)


def test_an_unshuffled_shoe_is_reported_within_the_first_round_at_six_boxes() -> None:
    unshuffled = [one for one in accounts(SEED) if one.incident.retold in ("discards", "makers")]
    assert [(one.cards, one.rounds) for one in unshuffled] == [(12, 1), (12, 1)]
