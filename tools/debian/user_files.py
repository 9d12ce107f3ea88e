"""Files of a package for the shell and its user: the command, completions, the manual, documents."""

import gzip
import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

from typer._completion_shared import get_completion_script

from controller.cli import COMMANDS
from tools.compile import ROOT

COMPLETIONS: Final = {
    "bash": "usr/share/bash-completion/completions/stand17",
    "zsh": "usr/share/zsh/vendor-completions/_stand17",
    "fish": "usr/share/fish/vendor_completions.d/stand17.fish",
}
"""Where Debian's shells look for completions."""

MANUAL: Final = "usr/share/man/man1/stand17.1.gz"
COMMAND: Final = "usr/bin/stand17"
_IN_USE: Final = "/opt/stand17/bin/stand17"
"""The command of the version in use."""

PAGE: Final = """.TH STAND17 1 "" "stand17 {version}" "User Commands"
.SH NAME
stand17 \\- the controller of a physical blackjack table
.SH SYNOPSIS
.B stand17
.I COMMAND
.RI [ OPTIONS ]
.SH DESCRIPTION
Reads the cards of a real shoe and of cameras, applies the rules of the house, tells the dealer what to do
next and what each box is paid, and keeps a journal in which any later change shows.
.B stand17 \\-\\-version
says what is installed,
.B stand17 COMMAND \\-\\-help
what a command takes.
.SH COMMANDS
{commands}.SH EXIT STATUS
0 where all is well, 1 where a command found what it was asked to look for, 2 where it could not do its work.
.SH FILES
.TP
.I /etc/stand17/NAME.toml
the table that stand17@NAME.service runs
.TP
.I /var/lib/stand17
journals and recordings
.SH SEE ALSO
/usr/share/doc/stand17\\-{version}/docs
"""


def put_on_the_path(tree: Path, version: str) -> None:
    """The command, its completions and its page of the manual, which follow the version in use."""
    _place(tree, COMMAND).symlink_to(_IN_USE)
    for shell, place in COMPLETIONS.items():
        script = get_completion_script(prog_name="stand17", complete_var="_STAND17_COMPLETE", shell=shell)
        _place(tree, place).write_text(f"{script}\n", encoding="utf-8")
    _place(tree, MANUAL).write_bytes(gzip.compress(manual(version).encode(), 9, mtime=0))


def manual(version: str) -> str:
    """The page of the manual: each command with its line."""
    lines = (f".TP\n.B {name}\n{_troff(entry.help)}\n" for name, entry in COMMANDS.items())
    return PAGE.format(version=_troff(version), commands="".join(lines))


def put_documents(tree: Path, package: str, *, pages: bool) -> None:
    """Licence and changes of a package, with all `pages` of docs/ where it is the program's."""
    folder = Path("usr/share/doc") / package
    shutil.copyfile(ROOT / "LICENSE", _place(tree, folder / "copyright"))
    changes = (ROOT / "CHANGELOG.md").read_bytes()
    _place(tree, folder / "changelog.gz").write_bytes(gzip.compress(changes, 9, mtime=0))
    for name in _documents() if pages else ():
        shutil.copyfile(ROOT / name, _place(tree, folder / name))


def _documents() -> list[str]:
    """Return the pages of docs/ in the sources, and the notices of other software."""
    command = ["git", "-C", os.fspath(ROOT), "ls-files", "docs", "examples", "README.md", "THIRD_PARTY.md"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def _place(tree: Path, place: str | Path) -> Path:
    made = tree / place
    made.parent.mkdir(parents=True, exist_ok=True)
    return made


def _troff(text: str) -> str:
    return text.replace("\\", "\\e").replace("-", "\\-")
