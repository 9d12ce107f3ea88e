"""`stand17 service`: the units, accounts and device names of a machine that runs tables.

The Debian package `stand17-service` installs the same files below /usr/lib; this command is for every other
installation.
"""

import grp
import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Final, NamedTuple, Self

import typer

from controller.cli.output import echo, echo_lines
from controller.domain import ConfigError
from controller.i18n import text

app: Final = typer.Typer(no_args_is_help=True, help="Install the service that runs a machine's tables.")

FILES: Final = {
    "systemd/stand17@.service": "systemd/system",
    "systemd/stand17-kiosk@.service": "systemd/system",
    "sysusers/stand17.conf": "sysusers.d",
    "udev/70-stand17.rules": "udev/rules.d",
}
"""The shipped files, and their folders below /etc, or below /usr/lib for a package."""

ACCOUNT: Final = "stand17"
CONFIGURATIONS: Final = Path("/etc/stand17")
PROGRAM: Final = Path("/opt/stand17")
"""The environment of the version in use; the units start `bin/stand17` in it."""

HIDDEN: Final = ("/home", "/root", "/run/user")
"""Folders that `ProtectHome=yes` of the units hides from a table."""


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


def require_root(command: str) -> None:
    """Raise `ConfigError` SETUP_NEEDS_ROOT for another user."""
    if os.geteuid() != 0:
        raise ConfigError("SETUP_NEEDS_ROOT", command=command)


def is_installed() -> bool:
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
    require_root("service install")
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
    CONFIGURATIONS.mkdir(exist_ok=True)
    CONFIGURATIONS.chmod(0o750)
    shutil.chown(CONFIGURATIONS, group=grp.getgrnam(ACCOUNT).gr_gid)
    if has_systemd():
        subprocess.run(["systemctl", "daemon-reload"], check=True)
    if Path("/run/udev").is_dir():
        subprocess.run(["udevadm", "control", "--reload"], check=True)
        subprocess.run(["udevadm", "trigger"], check=True)


def has_systemd() -> bool:
    """Whether systemd runs this machine."""
    return Path("/run/systemd/system").is_dir()
