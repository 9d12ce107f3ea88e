"""The floor's servers as a command names them: on its line, and with certificates in a file."""

import tomllib
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from pydantic import ValidationError

from controller.config.sections import FloorSection
from controller.domain import ConfigError
from controller.i18n import text
from controller.outputs import read_regular
from controller.software import way_to_install


def require_extra() -> None:
    """Raise `ConfigError` NATS_MISSING where the package that speaks to the servers is not there."""
    if find_spec("nats") is None:
        raise ConfigError("NATS_MISSING", way=way_to_install("floor"))


def floor_section(servers: Sequence[str], file: Path | None) -> FloorSection:
    """The `[floor]` of a file, with other servers where some are named; paths are relative to the file.

    Raises `ConfigError` CONFIG_MISSING, CONFIG_NOT_TOML, CONFIG_WRONG, NATS_MISSING.
    """
    require_extra()
    path = file or Path("[floor]")
    try:
        written = b"" if file is None else read_regular(file, links=True)
        raw = tomllib.loads(written.decode("utf-8")).get("floor", {})
        return FloorSection.model_validate(raw | ({"servers": servers} if servers else {})).rooted(
            path.parent
        )
    except OSError as error:
        raise ConfigError("CONFIG_MISSING", path=str(path), reason=error.strerror or "") from error
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(("floor", *map(str, first["loc"])))
        raise ConfigError("CONFIG_WRONG", path=str(path), field=field, reason=first["msg"]) from error
    except ValueError as error:
        raise ConfigError("CONFIG_NOT_TOML", path=str(path), reason=str(error)) from error


class NetworkReport:
    """Tells of the network's coming and going: each once."""

    def __init__(self, say: Callable[[str], None]) -> None:
        """`say` gets sentences."""
        self._say, self._last = say, "-"

    def changed(self, reason: str) -> None:
        """Report a new state of the connection: "" is connected, else the reason."""
        if reason != self._last:
            self._say(text("floor.away", {"reason": reason}) if reason else text("floor.connected"))
        self._last = reason
