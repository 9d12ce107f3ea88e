"""TypeScript types of all pages: `python -m controller.studio.page_types` prints them."""

import sys
from typing import Any, Final

from pydantic.json_schema import models_json_schema

from controller.replay.report_files import ReportPaper
from controller.studio import bodies
from controller.studio.report_page import ReportProgress
from controller.web.app import typescript

SENT: Final = (
    bodies.StudioFileRow,
    bodies.StudioFileView,
    bodies.LineView,
    bodies.OpeningView,
    bodies.SeenView,
    bodies.BaselineView,
    bodies.AcceptedView,
    bodies.KeptView,
    ReportPaper,
    ReportProgress,
)
"""What the servers of these pages answer; all else is part of one of them."""


def page_types() -> str:
    """The whole of `src/view.ts`."""
    _, described = models_json_schema(
        [(model, "serialization") for model in SENT], ref_template="#/components/schemas/{model}"
    )
    schemas: dict[str, Any] = described["$defs"]
    return typescript(schemas)


if __name__ == "__main__":
    sys.stdout.write(page_types())
