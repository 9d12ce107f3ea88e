"""The hunt without a truth file: faults planted in a shift, and where the studio sends a tester first."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from controller.acts.catalogue import Bet
from controller.policy.holds import ABSENCE
from controller.ports import Report, Trouble
from controller.replay.difference import FactName, OtherPlay, compare_under
from controller.replay.table_file import read_table_file
from controller.runtime.door import TableTask
from controller.studio.bodies import StudioFileView
from controller.studio.studio_file import StudioFile, step_view
from tests.planted_faults.journal import journal_with
from tests.planted_faults.plants import FAULTS, Fault, Line, Shift, dealt, written
from tests.planted_faults.wide_stakes import with_wide_stakes
from tests.replay.replay_kit import HandClock, journal_of_table

NONE = Fault("none", "fr", (), lambda lines: lines)

PLANTED = 4
"""Which round of the shift has the fault, counted from 0."""


@pytest.fixture(scope="module")
def shift() -> Shift:
    return dealt("fr", 8)


def opened(path: Path) -> tuple[StudioFile, StudioFileView]:
    file = StudioFile(read_table_file(str(path)), at_table=True)
    return file, file.view(path.name)


def fault(name: str) -> Fault:
    return next(one for one in FAULTS if one.name == name)


@pytest.mark.parametrize("name", ["mis-tapped decision", "wrong payout", "gap of the shoe"])
def test_the_first_place_to_look_at_is_the_round_with_the_fault(
    name: str, shift: Shift, tmp_path: Path
) -> None:
    feed, _ = written(shift, fault(name), PLANTED, tmp_path)
    _, view = opened(feed)
    assert view.findings[0].round == PLANTED + 1


def test_a_lost_card_leaves_its_round_open_and_the_list_begins_there(shift: Shift, tmp_path: Path) -> None:
    feed, _ = written(shift, fault("lost card"), PLANTED, tmp_path)
    _, view = opened(feed)
    assert (view.steps[-1].round, view.left_out) == (len(shift.rounds), 0)
    first = view.findings[0]
    begins = next(at for at, step in enumerate(view.steps) if step.round == PLANTED + 1)
    assert (first.text.code, first.round, first.step) == ("studio.not_over", PLANTED + 1, begins)


def test_a_round_that_people_still_play_is_no_reason_to_look(shift: Shift, tmp_path: Path) -> None:
    """The shift ends in the middle of its last round."""
    last = shift.rounds[-1]
    feed, _ = written(shift._replace(lines=shift.lines[: last.start + 12]), NONE, 0, tmp_path)
    _, view = opened(feed)
    assert (view.left_out, view.steps[-1].round) == (0, len(shift.rounds))
    assert [one.weight for one in view.findings if one.text.code == "studio.not_over"] == [0]


def test_a_stake_with_a_nought_too_many_is_the_first_place_to_look_at(shift: Shift, tmp_path: Path) -> None:
    feed, _ = written(shift, fault("wrong stake"), PLANTED, tmp_path)
    file, view = opened(feed)
    first = view.findings[0]
    assert (first.round, first.text.code) == (PLANTED + 1, "finding.STAKE_UNLIKE")
    assert isinstance(file.steps[first.step].taken.line.obs, Bet)


def test_a_stake_that_a_bettor_lays_again_and_again_is_unlike_nothing(tmp_path: Path) -> None:
    """Ten times the usual stake, once in forty rounds at one box, in every fifth at another."""
    shift = dealt("fr", 40)

    def laid(line: Line, number: int) -> Line:
        often = line.get("box") == 2 and number % 5 == 0
        return {**line, "stake": 10_000} if line["obs"] == "bet" and (often or number == PLANTED) else line

    told = [[laid(shift.lines[at], number) for at in span] for number, span in enumerate(shift.rounds)]
    feed, _ = written(shift._replace(lines=[line for lines in told for line in lines]), NONE, 0, tmp_path)
    _, view = opened(feed)
    unlike = [one for one in view.findings if one.text.code == "finding.STAKE_UNLIKE"]
    assert {one.round for one in unlike} == {PLANTED + 1}
    assert 2 not in {one.text.params["box"] for one in unlike}


def test_stakes_within_a_bettors_own_spread_are_unlike_nothing(tmp_path: Path) -> None:
    feed, _ = written(with_wide_stakes(dealt("fr", 60), 7), NONE, 0, tmp_path)
    _, view = opened(feed)
    assert [one for one in view.findings if one.text.code == "finding.STAKE_UNLIKE"] == []


def test_a_stake_unlike_its_bettors_others_stands_below_every_refusal(shift: Shift, tmp_path: Path) -> None:
    """The refusal is in another round than the stake, beside which a read is unsure."""
    lines = [dict(line) for line in shift.lines]
    span = shift.rounds[PLANTED]
    bet = next(at for at in span if lines[at]["obs"] == "bet")
    cards = [at for at in span if lines[at]["obs"] == "card"]
    lines[bet]["stake"] = 90_000
    lines[cards[0]]["p"] = 0.96
    feed, _ = written(shift._replace(lines=lines), fault("mis-tapped decision"), PLANTED + 2, tmp_path)
    _, view = opened(feed)
    codes = [one.text.code for one in view.findings]
    assert "refused.NO_SUCH_HAND" in codes
    assert codes.index("refused.NO_SUCH_HAND") < codes.index("finding.STAKE_UNLIKE")


@pytest.mark.parametrize("at_table", [True, False], ids=["at a table's door", "by the rules alone"])
def test_a_shoe_that_was_not_reported_leads_the_list_before_what_follows_from_it(
    tmp_path: Path, at_table: bool
) -> None:
    shift = dealt("fr", 60)
    fresh = [at for at, line in enumerate(shift.lines) if line["obs"] == "shoe"][2]
    cut = {"t": shift.lines[fresh - 3]["t"], "obs": "cut_card"}
    lines = [*shift.lines[: fresh - 3], cut, *shift.lines[fresh - 3 : fresh], *shift.lines[fresh + 1 :]]
    feed = tmp_path / "shoe.feed.jsonl"
    feed.write_text("".join(json.dumps(line) + "\n" for line in (shift.header, *lines)))
    view = StudioFile(read_table_file(str(feed)), at_table=at_table).view(feed.name)
    heavy = [one.text.code for one in view.findings if one.text.code != "studio.not_over"]
    assert heavy[0] == "alert.SHUFFLE_DUE"
    counted = [one for one in view.findings if one.text.code == "alert.TOO_MANY_OF_A_KIND"]
    before = [one for one in counted if one.weight > 1 and one.round < len(shift.rounds)]
    assert len(before) <= 1 or at_table, "each card that is one too many is a consequence"


def test_a_shoe_that_is_lost_is_a_place_to_look_at_by_the_rules_alone(shift: Shift, tmp_path: Path) -> None:
    feed, _ = written(shift, fault("gap of the shoe"), PLANTED, tmp_path)
    view = StudioFile(read_table_file(str(feed)), at_table=False).view(feed.name)
    first = view.findings[0]
    assert (first.round, first.text.code) == (PLANTED + 1, "alert.DEVICE_LOST")


def test_rounds_after_a_clock_that_stepped_back_are_played_as_they_were(shift: Shift, tmp_path: Path) -> None:
    """Where no time seems to pass for ten minutes, cards seem to come too soon for the table."""
    feed, _ = written(shift, NONE, 0, tmp_path)
    line = shift.rounds[PLANTED].start + 5
    _, view = opened(journal_with(feed, tmp_path / "t.journal", "clock step", line))
    assert (view.left_out, view.steps[-1].round) == (0, len(shift.rounds))
    first = view.findings[0]
    assert (first.round, first.text.code) == (PLANTED + 1, "hold.CLOCK_STEPPED_BACK")
    after = [step.t for step in view.steps if step.round > PLANTED + 1]
    assert min(later - now for now, later in pairwise(after)) > 0


def test_least_sure_reads_of_the_shoe_that_runs_out_wrongly_come_first(tmp_path: Path) -> None:
    """The table stops rounds after a read that was wrong, as where one of a kind is one too many."""

    def less_sure(line: Line, number: int) -> Line:
        return {**line, "p": 0.97 if number == wrong else 0.9999} if line["obs"] == "card" else line

    shift = dealt("fr", 24)
    wrong = [number for number in shift.rounds[10] if shift.lines[number]["obs"] == "card"][3]
    lines = [less_sure(line, number) for number, line in enumerate(shift.lines)]
    stops = shift.rounds[14].start + 20
    lines[stops:stops] = [{"t": lines[stops]["t"], "obs": "device", "name": "shoe", "state": "lost"}]
    feed, _ = written(shift._replace(lines=lines), NONE, 0, tmp_path)
    _, view = opened(feed)
    assert view.steps[-1].round == len(shift.rounds)
    elsewhere = [one for one in view.findings if one.text.code.startswith("studio.")]
    assert [(one.text.code, one.round) for one in elsewhere[:2]] == [
        ("studio.not_over", 15),
        ("studio.unsure", 11),
    ]


def test_what_a_hold_refuses_in_the_same_words_is_named_once(shift: Shift, tmp_path: Path) -> None:
    feed, _ = written(shift, fault("wrong payout"), PLANTED, tmp_path)
    _, view = opened(feed)
    told = [(one.round, one.text.model_dump_json()) for one in view.findings]
    assert len(told) == len(set(told))


def test_a_misread_card_is_among_the_least_certain_reads(shift: Shift, tmp_path: Path) -> None:
    def unsure(line: Line, number: int) -> Line:
        # A reader that takes a card for another is less sure of it than of the rest.
        return {**line, "p": 0.97 if number == wrong else 0.9999} if line["obs"] == "card" else line

    cards = [number for number in shift.rounds[PLANTED] if shift.lines[number]["obs"] == "card"]
    wrong = cards[3]
    lines = [unsure(line, number) for number, line in enumerate(shift.lines)]
    feed, _ = written(shift._replace(lines=lines), fault("misread card"), PLANTED, tmp_path)
    _, view = opened(feed)
    told = [one for one in view.findings if one.text.code == "studio.unsure"]
    assert [(one.round, one.text.params) for one in told] == [(PLANTED + 1, {"percent": "97.00"})]
    assert view.steps[told[0].step].what == "card"


def test_a_wrong_rule_field_is_found_by_comparing_with_the_houses_own_rules(
    shift: Shift, tmp_path: Path
) -> None:
    feed = tmp_path / "shift.feed.jsonl"
    rules = {**shift.header["rule_overrides"], "blackjack_pays": [1, 1]}
    header = {**shift.header, "rule_overrides": rules}
    feed.write_text("".join(json.dumps(line) + "\n" for line in (header, *shift.lines)))
    file, _ = opened(feed)
    other = OtherPlay("fr").of(file.source)
    found = compare_under(file.source, tuple(file.rounds.values()), other, at_table=True).differences
    kinds = {one.what.kind for one in found if isinstance(one.what, FactName)}
    assert "returned" in kinds


def test_camera_disk_and_clock_are_hunted_in_a_journal_where_no_line_tells_of_them(
    shift: Shift, tmp_path: Path
) -> None:
    feed, _ = written(shift, fault("wrong rule field"), PLANTED, tmp_path)
    at = {2 + 3 + shift.rounds[number].start: number + 1 for number in (1, 3, 5)}
    rounds = {number: line for line, number in at.items()}

    def meanwhile(table: TableTask, clock: HandClock, line: int) -> None:
        if line == rounds[2]:
            # What a camera that has been moved is told as where the table can go on without it.
            moved = Trouble(ABSENCE["lost"], (("name", "above"),), hold=False)
            table.post(Report("above", clock.mono_ns(), (), (moved,)))
        elif line == rounds[4]:
            table.post(Report("disk", clock.mono_ns(), (), (Trouble("JOURNAL_SLOW", (("limit_ms", 250),)),)))
        elif line == rounds[6]:
            clock.t -= 600

    _, view = opened(journal_of_table(feed, tmp_path / "t.journal", meanwhile))
    heavy = [one for one in view.findings if one.weight > 1]
    found = {one.text.code.partition(".")[2]: one for one in heavy}
    assert {code: one.round for code, one in found.items()} == {
        ABSENCE["lost"]: 2,
        "JOURNAL_SLOW": 4,
        "CLOCK_STEPPED_BACK": 6,
    }
    assert "devices" in view.steps[found[ABSENCE["lost"]].step].lanes
    assert "holds" in view.steps[found["JOURNAL_SLOW"].step].lanes


def cards(names: str) -> list[dict[str, object]]:
    """Lines of cards such as "10h"."""
    return [{"obs": "card", "rank": name[:-1], "suit": name[-1]} for name in names.split()]


@pytest.mark.parametrize("turned", [True, False])
def test_a_count_of_a_card_that_was_never_turned_is_told_nowhere(tmp_path: Path, turned: bool) -> None:
    """One pack: the second 8 of spades is too many of it, and says what lay face down in the round before."""
    bet, end = {"obs": "bet", "box": 1, "seat": 0, "stake": 1000}, {"obs": "end"}
    stand = [{"obs": "decision", "box": 1, "hand": 1, "action": "stand"}, {"obs": "reveal"}]
    first = [*cards("10h 9s 10c 8s"), *(stand if turned else cards("5d"))]
    second = [*cards("8s 3h 10s 9d"), *stand, *cards("6c")]
    header = {
        "feed": 1,
        "table": "T1",
        "rules": "spielbank",
        "rule_overrides": {"decks": 1},
        "currency": "EUR",
    }
    lines = [header, {"obs": "shoe", "decks": 1}, bet, *first, end, bet, *second, end]
    feed = tmp_path / "count.feed.jsonl"
    timed = (line if "feed" in line else {"t": at, **line} for at, line in enumerate(lines))
    feed.write_text("".join(f"{json.dumps(line)}\n" for line in timed))
    told = read_table_file(str(feed))
    file = StudioFile(told, at_table=False)
    words = [step_view(told, step, at).model_dump_json() for at, step in enumerate(file.steps)]
    assert {step.round for step in file.steps} >= {1, 2}
    assert any("TOO_MANY" in one for one in (*words, file.view("count").model_dump_json())) is turned
