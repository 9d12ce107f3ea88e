"""A table on the floor's network: what goes over the wire, and what the archive has after the worst."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import product
from pathlib import Path

import pytest
from nats.aio.client import Client
from nats.aio.msg import Msg

from controller.acts.catalogue import Bet, Close, Decision, End, Observation, Reveal, TableDay
from controller.domain import RANKS, SUITS
from controller.floor.archive import Brought, journals_in
from controller.floor.messages import subject_of
from controller.journal.entry import Entry, digest
from controller.journal.head_file import TableKey
from controller.journal.heads import head_of, heads_path
from controller.runtime import snapshot
from controller.runtime.api import Resume
from tests.floor.archive_kit import archiving, kept_of
from tests.floor.broker_kit import Broker
from tests.floor.floor_kit import run_linked
from tests.main.copy_kit import cards, entries
from tests.main.live_kit import Live

PLAYED = ("10", "9", "7")


async def begin(live: Live, hole: str) -> None:
    """A round up to its face-down card."""
    if live.holds:
        await live.ask(Resume())
    await live.say(Bet(1, 0, 1000), Close(), *cards(*PLAYED, hole), Decision(1, 1, "stand"))


async def end(live: Live) -> None:
    await live.say(Reveal(), End())


def test_the_archive_has_each_day_as_it_was_written_whatever_became_of_the_broker(
    broker: Broker, tmp_path: Path
) -> None:
    """A day without any, then one on which it is killed twice, and loses its stream once."""
    archive, took, days = tmp_path / "archive", list[Brought](), list[Path]()

    async def alone(live: Live) -> None:
        for _ in range(3):
            await begin(live, "8")
            await end(live)
        await live.say(TableDay("closed"))

    async def story(live: Live) -> None:
        async with archiving(broker, archive, took.append):
            await begin(live, "8")
            await end(live)
            await live.until(lambda: kept_of(archive, days[0]) == entries(days[0]))
            await live.until(lambda: len(kept_of(archive, today)) >= live.now.seq)
            broker.kill()
            await begin(live, "8")
            await end(live)
            broker.start()
            await begin(live, "8")
            client = await broker.client()
            await client.jetstream().delete_stream("stand17_entries")
            await client.close()
            broker.kill()
            broker.start()
            await end(live)
            await live.until(lambda: len(kept_of(archive, today)) >= live.now.seq)

    broker.kill()
    days.append(run_linked(tmp_path, alone, broker, "monday.journal"))
    broker.start()
    today = tmp_path / "tuesday.journal"
    run_linked(tmp_path, story, broker, "tuesday.journal")
    assert kept_of(archive, today) == entries(today)[: len(kept_of(archive, today))]
    assert all(one.error is None for one in took)
    (monday,) = (one for one in journals_in(archive) if one.name.startswith("monday"))
    assert heads_path(monday).read_bytes() == heads_path(days[0]).read_bytes()


_HEAD = re.compile(rb'"signature":.*"nonce"|"nonce":.*"signature"')
_CARD = re.compile(rb'"rank":"[^"]+","suit":"[^"]+"')


def test_a_house_without_a_face_down_card_sends_each_at_once(broker: Broker, tmp_path: Path) -> None:
    acts: list[Observation] = [Bet(1, 0, 1000), Close(), *cards(*PLAYED)]

    async def story(live: Live) -> None:
        async with archiving(broker, tmp_path / "archive", lambda _: None):
            await live.ask(Resume())
            for said in acts:
                await live.say(said)
                await live.until(lambda: len(kept_of(tmp_path / "archive", journal)) >= live.now.seq)

    journal = tmp_path / "table.journal"
    run_linked(tmp_path, story, broker, rules="fr")


class Wire:
    """Everything that goes over the network, with what the table answers to whoever asks for its view."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, bytes]] = []
        self.resting: bytes = b""
        """What is shown and answered while the table rests with a card face down."""

    async def take(self, message: Msg) -> None:
        self.messages.append((message.subject, repr(message.headers).encode() + message.data))

    def shows(self, seq: int) -> bool:
        wanted = f'"seq":{seq},"tile"'.encode()
        return any(wanted in data for _, data in self.messages)


