"""Ending tasks that somebody waits for."""

import asyncio
from collections.abc import Iterable
from typing import Any, Final

AGAIN_S: Final = 10.0
"""A task that goes on for so long after it was cancelled is cancelled once more."""


async def end_all(tasks: Iterable[asyncio.Task[Any]], again_s: float = AGAIN_S) -> None:
    """Cancel tasks, and wait until each has ended; what became of them is theirs to say.

    `asyncio.wait_for` before Python 3.12 loses a cancellation that comes together with what it waits for, and
    libraries wait by it: a task that is cancelled once may go on for ever.
    """
    left = set(tasks)
    while left:
        for task in left:
            task.cancel()
        _, left = await asyncio.wait(left, timeout=again_s)
