"""What the pit had the shoe do is sent again, in the same bytes, and its answer is heard again."""

from pathlib import Path

from tests.devices.test_orders import angel, order, pit
from tests.main.live_kit import Live, play
from tests.replay.replay_kit import call, objects


def test_orders_to_the_shoe_replay_as_they_were(tmp_path: Path) -> None:
    with angel() as (shoe, taken):

        async def story(live: Live) -> None:
            await pit(live, order("lock"))
            await live.until(lambda: live.alerts == ["SHOE_LOCKED"])
            shoe.error(6)
            await live.until(lambda: "SHOE_CARD_CODE" in live.alerts)
            await pit(live, order("clear_error"))
            await live.until(lambda: taken == ["OPLK02", "OPEC06"])

        play(tmp_path, story, {"port": shoe.port, "commands": True})
    (recording,) = (tmp_path / "table.recordings").glob("*.mcap")
    result = call("replay", "--json", recording)
    assert result.returncode == 0, result.stdout
    assert objects(result)[-2]["messages"]["tx"] == 2
