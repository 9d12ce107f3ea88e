"""A live table that takes its cards from a camera, alone or with the shoe: right or held, never wrong."""

import json
from pathlib import Path
from random import Random
from typing import Any, Literal

import pytest

from controller.acts.catalogue import (
    Bet,
    CardSeen,
    Close,
    Correct,
    Decision,
    DeviceSeen,
    Paid,
    Reveal,
    ShoeLoaded,
)
from controller.config import CameraSection
from controller.domain import Card, JournalError, TableError, card_named
from controller.journal.entry import Entry
from controller.policy import TableOptions
from controller.policy.line import DEFAULT_OPTIONS
from controller.replay.watched_table import Look
from controller.rules import HOUSES
from controller.runtime.api import Accepted, Observe, Rejected, Resume
from controller.runtime.draft import Draft
from controller.runtime.felt_witness import FeltWitness, Going, WitnessPlan, refusals_of, report_refused
from controller.witnesses.felt_view import Shown
from drivers.device_driver import Lifecycle, LifePolicy
from tests.witnesses.live_round import LiveRound, LiveTable
from tests.witnesses.simulated_felt import STEADY, TICK_MS, SimulatedFelt
from tests.witnesses.test_camera_rounds import QUESTIONS


@pytest.mark.parametrize("house", HOUSES)
@pytest.mark.parametrize("shoe", [False, True])
def test_a_round_is_followed_and_paid_at_the_live_door(tmp_path: Path, house: str, shoe: bool) -> None:
    played = LiveRound(house, 2, tmp_path / "t.journal", shoe=shoe).play()
    assert played.verdict == "right", played
    assert set(played.asked) <= QUESTIONS


def test_what_a_witness_misreads_or_loses_holds_the_live_table(tmp_path: Path) -> None:
    met: set[str] = set()
    for seed in range(3):
        round_ = LiveRound("nl", seed, tmp_path / f"{seed}.journal", STEADY, shoe=True, faults=0.1)
        played = round_.play()
        assert played.verdict != "wrong", (seed, round_.injected)
        assert bool({*played.asked, *played.codes} - {"DECISION_UNCLEAR"}) == bool(round_.injected), seed
        met |= {*played.asked, *played.codes}
    assert met & {"CARD_NOT_ARRIVED", "CARD_NOT_DEALT", "CARD_READ_DIFFERENTLY"}


class Lying:
    """Cards on a felt as a camera that errs in nothing sees them, at a table of Holland Casino's rules."""

    def __init__(
        self,
        path: Path,
        *,
        shoe: bool = False,
        degrade: Going = "hold",
        degrade_by: Literal["pit", "dealer"] = "pit",
        options: TableOptions = DEFAULT_OPTIONS,
    ) -> None:
        self.felt = SimulatedFelt(Random(1), STEADY)
        plan = WitnessPlan("overhead", "shoe" if shoe else "", degrade, degrade_by)
        self.table = LiveTable("nl", path, self.felt, plan, options)
        rules = self.table.identity.rules
        assert isinstance(self.table.ask(Observe(ShoeLoaded(rules.decks))), Accepted)
        for _ in range(rules.burn_cards if shoe else 0):
            self.table.report(CardSeen("4", "c", by="shoe"))
        assert isinstance(self.table.ask(Observe(Bet(1, 0, 1000))), Accepted)

    def lay(self, n: int, card: str, box: int, *, down: bool = False, told: str | None = None) -> None:
        """Lay a card; `told` is what the shoe says of it."""
        if told is not None:
            self.table.report(CardSeen(*named(told), by="shoe"))
        right = 40.0 * len([one for one in self.felt.laid.values() if one.box == box])
        at = (660 + 2 * right, 930.0) if box == 0 else (60 + 256.0 * box + right, 203.0)
        self.felt.lay(n, named(card), box, at, 90.0, "down" if down else "up")
        self.wait(1500)

    def wait(self, ms: int, tick_ms: int = TICK_MS) -> None:
        """Let time pass with a picture every `tick_ms`."""
        end_ms = self.felt.now_ms + ms
        while self.felt.now_ms < end_ms:
            self.felt.now_ms += tick_ms
            self.table.look(Look(self.felt.view(), ""))

    def deal(self, *, told: bool = False) -> None:
        for n, (card, box) in enumerate([("Th", 1), ("9d", 0), ("5s", 1)], 1):
            self.lay(n, card, box, told=card if told else None)

    def alerts(self, code: str) -> list[dict[str, int | str]]:
        return [dict(alert.params) for alert in self.table.door.ledger.alerts if alert.code == code]

    def cards_of_box(self) -> list[str]:
        return self.table.cards_of_box()

    @property
    def codes(self) -> set[str]:
        return self.table.codes


