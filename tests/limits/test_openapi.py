"""Requests that schemathesis makes from the OpenAPI document, as each role; longer in `openapi_fuzz`."""

from pathlib import Path

from web_kit import Served

from controller.journal.verify import verify
from controller.runtime.verify_results import ResultVerifier


def test_every_role_is_answered_as_the_document_describes(tmp_path: Path) -> None:
    # Not above: it takes seconds, and every worker imports every module of tests.
    from tests.limits.openapi_fuzz import Walked, walk  # noqa: PLC0415 - see the comment

    told = Walked()
    with Served(tmp_path, enforced=True) as served:
        walk(served, 4, 17, told)
    assert told.wrong == {}
    statuses = {status for _, _, status in told.answers}
    assert {200, 409, 422} <= statuses
    assert not [status for status in statuses if status >= 500]
    report = verify(tmp_path / "table.journal", ResultVerifier(), lambda _: None)
    assert (report.misfit, report.ok) == (None, True)
