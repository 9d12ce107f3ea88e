"""A device comes, goes and comes back by itself; one that keeps going is given up until somebody looks."""

from drivers.device_driver import Lifecycle, LifeEvent, LifePolicy


def walk(life: Lifecycle, *steps: tuple[LifeEvent, int]) -> list[str]:
    return [life.step(event, now_ms) for event, now_ms in steps]


def test_the_ordinary_life() -> None:
    life = Lifecycle(LifePolicy(silence_ms=1000))
    assert walk(life, ("try", 0), ("opened", 5), ("heard", 10)) == ["opening", "live", "live"]
    assert life.tick(1010) == "live"
    assert life.tick(1011) == "stale"
    assert life.step("heard", 1200) == "live"
    assert life.step("lost", 1300) == "lost"
    assert life.tick(1301) == "backoff"
    assert not life.due(1549)
    assert walk(life, ("try", 1550), ("opened", 1551)) == ["opening", "live"]


def test_a_slow_stream_is_stale_after_three_of_its_own_gaps_and_a_stall_is_none_of_them() -> None:
    life = Lifecycle(LifePolicy(silence_ms=1000, gaps=3))
    walk(life, ("try", 0), ("opened", 0), *(("heard", at) for at in range(700, 6000, 700)))
    assert life.tick(5600 + 2100) == "live"
    assert life.tick(5600 + 2101) == "stale"
    assert life.step("heard", 15_600) == "live"
    assert life.tick(15_600 + 2101) == "stale"


def test_a_device_without_heartbeat_never_becomes_stale() -> None:
    life = Lifecycle(LifePolicy())
    walk(life, ("try", 0), ("opened", 0))
    assert life.tick(10_000_000) == "live"


def test_the_back_off_doubles_up_to_its_limit_and_never_gives_up() -> None:
    life, now_ms, waits = Lifecycle(LifePolicy(backoff_ms=100, backoff_ms_max=500)), 0, []
    for _ in range(20):
        walk(life, ("try", now_ms), ("missing", now_ms))
        start = now_ms
        while not life.due(now_ms):
            now_ms += 10
        waits.append(now_ms - start)
    assert waits[:5] == [100, 200, 400, 500, 500]
    assert life.state == "absent"


def test_hearing_something_shortens_the_back_off_again() -> None:
    life = Lifecycle(LifePolicy(backoff_ms=100, backoff_ms_max=800))
    walk(life, ("try", 0), ("failed", 0), ("try", 100), ("failed", 100))
    walk(life, ("try", 300), ("opened", 300), ("heard", 301), ("lost", 400))
    life.tick(400)
    assert not life.due(499)
    assert life.due(500)


def test_six_losses_within_a_minute_are_a_fault_until_acknowledged() -> None:
    life, now_ms = Lifecycle(LifePolicy(backoff_ms=100)), 0
    for _ in range(6):
        assert life.state != "fault"
        walk(life, ("try", now_ms), ("opened", now_ms), ("heard", now_ms), ("lost", now_ms))
        life.tick(now_ms)
        now_ms += 1000
    assert life.state == "fault"
    assert not life.due(now_ms + 10_000_000)
    life.step("acknowledge", now_ms)
    assert walk(life, ("try", now_ms), ("opened", now_ms)) == ["opening", "live"]
    assert life.step("lost", now_ms) == "lost"


def test_losses_that_are_rare_are_forgiven() -> None:
    life, now_ms = Lifecycle(LifePolicy()), 0
    for _ in range(50):
        walk(life, ("try", now_ms), ("opened", now_ms), ("heard", now_ms), ("lost", now_ms))
        life.tick(now_ms)
        now_ms += 15_000
    assert life.state == "backoff"


def test_a_closed_device_was_not_lost_and_opens_again_at_once() -> None:
    life = Lifecycle(LifePolicy(losses_max=0))
    walk(life, ("try", 0), ("opened", 0), ("heard", 1))
    assert walk(life, ("closed", 5), ("try", 5), ("opened", 6)) == ["absent", "opening", "live"]


def test_what_makes_no_sense_changes_nothing() -> None:
    life = Lifecycle(LifePolicy())
    assert walk(life, ("heard", 1), ("lost", 2), ("opened", 3), ("acknowledge", 4)) == ["absent"] * 4
    assert life.age_ms(5) is None
