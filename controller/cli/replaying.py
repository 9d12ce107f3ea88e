"""Plays files one after another for `stand17 replay`.

Without typer, which takes longer to import than a short feed takes to play.
"""

import json
import sys
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal, NamedTuple

from controller.cli.output import console, counted, echo, print_error, sentence
from controller.domain import Alert, ConfigError, Refused, RuleSet, TableError, decimal, escaped
from controller.feed.feed_lines import FeedHeader, MalformedFeed, open_feed
from controller.feed.replay import (
    Played,
    Summary,
    compare,
    left_open,
    line_text,
    load_expected,
    open_script,
    play,
    play_results,
    to_lines,
)
from controller.feed.text_report import is_ruling, text_report, value_words
from controller.i18n import digits_or_cents, money, text, told_in
from controller.replay.played import OF_A_SHOE
from controller.replay.table_file import kind_of, overrides_of

if TYPE_CHECKING:
    from controller.journal.checking import VerifyReport
    from controller.recording.recording_reader import Recorded, Recording
    from controller.replay.recording_replayer import RecordingReplayer

FLAGS: Final = frozenset(("--json", "--strict", "--table", "--rejoin"))
"""Options of `stand17 replay` that take no value and need nothing else of the command line."""


def parse_speed(value: str | None, terminal: bool) -> float:
    """A multiple of real time, 0 for `max`; without a terminal `max` is the default."""
    if value is None or value == "max":
        return 1.0 if value is None and terminal else 0.0
    speed = -1.0
    with suppress(ValueError):
        speed = float(value)
    if not 0 < speed < 1e6:
        raise ConfigError("BAD_SPEED", speed=value)
    return speed


def plain_feeds(words: Sequence[str]) -> list[str]:
    """Return the files of a command line with no option but `FLAGS`; none for another command line."""
    feeds = [word for word in words if word not in FLAGS]
    plain = all(word and not word.startswith("-") and not Path(word).is_dir() for word in feeds)
    return feeds if plain else []


def play_plain(feeds: list[str], words: Sequence[str]) -> int:
    """Play files under flags alone; the exit status."""
    flags = FLAGS.intersection(words)
    settings = ReplaySettings(
        parse_speed(None, sys.stdout.isatty()), table="--table" in flags, rejoin="--rejoin" in flags
    )
    return play_each(feeds, settings, None, as_json="--json" in flags, strict="--strict" in flags)


class FrameSettings(NamedTuple):
    """Pictures with the cards of a feed, and the files to read them with.

    `with_shoe`: the feed's cards are the shoe's, and both must agree.
    """

    folder: Path
    layout: Path
    deck: Path | None = None
    with_shoe: bool = False


class ReplaySettings(NamedTuple):
    """Settings of a replay: `speed` is a multiple of real time, 0 for as fast as possible.

    `step` waits for Enter before each message; `config` is a file with other settings than the recorded.
    `table`: a feed goes through the live table's door; `rejoin`: it continues behind a round that is held and
    never ruled on. `every`: lines without an effect count too. `frames`: its cards come from pictures.
    """

    speed: float
    step: bool = False
    config: Path | None = None
    table: bool = False
    rejoin: bool = False
    every: bool = True
    frames: FrameSettings | None = None


def play_each(
    feeds: list[str], settings: ReplaySettings, expect: Path | None, *, as_json: bool, strict: bool
) -> int:
    """Play file after file; the exit status of all."""
    # Only a pace and a progress line need the lines from which nothing follows.
    every = bool(settings.speed) or sys.stderr.isatty()
    printer = ReplayPrinter(as_json, settings._replace(every=every), _short_names(feeds))
    expected = None if expect is None else load_expected(expect)
    for feed in feeds:
        printer.run(feed)
    differences = printer.compare(expected) if expected is not None else 0
    printer.finish()
    if printer.broken:
        return 2
    return 1 if differences or printer.differs or (strict and printer.tally.unclean) else 0


def _short_names(feeds: list[str]) -> dict[str, str]:
    """The name that each feed goes by in the output: its file name where that is enough to tell it."""
    names = [Path(feed).name for feed in feeds]
    return {
        feed: name if names.count(name) == 1 and feed != "-" else feed
        for feed, name in zip(feeds, names, strict=True)
    }


# The terminal layout takes longer to import than a short feed to play.
_LONG_LINES: Final = 5000
"""Lines after which a replay at full speed shows its progress."""


