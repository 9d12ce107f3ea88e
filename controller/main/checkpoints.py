"""The table's checkpoints and the check of the chain behind them, put together from the configuration."""

from collections.abc import Callable
from importlib.metadata import version
from typing import Final

from controller.config import TableConfig
from controller.journal.checking.chain_check import FALSE, ChainCheck
from controller.journal.entry import BadEntry
from controller.journal.store import Journal
from controller.journal.table_key import TableKey
from controller.ports import Clock, Report, ReportSink, Trouble
from controller.ports.work import StartWork, WorkThread
from controller.runtime.checkpoint.keeper import OLD, CheckpointKeeper, FoldedAgain
from controller.runtime.failures import FailureLog
from controller.runtime.ledger import Ledger
from controller.runtime.snapshot.log_changes import logger

NAME: Final = "journal"


def program_id(software_sha256: str) -> str:
    """What folds a journal: another program may come to another state, and reads no checkpoint of it."""
    return f"{version('stand17')} {software_sha256}"


class Checkpoints:
    """The checkpoints of a table's journal, and the check of what they stand for."""

    def __init__(
        self, config: TableConfig, journal: Journal, key: TableKey, program: str, failures: FailureLog
    ) -> None:
        """Nothing is read yet."""
        self._journal, self._path = journal, config.journal.file.resolve()
        self.keeper: Final = CheckpointKeeper(journal, self._path, key, program, failures)
        self._check: ChainCheck | None = None

    def open(
        self,
        ledger: Ledger,
        post: ReportSink,
        clock: Clock,
        doubt: Callable[[], None],
        start: StartWork = WorkThread,
    ) -> None:
        """Keep the state that the table came up with; check what was not folded, once the page is there.

        `doubt` is called where it does not fit.
        """
        keeper = self.keeper
        keeper.open(start)
        keeper.offer(ledger, self._journal.head())
        if keeper.refused:
            logger().info("checkpoint", code=keeper.refused, entries=ledger.seq)
        if keeper.refused not in ("", OLD):
            _warn(post, clock, Trouble(keeper.refused, hold=False))
        if keeper.folded_from is not None:

            def distrusted(found: BadEntry) -> None:
                keeper.distrust()
                doubt()
                params = (("seq", found.seq), ("reason", found.code))
                code = "JOURNAL_CHECKPOINT_FALSE" if found.code == FALSE else "JOURNAL_CHAIN_BROKEN"
                _warn(post, clock, Trouble(code, params if found.code != FALSE else params[:1]))

            began = keeper.folded_from
            self._check = ChainCheck(self._path, began.head, FoldedAgain(began.ledger), distrusted)
            self._check.open(start)

    def close(self, ledger: Ledger) -> None:
        """Keep the last state; the next start folds nothing."""
        if self._check is not None:
            self._check.close()
        self.keeper.close(ledger, self._journal.head())


def _warn(post: ReportSink, clock: Clock, trouble: Trouble) -> None:
    post(Report(NAME, clock.mono_ns(), (), (trouble,)))
