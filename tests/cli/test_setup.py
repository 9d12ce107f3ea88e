"""`stand17 setup` as root: an account of its own finds everything it needs, and the table opens under it."""

import json
import os
import pty
import re
import select
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import termios
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest
import typer

from controller.cli import setup
from controller.cli.setup import Account, NewTable
from controller.config import load_config
from controller.domain import ConfigError
from controller.software import shipped_folder
from drivers.simulated import PtyShoe

UID: Final = 64_017
"""An account that this machine does not know."""

PYTHONS: Final = (sys.executable, f"/usr/bin/python3.{sys.version_info.minor}")
ROOT: Final = Path(__file__).parents[2]


def python_for_all() -> str | None:
    """A Python of this version that another account may start, None where there is none."""
    for python in PYTHONS if os.geteuid() == 0 else ():
        with suppress(OSError):
            if not subprocess.run([python, "-c", ""], user=UID, group=UID, check=False).returncode:
                return python
    return None


as_root = pytest.mark.skipif(
    python_for_all() is None, reason="needs root, and a Python that other accounts may start"
)

PROGRAM: Final = """#!{python}
import sys
sys.path[:0] = {path}
from controller.cli import main
main()
"""

ASK: Final = """
import sys
from pathlib import Path
import typer
from controller.cli.setup import NewTable, open_table
from controller.cli.setup import Account
folder = Path(sys.argv[1])
account = Account({uid}, {uid}, ({uid},))
table = NewTable(folder / "etc/bj1.toml", "BJ1", account, "en", folder / "state", folder / "stand17")
app = typer.Typer(pretty_exceptions_enable=False)
app.command()(lambda: open_table(table, None, None))
app([])
"""


@pytest.fixture
def machine() -> Iterator[Path]:
    """A folder that the account may reach, with /etc/stand17 as the package leaves it."""
    folder = Path(tempfile.mkdtemp(prefix="stand17-setup-"))
    folder.chmod(0o755)
    (folder / "etc").mkdir(mode=0o750)
    os.chown(folder / "etc", 0, UID)
    packages = [str(ROOT), *(path for path in sys.path if "site-packages" in path)]
    (folder / "stand17").write_text(PROGRAM.format(python=python_for_all(), path=packages))
    (folder / "stand17").chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def shoe() -> Iterator[PtyShoe]:
    found = PtyShoe()
    os.chown(found.port, UID, UID)
    Path(found.port).parent.chmod(0o755)
    yield found
    found.close()


def table(machine: Path) -> NewTable:
    account = Account(UID, UID, (UID,))
    return NewTable(
        machine / "etc" / "bj1.toml", "BJ1", account, "en", machine / "state", machine / "stand17"
    )


def answers(machine: Path, **told: object) -> Path:
    path = machine / "answers.json"
    path.write_text(json.dumps({key.replace("__", "."): value for key, value in told.items()}))
    return path


def opened(machine: Path, given: Path | None, pin: str = "270227") -> None:
    """Set the table up, the PIN from a pipe."""
    reader, writer = os.pipe()
    os.write(writer, f"{pin}\n".encode())
    os.close(writer)
    with os.fdopen(reader) as typed, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", typed)
        patch.setattr(setup, "has_systemd", lambda: False)
        setup.open_table(table(machine), given, "A-01")


def hides(asked: str) -> bool:
    """Whether the answer is a PIN. What is typed before the terminal hides it is thrown away."""
    return asked.startswith(("PIN", "again"))


def is_hidden(terminal: int) -> bool:
    return not termios.tcgetattr(terminal)[3] & termios.ECHO


def talk(command: list[str], said: list[tuple[str, str]]) -> str:
    """Hold a conversation on a terminal: after each text that is shown, type the answer to it."""
    child, terminal = pty.fork()
    if child == 0:
        # A run in the background ignores it, and so would the command.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.execvp(command[0], command)
    shown, end, ended = "", time.monotonic() + 120, False
    waiting = list(said)
    while time.monotonic() < end and not ended:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                shown += os.read(terminal, 4096).decode("utf-8", "replace")
            except OSError:
                ended = os.waitpid(child, 0)[0] == child
        else:
            ended = os.waitpid(child, os.WNOHANG)[0] == child
        asked = waiting[0][0] if waiting else None
        if (
            asked is not None
            and asked in shown.rpartition("\0")[2]
            and (not hides(asked) or is_hidden(terminal))
        ):
            os.write(terminal, waiting.pop(0)[1].encode())
            shown += "\0"
    if not ended:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    os.close(terminal)
    assert ended, shown
    assert not waiting, (waiting, shown)
    return shown


@as_root
def test_from_a_few_answers_to_a_table_that_its_account_opens(
    machine: Path, shoe: PtyShoe, capfd: pytest.CaptureFixture[str]
) -> None:
    opened(machine, answers(machine, table__rules="nl", shoe__port=shoe.port, web__port="0"))
    file, state, program = machine / "etc/bj1.toml", machine / "state", str(machine / "stand17")
    held = file.stat()
    assert (held.st_uid, held.st_gid, stat.S_IMODE(held.st_mode)) == (0, UID, 0o640)
    config = load_config(file)
    assert config.journal.file.parent == state
    assert config.software.allow_unreleased
    # As root again, by hand: what it writes is the account's, too.
    added = (program, "people", "add", str(file), "D-17", "dealer")
    subprocess.run(added, input="2702\n", text=True, check=True)
    assert {path.stat().st_uid for path in (state, *state.iterdir())} == {UID}
    assert {stat.S_IMODE(path.stat().st_mode) for path in state.iterdir()} == {0o600}
    running(program, file)
    assert config.journal.file.exists()
    first = file.read_bytes(), (state / "people.json").read_bytes()
    opened(machine, None, pin="")
    assert (file.read_bytes(), (state / "people.json").read_bytes()) == first
    assert "stays as it is" in capfd.readouterr().out
    another_owner(machine)