def named(text: str) -> Card:
    return card_named(text[0].replace("T", "10"), text[1])


def test_after_a_restart_the_cards_that_lie_there_are_known_and_the_next_one_is_new(tmp_path: Path) -> None:
    lying = Lying(tmp_path / "t.journal")
    lying.deal()
    before = lying.cards_of_box()
    assert before == ["10h", "5s"]
    lying.table.restart()
    lying.wait(4000)
    assert (lying.cards_of_box(), lying.codes) == (before, {"RESTARTED"})
    assert isinstance(lying.table.ask(Resume()), Accepted)
    lying.wait(4000)
    assert (lying.cards_of_box(), lying.codes) == (before, set())
    lying.lay(4, "Kc", 0, down=True)
    lying.lay(5, "2h", 1)
    assert lying.cards_of_box() == ["10h", "5s", "2h"]


def test_after_a_restart_a_new_card_never_takes_the_name_of_one_that_is_known(tmp_path: Path) -> None:
    lying = Lying(tmp_path / "t.journal")
    lying.felt.follow_others(2)
    lying.deal()
    lying.table.restart()
    lying.felt.count_anew()
    lying.wait(4000)
    assert isinstance(lying.table.ask(Resume()), Accepted)
    lying.wait(2000)
    lying.lay(4, "Kc", 0, down=True)
    lying.lay(5, "2h", 1)
    state = lying.table.run.state
    told = [fact.obs.id for fact in state.log if isinstance(fact.obs, CardSeen)]
    assert lying.cards_of_box() == ["10h", "5s", "2h"]
    assert len(set(told)) == len(told) == 5
    ruled = Correct(None, told[-1], "3", "h", "pit", "MISREAD")
    assert isinstance(lying.table.ask(Observe(ruled)), Accepted)
    assert lying.cards_of_box() == ["10h", "5s", "3h"]


def test_a_cleared_felt_that_does_not_end_the_round_is_told_until_it_does(tmp_path: Path) -> None:
    every_payout = TableOptions(paid_by_next_bet=False)
    lying = Lying(tmp_path / "t.journal", options=every_payout)
    lying.deal()
    lying.lay(4, "Kc", 0, down=True)
    lying.lay(5, "4h", 1)
    assert isinstance(lying.table.ask(Observe(Decision(1, 1, "stand"))), Accepted)
    lying.felt.turn_up(4)
    lying.wait(2000)
    assert lying.table.run.state.settlement.status == "settled"
    lying.felt.take_away([1, 2, 3, 4, 5])
    lying.wait(3000)
    assert lying.alerts("CLEARING_NOT_TAKEN") == [{"round": 1, "code": "PAYOUT_NOT_TOLD"}]
    assert (lying.codes, lying.table.run.state.book.number) == (set(), 1)
    assert isinstance(lying.table.ask(Observe(Paid(1, 0, 1000))), Accepted)
    lying.wait(1000)
    assert (lying.alerts("CLEARING_NOT_TAKEN"), lying.table.run.state.book.number) == ([], 2)


