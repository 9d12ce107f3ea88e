"""What the pit asks of a table over the floor's network: done once or never, with one entry that says so."""

import json
import secrets
import threading
from pathlib import Path
from typing import Any

import pytest
from nats.aio.client import Client
from nats.errors import NoRespondersError

from controller.acts.catalogue import Bet, Close, Correct, Fill
from controller.config import SecondPersonSection
from controller.feed.codec import to_json
from controller.floor.messages import ASKED, AskedCommand, asked_as, opened, signed_command, subject_of
from controller.journal.entry import Entry
from controller.journal.head_file import TableKey
from controller.runtime import decide
from controller.runtime.api import Resume
from tests.floor.broker_kit import Broker
from tests.floor.floor_kit import run_linked
from tests.main.copy_kit import cards, entries
from tests.main.live_kit import Live

FREEZE = {"do": "freeze", "note": "count the float"}
LIFT = {"do": "resume"}


class Pit:
    """The pit's server: signs, sends, and reads what it is answered."""

    def __init__(self, client: Client, key: TableKey, live: Live, journal: Path) -> None:
        self._client, self._key, self._live = client, key, live
        self.table = TableKey.load(journal.with_name("table.key")).public
        self.journal = entries(journal)[0].hash.hex()
        self._presses = 0

    def command(self, act: dict[str, Any], **more: Any) -> AskedCommand:
        self._presses += 1
        command_id = f"press-{self._presses:04}"
        asked = AskedCommand(self.table, self.journal, command_id, "S-02", self._live.now.seq, act)
        return asked._replace(**more)

    async def ask(self, act: dict[str, Any], **more: Any) -> Any:
        return await self.send(signed_command(self.command(act, **more), self._key))

    async def send(self, data: bytes) -> Any:
        number = secrets.token_hex(4)
        asked = {ASKED: number}
        answer = await self._client.request(
            subject_of("command", self.table), data, timeout=60, headers=asked
        )
        found = opened("answer", answer.data, asked_as(number, data))
        assert found is not None
        assert found.key == self.table
        assert opened("answer", answer.data, asked_as("another", data)) is None, "answered for this once"
        return json.loads(found.body)


def _commanded(journal: Path) -> list[Entry]:
    return [one for one in entries(journal) if one.kind == "commanded"]


def test_a_command_takes_effect_once_or_never(
    broker: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, other = (TableKey.load_or_make(tmp_path / f"{name}.key", {}) for name in ("pit", "other"))
    journal, said = tmp_path / "table.journal", dict[str, Any]()

    async def story(live: Live) -> None:
        await live.ask(Resume())
        client = await broker.client()
        pit = Pit(client, own, live, journal)
        freeze = signed_command(pit.command(FREEZE), own)
        await live.until(lambda: live.device("shoe") == "live")
        said["first"] = await pit.send(freeze)
        said["holds"] = live.holds
        said["again"] = await pit.send(freeze)
        said["lifted"] = await pit.ask(LIFT)
        said["replayed"] = await pit.send(freeze)
        said["holds after"] = live.holds
        said["forged"] = await pit.send(freeze.replace(b"float", b"chips"))
        said["not its key"] = await pit.send(signed_command(pit.command(FREEZE), other))
        said["other table"] = await pit.ask(FREEZE, table=other.public)
        said["other day"] = await pit.ask(FREEZE, journal="0" * 64)
        said["dealer"] = await pit.ask(FREEZE, actor="D-17")
        said["stranger"] = await pit.ask(FREEZE, actor="nobody")
        seen = live.now.seq
        await live.say(Bet(1, 0, 1000), Close(), *cards("10", "9"))
        right = {"do": "observe", "obs": to_json(Correct(1, None, "8", "s", "S-02", "it is an 8"))}
        said["stale"] = await pit.ask(right, expected_seq=seen)
        monkeypatch.setattr(decide, "FRESH", 3)
        said["late"] = await pit.ask(FREEZE, expected_seq=seen)
        said["not yet"] = await pit.ask(FREEZE, expected_seq=live.now.seq + 9)
        fill = {"do": "observe", "obs": to_json(Fill("4711", 10_000, None, "S-02"))}
        said["alone"] = await pit.ask(fill)
        said["himself"] = await pit.ask(fill, second="S-02")
        said["two"] = await pit.ask(fill, second="P-7")
        said["garbage"] = await pit.send(b"\xff{}\n")
        await client.close()

    run_linked(
        tmp_path, story, broker, commanders=(own.public,), second_person=SecondPersonSection(over_minor=False)
    )
    assert said["holds"] == ["FROZEN"]
    assert said["again"] == said["replayed"] == said["first"]
    assert said["holds after"] == []
    codes = {name: answer.get("code") for name, answer in said.items() if isinstance(answer, dict)}
    assert {name: code for name, code in codes.items() if code} == {
        "forged": "COMMAND_NOT_SIGNED",
        "not its key": "COMMAND_NOT_SIGNED",
        "garbage": "COMMAND_NOT_SIGNED",
        "other table": "COMMAND_FOR_ANOTHER",
        "other day": "COMMAND_FOR_ANOTHER",
        "dealer": "NOT_ALLOWED",
        "stranger": "PERSON_UNKNOWN_HERE",
        "stale": "STALE_COMMAND",
        "late": "STALE_COMMAND",
        "not yet": "STALE_COMMAND",
        "alone": "SECOND_FOR_ACT",
        "himself": "SECOND_SAME",
    }
    found = _commanded(journal)
    assert [one.seq for one in found] == [said[name]["seq"] for name in ("first", "lifted", "two")]
    assert {json.loads(one.body)["by"] for one in found} == {own.public}
    assert json.loads(found[-1].body)["signed"] == ["S-02", "P-7"]
    done = {one.seq: one for one in entries(journal)}
    assert done[found[0].seq - 1].kind == "held", "in the transaction of what it led to"
    assert done[found[0].seq - 1].at_utc_us == found[0].at_utc_us


def test_nothing_of_the_network_holds_a_table_up(broker: Broker, tmp_path: Path) -> None:
    """None at all, with nobody to answer: the table plays, and ends at once."""
    broker.kill()

    async def story(live: Live) -> None:
        await live.ask(Resume())
        await live.say(Bet(1, 0, 1000), Close(), *cards("10", "9"))
        assert "floor" in {thread.name for thread in threading.enumerate()}
        broker.start()
        client = await broker.client()
        with pytest.raises(NoRespondersError):
            await client.request(subject_of("command", "0" * 64), b"", timeout=60)
        await client.close()
        broker.kill()

    run_linked(tmp_path, story, broker)
    assert "floor" not in {thread.name for thread in threading.enumerate()}
    assert [one for one in entries(tmp_path / "table.journal") if b'"obs":"close"' in one.body]
