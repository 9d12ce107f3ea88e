"""Durations at the table, as histograms for the house's monitoring.

A duration depends on disk, processor and line; no label contains a card, and no card decides the counts.
"""

from collections.abc import Iterator
from typing import Final

from prometheus_client import CollectorRegistry, Histogram

from controller.policy.holds import Hold
from controller.ports import Clock
from controller.runtime.inbox import Batch, CommitResult, SubmittedCommand
from controller.runtime.ledger import Ledger

DEVICE: Final = "device:"
_MS_NS: Final = 1_000_000
SECOND_US: Final = 1_000_000
_SECOND_NS: Final = 1_000_000_000

_COMMITS: Final = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5)
WAYS: Final = (0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5)
HOLDS: Final = (2, 5, 10, 20, 30, 60, 120, 300, 600, 1800)
"""Upper ends in seconds: of commits, of ways from a device to the disk and on to a screen, of holds."""


class TableTimes:
    """Fed by the table's door and its screens, all on one loop."""

    def __init__(self, clock: Clock) -> None:
        """Begin with none."""
        own = self.registry = CollectorRegistry()
        self._clock = clock
        self._last = (0, 0)
        self._commit = Histogram(
            "stand17_commit_seconds", "Entries onto the disk", buckets=_COMMITS, registry=own
        )
        self._durable = Histogram(
            "stand17_durable_seconds",
            "A device's last byte, or a camera's picture, to its entry on the disk",
            ["source"],
            buckets=WAYS,
            registry=own,
        )
        self._screen = Histogram(
            "stand17_screen_seconds",
            "From the disk to a screen's socket",
            buckets=WAYS,
            registry=own,
        )
        self._hold = Histogram(
            "stand17_hold_seconds",
            "How long the table waited",
            ["code"],
            buckets=HOLDS,
            registry=own,
        )

    def finished(self, batch: Batch, written: CommitResult, before: Ledger) -> None:
        """Count a batch that is on the disk, after the ledger `before`."""
        if written.last_seq is None:
            return
        durable_ns = written.began_ns + written.took_ms * _MS_NS
        self._last = written.last_seq, durable_ns
        self._commit.observe(written.took_ms / 1000)
        for source, moment_ns in _devices(batch).items():
            self._durable.labels(source).observe(max(durable_ns - moment_ns, 0) / _SECOND_NS)
        for hold in _ended(before, batch.draft.ledger):
            lasted_us = batch.draft.at_utc_us - hold.since_utc_us
            self._hold.labels(hold.code).observe(max(lasted_us, 0) / SECOND_US)

    def sent(self, seq: int) -> None:
        """Count a view that a screen has been sent, where it is that of the last commit."""
        last, durable_ns = self._last
        if seq == last:
            self._screen.observe(max(self._clock.mono_ns() - durable_ns, 0) / _SECOND_NS)


def _devices(batch: Batch) -> dict[str, int]:
    """Return the time of each device's report that became an entry."""
    actors = {proposal.entry.actor for proposal in batch.draft.proposals}
    brought = (item for item in batch.items if not isinstance(item, SubmittedCommand))
    return {one.source: one.mono_ns for one in brought if f"{DEVICE}{one.source}" in actors}


def _ended(before: Ledger, after: Ledger) -> Iterator[Hold]:
    left = {_key(hold) for hold in after.holds}
    return (hold for hold in before.holds if _key(hold) not in left)


def _key(hold: Hold) -> tuple[str, int, int, int, int]:
    return hold.code, hold.round, hold.card, hold.box, hold.since_utc_us
