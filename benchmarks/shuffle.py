"""Measure how often honest shuffles repeat an order, and how often kept orders are detected.

`python -m benchmarks.shuffle --state FILE` prints the tables of docs/measurements/forensics.md; `--plot`
draws the longest runs of honest six-pack shoes, a line for each number of riffles.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from math import log10
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Annotated, Any, Final

import numpy as np
import numpy.typing as npt
import typer

from controller.cli.output import echo
from controller.domain import RANKS, SUITS, ConfigError
from controller.forensics import Order, Watch, code_of
from controller.forensics.order import FOLLOWED, SUSPECT_SUITED
from controller.outputs import FRESH, PUBLIC, Outputs

WIDTH: Final = 640
HEIGHT: Final = 360
LEFT: Final = 70
TOP: Final = 20
RIGHT: Final = 540
BOTTOM: Final = 310
FIRST: Final = 4
MEASURED: Final = range(FIRST, 9)
LEAST: Final = -12
"""The lowest share that is drawn, as a power of ten."""
COLOURS: Final = ("#b2182b", "#d6604d", "#e08214", "#4393c3", "#2166ac", "#1a1a1a")


def plot(cells: Mapping[str, Any], tail: Callable[[Any], float], packs: int = 6) -> str:
    """Draw these cells of `benchmarks.shuffle`: as measured, then dashed to what `tail` says of 12."""
    rows = [(name.split("/")[1], cell) for name, cell in cells.items() if name.startswith(f"{packs}/")]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        'font-size="12">',
        '<rect width="100%" height="100%" fill="#fff"/>',
        *_axes(packs),
    ]
    for at, (riffles, cell) in enumerate(rows):
        lines += _curve(at, riffles, cell, tail(cell))
    return "\n".join([*lines, "</svg>", ""])


def _axes(packs: int) -> Iterator[str]:
    for power in range(LEAST, 1, 2):
        y = _y(10.0**power)
        yield f'<path d="M{LEFT} {y}H{RIGHT}" stroke="#ddd"/>'
        yield _text(LEFT - 8, y + 4, f"1e{power}" if power else "1", "end")
    for length in range(FIRST, SUSPECT_SUITED + 1):
        yield _text(_x(length), BOTTOM + 18, str(length), "middle")
    for length, name in ((FOLLOWED, "a finding"), (SUSPECT_SUITED, "stops the table")):
        yield f'<path d="M{_x(length)} {TOP}V{BOTTOM}" stroke="#888" stroke-dasharray="2 3"/>'
        yield _text(_x(length), TOP - 6, name, "middle")
    yield _text((LEFT + RIGHT) / 2, HEIGHT - 10, "cards in a row that keep their order, or more", "middle")
    middle = (TOP + BOTTOM) / 2
    yield (
        f'<text transform="translate(16 {middle}) rotate(-90)" text-anchor="middle">'
        f"share of honest shoes of {packs} packs</text>"
    )


def _curve(at: int, riffles: str, cell: Mapping[str, Any], last: float) -> Iterator[str]:
    """Yield the measured points as far as shoes were seen, then the formula to a stopping run."""
    runs = {length: cell["runs"][str(length)] for length in MEASURED}
    seen = [(float(length), found / cell["shoes"]) for length, found in runs.items() if found]
    ink = f'fill="none" stroke="{COLOURS[at % len(COLOURS)]}" stroke-width="2"'
    yield _line(seen, ink)
    if last:
        length, share = seen[-1]
        # Where the line would leave the picture it ends at its foot.
        fall = (log10(last) - log10(share)) / (SUSPECT_SUITED - length)
        ends = min(SUSPECT_SUITED, length + (LEAST - log10(share)) / fall)
        yield _line([seen[-1], (ends, max(10.0**LEAST, last))], f'{ink} stroke-dasharray="6 4"')
    y = TOP + 16 * (at + 1)
    yield f'<path d="M{RIGHT + 10} {y - 4}h20" {ink}/>'
    yield _text(RIGHT + 36, y, f"{riffles} riffles", "start")


def _line(points: Iterable[tuple[float, float]], ink: str) -> str:
    """A line through lengths and their shares."""
    drawn = " ".join(f"{_x(length)},{_y(share)}" for length, share in points)
    return f'<polyline points="{drawn}" {ink}/>'


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{words}</text>'


def _x(length: float) -> float:
    return round(LEFT + (length - FIRST) / (SUSPECT_SUITED - FIRST) * (RIGHT - LEFT), 1)


def _y(share: float) -> float:
    return round(TOP + log10(share) / LEAST * (BOTTOM - TOP), 1)


Shoes = npt.NDArray[np.int16]
"""Shoes by their cards' places in the order before the shuffle, one row a shoe."""