class EqualAlerts:
    """Alerts of one cause: the first is printed, equal ones are counted.

    Equal are those with the same words, and those about a shoe that is wrong as a whole
    (`file_findings.OF_A_SHOE`), whichever card they name.
    """

    def __init__(self) -> None:
        """Begin without alerts."""
        self._known: dict[Hashable, list[int]] = {}

    def left(self, played: Played) -> Played:
        """Return the notices to print; repeated alerts are counted."""
        if played.line is None:
            return played
        kept = []
        for notice in played.notices:
            if isinstance(notice, Alert):
                cause: Hashable = notice.code if notice.code in OF_A_SHOE else (notice.code, notice.params)
                if cause in self._known:
                    self._known[cause].append(played.line.number)
                    continue
                self._known[cause] = []
            kept.append(notice)
        return played._replace(notices=tuple(kept))

    def end(self) -> Iterator[dict[str, int | str]]:
        """Yield the counted alerts by cause, and reset the counts."""
        for cause, lines in self._known.items():
            if lines:
                code = cause if isinstance(cause, str) else str(cause[0]) if isinstance(cause, tuple) else ""
                yield {"times": len(lines), "to_line": lines[-1], "code": code}
        self._known = {}


class HeldRefusals:
    """Refusals that follow from one hold: the first is printed, the others are counted."""

    def __init__(self) -> None:
        """Begin without refusals."""
        self._cause: object = None
        self._next: object = None
        self._lines: list[int] = []
        self.begins = False
        """Whether the line that was shown last is the first that the hold refuses."""

    def takes(self, played: Played) -> bool:
        """Whether the line is a further refusal by the same hold; then it is counted."""
        notice = played.notices[0] if played.notices else None
        held = isinstance(notice, Refused) and notice.code == HELD and len(played.notices) == 1
        cause = dict(notice.params).get("reason") if held and isinstance(notice, Refused) else None
        if cause is not None and cause == self._cause and played.line is not None:
            self._lines.append(played.line.number)
            return True
        self._next = cause
        self.begins = cause is not None
        return False

    def end(self) -> dict[str, int | str]:
        """Return the counted refusals, and reset the count."""
        lines, code, self._lines = self._lines, str(self._cause), []
        self._cause = self._next
        return {"times": len(lines), "line": lines[0], "to_line": lines[-1], "code": code} if lines else {}


class ReplayFinding(NamedTuple):
    """Something in a file that is not as it was: the object that `--json` prints, and the sentence.

    Without a sentence it is for `--json` only.
    """

    json: dict[str, Any]
    sentence: str


class HeaderFacts(NamedTuple):
    """The facts of a feed's header: its rules, their differences ([says, house]), its options."""

    rules: str = ""
    overrides: dict[str, list[Any]] = {}  # noqa: RUF012 - a default of a tuple's field, never changed
    options: dict[str, Any] = {}  # noqa: RUF012 - as above


NO_HEADER: Final = HeaderFacts()


class ReplaySource(NamedTuple):
    """An opened file.

    `played` is iterated to its end; then `findings` yields the differences, and `summary` the result as an
    object and as a sentence. `currency` is that of its amounts, `header` contains the facts of a feed's
    header.
    """

    played: Iterable[Played]
    currency: str
    findings: Callable[[], Iterable[ReplayFinding]] = tuple
    summary: Callable[[], tuple[dict[str, Any], str] | None] = lambda: None
    header: HeaderFacts = NO_HEADER


