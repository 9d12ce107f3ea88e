"""What is left in the inbox when a day's journal ends."""

from controller.ports import Report
from controller.runtime.api import Command, CommandAnswer, Rejected, Resume
from controller.runtime.door import without_commands
from controller.runtime.inbox import SubmittedCommand


def test_people_are_told_to_ask_again_and_what_devices_said_goes_on() -> None:
    answers: list[CommandAnswer] = []
    command = SubmittedCommand(Command("c1", "D-17", "dealer", 7, Resume()), answers.append)
    report = Report("shoe", 0, ())
    assert without_commands([command, report]) == [report]
    assert answers == [Rejected("TABLE_BUSY")]
