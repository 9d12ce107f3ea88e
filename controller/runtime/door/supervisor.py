"""Background tasks whose end ends the process, so that none stops unnoticed."""

import asyncio
import signal
from collections.abc import Coroutine, Mapping
from typing import Any

from controller.domain import TableError
from controller.ports import end_all


async def run_all(tasks: Mapping[str, Coroutine[Any, Any, None]], *stops: asyncio.Event) -> None:
    """Run all tasks until one of `stops` is set, then cancel them and wait for them.

    A task that ends by itself, with or without an error, takes the others with it: its own error is
    raised, or TASK_ENDED with its name, so that the process ends loudly and is started again.
    """
    running = {asyncio.create_task(work, name=name) for name, work in tasks.items()}
    waiters = {asyncio.create_task(_wait(stop), name="stop") for stop in stops}
    done, _ = await asyncio.wait({*running, *waiters}, return_when=asyncio.FIRST_COMPLETED)
    await end_all((*running, *waiters))
    await asyncio.gather(*running, *waiters, return_exceptions=True)
    ended = done - waiters
    if ended:
        _raise_for(ended.pop())


def stop_on_signals() -> asyncio.Event:
    """Make the event that SIGINT and SIGTERM set, on the running loop."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    return stop


async def _wait(stop: asyncio.Event) -> None:
    await stop.wait()


def _raise_for(task: asyncio.Task[None]) -> None:
    error = task.exception()
    if error is None:
        raise TableError("TASK_ENDED", task=task.get_name())
    raise error
