"""Every hold of the witnesses, as a recorded felt with its way out: `tests/recordings/felt/*.jsonl`."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from controller.acts.catalogue import CardSeen, DeviceSeen
from controller.devices.cameras.follower import Calibrated, CameraPlacing, PlacingReporter
from controller.feed.codec import parse
from controller.ports import Report
from controller.runtime.api import Accepted, Observe, Resume
from controller.runtime.felt_witness import FeltLook, WitnessPlan
from controller.witnesses import FeltCard, FeltReading
from tests.witnesses.live_round import LiveTable
from tests.witnesses.simulated_felt import CARD_MM, TICK_MS, USUAL, SimulatedFelt
from tests.witnesses.test_live_table import named

RECORDED = Path(__file__).parents[1] / "recordings" / "felt"


class RecordedFelt:
    """Plays the lines of a recording at a live table's door, and looks at the felt between them."""

    def __init__(self, path: Path, header: dict[str, Any]) -> None:
        self.time, self.tick_ms = SimulatedFelt(Random(1), USUAL), header.get("picture_ms", TICK_MS)
        first, *others = header.get("cameras", ["overhead"])
        boxes = tuple((int(box), tuple(cameras)) for box, cameras in header.get("boxes", {}).items())
        plan = WitnessPlan(first, "shoe" if header["source"] == "both" else "", beside=tuple(others))
        plan = plan._replace(boxes=boxes, arrives_ms=header.get("arrives_ms", plan.arrives_ms))
        self.table = LiveTable("nl", path, self.time, plan)
        self.lying = dict.fromkeys(plan.cameras, tuple[FeltCard, ...]())
        self.reporter = PlacingReporter("overhead", required=True)
        self.placing = CameraPlacing()

    def play(self, line: dict[str, Any]) -> None:
        self.look_until(line["ms"])
        match line["what"]:
            case "felt":
                seen = tuple(lying_card(card) for card in line["cards"])
                self.lying[line.get("camera", self.table.plan.camera)] = seen
            case "shoe":
                self.table.report(CardSeen(*named(line["card"]), by="shoe"))
            case "device":
                state = DeviceSeen(line["name"], line["state"])
                self.table.door.take(Report(line["name"], self.table.clock.mono_ns(), (state,)))
            case "placing" | "calibrated":
                self.camera_told(line)
            case "told":
                told = self.table.ask(Observe(parse(line["line"])), line["role"])
                assert isinstance(told, Accepted), (line, told)
            case "resumed":
                resumed = self.table.ask(Resume(), line["role"])
                assert isinstance(resumed, Accepted), (line, resumed)
            case "expected":
                assert [hold.code for hold in self.table.run.holds] == line["holds"], line
                assert self.cards() == line["cards"], line

    def look_until(self, ms: int) -> None:
        while self.time.now_ms + self.tick_ms <= ms:
            self.time.now_ms += self.tick_ms
            self.look()
        self.time.now_ms = ms

    def camera_told(self, line: dict[str, Any]) -> None:
        if line["what"] == "calibrated":
            found = Calibrated("", "a" * 64, "b" * 64, line["px"], self.placing)
            self.table.door.take(self.reporter.calibrated(found, self.table.clock.mono_ns()))
            self.place(CameraPlacing())
        else:
            self.place(CameraPlacing(line["state"], line.get("mm", 0), line.get("degrees", 0)))

    def place(self, placing: CameraPlacing) -> None:
        self.placing = placing
        for report in self.reporter.after_picture(placing, self.table.clock.mono_ns()):
            self.table.door.take(report)

    def look(self) -> None:
        if self.placing.state != "in_place":
            return
        for camera, lying in self.lying.items():
            cards = tuple(card for card in lying if card.track)
            unread = tuple(card for card in lying if not card.track)
            view = FeltReading(self.time.now_ms, cards, unread, CARD_MM)
            self.table.door.take(FeltLook(camera, self.time.now_ms * 1_000_000, view))

    def cards(self) -> dict[str, list[str]]:
        """The cards of each box and of the dealer (0), as the table knows them."""
        state = self.table.run.state
        boxes = {
            str(box.box): [str(one.card) for hand in box.hands for one in hand.cards] for box in state.boxes
        }
        return {**boxes, "0": [str(seen.card) for seen in state.dealer.cards]}


def lying_card(told: dict[str, Any]) -> FeltCard:
    """A card as the camera knew it; "?" lies face down or is not read yet; track 0 is none."""
    card = None if told["card"] == "?" else named(told["card"])
    read = card is not None or told["face"] == "down"
    place = told["track"], card, told["face"], tuple(told["mm"]), told["deg"], told["box"]
    seen = {name: told.get(name, False) for name in ("perhaps", "held")}
    return FeltCard(*place, 0.9999, read, **seen)


@pytest.mark.parametrize("file", sorted(RECORDED.glob("*.jsonl")), ids=lambda file: file.stem)
def test_a_hold_of_the_witnesses_comes_as_recorded_and_has_its_way_out(file: Path, tmp_path: Path) -> None:
    header, *lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    felt = RecordedFelt(tmp_path / "t.journal", header)
    for line in lines:
        felt.play(line)
    held = [line["holds"] for line in lines if line["what"] == "expected"]
    assert any(held) is not header.get("never_holds", False)
    assert held[-1] == []
