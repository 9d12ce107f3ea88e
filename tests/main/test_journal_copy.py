"""A journal written once more beside its commits, and the table that goes on from the copy elsewhere."""

import getpass
import json
import multiprocessing
import os
import shutil
import stat
import time
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner

from controller.acts.catalogue import Bet, CardSeen, Close, ShoeLoaded, Void
from controller.cli.application import build
from controller.domain import RANKS, SUITS, ConfigError, JournalError
from controller.floor.archive import Archive, journals_in
from controller.journal.copying import CopyPlace, checked_copy, continued_by, copy_file, entries_of, heads_of
from controller.journal.entry import Entry
from controller.journal.head_file import TableKey
from controller.journal.heads import heads_beside
from controller.journal.store import Journal
from controller.outputs import Outputs
from controller.ports import SystemClock
from controller.runtime.api import Rejected, Resume
from tests.main.copy_kit import end, entries, run
from tests.main.live_kit import Live
from tests.people_kit import PINS, people_file

PIT = ("S-02", "P-7")


def test_nothing_of_a_round_is_copied_until_its_card_is_turned(
    evening: tuple[Path, Path, dict[str, int]],
) -> None:
    folder, copy, marks = evening
    written, copied = entries(folder / "table.journal"), list(entries_of(copy))
    assert copied == written[: len(copied)]
    assert marks["face down"] < marks["open"] - 3, "no card, and nothing behind one"
    assert marks["bet"] <= len(copied) < marks["end"] - 2
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert [head.reason for head in heads_of(copy)] == ["start", "round"]
    assert checked_copy(copy).vouched < len(copied)


def test_a_journal_that_does_not_continue_its_copy_is_refused_untouched(
    evening: tuple[Path, Path, dict[str, int]], tmp_path: Path
) -> None:
    """Begun anew; and put back with everything beside it, so that it fits itself."""
    folder, copy, _ = evening
    copies = tmp_path / "copies"
    copies.mkdir()
    shutil.copy(copy, copies)

    async def never(_live: Live) -> None:
        raise AssertionError("the table opened")

    with pytest.raises(JournalError) as caught:
        run(tmp_path, never, copies)
    assert caught.value.code == "NOT_CONTINUED"
    assert not (tmp_path / "table.journal").exists()
    back = tmp_path / "table.journal"
    key = TableKey.load_or_make(tmp_path / "table.key", {})
    Journal.continued(back, SystemClock(), key, entries(folder / "table.journal")[:6], ()).close()
    before = back.read_bytes()
    with pytest.raises(JournalError) as caught:
        run(tmp_path, never, copies)
    assert (caught.value.code, back.read_bytes()) == ("NOT_CONTINUED", before)


def test_a_torn_line_is_written_once_more_behind_it(
    evening: tuple[Path, Path, dict[str, int]], tmp_path: Path
) -> None:
    folder, copy, _ = evening
    torn = tmp_path / copy.name
    data = copy.read_bytes()
    torn.write_bytes(data[: data.rfind(b'{"seq":') + 40])
    CopyPlace(tmp_path, folder / "table.journal").keep(end(copy))
    assert list(entries_of(torn)) == list(entries_of(copy))
    assert heads_of(torn) == heads_of(copy)
    assert torn.read_bytes().startswith(data[: data.rfind(b'{"seq":') + 40])


def _deal_for_ever(folder: Path, copies: Path) -> None:
    """Round after round at a live table, until somebody kills it."""

    async def story(live: Live) -> None:
        if live.holds:
            await live.ask(Resume())
        chance, void = Random(len(entries(folder / "table.journal"))), Void(None, "p7", "begins anew")
        if live.now.state.boxes:
            await live.say(void)
        for _ in range(1000):
            shoe = [CardSeen(rank, suit, by="hand") for rank in RANKS for suit in SUITS] * 6
            chance.shuffle(shoe)
            await live.say(ShoeLoaded(6))
            for at in range(0, 200, 4):
                await live.say(Bet(1, 0, 1000), Close(), *shoe[at : at + 4], void)

    run(folder, story, copies)


