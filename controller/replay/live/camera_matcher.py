"""What cameras say in a replay, matched with the journal by what it is and about when it was."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from controller.feed.json_report import Json
from controller.journal.entry import Entry, NewEntry
from controller.ports import Report
from controller.replay.live.differences import compared_form

LATE_NS: Final = 10_000_000_000
"""What a camera says may move by so much: nobody knows which of its pictures a busy machine has looked at."""

OF_ONE_PICTURE: Final = frozenset({"known", "mm", "degrees"})
"""Parameters that are otherwise in the next picture."""

DryRun = Callable[[Report], tuple[NewEntry, ...]]
"""Tells what a report would lead to on the table as it is now."""


class UnmatchedReport(NamedTuple):
    """Something that a camera says now and has not been found in the journal; `mono_ns` is the last time."""

    mono_ns: int
    report: Report
    key: str


class UnmatchedEntry(NamedTuple):
    """A journal entry that the camera has not said anew."""

    mono_ns: int
    entry: Entry
    key: str


class CameraMatcher:
    """The cameras that are played again; `names` are theirs."""

    def __init__(self, names: Iterable[str], tried: DryRun) -> None:
        """Begin without any."""
        self._tried = tried
        self._waiting: dict[str, deque[UnmatchedReport]] = {name: deque() for name in names}
        self._owed: dict[str, deque[UnmatchedEntry]] = {name: deque() for name in self._waiting}

    def __contains__(self, name: str) -> bool:
        """Whether this device is one of the cameras."""
        return name in self._waiting

    def receive(self, report: Report) -> None:
        """Take what a camera says; nothing that the table knows already, and nothing twice."""
        if report.observations:
            self._receive(report._replace(troubles=()))
        for trouble in report.troubles:
            self._receive(report._replace(observations=(), troubles=(trouble,)))

    def _receive(self, report: Report) -> None:
        """Match one thing that a camera says."""
        made = self._tried(report)
        if not made:
            return
        key, waiting, owed = _key(made[0]), self._waiting[report.source], self._owed[report.source]
        paid = next((one for one in owed if one.key == key), None)
        if paid is not None:
            owed.remove(paid)
            return
        found = next((glance for glance in waiting if glance.key == key), None)
        if found is not None:
            waiting.remove(found)
        waiting.append(UnmatchedReport(report.mono_ns, report, key))

    def find(self, name: str, entry: Entry, mono_ns: int) -> None:
        """Match a recorded entry with a report of the camera, or keep it until such a report comes."""
        key, waiting = _key(entry), self._waiting[name]
        found = next((glance for glance in waiting if glance.key == key), None)
        if found is not None:
            waiting.remove(found)
        else:
            self._owed[name].append(UnmatchedEntry(mono_ns, entry, key))

    def missing(self, mono_ns: int) -> Iterator[Entry]:
        """Remove and return entries that no report of a camera has matched for LATE_NS."""
        for owed in self._owed.values():
            while owed and mono_ns - owed[0].mono_ns > LATE_NS:
                yield owed.popleft().entry

    def surplus(self, mono_ns: int) -> Iterator[NewEntry]:
        """Remove reports that have matched no entry for LATE_NS; return the first entry each leads to."""
        for waiting in self._waiting.values():
            while waiting and mono_ns - waiting[0].mono_ns > LATE_NS:
                yield from self._tried(waiting.popleft().report)[:1]


def _key(one: Entry | NewEntry) -> str:
    """Name what is said; which other cards lay there then, or how far out of its place, does not matter."""
    found = compared_form(one)
    body: Json = dict(found["body"])
    params = {key: value for key, value in body.get("params", {}).items() if key not in OF_ONE_PICTURE}
    return repr((found["kind"], {**body, "params": params, "round": None}))
