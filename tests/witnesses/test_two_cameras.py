"""Several cameras over one layout: each box by its own camera, one card once, and a difference holds."""

import json
from pathlib import Path
from random import Random

import pytest

from controller.acts.catalogue import Bet, CardSeen, Correct, DeviceSeen, Observation, ShoeLoaded
from controller.journal.entry import Entry
from controller.rules import HOUSES
from controller.runtime.api import Accepted, Observe, Rejected, Resume
from controller.runtime.felt_witness import FeltLook, Going
from controller.witnesses import FeltCard, FeltReading, JoinedFelt
from tests.witnesses.live_round import LiveTable
from tests.witnesses.overlap import BOXES, PLAN, OverlapRound
from tests.witnesses.simulated_felt import CARD_MM, STEADY, TICK_MS, USUAL, SimulatedFelt
from tests.witnesses.test_camera_rounds import QUESTIONS
from tests.witnesses.test_live_table import named


@pytest.mark.parametrize("house", HOUSES)
@pytest.mark.parametrize("shoe", [False, True])
def test_a_round_that_two_cameras_see_is_followed_and_paid_once(
    tmp_path: Path, house: str, shoe: bool
) -> None:
    played = OverlapRound(house, 2, tmp_path / "t.journal", shoe=shoe).play()
    assert played.verdict == "right", played
    assert set(played.asked) <= QUESTIONS


@pytest.mark.parametrize("house", HOUSES)
def test_what_either_camera_misreads_is_asked_and_paid_right(tmp_path: Path, house: str) -> None:
    for seed in range(2):
        round_ = OverlapRound(house, seed, tmp_path / f"{seed}.journal", misread=0.15, errors=STEADY)
        played = round_.play()
        assert played.verdict == "right", (seed, played)
        assert played.asked.count("CAMERAS_DIFFER") == round_.overlap.misreadings, seed


class Seen:
    """What each of two cameras sees, at a live table's door: box 1 and the dealer are the left one's."""

    def __init__(self, path: Path, *, shoe: bool = False, degrade: Going = "hold") -> None:
        self.felt = SimulatedFelt(Random(1), USUAL)
        plan = PLAN._replace(shoe="shoe" if shoe else "", degrade=degrade)
        self.table = LiveTable("nl", path, self.felt, plan)
        self.cards: dict[str, dict[int, FeltCard]] = {"left": {}, "right": {}}
        rules = self.table.identity.rules
        self.say(ShoeLoaded(rules.decks))
        for _ in range(rules.burn_cards if shoe else 0):
            self.table.report(CardSeen("4", "c", by="shoe"))
        self.say(Bet(1, 0, 1000))

    def say(self, observation: Observation) -> None:
        assert isinstance(self.table.ask(Observe(observation)), Accepted)

    def lay(
        self, n: int, box: int, *, right: str | None, left: str | None = None, down: bool = False
    ) -> None:
        """Lay a card as each reads it: "?" is seen and not read, None is not seen."""
        beside = 30.0 * len([one for one in self.cards["left"].values() if one.box == box])
        for camera, read in (("left", left), ("right", right)):
            if read is not None:
                card = None if read == "?" or down else named(read)
                at = (600.0 + beside, 900.0) if box == 0 else (300.0 + beside, 200.0)
                near = (at[0] + 4 * (camera == "right"), at[1])
                sure = down or card is not None
                track = n if camera == "left" else 40 - n
                self.cards[camera][n] = FeltCard(
                    track, card, "down" if down else "up", near, 90.0, box, 0.9999, sure
                )
        self.wait(1500)

    def read(self, camera: str, n: int, card: str) -> None:
        """From now on a camera reads this card so."""
        lying = self.cards[camera][n]
        self.cards[camera][n] = lying._replace(card=named(card), face="up", certain=True)

    def wait(self, ms: int, *cameras: str) -> None:
        end_ms = self.felt.now_ms + ms
        while self.felt.now_ms < end_ms:
            self.felt.now_ms += TICK_MS
            for camera in cameras or ("left", "right"):
                view = FeltReading(self.felt.now_ms, tuple(self.cards[camera].values()), (), CARD_MM)
                self.table.door.take(FeltLook(camera, self.felt.now_ms * 1_000_000, view))

    def deal(self, *, told: bool = False) -> None:
        """Deal the first cards; `told`: the shoe reads them."""
        for n, (card, box) in enumerate([("Th", 1), ("9d", 0), ("5s", 1), ("Kc", 0)], 1):
            if told:
                self.table.report(CardSeen(*named(card), by="shoe"))
            self.lay(n, box, left=card, right=card, down=card == "Kc")

    def held_over(self, code: str) -> dict[str, object]:
        (hold,) = [hold for hold in self.table.run.holds if hold.code == code]
        return dict(hold.params)


def test_a_card_that_both_read_is_one_card_and_told_by_the_camera_of_its_box(tmp_path: Path) -> None:
    seen = Seen(tmp_path / "t.journal")
    seen.deal()
    assert (seen.table.cards_of_box(), seen.table.codes) == (["10h", "5s"], set())
    facts = [entry for entry in seen.table.journal.read() if isinstance(entry, Entry)]
    actors = {entry.actor for entry in facts if entry.kind == "fact" and b'"obs":"card"' in entry.body}
    assert actors == {"device:left"}


def test_what_two_cameras_read_differently_holds_with_both_until_somebody_has_looked(tmp_path: Path) -> None:
    seen = Seen(tmp_path / "t.journal")
    seen.lay(1, 1, left="Th", right="9h")
    assert seen.table.cards_of_box() == ["?"]
    assert seen.held_over("CAMERAS_DIFFER") == {
        **{"box": 1, "camera": "left", "seen": "10h"},
        **{"beside": "right", "reads": "9h"},
    }
    seen.read("right", 1, "Th")
    seen.wait(4000)
    assert (seen.table.cards_of_box(), "CAMERAS_DIFFER" in seen.table.codes) == (["?"], True)
    seen.say(Correct(1, None, "10", "h", "pit", "looked"))
    assert (seen.table.cards_of_box(), seen.table.codes) == (["10h"], set())
    seen.wait(2000)
    assert seen.table.codes == set()


