"""What the pit reads of the shift: payouts, figures, the audit trail."""

import csv
import io
import json
import sqlite3
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from web_kit import Served

from controller.acts.catalogue import (
    Bet,
    Close,
    DealerSeated,
    Decision,
    Drop,
    End,
    Fill,
    FloatCounted,
    Paid,
    Reveal,
    SlipVoided,
)
from controller.engine.state import new_table
from controller.history.entry_line import EntryLine
from controller.history.history import History
from controller.recording.recording_reader import RecordedPictures
from controller.rules import load_rules
from controller.runtime.api import AuditLine
from controller.screens.dealt_rounds import Day, DealtRound, LiveShift, Payment, entry_line
from controller.screens.figures import shift_books, shift_figures
from controller.screens.patterns import answer_of, patterns_of
from controller.studio import report_page
from tests.forensics.test_report import call
from tests.recording.recording_kit import pictures_of_a_minute


def pushes_and_wins(served: Served) -> None:
    """Box 1 pushes on 17, box 2 wins with 19 and box 3 loses with 16; the dealer has 17."""
    served.say(Bet(1, 0, 1000), Bet(2, 0, 1500), Bet(3, 0, 5000), Close())
    served.deal("10h", "10c", "10d", "9c", "7s", "9d", "6d", "8s")
    served.say(*(Decision(box, 1, "stand") for box in (1, 2, 3)), Reveal())


