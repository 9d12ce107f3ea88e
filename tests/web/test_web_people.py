"""Who may do what over HTTP: every role and act, forged names, grants, second people, guesses, a restart."""

import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner
from web_kit import Served

from controller.acts.catalogue import Bet, Close, ShoeLoaded
from controller.cli.application import build
from controller.cli.feeds import feed
from controller.journal.entry import Entry
from controller.journal.store import JournalReader
from controller.policy import SecondPerson
from tests import people_kit
from tests.people_kit import PINS

Said = tuple[int, dict[str, Any]]
PIT = {"role": "pit", "actor": "S-02"}
RULING = {"by": "S-02", "reason": "DEALER_ERROR"}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """Box 1 has 19 against a 7, and a house that wants two for a round that is void."""
    rules = SecondPerson(void_round=True, limits=True, fill=True)
    with Served(tmp_path, enforced=True, second=rules) as running:
        running.say(ShoeLoaded(6), Bet(1, 0, 1000), Close())
        running.deal("10h", "7c", "9d", "10s")
        yield running


def code(said: Said) -> str:
    return "" if said[0] == 200 else str(said[1]["code"]).partition(".")[2]


def entries(folder: Path, *kinds: str) -> list[dict[str, Any]]:
    reader = JournalReader(folder / "table.journal")
    try:
        found = [one for one in reader.read() if isinstance(one, Entry) and one.kind in kinds]
    finally:
        reader.close()
    return [{"kind": one.kind, "actor": one.actor, **json.loads(one.body)} for one in found]


def sign(served: Served, person: str, at: str) -> str:
    """A PIN for one act, or for another's."""
    status, said = served.post("/api/session", {"actor": person, "pin": PINS[person], "at": at})
    assert status == 200, said
    return str(said["grant"])


def observe(obs: str, **fields: Any) -> dict[str, Any]:
    return {"do": "observe", "obs": {"obs": obs, **fields}}


ACTS: dict[str, dict[str, Any]] = {
    "decision": observe("decision", box=1, hand=1, action="split"),
    "freeze": {"do": "freeze", "note": "x"},
    "alert": {"do": "alert", "alert": 1, "step": "resolve"},
    "correct": observe("correct", card=1, rank="7", by="{id}", reason="MISREAD"),
    "void": observe("void", by="{id}", reason="OTHER"),
    "count": observe("count", at="check", amount=100),
    "order": {"do": "order", "device": "shoe", "order": "lock", "reason": "x"},
    "stake": {"do": "stake", "box": 1, "seat": 0, "amount": "25"},
    "drop": observe("drop", amount=5000),
    "autoplay": {"do": "autoplay", "on": False},
    "draw": {"do": "draw"},
    "editing": {"do": "editing", "on": False},
    "name": {"do": "name", "camera": "c", "box": 1, "was": "8h", "seen": "3d", "card": "3d", "reason": "x"},
}
DEALERS = frozenset(("decision", "freeze", "stake", "drop", "autoplay", "draw"))
"""What is left to a dealer of these; the pit may all of it, nobody else anything."""


@pytest.mark.parametrize("role", sorted(set(dict(people_kit.PEOPLE).values())))
def test_each_role_may_do_what_the_table_of_roles_says(served: Served, role: str) -> None:
    person = next(person for person, known in people_kit.PEOPLE if known == role)
    line = "pit" if role in ("supervisor", "pit_manager") else "dealer"
    for name, act in ACTS.items():
        own = json.loads(json.dumps(act).replace("{id}", person))
        answer = code(served.command(own, actor=person, role=line))
        allowed = line == "pit" or (role == "dealer" and name in DEALERS)
        assert (answer != "NOT_ALLOWED") == allowed, (role, name, answer)
    denied = [one for one in entries(served.folder, "denied") if one["person"] == person]
    assert len(denied) == sum(line != "pit" and not (role == "dealer" and name in DEALERS) for name in ACTS)


