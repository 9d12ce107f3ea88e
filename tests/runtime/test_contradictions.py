"""When the camera's word counts, and when it says nothing."""

import asyncio
from pathlib import Path

import pytest

from controller.acts.catalogue import Bet, CardSeen, Close, Correct, HoldsLifted, Observation
from controller.devices.cameras.follower import CertainCard, detections_of
from controller.devices.cameras.setup import CameraPlan, CircleZone, circle_zones
from controller.domain import Card, Rank, card_named
from controller.engine import TableState, new_table, step
from controller.policy import TableRun
from controller.runtime.api import Accepted, AlertStep, Observe, Rejected, Resume
from controller.runtime.contradictions import Detection, FrameObservation, contradictions
from controller.runtime.felt_witness import ContradictionDetector, VotePolicy
from controller.runtime.ledger import Ledger, Opening
from controller.screens.panels import hold_rows
from tests.runtime.runtime_kit import DEAL, HOUSE, OPENING, RULES, Bench

MS = 1_000_000


def dealt(*cards: CardSeen) -> TableState:
    state = new_table(RULES)
    facts: tuple[Observation, ...] = (Bet(1, 0, 1000), Bet(2, 0, 1000), Close(), *cards)
    for fact in facts:
        state = step(state, fact).state
    return state


def ledger_of(state: TableState, moved_seq: int = 0) -> Ledger:
    return Ledger(9, Opening("T1", RULES, "EUR", b"", HOUSE), TableRun(state), moved_seq=moved_seq)


def seen(box: int, rank: str, suit: str | None) -> Detection:
    return Detection(box, card_named(rank, suit))


def test_what_lies_where_it_should_is_no_contradiction() -> None:
    state = dealt(CardSeen("9", "h"), CardSeen("K", "c"), CardSeen("5", "d"))
    assert contradictions((seen(1, "9", "h"), seen(2, "K", "c"), seen(0, "5", "d")), state) == ()
    assert contradictions((), state) == ()


def test_another_card_another_box_and_one_too_many_are_told_apart() -> None:
    state = dealt(CardSeen("9", "h"), CardSeen("K", "c"), CardSeen("5", "d"))
    for wrong in (seen(1, "8", "h"), seen(2, "9", "h"), seen(5, "2", "c")):
        assert contradictions((wrong,), state) == (wrong,)
    assert len(contradictions((seen(1, "9", "h"), seen(1, "9", "h")), state)) == 1


def test_a_suit_that_one_of_them_does_not_know_contradicts_nobody() -> None:
    state = dealt(CardSeen("9", None), CardSeen("K", "c"))
    assert contradictions((seen(1, "9", "h"), seen(2, "K", None)), state) == ()
    assert len(contradictions((seen(2, "K", None), seen(2, "K", "c")), state)) == 1


def test_turning_the_face_down_card_is_no_contradiction_and_another_one_there_is() -> None:
    state = dealt(*(CardSeen(rank, "s") for rank in ("9", "K", "5", "8", "7", "3")))
    assert contradictions((seen(0, "3", "s"),), state) == ()
    detector = ContradictionDetector({"camera": VotePolicy(votes=1, settle_ms=0)})
    told = detector.report(FrameObservation("camera", 1, (seen(0, "4", "s"),)), ledger_of(state)).troubles
    assert [dict(trouble.params) for trouble in told] == [{"seen": "4s", "known": "5s"}]
    assert told[0].code == "CAMERA_DISAGREES_DEALER"
    assert told[0].hold


def test_while_bets_are_open_cards_on_the_felt_are_those_of_the_last_round() -> None:
    assert contradictions((seen(3, "9", "h"),), new_table(RULES)) == ()


def test_one_picture_alone_and_pictures_from_before_the_table_was_cleared_do_not_hold() -> None:
    state = dealt(CardSeen("9", "h"))
    detector = ContradictionDetector({"camera": VotePolicy(votes=3, settle_ms=800)})
    detector.follow(ledger_of(state), 0)
    cleared = ledger_of(state, moved_seq=9)
    detector.follow(cleared, 1000 * MS)

    def look(ms: int, rank: str) -> int:
        shown = FrameObservation("camera", ms * MS, (seen(1, rank, "h"),))
        return len(detector.report(shown, cleared).troubles)

    assert [look(1100, "8"), look(1200, "8"), look(1300, "8")] == [0, 0, 0]
    assert [look(1900, "8"), look(2200, "9"), look(2500, "8"), look(2800, "8")] == [0, 0, 0, 0]
    assert look(3100, "8") == 1