@pytest.mark.parametrize(
    ("shown", "code", "holds"),
    [
        (Decision(1, 1, "stand"), "STAND_NOT_TAKEN", True),
        (Decision(1, 1, "split"), "SPLIT_NOT_TAKEN", True),
        (Reveal("K", "c"), "TURNING_NOT_TAKEN", True),
        (Correct(1, None, "K", "c", "overhead", "read"), "RANK_NOT_TAKEN", False),
    ],
)
def test_what_the_felt_shows_and_the_table_refuses_is_told_once_a_round(
    tmp_path: Path, shown: Shown, code: str, holds: bool
) -> None:
    ledger = Lying(tmp_path / "t.journal").table.door.ledger
    draft = Draft(ledger, ledger.at_utc_us)
    for _ in range(2):
        report_refused(draft, shown, TableError("CARD_OWED"), "device:overhead")
    (alert,) = draft.ledger.alerts
    assert (alert.code, dict(alert.params)["code"]) == (code, "CARD_OWED")
    assert [held.code for held in draft.ledger.holds] == [code] * holds
    assert refusals_of(draft, shown) == (alert,)
    report_refused(draft, shown, TableError("TABLE_HELD"), "device:overhead")
    assert draft.ledger.alerts == (alert,)


def test_what_could_not_be_written_is_told_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lying = Lying(tmp_path / "t.journal")
    lying.lay(1, "Th", 1)
    broken: list[Any] = []

    def fails(*entries: Any) -> Any:
        broken.append(entries)
        raise JournalError("JOURNAL_DISK_FULL", path="t.journal")

    monkeypatch.setattr(lying.table.journal, "append", fails)
    lying.lay(2, "9d", 0)
    assert broken
    assert not lying.table.run.state.dealer.cards
    monkeypatch.undo()
    assert isinstance(lying.table.ask(Resume()), Accepted)
    lying.wait(2000)
    assert [str(seen.card) for seen in lying.table.run.state.dealer.cards] == ["9d"]


def test_without_its_camera_the_table_goes_on_only_as_the_house_and_the_pit_say(tmp_path: Path) -> None:
    lying = Lying(tmp_path / "hold.journal", shoe=True)
    lying.deal(told=True)
    lying.table.report(DeviceSeen("overhead", "lost"), source="overhead")
    assert "DEVICE_LOST" in lying.codes
    refused = lying.table.ask(Resume(("overhead",)))
    assert isinstance(refused, Rejected)
    assert refused.code == "WITNESS_NEEDED"

    lying = Lying(tmp_path / "shoe_only.journal", shoe=True, degrade="shoe_only")
    lying.deal(told=True)
    lying.table.report(CardSeen("K", "c", by="shoe"))
    lying.table.report(DeviceSeen("overhead", "lost"), source="overhead")
    dealer = lying.table.ask(Resume(("overhead",)), "dealer")
    assert isinstance(dealer, Rejected)
    assert isinstance(lying.table.ask(Resume(("overhead",))), Accepted)
    assert [alert.code for alert in lying.table.door.ledger.alerts].count("WITNESS_MISSING") == 1
    lying.felt.now_ms += 1500
    lying.table.report(CardSeen("2", "h", by="shoe"))
    assert (lying.cards_of_box(), lying.codes) == (["10h", "5s", "2h"], set())

    lying.felt.lay(4, named("Kc"), 0, (900.0, 930.0), 90.0, "down")
    lying.felt.lay(5, named("2h"), 1, (400.0, 203.0), 90.0, "up")
    lying.table.report(DeviceSeen("overhead", "live"), source="overhead")
    lying.wait(5000)
    assert not [alert for alert in lying.table.door.ledger.alerts if alert.code == "WITNESS_MISSING"]
    assert (lying.cards_of_box(), lying.codes) == (["10h", "5s", "2h"], set())
    assert isinstance(lying.table.ask(Observe(Decision(1, 1, "hit")), "dealer"), Accepted)
    lying.lay(6, "3d", 1, told="3d")
    assert lying.cards_of_box() == ["10h", "5s", "2h", "3d"]


