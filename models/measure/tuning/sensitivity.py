"""What a tenth more or less of each tuned number does: `python -m models.measure.tuning.sensitivity`.

Each number is changed in a copy of the reader's sources, and a process of its own reads the same drawn
tables with the copy: so all that follows from a number follows it, what the C functions are given too. Writes
`docs/reader-numbers.md`; a broken run goes on where it stopped.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import cv2
import typer

from models.measure.document import table
from models.measure.hands import judge_hands
from models.measure.tuning.tuned_numbers import TunedNumber, tuned_numbers
from models.stress.scenes import Shot
from models.stress.tables import judge, shoot
from vision.reading import ReadCard, Reading, Unclear

ROOT: Final = Path(__file__).resolve().parents[3]
PACKAGES: Final = ("inference", "proposal", "classifier", "assembly", "acceptance", "objects")
"""The packages that a single picture passes through."""

READ: Final = "from controller.cli import main; main()"
COUNTS: Final = ("right", "wrong", "unclear", "exact", "silent")


class DrawnTable(NamedTuple):
    """A drawn table and the file of its picture."""

    shot: Shot
    file: Path


class SensitivityRun(NamedTuple):
    """The tables, the copy of the sources that reads them, and what the unchanged copy makes of them."""

    tables: list[DrawnTable]
    copy: Path
    base: Counter[str]


def nudged(value: float) -> tuple[float, float]:
    """Less and more of a number.

    A tenth, at least one for whole numbers; what is a share of a half and more has its distance to 1 made a
    quarter larger and a fifth smaller, as a tenth more of 0.95 is no share.
    """
    if isinstance(value, int):
        step = max(1, round(abs(value) / 10))
        return value - step, value + step
    if 0.5 <= abs(value) < 1:
        sign = 1 if value > 0 else -1
        return tuple(sign * round(1 - (1 - abs(value)) * factor, 6) for factor in (1.25, 0.8))  # type: ignore[return-value]  # two of them
    return round(value * 0.9, 9), round(value * 1.1, 9)


def draw_tables(folder: Path, dealt: int, thrown: int) -> list[DrawnTable]:
    """Tables of the stress run, of decks from fonts that training never saw; their pictures as files."""
    tables = []
    for kind, count in (("dealt", dealt), ("thrown", thrown)):
        for number in range(count):
            _, shot = shoot(number, [], kind)
            file = folder / f"{kind}-{number:03d}.png"
            cv2.imwrite(str(file), shot.picture.frame)
            tables.append(DrawnTable(shot, file))
    return tables


def _reading(line: dict[str, Any]) -> Reading:
    """A reading from the JSON object of `stand17 read`."""
    cards = (
        ReadCard(card["rank"], card["suit"], card["p"], tuple(card["at"]), None, card["face"], card["hand"])
        for card in line["cards"]
    )
    unclear = (Unclear(tuple(spot["at"]), spot["reason"]) for spot in line["unclear"])
    return Reading(tuple(cards), tuple(unclear), 0.0)


def judged(tables: Iterable[DrawnTable], readings: Iterable[Reading]) -> Counter[str]:
    """Cards right and wrong (doubled ones too), unclear spots, hands exact and silently something else."""
    counts: Counter[str] = Counter()
    for one, reading in zip(tables, readings, strict=True):
        seen: set[int] = set()
        for card in reading.cards:
            verdict = judge(card, one.shot, seen)
            counts["right" if verdict.verdict == "right" else "wrong"] += 1
            if verdict.verdict == "right" and verdict.card is not None:
                seen.add(verdict.card)
        hands = judge_hands(reading, one.shot.hands)
        counts.update(unclear=len(reading.unclear), exact=hands["exact"])
        counts["silent"] += hands["short"] + hands["false"] + hands["order"]
    return counts


def read_with(copy: Path, tables: list[DrawnTable]) -> Counter[str] | None:
    """What a copy of the sources makes of the tables; None when it cannot read."""
    files = [str(one.file) for one in tables]
    done = subprocess.run(
        [sys.executable, "-c", READ, "read", "--json", *files],
        cwd=copy,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = done.stdout.splitlines()
    if done.returncode or len(lines) != len(files):
        return None
    return judged(tables, (_reading(json.loads(line)) for line in lines))


def effects(number: TunedNumber, run: SensitivityRun) -> Iterator[dict[str, int] | None]:
    """By how much each count differs, with less and with more of a number; None where nothing can be read."""
    place = run.copy / number.path.relative_to(ROOT)
    for value in nudged(number.value):
        place.write_text(number.text_with(value), encoding="utf-8")
        try:
            counts = read_with(run.copy, run.tables)
        finally:
            shutil.copyfile(number.path, place)
        yield None if counts is None else {name: counts[name] - run.base[name] for name in COUNTS}


def _said(value: float, effect: dict[str, int] | None) -> str:
    if effect is None:
        return f"{value:g}: cannot read"
    changes = ", ".join(f"{name} {change:+d}" for name, change in effect.items() if change)
    return f"{value:g}: {changes or 'nothing'}"


def page(head: str, measured: list[dict[str, Any]]) -> str:
    """The page: a table for each package, and the numbers that nothing depends on here."""
    lines = [head]
    for package in PACKAGES:
        here = [one for one in measured if one["package"] == package]
        moved = [
            one for one in here if any(effect is None or any(effect.values()) for effect in one["effects"])
        ]
        lines += ["", f"## {package}", ""]
        rows = (
            [f"`{one['name']}`", f"{one['value']:g}"]
            + [
                _said(value, effect)
                for value, effect in zip(nudged(one["value"]), one["effects"], strict=True)
            ]
            for one in moved
        )
        lines += table(("number", "value", "with less", "with more"), rows)
        still = ", ".join(f"`{one['name']}` {one['value']:g}" for one in here if one not in moved)
        lines += [f"Nothing changed with: {still}."] if still else []
    return "\n".join(lines) + "\n"


def all_numbers() -> list[TunedNumber]:
    """Every tuned number of the packages, but those without a source: they define something."""
    files = [path for package in PACKAGES for path in sorted((ROOT / "vision" / package).glob("*.py"))]
    return [number for path in files for number in tuned_numbers(path) if number.sourced]


def main(
    *,
    dealt: Annotated[int, typer.Option(help="Full tables as dealers lay them.")] = 24,
    thrown: Annotated[int, typer.Option(help="Pictures of cards thrown over each other.")] = 12,
    work: Annotated[Path, typer.Option(help="Where results are kept between runs.")] = Path(
        "build/sensitivity"
    ),
    out: Annotated[Path, typer.Option(help="The page.")] = ROOT / "docs/reader-numbers.md",
) -> None:
    """Measures each number that is not measured yet, and writes the page."""
    work.mkdir(parents=True, exist_ok=True)
    kept = work / f"{dealt}-{thrown}.jsonl"
    measured = [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []
    known = {(one["package"], one["name"], one["value"]): one for one in measured}
    with tempfile.TemporaryDirectory() as folder, kept.open("a") as results:
        run = prepared(Path(folder), dealt, thrown)
        rows = []
        for number in all_numbers():
            key = (number.path.parent.name, number.name, number.value)
            if key not in known:
                known[key] = dict(
                    zip(("package", "name", "value"), key, strict=True), effects=[*effects(number, run)]
                )
                results.write(json.dumps(known[key]) + "\n")
                results.flush()
                typer.echo(json.dumps(known[key]))
            rows.append(known[key])
    out.write_text(page(_head(run), rows), encoding="utf-8")


def prepared(folder: Path, dealt: int, thrown: int) -> SensitivityRun:
    """The tables, drawn, and a copy of the reader that stands beside the models."""
    copy = folder / "copy"
    shutil.copytree(ROOT / "vision", copy / "vision", ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "models").symlink_to(ROOT / "models")
    tables = draw_tables(folder, dealt, thrown)
    base = read_with(copy, tables)
    assert base is not None, "the unchanged reader cannot read"
    return SensitivityRun(tables, copy, base)


HEAD: Final = """# What the reader's numbers do

Written by `python -m models.measure.tuning.sensitivity`: each tuned number of the packages that a single
picture passes through, a tenth smaller and a tenth larger, and how the counts change. Whole numbers change by
at least one; of a share of a half and more the distance to 1 is made a quarter larger and a fifth smaller. It
shows which numbers matter here, and whether one stands on a cliff; not that the present value is the best
one, which only pictures of real tables can tell.
"""


def _head(run: SensitivityRun) -> str:
    base = ", ".join(f"{run.base[name]} {name}" for name in COUNTS)
    return f"""{HEAD}
{len(run.tables)} drawn tables of decks that training never saw, each with a camera's fault. As the reader
stands: {base} (cards right and wrong, unclear spots, hands read exactly, hands silently something else)."""


if __name__ == "__main__":
    typer.run(main)