MKCERT: Final = """#!{python} -S
import sys
words = sys.argv[1:]
for option in ("-cert-file", "-key-file"):
    open(words[words.index(option) + 1], "w").close()
"""
"""Writes its two files with the mask of the shell, as mkcert does."""


@as_root
def test_the_account_reads_what_mkcert_makes_whatever_the_mask(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools, made = machine / "tools", machine / "etc/bj1.crt"
    tools.mkdir()
    (tools / "mkcert").write_text(MKCERT.format(python=python_for_all()))
    (tools / "mkcert").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    known = {"web.tls.certificate": str(made), "web.tls.key": str(machine / "etc/bj1.tls.key")}
    before = os.umask(0o077)
    try:
        setup._make_certificate({**known, "web.names": "bj1.pit.example"}, table(machine).account)
    finally:
        os.umask(before)
    key = (machine / "etc/bj1.tls.key").stat()
    assert stat.S_IMODE(made.stat().st_mode) == 0o644
    assert (key.st_uid, stat.S_IMODE(key.st_mode)) == (UID, 0o400)


def running(program: str, file: Path) -> None:
    """Run the table under its account until its page answers, and close it."""
    command = [program, "run", str(file)]
    with subprocess.Popen(
        command, user=UID, group=UID, extra_groups=[], umask=0o077, stdout=subprocess.PIPE, text=True, cwd="/"
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        address = re.search(r"http://[^ ]+/", line)
        assert address, line
        with urllib.request.urlopen(f"{address[0]}api/health", timeout=30) as answer:
            assert answer.status == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0


def another_owner(machine: Path) -> None:
    """A list of people that this account may not read is no damage, for `run` and `doctor`."""
    file = str(machine / "etc/bj1.toml")
    os.chown(machine / "state/people.json", 0, 0)
    done = table(machine).run("run", file, typed="")
    assert (done.returncode, "not damaged" in done.stderr) == (os.EX_CONFIG, True), done
    os.chown(machine / "state", 0, 0)
    found = table(machine).run("doctor", file, "--seconds", "0", typed="")
    assert (found.returncode, "Permission denied" in found.stderr) == (2, True), found
    assert len(found.stderr.splitlines()) == 1


@as_root
def test_a_table_that_lacks_something_stays_closed_and_says_all_of_it(
    machine: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    told = answers(machine, shoe__port="/dev/none", camera__source="/dev/none-2", web__port="0")
    with pytest.raises(typer.Exit) as ended:
        opened(machine, told)
    assert ended.value.exit_code == 1
    shown = capfd.readouterr().out
    assert "stand17 calibrate" in shown
    assert "stand17 setup BJ1" in shown
    assert (machine / "state/people.json").exists()


@as_root
def test_each_answer_is_checked_at_once_and_an_interrupted_setup_keeps_them(
    machine: Path, shoe: PtyShoe
) -> None:
    command = [sys.executable, "-c", ASK.format(uid=UID), str(machine)]
    shown = talk(
        command,
        [
            ("rules", "fr\n"),
            ("currency", "euro\n"),
            ("euro", "EUR\n"),
            ("address of the page", "\n"),
            ("cards come from", "shoe\n"),
            ("shoe is attached", "/dev/none\n"),
            ("all the same", "n\n"),
            ("shoe is attached", "\x03"),
        ],
    )
    assert "Traceback" not in shown
    draft = json.loads((machine / "etc/bj1.answers.json").read_text())
    assert (draft["table.rules"], draft["table.currency"]) == ("fr", "EUR")
    again = talk(
        command,
        [
            ("[fr]", "\n"),
            ("currency", "\n"),
            ("address of the page", "\n"),
            ("cards come from", "\n"),
            ("shoe is attached", f"{shoe.port}\n"),
            ("protocol", "\n"),
            ("camera over the table", "-\n"),
            ("first administrator", "\n"),
            ("PIN for A-01", "123456\n"),
            ("again", "123456\n"),
            ("first administrator", "\n"),
            ("PIN for A-01", "270227\n"),
            ("again", "270227\n"),
        ],
    )
    assert "270227" not in again
    assert load_config(machine / "etc/bj1.toml").table.rules == "fr"
    assert not (machine / "etc/bj1.answers.json").exists()


def test_the_service_s_files_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    setup.install(print_=True)
    shown = capsys.readouterr().out
    for source in setup.FILES:
        assert (shipped_folder() / source).read_text(encoding="utf-8") in shown


@pytest.mark.skipif(os.geteuid() == 0, reason="root may")
def test_another_user_is_told_how_to_call_it() -> None:
    with pytest.raises(ConfigError) as refused:
        setup.setup("BJ1")
    assert refused.value.code == "SETUP_NEEDS_ROOT"


def unit_settings() -> dict[str, Any]:
    text = (shipped_folder() / "systemd/stand17@.service").read_text(encoding="utf-8")
    lines = (line.partition("=") for line in text.splitlines() if not line.startswith("#"))
    return {key: value for key, mark, value in lines if mark}


def test_a_mistake_in_the_configuration_is_not_started_again() -> None:
    found = unit_settings()
    assert (found["Restart"], found["RestartPreventExitStatus"]) == ("always", str(os.EX_CONFIG))
