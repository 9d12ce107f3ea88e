"""A dealer cannot get out of any fault: every act of the wire is sent while one holds."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from controller.feed.wire import AnyObservation
from controller.runtime.api import AuditLine, Autoplay, Command, CommandAnswer, HoldView, TableSnapshot
from controller.runtime.inbox import SubmittedCommand
from controller.runtime.staff_notes import StaffNotes
from controller.screens.acts import ScreenAct
from controller.screens.table_screens import TableScreens
from controller.screens.words import DemoFault
from controller.web.app import create_app
from controller.web.parts import WebParts
from tests import people_kit
from tests.simulation.fault_kit import FaultTable

Json = dict[str, Any]

HOLDING: tuple[DemoFault, ...] = (
    "drew_on_17", "stood_on_16", "stuck_cards", "wrong_box", "missed_box", "unread_card", "one_too_many",
    "wrong_payout", "cable_pulled",
)  # fmt: skip
"""The faults that hold the table; a smeared lens is an alert, and of a mis-tapped stand no table can know."""

WHY = {"by": "D-17", "reason": "DEALER_ERROR"}
DOUBT = {"was": "Ah", "seen": "Ad", "card": "Ad", "reason": "x"}
MONEY = {"amount": 1000, "by": "D-17", "second": "D-18"}


def facts(now: TableSnapshot) -> tuple[Json, ...]:
    """Everything that can be told, about the first bettor and about what the holds are about."""
    box = next((hold.box for hold in now.holds if hold.box > 0), now.state.boxes[0].box)
    card = next((hold.card for hold in now.holds if hold.card), 1)
    bettor, hand, rank = {"box": box, "seat": 0}, {"box": box, "hand": 1}, {"rank": "5", "suit": "d"}
    decided = {**hand, "nth": 1, "action": None}
    return (
        {"obs": "shoe", "decks": now.rules.decks},
        {"obs": "bet", **bettor, "stake": 1000},
        *({"obs": name} for name in ("close", "insurance_closed", "end", "reveal")),
        {"obs": "card", **rank},
        {"obs": "card", **rank, "to": "dealer"},
        *({"obs": "decision", **hand, "action": action} for action in ("hit", "stand", "double", "split")),
        {"obs": "insurance", **bettor, "stake": 0},
        {"obs": "even_money", **bettor},
        {"obs": "peek", "blackjack": False},
        {"obs": "reveal", **rank},
        {"obs": "paid", **bettor, "amount": 0},
        {"obs": "paid", **bettor, "amount": 0, "round": now.state.book.number},
        {"obs": "correct", "card": card, **rank, **WHY},
        {"obs": "strike", "card": card, **WHY},
        {"obs": "strike", "card": card, "burn": True, **WHY},
        {"obs": "move", "card": card, "to": "box", **hand, **WHY},
        {"obs": "void", "box": box, **WHY},
        {"obs": "void", "box": None, **WHY},
        {"obs": "swap", "from": hand, "with": {"box": now.state.boxes[-1].box, "hand": 1}, **WHY},
        {"obs": "amend", "what": "stake", **bettor, "stake": 500, **WHY},
        {"obs": "amend", "what": "decision", **decided, **WHY},
        {"obs": "amend", "what": "insurance", **bettor, "stake": 0, **WHY},
        {"obs": "amend", "what": "even_money", **bettor, "taken": False, **WHY},
        {"obs": "amend", "what": "peek", "blackjack": True, **WHY},
        *({"obs": "amend", "what": what, **WHY} for what in ("reveal", "close")),
        {"obs": "resume", **WHY},
        *({"obs": "resume", "codes": [hold.code], **WHY} for hold in now.holds),
        {"obs": "leave", **bettor},
        *({"obs": "device", "name": name, "state": "live"} for name in ("shoe", "camera")),
        *({"obs": "shuffle", "cards": cards} for cards in ("discards", "all")),
        {"obs": "shoe_end"},
        *({"obs": "rest_count", "state": state} for state in ("begin", "cancel")),
        {"obs": "rest_card", **rank},
        {"obs": "shoe_void", **WHY},
        {"obs": "limits", "stake_min": 0, "stake_max": 0, "stake_step": 0, "by": "D-17"},
        {"obs": "table", "state": "closed", "by": "D-17"},
        {"obs": "dealer", "id": "D-18", "at": "in"},
        {"obs": "count", "at": "check", **MONEY},
        *({"obs": slip, "slip": "1", **MONEY} for slip in ("fill", "credit")),
        {"obs": "slip_void", "kind": "fill", "slip": "1", "by": "pit:P", "reason": "r", "second": "pit:Q"},
        {"obs": "drop", "amount": 1000},
        {"obs": "chips", "box": box, "chips": 5},
        {"obs": "bank", "box": box},
        {"obs": "chip_reading", "kind": "stake", **bettor, "amount": 1000},
        {"obs": "freeze", **WHY},
        {"obs": "message", "text": "call me"},
        {"obs": "rating", **bettor, "guest": "RATED234"},
        {"obs": "note", "text": "a guest protests"},
        {"obs": "cut_card"},
        {"obs": "exposed", "who": "dealer"},
    )  # fmt: skip


def acts(now: TableSnapshot) -> tuple[Json, ...]:
    """Every act of the wire; the last ones are those that a dealer may do, and that lead out of nothing."""
    box = now.state.boxes[0].box
    last = [fact for fact in facts(now) if fact["obs"] in HAPPENED]
    return (
        *({"do": "observe", "obs": fact} for fact in facts(now) if fact not in last),
        {"do": "observe_all", "obs": [fact for fact in facts(now) if fact["obs"] == "void"] * 2},
        {"do": "chip", "box": box, "seat": 0, "chip": "5.00"},
        {"do": "stake", "box": box, "seat": 0, "amount": "20"},
        {"do": "insure", "box": box, "seat": 0, "amount": "0"},
        {"do": "given", "box": box, "seat": 0, "amount": "0"},
        {"do": "clear", "box": box},
        {"do": "resume"},
        {"do": "resume", "without": ["shoe", "camera"]},
        {"do": "handled", "round": now.state.book.number, "box": box},
        *({"do": "alert", "alert": alert.alert, "step": "resolve"} for alert in now.alerts),
        *({"do": "order", "device": "shoe", "order": order, "reason": "x"} for order in ("lock", "unlock")),
        {"do": "name", "camera": "camera", "box": box, **DOUBT},
        {"do": "draw"},
        {"do": "editing", "on": True},
        *({"do": "alert", "alert": alert.alert, "step": "ack"} for alert in now.alerts),
        {"do": "autoplay", "on": False},
        *({"do": "observe", "obs": fact} for fact in last),
        {"do": "freeze", "note": ""},
    )  # fmt: skip


HAPPENED = ("cut_card", "exposed", "note")
"""What has happened whatever holds, a remark among it: it is taken, and the table waits on."""


def fact_of(act: Json) -> Json:
    """The one fact that an act reports, {} of any other."""
    fact: Json = act["obs"] if act["do"] == "observe" else {}
    return fact


def is_answer(act: Json, hold: HoldView) -> bool:
    """Whether this is what the house leaves to the dealer: to name a card, or to say what a box decided."""
    fact = fact_of(act)
    if hold.release != "dealer":
        return False
    if hold.code == "CARD_UNREAD":
        return bool(fact.get("obs") == "correct" and fact["card"] == hold.card)
    return bool(hold.code == "DECISION_UNCLEAR" and fact.get("obs") == "decision")


class Submitted:
    """The running table of a kit, as the screens hold it."""

    def __init__(self, table: FaultTable) -> None:
        self._table = table

    async def submit(self, command: Command, *then: Command) -> Any:
        if isinstance(command.action, Autoplay):
            return self._table.door.set_autoplay(command.action.on)
        answers: list[CommandAnswer] = []
        self._table.take(SubmittedCommand(command, answers.append, then))
        return answers[0]

    async def audit(self, _from_seq: int, _limit: int) -> tuple[AuditLine, ...]:
        return ()

    def closed_round(self, _number: int) -> None:
        return None


class Tablet:
    """A screen in front of the application itself, as a server passes its requests on."""

    def __init__(self, table: FaultTable) -> None:
        port = Submitted(table)
        access = people_kit.access(StaffNotes(port).note)
        screens = TableScreens(port, table.door.hub, lambda: 0.0, dealer=access.sessions.dealer_id)
        self._app = create_app(WebParts(screens, access))
        self._cookie = b""

    async def sign_in(self, person: str) -> None:
        status, _ = await self.post("/api/session", {"actor": person, "pin": people_kit.PINS[person]})
        assert status == 200
        assert self._cookie

    async def post(self, path: str, body: Json) -> tuple[int, Json]:
        """Send a request; a cookie that is given is kept."""
        sent = json.dumps(body).encode()
        said: list[Json] = []

        async def receive() -> Json:
            return {"type": "http.request", "body": sent, "more_body": False}

        async def send(message: Any) -> None:
            said.append(message)

        await self._app(self._scope(path, len(sent)), receive, send)
        for name, value in said[0]["headers"]:
            if name == b"set-cookie":
                self._cookie = value.partition(b";")[0]
        text = b"".join(message.get("body", b"") for message in said)
        return said[0]["status"], json.loads(text)

    def _scope(self, path: str, length: int) -> Json:
        headers = [
            (b"host", b"127.0.0.1"),
            (b"content-type", b"application/json"),
            (b"content-length", str(length).encode()),
            *([(b"cookie", self._cookie)] if self._cookie else []),
        ]
        return {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST",
            "scheme": "http", "path": path, "raw_path": path.encode(), "query_string": b"",
            "root_path": "", "headers": headers, "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
        }  # fmt: skip


def is_harmless(act: Json) -> bool:
    """Whether a dealer may do this at a held table: it stops the table, or leads out of nothing."""
    happened = fact_of(act).get("obs") in HAPPENED
    return happened or act["do"] in ("freeze", "autoplay", "clear") or act.get("step") == "ack"


def lies(now: TableSnapshot) -> tuple[object, ...]:
    """Everything of the table that an act could change, but its alerts' steps."""
    return now.state, now.result, now.pay, now.holds, now.waiting, now.devices


