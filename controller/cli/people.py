"""Commands on a table's people, its public key, and the file of rated guests.

A PIN is typed or piped in, and never stands in a command.
"""

import getpass
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from controller.cli.application import AsJson, Config
from controller.cli.output import echo, echo_lines, print_answer
from controller.domain import ConfigError
from controller.i18n import text
from controller.policy.line import StaffRole
from controller.ports import SystemClock

if TYPE_CHECKING:
    from controller.config import TableConfig
    from controller.people.person import PersonRecord
    from controller.people.store import PeopleFile, Update

people_app: Final = typer.Typer(no_args_is_help=True, help="Say who may sign in at a table.")


PersonId = Annotated[str, typer.Argument(help="The id: letters, digits, dot, dash, underscore.")]

WithCard = Annotated[bool, typer.Option("--card", help="Also ask for a staff card: hold it to the reader.")]


@people_app.command("add")
def add(
    config: Config,
    person_id: PersonId,
    role: Annotated[StaffRole, typer.Argument(help="What the person is employed as.")],
    *,
    name: Annotated[str, typer.Option(help="The name; the id when left out.")] = "",
    card: WithCard = False,
    as_json: AsJson = False,
) -> None:
    """Let a person sign in. The first one has to be an administrator.

    The PIN is asked for, or read from standard input; the card's number follows it on a line of its own.
    With the first person the names of `web.pins` are taken over as supervisors.
    """
    from controller.people.person import PIN_DIGITS_MIN, PinHasher
    from controller.people.store import added, new_person

    loaded, file = _opened(config)
    record = new_person(person_id, name or person_id, role)
    pin = ask_secret(text("people.ask_pin", {"id": person_id, "least": PIN_DIGITS_MIN[role]}), twice=True)
    number = ask_secret(text("people.ask_card")) if card else ""
    first = not file.register().people
    _change(loaded, file, added(record, pin, number, PinHasher()))
    taken, left = _take_over(loaded, file) if first else ((), ())
    if as_json:
        _print_change("added", person_id, taken, left)
        return
    echo(text("people.added", {"id": person_id, "role": text(f"role.{role}")}))
    for one in taken:
        echo(text("people.taken_over", {"id": one}))
    for one in left:
        echo(text("people.not_taken_over", {"id": one}), err=True)


@people_app.command("list")
def show(config: Config, *, as_json: AsJson = False) -> None:
    """List all people: id, role, name, disabled ones, and those with a card."""
    _, file = _opened(config)
    people = file.register().people.values()
    if as_json:
        print_answer("people", people=[_row(one) for one in people])
        return
    for one in people:
        marks = [text("people.disabled_mark")] if one.disabled else []
        marks += [text("people.card_mark")] if one.card else []
        echo("\t".join((one.id, one.role, one.name, ", ".join(marks))).rstrip())


@people_app.command("disable")
def disable(config: Config, person_id: PersonId, *, as_json: AsJson = False) -> None:
    """Bar a person from now on; a signed-in person is signed out within a second."""
    from controller.people.store import disabled

    loaded, file = _opened(config)
    _change(loaded, file, disabled(person_id))
    if as_json:
        _print_change("disabled", person_id)
    else:
        echo(text("people.disabled", {"id": person_id}))


@people_app.command("reset")
def new_pin(config: Config, person_id: PersonId, *, card: WithCard = False, as_json: AsJson = False) -> None:
    """Give a person a new PIN, and with --card another staff card; lets in again who was disabled."""
    from controller.people.person import PIN_DIGITS_MIN, PinHasher
    from controller.people.store import reset

    loaded, file = _opened(config)
    record = file.register().people.get(person_id)
    if record is None:
        raise ConfigError("PERSON_UNKNOWN", id=person_id[:40])
    pin = ask_secret(
        text("people.ask_pin", {"id": person_id, "least": PIN_DIGITS_MIN[record.role]}), twice=True
    )
    number = ask_secret(text("people.ask_card")) if card else None
    _change(loaded, file, reset(person_id, pin, number, PinHasher()))
    if as_json:
        _print_change("reset", person_id)
    else:
        echo(text("people.reset", {"id": person_id}))


def _opened(path: Path) -> "tuple[TableConfig, PeopleFile]":
    from controller.config import load_config
    from controller.main.trust import people_file

    config = load_config(path)
    return config, people_file(config.people, config.journal.file)


def _change(config: "TableConfig", file: "PeopleFile", update: "Update") -> None:
    from controller.main.trust import table_key
    from controller.people.store import publish

    if config.people.source is not None:
        raise ConfigError("PEOPLE_KEPT_ELSEWHERE", path=str(config.people.source))
    file.change(update, f"console:{getpass.getuser()}", SystemClock().utc_us())
    if config.people.publish is not None:
        publish(file, config.people.publish, table_key(config).sign)


def ask_secret(asked: str, *, twice: bool = False) -> str:
    """Ask for a secret without showing it; from a pipe, take its next line. Raises PINS_DIFFER."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    first = getpass.getpass(f"{asked} ")
    if twice and getpass.getpass(f"{text('people.ask_again')} ") != first:
        raise ConfigError("PINS_DIFFER")
    return first


def _print_change(change: str, person_id: str, taken: Sequence[str] = (), left: Sequence[str] = ()) -> None:
    """Print the change as JSON, with the names of `[web] pins` that were and were not taken over."""
    print_answer("person", change=change, id=person_id, taken_over=taken, not_taken_over=left)


def _row(one: "PersonRecord") -> dict[str, object]:
    """Return one person, without PIN, card number or a hash of either."""
    named = {"id": one.id, "role": one.role, "name": one.name}
    return {**named, "disabled": one.disabled, "card": bool(one.card)}


def _take_over(config: "TableConfig", file: "PeopleFile") -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Take over the names of `web.pins`; which could be, and which could not."""
    from controller.people.store import taken_over, to_take_over

    taken = to_take_over(file.register(), config.web.pins)
    for name, hashed in taken.items():
        _change(config, file, taken_over(name, hashed))
    known = file.register().people
    return tuple(taken), tuple(name for name in config.web.pins if name not in known)


key_app = typer.Typer(add_completion=False, no_args_is_help=True, help="Show the public key of a table.")


@key_app.callback()
def _key() -> None:
    """Hold the commands together."""


@key_app.command("show")
def show_key(
    config: Config,
    as_pem: Annotated[bool, typer.Option("--pem", help="As a PEM, for other programs.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print the public key of a table, 64 hexadecimal digits. The table makes its key at its first start.

    Keep it away from the table: `stand17 verify JOURNAL --key` takes the digits, or a file that holds them.
    """
    from controller.config import load_config
    from controller.journal.head_file import pem
    from controller.main.trust import public_key_of

    public = public_key_of(load_config(config))
    if as_json:
        print_answer("key", public=public, pem=pem(public))
    else:
        echo_lines((pem(public) if as_pem else public).splitlines())


guests_app: Final = typer.Typer(no_args_is_help=True, help="Erase a name from a file of rated guests.")


@guests_app.callback()
def _guests() -> None:
    """Hold the commands together."""


@guests_app.command("erase")
def erase(
    file: Annotated[Path, typer.Argument(help="The file of names.")],
    guest: Annotated[str, typer.Argument(help="The pseudonym.")],
    *,
    as_json: AsJson = False,
) -> None:
    """Forget the person behind a pseudonym. Journals hold pseudonyms alone, and stay as they are."""
    from controller.people.store import erase_guest

    erase_guest(file, guest)
    if as_json:
        print_answer("guest", guest=guest)
