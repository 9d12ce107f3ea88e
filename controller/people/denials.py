"""Refusals worth a journal entry: equal ones are joined, and there is an end to how many there can be."""

from typing import Final

from controller.people.staff_events import Denied

KINDS_MAX: Final = 256
"""Different refusals that are told apart; whatever comes after them is one of `OTHERS`."""

OTHERS: Final = "OTHERS"

NOTED: Final = frozenset(
    (
        "ACTOR_DIFFERS",
        "CARD_UNKNOWN",
        "COMMAND_REUSED",
        "NOT_ALLOWED",
        "PIN_LOCKED",
        "PIN_RESET_NEEDED",
        "SECOND_NEEDED",
        "SECOND_NOT_ALLOWED",
        "SECOND_OVER",
        "SECOND_SAME",
        "SIGN_IN_NEEDED",
    )
)
"""Codes of refusals that say something about who asked; a wrong PIN has an entry of its own."""


class DenialLog:
    """Counts refusals by what, who, where and which act; every tenfold of a count is told once more."""

    def __init__(self) -> None:
        """Begin with none."""
        self._counts: dict[tuple[str, str, str, str], int] = {}

    def count(self, code: str, person: str, place: str, act: str) -> Denied | None:
        """Count a refusal; the entry that it leads to, None where the last one still says enough."""
        if code not in NOTED:
            return None
        key = (code, person, place, act)
        if key not in self._counts and len(self._counts) >= KINDS_MAX:
            key = (OTHERS, "", "", "")
        count = self._counts[key] = self._counts.get(key, 0) + 1
        return Denied(*key, count) if str(count).rstrip("0") == "1" else None
