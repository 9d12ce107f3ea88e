"""States of tables that are proved to be their own and current: signed, and never shown before.

A state has the word of the table's run and a number that grows within it. The table itself is asked about
an unknown word; its answer names its last state and is valid for this question alone. So a recorded state is
refused on any day without a clock.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from controller.domain import TableError
from controller.floor.sealed import opened

_LastOf = Callable[[str], Awaitable[tuple[str, ...]]]
"""Asks the table with this key for run and number of its last state; a state of each machine that answers.

Raises `TableError` where none does.
"""


KNOWN_MAX: Final = 1000
"""Tables whose last state is known; one that was forgotten is asked anew."""


SHARE: Final = 30
"""States of one table that are looked at in a second; a table shows itself ten times."""


class _State(NamedTuple):
    run: str
    number: int
    shown: bytes


class ProvenStates:
    """Used on one loop."""

    def __init__(
        self,
        last_of: _LastOf,
        stated: Callable[[str, bytes], None],
        doubted: Callable[[str], None],
        twice: Callable[[str], None],
    ) -> None:
        """Prepare the check; `stated` gets a table's key and proved state.

        `doubted` gets the key of a doubtful state, `twice` a key under which two machines run.
        """
        self._last_of, self._stated, self._doubted, self._twice = last_of, stated, doubted, twice
        self._known: dict[str, _State] = {}
        self._asking: dict[str, asyncio.Task[None]] = {}
        self._second, self._came = 0, Counter[str]()

    def take(self, key: str, data: bytes) -> None:
        """Check a state of the table with this key; states above its share are dropped."""
        second = int(asyncio.get_running_loop().time())
        if second != self._second:
            self._second = second
            self._came.clear()
        self._came[key] += 1
        if self._came[key] > SHARE:
            return
        found = opened("state", data)
        state = None if found is None or found.key != key else _state_in(found.body)
        known = self._known.get(key)
        if state is None or (known is not None and known.run == state.run and state.number <= known.number):
            self._doubted(key)
        elif known is not None and known.run == state.run:
            self._take(key, state)
        elif key not in self._asking:
            self._asking[key] = asyncio.create_task(self._ask(key, state))

    def _take(self, key: str, state: _State) -> None:
        self._know(key, state)
        self._stated(key, state.shown)

    def _know(self, key: str, state: _State) -> None:
        """Store the newest state of this table; the table silent for longest is dropped above the limit."""
        self._known.pop(key, None)
        self._known[key] = state
        if len(self._known) > KNOWN_MAX:
            del self._known[next(iter(self._known))]

    async def _ask(self, key: str, state: _State) -> None:
        """Accept another run when the table confirms it; otherwise keep the known state."""
        try:
            answers = [_state_in(one.encode()) for one in await self._last_of(key)]
            runs = {one.run: one for one in answers if one is not None}
            last = runs.get(state.run)
            if len(runs) > 1:
                self._twice(key)
            elif last is None:
                self._doubted(key)
            elif last.number <= state.number:
                self._take(key, state)
            else:
                # It has shown another state meanwhile; the next one counts.
                self._know(key, last)
        except TableError:
            # It shows itself again within a second, or it is not there.
            return
        finally:
            del self._asking[key]


def _state_in(body: bytes) -> _State | None:
    head, _, shown = body.partition(b"\n")
    run, _, number = head.decode(errors="replace").partition(" ")
    return _State(run, int(number), shown) if number.isascii() and number.isdecimal() else None
