"""What happens at a seeded table as a list of numbers: each draws from its own, so any may be left out."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, Literal, NamedTuple

from controller.config.witnesses import CardsFrom
from controller.simulation.whole.coverage import Meeting, kind_named

HOUSES: Final = ("nl", "it", "spielbank", "de", "fr")
SOURCES: Final[tuple[CardsFrom, ...]] = ("shoe", "camera", "both")


class SeededScript(NamedTuple):
    """One shift: its seed decides house and shoes, each number of `steps` what happens then.

    `story` says what it has shown, in a script that is kept. `money`: the pit counts the float, and enters
    slips and drop; scripts that were kept before there was any play without. `ends`: how many times as often
    as in other shifts the program ends without warning. `source`: who tells the cards, "" as the seed says.
    `more`: also faults of every other kind, which scripts that were kept before play without; `steer` are
    those that are to meet a state of the round, as long as they have not.
    """

    seed: int
    steps: tuple[int, ...]
    story: str = ""
    money: bool = True
    ends: int = 1
    source: CardsFrom | Literal[""] = ""
    more: bool = True
    steer: tuple[Meeting, ...] = ()

    @property
    def house(self) -> str:
        """The house's rules."""
        return HOUSES[self.seed % len(HOUSES)]

    @property
    def cards_from(self) -> CardsFrom:
        """Who tells the cards."""
        return self.source or SOURCES[self.seed // len(HOUSES) % len(SOURCES)]

    def write(self, file: Path) -> None:
        """Keep it."""
        file.write_text(json.dumps(self._asdict(), indent=1) + "\n", encoding="utf-8")


def read_script(file: Path) -> SeededScript:
    """A script that was kept. Raises OSError, ValueError or KeyError where it is none."""
    fields = json.loads(file.read_text(encoding="utf-8"))
    steps = tuple(int(step) for step in fields["steps"])
    money, ends = bool(fields.get("money", False)), int(fields.get("ends", 1))
    known: tuple[CardsFrom | Literal[""], ...] = ("", *SOURCES)
    source = known[known.index(fields.get("source", "shoe"))]
    more, steer = (
        bool(fields.get("more", False)),
        tuple((kind_named(kind), state) for kind, state in fields.get("steer", ())),
    )
    return SeededScript(int(fields["seed"]), steps, str(fields["story"]), money, ends, source, more, steer)


def shrunk(script: SeededScript, still: Callable[[SeededScript], bool]) -> SeededScript:
    """The shortest script found of which `still` holds: leave out halves, quarters, … single steps."""
    size = max(1, len(script.steps) // 2)
    while True:
        shorter = next((one for one in _without(script, size) if still(one)), None)
        if shorter is not None:
            script = shorter
        elif size == 1:
            return script
        else:
            size = max(1, size // 2)


def _without(script: SeededScript, size: int) -> Iterator[SeededScript]:
    """The script without each run of so many steps, the last run first."""
    steps = script.steps
    for begin in range(len(steps) - size, -size, -size):
        yield script._replace(steps=steps[: max(0, begin)] + steps[begin + size :])