@pytest.mark.night
@pytest.mark.timeout(900)
def test_a_table_that_is_killed_leaves_a_copy_from_which_it_goes_on(tmp_path: Path) -> None:
    """At three moments of its rounds, without warning: the copy is the journal's beginning, always longer."""
    folder, copies = tmp_path / "table", tmp_path / "copies"
    folder.mkdir()
    copies.mkdir()
    copy, chance = copy_file(copies, folder / "table.journal"), Random(4711)
    forks, lengths = multiprocessing.get_context("spawn"), [0]
    for _ in range(3):
        table = forks.Process(target=_deal_for_ever, args=(folder, copies))
        table.start()
        until = time.monotonic() + 120
        while end(copy) < lengths[-1] + 20 and table.is_alive() and time.monotonic() < until:
            time.sleep(0.05)
        time.sleep(chance.random())
        assert table.is_alive()
        table.kill()
        table.join()
        copied = list(entries_of(copy))
        assert copied == entries(folder / "table.journal")[: len(copied)]
        assert checked_copy(copy).vouched
        lengths.append(len(copied))
    assert all(longer >= before + 20 for before, longer in pairwise(lengths)), lengths
    spare = tmp_path / "spare"
    spare.mkdir()
    status, said = _takeover(copy, _config(spare, copies), "--by", PIT[0], "--second", PIT[1])
    assert status == 0, said
    assert entries(spare / "table.journal")[: lengths[-1]] == copied


def _config(folder: Path, copies: Path) -> Path:
    people_file(folder)
    config = folder / "table.toml"
    config.write_text(
        '[table]\nname = "BJ1"\nrules = "spielbank"\n[software]\nallow_unreleased = true\n'
        f'[journal]\nfile = "table.journal"\ncopy_folder = "{copies}"\n[shoe]\nport = "/dev/null"\n'
    )
    return config


PINS_OF_BOTH = "".join(f"{PINS[one]}\n" for one in PIT)


def _takeover(copy: Path, config: Path, *more: str, typed: str = PINS_OF_BOTH) -> tuple[int, str]:
    result = CliRunner().invoke(build("takeover"), ["takeover", str(copy), str(config), *more], input=typed)
    error = result.exception
    if isinstance(error, JournalError | ConfigError):
        return 2, error.code
    return result.exit_code, result.output


def test_a_spare_machine_goes_on_from_the_copy_with_two_names_and_the_old_one_is_refused(
    evening: tuple[Path, Path, dict[str, int]], tmp_path: Path
) -> None:
    folder, copy, _ = evening
    copies, spare = tmp_path / "copies", tmp_path / "spare"
    copies.mkdir()
    spare.mkdir()
    moved = Path(shutil.copy(copy, copies))
    before = list(entries_of(moved))
    config = _config(spare, copies)
    assert _takeover(moved, config, "--by", "S-02", "--second", "S-02") == (2, "TAKEOVER_BY_TWO")
    assert not (spare / "table.journal").exists()
    status, said = _takeover(moved, config, "--by", PIT[0], "--second", PIT[1])
    assert status == 0, said
    assert _takeover(moved, config, "--by", PIT[0], "--second", PIT[1]) == (2, "JOURNAL_TAKEN")

    async def story(live: Live) -> None:
        assert "TAKEN_OVER" in live.holds
        alone = await live.ask(Resume())
        assert isinstance(alone, Rejected)

    run(spare, story, copies)
    after = entries(spare / "table.journal")
    assert after[: len(before)] == before
    assert [entry.kind for entry in after[len(before) : len(before) + 2]] == ["started", "held"]
    assert list(entries_of(moved)) == after, "the copy goes on with the spare machine"
    own = [
        head for head in heads_beside(spare / "table.journal") if head is not None and head.seq > len(before)
    ]
    assert own, "the spare machine signs, too"
    assert heads_of(moved)[-len(own) :] == tuple(own), "they count from 1 again, and are copied all the same"
    with Archive(tmp_path / "archive", SystemClock()) as archive:
        assert archive.bring(moved).error is None
    (archived,) = journals_in(tmp_path / "archive")
    assert [*heads_beside(archived)] == [*heads_of(moved)], "and archived"
    _verify_both_keys(folder, spare, moved, before)
    with pytest.raises(JournalError) as caught:
        continued_by(moved, folder / "table.journal")
    assert caught.value.code == "NOT_CONTINUED"


@pytest.mark.parametrize(
    "typed", ["\n270227\n", "270227\n\n", "270227\n000000\n", "111111\n270227\n", "270227\n"]
)
def test_a_takeover_names_no_person_whose_pin_was_not_typed(
    evening: tuple[Path, Path, dict[str, int]], tmp_path: Path, typed: str
) -> None:
    config, who = _config(tmp_path, tmp_path / "none"), ("--by", PIT[0], "--second", PIT[1])
    assert _takeover(evening[1], config, *who, typed=typed) == (2, "TAKEOVER_PIN_WRONG")
    assert not (tmp_path / "table.journal").exists()


