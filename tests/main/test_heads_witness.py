"""A witness of heads: a process of another house that signs for one history of a table, and for no second."""

import json
import shutil
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from controller.journal.head_file import Head, TableKey
from controller.journal.heads import HeadSigner, heads_path, read_checkpoint
from drivers.simulated import PtyShoe
from tests.forked_process import Ended, Forked, command
from tests.main.live_kit import Live, play
from tests.main.test_signing import one_round


def said(*arguments: object) -> Ended:
    """What a command line answers."""
    return command(*map(str, arguments))


@contextmanager
def witness(folder: Path, key: str) -> Iterator[tuple[str, str, Path]]:
    """A running witness: its public key, its address, and where it says what it did not sign for."""
    errors = folder.with_name("errors.txt")
    with errors.open("wb") as stderr:
        process = Forked("witness", folder, "--of", key, "--port", "0", stderr=stderr)
    try:
        own, address = (process.stdout.readline().split()[-1] for _ in range(2))
        yield own, address, errors
    finally:
        process.terminate()
        process.wait(20)


def verified(journal: Path, *more: object) -> tuple[int, dict[str, Any]]:
    status, printed, _ = said("verify", journal, "--json", *more)
    return status, json.loads(printed)["signed"]


def test_a_table_that_was_put_back_and_goes_on_otherwise_is_caught(tmp_path: Path) -> None:
    here, kept, before = tmp_path / "here", tmp_path / "witness", tmp_path / "before"
    here.mkdir()
    key = TableKey.load_or_make(here / "table.key", {}).public
    checkpoint, heads = kept / f"{key}.checkpoint", kept / f"{key}.signed"
    shoe = PtyShoe()

    async def a_round(live: Live) -> None:
        seen = heads.read_bytes() if heads.exists() else b""
        await one_round(live)
        await live.until(lambda: heads.exists() and heads.read_bytes() != seen)

    async def another(live: Live) -> None:
        await live.until(lambda: "JOURNAL_KEPT_DIFFERS" in live.holds)

    try:
        with witness(kept, key) as (own, address, errors):
            sent = {"keep_url": address}
            play(here, a_round, {"port": shoe.port}, signing=sent)
            shutil.copytree(here, before)
            play(here, a_round, {"port": shoe.port}, signing=sent)
            given = ("--key", key, "--kept", heads, "--witness", own)
            status, signed = verified(here / "table.journal", *given)
            assert (status, signed["witnessed"], signed["fault"]) == (0, signed["seq"], None)
            # With its own key the house begins a second journal, of an hour that it has shown already.
            hour_us = json.loads(heads.read_text().splitlines()[1])["at_utc_us"]
            signer = HeadSigner(tmp_path / "other.journal", "BJ1", TableKey.load(here / "table.key"))
            head = signer.sign(Head(1, bytes(32)), 1, hour_us, "start")
            with urlopen(address, head.line(with_nonce=False).encode()) as answer:
                assert answer.status == 200
            assert verified(here / "table.journal", *given)[1]["fault"]["code"] == "TWO_HISTORIES"
            # The house puts the day back as it was an hour ago, and has another one.
            play(before, another, {"port": shoe.port}, signing=sent)
        assert "BJ1, head " in errors.read_text()
        assert "another history" in errors.read_text()
    finally:
        shoe.close()
    status, signed = verified(before / "table.journal", *given)
    assert (status, signed["fault"]["code"]) == (1, "KEPT_DIFFERS")
    # Whoever takes a head out of what was witnessed is found, and so is another witness's key.
    whole = heads.read_bytes()
    heads.write_bytes(b"".join(whole.splitlines(keepends=True)[:-1]))
    assert verified(here / "table.journal", *given)[1]["fault"]["code"] == "WITNESS_DIFFERS"
    heads.write_bytes(whole)
    assert verified(here / "table.journal", *given[:-1], key)[1]["fault"]["code"] == "WITNESS_NONE"
    assert said("verify", here / "table.journal", "--witness", own)[0] == 2
    note = checkpoint.read_text()
    assert read_checkpoint(note.replace(f"\n{len(whole.splitlines())}\n", "\n99\n"), own) is None


def test_a_second_journal_of_the_same_hours_is_named_and_folders_do_without_a_network(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    key = TableKey.load_or_make(tmp_path / "table.key", {})
    for name, first in (("evening", 1), ("second", 2)):
        signer = HeadSigner(kept / f"{name}.journal", "BJ1", key)
        for number in range(3):
            signer.sign(Head(number, bytes(32)), number, first + 2 * number, "round")
    stranger = HeadSigner(kept / "a.journal", "BJ1", TableKey.load_or_make(tmp_path / "other.key", {}))
    stranger.sign(Head(1, bytes(32)), 1, 1, "start")
    own = tmp_path / "witness"
    status, printed, errors = said("witness", own, "--of", key.public, "--look", kept)
    assert (status, errors.count("signed by a key that is not witnessed here")) == (1, 1)
    heads_path(kept / "a.journal").unlink()
    assert said("witness", own, "--of", key.public, "--look", kept)[0] == 0
    lines = (own / f"{key.public}.signed").read_bytes().splitlines(keepends=True)
    assert not any(b"nonce" in line for line in lines)
    found = read_checkpoint((own / f"{key.public}.checkpoint").read_text(), printed.split()[-1])
    assert found is not None
    # The tree of RFC 6962 by its definition: the largest power of two below six leaves is four.
    leaf = [sha256(b"\0" + line).digest() for line in lines]
    pair = [sha256(b"\1" + leaf[at] + leaf[at + 1]).digest() for at in (0, 2, 4)]
    root = sha256(b"\1" + sha256(b"\1" + pair[0] + pair[1]).digest() + pair[2]).digest()
    assert (found.size, found.root) == (6, root)
    assert b64decode((own / f"{key.public}.checkpoint").read_text().split("\n")[2]) == root
