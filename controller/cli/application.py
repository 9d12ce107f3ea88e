"""The application of typer: all commands by their names, the called one with its options."""

import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Annotated, Final, get_type_hints

import typer
from typer.models import ParameterInfo

from controller.cli import COMMANDS, COMPLETION
from controller.cli.json_words import OPTION, print_answer, wants_json
from controller.cli.output import echo, print_error
from controller.domain import ConfigError

DOCS: Final = "The pages of the program: stand17 docs. One of them: stand17 docs running."


def run() -> int:
    """Run the command on the line; its exit status. Raises `TableError`."""
    if any(not word or (word.startswith("--") and word.endswith("=")) for word in sys.argv[1:]):
        # As a path it would be the present folder.
        raise ConfigError("ARGUMENT_EMPTY")
    as_json = wants_json()
    try:
        # However the program was begun: shells ask for completions by this name.
        status = build(_called())(prog_name="stand17", standalone_mode=not as_json)
    except typer.TyperException as error:
        # A line that is no command's: typer draws a frame around it where no JSON is wanted.
        print_error(ConfigError("COMMAND_LINE", reason=error.format_message()))
        return error.exit_code
    except typer.Abort:
        # Only where JSON is wanted: else typer says so itself.
        return 1
    return status if isinstance(status, int) else 0


def build(called: str | None) -> typer.Typer:
    """The application; only the called command is imported, the others are known by name and help."""
    app = typer.Typer(
        # Bash, zsh and fish; other shells have no place on a table's machine.
        add_completion=True,
        invoke_without_command=True,
        pretty_exceptions_enable=False,
        help="stand17: the controller of a physical blackjack table.",
        epilog=DOCS,
    )
    app.callback()(_root)
    for name, entry in COMMANDS.items():
        target = getattr(import_module(entry.module), entry.name) if name == called else _listed
        _leave_files_to(target)
        if isinstance(target, typer.Typer):
            app.add_typer(target, name=name, help=entry.help, epilog=DOCS, rich_help_panel=entry.group)
        else:
            shown = None if name == called else entry.help
            app.command(name, help=shown, epilog=DOCS, rich_help_panel=entry.group)(target)
    return app


def _leave_files_to(target: typer.Typer | Callable[..., object]) -> None:
    """Let the commands themselves say that a file cannot be read: typer draws its usage for that."""
    commands = target.registered_commands if isinstance(target, typer.Typer) else ()
    for function in [one.callback for one in commands] or [target]:
        for hint in get_type_hints(function, include_extras=True).values():
            for parameter in getattr(hint, "__metadata__", ()):
                if isinstance(parameter, ParameterInfo):
                    parameter.readable = False


def _print_version(wanted: bool) -> None:
    if not wanted:
        return
    # Not above: no other command needs the root of the table in order to start.
    version = import_module("controller.main.version")
    if wants_json():
        print_answer("version", **version.installed()._asdict())
    else:
        for line in version.version_lines():
            echo(line)
    raise typer.Exit


def _refuse_alone(wanted: bool) -> None:
    if wanted:
        raise typer.BadParameter("it belongs after a command, or to --version")


def _root(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_print_version, help="Say what is installed."),
    ] = False,
    _json: Annotated[
        bool, typer.Option(OPTION, callback=_refuse_alone, help="With --version: one JSON object.")
    ] = False,
) -> None:
    """Print the list of commands when none is called; each command describes its options with --help."""
    if context.invoked_subcommand is None:
        echo(context.get_help())


def _listed() -> None:
    """Stand for a command that is only listed."""


def _called() -> str | None:
    """The command on the line, which a shell that asks for completions hands over by variables."""
    line = os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS") or ""
    words = line.split() if COMPLETION in os.environ else sys.argv
    return next((word for word in words[1:] if not word.startswith("-")), None)
