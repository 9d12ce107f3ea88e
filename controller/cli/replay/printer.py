"""The output of `stand17 replay`: the lines of each file, its differences, a summary."""

import sys
import time
from collections.abc import Hashable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from controller.cli.output import console, counted, print_error, sentence
from controller.cli.replay.header_words import HELD, override_words
from controller.cli.replay.opening import opened
from controller.cli.replay.source import ReplaySettings, ReplaySource
from controller.domain import Alert, Refused, TableError, decimal, escaped
from controller.feed.feed_lines import MalformedFeed
from controller.feed.replay import Json, Played, Summary, compare, line_text, to_lines
from controller.feed.text_report import is_ruling, text_report
from controller.i18n import text
from controller.i18n.numbers import digits_or_cents, money, told_in
from controller.replay.rounds.file_findings import OF_A_SHOE
from controller.replay.rounds.value_words import value_words

if TYPE_CHECKING:
    pass

# The terminal layout takes longer to import than a short feed to play.
_LONG_LINES: Final = 5000
"""Lines after which a replay at full speed shows its progress."""


class ReplayPace:
    """Waits until a line's time has come; at speed 0 never."""

    def __init__(self, speed: float) -> None:
        """`speed` is a multiple of real time, 0 for as fast as possible."""
        self._speed = speed
        self._start = time.monotonic()

    def wait(self, played: Played) -> None:
        """Sleep until the line is due."""
        if self._speed and played.line is not None:
            due = self._start + played.line.t / self._speed
            time.sleep(max(0.0, due - time.monotonic()))


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
        pace = ReplayPace(self._settings.speed)
        paced = bool(self._settings.speed)
        for number, played in enumerate(source.played):
            if paced:
                pace.wait(played)
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

    def _print_json(self, line: Json) -> None:
        sys.stdout.write(escaped(line_text(line), keep="\n"))

    def compare(self, expected: list[Json]) -> int:
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
