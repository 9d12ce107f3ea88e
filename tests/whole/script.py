"""What happens at a seeded table as a list of numbers: each draws from its own, so any may be left out."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal, NamedTuple

from controller.config import CardsFrom
from controller.rules import HOUSES as SHIPPED
from tests.whole.coverage import Meeting, kind_named

_KEPT_HOUSES: Final = ("nl", "it", "spielbank", "de", "fr")
"""The houses by seed, in scripts that were kept before they named their house."""

HOUSES: Final = (*_KEPT_HOUSES, *(house for house in SHIPPED if house not in _KEPT_HOUSES))
SOURCES: Final[tuple[CardsFrom, ...]] = ("shoe", "camera", "both")


class SeededScript(NamedTuple):
    """One shift: its seed decides house and shoes, each number of `steps` what happens then.

    `story` says what it has shown, in a script that is kept. `money`: the pit counts the float, and enters
    slips and drop; scripts that were kept before there was any play without. `ends`: how many times as often
    as in other shifts the program ends without warning. `source`: who reports the cards, "" as the seed says.
    `more`: also faults of every other kind, which scripts that were kept before play without; `steer` are
    those that are to meet a state of the round, as long as they have not. After `patience` steps of one round
    the pit rules on what holds it; after twice as many there was no way out.
    `rules`: the house, "" as the seed says.
    `beside`: the disk fails at the files beside the journal, too; not so in scripts that were kept before.
    """

    seed: int
    steps: tuple[int, ...]
    story: str = ""
    money: bool = True
    ends: int = 1
    source: CardsFrom | Literal[""] = ""
    more: bool = True
    steer: tuple[Meeting, ...] = ()
    patience: int = 300
    beside: bool = True
    rules: str = ""

    @property
    def house(self) -> str:
        """The house's rules."""
        return self.rules or HOUSES[self.seed % len(HOUSES)]

    @property
    def cards_from(self) -> CardsFrom:
        """Who reports the cards."""
        return self.source or SOURCES[self.seed // len(HOUSES) % len(SOURCES)]

    def write(self, file: Path) -> None:
        """Keep it."""
        kept = self._replace(rules=self.house, source=self.cards_from)
        file.write_text(json.dumps(kept._asdict(), indent=1) + "\n", encoding="utf-8")


def read_script(file: Path) -> SeededScript:
    """A script that was kept. Raises OSError, ValueError or KeyError where it is none."""
    fields = json.loads(file.read_text(encoding="utf-8"))
    steps = tuple(int(step) for step in fields["steps"])
    money, ends = bool(fields.get("money", False)), int(fields.get("ends", 1))
    known: tuple[CardsFrom | Literal[""], ...] = ("", *SOURCES)
    source = known[known.index(fields.get("source", "shoe"))]
    more, patience = bool(fields.get("more", False)), int(fields.get("patience", 300))
    steer = tuple((kind_named(kind), state) for kind, state in fields.get("steer", ()))
    story = str(fields["story"])
    beside = bool(fields.get("beside", False))
    seed = int(fields["seed"])
    rules = str(fields.get("rules", _KEPT_HOUSES[seed % len(_KEPT_HOUSES)]))
    source = source or SOURCES[seed // len(_KEPT_HOUSES) % len(SOURCES)]
    return SeededScript(seed, steps, story, money, ends, source, more, steer, patience, beside, rules)


class Failure(NamedTuple):
    """A play that failed: the steps until then, and at which of them, counted from 0, each round began."""

    steps: tuple[int, ...]
    begins: tuple[int, ...]


Fails = Callable[[SeededScript], Failure | None]
"""Plays a script; None where it does not fail in the way that is looked for."""

PATIENCE_MIN: Final = 8
"""People who lose their patience sooner do not even let a round be dealt."""


def shrunk(script: SeededScript, found: Failure, fails: Fails) -> SeededScript:
    """The shortest script found that fails so: less patience, then whole rounds left out, then single steps.

    Halves go first, then quarters, and so on. What comes after the failure goes by itself.
    """
    while script.patience > PATIENCE_MIN:
        sooner = script._replace(patience=script.patience // 2)
        failed = fails(sooner)
        if failed is None:
            break
        script, found = sooner, failed
    for parts_of in (_rounds, _steps):
        size = max(1, len(parts_of(found)) // 2)
        while size:
            shorter = _without_runs(script, found, parts_of, size, fails)
            size = size // 2 if size > 1 or shorter is None else size
            found = shorter or found
    return script._replace(steps=found.steps)


Parts = list[tuple[int, ...]]


def _rounds(found: Failure) -> Parts:
    ends = (*found.begins[1:], len(found.steps))
    return [found.steps[begin:end] for begin, end in zip(found.begins, ends, strict=True)]


def _steps(found: Failure) -> Parts:
    return [(step,) for step in found.steps]


def _without_runs(
    script: SeededScript, found: Failure, parts_of: Callable[[Failure], Parts], size: int, fails: Fails
) -> Failure | None:
    """Try once to leave out each run of so many parts, the last one first; None where all are needed."""
    shorter: Failure | None = None
    at = len(parts_of(found))
    while at > 0:
        parts = parts_of(found)
        at = min(at, len(parts))
        rest = [*parts[: max(0, at - size)], *parts[at:]]
        steps = tuple(step for part in rest for step in part)
        failed = fails(script._replace(steps=steps)) if steps else None
        if failed is not None:
            found = shorter = failed
        at -= size
    return shorter
