"""`python -m tests.measures.rank_scores`: what a rank's score is worth, on tables drawn for nothing else.

Decks and fonts are left out of training. It prints as JSON, by the height of the index: how many ranks are
right, what each limit would tell and how many of these are wrong. Last come the weights that fit best.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import numpy as np
import typer

from benchmarks.reader_stress_reads import SHOWN, shoot
from models.crops import training_decks
from models.figures import upper_bound
from models.stress_scenes import Shot, index_px_of, middle_of
from vision.acceptance import Acceptance
from vision.certainty import LEAST_SCORES, LIKELY_INDEX, RANK_WEIGHTS, is_sound, log_height, log_odds
from vision.geometry import Points
from vision.indices import Index
from vision.reader import CardReader
from vision.reading import RANKS

LIMITS: Final = (4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0)
FIRST: Final = 1_000_000
"""The number of the first table: the stress runs have lower ones."""

STEPS: Final = 40
"""Steps of Newton's method; ten are enough."""


class ScoredIndex(NamedTuple):
    """One index: parts of its score (1, log odds of rank and index, log height), height, is it right."""

    parts: tuple[float, float, float, float]
    index_px: float
    right: bool


def _is_right(index: Index, shot: Shot) -> bool:
    """Whether the index that shows there has this rank."""
    shown = [truth for truth in shot.truths if truth.rank_visible > SHOWN]
    apart = [float(np.hypot(*(index.centre - middle_of(truth)))) for truth in shown]
    if not shown or min(apart) > index_px_of(nearest := shown[int(np.argmin(apart))]) / 2:
        return False
    return shot.scene.cards[nearest.card].rank == RANKS[index.rank]


def samples_of(acceptance: Acceptance, shot: Shot) -> Iterator[ScoredIndex]:
    """The best index of each card that could be told by its rank."""
    unclear = [card for card, reason in acceptance.unclear if reason == "uncertain" and not card.odd_size]
    for card in (*acceptance.accepted, *unclear):
        index = max(card.indices, key=lambda one: one.p_rank * one.p_index)
        if is_sound(index) and index.index_px >= LEAST_SCORES[0][0]:
            parts = (1.0, log_odds(index.p_rank), log_odds(index.p_index), log_height(index.index_px))
            yield ScoredIndex(parts, index.index_px, _is_right(index, shot))


def fitted(parts: Points, right: Points) -> Points:
    """Weights of the parts (n x k) of greatest likelihood for what is right (n, 0 or 1)."""
    weights = np.zeros(parts.shape[1])
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-parts @ weights))
        slope = parts.T @ (parts * (p * (1 - p) + 1e-9)[:, None]) + 1e-3 * np.eye(len(weights))
        weights += np.linalg.solve(slope, parts.T @ (right - p))
    return weights


def _row(scores: Points, right: Points) -> dict[str, Any]:
    limits = {}
    for limit in LIMITS:
        told = scores >= limit
        wrong = int((told & ~right).sum())
        limits[str(limit)] = {
            "told": int(told.sum()),
            "wrong": wrong,
            "bound": upper_bound(wrong, int(told.sum())),
        }
    return {"indices": len(right), "right": int(right.sum()), "limits": limits}


def report(samples: list[ScoredIndex]) -> dict[str, Any]:
    """Counts by the bands of `LEAST_SCORES`, likely and doubted indices apart, and best weights."""
    parts, right = np.array([one.parts for one in samples]), np.array([one.right for one in samples])
    starts = [from_px for from_px, _ in LEAST_SCORES]
    bands = np.digitize([one.index_px for one in samples], starts) - 1
    scores, likely = parts @ np.array(RANK_WEIGHTS), parts[:, 2] >= log_odds(LIKELY_INDEX)
    rows = {
        f"{word} from {start:g} px": _row(scores[kept], right[kept])
        for word, those in (("likely", likely), ("doubted", ~likely))
        for number, start in enumerate(starts)
        for kept in [(bands == number) & those]
    }
    return {"bands": rows, "weights": fitted(parts, right.astype(float)).round(3).tolist()}


def main(
    tables: Annotated[
        int, typer.Option(help="Drawn tables, a third of them dealt, the others thrown.")
    ] = 300,
    art: Annotated[Path, typer.Option(help="Folder of card art.")] = Path("../shared/cards/decks"),
) -> None:
    """Prints the counts as JSON."""
    reader, folders = CardReader.open(), training_decks(art, held_out=True)
    samples: list[ScoredIndex] = []
    for number in range(FIRST, FIRST + tables):
        _, shot = shoot(number, folders, "thrown" if number % 3 else "dealt")
        seen: list[Acceptance] = []

        def judge(acceptance: Acceptance, seen: list[Acceptance] = seen) -> Acceptance:
            seen.append(acceptance)
            return acceptance

        reader.read(shot.picture.frame, judge)
        samples += samples_of(seen[-1], shot)
    typer.echo(json.dumps(report(samples), indent=1))


if __name__ == "__main__":
    typer.run(main)
