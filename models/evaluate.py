"""Reads labelled photographs and counts: `python -m models.evaluate --cards FOLDER`.

Not part of the tests: the photographs stay outside the repository. A read counts as right when it names a
card of the box that it lies in, as silently wrong when it names another one, as beside when no labelled box
is there (on the overhead tables, where everything is labelled, that too is wrong).
"""

import json
import math
from collections import Counter
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import cv2
import typer
from rich.console import Console
from rich.table import Table

from vision.pictures import load_picture
from vision.reader import CardReader
from vision.reading import Place, ReadCard, Reading

OVERHEAD = "bjtable"


class Truth(NamedTuple):
    """One labelled card; `stack` and `order` where hands are labelled."""

    rank: str | None
    suit: str | None
    box: tuple[float, float, float, float]
    stack: int | None
    order: int


class Tally(NamedTuple):
    """Counts of one picture; `errors` says each silent error in words."""

    counts: Counter[str]
    errors: list[str]
    scores: list[tuple[float, bool]]


def upper_bound(errors: int, trials: int, level: float = 0.95) -> float:
    """One-sided Clopper-Pearson upper bound of an error rate."""
    if trials == 0:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        terms = (math.comb(trials, k) * middle**k * (1 - middle) ** (trials - k) for k in range(errors + 1))
        low, high = (middle, high) if sum(terms) > 1 - level else (low, middle)
    return high


def truths_of(row: dict[str, Any]) -> list[Truth]:
    """The labelled cards of one picture."""
    cards = []
    for card in row["cards"]:
        stack = card.get("stack")
        box = card["bbox"] or row["stacks"][stack]["bbox"]
        cards.append(
            Truth(
                "10" if card["rank"] == "T" else card["rank"],
                card["suit"],
                tuple(box),
                stack,
                card.get("order", 0),
            )
        )
    return cards


def _within(place: Place, box: tuple[float, float, float, float]) -> bool:
    slack = 0.04 * max(box[2] - box[0], box[3] - box[1])
    return box[0] - slack <= place[0] <= box[2] + slack and box[1] - slack <= place[1] <= box[3] + slack


def _same(card: ReadCard, truth: Truth) -> bool:
    return truth.rank in {None, card.rank} and truth.suit in {None, card.suit}


def tally(reading: Reading, truths: list[Truth], overhead: bool) -> Tally:
    """Compares one reading with its labels."""
    counts: Counter[str] = Counter(cards=len(truths), unclear=len(reading.unclear))
    left, errors, scores = list(truths), [], []
    for card in (card for card in reading.cards if card.face == "up"):
        here = [truth for truth in left if _within(card.at, truth.box)]
        match = next(
            (truth for truth in sorted(here, key=lambda one: one.rank is None) if _same(card, truth)), None
        )
        labelled = any(_within(card.at, truth.box) for truth in truths)
        if match is not None:
            left.remove(match)
            counts["right"] += 1
        elif labelled or overhead:
            counts["wrong"] += 1
            counts["suit errors"] += any(truth.rank == card.rank for truth in here)
            errors.append(f"{card.rank}{card.suit} p={card.p:.4f} at {card.at[0]:.0f},{card.at[1]:.0f}")
        else:
            counts["beside"] += 1
            continue
        scores.append((card.p, match is not None))
    counts["missed"] = len(truths) - counts["right"]
    return Tally(counts, errors, scores)


def hands_exact(reading: Reading, truths: list[Truth]) -> tuple[int, int, int]:
    """Labelled hands read exactly and in order, those with the right cards in any order, and all of them."""
    hands: dict[int, list[Truth]] = {}
    for truth in sorted(truths, key=lambda card: card.order):
        if truth.stack is not None:
            hands.setdefault(truth.stack, []).append(truth)
    read: dict[int, list[ReadCard]] = {}
    for card in reading.cards:
        read.setdefault(card.hand, []).append(card)

    def fits(hand: list[Truth], cards: list[ReadCard]) -> bool:
        return len(hand) == len(cards) and all(
            _same(card, truth) for card, truth in zip(cards, hand, strict=True)
        )

    def by_rank(hand: list[Truth]) -> list[Truth]:
        return sorted(hand, key=lambda card: str(card.rank))

    ordered = sum(any(fits(hand, cards) for cards in read.values()) for hand in hands.values())
    ranked = [sorted(cards, key=lambda card: str(card.rank)) for cards in read.values()]
    loose = sum(any(fits(by_rank(hand), cards) for cards in ranked) for hand in hands.values())
    return ordered, loose, len(hands)


def _print(rows: dict[str, Counter[str]]) -> None:
    names = (
        "cards",
        "right",
        "wrong",
        "suit errors",
        "unclear",
        "missed",
        "beside",
        "hands",
        "exact",
        "any order",
        "ms",
    )
    table = Table("source", "pictures", *names, "bound 95 %")
    for source, counts in rows.items():
        accepted = counts["right"] + counts["wrong"]
        bound = upper_bound(counts["wrong"], accepted)
        figures = [str(counts[name]) for name in names[:-1]]
        mean_ms = f"{counts['ms'] / max(counts['pictures'], 1):.1f}"
        table.add_row(source, str(counts["pictures"]), *figures, mean_ms, f"{bound:.2%}")
    Console(width=150).print(table)


def main(
    cards: Annotated[Path, typer.Option(help="Folder with photos/labels.jsonl.")] = Path("../shared/cards"),
    every: Annotated[int, typer.Option(help="Read only every n-th picture of the large sets.")] = 1,
    split: Annotated[str | None, typer.Option(help="Only this split of the large sets.")] = None,
    scores_out: Annotated[
        Path | None, typer.Option(help="Write p and right/wrong of each read as JSON Lines.")
    ] = None,
) -> None:
    """Prints one line a source and every silent error."""
    reader = CardReader.open()
    cv2.setNumThreads(1)
    rows: dict[str, Counter[str]] = {}
    scores: list[str] = []
    lines = (cards / "photos" / "labels.jsonl").read_text(encoding="utf-8").splitlines()
    for number, row in enumerate(json.loads(line) for line in lines):
        source = Path(row["file"]).name.split("_")[0]
        if source != OVERHEAD and (number % every or split not in {None, row["split"]}):
            continue
        truths, reading = truths_of(row), reader.read(load_picture(cards / "photos" / row["file"]))
        result = tally(reading, truths, source == OVERHEAD)
        exact, loose, hands = hands_exact(reading, truths)
        counts = rows.setdefault(source, Counter())
        counts.update(result.counts)
        counts.update(
            {"pictures": 1, "hands": hands, "exact": exact, "any order": loose, "ms": round(reading.ms)}
        )
        scores += [json.dumps({"source": source, "p": p, "right": right}) for p, right in result.scores]
        for error in result.errors:
            typer.echo(f"{row['file']}: silently wrong: {error}")
    _print(rows)
    if scores_out is not None:
        scores_out.write_text("\n".join(scores) + "\n", encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
