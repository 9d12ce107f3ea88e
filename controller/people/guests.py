"""Who is behind a pseudonym: a file of its own, for the house's eyes alone, from which anybody can be erased.

No journal, report or export ever holds a name out of it: what was rated stays, and is nobody's any more.
"""

import json
import secrets
from base64 import b32encode
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError

from controller.domain.errors import ConfigError
from controller.people.person import require_name
from controller.people.store import BYTES_MAX, locked, write_private
from controller.validation.strict_json import read_document

_NAMES: Final = TypeAdapter[dict[str, str]](dict[str, str])


class GuestNames:
    """The file: a JSON object of pseudonyms and names, 0600, replaced whole at each change."""

    def __init__(self, path: Path) -> None:
        """Name the file; it need not be there yet."""
        self._path = path

    def read(self) -> dict[str, str]:
        """Everybody by pseudonym. Raises `ConfigError` GUESTS_UNREADABLE."""
        if not self._path.exists():
            return {}
        try:
            data = self._path.read_bytes()[:BYTES_MAX]
            return _NAMES.validate_python(read_document(data, self._path, "GUESTS_UNREADABLE"))
        except (OSError, ValidationError) as error:
            raise ConfigError("GUESTS_UNREADABLE", path=str(self._path)) from error

    def add(self, name: str) -> str:
        """Give somebody a pseudonym of chance, from which no name follows. Raises PERSON_NAME_WRONG."""
        require_name(name)
        with locked(self._path):
            names = self.read()
            guest = b32encode(secrets.token_bytes(5)).decode()
            self._write({**names, guest: name.strip()})
        return guest

    def erase(self, guest: str) -> None:
        """Forget who somebody is. Raises `ConfigError` GUEST_UNKNOWN."""
        with locked(self._path):
            names = self.read()
            if names.pop(guest, None) is None:
                raise ConfigError("GUEST_UNKNOWN", guest=guest[:40])
            self._write(names)

    def _write(self, names: dict[str, str]) -> None:
        write_private(self._path, json.dumps(names, ensure_ascii=False, indent=1).encode())
