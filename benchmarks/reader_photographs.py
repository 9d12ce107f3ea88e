"""Compare readings of labelled photographs with their labels, source by source.

A read is right when it names a card of the box that it lies in, silently wrong when it names another one,
and beside when no labelled box is there. On the overhead tables everything is labelled, and beside is wrong
too. The photographs stay outside the repository: a folder with `photos/labels.jsonl`, one object a picture
with `file`, `split`, `cards` (`rank`, `suit`, `bbox`, `stack`, `order`) and `stacks` (`bbox`).
"""

import json
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

from models.figures import risk_coverage, upper_bound
from models.judging import (
    BoundingBox,
    KnownHand,
    fits_label,
    judge_hands,
    score_of,
    within,
)
from vision.indices import Index, read_indices
from vision.inference import default_models_dir
from vision.networks import Networks
from vision.pictures import load_picture
from vision.proposal import propose_indices
from vision.reader import CardReader
from vision.reading import RANKS, SUITS, Reading

OVERHEAD: Final = "bjtable"
_LABEL_ERRORS: Final = Path(__file__).with_name("label_errors.toml")
_CURVE_POINTS: Final = 200
SEEN: Final = 0.5
"""Indices less probable than this were never offered."""

ScoredReads = list[tuple[float, bool]]
"""Acceptance scores, each with right or wrong."""


class Truth(NamedTuple):
    """One labelled card; None where the label does not say; `stack` and `order` where hands are labelled."""

    rank: str | None
    suit: str | None
    box: BoundingBox
    stack: int | None
    order: int


def truths_of(row: dict[str, Any]) -> list[Truth]:
    """The labelled cards of one picture."""
    cards = []
    for card in row["cards"]:
        stack = card.get("stack")
        box = tuple(card["bbox"] or row["stacks"][stack]["bbox"])
        rank = "10" if card["rank"] == "T" else card["rank"]
        cards.append(Truth(rank, card["suit"], box, stack, card.get("order", 0)))
    return cards


def hands_of(row: dict[str, Any], truths: list[Truth]) -> list[KnownHand]:
    """Return the labelled hands of one picture; none where hands are not labelled."""
    hands: dict[int, list[Truth]] = {}
    for truth in sorted(truths, key=lambda card: card.order):
        if truth.stack is not None:
            hands.setdefault(truth.stack, []).append(truth)
    return [
        KnownHand(tuple((card.rank, card.suit) for card in cards), tuple(row["stacks"][stack]["bbox"]))
        for stack, cards in hands.items()
    ]


def tally(reading: Reading, truths: list[Truth], overhead: bool) -> tuple[Counter[str], list[dict[str, Any]]]:
    """Compare one reading with its labels: counts, and each silent error.

    A label is used up by the read that it confirms.
    """
    counts: Counter[str] = Counter(cards=len(truths), unclear=len(reading.unclear))
    left = list(truths)
    errors: list[dict[str, Any]] = []
    for card in (card for card in reading.cards if card.face == "up"):
        here = [truth for truth in left if within(card.at, truth.box)]
        fitting = [truth for truth in here if fits_label((truth.rank, truth.suit), (card.rank, card.suit))]
        if fitting:
            left.remove(min(fitting, key=lambda one: one.rank is None))
            counts["right"] += 1
            counts["suit_open"] += card.suit is None
        elif overhead or any(within(card.at, truth.box) for truth in truths):
            counts["wrong"] += 1
            counts["suit_errors"] += any(truth.rank == card.rank for truth in here)
            at = [round(card.at[0]), round(card.at[1])]
            errors.append({"read": f"{card.rank}{card.suit or ''}", "p": round(card.p, 4), "at": at})
        else:
            counts["beside"] += 1
    counts["missed"] = len(truths) - counts["right"]
    return counts, errors


def _scores_of(indices: list[Index], truths: list[Truth]) -> ScoredReads:
    """Every index in a labelled box: its score and whether it is right."""
    scores = []
    for index in indices:
        at = float(index.centre[0]), float(index.centre[1])
        here = [truth for truth in truths if within(at, truth.box)]
        if here and index.p_index >= SEEN:
            read = RANKS[index.rank], SUITS[index.suit]
            right = any(fits_label((truth.rank, truth.suit), read) for truth in here)
            scores.append((score_of(index), right))
    return scores


def label_errors() -> dict[str, list[dict[str, Any]]]:
    """Labels that were looked at and found wrong, by file: `read` and `why`."""
    listed: dict[str, list[dict[str, Any]]] = {}
    for entry in tomllib.loads(_LABEL_ERRORS.read_text(encoding="utf-8"))["label"]:
        listed.setdefault(entry["file"], []).append(entry)
    return listed


class PhotographSource:
    """The sums of one photographer."""

    def __init__(self) -> None:
        """Empty."""
        self.counts: Counter[str] = Counter()
        self.errors: list[dict[str, Any]] = []
        self.scores: ScoredReads = []
        self.times_ms: list[float] = []

    def plain(self) -> dict[str, Any]:
        """Return JSON data with the bounds of all errors and of those that are no known label mistake."""
        wrong, known = self.counts["wrong"], sum("label_error" in error for error in self.errors)
        accepted = self.counts["right"] + wrong
        curve = risk_coverage(self.scores, len(self.scores))
        return {
            **self.counts,
            "bound": upper_bound(wrong, accepted),
            "wrong_without_label_errors": wrong - known,
            "bound_without_label_errors": upper_bound(wrong - known, accepted - known),
            "median_ms": round(median(self.times_ms), 1),
            "errors": self.errors,
            "indices": len(self.scores),
            "curve": curve[:: max(1, len(curve) // _CURVE_POINTS)],
        }


def rows_of(cards: Path, every: int = 1) -> Iterator[tuple[str, dict[str, Any]]]:
    """Sources and label rows: every n-th of the large sets, the overhead tables always."""
    lines = (cards / "photos" / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        row = json.loads(line)
        source = Path(row["file"]).name.split("_")[0]
        if source == OVERHEAD or number % every == 0:
            yield source, row


def measure(cards: Path, every: int, tell: Callable[[str], None]) -> dict[str, Any]:
    """Reads every n-th of the photographs below a folder; `tell` hears each silent error as it is found."""
    reader = CardReader.open(threads=1)
    networks = Networks.open(default_models_dir(), 1)
    sources: dict[str, PhotographSource] = {}
    known = label_errors()
    for source, row in rows_of(cards, every):
        image, truths = load_picture(cards / "photos" / row["file"]), truths_of(row)
        reading = reader.read(image, thorough=True)
        counts, errors = tally(reading, truths, source == OVERHEAD)
        sums = sources.setdefault(source, PhotographSource())
        sums.counts.update({"pictures": 1, **counts, **judge_hands(reading, hands_of(row, truths))})
        sums.scores += _scores_of(read_indices(image, propose_indices(image), networks)[0], truths)
        sums.times_ms.append(reading.ms)
        for error in errors:
            entries = known.get(row["file"], [])
            whys = [str(entry["why"]) for entry in entries if entry["read"] == error["read"]]
            why = {"label_error": whys[0]} if whys else {}
            sums.errors.append({"file": row["file"], **error, **why})
            tell(json.dumps(sums.errors[-1]))
    return {"sources": {source: sums.plain() for source, sums in sources.items()}}