@asynccontextmanager
async def listening(broker: Broker, wire: Wire) -> AsyncIterator[Client]:
    client = await broker.client()
    await client.subscribe(">", cb=wire.take)
    await client.flush()
    yield client
    await client.close()


def dealt(broker: Broker, folder: Path, hole: str, *, leaves: bool = False) -> tuple[Wire, list[Entry]]:
    """A table that rests with a card face down, and the entries from the round's first card on.

    `leaves`: once all has left.
    """
    wire, journal = Wire(), folder / f"{folder.name}.journal"
    folder.mkdir()
    broker.empty()

    async def story(live: Live) -> None:
        key = TableKey.load(folder / "table.key").public
        async with archiving(broker, folder / "archive", lambda _: None), listening(broker, wire) as client:
            await begin(live, hole)
            await live.until(lambda: wire.shows(live.now.seq))
            shown = next(data for _, data in reversed(wire.messages) if b'"tile"' in data)
            view = await client.request(subject_of("view", key), b"1", timeout=60)
            wire.resting = shown + view.data
            # Time for whatever else would leave.
            awaited = live.now.seq if leaves else 2
            await live.until(lambda: len(kept_of(folder / "archive", journal)) >= awaited)
            await asyncio.sleep(0.3)

    run_linked(folder, story, broker, journal.name)
    played = entries(journal)
    first = next(one.seq for one in played if one.kind == "fact" and b'"card"' in one.body)
    return wire, [one for one in played if one.seq >= first]


def leaks(wire: Wire, secret: list[Entry]) -> list[bytes]:
    """What of the round went over the wire: an entry's hash, or one that 52 guesses turn into a card."""
    found = b"\n".join(data for _, data in wire.messages)
    sealing = [head for head in map(head_of, filter(_HEAD.search, found.splitlines())) if head is not None]
    hashes = {one.hash for one in secret} | {one for card in guesses(secret) for one in card}
    return [
        one
        for one in hashes
        if one in found or one.hex().encode() in found or any(head.seals(one) for head in sealing)
    ]


def guesses(secret: list[Entry]) -> Iterator[list[bytes]]:
    """For each of 52 cards the hashes from the face-down one on, by somebody who knows everything else."""
    at = max(number for number, one in enumerate(secret) if b'"obs":"card"' in one.body)
    for rank, suit in product(RANKS, SUITS):
        card = f'"rank":"{rank}","suit":"{suit}"'.encode()
        hashes, body = [secret[at].prev_hash], _CARD.sub(card, secret[at].body)
        for one in (secret[at]._replace(body=body), *secret[at + 1 :]):
            hashes.append(digest(one._replace(prev_hash=hashes[-1])))
        yield hashes[1:]


def _timeless(data: bytes) -> bytes:
    """Without times, and what names a table: as long as they are equally long, they tell nothing."""
    data = re.sub(rb'"(version|age_ms|left_s)":[0-9]+|(?<=[0-9a-f]{64}) [0-9]+$', b"", data, flags=re.M)
    return re.sub(rb"[0-9a-f]{64}|\b[0-9]{9,}\b", lambda one: b"-" * len(one[0]), data)


def test_nothing_on_the_wire_tells_the_card_that_lies_face_down(
    broker: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    eight, secret = dealt(broker, tmp_path / "eight", "8")
    assert [one.hash for one in secret if b'"rank":"8"' in one.body] == [
        hashes[0] for hashes in guesses(secret) if hashes[0] in {one.hash for one in secret}
    ], "one guess is right"
    assert leaks(eight, secret) == []
    ten, _ = dealt(broker, tmp_path / "ten", "10")
    is_same = _timeless(eight.resting) == _timeless(ten.resting)
    assert is_same, "the card shows, be it by a length"
    assert b'"rank":"7"' in eight.resting, "the open ones are there"
    # The rule switched off: this test would see it.
    monkeypatch.setattr(snapshot, "is_released", lambda _state, _waiting: True)
    assert leaks(*dealt(broker, tmp_path / "open", "8", leaves=True))
