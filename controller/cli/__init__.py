"""The command line: each command lives in a module of its own and is imported only when it is called."""

import os
import sys
from importlib import import_module
from typing import Annotated, Final, NamedTuple

import typer

from controller.cli.json_words import OPTION, wants_json
from controller.cli.output import print_error
from controller.domain.errors import ConfigError, TableError

# No plugin of another package has a say in how lines are checked, and to look for one takes a while.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")

COMPLETION: Final = "_STAND17_COMPLETE"
"""What a shell sets when it asks for completions."""

INTERRUPTED: Final = 130
"""Exit status after Ctrl-C, as shells count it."""


class CommandEntry(NamedTuple):
    """Where a command lives (a function, or a typer app of sub-commands), and its line in the list."""

    module: str
    name: str
    help: str


COMMANDS: Final[dict[str, CommandEntry]] = {
    "replay": CommandEntry(
        "controller.cli.replay.command", "replay", "Run feeds, journals, recordings once more."
    ),
    "show": CommandEntry("controller.cli.replay.show", "show", "Show a round as people read it."),
    "diff": CommandEntry(
        "controller.cli.replay.diff", "diff", "Tell how two files, or two rule sets, differ."
    ),
    "shrink": CommandEntry(
        "controller.cli.replay.shrink", "shrink_feed", "Make a feed as small as still shows something."
    ),
    "table": CommandEntry(
        "controller.cli.replay.columns", "table", "Write rounds, bets, reads, holds as columns."
    ),
    "studio": CommandEntry("controller.cli.replay.studio", "studio", "Step through rounds on a screen."),
    "label": CommandEntry("controller.cli.read.label", "label", "Label pictures of cards on a page."),
    "feed": CommandEntry("controller.cli.replay.feed", "feed", "Write a journal or a recording as a feed."),
    "export": CommandEntry("controller.cli.replay.export", "export", "Cut one round out of a recording."),
    "books": CommandEntry(
        "controller.cli.journal.books", "books", "Keep a table's books: its float to the cent."
    ),
    "report": CommandEntry(
        "controller.cli.journal.report", "report", "Report a shift, signed, as JSON, CSV or PDF."
    ),
    "incidents": CommandEntry(
        "controller.cli.replay.incidents", "incidents", "Play published fines and thefts once more."
    ),
    "rules": CommandEntry(
        "controller.cli.journal.rules", "app", "List the houses, show or analyse a rule set."
    ),
    "verify": CommandEntry(
        "controller.cli.journal.verify", "verify_journal", "Check a journal: chain and settlements."
    ),
    "key": CommandEntry("controller.cli.journal.key", "app", "Show the public key with which a table signs."),
    "read": CommandEntry("controller.cli.read.pictures", "read", "Read the cards in pictures."),
    "enrol": CommandEntry(
        "controller.cli.read.enrol", "enrol_deck", "Make a profile of a deck from pictures."
    ),
    "calibrate": CommandEntry(
        "controller.cli.read.calibrate", "calibrate", "Find out where a camera sees the boxes."
    ),
    "plan": CommandEntry("controller.cli.setup.plan", "app", "Plan a camera before it is bought."),
    "init": CommandEntry("controller.cli.setup.init", "init", "Write a configuration from a few answers."),
    "run": CommandEntry("controller.cli.setup.run", "run", "Run a table from its configuration."),
    "shadow": CommandEntry(
        "controller.cli.setup.shadow", "shadow", "Watch a table, stop nothing, report the night."
    ),
    "takeover": CommandEntry(
        "controller.cli.journal.takeover", "takeover", "Go on from the copy of a journal on another machine."
    ),
    "archive": CommandEntry(
        "controller.cli.journal.archive", "app", "Keep the journals of many tables in one place."
    ),
    "people": CommandEntry("controller.cli.setup.people", "app", "Say who may sign in at a table."),
    "demo": CommandEntry("controller.cli.setup.demo", "demo", "Open a simulated table, no hardware needed."),
    "devices": CommandEntry(
        "controller.cli.setup.devices", "devices", "List what is attached and what is wrong with it."
    ),
    "doctor": CommandEntry(
        "controller.cli.setup.doctor", "doctor", "Try everything that a table needs, and say what is wrong."
    ),
    "record": CommandEntry(
        "controller.cli.setup.record", "record", "Record the devices of a table without running it."
    ),
    "tls": CommandEntry("controller.cli.setup.tls", "app", "Make certificates for the page."),
    "bench": CommandEntry("controller.cli.measure.bench", "app", "Measure this program beside others."),
}


def build(called: str | None) -> typer.Typer:
    """The application; only the called command is imported, the others are known by name and help."""
    app = typer.Typer(
        # Bash, zsh and fish; other shells have no place on a table's machine.
        add_completion=True,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        help="stand17: the controller of a physical blackjack table.",
    )
    app.callback()(_root)
    for name, entry in COMMANDS.items():
        target = getattr(import_module(entry.module), entry.name) if name == called else _listed
        if isinstance(target, typer.Typer):
            app.add_typer(target, name=name, help=entry.help)
        else:
            app.command(name, help=None if name == called else entry.help)(target)
    return app


def _print_version(wanted: bool) -> None:
    if not wanted:
        return
    # Not above: no other command needs the root of the table in order to start.
    main_module = import_module("controller.main")
    if wants_json():
        answers = import_module("controller.cli.json_output")
        answers.print_json(answers.VersionAnswer(**main_module.installed()._asdict()))
    else:
        for line in main_module.version_lines():
            typer.echo(line)
    raise typer.Exit


def _refuse_alone(wanted: bool) -> None:
    if wanted:
        raise typer.BadParameter("it belongs after a command, or to --version")


def _root(
    _version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_print_version, help="Say what is installed."),
    ] = False,
    _json: Annotated[
        bool, typer.Option(OPTION, callback=_refuse_alone, help="With --version: one JSON object.")
    ] = False,
) -> None:
    """Hold the commands together; each says its own options with --help."""


def _listed() -> None:
    """Stand for a command that is only listed."""


def _called() -> str | None:
    """The command on the line, which a shell that asks for completions hands over by variables."""
    line = os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS") or ""
    words = line.split() if COMPLETION in os.environ else sys.argv
    return next((word for word in words[1:] if not word.startswith("-")), None)


def main() -> None:
    """Run a command; an error that a user can mend is one sentence and exit status 2.

    Ctrl-C before a command has begun, or in one that just works, ends it without a word.
    """
    as_json = wants_json()
    try:
        # However the program was begun: shells ask for completions by this name.
        status = build(_called())(prog_name="stand17", standalone_mode=not as_json)
        sys.exit(status if isinstance(status, int) else 0)
    except typer.TyperException as error:
        # A line that is no command's: typer draws a frame around it where no JSON is wanted.
        print_error(ConfigError("COMMAND_LINE", reason=error.format_message()))
        sys.exit(error.exit_code)
    except TableError as error:
        # Only a malformed feed has a place; its class would be loaded here for every command.
        print_error(error, error.where)
        sys.exit(2)
    except typer.Abort:
        # Only where JSON is wanted: else typer says so itself.
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
