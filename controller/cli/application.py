"""The application of typer: all commands by their names; options and files that several of them have."""

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Final, get_type_hints

import typer
from typer.models import ParameterInfo

from controller.cli import COMMANDS, COMPLETION
from controller.cli.output import OPTION, echo, print_answer, print_error, wants_json
from controller.domain import ConfigError
from controller.i18n import text

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
    version = import_module("controller.main.program")
    if wants_json():
        print_answer("version", **version.installed())
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
    """Return the name of the called command, or None.

    During completion the shell passes the line in a variable.
    """
    line = os.environ.get("_TYPER_COMPLETE_ARGS") or os.environ.get("COMP_WORDS") or ""
    words = line.split() if COMPLETION in os.environ else sys.argv
    return next((word for word in words[1:] if not word.startswith("-")), None)


AsJson = Annotated[bool, typer.Option(OPTION, help="Print one JSON object.")]
"""The option of every command that answers once."""

Force = Annotated[bool, typer.Option("--force", help="Replace a file that is there.")]
"""Of every command that writes a file; see `controller.outputs.Outputs`."""


Config = Annotated[Path, typer.Argument(help="The table's configuration, a TOML file.")]


def _complete_house(incomplete: str) -> list[str]:
    """The shipped houses that a shell completes where a rule file may be named, too."""
    from controller.rules import HOUSES

    return [house for house in HOUSES if house.startswith(incomplete)]


def _complete_camera(context: typer.Context, incomplete: str) -> list[str]:
    """The cameras of the configuration that stands on the line."""
    import tomllib

    config = next((word for word in context.args if word.endswith(".toml")), None)
    try:
        cameras = tomllib.loads(Path(config).read_text(encoding="utf-8"))["camera"] if config else []
        names = [str(camera["name"]) for camera in cameras]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [name for name in names if name.startswith(incomplete)]


CameraName = Annotated[
    str | None,
    typer.Option("--camera", help="Which camera of the configuration.", autocompletion=_complete_camera),
]
HouseOrFile = Annotated[
    str, typer.Argument(help="A house or the path of a rule file.", autocompletion=_complete_house)
]
DealtRules = Annotated[
    str,
    typer.Option("--rules", help="A house such as nl, or a rule file.", autocompletion=_complete_house),
]

STANDARD_INPUT: Final = "-"
FEEDS: Final = (".feed.jsonl", ".feed.jsonl.gz")
_SUFFIXES: Final = (*FEEDS, ".journal", ".mcap", ".mcap.partial")
"""Which files of a folder are meant."""


def named_files(names: Sequence[str]) -> list[str]:
    """Return every named file, and those of named folders in order of their paths, each once.

    In a folder, anything but a regular file is skipped with a note on standard error. Raises `ConfigError`
    REPLAY_FOLDER_EMPTY, and FEED_UNREADABLE for a folder that cannot be listed and for a named pipe or
    device, which would block or never end.
    """
    found: list[str] = []
    for name in names:
        path = Path(name)
        if path.is_dir():
            found += _inside(path)
        elif name != STANDARD_INPUT and path.exists() and not path.is_file():
            raise ConfigError("FEED_UNREADABLE", file=name, reason="not a regular file")
        else:
            found.append(name)
    return list(dict.fromkeys(found))


def _inside(folder: Path) -> list[str]:
    meant = sorted(
        Path(place, name)
        for place, _, names in os.walk(folder, onerror=_unlisted)
        for name in names
        if name.endswith(_SUFFIXES)
    )
    regular = [str(file) for file in meant if file.is_file()]
    for file in meant:
        if not file.is_file():
            echo(text("files.left_out", {"path": str(file)}), err=True)
    if not regular:
        raise ConfigError("REPLAY_FOLDER_EMPTY", path=str(folder))
    return regular


def _unlisted(error: OSError) -> None:
    """A folder that has gone since its parent was listed holds nothing; any other one may hold files."""
    if not isinstance(error, FileNotFoundError):
        raise ConfigError("FEED_UNREADABLE", file=str(error.filename), reason=str(error.strerror)) from error
