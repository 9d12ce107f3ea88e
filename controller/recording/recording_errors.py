"""What can be wrong with a recording."""

from controller.domain.errors import TableError


class RecordingError(TableError):
    """A recording cannot be read or written; it never keeps a table from running.

    Codes: RECORDING_MISSING, NOT_A_RECORDING, RECORDING_EMPTY, RECORDING_TOO_NEW of a file that is read;
    RECORDING_IN_USE, RECORDING_DISK_LOW, RECORDING_DISK_FULL, RECORDING_FAILED of a folder that is written.
    `params` always carries `path`.
    """