def test_a_dealer_goes_on_without_a_witness_where_the_house_lets_him_and_by_name(tmp_path: Path) -> None:
    lying = Lying(tmp_path / "t.journal", shoe=True, degrade="shoe_only", degrade_by="dealer")
    lying.deal(told=True)
    lying.table.report(DeviceSeen("shoe", "lost"))
    other = lying.table.ask(Resume(("shoe",)), "dealer")
    assert isinstance(other, Rejected)
    assert other.code == "WITNESS_NEEDED"
    lying.table.report(DeviceSeen("shoe", "live"))
    lying.table.report(DeviceSeen("overhead", "lost"), source="overhead")
    assert isinstance(lying.table.ask(Resume(("overhead", "rack")), "dealer"), Rejected)
    assert isinstance(lying.table.ask(Resume(("overhead",)), "dealer"), Accepted)
    assert lying.alerts("WITNESS_MISSING") == [{"name": "overhead"}]
    found = [entry for entry in lying.table.journal.read() if isinstance(entry, Entry)]
    named = [entry.actor for entry in found if entry.kind == "resumed" or b"WITNESS_MISSING" in entry.body]
    assert named == ["dealer:p7", "dealer:p7"]


def test_a_hole_card_that_the_camera_never_saw_is_named_nowhere(tmp_path: Path) -> None:
    lying = Lying(tmp_path / "t.journal", shoe=True)
    lying.deal(told=True)
    lying.table.report(CardSeen("K", "c", by="shoe"))
    lying.wait(4000)
    assert (lying.cards_of_box(), lying.codes) == (["10h", "5s"], {"CARD_NOT_ARRIVED"})
    said = [*lying.table.entries("held"), *lying.table.entries("trouble")]
    assert "K" not in json.dumps([body["params"] for body in said])


def test_at_a_camera_that_seldom_looks_no_card_is_asked_for_before_many_looks(tmp_path: Path) -> None:
    lying = Lying(tmp_path / "t.journal", shoe=True)
    lying.deal(told=True)
    lying.table.report(CardSeen("K", "c", by="shoe"))
    lying.wait(18_000, tick_ms=3000)
    assert lying.codes == set()
    lying.felt.lay(4, named("Kc"), 0, (900.0, 930.0), 90.0, "down")
    lying.wait(9000, tick_ms=3000)
    assert (len(lying.table.run.state.dealer.cards), lying.codes) == (2, set())
    lying.table.report(CardSeen("2", "h", by="shoe"))
    lying.wait(60_000, tick_ms=3000)
    assert lying.codes == {"CARD_NOT_ARRIVED"}


def test_a_card_that_comes_before_what_is_due_waits_for_pictures_too(tmp_path: Path) -> None:
    lying = Lying(tmp_path / "t.journal")
    lying.lay(1, "Th", 1)
    lying.felt.lay(3, named("5s"), 1, (356.0, 203.0), 90.0, "up")
    lying.wait(15_000, tick_ms=3000)
    assert lying.codes == set()
    lying.felt.lay(2, named("9d"), 0, (660.0, 930.0), 90.0, "up")
    lying.wait(15_000, tick_ms=3000)
    assert (lying.cards_of_box(), lying.codes) == (["10h", "5s"], set())
    assert [str(one.card) for one in lying.table.run.state.dealer.cards] == ["9d"]


def test_while_a_camera_sends_no_picture_its_loss_holds_the_table_and_the_card_is_asked_for_later(
    tmp_path: Path,
) -> None:
    lying = Lying(tmp_path / "t.journal", shoe=True)
    lying.deal(told=True)
    lying.table.report(CardSeen("K", "c", by="shoe"))
    section = CameraSection.model_validate({"source": "0", "dealer": {"x": 0, "y": 0, "radius": 1}})
    driver = Lifecycle(LifePolicy(silence_ms=section.silence_ms))
    for event in ("try", "opened", "heard"):
        driver.step(event, lying.felt.now_ms)
    lying.felt.now_ms += 1500
    state = driver.tick(lying.felt.now_ms)
    assert state == "stale"
    lying.table.report(DeviceSeen("overhead", state), source="overhead")
    assert lying.codes == {"DEVICE_STALE"}
    lying.felt.now_ms += 60_000
    lying.table.report(DeviceSeen("overhead", "live"), source="overhead")
    lying.wait(TICK_MS)
    assert isinstance(lying.table.ask(Resume()), Accepted)
    lying.wait(9000)
    assert lying.codes == {"CARD_NOT_ARRIVED"}


