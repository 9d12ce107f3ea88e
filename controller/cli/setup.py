"""Commands that set up a machine: the service of systemd, and a table from configuration to open page.

The configuration is written as root. Everything else is done as the table's account, so that a table that
`setup` has examined finds the same rights when systemd starts it. The Debian package `stand17-service`
installs the same files below /usr/lib; `service` is for every other installation.
"""

import grp
import json
import os
import pwd
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, Self

import typer

from controller.cli.init import asked, completed, known_answers, read_answers, starter_file, write_table
from controller.cli.output import echo, echo_lines, print_error, terminal_tongue
from controller.cli.people import ask_secret
from controller.domain import ConfigError
from controller.i18n import Language, text
from controller.outputs import Outputs

if TYPE_CHECKING:
    from controller.config import TableConfig

_STATE: Final = Path("/var/lib/stand17")
"""The folder of journals and people: the unit's StateDirectory."""

_FIRST_PORT: Final = 8017

_FIRST_PERSON: Final = "A-01"


class Account(NamedTuple):
    """An account of the machine, as a child process takes it on."""

    uid: int
    gid: int
    groups: tuple[int, ...]

    @classmethod
    def of_tables(cls) -> Self | None:
        """Return the account that runs the tables; None when it does not exist."""
        try:
            entry = pwd.getpwnam(ACCOUNT)
        except KeyError:
            return None
        groups = tuple(os.getgrouplist(ACCOUNT, entry.pw_gid))
        return cls(entry.pw_uid, entry.pw_gid, groups)

    def run(self, *command: str, typed: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run a command as this account; its output is shown unless it is given input.

        Raises `ConfigError` SETUP_HIDDEN when the account may not start the program.
        """
        sys.stdout.flush()
        try:
            return subprocess.run(
                command,
                user=self.uid,
                group=self.gid,
                extra_groups=self.groups,
                umask=0o077,
                cwd="/",
                # The journal names the person at the console, not the account that writes.
                env={**os.environ, "LOGNAME": os.environ.get("SUDO_USER", "root")},
                input=typed,
                capture_output=typed is not None,
                text=True,
                check=False,
            )
        except PermissionError as error:
            raise ConfigError("SETUP_HIDDEN", path=command[0]) from error


class NewTable(NamedTuple):
    """A table to set up: its configuration `file`, its `name`, the account and the folder of its record.

    `program` is this command, as the account starts it.
    """

    file: Path
    name: str
    account: Account
    tongue: str
    state: Path = _STATE
    program: Path = Path(sys.executable).with_name("stand17")

    @property
    def unit(self) -> str:
        """The instance of the shipped unit that runs it."""
        return f"stand17@{self.file.stem}"

    @property
    def is_open(self) -> bool:
        """Whether systemd runs the table already."""
        question = ("systemctl", "is-active", "--quiet", self.unit)
        return has_systemd() and subprocess.run(question, check=False).returncode == 0

    def say(self, key: str, **params: str | int) -> None:
        """Print a sentence in the installer's language."""
        echo(text(key, params, self.tongue))

    def run(self, *words: str, typed: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run a command of this program as the table's account, see `Account.run`."""
        return self.account.run(str(self.program), *words, typed=typed)


def setup(
    name: Annotated[str, typer.Argument(help="The table's name, such as BJ1.")] = "BJ1",
    *,
    answers: Annotated[
        Path | None, typer.Option(help="Answers as a JSON object, by key; nothing but the PIN is asked then.")
    ] = None,
    administrator: Annotated[
        str | None, typer.Option(help="Id of the first person; the PIN is asked, or read from a pipe.")
    ] = None,
    language: Annotated[Language | None, typer.Option(help="The terminal's own when left out.")] = None,
) -> None:
    """Set up a table as a service: configuration, first person, trial, start. Needs root.

    A second call continues an interrupted one: existing files are kept. Exit status 0: the table is open.
    1: it stays closed, and the next step is printed.
    """
    _require_root(f"setup {name}")
    if not _is_installed():
        install()
    account = Account.of_tables()
    assert account is not None
    instance = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in name.lower())
    file = _CONFIGURATIONS / f"{instance}.toml"
    open_table(NewTable(file, name, account, language or terminal_tongue()), answers, administrator)


def open_table(table: NewTable, answers: Path | None, administrator: str | None) -> None:
    """Do the steps that are not done yet; raises `typer.Exit` where one of them keeps the table closed."""
    from controller.config import load_config

    table.state.mkdir(mode=0o700, exist_ok=True)
    os.chown(table.state, table.account.uid, table.account.gid)
    if table.file.exists():
        table.say("setup.kept", path=str(table.file))
    else:
        _write_configuration(table, answers)
    _add_first_person(table, administrator)
    if table.is_open:
        _show_page(table, load_config(table.file))
        return
    examined = table.run("doctor", str(table.file), "--language", table.tongue)
    config = load_config(table.file)
    for section in config.table_cameras:
        if section.layout is not None and not section.layout.exists():
            path = f"{table.file} --camera {section.name}"
            table.say("init.next_calibrate", path=path, layout=str(section.layout))
    if examined.returncode:
        table.say("setup.closed", name=table.name)
        raise typer.Exit(1)
    if not has_systemd():
        table.say("setup.no_systemd", command=f"runuser -u {ACCOUNT} -- stand17 run {table.file}")
        return
    _start(table)
    table.say("setup.done", path=str(table.file), folder=str(table.state), account=ACCOUNT)
    _show_page(table, config)


def _write_configuration(table: NewTable, answers: Path | None) -> None:
    """Ask, and write the file; the answers survive an interrupted run."""
    given = {
        **known_answers(),
        "table.name": table.name,
        "journal.file": str(table.state / "{table}-{day}.journal"),
        "web.port": str(_free_port(table.file.parent)),
    }
    draft, offered = table.file.with_suffix(".answers.json"), dict[str, str]()
    if shutil.which("mkcert") is not None:
        offered["web.tls.certificate"] = str(table.file.with_suffix(".crt"))
        offered["web.tls.key"] = str(table.file.with_suffix(".tls.key"))

    def keep(told: dict[str, str]) -> None:
        Outputs(force=True).write(draft, json.dumps(told).encode())

    if answers is not None:
        found = completed(given | read_answers(answers))
    else:
        earlier = read_answers(draft) if draft.exists() else {}
        found = asked(table.tongue, given, offered | earlier, keep)
    _make_certificate(found, table.account)
    write_table(Outputs(), table.file, starter_file(found, table.tongue))
    draft.unlink(missing_ok=True)
    table.say("init.written", path=str(table.file))


def _make_certificate(found: Mapping[str, str], account: Account) -> None:
    """Have mkcert make the certificate that is named and not there; its key is the account's."""
    certificate, key = found.get("web.tls.certificate"), found.get("web.tls.key")
    if certificate is None or key is None or Path(certificate).exists() or not shutil.which("mkcert"):
        return
    names = found["web.names"].replace(",", " ").split()
    made = ("-ecdsa", "-cert-file", certificate, "-key-file", key)
    if subprocess.run(["mkcert", *made, *names], check=False).returncode:
        return  # Its own words stand above; the examination says that the certificate is not there.
    # The account can read both files under any umask.
    Path(certificate).chmod(0o644)
    Path(key).chmod(0o400)
    os.chown(key, account.uid, account.gid)


def _free_port(folder: Path) -> int:
    """The first port that no other table of this machine has."""
    taken = set()
    for other in folder.glob("*.toml"):
        with suppress(OSError, tomllib.TOMLDecodeError):
            web: dict[str, Any] = tomllib.loads(other.read_text(encoding="utf-8")).get("web", {})
            taken.add(web.get("port", _FIRST_PORT))
    return next(port for port in range(_FIRST_PORT, 65536) if port not in taken)


def _add_first_person(table: NewTable, administrator: str | None) -> None:
    """Add an administrator where the table has no people; id and PIN are checked before they are sent."""
    from controller.people.person import PIN_DIGITS_MIN, require_id, require_pin

    listed = table.run("people", "list", str(table.file), "--json", typed="")
    if listed.returncode:
        echo(listed.stderr.strip(), err=True)
        raise typer.Exit(1)
    if json.loads(listed.stdout)["people"]:
        return
    pin = ""
    while not pin:
        asked_id = text("setup.ask_person", language=table.tongue)
        person = administrator or typer.prompt(asked_id, _FIRST_PERSON)
        try:
            require_id(person)
            named = {"id": person, "least": PIN_DIGITS_MIN["administrator"]}
            typed = ask_secret(text("people.ask_pin", named, table.tongue), twice=True)
            require_pin("administrator", typed)
            pin = typed
        except ConfigError as error:
            if not sys.stdin.isatty():
                raise
            print_error(error, language=table.tongue)
    added = table.run("people", "add", str(table.file), person, "administrator", typed=f"{pin}\n")
    echo((added.stderr if added.returncode else added.stdout).strip(), err=bool(added.returncode))
    if added.returncode:
        raise typer.Exit(1)


def _start(table: NewTable) -> None:
    """Enable and start the unit, which is ready once the page can be opened."""
    if subprocess.run(["systemctl", "enable", "--now", table.unit], check=False).returncode:
        subprocess.run(["journalctl", "--no-pager", "--lines=20", f"--unit={table.unit}"], check=False)
        table.say("setup.not_started", unit=table.unit)
        raise typer.Exit(1)


def _show_page(table: NewTable, config: "TableConfig") -> None:
    """Print the page's address, and open it on the screen of the user who called sudo."""
    web = config.web
    scheme, host = ("http", web.host) if web.tls is None else ("https", next(iter(web.names), web.host))
    address = f"{scheme}://{host}:{web.port}/"
    table.say("setup.page", address=address)
    user = os.environ.get("SUDO_UID", "")
    if user.isdigit() and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        with suppress(OSError):
            subprocess.Popen(["xdg-open", address], user=int(user), stderr=subprocess.DEVNULL)


app: Final = typer.Typer(no_args_is_help=True, help="Install the service that runs a machine's tables.")

FILES: Final = {
    "systemd/stand17@.service": "systemd/system",
    "systemd/stand17-kiosk@.service": "systemd/system",
    "sysusers/stand17.conf": "sysusers.d",
    "udev/70-stand17.rules": "udev/rules.d",
}
"""The shipped files, and their folders below /etc, or below /usr/lib for a package."""

ACCOUNT: Final = "stand17"

_CONFIGURATIONS: Final = Path("/etc/stand17")

PROGRAM: Final = Path("/opt/stand17")
"""The environment of the version in use; the units start `bin/stand17` in it."""

HIDDEN: Final = ("/home", "/root", "/run/user")
"""Folders that `ProtectHome=yes` of the units hides from a table."""


def _require_root(command: str) -> None:
    """Raise `ConfigError` SETUP_NEEDS_ROOT for another user."""
    if os.geteuid() != 0:
        raise ConfigError("SETUP_NEEDS_ROOT", command=command)


def _is_installed() -> bool:
    """Whether systemd finds the table's unit, and the account exists."""
    unit = f"systemd/system/{ACCOUNT}@.service"
    is_known = any((Path(root) / unit).is_file() for root in ("/etc", "/usr/lib", "/lib"))
    return is_known and Account.of_tables() is not None


@app.command("install")
def install(
    *,
    print_: Annotated[bool, typer.Option("--print", help="Print the files, and install nothing.")] = False,
) -> None:
    """Install the units of systemd, the accounts and the names of devices; starts no table.

    Links /opt/stand17 to this installation where nothing lies there. Needs root, except with --print.
    """
    from controller.software import shipped_folder

    shipped = shipped_folder()
    if print_:
        for source, folder in FILES.items():
            echo(f"# /etc/{folder}/{Path(source).name}")
            echo_lines((shipped / source).read_text(encoding="utf-8").splitlines())
        return
    _require_root("service install")
    if any(Path(sys.prefix).is_relative_to(folder) for folder in HIDDEN):
        raise ConfigError("SETUP_HIDDEN", path=sys.prefix)
    for source, folder in FILES.items():
        place = Path("/etc") / folder / Path(source).name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(shipped / source, place)
        place.chmod(0o644)
        echo(text("init.written", {"path": str(place)}))
    if not PROGRAM.exists():
        PROGRAM.symlink_to(sys.prefix)
        echo(text("setup.linked", {"path": str(PROGRAM), "to": sys.prefix}))
    subprocess.run(["systemd-sysusers", f"{ACCOUNT}.conf"], check=True)
    _CONFIGURATIONS.mkdir(exist_ok=True)
    _CONFIGURATIONS.chmod(0o750)
    shutil.chown(_CONFIGURATIONS, group=grp.getgrnam(ACCOUNT).gr_gid)
    if has_systemd():
        subprocess.run(["systemctl", "daemon-reload"], check=True)
    if Path("/run/udev").is_dir():
        subprocess.run(["udevadm", "control", "--reload"], check=True)
        subprocess.run(["udevadm", "trigger"], check=True)


def has_systemd() -> bool:
    """Whether systemd runs this machine."""
    return Path("/run/systemd/system").is_dir()
