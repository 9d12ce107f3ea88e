"""What the table hears of a camera's pictures: cards, a card that stays unread, a card in doubt."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from controller.devices.cameras.follower import (
    CardDoubt,
    CertainCard,
    FrameFollower,
    FrameResult,
    follow_frames,
    troubles_of,
)
from controller.devices.cameras.setup import CameraPlan, CircleZone, circle_zones
from controller.devices.cameras.tracker import frame_result
from controller.domain import Card
from controller.ports import Frame, FrameSource, Report, SystemClock
from controller.runtime.contradictions import Detection, FrameObservation
from controller.runtime.felt_witness import FeltLook
from tests.runtime.runtime_kit import DEAL, OPENING, Bench
from vision.reading import CardName
from vision.tracking import Contradiction, TrackedScene, TrackView, UnclearSpot

PLAN = CameraPlan(
    "camera", circle_zones((CircleZone(0, 300, 100, 60), CircleZone(1, 100, 100, 60))), 200, 0.98
)
NINE, TEN = Card("9", "h"), Card("10", "h")
PICTURE = np.zeros((8, 8, 3), np.uint8)


class Pictures:
    """A camera that has a new picture every few milliseconds."""

    def __init__(self) -> None:
        self.number = 0

    def wait(self, _after: int, _timeout_s: float) -> Frame:
        self.number += 1
        return Frame(PICTURE, self.number * 30_000_000, self.number)


def heard(views: Sequence[FrameResult]) -> list[FrameObservation | Report | FeltLook]:
    """Everything told until the last view was shown, then a little longer."""
    told: list[FrameObservation | Report | FeltLook] = []
    left = list(views)

    def read(_image: NDArray[np.uint8], _mono_ns: int) -> FrameResult:
        return left.pop(0) if len(left) > 1 else left[0]

    async def story() -> None:
        source, follower = cast(FrameSource, Pictures()), FrameFollower(read, PLAN)
        task = asyncio.create_task(follow_frames(source, follower, SystemClock(), told.append))
        await asyncio.sleep(0.35)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(story())
    return told


def test_every_picture_is_followed_and_the_table_hears_where_cards_lie_at_its_own_pace() -> None:
    view = FrameResult(
        (
            CertainCard(NINE, (110, 90), 0.999),
            CertainCard(TEN, (110, 90), 0.9),
            CertainCard(TEN, (600, 9), 1.0),
        )
    )
    told = heard([view])
    assert 2 <= len(told) <= 3
    assert all(
        isinstance(look, FrameObservation) and look.detections == (Detection(1, NINE),) for look in told
    )


def test_what_is_new_in_one_picture_is_told_though_no_look_is_due() -> None:
    told = heard([FrameResult(()), FrameResult((), unread=((100, 100),)), FrameResult(())])
    reports = [report for report in told if isinstance(report, Report)]
    assert [trouble.code for report in reports for trouble in report.troubles] == ["CAMERA_UNREAD"]


def test_an_unread_card_warns_and_a_doubted_one_holds_each_at_its_box() -> None:
    view = FrameResult(
        (), ((100, 100), (105, 100), (300, 100), (900, 900)), (CardDoubt((310, 100), NINE, TEN),)
    )
    told = [(trouble.code, dict(trouble.params), trouble.hold) for trouble in troubles_of(view, PLAN)]
    assert told == [
        ("CAMERA_UNREAD", {"box": 1}, False),
        ("CAMERA_UNREAD_DEALER", {}, False),
        ("CAMERA_UNSURE_DEALER", {"was": "9h", "seen": "10h"}, True),
    ]


def track(name: CardName | None, state: str, face: str = "up") -> TrackView:
    return TrackView(1, name, face, state, (10, 10), None, 1.0, True, None)  # type: ignore[arg-type]


def test_only_open_cards_in_sight_reach_the_table() -> None:
    nine = CardName("9", "h")
    scene = TrackedScene(
        5,
        (track(nine, "seen"), track(nine, "hidden"), track(nine, "covered"), track(None, "seen", "down")),
        (),
        (),
        (UnclearSpot((3, 4), "joker"), Contradiction(1, nine, CardName("10", "h"), (7, 8))),
        0,
        0.0,
    )
    assert frame_result(scene) == FrameResult(
        (CertainCard(NINE, (10, 10), 1.0),), ((3, 4),), (CardDoubt((7, 8), NINE, TEN),)
    )


def test_a_card_in_doubt_holds_the_table_and_an_unread_one_does_not(tmp_path: Path) -> None:
    async def story() -> None:
        async with Bench(tmp_path / "t.journal") as bench:
            await bench.say(*OPENING)
            await bench.shoe(*DEAL[:1])
            unread = troubles_of(FrameResult((), ((100, 100),)), PLAN)
            bench.table.post(Report("camera", bench.clock.mono_ns(), (), unread))
            await bench.until(lambda: bool(bench.now.alerts))
            assert [(alert.code, alert.severity) for alert in bench.now.alerts] == [
                ("CAMERA_UNREAD", "warning")
            ]
            assert not bench.now.holds
            doubt = troubles_of(FrameResult((), (), (CardDoubt((100, 100), NINE, TEN),)), PLAN)
            for _ in range(2):
                bench.table.post(Report("camera", bench.clock.mono_ns(), (), doubt))
            await bench.until(lambda: bool(bench.now.holds))
            assert [(held.code, dict(held.params)) for held in bench.now.holds] == [
                ("CAMERA_UNSURE", {"box": 1, "was": "9h", "seen": "10h"})
            ]
            assert len(bench.now.alerts) == 2

    asyncio.run(story())
