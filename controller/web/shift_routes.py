"""The pit's requests about the shift: payouts, figures, the audit trail."""

from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Depends, HTTPException, Path, Query, Request
from fastapi.responses import StreamingResponse

from controller.history.history import SECOND_US
from controller.screens.audit_trail import (
    ALWAYS_US,
    PAGE,
    AuditFilter,
    AuditTrail,
    Format,
    Group,
    audit_trail,
)
from controller.screens.dealt_rounds import ShiftLedger, ledger_of
from controller.screens.figures import HOUR_US, ShiftFigures, ShoeCheck
from controller.screens.patterns import SeveralDays
from controller.screens.rounds import Find, Kind, RoundList, RoundPictures, RoundSheet, round_list
from controller.screens.tiles import FloorFigures, Tile, TilesNews, floor_figures
from controller.screens.words import Words
from controller.web.parts import Parts, WebParts
from controller.web.routes import NOT_SIGNED_IN, UNKNOWN
from controller.web.session import AuditorsOnly, ReadersOnly

shift_router: Final = APIRouter(dependencies=[ReadersOnly])

_NOT_FOR_ALL: Final[dict[int | str, dict[str, Any]]] = {
    **NOT_SIGNED_IN,
    409: {
        "model": Words,
        "description": "Nobody is signed in who may read the trail: the text that says why",
    },
}

_LATEST_S: Final = 2**40
"""Seconds since 1970 that a filter may name."""

MEDIA: Final[dict[Format, str]] = {"csv": "text/csv; charset=utf-8", "json": "application/x-ndjson"}


async def _wanted(
    parts: Parts,
    kind: Annotated[str, Query(max_length=40)] = "",
    who: Annotated[str, Query(max_length=60)] = "",
    number: Annotated[int | None, Query(alias="round", ge=1)] = None,
    group: Annotated[Group | None, Query()] = None,
    *,
    span: Annotated[Literal["hour", "shift"] | None, Query(alias="time")] = None,
    since: Annotated[int | None, Query(ge=0, le=_LATEST_S)] = None,
    until: Annotated[int | None, Query(ge=0, le=_LATEST_S)] = None,
) -> AuditFilter:
    """Read the filter; `since` and `until` are seconds since 1970 and count before `time`."""
    shift = (await parts.screens.shift.read()).row
    begins = {None: 0, "shift": shift["from_us"], "hour": parts.screens.hub.latest().at_utc_us - HOUR_US}[
        span
    ]
    return AuditFilter(
        kind,
        who,
        number,
        group,
        begins if since is None else since * SECOND_US,
        ALWAYS_US if until is None else (until + 1) * SECOND_US - 1,
    )


Wanted = Annotated[AuditFilter, Depends(_wanted)]


@shift_router.get("/api/ledger", responses=NOT_SIGNED_IN)
async def ledger(parts: Parts) -> ShiftLedger:
    """Give the payouts of the shift box by box, those with a difference first."""
    return ledger_of(await parts.screens.shift.read())


@shift_router.get("/api/tables", responses=NOT_SIGNED_IN)
async def tables(request: Request) -> tuple[Tile, ...]:
    """Give the tables of the floor, the server's own first."""
    parts: WebParts = request.app.state.parts
    return await parts.tiles()


@shift_router.get("/api/tables/news", responses=NOT_SIGNED_IN)
async def news(request: Request, after: Annotated[int, Query(ge=0)] = 0) -> TilesNews:
    """Give the tiles that changed since `after`, which was answered last: at once, else within a second."""
    parts: WebParts = request.app.state.parts
    return await parts.news(after)


async def _found(
    text: Annotated[str, Query(alias="find", max_length=80)] = "",
    kind: Annotated[Kind | None, Query()] = None,
    dealer: Annotated[str, Query(max_length=40)] = "",
    shoe: Annotated[int | None, Query(ge=1)] = None,
    minutes: Annotated[int, Query(ge=-900, le=900)] = 0,
) -> Find:
    return Find(text, kind, dealer, shoe, minutes)


@shift_router.get("/api/rounds", dependencies=[AuditorsOnly], responses=_NOT_FOR_ALL)
async def rounds(
    parts: Parts, find: Annotated[Find, Depends(_found)], page: Annotated[int, Query(ge=0, le=10_000)] = 0
) -> RoundList:
    """Give a page of the rounds of the day: open differences first, then the newest."""
    return round_list([await parts.screens.listed()], find, page)