def test_actor_role_session_and_by_are_the_signed_in_persons(served: Served, tmp_path: Path) -> None:
    stand = observe("decision", box=1, hand=1, action="stand")
    cookie = served.sign_in("D-17")
    body = {"command_id": "forged-0001", "expected_seq": served.now.seq, "role": "dealer", "act": stand}

    def sent(cookie: str, **fields: Any) -> str:
        return code(served.post("/api/commands", {**body, **fields}, Cookie=cookie))

    assert sent("", actor="D-17") == "SIGN_IN_NEEDED"
    assert sent(f"stand17_{served.port}=guess", actor="D-17") == "SIGN_IN_NEEDED"
    assert sent(cookie, actor="D-18") == "ACTOR_DIFFERS"
    assert sent(cookie, role="pit", actor="D-17") == "SIGN_IN_NEEDED"
    assert sent(cookie, role="pit", grant="guess") == "SIGN_IN_NEEDED"
    assert sent(served.sign_in("S-02")) == "ACTOR_DIFFERS", "a dealer's act takes a dealer's session"
    forged = observe("strike", card=1, by="P-7", reason="DOUBLE_READ")
    assert code(served.command(forged, **PIT)) == "ACTOR_DIFFERS"
    named = observe("strike", card=1, by="S-02", reason="DOUBLE_READ", second="P-7")
    assert code(served.command(named, **PIT)) == "ACTOR_DIFFERS", "nobody is a second by being named"
    assert served.post("/api/commands", {**body, "session": "s"}, Cookie=cookie)[0] == 422
    assert served.now.state.current is not None, "nothing of it was taken"
    assert sent(cookie, command_id="honest-0001") == ""
    fact = entries(tmp_path, "fact")[-1]
    assert (fact["obs"], fact["actor"]) == ("decision", "dealer:D-17")
    told = {(one["code"], one["person"], one["act"]) for one in entries(tmp_path, "denied")}
    assert ("ACTOR_DIFFERS", "", "decision") in told
    assert ("ACTOR_DIFFERS", "S-02", "strike") in told


