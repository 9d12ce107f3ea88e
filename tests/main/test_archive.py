"""The journals of many tables in one place: what the copies say, once, and never otherwise."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from controller.acts.catalogue import Bet, Close, Decision, End, Reveal
from controller.cli.application import build
from controller.domain import JournalError
from controller.floor.archive import Archive, findings_in, journals_in
from controller.journal.copying import read_entry, write_entry
from controller.journal.entry import GENESIS, Entry, digest
from controller.journal.heads import heads_path
from controller.ports import SystemClock
from tests.main.copy_kit import cards, entries, run
from tests.main.live_kit import Live

Evening = tuple[Path, Path, dict[str, int]]


def _call(*words: str | Path) -> Result:
    return CliRunner().invoke(build("archive"), ["archive", *map(str, words)])


def _follow(folder: Path, archive: Path) -> Result:
    return _call("follow", folder, "--into", archive, "--once")


def _report(archive: Path) -> tuple[int, list[str], str]:
    """Its status, the days it reports on, and the place of the last one."""
    done = CliRunner().invoke(build("report"), ["report", str(archive), "--json"])
    *reports, last = map(json.loads, done.stdout.splitlines())
    days = [row["journal"].partition("-")[0] for row in last["journals"]]
    assert [one["report"]["table"] for one in reports] == ["BJ1"] * len(days)
    return done.exit_code, days, last["journals"][-1]["place"]


def _verify(journal: Path) -> Result:
    return CliRunner().invoke(build("verify"), ["verify", str(journal)])


@pytest.fixture
def came(evening: Evening, tmp_path: Path) -> tuple[Path, Path]:
    """A folder to which a copy has come, and the copy in it."""
    folder = tmp_path / "came"
    folder.mkdir()
    return folder, Path(shutil.copy(evening[1], folder))


def _rewritten(data: bytes, change: Callable[[Entry], Entry]) -> bytes:
    """The same copy with its entries changed and chained anew: it fits itself, its heads do not."""
    lines, last = [], GENESIS
    for line in data.splitlines():
        entry = read_entry(line) if line.startswith(b'{"seq":') else None
        if entry is not None:
            entry = change(entry)._replace(prev_hash=last)
            entry = entry._replace(hash=digest(entry))
            last = entry.hash
        lines.append(line if entry is None else write_entry(entry))
    return b"\n".join(lines) + b"\n"


def test_a_copy_that_grows_line_by_line_is_archived_as_the_table_wrote_it(
    evening: Evening, tmp_path: Path
) -> None:
    folder, copy, _ = evening
    came = tmp_path / "came" / copy.name
    came.parent.mkdir()
    data = copy.read_bytes()
    with Archive(tmp_path / "archive", SystemClock()) as archive:
        for size in range(0, len(data), 700):
            # Half a line has come: its end decides what it says.
            came.write_bytes(data[:size])
            assert archive.bring(came).error is None
        came.write_bytes(data)
        assert archive.bring(came).error is None
    (kept,) = journals_in(tmp_path / "archive")
    written = entries(folder / "table.journal")
    assert entries(kept) == written[: len(entries(kept))]
    assert len(entries(kept)) == data.count(b'{"seq":')
    assert heads_path(kept).read_bytes() == b"".join(
        line for line in data.splitlines(keepends=True) if not line.startswith(b'{"seq":')
    )
    assert _verify(kept).exit_code == 0, _verify(kept).output


def test_a_closed_journal_and_its_copy_are_one_table(came: tuple[Path, Path], evening: Evening) -> None:
    folder, _ = came
    archive = folder.parent / "archive"
    assert "table-" in _follow(folder, archive).output
    closed = folder.parent / "closed"
    closed.mkdir()
    shutil.copy(evening[0] / "table.journal", closed / "other-name.journal")
    shutil.copy(heads_path(evening[0] / "table.journal"), heads_path(closed / "other-name.journal"))
    assert _follow(closed, archive).exit_code == 0
    answer = json.loads(_call("verify", archive, "--json").stdout)
    assert answer["findings"] == []
    assert {(row["table"], row["entries"]) for row in answer["journals"]} == {
        ("BJ1", len(entries(evening[0] / "table.journal")))
    }


def test_a_history_that_was_rewritten_is_found_and_replaces_nothing(came: tuple[Path, Path]) -> None:
    folder, copy = came
    archive = folder.parent / "archive"
    assert _follow(folder, archive).exit_code == 0
    (kept,) = journals_in(archive)
    before = entries(kept)
    data = copy.read_bytes()

    def cheaper(entry: Entry) -> Entry:
        return entry._replace(body=entry.body.replace(b"1000", b"9000")) if entry.seq > 1 else entry

    copy.write_bytes(_rewritten(data, cheaper))
    again = _follow(folder, archive)
    assert (again.exit_code, "rewritten" in again.output) == (1, True)
    assert [finding.code for finding in findings_in(archive)] == ["ARCHIVE_REWRITTEN"]
    assert _follow(folder, archive).exit_code == 1
    assert len(list(findings_in(archive))) == 1, "said each time, kept once"
    copy.write_bytes(data)
    assert _follow(folder, archive).exit_code == 0
    assert entries(kept) == before
    assert _call("verify", archive).exit_code == 1, "what was found once is not forgotten"


def test_a_forged_head_a_broken_chain_and_a_cut_copy_are_findings(came: tuple[Path, Path]) -> None:
    folder, copy = came
    data = copy.read_bytes()
    lines = data.splitlines(keepends=True)
    head = next(index for index, line in enumerate(lines) if not line.startswith(b'{"seq":'))
    forged = lines[head].replace(b'"reason":"start"', b'"reason":"close"')
    broken = lines[:4] + lines[5:]
    headed = lines[head:]
    with Archive(folder.parent / "archive", SystemClock()) as archive:
        for told, code in (
            (b"".join(headed), "CHAIN_BROKEN"),
            (b"".join([*lines[:head], forged, *lines[head + 1 :]]), "ARCHIVE_FORGED"),
            (b"".join(broken), "CHAIN_BROKEN"),
        ):
            copy.unlink()
            copy.write_bytes(told)
            error = archive.bring(copy).error
            assert error is not None
            assert error.code == code
        copy.unlink()
        copy.write_bytes(data)
        assert archive.bring(copy).error is None
        copy.write_bytes(data[: len(data) // 2])
        error = archive.bring(copy).error
        assert error is not None
        assert error.code == "COPY_CUT"
    (kept,) = journals_in(folder.parent / "archive")
    assert len(entries(kept)) == data.count(b'{"seq":')


def test_a_line_that_no_journal_can_hold_says_nothing(came: tuple[Path, Path]) -> None:
    folder, copy = came
    first, *others = copy.read_bytes().splitlines(keepends=True)
    entry = json.loads(first)
    strange = [
        json.dumps(entry | change).encode() + b"\n"
        for change in (
            {"seq": True},
            {"at_utc_us": 10**30},
            {"at_utc_us": 1.5},
            {"version": "1"},
            {"kind": 7},
            {"actor": "\ud800"},
            {"actor": "a\nb"},
            {"body": None},
        )
    ]
    copy.write_bytes(b"".join([*strange, first, *strange, *others]))
    assert _follow(folder, folder.parent / "archive").exit_code == 0
    (kept,) = journals_in(folder.parent / "archive")
    assert len(entries(kept)) == sum(line.startswith(b'{"seq":') for line in (first, *others))


def test_a_day_that_is_missing_is_named(tmp_path: Path) -> None:
    async def story(live: Live) -> None:
        await live.say(Bet(1, 0, 1000), Close(), *cards("10", "9", "7", "8"))
        await live.say(Decision(1, 1, "stand"), Reveal(), End())

    for folder in ("table", "copies", "came"):
        (tmp_path / folder).mkdir()
    for name in ("monday.journal", "tuesday.journal"):
        run(tmp_path / "table", story, tmp_path / "copies", name)
    shutil.copy(tmp_path / "copies" / "tuesday.journal.copy", tmp_path / "came")
    assert getattr(_call("verify", tmp_path / "came").exception, "code", "") == "ARCHIVE_EMPTY"
    assert _follow(tmp_path / "came", tmp_path / "archive").exit_code == 0
    without = _call("verify", tmp_path / "archive")
    assert (without.exit_code, "it goes on from monday.journal" in without.output) == (1, True)
    assert _report(tmp_path / "archive") == (1, ["tuesday"], "missing")
    shutil.copy(tmp_path / "copies" / "monday.journal.copy", tmp_path / "came")
    assert _follow(tmp_path / "came", tmp_path / "archive").exit_code == 0
    whole = _call("verify", tmp_path / "archive")
    assert (whole.exit_code, "goes on" in whole.output) == (0, False)
    for folder in ("elsewhere", "late"):
        (tmp_path / folder).mkdir()
    run(tmp_path / "elsewhere", story, tmp_path / "late", "wednesday.journal")
    assert _follow(tmp_path / "late", tmp_path / "archive").exit_code == 0
    anew = _call("verify", tmp_path / "archive")
    assert (anew.exit_code, "nothing says which day it follows" in anew.output) == (1, True)


def test_one_program_at_a_time_writes_an_archive(tmp_path: Path) -> None:
    with (
        Archive(tmp_path, SystemClock()),
        pytest.raises(JournalError, match="ARCHIVE_IN_USE"),
        Archive(tmp_path, SystemClock()),
    ):
        pass
    assert _call("follow", tmp_path / "nowhere", "--into", tmp_path).exit_code != 0
    (tmp_path / "file").touch()
    with pytest.raises(JournalError, match="ARCHIVE_UNWRITABLE"):
        Archive(tmp_path / "file" / "archive", SystemClock())