@shift_router.get("/api/floor/rounds", dependencies=[AuditorsOnly], responses=_NOT_FOR_ALL)
async def floor_rounds(
    request: Request,
    find: Annotated[Find, Depends(_found)],
    page: Annotated[int, Query(ge=0, le=10_000)] = 0,
) -> RoundList:
    """Give a page of the rounds of all tables of the floor, each of its day; as those of one table."""
    parts: WebParts = request.app.state.parts
    return round_list([await one.listed() for one in parts.floor()], find, page)


@shift_router.get("/api/floor", dependencies=[AuditorsOnly], responses=_NOT_FOR_ALL)
async def floor(request: Request) -> FloorFigures:
    """Return the tables of the floor side by side: money, differences, waits, and the same by dealer."""
    parts: WebParts = request.app.state.parts
    return floor_figures([(await one.tile(elsewhere=True), await one.read()) for one in parts.floor()])


@shift_router.get("/api/days", dependencies=[AuditorsOnly], responses=_NOT_FOR_ALL)
async def days(parts: Parts) -> tuple[str, ...]:
    """Name the days of this table that can be opened, newest first."""
    return parts.days()


@shift_router.get("/api/rounds/{number}", dependencies=[AuditorsOnly], responses=_NOT_FOR_ALL | UNKNOWN)
async def one_round(parts: Parts, number: Annotated[int, Path(ge=1)]) -> RoundSheet:
    """Return a settled round with its money, corrections, and acts in sentences."""
    sheet = await parts.screens.round_sheet(number)
    if sheet is None:
        raise HTTPException(404)
    return sheet


@shift_router.get("/api/rounds/{number}/pictures", dependencies=[AuditorsOnly], responses=_NOT_FOR_ALL)
async def pictures_of_round(parts: Parts, number: Annotated[int, Path(ge=1)]) -> RoundPictures:
    """Return the cameras' pictures at the settlement of a round of the shift."""
    return await parts.screens.round_pictures(number)


@shift_router.get("/api/rounds/{number}/before", dependencies=[AuditorsOnly], responses=_NOT_FOR_ALL)
async def pictures_before(
    parts: Parts, number: Annotated[int, Path(ge=1)], at: Annotated[int, Query(ge=0)]
) -> RoundPictures:
    """Return a camera's pictures of the seconds before an alert of a round; `at`: its microseconds."""
    return await parts.screens.alert_pictures(number, at)


@shift_router.get("/api/figures", responses=NOT_SIGNED_IN)
async def figures(parts: Parts) -> ShiftFigures:
    """Give the figures of the shift, for its charts."""
    return await parts.screens.shift_figures()


@shift_router.get("/api/patterns", dependencies=[AuditorsOnly], responses=_NOT_FOR_ALL | UNKNOWN)
async def patterns(parts: Parts) -> SeveralDays:
    """Return the patterns beyond chance of all days beside the table's journal, after some seconds."""
    found = await parts.screens.several_days()
    if found is None:
        raise HTTPException(404)
    return found


@shift_router.get("/api/audit", dependencies=[AuditorsOnly], responses=_NOT_FOR_ALL)
async def audit(
    parts: Parts,
    wanted: Wanted,
    before: Annotated[int | None, Query(ge=1)] = None,
    rows: Annotated[int, Query(ge=1, le=500)] = PAGE,
) -> AuditTrail:
    """Give a page of the journal, newest first, with the state of its chain and signatures."""
    reader = parts.screens.audit_reader()
    shift = await parts.screens.shift.read()
    if wanted.group is None:
        lines, older = await reader.page(wanted, before, rows)
    else:
        lines, older = await reader.of_group(wanted, before, shift.history, rows)
    say = parts.screens.card_sentences(shift.history)
    signed = parts.screens.signed()
    return await audit_trail(lines, older, shift, signed, say, wanted=wanted, kept_back=reader.keeps_back)


@shift_router.get("/api/shoe", dependencies=[AuditorsOnly], responses=_NOT_FOR_ALL)
async def shoe(parts: Parts) -> ShoeCheck:
    """Give the shoe in place: its order, the ranks of its settled rounds, the last count."""
    return await parts.screens.shoe_check()


@shift_router.get(
    "/api/audit/export",
    dependencies=[AuditorsOnly],
    response_class=StreamingResponse,
    responses=_NOT_FOR_ALL,
)
async def export(
    parts: Parts, wanted: Wanted, form: Annotated[Format, Query(alias="format")]
) -> StreamingResponse:
    """Give the journal as a file, oldest first, without a round of which a card lies face down."""
    name = f'attachment; filename="audit.{form}"'
    written = parts.screens.audit_reader().export(wanted, form)
    return StreamingResponse(written, media_type=MEDIA[form], headers={"Content-Disposition": name})
