"""The shoe's line beside a hold: the one message that told the card the hold names, and never another one."""

import json
from pathlib import Path

import pytest

from controller.ports import Report
from controller.runtime.felt_witness import LINES_MAX, ShoeLines
from controller.screens.felt import ScreenSettings, ScreenState
from controller.screens.view import AlertRow
from controller.screens.views import ViewBuilder
from drivers.shoe.angel_eye import AngelEye, AngelEyeOptions
from drivers.shoe.reader import ShoeAdapter
from drivers.simulated import card_bytes, report_frames
from tests.witnesses.test_live_table import Lying, named


class LineTable(Lying):
    """A live table whose shoe speaks its own protocol, with a screen beside it."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, shoe=True)
        self.lines = ShoeLines()
        self._post = self.lines.listening(self._take)
        self._shoe, self._adapter, self._sent = AngelEye(), ShoeAdapter("shoe", "k3f"), 0
        self._builder = ViewBuilder(ScreenSettings(), lines=self.lines)

    def _take(self, report: Report) -> None:
        self.table.door.take(report)

    def frames(self, card: str) -> bytes:
        """What the shoe sends for its next card, in three copies."""
        rank, suit = named(card)
        self._sent += 1
        return report_frames(0x30 + (self._sent - 1) % 10, b"D" + card_bytes(rank, suit))

    def send(self, data: bytes) -> None:
        """Bytes on the shoe's line, in chunks that end anywhere."""
        for at in range(0, len(data), 5):
            for event in self._shoe.feed(data[at : at + 5]):
                self._post(self._adapter.report(event, self.table.clock.mono_ns()))

    def rows(self) -> tuple[AlertRow, ...]:
        snapshot = self.table.door.snapshot()
        self._builder.evidence.follow(snapshot)
        return self._builder.build(snapshot, ScreenState(lambda: 0.0)).alerts


def test_a_card_read_differently_shows_its_own_message_and_no_other(tmp_path: Path) -> None:
    table = LineTable(tmp_path / "t.journal")
    for n, (card, box) in enumerate([("Th", 1), ("9d", 0), ("5s", 1), ("Kc", 0)], 1):
        table.send(table.frames(card))
        table.lay(n, card, box, down=n == 4)
    told = table.frames("2s")
    table.send(told)
    table.lay(5, "3s", 1)
    for _ in range(50):
        if "CARD_READ_DIFFERENTLY" in table.codes:
            break
        table.wait(100)
    (row,) = [row for row in table.rows() if row.text.code.endswith("CARD_READ_DIFFERENTLY")]
    assert row.held is not None
    assert row.held.shoe is not None
    assert bytes.fromhex(row.held.shoe.hex) == told[: len(told) // 3]
    assert row.held.shoe.reports == ("card: rank 2, suit s, by shoe, id shoe.k3f.5",)
    # The page is loaded anew a while later, and again after the program has started once more.
    table.wait(5000)
    assert table.rows()[0].held == row.held
    table.table.restart()
    table._builder = ViewBuilder(ScreenSettings(), lines=table.lines)
    assert [row.held for row in table.rows()] == [None] * len(table.rows())


def test_the_message_of_a_hole_card_is_shown_nowhere(tmp_path: Path) -> None:
    table = LineTable(tmp_path / "t.journal")
    for n, (card, box) in enumerate([("Th", 1), ("9d", 0), ("5s", 1)], 1):
        table.send(table.frames(card))
        table.lay(n, card, box)
    table.send(table.frames("Kc"))
    table.wait(4000)
    assert table.codes == {"CARD_NOT_ARRIVED"}
    assert [row.held for row in table.rows()] == [None]
    assert "Kc" not in json.dumps([row.model_dump() for row in table.rows()])


def test_only_the_last_messages_are_kept(tmp_path: Path) -> None:
    table = LineTable(tmp_path / "t.journal")
    for _ in range(LINES_MAX + 6):
        table.send(table.frames("2h"))
    kept = [number for number in range(1, LINES_MAX + 7) if table.lines.of(number) is not None]
    assert kept == list(range(7, LINES_MAX + 7))


@pytest.mark.parametrize("bcc", ["without_start", "ignored"])
def test_a_message_is_kept_with_its_frame_only_where_the_check_was_looked_at(bcc: str) -> None:
    shoe = AngelEye(AngelEyeOptions(bcc_in="ignored" if bcc == "ignored" else "without_start"))
    (event,) = shoe.feed(report_frames(0x30, b"D" + card_bytes("8", "h")))
    raw = getattr(event, "raw", b"")
    assert raw.startswith(b"0D" if bcc == "ignored" else b"\x050D")
