"""Serves a page for this machine's browser alone, and prints the address that opens it once."""

import asyncio
import secrets
from typing import Final

from controller.cli.output import echo
from controller.main.server import PageServer, address_of, listen
from controller.studio.gate import MakePage, StudioGate

HOST: Final = "127.0.0.1"
PORTS: Final = 20


def serve_page(make: MakePage, port: int) -> None:
    """Serve what `make` makes until Ctrl-C, on the first free port of twenty from `port` on."""
    token = secrets.token_urlsafe(24)
    app = make(StudioGate(token, secrets.token_urlsafe(24)))
    listening = listen(HOST, port, PORTS)
    echo(f"{address_of(listening)}?token={token}")
    asyncio.run(PageServer(app).run_on(listening))