class ReplayPrinter:
    """Replays feeds one after another and keeps count."""

    def __init__(self, as_json: bool, settings: ReplaySettings, names: dict[str, str]) -> None:
        """`names` maps each feed to the name that it goes by."""
        self._json = as_json
        self._settings = settings
        self._names = names
        shows_styles = sys.stdout.isatty() or settings.speed
        self._console = console(highlight=False, soft_wrap=True) if shows_styles else None
        if settings.speed or settings.step or "-" in names:
            # Slow output is flushed line by line, through a pipe as well.
            sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # text, as Python opens it
        self.tally = Summary()
        self.tally.at_table = settings.table
        self.broken = False
        self.differs = False
        self._currencies: dict[str, str] = {}
        self._held = HeldRefusals()
        self._equal = EqualAlerts()

    def run(self, feed: str) -> None:
        """Replay one file; a malformed line is named and ends this file, not the others."""
        self.tally.feeds += 1
        try:
            with (
                counted(self._names[feed], " lines", every=_LONG_LINES, quiet=self._json) as advance,
                opened(feed, self._settings, advance) as source,
                told_in(source.currency),
            ):
                self._play(feed, source, advance)
        except MalformedFeed as error:
            self.broken = True
            print_error(error, f"{feed}:{error.line}")
        except TableError as error:
            self.broken = True
            print_error(error, "" if {"file", "path"} & error.params.keys() else feed)

    def _play(self, feed: str, source: ReplaySource, advance: Any) -> None:
        self._currencies[self._names[feed]] = source.currency
        for words in () if self._json else override_words(self._names[feed], source.header.overrides):
            self._print(words, "bold red")
        begun_s, speed = time.monotonic(), self._settings.speed
        for number, played in enumerate(source.played):
            if speed and played.line is not None:
                time.sleep(max(0.0, begun_s + played.line.t / speed - time.monotonic()))
            if played.notices or (played.line is not None and is_ruling(played.line.obs)):
                self._show(self._names[feed], played)
            advance(number)
        self._print_held()
        for equal in self._equal.end():
            if not self._json:
                self._print(f"  {text('report.equal_alerts', equal)}", "yellow")
        self._sum_up(self._names[feed], source)

    def _sum_up(self, feed: str, source: ReplaySource) -> None:
        """Print the number of compared entries, and the differences."""
        for finding in source.findings():
            self.differs = True
            if self._json and finding.json:
                self._print_json({**finding.json, "feed": feed})
            elif not self._json and finding.sentence:
                self._print(f"≠ {finding.sentence}", "bold red")
        summary = source.summary()
        if summary is not None and self._json:
            self._print_json({**summary[0], "feed": feed})
        elif summary is not None:
            self._print(summary[1], "")

    def _show(self, feed: str, played: Played) -> None:
        for line in to_lines(played, feed, lambda code, params: sentence("refused", code, params)):
            self.tally.count(line)
            if self._json:
                self._print_json(line)
        if self._json or self._held.takes(played):
            return
        self._print_held()
        played = self._equal.left(played)
        # A line each round of millions: a locale's digits took 80 µs an amount where these take 0.6.
        amount = partial(decimal, digits=digits_or_cents(self._currencies[feed]))
        for words, style in text_report(played, sentence, amount):
            self._print(words, style)
        if self._held.begins and self._settings.table and not self._settings.rejoin:
            self._print(f"  {text('report.rejoin')}", "yellow")

    def _print_held(self) -> None:
        """Say how many more lines the same hold has refused."""
        held = self._held.end()
        if held and not self._json:
            self._print(f"  {text('report.held', held)}", "yellow")

    def _print(self, words: str, style: str) -> None:
        """Print a line of the report; without a terminal's styles it bypasses the console's slow layout."""
        if self._console is None:
            sys.stdout.write(escaped(words) + "\n")
        else:
            self._console.print(words, style=style)

    def _print_json(self, line: dict[str, Any]) -> None:
        sys.stdout.write(escaped(line_text(line), keep="\n"))

    def compare(self, expected: list[dict[str, Any]]) -> int:
        """Print the differences from the expectation; return their number."""
        rounds = {(recorded["feed"], recorded["round"]): recorded for recorded in self.tally.rounds()}
        found = list(compare(expected, list(rounds.values())))
        for entry in found:
            if self._json:
                self._print_json(entry.to_json())
                continue
            row = entry.placed(rounds.get((entry.feed, entry.round), {}))
            where = f"{entry.feed} {text('diff.round', {'round': entry.round})}"
            words = value_words(row, self._currencies.get(entry.feed, ""))
            self._print(f"≠ {where}: {words}", "bold red")
        return len(found)

    def finish(self) -> None:
        """The summary line."""
        summary = self.tally.summary()
        if self._json:
            self._print_json(summary)
            sys.stdout.flush()
            return
        # Sums of several currencies are no sums of money; they are written with cents, as ever.
        currencies = {*self._currencies.values()}
        with told_in(currencies.pop() if len(currencies) == 1 else ""):
            sums = {"staked": money(summary["staked"]), "due": money(summary["returned"])}
        self._print(text("report.played", {**summary, **sums}), "bold")


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
            with _recording_source(Path(name), settings) as source:
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
        from controller.replay.watched_table import looks_at, play_frames

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
    from controller.replay.journal_check import check_journal

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


CardSource = Literal["camera", "both"]
"""Where the cards of a feed with pictures come from: these alone, or the feed's own lines as well."""

HELD: Final = "TABLE_HELD"
"""How a line is refused because the table waits for something else."""


