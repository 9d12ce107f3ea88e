"""Writes a report into the documentation: `python -m models.measure.document REPORT.json`.

The tables of `docs/reader.md` between its two marks, and the pictures `docs/reader-risk.svg` and
`docs/reader-stress.svg`.
"""

import json
from pathlib import Path
from typing import Annotated, Final

import typer

from models.measure import figures
from models.measure.report import text_of

BEGIN: Final = "<!-- measured: written by models.measure.document -->"
END: Final = "<!-- measured: end -->"
PICTURES: Final = "![Risk and coverage](reader-risk.svg)\n\n![Stress](reader-stress.svg)"


def main(
    report: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="From `--json`.")],
    docs: Annotated[Path, typer.Option(exists=True, file_okay=False)] = Path("docs"),
) -> None:
    """Replaces the measured part of reader.md and both pictures."""
    measured = json.loads(report.read_text(encoding="utf-8"))
    page = docs / "reader.md"
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise typer.BadParameter(f"{page} lacks the lines {BEGIN} and {END}")
    page.write_text(f"{before}{BEGIN}\n{text_of(measured)}\n{PICTURES}\n\n{END}{after}", encoding="utf-8")
    figures.risk(measured, docs / "reader-risk.svg")
    figures.stress(measured, docs / "reader-stress.svg")


if __name__ == "__main__":
    typer.run(main)
