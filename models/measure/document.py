"""Writes a report into docs/measurements/reader.md: `python -m models.measure.document REPORT.json`."""

import json
from pathlib import Path
from typing import Annotated, Final

import typer

from models.measure.markdown import text_of

BEGIN: Final = "<!-- measured: written by models.measure.document -->"
END: Final = "<!-- measured: end -->"


def main(
    report: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="From `--json`.")],
    docs: Annotated[Path, typer.Option(exists=True, file_okay=False)] = Path("docs"),
) -> None:
    """Replaces the measured part of the page."""
    measured = json.loads(report.read_text(encoding="utf-8"))
    page = docs / "measurements" / "reader.md"
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise typer.BadParameter(f"{page} lacks the lines {BEGIN} and {END}")
    page.write_text(f"{before}{BEGIN}\n{text_of(measured)}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
