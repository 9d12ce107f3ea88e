"""Links, pipes and devices where a table expects a file of its own making, outside its own folder."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

from controller.domain import ConfigError, JournalError
from controller.journal.copying import copy_file
from controller.journal.head_file import TableKey
from controller.people.store import BroughtPeople, PeopleFile, publish
from drivers.simulated import PtyShoe
from tests.forked_process import command
from tests.main.live_kit import Live, play
from tests.main.test_signing import one_round
from tests.people_kit import people_file

Laid = Callable[[Path, Path], None]

LAID: Final[dict[str, Laid]] = {
    "link": lambda place, target: place.symlink_to(target),
    "second name": lambda place, target: place.hardlink_to(target),
    "pipe": lambda place, _: os.mkfifo(place),
    "folder": lambda place, _: place.mkdir(),
    "device": lambda place, _: place.symlink_to("/dev/zero"),
}


@pytest.mark.parametrize("laid", LAID)
def test_a_table_writes_its_heads_into_no_file_of_its_own_and_waits_for_no_pipe(
    tmp_path: Path, laid: str
) -> None:
    """What lies there while it runs is an alert; what lies there at a start is said, too."""
    here, kept = tmp_path / "here", tmp_path / "kept"
    here.mkdir()
    kept.mkdir()
    people = people_file(here)
    before, place, shoe = people.read_bytes(), kept / "table.journal.signed", PtyShoe()

    async def story(live: Live) -> None:
        await live.until(place.exists)
        place.unlink()
        LAID[laid](place, people)
        await one_round(live)
        await live.until(lambda: "HEADS_NOT_KEPT" in live.alerts or "JOURNAL_KEPT_DIFFERS" in live.holds)

    try:
        play(here, story, {"port": shoe.port}, signing={"keep_folder": str(kept)})
        assert people.read_bytes() == before
        if laid == "second name":
            return
        config = here / "table.toml"
        config.write_text(
            '[table]\nname = "BJ1"\nrules = "spielbank"\n[software]\nallow_unreleased = true\n'
            "[web]\nport = 0\n"
            f'[journal]\nfile = "table.journal"\n[signing]\nkeep_folder = "{kept}"\n'
            f'[shoe]\nport = "{shoe.port}"\n'
        )
        said = command("run", str(config))
    finally:
        shoe.close()
    assert people.read_bytes() == before
    assert said.returncode == 2, said.stderr
    assert f"The signed heads {place} cannot be read" in said.stderr


@pytest.mark.parametrize("laid", LAID)
def test_a_copy_is_written_into_no_file_of_another_name(tmp_path: Path, laid: str) -> None:
    people, copies, shoe = people_file(tmp_path), tmp_path / "copies", PtyShoe()
    copies.mkdir()
    before = people.read_bytes()

    async def story(live: Live) -> None:
        await live.until(lambda: "COPY_NOT_WRITTEN" in live.alerts or "JOURNAL_KEPT_DIFFERS" in live.holds)

    LAID[laid](copy_file(copies, tmp_path / "table.journal"), people)
    table = {"file": tmp_path / "table.journal", "copy_folder": copies}
    try:
        with suppress(JournalError):
            play(tmp_path, story, {"port": shoe.port}, journal=table)
    finally:
        shoe.close()
    assert people.read_bytes() == before


def test_a_witness_passes_over_pipes_and_links_in_a_folder_and_names_them(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    people = people_file(tmp_path)
    key = TableKey.load_or_make(tmp_path / "table.key", {}).public
    for name, lay in LAID.items():
        if name != "second name":
            lay(kept / f"{name}.signed", people)
    said = command("witness", str(tmp_path / "witness"), "--of", key, "--look", str(kept))
    assert said.returncode == 1, said.stderr
    assert said.stderr.count("cannot be read") == 4


def test_a_list_of_people_is_neither_read_from_a_pipe_nor_published_through_a_link(tmp_path: Path) -> None:
    own, share = tmp_path / "own", tmp_path / "share"
    own.mkdir()
    share.mkdir()
    people = PeopleFile(people_file(own))
    before, source = people.path.read_bytes(), share / "people.signed"
    os.mkfifo(source)
    with pytest.raises(ConfigError, match="PEOPLE_UNREADABLE"):
        BroughtPeople(people, source, lambda _message, _signature: True).bring()
    source.unlink()
    (share / "people.signed.new").symlink_to(people.path)
    with pytest.raises(ConfigError, match="PEOPLE_UNWRITABLE"):
        publish(people, source, lambda _: bytes(64))
    assert people.path.read_bytes() == before
