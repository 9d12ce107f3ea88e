"""`stand17 bench reader`: the card reader on photographs, drawn tables and the clock."""

import json
import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console

from controller.domain import ConfigError
from controller.outputs import PUBLIC, Outputs

_WORK: Final = Path("build/bench-reader")
_SAMPLE_EVERY: Final = 25
"""A sample reads every so manieth photograph of the large sets."""

LAYOUTS: Final = {False: (3, 3), True: (10, 10)}
"""Drawn layouts that are timed, and how often each; sample and full."""

PASSES: Final = {False: 100, True: 2000}
"""Cards that are drawn past a shoe's mouth; sample and full."""

_Measurement = Callable[["BenchRequest"], object]


class BenchRequest:
    """A requested measurement, and the output of its progress."""

    def __init__(self, cards: Path | None, work: Path, *, full: bool, jobs: int, minutes: float) -> None:
        """`cards` holds `photos/` and perhaps `decks/`; `work` keeps shards of a run between starts.

        Drawn runs use `jobs` processes for at most `minutes`.
        """
        self.cards, self.work, self.full = cards, work, full
        self.jobs, self.minutes = jobs, minutes
        self.console = Console(stderr=True)

    def art(self) -> Path | None:
        """The folder of decks of card art, None without one."""
        decks = self.cards / "decks" if self.cards is not None else None
        return decks if decks is not None and decks.is_dir() else None

    def tell(self, line: str) -> None:
        """Print one line of progress."""
        self.console.print(line, markup=False, highlight=False)


def part(module: str) -> Any:
    """A module of the measurements, which only the source folder has.

    Raises ConfigError BENCH_RIVAL_MISSING where it or a development package is not there.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ConfigError("BENCH_RIVAL_MISSING", package=error.name or module) from error


def photographs(request: BenchRequest) -> object:
    """Measure the labelled photographs; None without a folder."""
    if request.cards is None:
        return None
    every = 1 if request.full else _SAMPLE_EVERY
    return part("benchmarks.reader_photographs").measure(request.cards, every, request.tell)


def stress(request: BenchRequest) -> object:
    """Drawn crops and tables; `art` tells whether decks of art were among them."""
    runs, art = part("benchmarks.reader_stress"), request.art()
    scenes = runs.FULL if request.full else runs.QUICK

    def tell(done: int, total: int) -> None:
        request.tell(f"stress: {done} of {total} shards")

    seconds = 60 * request.minutes
    figures = runs.measure(request.work, art, scenes, processes=request.jobs, tell=tell, seconds=seconds)
    return {"art": art is not None, **figures}


def mouth(request: BenchRequest) -> object:
    """Cards drawn past a shoe's mouth, seen by a camera."""
    return part("benchmarks.reader_mouth").measure(PASSES[request.full], request.art(), request.tell)


def times(request: BenchRequest) -> object:
    """Milliseconds a picture, memory, start-up."""
    return part("benchmarks.reader_timing").measure(*LAYOUTS[request.full])


SECTIONS: Final[dict[str, _Measurement]] = {
    "time": times,
    "photographs": photographs,
    "mouth": mouth,
    "stress": stress,
}
"""In the order of measuring: the clock before anything warms the machine up."""


def measured(request: BenchRequest, sections: list[str]) -> dict[str, Any]:
    """Return the report of some sections, with the conditions."""
    conditions = part("benchmarks.reader_report").conditions()
    report: dict[str, Any] = {"type": "bench_reader", "full": request.full, **conditions}
    for name in sections:
        request.tell(f"{name} …")
        report[name] = SECTIONS[name](request)
    report["load_at_end"] = round(os.getloadavg()[0], 1)
    return report


def reader(
    *,
    cards: Annotated[
        Path | None,
        typer.Option(exists=True, file_okay=False, help="Folder with photos/labels.jsonl and decks/."),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full/--quick", help="Everything, or a sample of a minute.")
    ] = False,
    only: Annotated[list[str] | None, typer.Option(help=f"Only these: {', '.join(SECTIONS)}.")] = None,
    json_out: Annotated[
        Path | None, typer.Option("--json", dir_okay=False, help="Write all figures here.")
    ] = None,
    work: Annotated[Path, typer.Option(file_okay=False, help="Where a full run keeps what is done.")] = _WORK,
    jobs: Annotated[int, typer.Option(min=1, help="Processes of the drawn runs.")] = 1,
    minutes: Annotated[
        float, typer.Option(min=0, help="Stop the drawn runs then, report what is done.")
    ] = 1e6,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
) -> None:
    """Measure how often the card reader is right, unsure or silently wrong, and its speed. Prints Markdown.

    A full run takes an hour or more and can be stopped at any time: the same command goes on. Without --cards
    the photographs are left out and the drawn decks come from fonts alone.
    """
    sections = chosen(only or [])
    if json_out is not None and not json_out.absolute().parent.is_dir():
        raise typer.BadParameter("no such folder", param_hint="--json")
    outputs = Outputs(force=force)
    outputs.require_free(json_out)
    request = BenchRequest(cards, work, full=full, jobs=jobs, minutes=minutes)
    report = measured(request, sections)
    if json_out is not None:
        outputs.write(json_out, (json.dumps(report, indent=1) + "\n").encode(), PUBLIC)
    typer.echo(part("benchmarks.reader_report").text_of(report))


def chosen(only: list[str]) -> list[str]:
    """The sections to measure; raises BadParameter for a name that is none."""
    unknown = set(only) - set(SECTIONS)
    if unknown:
        raise typer.BadParameter(f"{', '.join(sorted(unknown))}: not one of {', '.join(SECTIONS)}")
    return [name for name in SECTIONS if not only or name in only]