@pytest.mark.parametrize("typed", [PINS_OF_BOTH, ""])
def test_a_takeover_names_both_people_by_their_pins_or_the_account_of_the_console(
    evening: tuple[Path, Path, dict[str, int]], tmp_path: Path, typed: str
) -> None:
    config, who = _config(tmp_path, tmp_path / "none"), ("--by", PIT[0], "--second", PIT[1])
    status, said = _takeover(evening[1], config, *who, typed=typed)
    assert status == 0, said
    written = [json.loads(entry.body) for entry in entries(tmp_path / "table.journal")[-2:]]
    console = f"console:{getpass.getuser()}"
    named = PIT if typed else (console, console)
    for who_said in (written[0]["taken_over"], written[1]["params"]):
        assert (who_said["by"], who_said["second"]) == named


def _verify_both_keys(folder: Path, spare: Path, copy: Path, before: list[Entry]) -> None:
    """The old key with the copy is content with both machines; each key alone says what it cannot say."""
    old, new = (TableKey.load_or_make(one / "table.key", {}).public for one in (folder, spare))
    journal, since = spare / "table.journal", len(before) + 1

    def said(*more: str) -> Any:
        result = CliRunner().invoke(build("verify"), ["verify", str(journal), "--json", *more])
        return json.loads(result.output)

    whole = said("--key", old, "--kept", str(copy))
    assert (whole["ok"], whole["signed"]["fault"]) == (True, None), whole
    taken = {"seq": since, "key": new, "by": PIT[0], "second": PIT[1]}
    assert whole["signed"]["taken_over"] == taken
    assert said("--key", old)["signed"]["fault"] == {"code": "OTHER_KEY_SINCE", "line": 0, "seq": since}
    for kept in ((), ("--kept", str(copy))):
        told = said("--key", new, *kept)
        assert (told["ok"], told["signed"]["fault"]["code"]) == (False, "TAKEN_OVER")
    other = TableKey.load_or_make(copy.parent / "other.key", {}).public
    assert said("--key", other, "--kept", str(copy))["signed"]["fault"]["code"] == "KEPT_NONE"
    changed = copy.with_name("changed.copy")
    changed.write_bytes(copy.read_bytes().replace(b'\\"stake\\":1000', b'\\"stake\\":9000', 1))
    refused = CliRunner().invoke(
        build("verify"), ["verify", str(journal), "--key", old, "--kept", str(changed)]
    )
    assert refused.exit_code == 2


def test_a_copy_that_somebody_has_changed_is_not_taken_over(
    evening: tuple[Path, Path, dict[str, int]], tmp_path: Path
) -> None:
    _, copy, _ = evening
    config = _config(tmp_path, tmp_path)
    forged = tmp_path / "forged.copy"
    who = ("--by", PIT[0], "--second", PIT[1])
    data = copy.read_bytes()
    stake = b'\\"stake\\":1000'
    assert stake in data
    forged.write_bytes(data.replace(stake, b'\\"stake\\":9000', 1))
    assert _takeover(forged, config, *who) == (2, "CHAIN_BROKEN")
    forged.write_bytes(b"".join(line for line in data.splitlines(True) if b"signature" not in line))
    assert _takeover(forged, config, *who) == (2, "COPY_NOT_SIGNED")
    forged.write_bytes(data)
    other = TableKey.load_or_make(tmp_path / "other.key", {})
    assert _takeover(forged, config, *who, "--key", other.public) == (2, "COPY_NOT_SIGNED")
    assert not (tmp_path / "table.journal").exists()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for nothing in (pipe, tmp_path, tmp_path / "missing", Path("/dev/null")):
        assert _takeover(nothing, config, *who) == (2, "COPY_UNREADABLE"), nothing


def test_no_command_writes_over_a_copy(evening: tuple[Path, Path, dict[str, int]], tmp_path: Path) -> None:
    """By its name, and by its content under another one."""
    _, copy, _ = evening
    for kept in (copy, Path(shutil.copy(copy, tmp_path / "anything"))):
        with pytest.raises(ConfigError) as caught:
            Outputs(force=True).write(kept, b"x")
        assert caught.value.code == "OUTPUT_IS_EVIDENCE"
