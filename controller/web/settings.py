"""Settings of the page's server: its host names, and the folder of the built page."""

from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from controller.config.model import WebSection
from controller.domain import ConfigError
from controller.outputs import read_regular

_TOKEN_MIN: Final = 32
"""Characters of a token; `openssl rand -hex 32` makes 64."""

_TOKEN_MAX: Final = 1000
OTHERS: Final = 0o077

STATIC: Final = Path(__file__).parent / "static"
"""The built front end; absent in a checkout until the front end has been built."""


class WebSettings(BaseModel):
    """Settings of the server. `hosts` are its names, beside its numbers.

    `metrics_token` is the token of the house's monitoring, "" without one. `places` are the floor's.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    hosts: tuple[str, ...] = ("localhost",)
    static: Path = STATIC
    heartbeat_ms: int = 1000
    metrics_token: str = ""
    places: tuple[str, ...] = ()


def web_settings(section: WebSection) -> WebSettings:
    """Give the server the names and the token of its section; raises `ConfigError` as `metrics_token`."""
    hosts = (*WebSettings().hosts, section.host, *section.names)
    return WebSettings(hosts=hosts, metrics_token=metrics_token(section), places=section.places)


def metrics_token(section: WebSection) -> str:
    """Read the token of the house's monitoring, "" when none is configured.

    Raises `ConfigError` METRICS_TOKEN (missing, too short, no plain text), METRICS_TOKEN_OPEN when others may
    read the file.
    """
    path = section.metrics_token_file
    if path is None:
        return ""
    try:
        token, mode = read_regular(path, _TOKEN_MAX, links=True).decode("ascii").strip(), path.stat().st_mode
    except (OSError, UnicodeError) as error:
        raise ConfigError("METRICS_TOKEN", path=str(path), least=_TOKEN_MIN) from error
    if len(token) < _TOKEN_MIN or not token.isprintable():
        raise ConfigError("METRICS_TOKEN", path=str(path), least=_TOKEN_MIN)
    if mode & OTHERS:
        raise ConfigError("METRICS_TOKEN_OPEN", path=str(path))
    return token
