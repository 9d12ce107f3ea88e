"""Commands that were answered before."""

from controller.runtime.ledger import NEWEST_MAX, NO_ANSWERS, GivenAnswer


def test_every_command_of_a_long_day_is_known_again() -> None:
    answered, last = NO_ANSWERS, {}
    for number in range(1, 5 * NEWEST_MAX):
        command, meaning = f"c{number % (4 * NEWEST_MAX)}", "" if number % 3 else f"{number:016x}"
        answered = answered.with_answer(command, number, meaning)
        last[command] = GivenAnswer(number, meaning)
    assert {command: answered.find(command) for command in last} == last
    assert answered.find("c") is None
