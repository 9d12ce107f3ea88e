"""Work shared among threads comes back whole, in order, and with its errors."""

import threading

import pytest

from vision.inference import Workers


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("count", [0, 1, 7, 8, 16, 17, 50, 114])
def test_every_item_is_done_once_and_in_order(threads: int, count: int) -> None:
    batches = Workers(threads).each(lambda batch: list(range(count))[batch], count, 16)
    assert [item for batch in batches for item in batch] == list(range(count))
    assert all(0 < len(batch) <= 16 for batch in batches)


def test_two_threads_work_at_the_same_time() -> None:
    meet = threading.Barrier(2, timeout=10)
    assert Workers(2).each(lambda batch: meet.wait() >= batch.start * 0, 32, 16) == [True, True]


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_in_one_batch_is_told(threads: int) -> None:
    def work(batch: slice) -> int:
        if batch.start:
            raise ValueError(batch.start)
        return 0

    with pytest.raises(ValueError, match=r"\d"):
        Workers(threads).each(work, 64, 16)


@pytest.mark.parametrize("threads", [1, 2])
def test_work_put_aside_gives_its_result_when_asked(threads: int) -> None:
    assert Workers(threads).aside(lambda: 7)() == 7


def test_work_put_aside_and_never_begun_is_done_by_the_one_who_asks() -> None:
    workers, busy = Workers(2), threading.Event()
    first, second = workers.aside(lambda: busy.wait(10)), workers.aside(threading.get_ident)
    assert second() == threading.get_ident()
    assert workers.each(lambda batch: batch.start, 32, 16) == [0, 16]
    busy.set()
    assert first()
