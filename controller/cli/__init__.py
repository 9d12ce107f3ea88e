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

GROUPS: Final[dict[str, dict[str, tuple[str, str]]]] = {
    "Run a table": {
        "demo": ("demo.demo", "Open a simulated table, no hardware needed."),
        "setup": ("setup.setup", "Set up a table as a service, and open it."),
        "run": ("running.run", "Run a table from its configuration."),
        "shadow": ("running.shadow", "Watch a table, stop nothing, report the night."),
        "record": ("devices.record", "Record the devices of a table without running it."),
        "takeover": ("running.takeover", "Go on from the copy of a journal on another machine."),
        "people": ("people.people_app", "Say who may sign in at a table."),
        "init": ("init.init", "Write a configuration from a few answers."),
        "config": ("init.config", "Print every setting with its default."),
        "docs": ("init.docs", "Show the pages of the documentation."),
        "service": ("setup.app", "Install the service that runs a machine's tables."),
    },
    "Look at a table": {
        "show": ("rounds.show", "Show a round as people read it."),
        "report": ("report.report", "Report a shift, signed, as JSON, CSV or PDF."),
        "books": ("report.books", "Keep a table's books: its float to the cent."),
        "studio": ("running.studio", "Step through rounds on a screen."),
        "verify": ("verify.verify_journal", "Check a journal: chain and settlements."),
        "patterns": ("report.patterns", "Find what goes beyond chance over many days."),
        "table": ("columns.table", "Write rounds, bets, reads, holds as columns."),
        "key": ("people.key_app", "Show the public key with which a table signs."),
        "guests": ("people.guests_app", "Erase a name of a rated guest."),
    },
    "Test": {
        "replay": ("replay.replay", "Run feeds, journals, recordings once more."),
        "diff": ("rounds.diff", "Tell how two files, or two rule sets, differ."),
        "shrink": ("feeds.shrink_feed", "Make a feed as small as still shows something."),
        "feed": ("feeds.feed", "Write a journal or a recording as a feed."),
        "export": ("feeds.export", "Cut one round out of a recording."),
        "rules": ("rules.app", "List the houses, show or analyse a rule set."),
        "bench": ("bench.app", "Measure this program beside others."),
    },
    "Devices": {
        "devices": ("devices.devices", "List what is attached and what is wrong with it."),
        "doctor": ("devices.doctor", "Try everything that a table needs, and say what is wrong."),
        "read": ("read.read", "Read the cards in pictures."),
        "calibrate": ("read.calibrate", "Find out where a camera sees the boxes."),
        "enrol": ("read.enrol", "Make a profile of a deck from pictures."),
        "plan": ("plan.app", "Plan a camera before it is bought."),
    },
    "The house": {
        "pit": ("floor.pit", "Watch many tables on the pit's page."),
        "archive": ("archive.app", "Keep the journals of many tables in one place."),
        "floor": ("floor.app", "Let tables onto a floor's network, and see how they stand."),
        "witness": ("archive.witness", "Take tables' signed heads, and sign that none changes."),
    },
}
"""Each command below its group of `--help`: its function or typer app in this package,
and its line in the list."""


class CommandEntry(NamedTuple):
    """The module and name of a command (a function, or an app of sub-commands), and its line in the list."""

    module: str
    name: str
    help: str
    group: str


COMMANDS: Final[dict[str, CommandEntry]] = {
    name: CommandEntry(f"{__name__}.{module}", function, line, group)
    for group, commands in GROUPS.items()
    for name, (place, line) in commands.items()
    for module, function in [place.split(".")]
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
        playing = import_module("controller.cli.replaying")
        if feeds := playing.plain_feeds(words[1:]):
            return int(playing.play_plain(feeds, words))
    return int(import_module("controller.cli.application").run())
