"""The copy of a table's journal, put together from the configuration."""

from collections.abc import Callable

from controller.config import TableConfig
from controller.journal.copying import CopyPlace, JournalCopier, continued_by, copy_file
from controller.ports import MACHINE_DISK, Clock, ReportSink, SideDisk, StartWork, WorkThread
from controller.runtime.ledger import Ledger
from controller.runtime.snapshot import SnapshotHub, is_released, released_of


def require_continued(config: TableConfig) -> None:
    """Compare the journal with its copy, where that can be reached, before anything is written.

    Raises `JournalError` NOT_CONTINUED, COPY_UNREADABLE.
    """
    folder, journal = config.journal.copy_folder, config.journal.file.resolve()
    if folder is not None:
        continued_by(copy_file(folder, journal), journal)


class TableCopy:
    """The copy of a table that may have none."""

    def __init__(
        self,
        config: TableConfig,
        post: ReportSink,
        clock: Clock,
        doubt: Callable[[], None],
        disk: SideDisk = MACHINE_DISK,
    ) -> None:
        """Prepare the copy; `post` and `doubt` as in `JournalCopier`."""
        folder = config.journal.copy_folder
        self._copier = None
        if folder is not None:
            place = CopyPlace(folder, config.journal.file.resolve(), disk)
            self._copier = JournalCopier(place, post, clock, doubt)

    async def follow(self, hub: SnapshotHub, start: StartWork = WorkThread) -> None:
        """Have everything copied that may be, until cancelled."""
        if self._copier is not None:
            self._copier.open(start)
        async for seq in released_of(hub):
            self._release(seq)

    def close(self, ledger: Ledger) -> None:
        """Copy the end with its last signed head, then stop."""
        if is_released(ledger.state, ledger.waiting_count):
            self._release(ledger.seq)
        if self._copier is not None:
            self._copier.close()

    def _release(self, seq: int) -> None:
        if self._copier is not None:
            self._copier.release(seq)
