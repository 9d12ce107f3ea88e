"""A run of many shifts that may be stopped at any time: its figures and its coverage, kept in a file.

What no shift has met so far the next ones are steered to, a few at a time.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

from controller.config import CardsFrom
from tests.whole.coverage import Coverage, kind_named, kinds_at, never_met, states_of
from tests.whole.script import SOURCES, SeededScript
from tests.whole.shift import ShiftEnd

STEERED_MAX: Final = 8
"""So many faults and states one shift is steered to."""


class LongRun:
    """What came of the shifts so far. Raises OSError or ValueError for a file that is none of its own."""

    def __init__(self, kept: Path | None) -> None:
        """Go on from what is in this file, where there is one."""
        self._kept = kept
        fields: dict[str, Any] = {}
        if kept is not None and kept.exists():
            fields = json.loads(kept.read_bytes())
        self.figures = Counter[str](fields.get("figures", {}))
        self._met: dict[CardsFrom, Coverage] = {one: Coverage() for one in SOURCES}
        self._steered: dict[CardsFrom, int] = dict.fromkeys(SOURCES, 0)
        for source in SOURCES:
            self._steered[source] = int(fields.get("steered", {}).get(source, 0))
            for kind, state, count in fields.get("met", {}).get(source, ()):
                self._met[source][kind_named(kind), state] = count

    def next_script(self, seed: int, ends: int) -> SeededScript:
        """The script of the next shift, steered to some of what was never met at such a table."""
        script = SeededScript(seed, (), ends=ends)
        left = never_met(self._met[script.cards_from], script.cards_from)
        # Half of them, at least, in states that rounds do come to.
        chance, first = Random(f"steer {seed}"), left[: len(left) // 2]
        some = [
            *chance.sample(first, min(STEERED_MAX // 2, len(first))),
            *chance.sample(left, min(STEERED_MAX // 2, len(left))),
        ]
        return script._replace(steer=tuple(dict.fromkeys(some)) if self.figures["shifts"] else ())

    def add(self, script: SeededScript, end: ShiftEnd, took_ms: int) -> None:
        """Add a shift, and keep the file."""
        met = self._met[script.cards_from]
        self._steered[script.cards_from] += sum(
            bool(end.coverage[one]) and not met[one] for one in script.steer
        )
        met.update(end.coverage)
        self.figures.update({**end.figures, "shifts": 1, "rounds": end.rounds, "ms": took_ms})
        self.figures["failed"] += end.broken is not None
        if self._kept is not None:
            new = self._kept.with_suffix(".new")
            new.write_text(json.dumps(self._fields()), encoding="utf-8")
            new.replace(self._kept)

    def coverage(self) -> Iterator[dict[str, object]]:
        """One line for each kind of table and fault: how many states it met, and which it never did."""
        for source, met in self._met.items():
            if not met:
                continue
            for kind in kinds_at(source):
                never = [state for state in states_of(kind) if not met[kind, state]]
                times = sum(count for (one, _), count in met.items() if one == kind)
                yield {"source": source, "fault": kind, "times": times, "never": never}

    def totals(self) -> list[dict[str, object]]:
        """For each kind of table how many pairs of fault and state there are, were met, and how."""
        return [
            {
                "source": source,
                "pairs": sum(len(states_of(kind)) for kind in kinds_at(source)),
                "met": len(+met),
                "steered": self._steered[source],
            }
            for source, met in self._met.items()
            if met
        ]

    def _fields(self) -> dict[str, object]:
        met = {source: [[*pair, count] for pair, count in one.items()] for source, one in self._met.items()}
        return {"figures": self.figures, "met": met, "steered": self._steered}
