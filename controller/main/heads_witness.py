"""Runs a witness of heads: over HTTP, and over folders to which tables' heads are brought."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import PlainTextResponse
from starlette.requests import ClientDisconnect

from controller.domain import JournalError
from controller.floor.heads_witness import Answer, HeadsWitness, Verdict
from controller.journal.heads import LINE_MAX, lines_from
from controller.main.server import PageServer, address_of, listen
from controller.runtime.inbox import run_all, stop_on_signals

PORTS: Final = 1
CONNECTIONS_MAX: Final = 100
"""Requests at once; a table sends one head at a time."""
STATUS: Final[dict[Verdict, int]] = {
    "witnessed": 200,
    "no_head": 400,
    "unknown_key": 403,
    "two_histories": 409,
    "log_changed": 503,
    "unreadable": 400,
}

Answered = Callable[[str, Answer], None]
"""Gets where a head came from, and what became of it."""


async def serve_witness(
    witness: HeadsWitness, host: str, port: int, answered: Answered, ready: Callable[[str], None]
) -> None:
    """Take heads by POST until SIGINT or SIGTERM: the body is a line, the answer the signed checkpoint."""
    app = FastAPI(title="stand17 witness", docs_url=None, redoc_url=None, openapi_url=None)

    @app.post("/", response_class=PlainTextResponse)
    async def take(request: Request) -> PlainTextResponse:
        line = b""
        try:
            async for part in request.stream():
                line += part
                if len(line) > LINE_MAX:
                    raise HTTPException(413)
        except ClientDisconnect:
            raise HTTPException(408) from None
        answer = witness.take(line)
        answered(request.client.host if request.client else "", answer)
        return PlainTextResponse(answer.note or answer.verdict, STATUS[answer.verdict])

    listening = listen(host, port, PORTS)
    ready(address_of(listening))
    try:
        await run_all(
            {"witness": PageServer(app, requests_max=CONNECTIONS_MAX).run_on(listening)}, stop_on_signals()
        )
    finally:
        listening.close()


def look_into(witness: HeadsWitness, folders: Sequence[Path], answered: Answered) -> bool:
    """Take every head of the files `*.signed` of folders; whether all of them were witnessed."""
    fits = True
    for file in sorted(path for folder in folders for path in folder.glob("*.signed")):
        try:
            lines = [line for line, _ in lines_from(file, 0)]
        except JournalError:
            answered(str(file), Answer("unreadable"))
            fits = False
            continue
        for line in lines:
            answer = witness.take(line)
            answered(str(file), answer)
            fits = fits and answer.verdict == "witnessed"
    return fits
