"""One list of people for many tables: signed where it is kept, brought to a table by file, checked there.

The table plays from its own file, so it goes on for days without the place that the list comes from.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from controller.domain.errors import ConfigError
from controller.outputs import read_regular
from controller.people.store import BYTES_MAX, PeopleFile, write_private

Sign = Callable[[bytes], bytes]
"""Makes a signature of a message."""

IsGenuine = Callable[[bytes, bytes], bool]
"""Whether a message has this signature of the one key whose lists count."""

_MARK: Final = b"stand17 people\n"
"""Begins what is signed, so that no signature of another thing passes for one of a list."""


def publish(file: PeopleFile, to: Path, sign: Sign) -> None:
    """Write the list for other tables: the file's bytes, then a line with their signature.

    Raises `ConfigError` PEOPLE_UNWRITABLE.
    """
    document = file.document()
    write_private(to, document + b"\n" + sign(_MARK + document).hex().encode() + b"\n")


class BroughtPeople:
    """The list that comes to `source`, by whatever the house moves files with, and the table's own file."""

    def __init__(self, file: PeopleFile, source: Path, is_genuine: IsGenuine) -> None:
        """Nothing is read yet."""
        self._file, self._source, self._is_genuine = file, source, is_genuine

    def bring(self) -> None:
        """Take a newer list over; one that is not there, or not newer, changes nothing.

        Raises `ConfigError` as `signed_document` and `PeopleFile.take_over`; the table keeps the list it has.
        """
        document = self.signed_document()
        if document:
            self._file.take_over(document, self._source)

    def signed_document(self) -> bytes:
        """The list that lies there now, b"" where none does.

        Raises `ConfigError` PEOPLE_UNREADABLE, PEOPLE_FORGED where another key signed it.
        """
        try:
            brought = read_regular(self._source, BYTES_MAX)
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise ConfigError("PEOPLE_UNREADABLE", path=str(self._source)) from error
        document, _, line = brought.rstrip(b"\n").rpartition(b"\n")
        try:
            signature = bytes.fromhex(line.decode("ascii"))
        except ValueError:
            signature = b""
        if not self._is_genuine(_MARK + document, signature):
            raise ConfigError("PEOPLE_FORGED", path=str(self._source))
        return document
