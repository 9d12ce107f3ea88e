"""`stand17 shadow`: a house's first night, from a few questions to the report."""

from pathlib import Path
from typing import Annotated

import typer

from controller.cli.journal.report import report
from controller.cli.options import Force
from controller.cli.output import echo
from controller.cli.setup.init import init
from controller.cli.setup.people import add
from controller.cli.setup.run import run
from controller.config import load_config
from controller.domain import ConfigError
from controller.i18n import text
from controller.outputs import Outputs


def shadow(
    config: Annotated[Path, typer.Argument(help="The configuration; made where there is none.")] = Path(
        "table.toml"
    ),
    *,
    answers: Annotated[Path | None, typer.Option(help="Answers for `stand17 init`.")] = None,
    administrator: Annotated[str, typer.Option(help="Id of the first person, who is asked a PIN.")] = "A1",
    out: Annotated[Path, typer.Option("--out", "-o", help="NAME.json, NAME.csv or NAME.pdf.")] = Path(
        "shadow.json"
    ),
    force: Force = False,
) -> None:
    """Run a table in shadow until Ctrl-C: it watches, journals, never stops; then report the night.

    The report lists the stops that the table would have made, and whether they were right. Exit status 2 as
    for `init`, `run` and `report`, and for the configuration of a live table.
    """
    Outputs((config,), force).require_free(out)
    if not config.exists():
        init(config, answers, shadow=True)
        add(config, administrator, "administrator")
    loaded = load_config(config)
    if loaded.table.options.mode != "shadow":
        raise ConfigError("SHADOW_OFF", path=str(config))
    try:
        run(config)
    finally:
        # The report is printed after an error as well.
        if loaded.journal.file.exists():
            report([loaded.journal.file], out=out, force=force)
            report([loaded.journal.file])
            echo(text("cli.shadow_report", {"path": str(out)}))
