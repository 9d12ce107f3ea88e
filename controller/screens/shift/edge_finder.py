"""The house edge of a table's rules, worked out by a process of its own when it is first asked for."""

import asyncio
import sys
from typing import Final

from pydantic import TypeAdapter

from controller.analyser import analyse
from controller.domain.rules import RuleSet
from controller.screens.own_process import answer_of, stand_back

MODULE: Final = "controller.screens.shift.edge_finder"
"""This one, by name: as a program it has another."""

_RULES: Final = TypeAdapter(RuleSet)


class EdgeFinder:
    """Answers at once with what is known; the work takes seconds, once for all tables of the same rules."""

    def __init__(self) -> None:
        """Nothing is worked out before somebody asks."""
        self._work: dict[RuleSet, asyncio.Future[float | None]] = {}

    def of(self, rules: RuleSet) -> float | None:
        """The house edge in percent of the opening stakes, None until it is worked out."""
        if rules not in self._work:
            self._work[rules] = asyncio.get_running_loop().run_in_executor(None, _edge_percent, rules)
        work = self._work[rules]
        return work.result() if work.done() else None


def _edge_percent(rules: RuleSet) -> float | None:
    written = answer_of(MODULE, _RULES.dump_json(rules).decode())
    return None if written is None else float(written)


def main() -> None:
    """Write the edge of the rules that the command line gives as JSON."""
    stand_back()
    sys.stdout.write(str(analyse(_RULES.validate_json(sys.argv[1])).edge_percent))


if __name__ == "__main__":
    main()
