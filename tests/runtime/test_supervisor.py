"""A part that dies takes the program with it, and a stop stops all of them."""

import asyncio
from contextlib import suppress

import pytest

from controller.domain import TableError
from controller.ports import end_all
from controller.runtime.inbox import run_all


async def lasting(log: list[str]) -> None:
    try:
        await asyncio.Event().wait()
    finally:
        log.append("stopped")


async def failing() -> None:
    await asyncio.sleep(0)
    raise ZeroDivisionError


async def returning() -> None:
    await asyncio.sleep(0)


def test_the_error_of_a_dead_part_is_raised_after_the_others_have_stopped() -> None:
    log: list[str] = []

    async def story() -> None:
        await run_all({"table": lasting(log), "camera": failing()}, asyncio.Event())

    with pytest.raises(ZeroDivisionError):
        asyncio.run(story())
    assert log == ["stopped"]


def test_a_part_that_just_ends_is_named() -> None:
    async def story() -> None:
        await run_all({"table": lasting([]), "camera": returning()}, asyncio.Event())

    with pytest.raises(TableError) as caught:
        asyncio.run(story())
    assert (caught.value.code, caught.value.params) == ("TASK_ENDED", {"task": "camera"})


def test_a_stop_ends_every_part_without_error() -> None:
    log: list[str] = []

    async def story() -> None:
        stop = asyncio.Event()
        asyncio.get_running_loop().call_later(0.01, stop.set)
        await run_all({"table": lasting(log), "page": lasting(log)}, stop)

    asyncio.run(story())
    assert log == ["stopped", "stopped"]


def test_a_part_that_has_lost_a_cancellation_ends_all_the_same() -> None:
    """As `asyncio.wait_for` does where the cancellation comes together with what it waits for."""

    async def story() -> bool:
        begun = asyncio.Event()

        async def losing() -> None:
            with suppress(asyncio.CancelledError):
                begun.set()
                await asyncio.Event().wait()
            await asyncio.Event().wait()

        task = asyncio.create_task(losing())
        await begun.wait()
        async with asyncio.timeout(30):
            await end_all((task,), again_s=0.01)
        return task.cancelled()

    assert asyncio.run(story())
