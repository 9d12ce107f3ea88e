"""Time that passes only when it is told to, and one loop for all that goes on at a table.

The table's tasks, its writer and what has a thread live take their steps one after the other, until nothing
is due. A program that ends without warning ends between two of them: at an await, or between two turns.
"""

import asyncio
import heapq
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import Context, copy_context
from typing import Any, Final, TypeVarTuple

from controller.domain import TableError
from controller.ports import UNTIL_WOKEN, Turns
from tests.whole.disk import PowerLost

BEGIN_US: Final = 1_795_000_000_000_000
"""A moment in November 2026: no entry of a simulated table may lie before its program."""

QUIET_S: Final = 0.25
"""Live a turn waits for its device; here it is asked again after so long."""

TURNS_MAX: Final = 100


class SeededClock:
    """A `Clock` that stands still until it is moved."""

    def __init__(self) -> None:
        """Begin at zero."""
        self._ns = 0

    def move(self, seconds: float) -> None:
        """Let so much time pass."""
        self._ns += round(seconds * 1e9)

    def mono_ns(self) -> int:
        """Nanoseconds since the simulation began."""
        return self._ns

    def utc_us(self) -> int:
        """Microseconds since 1970."""
        return BEGIN_US + self._ns // 1000


Given = TypeVarTuple("Given")


class LoopStep(asyncio.TimerHandle):
    """Something that is to be done at a moment; `run` does it."""

    def __init__(
        self,
        when: float,
        callback: Callable[..., object],
        args: tuple[Any, ...],
        loop: "SeededLoop",
        context: Context | None,
    ) -> None:
        """As asyncio's own, which keeps to itself what it is to do."""
        super().__init__(when, callback, args, loop, context)
        self._what, self._with, self._within = callback, args, context or copy_context()

    def run(self) -> None:
        """Do it now."""
        self._within.run(self._what, *self._with)


class SeededLoop(asyncio.BaseEventLoop):
    """Queues of its own for what is due now and later, nothing of asyncio's; `start` is a `StartWork`."""

    def __init__(self, clock: SeededClock) -> None:
        """Nothing is due yet."""
        super().__init__()
        self._clock = clock
        self._due = deque[LoopStep]()
        self._later: list[LoopStep] = []
        self._works: list[SeededWork] = []
        self._over = False
        self._error: BaseException | None = None
        self._ends_in: int | None = None
        self._ended: Callable[[], None] = lambda: None

    def end_soon(self, steps: int, ended: Callable[[], None]) -> None:
        """After so many steps the program ends, at an await or between two turns; `ended` is called then."""
        self._ends_in, self._ended = steps, ended

    def start(self, _name: str, turns: Turns) -> "SeededWork":
        """Add work whose turns the loop takes; no thread is started."""
        self._works.append(work := SeededWork(self, turns))
        return work

    def run(self) -> None:
        """Take every step that is due. Raises `PowerLost`, and what nobody else takes of a step's errors."""
        with self.running():
            while (step := self._next()) is not None:
                if self._ends_in == 0:
                    self._ends_in = None
                    self._due.appendleft(step)
                    self._ended()
                    raise PowerLost
                self._ends_in = self._ends_in and self._ends_in - 1
                step.run()
                error, self._error = self._error, None
                if error is not None:
                    raise error

    @contextmanager
    def running(self) -> Iterator[None]:
        """What is called inside finds this loop."""
        asyncio._set_running_loop(self)  # documented for loops
        try:
            yield
        finally:
            asyncio._set_running_loop(None)

    def end(self) -> None:
        """The process is gone: its tasks are told so, and nothing else goes on."""
        self._ends_in = None
        self._later.clear()
        self.close()
        for work in self._works:
            work.drop()
        # A set, in whose order nobody may see where the tasks lie in memory.
        for task in sorted(asyncio.all_tasks(self), key=lambda task: (len(task.get_name()), task.get_name())):
            task.cancel()
        for _ in range(TURNS_MAX):
            with suppress(BaseException):
                self.run()
                return

    def close(self) -> None:
        """From now on nothing is carried out, but for the last step of a task that is told of the end."""
        self._over = True

    def is_closed(self) -> bool:
        """Whether the loop has ended."""
        return self._over

    def time(self) -> float:
        """Seconds of the clock that is moved."""
        return self._clock.mono_ns() / 1e9

    def call_soon(
        self, callback: Callable[[*Given], object], *args: *Given, context: Context | None = None
    ) -> LoopStep:
        """Take the callback at this moment, after what is due already."""
        self._due.append(step := LoopStep(self.time(), callback, args, self, context))
        return step

    call_soon_threadsafe = call_soon
    """There is one thread."""

    def call_at(
        self, when: float, callback: Callable[[*Given], object], *args: *Given, context: Context | None = None
    ) -> LoopStep:
        """Take the callback once the clock shows `when`."""
        heapq.heappush(self._later, step := LoopStep(when, callback, args, self, context))
        return step

    def call_later(
        self,
        delay: float,
        callback: Callable[[*Given], object],
        *args: *Given,
        context: Context | None = None,
    ) -> LoopStep:
        """Take the callback `delay` seconds from now."""
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def run_in_executor(self, _executor: object, func: Callable[..., Any], *args: Any) -> Any:  # type: ignore[override]  # any executor's work is a step of this loop
        """Do the work as a step of this loop, and resolve a future with its result."""
        done = self.create_future()
        self.call_soon(self._carry_out, done, func, args)
        return done

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """What nobody takes ends the run."""
        self._error = context.get("exception") or RuntimeError(context["message"])

    def _next(self) -> LoopStep | None:
        while self._later and self._later[0].when() <= self.time():
            self._due.append(heapq.heappop(self._later))
        while self._due:
            step = self._due.popleft()
            if not step.cancelled():
                return step
        return None

    def _timer_handle_cancelled(self, _step: asyncio.TimerHandle) -> None:
        """A step that was cancelled is passed over when it is due."""

    def _carry_out(self, done: asyncio.Future[Any], func: Callable[..., Any], args: tuple[Any, ...]) -> None:
        if self._over or done.cancelled():
            return
        try:
            done.set_result(func(*args))
        except TableError as error:
            done.set_exception(error)


class SeededWork:
    """What was started beside the table: each turn is a step of the loop."""

    def __init__(self, loop: SeededLoop, turns: Turns) -> None:
        """Have its first turn soon."""
        self._loop, self._turns = loop, turns
        self._over = False
        self._due: asyncio.Handle = loop.call_soon(self._turn)

    def wake(self) -> None:
        """Take the next turn at once."""
        self._due.cancel()
        if not self._over:
            self._due = self._loop.call_soon(self._turn)

    def join(self, within_s: float | None) -> None:  # noqa: ARG002  # no time passes
        """Take the work's turns until it is over."""
        self._due.cancel()
        for _ in range(TURNS_MAX):
            if not self._over:
                self._turn()
                self._due.cancel()

    def drop(self) -> None:
        """Leave it where it is: files that it holds open are closed."""
        self._over = True
        with suppress(PowerLost, TableError):
            self._turns.close()

    def _turn(self) -> None:
        rest_s = None if self._loop.is_closed() else next(self._turns, None)
        self._over = rest_s is None
        if rest_s is not None and rest_s != UNTIL_WOKEN:
            self._due = self._loop.call_later(max(rest_s, QUIET_S), self._turn)