@pytest.mark.parametrize("degrade", ["hold", "shoe_only"])
def test_a_card_of_the_shoe_alone_is_not_believed_before_somebody_goes_on_without_the_camera(
    tmp_path: Path, degrade: Going
) -> None:
    lying = Lying(tmp_path / "t.journal", shoe=True, degrade=degrade)
    lying.deal(told=True)
    lying.lay(4, "Kc", 0, down=True, told="Kc")
    lying.table.report(DeviceSeen("overhead", "lost"), source="overhead")
    lying.table.report(CardSeen("2", "h", by="shoe"))
    lying.table.report(DeviceSeen("overhead", "live"), source="overhead")
    lying.wait(4000)
    assert isinstance(lying.table.ask(Resume(), "dealer"), Accepted)
    lying.wait(4000)
    assert (lying.cards_of_box(), lying.codes) == (["10h", "5s"], {"CARD_NOT_ARRIVED"})


def test_what_the_shoe_told_before_it_was_lost_names_no_later_card(tmp_path: Path) -> None:
    lying = Lying(tmp_path / "t.journal", shoe=True, degrade="camera_only")
    lying.lay(1, "Th", 1, told="Th")
    lying.table.report(CardSeen("9", "d", by="shoe"))
    lying.table.report(DeviceSeen("shoe", "lost"))
    assert isinstance(lying.table.ask(Resume(("shoe",))), Accepted)
    lying.lay(2, "9d", 0)
    lying.lay(3, "5s", 1)
    lying.felt.lay(4, named("7h"), 0, (900.0, 930.0), 90.0, "down")
    lying.wait(100)
    lying.table.report(DeviceSeen("shoe", "live"))
    lying.wait(4000)
    assert [str(seen.card) for seen in lying.table.run.state.dealer.cards] == ["9d", "?"]
    assert lying.codes == {"CARD_NOT_DEALT"}


def test_a_card_whose_report_failed_inside_is_told_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lying = Lying(tmp_path / "t.journal")
    lying.lay(1, "Th", 1)
    takes, failed = FeltWitness.look, list[bool]()

    def fails(felt: FeltWitness, draft: Any, look: Any) -> None:
        before = draft.ledger.state
        takes(felt, draft, look)
        if draft.ledger.state is not before and not failed:
            failed.append(True)
            raise ValueError("after the card was told")

    monkeypatch.setattr(FeltWitness, "look", fails)
    lying.lay(2, "9d", 0)
    assert (failed, lying.codes) == ([True], {"REPORT_NOT_TAKEN"})
    assert isinstance(lying.table.ask(Resume()), Accepted)
    lying.wait(2000)
    assert [str(seen.card) for seen in lying.table.run.state.dealer.cards] == ["9d"]


def test_burn_cards_that_nobody_can_tell_keep_no_table_from_its_bets(tmp_path: Path) -> None:
    felt = SimulatedFelt(Random(1), STEADY)
    table = LiveTable("fr", tmp_path / "t.journal", felt, WitnessPlan("overhead"))
    rules = table.identity.rules
    assert isinstance(table.ask(Observe(ShoeLoaded(rules.decks))), Accepted)
    assert (table.run.state.shoe.seen, table.run.state.shoe.burn_due) == (rules.burn_cards, 0)
    assert isinstance(table.ask(Observe(Bet(1, 0, 1000))), Accepted)
    assert isinstance(table.ask(Observe(Close())), Accepted)
    assert table.run.state.phase == "deal"
