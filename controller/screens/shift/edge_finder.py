"""The house edge of a table's rules; an unknown edge is computed once, in a process of its own."""

import asyncio
import sys
from typing import Final

from pydantic import TypeAdapter

from controller.domain import RuleSet
from controller.history.edge import edge_percent, known_edge
from controller.screens.own_process import answer_of, stand_back

MODULE: Final = "controller.screens.shift.edge_finder"
"""This one, by name: as a program it has another."""

AGAIN_S: Final = 60.0
"""A process that has failed is tried again after so long."""

_RULES: Final = TypeAdapter(RuleSet)


class EdgeFinder:
    """Answers at once with the known edges; a computation takes seconds, once per set of rules."""

    def __init__(self) -> None:
        """Begin without a computation."""
        self._work: dict[RuleSet, tuple[asyncio.Future[float | None], float]] = {}

    def of(self, rules: RuleSet) -> float | None:
        """The house edge in percent of the opening stakes, None until it is worked out."""
        loop = asyncio.get_running_loop()
        if rules not in self._work and (known := known_edge(rules)) is not None:
            self._work[rules] = loop.create_future(), 0.0
            self._work[rules][0].set_result(known)
        work, begun_s = self._work.get(rules, (None, 0.0))
        found = work.result() if work is not None and work.done() else None
        failed = work is not None and work.done() and found is None
        if work is None or (failed and loop.time() - begun_s > AGAIN_S):
            self._work[rules] = loop.run_in_executor(None, _edge_percent, rules), loop.time()
        return found


def _edge_percent(rules: RuleSet) -> float | None:
    written = answer_of(MODULE, _RULES.dump_json(rules).decode())
    return None if written is None else float(written)


def main() -> None:
    """Write the edge of the rules that the command line gives as JSON."""
    stand_back()
    sys.stdout.write(str(edge_percent(_RULES.validate_json(sys.argv[1]))))


if __name__ == "__main__":
    main()
