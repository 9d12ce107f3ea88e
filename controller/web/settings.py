"""How the page is served: under which addresses, and where the built page lies."""

from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from controller.config.model import WebSection

STATIC: Final = Path(__file__).parent / "static"
"""The built front end; absent in a checkout until the front end has been built."""


class WebSettings(BaseModel):
    """Settings of the server. `hosts` are the names under which it may be addressed, beside its numbers."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    hosts: tuple[str, ...] = ("localhost",)
    static: Path = STATIC
    heartbeat_ms: int = 1000


def web_settings(section: WebSection) -> WebSettings:
    """Give the server the names of its section."""
    return WebSettings(hosts=(*WebSettings().hosts, section.host, *section.names))
