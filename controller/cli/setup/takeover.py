"""`stand17 takeover`: go on from the copy of a journal, on a spare machine."""

import getpass
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from controller.cli.json_words import print_answer
from controller.cli.options import AsJson
from controller.cli.output import echo
from controller.cli.setup.people import ask_secret
from controller.i18n import text


def takeover(
    copy: Annotated[Path, typer.Argument(help="The copy that the table wrote (journal.copy_folder).")],
    config: Annotated[Path, typer.Argument(help="The configuration of the table here, a TOML file.")],
    *,
    by: Annotated[str, typer.Option(help="Who takes the table over: an id of its people.")],
    second: Annotated[str, typer.Option(help="Who answers for it besides.")],
    key: Annotated[str, typer.Option(help="The public key of the table: 64 digits, or a file of them.")] = "",
    as_json: AsJson = False,
) -> None:
    """Restore a table's journal from its copy, so that another machine continues the table.

    The journal that the configuration names must not exist yet. Then `stand17 run` opens the table; it
    waits for two people, who compare it with the layout and enter what the copy lacks.

    Both PINs are asked for, or read from standard input, a line each. Without standard input the
    journal names this machine's account instead of the two.
    """
    from controller.config import load_config
    from controller.journal.head_file import public_key
    from controller.main.spare_table import require_pins, require_two, taken_over, with_journal_of

    loaded = load_config(config)
    require_two(loaded, by, second)
    pins = tuple(ask_secret(text("takeover.ask_pin", {"id": one})) for one in (by, second))
    if any(pins) or sys.stdin.isatty():
        require_pins(loaded, {by: pins[0], second: pins[1]})
    else:
        by = second = f"console:{getpass.getuser()}"
    copied = taken_over(copy, loaded, by, second, public_key(key) if key else "")
    answer: dict[str, Any] = {
        "file": str(with_journal_of(copy, loaded).journal.file),
        "entries": len(copied.entries),
        "vouched": copied.vouched,
        "key": copied.heads[-1].key,
    }
    if as_json:
        print_answer("takeover", **answer)
    else:
        echo(text("takeover.done", answer))
