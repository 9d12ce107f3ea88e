"""One evening with a copy, played once for all tests of it."""

from pathlib import Path

import pytest

from controller.acts.catalogue import Bet, Close, Decision, End, Reveal
from controller.journal.copying import copy_file
from controller.runtime.api import Resume
from tests.main.copy_kit import cards, end, run
from tests.main.live_kit import Live


@pytest.fixture(scope="session")
def evening(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, dict[str, int]]:
    """A round to its end, and a second one up to its cards, with a copy that was looked at on the way."""
    folder = tmp_path_factory.mktemp("table")
    copies = tmp_path_factory.mktemp("other disk")
    copy = copy_file(copies, folder / "table.journal")
    marks: dict[str, int] = {}

    async def story(live: Live) -> None:
        if live.holds:
            await live.ask(Resume())
        await live.say(Bet(1, 0, 1000))
        await live.until(lambda: end(copy) >= live.now.seq)
        await live.say(Close(), *cards("10", "9", "7", "8"))
        marks["open"] = live.now.seq
        await live.say(Decision(1, 1, "stand"))
        marks["face down"] = end(copy)
        await live.say(Reveal())
        await live.until(lambda: end(copy) >= live.now.seq)
        await live.say(End(), Bet(1, 0, 2000))
        marks["bet"] = live.now.seq
        await live.until(lambda: end(copy) >= marks["bet"])
        await live.say(Close(), *cards("10", "9", "7"))
        marks["end"] = live.now.seq

    run(folder, story, copies)
    return folder, copy, marks
