"""The house edge of the table's rules, worked out beside the table when it is first asked for."""

import asyncio

from controller.analyser import analyse
from controller.domain.rules import RuleSet


def _edge_percent(rules: RuleSet) -> float:
    return analyse(rules).edge_percent


class EdgeFinder:
    """Answers at once with what is known; the work itself takes seconds and is done in a thread."""

    def __init__(self) -> None:
        """Nothing is worked out before somebody asks."""
        self._rules: RuleSet | None = None
        self._work: asyncio.Future[float] | None = None

    def of(self, rules: RuleSet) -> float | None:
        """The house edge in percent of the opening stakes, None until it is worked out."""
        if self._work is None or rules != self._rules:
            self._rules = rules
            self._work = asyncio.get_running_loop().run_in_executor(None, _edge_percent, rules)
        return self._work.result() if self._work.done() else None
