"""The pit names a card that a camera is in doubt about: on disk first, then believed, and the hold ends."""

import asyncio
from pathlib import Path

from controller.domain import Card
from controller.ports import Report
from controller.replay.journal_check import check_journal
from controller.runtime.api import Accepted, CallPit, NameCard, Rejected, Resume
from controller.runtime.contradictions import Detection, FrameObservation, unsure
from controller.runtime.felt_witness import ContradictionDetector, VotePolicy
from controller.runtime.restore import restore
from tests.runtime.runtime_kit import DEAL, OPENING, Bench, entries

NAMED = NameCard("camera", 1, (412, 530), "10s", "4s", "4s", "MISREAD")


def doubt(bench: Bench) -> None:
    """The camera reads a four where it was certain of a ten."""
    trouble = unsure(NAMED.box, NAMED.was, str(NAMED.seen))
    bench.table.post(Report("camera", bench.clock.mono_ns(), (), (trouble,)))


def test_the_hold_ends_the_waiting_card_lies_down_and_the_camera_hears_of_it(tmp_path: Path) -> None:
    path, told = tmp_path / "t.journal", list[tuple[NameCard, str, bool]]()

    def receive(action: NameCard, who: str) -> None:
        told.append((action, who, any(entry.kind == "named" for entry in entries(path))))

    async def story() -> None:
        async with Bench(path, named=receive) as bench:
            await bench.say(*OPENING)
            await bench.shoe(*DEAL[:2])
            doubt(bench)
            await bench.until(lambda: bool(bench.now.holds))
            await bench.shoe(DEAL[2])
            assert bench.now.waiting == 1
            assert await bench.ask(NAMED, role="dealer") == Rejected("NOT_ALLOWED", (("role", "dealer"),))
            assert isinstance(await bench.ask(NAMED, command_id="press-once"), Accepted)
            assert (bench.now.holds, bench.now.waiting, bench.now.state.cards_seen) == ((), 0, 3)
            assert isinstance(await bench.ask(NAMED, command_id="press-once"), Accepted)
            late = await bench.ask(NAMED._replace(card="10s"))
            assert late == Rejected("DOUBT_OVER", (("was", "10s"), ("seen", "4s")))

    asyncio.run(story())
    assert told == [(NAMED, "pit:p7", True)], "once, by the person, and not before it was on disk"


def test_other_holds_stay_and_another_cameras_question_too(tmp_path: Path) -> None:
    async def story() -> None:
        async with Bench(tmp_path / "t.journal") as bench:
            await bench.say(*OPENING)
            await bench.ask(CallPit("a glass fell over"))
            doubt(bench)
            await bench.until(lambda: len(bench.now.holds) == 2)
            other = await bench.ask(NAMED._replace(camera="left"))
            assert isinstance(other, Rejected)
            assert isinstance(await bench.ask(NAMED), Accepted)
            assert [hold.code for hold in bench.now.holds] == ["FROZEN"]
            assert isinstance(await bench.ask(Resume()), Accepted)

    asyncio.run(story())


def test_pictures_from_before_the_word_of_the_pit_contradict_nothing(tmp_path: Path) -> None:
    async def story() -> None:
        detector = ContradictionDetector({"camera": VotePolicy(1, 60_000)})
        async with Bench(tmp_path / "t.journal", detector=detector) as bench:
            await bench.say(*OPENING)
            await bench.shoe(*DEAL)
            assert isinstance(await bench.ask(NAMED._replace(seen=None)), Accepted)
            stale = FrameObservation("camera", bench.clock.mono_ns(), (Detection(1, Card("4", "s")),))
            bench.table.post(stale)
            await bench.ask(NAMED)
            assert bench.now.holds == ()

    asyncio.run(story())


def test_a_journal_with_it_is_told_again_byte_for_byte(tmp_path: Path) -> None:
    path = tmp_path / "t.journal"

    async def story() -> None:
        async with Bench(path) as bench:
            await bench.say(*OPENING)
            await bench.shoe(*DEAL)
            doubt(bench)
            await bench.until(lambda: bool(bench.now.holds))
            await bench.ask(NAMED)
            await bench.ask(NAMED._replace(at=None, seen=None, card="Kd"))

    asyncio.run(story())
    written = check_journal(path, lambda _: None)
    assert written.report.ok, written.report
    again = restore(entries(path))
    assert again is not None
    assert (again.holds, again.moved_seq) == ((), again.seq)
    assert [entry.kind for entry in entries(path)][-1] == "named"
