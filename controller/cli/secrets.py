"""Who is at the command line: the account of the machine, and PINs that are typed or piped in."""

import getpass
import sys

from controller.domain.errors import ConfigError
from controller.i18n import text


def console_name() -> str:
    """The name of an act that no person has signed for with a PIN."""
    return f"console:{getpass.getuser()}"


def ask_secret(asked: str, *, twice: bool = False) -> str:
    """Ask for a secret without showing it; from a pipe, take its next line. Raises PINS_DIFFER."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    first = getpass.getpass(f"{asked} ")
    if twice and getpass.getpass(f"{text('people.ask_again')} ") != first:
        raise ConfigError("PINS_DIFFER")
    return first
