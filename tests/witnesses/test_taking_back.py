"""What a table was told of the felt and could not keep is taken back whole: no card and no pair stays."""

import copy
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from controller.journal.entry import NewEntry
from controller.runtime.draft import Draft
from controller.runtime.felt_witness import FeltLook, FeltWitness
from controller.runtime.ledger import Ledger
from tests.witnesses.live_round import LiveRound
from tests.witnesses.simulated_felt import CameraErrors

RESTLESS = CameraErrors(unread=0.02, slow=0.1, no_corners=0.02, lost=0.3, hidden=0.1)
BATCH_LOOKS = 24
"""Looks that come at most while one batch is thought out: four seconds of a camera."""


def copied(felt: FeltWitness) -> FeltWitness:
    """A copy that shares with it only the table's states, which nothing changes."""
    refused = felt._deal._refused
    return copy.deepcopy(felt, {} if refused is None else {id(refused[0]): refused[0]})


class Attempt:
    """Two copies of a table's witness: one tells what it sees and takes it back, one only looks."""

    def __init__(self, felt: FeltWitness, ledger: Ledger, looks: int) -> None:
        self.ledger, self.looks = ledger, looks
        self.tried, self.still = copied(felt), copied(felt)
        self.memory = self.tried.mark()
        self.draft = Draft(ledger, ledger.at_utc_us)

    def see(self, look: FeltLook) -> None:
        self.tried.look(self.draft, look)
        self.still._deal.see(look.view)
        self.looks -= 1

    def told(self, felt: FeltWitness) -> tuple[NewEntry, ...]:
        draft = Draft(self.ledger, self.ledger.at_utc_us)
        felt.follow(draft)
        return draft.entries

    def check(self) -> int:
        """How much was told and taken back; what is told again is what is told by who has only looked."""
        once = self.told(self.still)
        for _ in range(2):
            self.tried.rewind(self.memory)
            assert self.told(self.tried) == once
        return len(self.draft.entries)


class TakenBackRound(LiveRound):
    """A round beside which attempts are made that leave its own table alone."""

    def __init__(self, house: str, seed: int, path: Path, *, shoe: bool) -> None:
        super().__init__(house, seed, path, RESTLESS, shoe=shoe)
        self.drawn, self.attempts, self.taken_back = Random(seed), list[Attempt](), 0
        looked = self.live.look

        def look(look: Any) -> Any:
            self.attempt(look)
            return looked(look)

        self.live.look = look  # type: ignore[method-assign]  # attempts see what the table sees, before it does

    def attempt(self, look: Any) -> None:
        door = self.live.door
        if door._taking.felt is not None and self.drawn.random() < 0.06:
            self.attempts.append(Attempt(door._taking.felt, door.ledger, self.drawn.randint(1, BATCH_LOOKS)))
        for one in self.attempts:
            one.see(FeltLook(self.live.plan.camera, look.view.t_ms * 1_000_000, look.view))
        self.taken_back += sum(one.check() for one in self.attempts if not one.looks)
        self.attempts = [one for one in self.attempts if one.looks]


@pytest.mark.night
@given(some.sampled_from(["nl", "spielbank", "fr"]), some.integers(0, 10_000), some.booleans())
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
def test_what_was_taken_back_is_told_again_as_if_it_had_never_been(house: str, seed: int, shoe: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        TakenBackRound(house, seed, Path(folder) / "t.journal", shoe=shoe).play()
