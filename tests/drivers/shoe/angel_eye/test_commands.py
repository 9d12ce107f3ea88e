"""Commands cross a real line in both directions, are answered, and stay off unless allowed."""

import pytest

from drivers.shoe.angel_eye import AngelEye, AngelEyeOptions
from drivers.shoe.reader import CommandAnswered, LockChanged, ShoeCommand
from drivers.simulated import AngelEyeShoe, PtyLine, PtyShoe
from tests.drivers.drivers_kit import running, until
from tests.drivers.far_ends.tcp_line import TcpLine

ALLOWED = AngelEyeOptions(commands=frozenset({"lock", "unlock", "clear_error"}))
LINES = [PtyLine, TcpLine]


@pytest.mark.parametrize("make", LINES)
def test_a_locked_shoe_says_so_and_can_be_unlocked(make: type[PtyLine | TcpLine]) -> None:
    shoe = AngelEyeShoe(make())
    try:
        with running(shoe.port, AngelEye(ALLOWED)) as (driver, heard):
            driver.send(ShoeCommand("lock"))
            assert taken(shoe) == ["OPLK02"]
            assert until(lambda: heard.said() == [CommandAnswered("lock", ""), LockChanged(locked=True)])
            driver.send(ShoeCommand("unlock"))
            assert taken(shoe) == ["OPLK01"]
            assert until(lambda: heard.said()[-1:] == [LockChanged(locked=False)])
    finally:
        shoe.close()


def test_a_check_that_the_shoe_computes_otherwise_is_refused_by_name() -> None:
    shoe = PtyShoe(command_check="without_start")
    try:
        with running(shoe.port, AngelEye(ALLOWED)) as (driver, heard):
            driver.send(ShoeCommand("clear_error", 3))
            until(lambda: bool(shoe.answer(0.05)) or bool(heard.said()))
            assert until(lambda: heard.said() == [CommandAnswered("clear_error", "BCC")])
    finally:
        shoe.close()


def taken(shoe: AngelEyeShoe) -> list[str]:
    """Commands that reached the shoe."""
    commands: list[str] = []

    def listen() -> bool:
        commands.extend(shoe.answer(0.05))
        return bool(commands)

    until(listen)
    return commands
