"""Requests that schemathesis makes from the OpenAPI document, as each role; longer in `openapi_fuzz`."""

import json
from pathlib import Path

import pytest
from web_kit import Served

from controller.journal.checking import verify
from controller.runtime.restore import ResultVerifier
from tests.limits.raw_http import request, send


@pytest.mark.night
def test_every_role_is_answered_as_the_document_describes(tmp_path: Path) -> None:
    # Not above: it takes seconds, and every worker imports every module of tests.
    from tests.limits.openapi_fuzz import Walked, walk  # noqa: PLC0415 - see the comment

    told = Walked()
    with Served(tmp_path, enforced=True) as served:
        walk(served, 4, 17, told)
        broken = request("/api/commands", b'{"do": "\xff"}', served.host, **served.looking)
        status, said = send(served.port, broken)
    assert told.wrong == {}
    statuses = {status for _, _, status in told.answers}
    assert {200, 409, 422} <= statuses
    assert not [status for status in statuses if status >= 500]
    assert (status, json.loads(said)["code"]) == (422, "error.REQUEST_WRONG"), "no text at all"
    report = verify(tmp_path / "table.journal", ResultVerifier(), lambda _: None)
    assert (report.misfit, report.ok) == (None, True)
