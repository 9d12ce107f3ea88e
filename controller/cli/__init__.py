"""The command line: each command has a module of its own, which is imported when it is called."""

import os
import sys
from importlib import import_module
from typing import Final, NamedTuple

from controller.cli.output import PIPE_CLOSED, OutputFailed, end_output, guard_output, print_error
from controller.domain import TableError

# No plugin of another package has a say in how lines are checked, and to look for one takes a while.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")

COMPLETION: Final = "_STAND17_COMPLETE"
"""What a shell sets when it asks for completions."""

INTERRUPTED: Final = 130
"""Exit status after Ctrl-C, as shells count it."""


class CommandEntry(NamedTuple):
    """The module and name of a command (a function, or an app of sub-commands), and its line in the list."""

    module: str
    name: str
    help: str
    group: str


GROUPS: Final[dict[str, dict[str, tuple[str, str, str]]]] = {
    "Run a table": {
        "demo": ("controller.cli.setup.demo", "demo", "Open a simulated table, no hardware needed."),
        "setup": ("controller.cli.setup.open_table", "setup", "Set up a table as a service, and open it."),
        "run": ("controller.cli.setup.run", "run", "Run a table from its configuration."),
        "shadow": ("controller.cli.setup.shadow", "shadow", "Watch a table, stop nothing, report the night."),
        "record": (
            "controller.cli.setup.record",
            "record",
            "Record the devices of a table without running it.",
        ),
        "takeover": (
            "controller.cli.setup.takeover",
            "takeover",
            "Go on from the copy of a journal on another machine.",
        ),
        "people": ("controller.cli.setup.people", "app", "Say who may sign in at a table."),
        "init": ("controller.cli.setup.init", "init", "Write a configuration from a few answers."),
        "config": ("controller.cli.setup.shipped", "config", "Print every setting with its default."),
        "docs": ("controller.cli.setup.shipped", "docs", "Show the pages of the documentation."),
        "service": (
            "controller.cli.setup.service",
            "app",
            "Install the service that runs a machine's tables.",
        ),
    },
    "Look at a table": {
        "show": ("controller.cli.replay.show", "show", "Show a round as people read it."),
        "report": ("controller.cli.journal.report", "report", "Report a shift, signed, as JSON, CSV or PDF."),
        "books": ("controller.cli.journal.books", "books", "Keep a table's books: its float to the cent."),
        "studio": ("controller.cli.replay.studio", "studio", "Step through rounds on a screen."),
        "verify": (
            "controller.cli.journal.verify",
            "verify_journal",
            "Check a journal: chain and settlements.",
        ),
        "patterns": (
            "controller.cli.journal.patterns",
            "patterns",
            "Find what goes beyond chance over many days.",
        ),
        "table": ("controller.cli.replay.columns", "table", "Write rounds, bets, reads, holds as columns."),
        "key": ("controller.cli.journal.key", "app", "Show the public key with which a table signs."),
        "guests": ("controller.cli.journal.guests", "app", "Erase a name of a rated guest."),
    },
    "Test": {
        "replay": ("controller.cli.replay.command", "replay", "Run feeds, journals, recordings once more."),
        "diff": ("controller.cli.replay.diff", "diff", "Tell how two files, or two rule sets, differ."),
        "shrink": (
            "controller.cli.replay.shrink",
            "shrink_feed",
            "Make a feed as small as still shows something.",
        ),
        "feed": ("controller.cli.replay.feed", "feed", "Write a journal or a recording as a feed."),
        "export": ("controller.cli.replay.export", "export", "Cut one round out of a recording."),
        "rules": ("controller.cli.journal.rules", "app", "List the houses, show or analyse a rule set."),
        "bench": ("controller.cli.measure.bench", "app", "Measure this program beside others."),
    },
    "Devices": {
        "devices": (
            "controller.cli.setup.devices",
            "devices",
            "List what is attached and what is wrong with it.",
        ),
        "doctor": (
            "controller.cli.setup.doctor",
            "doctor",
            "Try everything that a table needs, and say what is wrong.",
        ),
        "read": ("controller.cli.read.commands", "read", "Read the cards in pictures."),
        "calibrate": (
            "controller.cli.read.commands",
            "calibrate",
            "Find out where a camera sees the boxes.",
        ),
        "enrol": ("controller.cli.read.commands", "enrol", "Make a profile of a deck from pictures."),
        "plan": ("controller.cli.setup.plan", "app", "Plan a camera before it is bought."),
    },
    "The house": {
        "pit": ("controller.cli.journal.pit", "pit", "Watch many tables on the pit's page."),
        "archive": (
            "controller.cli.journal.archive",
            "app",
            "Keep the journals of many tables in one place.",
        ),
        "floor": (
            "controller.cli.setup.floor",
            "app",
            "Let tables onto a floor's network, and see how they stand.",
        ),
        "witness": (
            "controller.cli.journal.witness",
            "witness",
            "Take tables' signed heads, and sign that none changes.",
        ),
    },
}
"""Each command below its group of `--help`: module, function or typer app, line in the list."""

COMMANDS: Final[dict[str, CommandEntry]] = {
    name: CommandEntry(*place, group)
    for group, commands in GROUPS.items()
    for name, place in commands.items()
}


def main() -> None:
    """Run a command; an error that a user can correct is one sentence and exit status 2.

    Ctrl-C before a command has begun, or in a command that only computes, ends it silently.
    """
    guard_output()
    try:
        status = _ended()
        sys.stdout.flush()
    except OutputFailed as failed:
        status = end_output(failed)
    sys.exit(status)


def _ended() -> str | int | None:
    """Run the command; its exit status."""
    try:
        return _status()
    except TableError as error:
        # Only a malformed feed has a place; its class would be loaded here for every command.
        print_error(error, error.where)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit as ended:
        return ended.code
    except BrokenPipeError:
        # A pipe or handle that was named as the file to write.
        return PIPE_CLOSED


def _status() -> int:
    """Run the command that is called; a feed under flags alone needs none of the command line's machinery."""
    words = sys.argv[1:]
    if words[:1] == ["replay"] and COMPLETION not in os.environ:
        playing = import_module("controller.cli.replay.playing")
        if feeds := playing.plain_feeds(words[1:]):
            return int(playing.play_plain(feeds, words))
    return int(import_module("controller.cli.application").run())