PACKS: Final = (1, 2, 6, 8)
RIFFLES: Final = tuple(range(3, 9))
GRAB: Final = 52
"""A dealer riffles what two hands hold: about 26 cards from each of two piles."""
BATCH: Final = 2000
LENGTHS: Final = tuple(range(3, 17))
SLUGS: Final = (8, 13, 26, 52)
POWER_SHOES: Final = 200
DEALT: Final = 0.75
KEPT_BY: Final = "stand17 bench shuffle"
"""Marks a state file: no other is ever written over."""


def shuffle(
    state: Annotated[Path, typer.Option(help="Keeps what was measured; the same command goes on from it.")],
    shoes: Annotated[int, typer.Option(help="Shoes for each number of packs and riffles.", min=1)] = 100_000,
    seed: Annotated[int, typer.Option(help="Seed of the shuffles.")] = 1,
    draw: Annotated[Path | None, typer.Option("--plot", help="Draw the six-pack shoes, an SVG.")] = None,
    *,
    force: Annotated[bool, typer.Option(help="Replace the plot that is there.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Shuffle honest shoes as dealers do it, and count the longest run that each keeps of the order before.

    Prints the tables of docs/measurements/forensics.md; figures are kept after each batch of 2000 shoes.
    """
    outputs = Outputs((state,), force)
    outputs.require_free(draw)
    kept = _kept(state, seed)
    for done in range(0, shoes, BATCH):
        for packs in PACKS:
            if _shoes(kept, packs) <= done:
                _batch(kept, packs, min(BATCH, shoes - done))
                _keep(kept, state)
    kept["power"] = {str(slug): power(slug, kept["seed"]) for slug in SLUGS}
    _keep(kept, state)
    if draw is not None:
        outputs.write(draw, plot(kept["cells"], tail).encode(), PUBLIC)
    echo(json.dumps({"type": "shuffle", **kept}) if as_json else "\n".join(tables(kept)))


def _kept(state: Path, seed: int) -> dict[str, Any]:
    """Return the state of an earlier call. Raises `ConfigError` for any other file."""
    if not state.exists():
        FRESH.require_free(state)
        return {"kept_by": KEPT_BY, "seed": seed, "cells": {}, "seconds": 0.0}
    try:
        kept: dict[str, Any] = json.loads(state.read_bytes())
        if kept["kept_by"] == KEPT_BY:
            return kept
    except (KeyError, OSError, RecursionError, TypeError, ValueError):
        pass
    raise ConfigError("STATE_OTHER_FILE", path=str(state))


def _keep(kept: dict[str, Any], state: Path) -> None:
    """Write it whole; the file that is there is this command's own."""
    Outputs(force=True).write(state, json.dumps(kept).encode(), PUBLIC)


def tables(kept: dict[str, Any]) -> Iterator[str]:
    """Yield the tables of the page."""
    shown = (4, 5, 6, 7, 8)
    yield (
        "| packs | riffles | shoes | "
        + " | ".join(f"{length} or more" for length in shown)
        + " | 12 or more |"
    )
    yield "|---|---|---|" + "---|" * (len(shown) + 1)
    for name, cell in kept["cells"].items():
        packs, riffles = name.split("/")
        shares = [f"{100 * cell['runs'][str(length)] / cell['shoes']:.3f} %" for length in shown]
        row = [packs, riffles, f"{cell['shoes']:,}", *shares, f"{tail(cell):.0e}"]
        yield f"| {' | '.join(row)} |"
    yield ""
    yield "| slug of | reported | a finding | after so many of its cards |"
    yield "|---|---|---|---|"
    for slug, one in kept["power"].items():
        share, found = one["reported"] / one["shoes"], one["found"] / one["shoes"]
        yield f"| {slug} | {share:.0%} | {found:.0%} | {one['cards']:.0f} |"


def tail(cell: dict[str, Any]) -> float:
    """The share of shoes with a run of 12, by the fall from one length to the next where it is measured.

    A run goes on with the same chance at each card, so the shares fall geometrically; the fall is that over
    the longest two lengths that at least three shoes have each.
    """
    seen = [length for length in LENGTHS if cell["runs"][str(length)] >= 3]
    if len(seen) < 2:
        return 0.0
    last = seen[-1]
    fall = cell["runs"][str(last)] / cell["runs"][str(seen[-2])]
    return float(cell["runs"][str(last)] / cell["shoes"] * fall ** (SUSPECT_SUITED - last))


def _shoes(kept: dict[str, Any], packs: int) -> int:
    """Return how many shoes of `packs` packs were measured."""
    return int(kept["cells"].get(f"{packs}/{RIFFLES[0]}", {"shoes": 0})["shoes"])


def _batch(kept: dict[str, Any], packs: int, shoes: int) -> None:
    """Measure more shoes; each batch has its own seed, so a run can resume."""
    begun = perf_counter()
    chance = np.random.default_rng([kept["seed"], packs, _shoes(kept, packs)])
    for riffles, longest in kept_runs(packs, shoes, chance):
        _count(kept["cells"].setdefault(f"{packs}/{riffles}", {"shoes": 0, "runs": {}}), longest)
    kept["seconds"] += perf_counter() - begun


def _count(cell: dict[str, Any], longest: npt.NDArray[np.int16]) -> None:
    """Add a batch to a cell: how many shoes keep a run of at least each length."""
    cell["shoes"] += len(longest)
    for length in LENGTHS:
        found = int((longest >= length).sum())
        cell["runs"][str(length)] = cell["runs"].get(str(length), 0) + found


def kept_runs(
    packs: int, shoes: int, chance: np.random.Generator
) -> Iterator[tuple[int, npt.NDArray[np.int16]]]:
    """After each number of riffles, the longest run of every shoe, forwards or backwards."""
    order = np.tile(np.arange(52 * packs, dtype=np.int16), (shoes, 1))
    for riffles in range(1, RIFFLES[-1] + 1):
        order = riffled(order, chance)
        if riffles in RIFFLES:
            yield riffles, np.maximum(longest_runs(order, 1), longest_runs(order, -1))


def riffled(order: Shoes, chance: np.random.Generator) -> Shoes:
    """Do one pass: two piles, from each a grab of 26 cards at a time, each pair of grabs riffled together.

    All interleavings of two grabs are equally likely (Gilbert, Shannon and Reeds).
    """
    half = order.shape[1] // 2
    left, right = order[:, :half], order[:, half:]
    grabs = max(1, order.shape[1] // GRAB)
    cuts = np.linspace(0, half, grabs + 1).round().astype(int)
    done = [_merged(left[:, one:other], right[:, one:other], chance) for one, other in pairwise(cuts)]
    return np.concatenate(done, axis=1)


def _merged(left: Shoes, right: Shoes, chance: np.random.Generator) -> Shoes:
    """Two grabs between each other: each card falls at a time, in the order of its grab."""
    times = [np.sort(chance.random(grab.shape, dtype=np.float32), axis=1) for grab in (left, right)]
    falls = np.argsort(np.concatenate(times, axis=1), axis=1, kind="stable")
    return np.take_along_axis(np.concatenate((left, right), axis=1), falls, axis=1)


def longest_runs(order: Shoes, step: int) -> npt.NDArray[np.int16]:
    """Return each row's longest run of cards whose places rise (or fall) by one, in cards."""
    follows = np.diff(order, axis=1) == step
    longest = np.ones(len(order), dtype=np.int16)
    run = np.ones(len(order), dtype=np.int16)
    for column in follows.T:
        run = np.where(column, run + 1, 1).astype(np.int16)
        np.maximum(longest, run, out=longest)
    return longest


def power(slug: int, seed: int) -> dict[str, float]:
    """Return the reported share of six-pack shoes with a kept slug, and its cards seen until then."""
    chance = Random(f"{seed}/{slug}")
    pack = [code_of(rank, suit) for rank in RANKS for suit in SUITS] * 6
    reported, found, cards = 0, 0, []
    for _ in range(POWER_SHOES):
        before = chance.sample(pack, len(pack))
        at = chance.randrange(len(pack) - slug)
        kept, rest = before[at : at + slug], before[:at] + before[at + slug :]
        chance.shuffle(rest)
        place = chance.randrange(len(rest) + 1)
        report = first_report(before, rest[:place] + kept + rest[place:])
        found += report[1]
        if report[0] is not None:
            reported += 1
            cards.append(report[0] - place + 1)
    return {
        "shoes": POWER_SHOES,
        "reported": reported,
        "found": found,
        "cards": sum(cards) / len(cards) if cards else 0.0,
    }


def first_report(before: list[str], after: list[str]) -> tuple[int | None, bool]:
    """The place of the card at which a shoe is reported, None for none, and whether the pit has a finding."""
    watch = Watch(number=2, loaded=True, orders=(Order(1, "".join(before), ""),))
    for place, code in enumerate(after[: round(DEALT * len(after))]):
        watch, run = watch.card(code).suspect()
        if run is not None:
            return place, True
    return None, bool(watch.found)


if __name__ == "__main__":
    typer.run(shuffle)