def test_each_camera_is_judged_by_its_own_pictures_and_patience() -> None:
    state = dealt(CardSeen("9", "h"), CardSeen("K", "c"))
    detector = ContradictionDetector(
        {"left": VotePolicy(votes=2, settle_ms=0), "right": VotePolicy(votes=3, settle_ms=0)}
    )

    def look(camera: str, *detections: Detection) -> int:
        shown = FrameObservation(camera, 1 * MS, detections)
        return len(detector.report(shown, ledger_of(state)).troubles)

    # The right camera sees nothing wrong, which says nothing about what the left one sees.
    assert [look("left", seen(1, "8", "h")), look("right", seen(2, "K", "c"))] == [0, 0]
    assert look("left", seen(1, "8", "h")) == 1
    # One picture of each of three cameras is not three pictures of one.
    assert [look("right", seen(2, "Q", "c")), look("right", seen(2, "Q", "c"))] == [0, 0]
    assert look("right", seen(2, "Q", "c")) == 1
    assert look("unknown", seen(1, "8", "h")) == 0


def test_cards_go_to_the_nearest_zone_and_doubtful_ones_to_nobody() -> None:
    plan = CameraPlan(
        "camera", circle_zones((CircleZone(1, 100, 100, 80), CircleZone(2, 240, 100, 80))), 300, 0.98
    )
    card = Card("9", "h")
    read = [
        CertainCard(card, (120, 110), 0.99),
        CertainCard(card, (180, 100), 0.99),
        CertainCard(card, (230, 90), 0.9),
        CertainCard(card, (500, 500), 0.99),
    ]
    assert [sighting.box for sighting in detections_of(read, plan)] == [1, 2]


def test_a_contradiction_holds_the_table_until_somebody_has_looked(tmp_path: Path) -> None:
    async def story() -> None:
        async with Bench(
            tmp_path / "t.journal",
            detector=ContradictionDetector({"camera": VotePolicy(votes=2, settle_ms=0)}),
        ) as bench:
            await bench.say(*OPENING)
            await bench.shoe(*DEAL[:1])

            def look(rank: str) -> None:
                bench.table.post(FrameObservation("camera", bench.clock.mono_ns(), (seen(1, rank, "s"),)))

            look("9")
            look("9")
            await bench.until(lambda: bool(bench.now.holds))
            assert [(hold.code, hold.by) for hold in bench.now.holds] == [
                ("CAMERA_DISAGREES", "device:camera")
            ]
            assert dict(bench.now.alerts[0].params) == {"box": 1, "seen": "9s", "known": "10s"}
            assert isinstance(
                await bench.ask(AlertStep(bench.now.alerts[0].alert, "resolve", "glare")), Accepted
            )
            assert await bench.ask(Resume()) == Rejected("REASON_NEEDED", (("hold", "CAMERA_DISAGREES"),))
            seen_it = HoldsLifted("p7", "glare", ("CAMERA_DISAGREES",))
            assert isinstance(await bench.ask(Observe(seen_it)), Accepted)
            await bench.shoe(*DEAL[1:3])
            look("9")
            look("9")
            look("8")
            look("8")
            await bench.until(lambda: bool(bench.now.holds))
            assert dict(bench.now.holds[0].params) == {"box": 1, "seen": "8s", "known": "10s 7s"}

    asyncio.run(story())


@pytest.mark.parametrize("answer", ["9", "10"], ids=["the picture's", "the table's"])
def test_the_pit_answers_which_of_two_readings_lies_there(tmp_path: Path, answer: Rank) -> None:
    """Both readings are answers of one kind, with a reason each; the same picture holds no second time."""

    async def story() -> None:
        async with Bench(
            tmp_path / "t.journal",
            detector=ContradictionDetector({"camera": VotePolicy(votes=2, settle_ms=0)}),
        ) as bench:
            await bench.say(*OPENING)
            await bench.shoe(*DEAL[:3])

            def look() -> None:
                picture = (seen(1, "9", "s"), seen(1, "7", "s"))
                bench.table.post(FrameObservation("camera", bench.clock.mono_ns(), picture))

            look()
            look()
            await bench.until(lambda: bool(bench.now.holds))
            (row,) = hold_rows(bench.now, 5)
            assert (row.code, row.card, row.ways[:1]) == ("CAMERA_DISAGREES", 1, ("correct",))
            assert [(one.card.rank, one.card.suit) for one in row.readings] == [("10", "s"), ("9", "s")]
            named = Correct(1, None, answer, "s", "p7", "seen on the felt")
            assert isinstance(await bench.ask(Observe(named)), Accepted)
            assert bench.now.holds == ()
            assert str(bench.now.state.boxes[0].hands[0].cards[0].card) == f"{answer}s"
            look()
            look()
            await bench.shoe(*DEAL[3:4])
            assert bench.now.holds == ()

    asyncio.run(story())