async def walk(table: FaultTable) -> tuple[set[str], set[str]]:
    """Send every act as a dealer; which acts and facts were sent."""
    tablet = Tablet(table)
    await tablet.sign_in("D-17")
    began = table.now
    done, told = set(), set()
    for number, act in enumerate(acts(began)):
        done.add(act["do"])
        told.add(fact_of(act).get("obs", ""))
        if any(is_answer(act, hold) for hold in began.holds):
            continue
        before = table.now
        body = {"command_id": f"walk-{number:06}", "expected_seq": before.seq, "actor": "D-17", "act": act}
        status, answer = await tablet.post("/api/commands", {**body, "role": "dealer"})
        held = {(hold.code, hold.params) for hold in table.now.holds}
        assert {(hold.code, hold.params) for hold in began.holds} <= held, act
        assert is_harmless(act) or status == 409, (act, answer)
        if act["do"] == "clear" or not is_harmless(act):
            assert lies(table.now) == lies(before), act
    return done, told


@pytest.mark.parametrize("fault", HOLDING)
def test_a_dealer_cannot_get_out_of_a_fault(fault: DemoFault, tmp_path: Path) -> None:
    table = FaultTable(tmp_path, "spielbank", seed=5)
    table.until_stands(fault)
    assert table.now.holds
    done, told = asyncio.run(walk(table))
    table.close()
    assert done | {"alert"} == words(ScreenAct, "do")
    assert told - {""} == words(AnyObservation, "obs")


def words(form: Any, field: str) -> set[str]:
    """What tells the forms of a union apart, so that a new form has to be walked, too."""
    known = TypeAdapter[Any](form).json_schema()["$defs"].values()
    fields = [model["properties"][field] for model in known if field in model.get("properties", {})]
    return {one["const"] for one in fields if "const" in one}


def test_a_dealer_is_not_the_pit(tmp_path: Path) -> None:
    table = FaultTable(tmp_path, "spielbank", seed=5)
    table.until_stands("drew_on_17")

    async def ask() -> None:
        tablet = Tablet(table)
        await tablet.sign_in("D-17")
        began = table.now
        seq = began.seq
        for number, act in enumerate(acts(began)):
            body = {"command_id": f"walk-{number:06}", "expected_seq": seq, "role": "pit", "act": act}
            status, answer = await tablet.post("/api/commands", body)
            assert (status, answer["code"]) in (
                (409, "refused.SIGN_IN_NEEDED"),
                (403, "refused.SIGN_IN_NEEDED"),
            ), act
        assert lies(table.now) == lies(began)

    asyncio.run(ask())
    table.close()
