"""Shares work among threads."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Final, TypeVar

T = TypeVar("T")

_SHARE_FROM: Final = 4
"""With so many items for each thread, all threads get a share; fewer stay with the caller.

Source: no measurement on record; `stand17 bench reader --only time` shows its effect.
"""


class Workers:
    """A few threads for work that releases Python's lock: C functions, network sessions.

    Work that holds the lock gains nothing: the threads then wait for each other.
    """

    def __init__(self, threads: int) -> None:
        """`threads` is 1 or more and counts the caller's own."""
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads - 1, thread_name_prefix="reader") if threads > 1 else None

    def each(self, work: Callable[[slice], T], count: int, batch_max: int) -> list[T]:
        """The results of `work` for slices of `count` items, in order; a slice has at most `batch_max`."""
        batches = self._batches(count, batch_max)
        if self._pool is None or len(batches) < 2:
            return [work(batch) for batch in batches]
        todo, done = deque(enumerate(batches)), dict[int, T]()

        def take_turns() -> None:
            while todo:
                try:
                    number, batch = todo.popleft()
                except IndexError:
                    return
                done[number] = work(batch)

        helpers = [self._pool.submit(take_turns) for _ in range(self._threads - 1)]
        take_turns()
        for helper in helpers:
            if not helper.cancel():
                helper.result()
        return [done[number] for number in range(len(batches))]

    def aside(self, work: Callable[[], T]) -> Callable[[], T]:
        """Begins with work on another thread; the function that is returned waits for its result.

        Work that has not begun by then is done by the thread that asks.
        """
        if self._pool is None:
            return work
        begun = self._pool.submit(work)
        return lambda: work() if begun.cancel() else begun.result()

    def _batches(self, count: int, batch_max: int) -> list[slice]:
        """About as many items in each, and as many batches for each thread."""
        number = -(-count // batch_max)
        if count >= self._threads * _SHARE_FROM:
            number = -(-number // self._threads) * self._threads
        ends = [count * step // max(number, 1) for step in range(number + 1)]
        return [slice(start, end) for start, end in pairwise(ends)]
