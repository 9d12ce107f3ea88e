"""The file of rated guests that earlier versions wrote: pseudonyms and names. Names can only be erased."""

import json
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError

from controller.domain import ConfigError
from controller.outputs import read_regular
from controller.people.store import BYTES_MAX, locked, write_private
from controller.validation import read_document

_NAMES: Final = TypeAdapter[dict[str, str]](dict[str, str])


def erase_guest(path: Path, guest: str) -> None:
    """Remove a pseudonym and its name; the file is replaced whole, with mode 0600.

    Raises `ConfigError` GUESTS_UNREADABLE or GUEST_UNKNOWN.
    """
    if not path.is_file():
        # Else the lock would be made beside nothing.
        raise ConfigError("GUESTS_UNREADABLE", path=str(path))
    with locked(path):
        try:
            data = read_regular(path, BYTES_MAX, links=True)
            names = _NAMES.validate_python(read_document(data, path, "GUESTS_UNREADABLE"))
        except (OSError, ValidationError) as error:
            raise ConfigError("GUESTS_UNREADABLE", path=str(path)) from error
        if names.pop(guest, None) is None:
            raise ConfigError("GUEST_UNKNOWN", guest=guest[:40])
        write_private(path, json.dumps(names, ensure_ascii=False, indent=1).encode())
