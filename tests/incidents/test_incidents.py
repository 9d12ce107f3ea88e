"""Published incidents and their clean twins, and the page that is made from them."""

from pathlib import Path
from random import Random

import pytest

from controller.cli.replay.incidents import SEED, page
from controller.simulation.incident_play import accounts, reported
from controller.simulation.incidents import Incident, IncidentFeed, incident_feed, incidents
from tests.whole.twin import other_rank

ROOT = Path(__file__).resolve().parent.parent.parent
ROUNDS_COMPARED = 3
"""The last ones of each: those in which something is found, and those behind them."""


def test_each_incident_is_reported_its_twin_is_silent_and_the_page_says_so() -> None:
    found = accounts(SEED)
    assert {one.incident.name: (one.code, one.twin) for one in found if not one.holds} == {}
    assert len({one.incident.source for one in found}) >= 12
    unshuffled = [one for one in found if one.incident.written in ("discards", "makers")]
    # Within the first round at six boxes.
    assert [(one.cards, one.rounds) for one in unshuffled] == [(12, 1), (12, 1)]
    assert (ROOT / "docs/incidents.md").read_text(encoding="utf-8") == page(found, SEED)


@pytest.mark.parametrize("incident", incidents(), ids=lambda incident: incident.name)
def test_no_finding_says_what_lies_face_down(incident: Incident) -> None:
    """Feeds that differ in a face-down card alone say the same, at the same line, until it is turned."""
    written = incident_feed(incident, SEED, guilty=True)
    chance = Random(incident.name)
    for down, turned in face_down(written)[-ROUNDS_COMPARED:]:
        lines = written.lines[:turned]
        as_read = reported(written._replace(lines=lines))
        rank = other_rank(lines[down]["rank"], chance)
        other = [*lines[:down], {**lines[down], "rank": rank}, *lines[down + 1 :]]
        assert reported(written._replace(lines=other)) == as_read, (down, rank)


def face_down(written: IncidentFeed) -> list[tuple[int, int]]:
    """Where each face-down card is dealt that is turned later, and where that is; lines count from 0."""
    found, bets, cards = [], 0, list[int]()
    for at, line in enumerate(written.lines):
        if line["obs"] == "bet":
            bets, cards = (bets + 1, []) if not cards else (1, [])
        elif line["obs"] == "card":
            cards.append(at)
        elif line["obs"] == "reveal":
            found.append((cards[2 * bets + 1], at))
    assert found
    return found