def test_cookies_are_for_no_script_and_no_other_site(served: Served) -> None:
    body = json.dumps({"actor": "D-18", "pin": PINS["D-18"]}).encode()
    request = urllib.request.Request(served.url + "/api/session", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        cookie = answer.headers["Set-Cookie"]
        said = json.load(answer)
    assert {"HttpOnly", "Path=/", "SameSite=strict"} <= {part.strip() for part in cookie.split(";")}
    assert "Secure" not in cookie, "only under TLS"
    person = {"id": "D-18", "name": "Name of D-18", "role": "dealer"}
    assert said == {"person": person, "grant": "", "pin_old": False}


def test_signing_out_ends_every_session_of_the_person(served: Served, tmp_path: Path) -> None:
    first = served.sign_in("D-17")
    body = {"actor": "D-17", "pin": PINS["D-17"]}
    assert served.post("/api/session", body)[0] == 200
    request = urllib.request.Request(served.url + "/api/session", headers={"Cookie": first}, method="DELETE")
    with urllib.request.urlopen(request, timeout=60) as answer:
        assert json.load(answer)["screen"] is None
    assert served.access.sessions.dealers == ()
    assert code(served.command({"do": "freeze", "note": "replayed"})) == "SIGN_IN_NEEDED"
    kinds = [one["kind"] for one in entries(tmp_path, "signed_in", "signed_out")]
    assert kinds == ["signed_in", "signed_in", "signed_out"]


def test_a_pit_user_acts_once_at_the_dealers_tablet(served: Served) -> None:
    cookie = served.sign_in("D-17")
    grant = sign(served, "P-7", "act")
    act = {"command_id": "one-act-0001", "role": "pit", "grant": grant, "expected_seq": 10_000}

    def ask(**fields: Any) -> Said:
        seen = {"expected_seq": served.now.seq}
        return served.post("/api/commands", {**act, **seen, **fields}, Cookie=cookie)

    assert ask(act={"do": "editing", "on": True})[0] == 200, "a dialog that is open is no act"
    wrong = observe("strike", card=99, by="P-7", reason="OTHER")
    assert ask(act=wrong)[0] == 409
    ruling = observe("correct", card=1, rank="9", by="P-7", reason="MISREAD")
    assert ask(act=ruling)[0] == 200, "a refusal uses nothing up"
    assert ask(act=ruling)[0] == 200, "the same press again is answered as it was"
    assert code(ask(act=ruling, command_id="one-act-0002")) == "SIGN_IN_NEEDED"
    assert code(served.command({"do": "freeze", "note": ""})) == "", "the dealer is signed in as before"
    dealer = {"actor": "D-18", "pin": PINS["D-18"], "at": "act"}
    assert code(served.post("/api/session", dealer)) == "NOT_ALLOWED"


def test_two_different_people_sign_within_a_minute(served: Served, tmp_path: Path) -> None:
    void = observe("void", by="S-02", reason="OTHER")
    assert code(served.command(void, **PIT)) == "SECOND_FOR_ACT"
    assert code(served.command(void, **PIT, second="guess")) == "SECOND_OVER"
    assert code(served.command(void, **PIT, second=sign(served, "S-02", "second"))) == "SECOND_SAME"
    assert code(served.command(void, **PIT, second=sign(served, "D-17", "second"))) == "SECOND_NOT_ALLOWED"
    assert code(served.command(void, **PIT, second=sign(served, "E-01", "second"))) == "SECOND_NOT_ALLOWED"
    assert code(served.command(void, **PIT, second=sign(served, "P-7", "act"))) == "SECOND_OVER"
    good = sign(served, "P-7", "second")
    assert served.command(void, **PIT, second=good)[0] == 200
    assert code(served.command(void, **PIT, second=good)) == "SIGN_IN_NEEDED", "for one act"
    fact = next(one for one in entries(tmp_path, "fact") if one["obs"] == "void")
    assert (fact["by"], fact["second"], fact["signed"]) == ("S-02", "P-7", ["S-02", "P-7"])
    fill = observe("fill", slip="F1", amount=1000)
    assert served.command(fill, **PIT, second=sign(served, "D-18", "second"))[0] == 200, (
        "chips come to a dealer"
    )
    denied = [one["code"] for one in entries(tmp_path, "denied")]
    assert denied.count("SECOND_SAME") == 1


def test_one_press_means_one_thing_all_day(served: Served, tmp_path: Path) -> None:
    note = {"do": "freeze", "note": "first"}
    assert served.command(note, command_id="press-of-today")[0] == 200
    again = served.command(note, command_id="press-of-today")
    assert again[0] == 200
    assert code(served.command({**note, "note": "second"}, command_id="press-of-today")) == "COMMAND_REUSED"
    assert code(served.command(note, command_id="press-of-today", actor="D-18")) == "COMMAND_REUSED"
    # The key that lifts the pit's stop: who has not heard the answer presses once more.
    lift = observe("resume", reason="seen", codes=["FROZEN"])
    assert [served.command(lift, command_id="lift-of-today", **PIT)[0] for _ in range(2)] == [200, 200]
    for number in range(300):
        served.command({"do": "handled", "round": 1, "box": 1}, command_id=f"filler-{number:04}")
    served.restart()
    assert served.command(note, command_id="press-of-today") == again
    assert code(served.command({**note, "note": "second"}, command_id="press-of-today")) == "COMMAND_REUSED"
    assert [one["params"] for one in entries(tmp_path, "held") if one["code"] == "FROZEN"] == [
        {"note": "first"}
    ]


def test_guesses_are_noted_told_to_the_pit_and_remembered_over_a_restart(
    served: Served, tmp_path: Path
) -> None:
    wrong = {"actor": "S-03", "pin": "000000"}
    assert [code(served.post("/api/session", wrong)) for _ in range(5)] == ["PIN_WRONG"] * 3 + [
        "PIN_LOCKED"
    ] * 2
    right = {"actor": "S-03", "pin": PINS["S-03"]}
    assert code(served.post("/api/session", right)) == "PIN_LOCKED"
    assert [alert.code for alert in served.now.alerts] == ["PIN_GUESSED"]
    served.restart()
    assert code(served.post("/api/session", right)) == "PIN_LOCKED"
    tries = entries(tmp_path, "pin_refused")
    assert [(one["person"], one["tries"]) for one in tries] == [("S-03", number) for number in range(1, 4)]
    assert "000000" not in (tmp_path / "table.journal").read_bytes().decode("latin1")
    locked = [one for one in entries(tmp_path, "denied") if one["code"] == "PIN_LOCKED"]
    assert len(locked) == 2, "equal ones are joined: one before the restart, one after"


def test_a_dealer_signs_in_by_card_and_nobody_else_does(served: Served) -> None:
    assert served.post("/api/session", {"card": people_kit.CARD})[1]["person"]["id"] == "D-17"
    assert code(served.post("/api/session", {"card": "0000000000"})) == "CARD_UNKNOWN"
    assert code(served.post("/api/session", {"card": "x"})) == "CARD_UNKNOWN"


def test_who_only_looks_on_moves_no_chip_of_the_screens_either(tmp_path: Path) -> None:
    with Served(tmp_path, enforced=True) as open_table:
        bettor = {"box": 1, "seat": 0}
        dealt = open_table.command({"do": "stake", **bettor, "amount": "7"})
        assert dealt[0] == 200, "7 is no stake at this table, and lies in the circle as chips"
        before = open_table.state()["boxes"]
        for person in ("E-01", "T-01", "A-01"):
            for act in ({"do": "chip", **bettor, "chip": "5.00"}, {"do": "clear", "box": 1}):
                assert code(open_table.command(act, actor=person)) == "NOT_ALLOWED"
        assert open_table.state()["boxes"] == before
        other = observe("dealer", id="D-18", at="in")
        assert code(open_table.command(other)) == "ACTOR_DIFFERS", "nobody seats somebody else"


def test_who_deals_is_a_fact_of_the_journal_its_export_and_its_replay(tmp_path: Path) -> None:
    with Served(tmp_path, enforced=True) as table:
        table.say(ShoeLoaded(6))
        cookie = table.sign_in("D-17")
        table.say(Bet(1, 0, 1000), Close())
        table.deal("10h", "7c")
        assert table.post("/api/session", {"actor": "D-17", "pin": PINS["D-17"]})[0] == 200, "a second screen"
        assert table.command({"do": "freeze", "note": "x"}, **PIT)[0] == 200
        table.sign_in("D-18")
        table.sign_in("E-01")
        for at in ("pit", "act"):
            refused = table.post("/api/session", {"actor": "D-17", "pin": PINS["D-17"], "at": at})
            assert code(refused) == "NOT_ALLOWED"
        leave(table, cookie)
        leave(table, table.sign_in("D-18"))
    told = [
        (one["id"], one["at"], one["actor"]) for one in entries(tmp_path, "fact") if one["obs"] == "dealer"
    ]
    who = "system:sign-in"
    assert told == [("D-17", "in", who), ("D-17", "out", who), ("D-18", "in", who), ("D-18", "out", who)]
    signed = [one["person"] for one in entries(tmp_path, "signed_in")]
    assert signed == ["D-17", "D-17", "S-02", "D-18", "E-01"], "who was refused did not sign in"
    journal, out = tmp_path / "table.journal", tmp_path / "day.feed.jsonl"
    feed(journal, out=out, table=True)
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()[1:]]
    assert [(one["id"], one["at"]) for one in lines if one["obs"] == "dealer"] == [one[:2] for one in told]
    asked = (["replay", "--table", "--json", str(out)], ["verify", str(journal)])
    played, verified = (CliRunner().invoke(build(words[0]), words) for words in asked)
    assert (played.exit_code, verified.exit_code) == (0, 0), (played.output, verified.output)
    assert not [one for one in map(json.loads, played.stdout.splitlines()) if one["type"] == "refused"]


def leave(table: Served, cookie: str) -> None:
    request = urllib.request.Request(table.url + "/api/session", headers={"Cookie": cookie}, method="DELETE")
    urllib.request.urlopen(request, timeout=60).close()