def override_words(file: str, overrides: Mapping[str, list[Any]]) -> Iterator[str]:
    """Yield the fields in which a file's rules differ from its house's, with both values."""
    for field, (says, house) in overrides.items():
        holes = {"file": file, "field": field, "says": short(says), "house": short(house)}
        yield f"! {text('report.override', holes)}"


def short(value: object) -> str:
    """A value as JSON writes it; "-" for none."""
    return "-" if value is None else json.dumps(value, ensure_ascii=False)


_HEX_MAX: Final = 32
"""Bytes of a chunk that a step shows."""

_PRINTED_MAX: Final = 20
"""Differences that are printed in words; `--json` gives all of them."""


@contextmanager
def _recording_source(path: Path, settings: ReplaySettings) -> Iterator[ReplaySource]:
    """Open a recording to be played. Raises `TableError` for a file that cannot be.

    Recorded bytes go through the drivers and engine of the live table once more.
    """
    from controller.config import load_config
    from controller.recording.recording_reader import Recording
    from controller.replay.recording_replayer import RecordingReplayer

    config = None if settings.config is None else load_config(settings.config)
    with Recording(path) as recording:
        replayer = RecordingReplayer(recording, config, _before(settings))
        currency = recording.session.currency
        played = replayer.play()
        yield ReplaySource(
            played, currency, lambda: _differences_found(replayer), lambda: _summary(recording, replayer)
        )


def _before(settings: ReplaySettings) -> "Callable[[float, Recorded], None]":
    """Wait until the message is due, or until Enter is pressed."""
    if settings.step:
        return _step
    begun = time.monotonic()

    def wait(t: float, _recorded: "Recorded") -> None:
        if settings.speed:
            time.sleep(max(0.0, begun + t / settings.speed - time.monotonic()))

    return wait


def _step(t: float, recorded: "Recorded") -> None:
    """Print the next message and wait for Enter; the end of standard input plays the rest."""
    echo(f"{t:10.3f} {recorded.kind:4} {recorded.source or '-':10} {_contents(recorded)}", err=True)
    sys.stdin.readline()


def _contents(recorded: "Recorded") -> str:
    match recorded.kind:
        case "rx" | "tx" | "key":
            more = " …" if len(recorded.data) > _HEX_MAX else ""
            return recorded.data[:_HEX_MAX].hex(" ") + more
        case "jpeg":
            return f"{len(recorded.data)} bytes"
        case "fact":
            from controller.recording.format import decode_entry

            entry = decode_entry(recorded.data)
            return f"{entry.seq} {entry.actor} {entry.kind} {entry.body.decode('utf-8', 'replace')}"
        case "mark":
            return recorded.data.decode("utf-8", "replace")


def _differences_found(replayer: "RecordingReplayer") -> Iterator[ReplayFinding]:
    """Yield the differences, without the cards of a round whose face-down card was never turned."""
    from controller.replay.devices import sentence_of

    secret = replayer.secret
    for number, difference in enumerate(replayer.differences):
        found = difference.to_json(secret)
        yield ReplayFinding(found, sentence_of(found) if number < _PRINTED_MAX else "")
    left = len(replayer.differences) - _PRINTED_MAX
    if left > 0:
        yield ReplayFinding({}, text("replay.more", {"count": left}))


def _summary(recording: "Recording", replayer: "RecordingReplayer") -> tuple[dict[str, Any], str]:
    """Say how much was played, whether it is as it was, and whether the file is whole."""
    from controller.replay.recording_replayer import COMPARED

    counts, different = replayer.counts, len(replayer.differences)
    whole = not (recording.cut or recording.damaged)
    fields: dict[str, Any] = {
        "type": "recording",
        "messages": {kind: counts[kind] for kind in sorted(counts) if kind != COMPARED},
        "compared": counts[COMPARED],
        "differences": different,
        "seconds": round(replayer.seconds, 3),
        "whole": whole,
    }
    unread = sorted(replayer.unread())
    if unread:
        fields["unread"] = unread
    parts = [
        text("replay.counted", {"messages": sum(fields["messages"].values()), "entries": counts[COMPARED]})
    ]
    if not replayer.at_table:
        parts.append(text("replay.alone"))
    elif not different:
        parts.append(text("replay.equal"))
    if unread:
        parts.append(text("replay.unread", {"names": ", ".join(unread)}))
    if not whole:
        parts.append(text("replay.cut"))
    return fields, " ".join(parts)
