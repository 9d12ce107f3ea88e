"""`python -m tests.measures.stages --store FILE`: what each stage of the reader costs and what it saves.

Each picture is read with all stages and once more without each stage that did something on it. A picture is
one line of the store, so a run goes on after a stop. Drawn tables have decks and fonts left out of training,
each with one fault of camera or light. Tables of unusual decks are read with a profile and without one.
Photographs are read where a folder has them. The table at the end counts what changes where a stage is
switched off.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache, lru_cache, partial
from itertools import count
from pathlib import Path
from time import process_time
from typing import Annotated, Any, Final, NamedTuple
from unittest.mock import patch

import numpy as np
import typer

from benchmarks.reader_photographs import OVERHEAD, hands_of, rows_of, tally, truths_of
from benchmarks.reader_stress_reads import judged, readable, shoot
from models.crops import training_decks
from models.judging import judge_hands
from models.stress_scenes import Shot
from tests.measures.sealed import OPENED, SEALED, profile_of, table_of
from vision.acceptance import WholeCardDoubts
from vision.geometry import Image
from vision.indices import fuse_views
from vision.pictures import load_picture
from vision.reader import CardReader
from vision.reading import Reading

FIRST: Final = 3_000_000
LAST: Final = 3_010_000
"""Numbers of the first and the last table: the other measurements have lower ones."""

TABLES_A_DECK: Final = 2
FIRST_TABLE: Final = 600
"""Tables of an unusual deck, before the next one comes, and the number of the first."""

COUNTED: Final = ("right", "wrong", "twice", "unclear", "exact", "short", "false", "order")

AddToCounts = Callable[[Reading], Counter[str]]


class Stage(NamedTuple):
    """A function of the reader; `off` is called in its place; `acts`: its result changes something."""

    name: str
    at: str
    off: Callable[..., Any]
    acts: Callable[..., bool] = lambda result, *_: bool(result)


def _nothing(*_: object, **__: object) -> set[int]:
    return set()


def _differs(result: object, *given: object) -> bool:
    return all(result is not one for one in given)


STAGES: Final = (
    Stage(
        "second and third view",
        "vision.indices._posterior",
        lambda _image, _poses, plain, _network: fuse_views([plain]),
        lambda *_: True,
    ),
    Stage(
        "letters of another deck",
        "vision.acceptance.doubt_like_letters",
        lambda cards: cards,
        _differs,
    ),
    Stage(
        "unknown letters",
        "vision.networks._blur_unknown",
        lambda _ranks, _unknown: None,
        lambda _, __, unknown: bool(unknown.any()),
    ),
    Stage("odd sizes", "vision.acceptance.size_outliers", _nothing),
    Stage("contradictions", "vision.acceptance.find_contradictions", _nothing),
    Stage("six or nine turned", "vision.acceptance.find_maybe_turned", _nothing),
    Stage(
        "whole card",
        "vision.reader.doubts_of_whole_cards",
        lambda *_: WholeCardDoubts(set(), set()),
        lambda doubts, *_: bool(doubts.cards or doubts.suits),
    ),
    Stage("no heat", "vision.reader.cards_without_heat", _nothing),
    Stage("strange deck", "vision.reader.is_strange_deck", lambda *_: False),
    Stage("pips beside", "vision.reader.may_have_pips_beside", lambda *_: False),
    Stage(
        "other exposures",
        "vision.reader.CardReader._read_again",
        lambda _, look, __: look.acceptance,
        lambda result, _, look, __: result is not look.acceptance,
    ),
    Stage("hot places", "vision.reader.CardReader._read_further", lambda _, look: look, _differs),
    Stage(
        "own print",
        "vision.reader.without_own_print",
        lambda _image, spots, *_: spots,
        lambda left, _image, spots, *_: len(left) < len(spots),
    ),
    Stage("faces by name", "vision.reader.with_named_faces", lambda acceptance, *_: acceptance, _differs),
    Stage(
        "faces at corners", "vision.reader.with_corner_faces", lambda _, acceptance, *__: acceptance, _differs
    ),
    Stage("warm faces", "vision.reader.with_warm_faces", lambda _, acceptance, *__: acceptance, _differs),
    Stage("one card a quad", "vision.reader.one_card_a_quad", lambda acceptance, _: acceptance, _differs),
)


class Picture(NamedTuple):
    """A picture to be read, how, and how its reading is counted."""

    image: Image
    reader: CardReader
    card_px: float | None
    counts: AddToCounts


class Planned(NamedTuple):
    """A picture that is made when it is read; None where its deck cannot be enrolled."""

    kind: str
    number: int
    make: Callable[[], Picture | None]


def priced(picture: Picture) -> dict[str, Any]:
    """The counts of a reading with all stages, and of those without each stage that acts."""
    acting: set[str] = set()
    with ExitStack() as stack:
        for stage in STAGES:
            stack.enter_context(patch(stage.at, _watched(stage, acting)))
        whole = _read(picture)
    without = {}
    for stage in STAGES:
        if stage.name in acting:
            with patch(stage.at, stage.off):
                without[stage.name] = dict(_read(picture))
    return {"whole": dict(whole), "without": without}


def _watched(stage: Stage, acting: set[str]) -> Callable[..., Any]:
    """The stage itself; it notes whether it does something."""
    module, name = stage.at.rsplit(".", 1)
    original = getattr(_resolved(module), name)

    def watched(*given: Any, **named: Any) -> Any:
        result = original(*given, **named)
        if stage.acts(result, *given):
            acting.add(stage.name)
        return result

    return watched


def _resolved(path: str) -> Any:
    """A module, or a class of one, by its dotted name."""
    head, _, last = path.rpartition(".")
    return getattr(_resolved(head), last) if last[0].isupper() else __import__(path, fromlist=[last])


def _read(picture: Picture) -> Counter[str]:
    thorough = picture.card_px is None
    return picture.counts(picture.reader.read(picture.image, thorough=thorough, card_px=picture.card_px))


def _drawn(shot: Shot) -> AddToCounts:
    def counts(reading: Reading) -> Counter[str]:
        found = Counter(verdict.verdict for _, verdict in judged(reading, shot))
        cards = Counter(cards=len(readable(shot)), unclear=len(reading.unclear))
        return found + cards + judge_hands(reading, shot.hands)

    return counts


@cache
def _reader() -> CardReader:
    return CardReader.open(threads=1)


def _tables(kind: str, folders: list[Path]) -> Iterator[Planned]:
    def make(number: int) -> Picture:
        _, shot = shoot(number, folders, kind)
        return Picture(shot.picture.frame, _reader(), None, _drawn(shot))

    return (Planned(kind, number, partial(make, number)) for number in count(FIRST))


def _sealed(kind: str) -> Iterator[Planned]:
    """Tables of unusual decks at 1080p and 4K in turns, with the profile of the deck or without one."""

    def make(number: int) -> Picture | None:
        block, table = divmod(number, TABLES_A_DECK)
        deck, times = block // 2 % len(SEALED), 1.0 + block % 2
        reader = _reader_of(deck, times) if kind == "profile" else _reader()
        if reader is None:
            return None
        first = FIRST_TABLE + block // (2 * len(SEALED)) * TABLES_A_DECK
        shot, _ = table_of(deck, first + table, times, OPENED)
        card_px = float(np.median([card.height for card in shot.scene.cards]))
        return Picture(shot.picture.frame, reader, card_px if kind == "profile" else None, _drawn(shot))

    return (Planned(kind, number, partial(make, number)) for number in count())


@lru_cache(maxsize=1)
def _reader_of(deck: int, times: float) -> CardReader | None:
    profile = profile_of(deck, times, OPENED)
    return None if profile is None else CardReader.open(threads=1, deck=profile)


def _photographs(cards: Path) -> Iterator[Planned]:
    def make(row: dict[str, Any], over: bool) -> Picture:
        truths, hands = truths_of(row), hands_of(row, truths_of(row))

        def counts(reading: Reading) -> Counter[str]:
            return tally(reading, truths, over)[0] + judge_hands(reading, hands)

        return Picture(load_picture(cards / "photos" / row["file"]), _reader(), None, counts)

    for number, (source, row) in enumerate(rows_of(cards)):
        yield Planned("photograph", number, partial(make, row, source == OVERHEAD))


def _plan(folders: list[Path], cards: Path) -> Iterator[Planned]:
    """All kinds in turns, so that a run that is stopped has some of each."""
    kinds = [_tables("dealt", folders), _tables("thrown", folders), _sealed("profile"), _sealed("plain")]
    if cards.exists():
        kinds.append(_photographs(cards))
    while kinds:
        for kind in list(kinds):
            planned = next(kind, None)
            if planned is None:
                kinds.remove(kind)
            else:
                yield planned


def rows_of_table(lines: list[dict[str, Any]]) -> list[list[object]]:
    """A row a stage and kind of picture: where it acts, and what changes where it is switched off."""
    rows: dict[tuple[str, str], Counter[str]] = {}
    for line in lines:
        for name, counts in line["without"].items():
            row = rows.setdefault((name, line["kind"]), Counter())
            row["pictures"] += 1
            row["changed"] += counts != line["whole"]
            for word in COUNTED:
                row[word] += counts.get(word, 0) - line["whole"].get(word, 0)
    order = [stage.name for stage in STAGES]
    return [
        [name, kind, row["pictures"], row["changed"], *(row[word] for word in COUNTED)]
        for (name, kind), row in sorted(rows.items(), key=lambda one: (order.index(one[0][0]), one[0][1]))
    ]


def together(lines: list[dict[str, Any]], off: list[str], plan: Iterator[Planned]) -> Counter[str]:
    """What changes where some stages are switched off at once, on the pictures on which one of them acts."""
    acting = {
        (line["kind"], line["number"]): line["whole"] for line in lines if set(off) & set(line["without"])
    }
    changes: Counter[str] = Counter()
    for planned in plan:
        whole = acting.pop((planned.kind, planned.number), None)
        picture = None if whole is None else planned.make()
        if picture is not None and whole is not None:
            with ExitStack() as stack:
                for stage in STAGES:
                    if stage.name in off:
                        stack.enter_context(patch(stage.at, stage.off))
                counts = _read(picture)
            changes.update({word: counts[word] - whole.get(word, 0) for word in COUNTED})
            changes["pictures"] += 1
        if not acting or planned.number > LAST:
            break
    return changes


def main(
    store: Annotated[Path, typer.Option(help="A line a picture; a run goes on after the last one.")],
    minutes: Annotated[float, typer.Option(help="Time of the processor, in all.")] = 25.0,
    art: Annotated[Path, typer.Option(help="Folder of card art.")] = Path("../shared/cards/decks"),
    cards: Annotated[Path, typer.Option(help="Folder with photos/labels.jsonl.")] = Path("../shared/cards"),
    only: Annotated[list[str] | None, typer.Option(help="Kinds of pictures: dealt, thrown, plain…")] = None,
    off: Annotated[list[str] | None, typer.Option(help="Stages that are switched off together.")] = None,
) -> None:
    """Reads pictures for so long, and prints the table as Markdown."""
    lines = [json.loads(line) for line in store.read_text().splitlines()] if store.exists() else []
    if off:
        typer.echo(dict(together(lines, off, _plan(training_decks(art, held_out=True), cards))))
        raise typer.Exit
    done = {(line["kind"], line["number"]) for line in lines}
    with store.open("a") as stream:
        for planned in _plan(training_decks(art, held_out=True), cards):
            if process_time() >= minutes * 60:
                break
            known = (planned.kind, planned.number) in done or (only and planned.kind not in only)
            picture = None if known else planned.make()
            if picture is not None:
                lines.append({"kind": planned.kind, "number": planned.number, **priced(picture)})
                stream.write(json.dumps(lines[-1]) + "\n")
                stream.flush()
    whole: dict[str, Counter[str]] = {}
    for line in lines:
        whole.setdefault(line["kind"], Counter()).update({"pictures": 1, **line["whole"]})
    for kind, counts in whole.items():
        typer.echo(f"{kind}: {dict(counts)}")
    typer.echo(f"| switched off | pictures | acts | changes | {' | '.join(COUNTED)} |")
    typer.echo("|" + "---|" * (4 + len(COUNTED)))
    for row in rows_of_table(lines):
        typer.echo("| " + " | ".join(map(str, row)) + " |")


if __name__ == "__main__":
    typer.run(main)