def asked(served: Served, path: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(served.get(path))
    return found


def test_the_ledger_has_the_difference_first_and_what_nobody_has_paid_waits(tmp_path: Path) -> None:
    with Served(tmp_path, enforced=True) as served:
        assert asked(served, "/api/ledger")["rows"] == []
        served.say(DealerSeated("D-17", "in"))
        pushes_and_wins(served)
        served.say(Paid(1, 0, 1000), Paid(2, 0, 2500))
        ledger = asked(served, "/api/ledger")
        assert (ledger["differences"], ledger["sum"]) == (1, {"money": "-5.00"})
        first, *others = ledger["rows"]
        told = {key: first[key] for key in ("round", "box", "hands", "results", "how", "by", "differs")}
        assert told == {
            "round": 1,
            "box": 2,
            "hands": "19",
            "results": ["win"],
            "how": "entered",
            "by": "kit",
            "differs": True,
        }
        amounts = [first[key]["money"] for key in ("stake", "due", "paid", "difference")]
        assert amounts == ["15.00", "+15.00", "+10.00", "-5.00"]
        assert [(row["box"], row["paid"], row["how"]) for row in others] == [
            (3, None, None),
            (1, {"money": "0.00"}, "confirmed"),
        ]
        # A journal that is none is named, and keeps nobody from the others.
        (tmp_path / "b.journal").write_bytes(b"no journal")
        several = asked(served, "/api/patterns")
        assert (several["days"], several["tables"], several["left_out"]) == (1, ["BJ 04"], ["b.journal"])
        assert several["found"]["payouts"] == asked(served, "/api/figures")["patterns"]["payouts"]
    journal = tmp_path / "table.journal"
    status, printed = call("patterns", journal, journal, "--json")
    found = json.loads(printed)
    # A payout that differs among four is no pattern.
    assert (status, found["days"]) == (0, 2)
    assert {(row["by"], str(row["name"]), row["differ"], row["payouts"]) for row in found["payouts"]} >= {
        ("box", "2", 2, 2),
        ("dealer", "D-17", 2, 4),
    }


def test_the_trail_is_filtered_paged_and_exported_with_the_state_of_its_chain(tmp_path: Path) -> None:
    with Served(tmp_path, enforced=True) as served:
        pushes_and_wins(served)
        trail = asked(served, "/api/audit")
        assert [row["seq"] for row in trail["rows"]] == list(range(served.now.seq, 0, -1))
        assert trail["chain"] == {"checked_seq": served.now.seq, "broken_seq": None, "broken_code": ""}
        assert (trail["signature"], trail["kept_back"], trail["older"]) == (None, False, None)
        assert trail["rows"][0]["hash"]
        settled = asked(served, "/api/audit?kind=settled&who=ENGINE&round=1")
        assert [(row["kind"], row["by"]) for row in settled["rows"]] == [("settled", "")]
        (said,) = (row["text"] for row in settled["rows"])
        assert (said["code"], said["params"]["total"]) == ("did.settled", 17)
        assert said["params"]["house"] == {"money": "+35.00"}
        assert asked(served, "/api/audit?round=2")["rows"] == []
        assert [row["seq"] for row in asked(served, "/api/audit?before=3")["rows"]] == [2, 1]
        for beyond in (10**16, 2**63, 10**30):
            assert asked(served, f"/api/audit?before={beyond}")["rows"] == trail["rows"], beyond
        for wrong in ("before=0", "before=-1", "before=x", "round=0", "kind=" + 41 * "k"):
            with pytest.raises(urllib.error.HTTPError, match="422"):
                served.get(f"/api/audit?{wrong}")
        told = [json.loads(line) for line in served.get("/api/audit/export?format=json").splitlines()]
        assert [line["seq"] for line in told] == list(range(1, served.now.seq + 1))
        header, *lines = csv.reader(
            io.StringIO(served.get("/api/audit/export?format=csv&kind=settled").decode())
        )
        assert header == ["seq", "at_utc_us", "round", "kind", "actor", "body", "hash"]
        assert [json.loads(line[5])["round"] for line in lines] == [1]


def test_nothing_of_a_round_is_in_the_trail_while_a_card_of_it_lies_face_down(tmp_path: Path) -> None:
    with Served(tmp_path) as served:
        served.say(Bet(1, 0, 1000), Close())
        served.deal("10h", "10c", "9c", "8s")
        trail = asked(served, "/api/audit")
        exported = served.get("/api/audit/export?format=json") + served.get("/api/audit/export?format=csv")
        assert trail["kept_back"]
        assert {row["round"] for row in trail["rows"]} == {None}
        assert b'"obs"' not in exported
        served.say(Decision(1, 1, "stand"), Reveal())
        assert not asked(served, "/api/audit")["kept_back"]
        assert b'"obs": "card"' in served.get("/api/audit/export?format=json")


def answer_as(served: Served, person: str, path: str) -> tuple[int, bytes]:
    asks = urllib.request.Request(served.url + path, headers={"Cookie": served.sign_in(person)})
    try:
        with urllib.request.urlopen(asks, timeout=120) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read()


def test_the_trail_is_not_for_dealers(tmp_path: Path) -> None:
    with Served(tmp_path) as served:
        for path in ("/api/audit", "/api/audit/export?format=csv"):
            told = {who: answer_as(served, who, path) for who in ("D-17", "T-01", "S-02", "A-01")}
            assert [status for status, _ in told.values()] == [409, 200, 200, 200]
            assert json.loads(told["D-17"][1])["code"] == "refused.NOT_ALLOWED"


def test_the_pictures_of_a_settled_round_are_for_the_pit(tmp_path: Path) -> None:
    recorded = pictures_of_a_minute(tmp_path / "recorded", "left", time.time_ns() // 1000 - 10**6, b"a jpeg")
    with Served(tmp_path, past=RecordedPictures(recorded, ("left",))) as served:
        assert json.loads(served.get("/api/rounds/1/pictures")) == {"pictures": [], "none": "unsettled"}
        served.say(Bet(1, 0, 1000), Close())
        served.deal("10h", "10c", "9c", "8s")
        served.say(Decision(1, 1, "stand"))
        assert json.loads(served.get("/api/rounds/1/pictures"))["none"] == "unsettled", (
            "a card lies face down"
        )
        served.say(Reveal())
        (shown,) = json.loads(answer_as(served, "S-02", "/api/rounds/1/pictures")[1])["pictures"]
        assert shown["camera"] == "left"
        assert served.get(shown["picture"]) == b"a jpeg"
        served.say(End(), Bet(1, 0, 1000), Close())
        served.deal("10h", "9s", "6c", "8s", "10s")
        assert json.loads(served.get("/api/figures"))["rounds"] == 2, "the bust has settled the second round"
        assert json.loads(served.get("/api/rounds/2/pictures")) == {"pictures": [], "none": "unturned"}
        assert json.loads(served.get("/api/rounds/1/pictures"))["pictures"] != []
        status, refused = answer_as(served, "D-17", "/api/rounds/1/pictures")
        assert (status, json.loads(refused)["code"]) == (409, "refused.NOT_ALLOWED")


def test_the_pictures_before_an_alert_show_no_card_that_lies_face_down(tmp_path: Path) -> None:
    recorded = pictures_of_a_minute(tmp_path / "recorded", "left", time.time_ns() // 1000 - 10**6, b"a jpeg")
    with Served(tmp_path, past=RecordedPictures(recorded, ("left",))) as served:

        def before(number: int) -> dict[str, Any]:
            answer = served.get(f"/api/rounds/{number}/before?at={time.time_ns() // 1000}")
            found: dict[str, Any] = json.loads(answer)
            return found

        served.say(Bet(1, 0, 1000), Close())
        # One picture a second is recorded, and those from before the round are of the round before.
        time.sleep(1.5)
        served.deal("10h", "10c", "9c", "8s")
        served.say(Decision(1, 1, "stand"))
        assert before(1) == {"pictures": [], "none": "unturned"}
        served.say(Reveal())
        shown = before(1)["pictures"]
        assert [one["camera"] for one in shown] == ["left"]
        assert served.get(shown[0]["picture"]) == b"a jpeg"
        served.say(End(), Bet(1, 0, 1000), Close())
        served.deal("10h", "9s", "6c", "8s")
        assert before(2) == {"pictures": [], "none": "unturned"}
        began = served.now.at_utc_us
        told = before(1)["pictures"]
        assert all(one["at_utc_us"] < began for one in told), "none of the round that runs"
        status, refused = answer_as(served, "D-17", "/api/rounds/1/before?at=1")
        assert (status, json.loads(refused)["code"]) == (409, "refused.NOT_ALLOWED")


def test_a_payout_is_found_by_its_own_round_once_the_next_one_has_begun(tmp_path: Path) -> None:
    with Served(tmp_path, enforced=True) as served:
        pushes_and_wins(served)
        # The next round's first bet books what was due in this one.
        pushes_and_wins(served)
        booked = asked(served, "/api/audit?kind=payout")["rows"]
        assert [row["round"] for row in booked] == [1] * len(booked)
        assert asked(served, "/api/audit?kind=payout&round=1")["rows"] == booked != []


def test_an_entry_that_was_tampered_with_is_named(tmp_path: Path) -> None:
    with Served(tmp_path) as served:
        pushes_and_wins(served)
        with sqlite3.connect(tmp_path / "table.journal") as file:
            for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
                file.execute(f"DROP TRIGGER {name}")
            file.execute(
                "UPDATE event SET body = CAST(replace(CAST(body AS TEXT), '1000', '9000') AS BLOB) "
                "WHERE seq = 3"
            )
        trail = asked(served, "/api/audit")
        assert (trail["chain"]["broken_seq"], trail["chain"]["broken_code"]) == (3, "HASH")


def test_the_rota_tells_who_deals_who_is_away_and_whose_break_is_due() -> None:
    minute_us, begin_us, history = 60_000_000, 1_790_000_000_000_000, History()
    steps = ((0, "D-17", "in"), (30, "D-17", "out"), (30, "D-12", "in"), (50, "D-09", "in"))
    for seq, (minute, name, state) in enumerate(steps, start=1):
        body = {"obs": "dealer", "id": name, "at": state}
        us = begin_us + minute * minute_us
        history.take([EntryLine(seq, "fact", us, None, f"dealer:{name}", body)])
    shift = LiveShift(history)
    books = shift_books(shift, new_table(load_rules("spielbank", {}, Path())), lambda _: ())

    def rota(now: int, after: int) -> list[tuple[str, bool, int, bool]]:
        figures = shift_figures(shift, None, begin_us + now * minute_us, books, after)
        return [
            (row.dealer, row.deals, ((row.since_utc_us or 0) - begin_us) // minute_us, row.break_due)
            for row in figures.rota
        ]

    # D-12 was relieved by the next dealer without an entry of their own.
    away = [("D-17", False, 30, False), ("D-12", False, 50, False)]
    assert rota(109, 60) == [("D-09", True, 50, False), *away]
    assert rota(110, 60) == [("D-09", True, 50, True), *away]
    assert rota(500, 0) == [("D-09", True, 50, False), *away]


def test_the_shift_in_figures(tmp_path: Path) -> None:
    with Served(tmp_path, enforced=True, forks=False) as served:
        assert asked(served, "/api/figures")["win"]["won"] == []
        served.say(Drop(20_000), DealerSeated("D-17", "in"))
        pushes_and_wins(served)
        figures = asked(served, "/api/figures")
        win = figures["win"]
        # 15 lost to box 2, 50 won from box 3, of 75 staked; 200 were changed for chips.
        assert (win["won"], win["over_stakes"], win["over_drop"]) == ([35.0], [46.67], 17.5)
        assert [(hour["rounds"], hour["hands"]) for hour in figures["pace"]] == [(1, 3)]
        # The cards of a round are counted once it has ended.
        assert (figures["reads_unsaid"], figures["holds"]) == (0, [])
        served.say(Paid(1, 0, 1000), Paid(3, 0, 0), Paid(2, 0, 3000), Bet(1, 0, 1000))
        figures = asked(served, "/api/figures")
        assert figures["reads_unsaid"] == 8
        served.say(Bet(1, 0, 0))
        # The report is made by another process from the journal alone.
        report = json.loads(answer_as(served, "S-02", "/api/report/json")[1])["report"]
        phases = {one["name"]: round(one["seconds"]) for one in report["phases"]}
        assert {one["name"]: one["seconds"] for one in figures["phases"]} == phases
        assert [(one["dealer"], one["rounds"], one["win"]) for one in report["dealers"]] == [
            ("D-17", 1, 3500)
        ]
        assert (report["win"], report["opening"], report["counted"]) == (3500, None, None)
        paper = json.loads(answer_as(served, "S-02", "/api/report/page?language=de")[1])
        for row in ("Tischbestand, wie er sein soll", "Abschlusszählung"):
            assert [row, "nicht gezählt"] in paper["money"]["rows"]
        assert answer_as(served, "D-17", "/api/report/csv")[0] == 409


def test_ten_who_ask_have_one_report_which_is_kept_until_the_journal_grows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = list[tuple[str, ...]]()

    def counted(*words: str, **options: Any) -> bytes | None:
        begun.append(words)
        return answer_of(*words, **options)

    monkeypatch.setattr(report_page, "answer_of", counted)
    with Served(tmp_path, enforced=True) as served:
        pushes_and_wins(served)
        first = answer_as(served, "S-02", "/api/report/page?wait=0")
        how_far = json.loads(first[1])
        assert first[0] == 202
        assert (how_far["read"], how_far["entries"]) <= (served.now.seq, served.now.seq)
        with ThreadPoolExecutor(10) as pool:
            paths = [f"/api/report/{form}" for form in ("json", "csv", "page", "json", "json")] * 2
            told = list(pool.map(lambda path: answer_as(served, "S-02", path), paths))
        assert {status for status, _ in told} == {200}
        assert len({body for _, body in told}) == 3
        assert json.loads(told[0][1])["head"]["seq"] == served.now.seq
        assert answer_as(served, "S-02", "/api/report/page?wait=30")[0] == 200
        assert answer_as(served, "S-02", "/api/report/pdf?language=fr")[1].startswith(b"%PDF")
        journal = str(tmp_path / "table.journal")
        assert [words[1] for words in begun] == [journal, "printed"]
        served.say(Bet(1, 0, 1000))
        report = json.loads(answer_as(served, "S-02", "/api/report/json")[1])
        assert report["head"]["seq"] == served.now.seq
        assert len(begun) == 3
        (tmp_path / "table.journal").rename(tmp_path / "elsewhere.journal")
        assert answer_as(served, "S-02", "/api/report/json")[0] == 404


def test_the_books_name_at_closing_what_may_explain_a_difference(tmp_path: Path) -> None:
    with Served(tmp_path, enforced=True) as served:
        by, second = "pit:S-02", "pit:S-03"
        served.say(FloatCounted("open", 100_000, by=by, second=second))
        served.say(*(Fill(f"F{n}", amount, by=by, second=second) for n, amount in ((1, 20_000), (2, 7_000))))
        served.say(SlipVoided("fill", "F2", by, "wrong sum", second))
        pushes_and_wins(served)
        served.say(Paid(1, 0, 1000), Paid(2, 0, 3000), End())
        books = asked(served, "/api/figures")["books"]
        # 50 won from box 3, 15 lost to box 2; the voided slip moves nothing and is no last fill.
        assert (books["float_now"], books["fill"]) == ({"money": "1235.00"}, {"money": "+200.00"})
        assert (books["counted"], books["explained"]) == (None, [])
        moved = [
            (row["what"], row["slip"], row["amount"]["money"], row["void"]) for row in books["movements"]
        ]
        assert moved == [
            ("fill", "F2", "-70.00", "voids"),
            ("fill", "F2", "+70.00", "struck"),
            ("fill", "F1", "+200.00", ""),
            ("open", "", "1000.00", ""),
        ]
        assert books["movements"][0]["second"] == "S-03"
        assert (books["fills"], books["win"]) == ({"money": "+200.00"}, {"money": "+35.00"})
        # 0.00 would be a figure: nobody has entered a credit or a drop.
        assert (books["credits"], books["drop"]) == (None, None)
        # F2 is used up though it is void.
        assert served.state()["slips"] == {"fill": "F3", "credit": "", "drop": ""}
        served.say(FloatCounted("close", 123_000, by=by, second=second))
        books = asked(served, "/api/figures")["books"]
        assert (books["counted"], books["difference"]) == ({"money": "1230.00"}, {"money": "-5.00"})
        (alert,) = served.state()["alerts"]
        assert alert["text"]["code"] == "alert.FLOAT_DIFFERS"
        assert alert["text"]["params"]["difference"] == {"money": "-5.00"}


def dealt_at(seq: int, number: int, opening: dict[tuple[int, int], int]) -> Iterator[AuditLine]:
    """A round that settles 4 n - 2 seconds after its first bet, and that everybody loses."""
    at_us, bets = number * 100_000_000, []
    for (box, seat), stake in opening.items():
        bet = {"obs": "bet", "box": box, "seat": seat, "stake": stake}
        yield AuditLine(seq, "fact", at_us, number, f"dealer:D-{number}", json.dumps(bet), "")
        seq += 1
        bets.append({"box": box, "seat": seat, "staked": stake, "returned": 0, "parts": []})
    dealer = {"cards": [], "total": 0, "blackjack": False, "bust": False}
    hands = [{"box": 1, "hand": 1, "cards": [], "total": 20}]
    body = {"round": number, "status": "settled", "dealer": dealer, "bets": bets, "hands": hands}
    settled_us = at_us + (4 * number - 2) * 10**6
    yield AuditLine(seq, "settled", settled_us, number, "system:engine", json.dumps(body), "")


def test_expected_win_and_its_band_follow_from_edge_and_stakes() -> None:
    record = LiveShift()
    record.take(map(entry_line, dealt_at(1, 1, {(1, 0): 1000})))
    record.take(map(entry_line, dealt_at(3, 2, {(1, 0): 1000, (1, 1): 500, (4, 0): 1000})))
    seated = json.dumps({"obs": "dealer", "id": "D-2", "at": "in"})
    record.take([entry_line(AuditLine(7, "fact", 300_000_000, 3, "dealer:D-2", seated, ""))])
    books = shift_books(record, new_table(load_rules("nl", {}, Path())), lambda _: ())
    figures = shift_figures(record, 0.5, 0, books)
    pace = figures.phases[0]
    assert (pace.seconds, pace.dealer, pace.median) == (4, 6, 4)
    win = figures.win
    assert (win.won, win.expected) == ((10.0, 35.0), (0.05, 0.17))
    assert win.band[0] == pytest.approx(2 * 10 * 1.33**0.5, abs=0.01)
    # Those behind a box win and lose with it; another box meets the same dealer only.
    second = 1.33 * (15**2 + 10**2) + 0.51 * 2 * 15 * 10
    assert win.band[1] == pytest.approx(2 * (1.33 * 10**2 + second) ** 0.5, abs=0.01)
    assert shift_figures(record, None, 0, books).win.expected == ()


def paid_by(dealer: str, shoe: int, *, wrong: int, of: int) -> Iterator[DealtRound]:
    """Rounds of one winner each, the first so many of them paid 25.00 too much."""
    for number in range(of):
        paid = Payment(2000 + 2500 * (number < wrong), "entered", dealer, 0, 0)
        yield DealtRound(
            number=number,
            shoe=shoe,
            dealer=dealer,
            cards=10,
            misread=int(number < wrong),
            answers=[(2, 4_000_000)],
            best={(2, 0): "blackjack"},
            returned={(2, 0): 2000},
            payments={(2, 0): [paid]},
        )


def test_what_a_shift_pays_and_reads_wrongly_beyond_chance_is_named_with_its_odds() -> None:
    honest = [*paid_by("D-1", 1, wrong=1, of=200), *paid_by("D-2", 2, wrong=2, of=200)]
    found = patterns_of([Day("", honest)])
    assert [row for row in found.payouts if row.one_in] == []
    assert [row for row in found.shoes if row.one_in] == []
    assert [(row.box, row.decisions, row.seconds) for row in found.boxes] == [(2, 400, 4.0)]
    # The first shoes of two tables of one day are two shoes.
    assert [row.cards for row in patterns_of([Day("A", honest), Day("B", honest)]).shoes] == [2000] * 4
    worn = [replace(one, certainties=[0.9] * 10) for one in paid_by("D-9", 3, wrong=6, of=60)]
    sure = [replace(one, certainties=[0.9 + one.number % 10 / 100] * 10) for one in honest]
    # The last of two days: another dealer overpays, and the lens is dirty.
    found = patterns_of([Day("A", sure), Day("A", worn)])
    first = found.payouts[0]
    assert (first.by, first.name, first.payouts, first.differ, first.sum.money) == (
        "dealer",
        "D-9",
        60,
        6,
        "+150.00",
    )
    assert first.one_in is not None
    assert first.one_in > 1000
    assert [row.shoe for row in found.shoes if row.one_in] == [3]
    assert [row.shoe for row in found.shoes if row.low_one_in] == []
    dirty = [replace(one, certainties=[0.89] * 10) for one in worn]
    # Beside its own table's shoes: another table's camera reads as it does.
    days = ([Day("A", sure), Day(name, dirty)] for name in "AB")
    low = [[row.shoe for row in patterns_of(both).shoes if row.low_one_in] for both in days]
    assert low == [[3], []]
    assert [(one.dealer, one.rounds) for one in found.dealers] == [
        ("D-1", 200),
        ("D-2", 200),
        ("D-9", 60),
        ("", 460),
    ]
    # Everybody is of one box, one place and one result: there are no others to compare with.
    assert [row.by for row in found.payouts if row.one_in] == ["dealer"]


def test_the_record_is_asked_for_a_time_and_read_in_larger_pages(tmp_path: Path) -> None:
    with Served(tmp_path, enforced=True) as served:
        pushes_and_wins(served)
        now_s = served.now.at_utc_us // 1_000_000

        def seqs(query: str) -> list[int]:
            return [row["seq"] for row in asked(served, f"/api/audit?{query}")["rows"]]

        every = seqs("rows=500")
        assert len(every) > 10
        assert seqs("rows=7") == every[:7]
        assert seqs(f"rows=500&since={now_s - 3600}&until={now_s}") == every
        assert seqs("rows=500&time=hour") == every
        assert seqs("rows=500&time=shift") == every
        assert seqs(f"rows=500&until={now_s - 3600}") == []
        of_people = asked(served, f"/api/audit?group=people&until={now_s - 3600}")
        assert (of_people["rows"], of_people["counts"]["people"]) == ([], 0)