def test_a_difference_that_comes_later_holds_and_the_same_answer_lifts_it(tmp_path: Path) -> None:
    seen = Seen(tmp_path / "t.journal")
    seen.lay(1, 1, left="Th", right="?")
    assert (seen.table.cards_of_box(), seen.table.codes) == (["10h"], set())
    seen.read("right", 1, "9h")
    seen.wait(1000)
    assert (seen.table.cards_of_box(), seen.table.codes) == (["10h"], {"CAMERAS_DIFFER"})
    seen.say(Correct(1, None, "10", "h", "pit", "looked"))
    assert (seen.table.cards_of_box(), seen.table.codes) == (["10h"], set())


def test_a_card_that_its_own_camera_does_not_see_is_told_and_asked(tmp_path: Path) -> None:
    seen = Seen(tmp_path / "t.journal")
    seen.lay(1, 1, right="Th")
    assert (seen.table.cards_of_box(), seen.table.codes) == ([], set())
    seen.wait(3000)
    assert seen.table.cards_of_box() == ["?"]
    assert seen.held_over("CAMERAS_DIFFER") == {
        **{"box": 1, "camera": "right", "seen": "10h"},
        **{"beside": "left", "reads": "-"},
    }
    seen.lay(1, 1, left="Th", right="Th")
    seen.say(Correct(1, None, "10", "h", "pit", "looked"))
    seen.wait(4000)
    assert (seen.table.cards_of_box(), seen.table.codes) == (["10h"], set())


def test_a_card_that_is_lifted_for_a_peek_is_named_by_no_camera(tmp_path: Path) -> None:
    seen = Seen(tmp_path / "t.journal")
    seen.deal()
    seen.read("right", 4, "Kc")
    seen.wait(5000)
    seen.read("left", 4, "Qc")
    seen.wait(5000)
    said = [*seen.table.entries("held"), *seen.table.entries("trouble")]
    assert not [card for card in ("Kc", "Qc") if card in json.dumps([body["params"] for body in said])]


@pytest.mark.parametrize("lost", ["left", "right"])
def test_without_one_of_them_the_table_goes_on_only_as_the_house_says(tmp_path: Path, lost: str) -> None:
    seen = Seen(tmp_path / "hold.journal")
    seen.deal()
    seen.table.report(DeviceSeen(lost, "lost"), source=lost)
    assert "DEVICE_LOST" in seen.table.codes
    refused = seen.table.ask(Resume((lost,)))
    assert isinstance(refused, Rejected)
    assert refused.code == "WITNESS_NEEDED"

    seen = Seen(tmp_path / "shoe_only.journal", shoe=True, degrade="shoe_only")
    seen.deal(told=True)
    seen.table.report(DeviceSeen(lost, "stale"), source=lost)
    assert isinstance(seen.table.ask(Resume((lost,))), Accepted)
    # What the other one still sees is not followed: its boxes are not the whole table.
    seen.table.report(CardSeen("2", "h", by="shoe"))
    assert (seen.table.cards_of_box(), seen.table.codes) == (["10h", "5s", "2h"], set())


def test_nothing_is_taken_from_the_table_before_each_camera_has_looked() -> None:
    felt = JoinedFelt(("left", "right"), dict(BOXES))
    card = FeltCard(1, named("Th"), "up", (300.0, 200.0), 90.0, 1)
    assert felt.see("left", FeltReading(1000, (card,))) is None
    joined = felt.see("right", FeltReading(990, ()))
    assert joined is not None
    assert (joined.t_ms, [one.card for one in joined.cards]) == (1000, [named("Th")])


def test_a_card_that_is_pushed_into_the_others_box_stays_the_same_card() -> None:
    felt = JoinedFelt(("left", "right"), dict(BOXES))
    names = set()
    for step in range(20):
        x_mm = 700.0 + 20.0 * step
        box = 3 if x_mm < 900 else 4
        one = FeltCard(7, named("Th"), "up", (x_mm, 200.0), 90.0, box)
        older = one._replace(track=3, at_mm=(x_mm - 12.0, 202.0), box=3 if x_mm - 12.0 < 900 else 4)
        felt.see("left", FeltReading(1000 + 40 * step, (one,)))
        joined = felt.see("right", FeltReading(1000 + 40 * step, (older,)))
        if joined is not None:
            names |= {(card.track, card.card) for card in joined.cards}
            assert len(joined.cards) == 1
    assert names == {(1, named("Th"))}


def test_the_pit_may_find_that_the_table_has_the_right_card(tmp_path: Path) -> None:
    seen = Seen(tmp_path / "t.journal")
    seen.lay(1, 1, left="Th", right="?")
    seen.read("right", 1, "9h")
    seen.wait(1000)
    assert isinstance(seen.table.ask(Resume()), Accepted)
    seen.wait(2000)
    assert (seen.table.cards_of_box(), seen.table.codes) == (["10h"], set())


def test_what_one_camera_alone_looks_for_is_not_missing_before_the_other_has_looked(tmp_path: Path) -> None:
    seen = Seen(tmp_path / "t.journal", shoe=True)
    seen.deal(told=True)
    seen.table.report(CardSeen("2", "h", by="shoe"))
    seen.wait(9000, "left")
    assert seen.table.codes == set()
    seen.wait(9000)
    assert seen.table.codes == {"CARD_NOT_ARRIVED"}
