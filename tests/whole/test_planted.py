"""Thirteen bugs planted into the table: each is caught by what must hold, within so many rounds.

The heads beside the journal stand for a kept head that is overwritten.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controller.acts.declaring import ALWAYS, Act
from controller.journal import database
from controller.journal.checking import verify_signed
from controller.journal.entry import NewEntry
from controller.journal.heads import HeadSigner
from controller.journal.store import compared
from controller.main import record
from controller.policy.allowed import PERMISSIONS
from controller.runtime import redaction, snapshot
from controller.runtime.api import Observe, Rejected
from controller.runtime.door import TableDoor
from controller.runtime.ledger import AnsweredCommands
from controller.screens.views import RenderedView
from controller.witnesses import FeltReading
from controller.witnesses.lying_cards import LyingCards
from drivers.shoe.angel_eye import CopyFilter
from tests.whole.script import SeededScript
from tests.whole.simulate import NO_OVERRIDES, Overrides, play
from tests.whole.whole_kit import play_with_all

Plant = Callable[[pytest.MonkeyPatch], None]
ROUNDS = 8
SEEDS = 25
ODD_STAKES: Overrides = {"rounding": "house", "stake_min": 105, "stake_max": 0, "stake_step": 105}
"""Stakes of which half, or half as much again, is no whole unit."""


def shown_before_its_commit(patch: pytest.MonkeyPatch) -> None:
    write = TableDoor.write

    def early(door: TableDoor, batch: Any) -> Any:
        door.ledger = batch.draft.ledger
        door.show()
        return write(door, batch)

    patch.setattr(TableDoor, "write", early)


def hold_lifted_by_a_dealer(patch: pytest.MonkeyPatch) -> None:
    patch.setitem(PERMISSIONS, Act.RESUME, PERMISSIONS[Act.RESUME]._replace(dealer=ALWAYS))


def stake_counted_twice(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(AnsweredCommands, "find", lambda _known, _command_id: None)


def fsync_left_out(patch: pytest.MonkeyPatch) -> None:
    pragmas = tuple((name, "OFF" if name == "synchronous" else value) for name, value in database._PRAGMAS)
    patch.setattr(database, "_PRAGMAS", pragmas)


def card_taken_twice(patch: pytest.MonkeyPatch) -> None:
    again = CopyFilter._again

    def forgets(copies: CopyFilter, message: Any) -> Any:
        more = again(copies, message)
        return [copies._accept(message)] if more else more

    patch.setattr(CopyFilter, "_again", forgets)


def card_taken_twice_under_one_track(patch: pytest.MonkeyPatch) -> None:
    see = LyingCards.see

    def forgets(lying: LyingCards, view: FeltReading) -> None:
        see(lying, view)
        if view.t_ms % 5000 < 1000:
            for card in lying.all.values():
                card.known_as = ""

    patch.setattr(LyingCards, "see", forgets)


def head_overwritten(patch: pytest.MonkeyPatch) -> None:
    append = HeadSigner._append

    def over(signer: HeadSigner, line: bytes) -> None:
        end = signer._end
        append(signer, line)
        if signer._number > 1:
            signer._end = end

    patch.setattr(HeadSigner, "_append", over)


def refused_and_yet_done(patch: pytest.MonkeyPatch) -> None:
    finish = TableDoor.finish

    def done(door: TableDoor, batch: Any, written: Any) -> Any:
        for submitted, answer in batch.answers:
            action = submitted.command.action
            if isinstance(answer, Rejected) and isinstance(action, Observe):
                body = json.dumps({"text": "done after all"}).encode()
                door._journal.append([NewEntry("note", body, "system:table")])
        return finish(door, batch, written)

    patch.setattr(TableDoor, "finish", done)


def rounded_the_wrong_way(patch: pytest.MonkeyPatch) -> None:
    begin = record.identity_of

    def other(config: Any, folder: Any) -> Any:
        identity = begin(config, folder)
        return identity._replace(rules=identity.rules._replace(rounding="player"))

    patch.setattr("tests.whole.simulate.identity_of", other)


def rank_in_a_length(patch: pytest.MonkeyPatch) -> None:
    hide = redaction.hide_cards

    def padded(kind: str, body: Any) -> Any:
        return {**hide(kind, body), "bytes": len(json.dumps(body))}

    patch.setattr(snapshot, "hide_cards", padded)


def kept_heads_not_compared(patch: pytest.MonkeyPatch) -> None:
    place = "tests.whole.simulate"
    patch.setattr(f"{place}.verify_signed", lambda journal, key, *_kept: verify_signed(journal, key))
    patch.setattr(f"{place}.compared", lambda journal, key, _kept: compared(journal, key))


def change_not_sent(patch: pytest.MonkeyPatch) -> None:
    changes = RenderedView.changes
    patch.setattr(RenderedView, "changes", lambda view, since: changes(view, max(since, view.version - 1)))


PLANTED: dict[Plant, set[str]] = {
    shown_before_its_commit: {"SHOWN_BEFORE_COMMIT"},
    hold_lifted_by_a_dealer: {"HOLD_VANISHED"},
    stake_counted_twice: {"ANSWER_FORGOTTEN", "DONE_TWICE"},
    fsync_left_out: {"SHOWN_NOT_SYNCED", "SHOWN_NOT_DURABLE"},
    card_taken_twice: {"CARD_TWICE", "PAID_WRONGLY"},
    card_taken_twice_under_one_track: {"CRASHED", "PAID_WRONGLY", "NO_WAY_OUT"},
    head_overwritten: {"FALSE_ALARM", "NOT_VERIFIED"},
    refused_and_yet_done: {"WRITTEN_NOT_SHOWN"},
    rounded_the_wrong_way: {"MONEY_DIFFERS"},
    rank_in_a_length: {"HOLE_CARD_LEAKED"},
    kept_heads_not_compared: {"NOT_NAMED"},
    change_not_sent: {"SCREEN_DIFFERS"},
}
WATCHED = {card_taken_twice_under_one_track}
"""What only a camera that deals can meet."""
WITH_ALL = {change_not_sent}
"""What only screens can meet."""


@pytest.mark.night
@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_a_planted_bug_is_caught(plant: Plant, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plant(monkeypatch)
    overrides = ODD_STAKES if plant is rounded_the_wrong_way else NO_OVERRIDES
    rounds = 0
    for seed in range(SEEDS):
        (folder := tmp_path / str(seed)).mkdir()
        script = SeededScript(seed, (), source="camera" if plant in WATCHED else "")
        end = play_with_all(folder, script, ROUNDS) if plant in WITH_ALL else play(script, ROUNDS, overrides)
        rounds += end.rounds
        if end.broken is not None:
            print(f"{plant.__name__}: round {rounds + 1}, {end.broken}"[:300])  # noqa: T201
            assert end.broken.code in PLANTED[plant], end.broken
            return
    pytest.fail(f"not caught in {rounds} rounds")
