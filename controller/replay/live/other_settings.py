"""What devices tell of the same recorded pictures and bytes under other settings.

Models, a deck's profile, how sure a reader has to be: whatever a table's configuration says of its devices.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from controller.acts.catalogue import declared
from controller.config.model import TableConfig
from controller.feed.codec import to_json
from controller.ports import Report
from controller.replay.live.moments import CameraMoment, Moment, SeenMoment, seen_moments

UNCLEAR = "?"
FACE_DOWN = "down"


class ReadDifference(NamedTuple):
    """What a device tells otherwise at one of the moments, which `moment` counts from 0.

    `box` is where a card lies (0: the dealer), None outside the boxes and for what came on a line; `expected`
    is what the recording's own settings make of it, `actual` what the others do, None where there is nothing.
    """

    moment: int
    source: str
    box: int | None
    expected: str | None
    actual: str | None


def compare_settings(path: Path, moments: Sequence[Moment], config: TableConfig) -> Iterator[ReadDifference]:
    """Play a recording twice, side by side, and give what is read otherwise; the moments as `seen_moments`.

    What lies there for some time is given once. Raises `RecordingError` and `JournalError`.
    """
    stood: set[ReadDifference] = set()
    both = zip(seen_moments(path, moments), seen_moments(path, moments, config=config), strict=False)
    for moment, (own, other) in enumerate(both):
        lies = set(_cards(own, other, hides_dealer=moments[moment].hides_dealer))
        yield from (one._replace(moment=moment) for one in sorted(lies - stood, key=str))
        yield from (one._replace(moment=moment) for one in _lines(own, other))
        stood = lies


def _cards(own: SeenMoment, other: SeenMoment, *, hides_dealer: bool) -> Iterator[ReadDifference]:
    """Cards that one of the two names and the other one does not, by camera and box; of moment 0."""
    expected, actual = _named(own.cameras), _named(other.cameras)
    for source, box in sorted({*expected, *actual}, key=str):
        # Other settings may not know where the dealer's cards lie.
        if hides_dealer and not box:
            continue
        one, two = expected.get((source, box), Counter()), actual.get((source, box), Counter())
        gone, come = sorted((one - two).elements()), sorted((two - one).elements())
        for at in range(max(len(gone), len(come))):
            pair = (names[at] if at < len(names) else None for names in (gone, come))
            yield ReadDifference(0, source, box, *pair)


def _named(cameras: Sequence[CameraMoment]) -> dict[tuple[str, int | None], Counter[str]]:
    found: dict[tuple[str, int | None], Counter[str]] = {}
    for one in cameras:
        for card in one.sight.cards:
            named = FACE_DOWN if card.look == "down" else card.card or UNCLEAR
            found.setdefault((one.sight.camera, card.box), Counter())[named] += 1
    return found


def _lines(own: SeenMoment, other: SeenMoment) -> Iterator[ReadDifference]:
    """What the drivers reported of the same bytes; of moment 0."""
    for one, two in zip(own.received, other.received, strict=False):
        expected, actual = (_report_text(chunk.reports) for chunk in (one, two))
        if expected != actual:
            yield ReadDifference(0, one.source, None, expected, actual)


def _report_text(reports: Sequence[Report]) -> str | None:
    """One line of what a driver reported."""
    known = [
        f"{declared(obs).name} {' '.join(str(value) for key, value in to_json(obs).items() if key != 'obs')}"
        for report in reports
        for obs in report.observations
    ]
    return ", ".join([*known, *(one.code for report in reports for one in report.troubles)]) or None
