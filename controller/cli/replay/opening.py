"""Opens the files of `stand17 replay`: feeds, journals, recordings."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from controller.cli.replay.source import HeaderFacts, ReplayFinding, ReplaySettings, ReplaySource
from controller.domain import RuleSet
from controller.feed.feed_lines import FeedHeader, open_feed
from controller.feed.replay import Played, left_open, open_script, play, play_results
from controller.i18n import text
from controller.replay.files.file_kind import kind_of
from controller.replay.files.house_fields import overrides_of

if TYPE_CHECKING:
    from controller.journal.checking import VerifyReport


@contextmanager
def opened(name: str, settings: ReplaySettings, advance: Callable[[int], None]) -> Iterator[ReplaySource]:
    """Open a file by its name, `-` for a feed on standard input. Raises `TableError`.

    `advance` receives the progress of a long verification. The database and the drivers, which only journals
    and recordings need, are not imported for a feed.
    """
    match "feed" if name == "-" else kind_of(name):
        case "journal":
            yield _journal_source(Path(name), advance)
        case "recording":
            from controller.cli.replay.recording import recording_source

            with recording_source(Path(name), settings) as source:
                yield source
        case "feed":
            with _feed(name, settings) as source:
                yield source


@contextmanager
def _feed(name: str, settings: ReplaySettings) -> Iterator[ReplaySource]:
    with open_feed(name) as stream:
        folder = Path(name).parent if name != "-" else Path()
        if settings.table:
            yield _at_door(stream, folder, settings)
            return
        script = open_script(stream, folder)
        watch = _watches(script.header.table_options)
        played = (play if settings.every else play_results)(script.rules, script.lines, watch=watch)
        facts = _facts(script.header, script.rules, folder)
        yield ReplaySource(played, script.header.currency, header=facts)


# The rules alone need neither the options of a table nor its door.
def _watches(options: object) -> bool:
    if options is None:
        return False
    from controller.feed.feed_lines import in_header, watches

    with in_header():
        return watches(options)


def _at_door(stream: BinaryIO, folder: Path, settings: ReplaySettings) -> ReplaySource:
    from controller.feed import feed_table

    at_door = feed_table.open_table_script(stream, folder)
    if settings.frames is not None:
        from controller.replay.pictures.watched_table import looks_at, play_frames

        pictures = settings.frames
        looks = looks_at(pictures.folder, pictures.layout, pictures.deck)
        shown = play_frames(at_door, looks(), with_shoe=pictures.with_shoe)
        return ReplaySource(shown, at_door.header.currency)
    facts = _facts(at_door.header, at_door.rules, folder)
    played = feed_table.play_table(at_door, feed_table.rejoined if settings.rejoin else None)
    return ReplaySource(played, at_door.header.currency, header=facts)


def _facts(header: FeedHeader, rules: RuleSet, folder: Path) -> HeaderFacts:
    """Return the facts of the header, with the fields that differ from the house's."""
    differ = {field: [*both] for field, both in overrides_of(header, rules, folder).items()}
    options = header.table_options if isinstance(header.table_options, dict) else {}
    return HeaderFacts(header.rules, differ, options)


def _journal_source(path: Path, advance: Callable[[int], None]) -> ReplaySource:
    """Check the journal and give its facts as played. Raises `JournalError`."""
    from controller.replay.files.journal_check import check_journal

    checked = check_journal(path, advance)
    left = left_open(checked.ledger.state)
    end = Played(None, () if left is None else (left,))
    currency = checked.header.currency
    return ReplaySource((*checked.history.played, end), currency, lambda: _findings(checked.report))


def _findings(report: "VerifyReport") -> Iterator[ReplayFinding]:
    """Yield the faults of a journal's verification, in the words of `stand17 verify`."""
    if report.misfit is not None:
        seq, code = report.misfit
        sentence = text("verify.misfit", {"seq": seq, "reason": text(f"misfit.{code}")})
        yield ReplayFinding({"type": "misfit", "seq": seq, "code": code}, sentence)
    if not report.sound:
        yield ReplayFinding({"type": "misfit", "seq": None, "code": "UNSOUND"}, text("verify.unsound"))
