"""The table of permissions: acts, roles and situations.

The live table checks each command and report with it, `stand17 replay --table` each line. `roles` derives
the act of a line and the situation of the table. The rules of the game are checked after it.
`docs/permissions.md` is printed from this module.
"""

from functools import cache, reduce
from operator import or_
from typing import Final, Literal

from controller.acts.catalogue import ACTS
from controller.acts.permits import ALWAYS, NEVER, PEOPLE, PIT_ALONE, Act, Permission, Row, Situation, When
from controller.irregularities import HOLD_KINDS, OF_NO_RECORD, OWN_KINDS, Release
from controller.policy.state.line_person import StaffRole, TableRole

ActingRole = StaffRole | TableRole | Literal["device"]
"""Whoever can stand behind an act: a person of the house by his employment, or a line's role.

A device reports (as shoe, camera or chips); as a sender of commands it may nothing.
"""


_BOTH: Final = Row(ALWAYS, ALWAYS)

_OF_NO_LINE: Final[dict[Act, Row]] = {
    Act.HANDLED: PEOPLE,
    Act.ALERT_SEEN: _BOTH,
    Act.ALERT: PIT_ALONE,
    Act.ORDER: PIT_ALONE,
    Act.NAME: PIT_ALONE,
    Act.EDITING: PIT_ALONE,
    Act.AUTOPLAY: _BOTH,
    Act.DRAW: _BOTH,
    # It names people: a dealer's colleagues, and the pit that rules on the dealer.
    Act.AUDIT: Row(NEVER, ALWAYS, administrator=ALWAYS, onlooker=ALWAYS),
    Act.STAFF_NOTE: Row(NEVER, NEVER, system=ALWAYS),
}
"""What screens and the table itself do that is no line of a feed; all other rows stand with their acts."""

_ROWS: Final = reduce(or_, (dict(one.permits) for one in ACTS.values()), _OF_NO_LINE)
PERMISSIONS: Final[dict[Act, Row]] = {act: _ROWS[act] for act in Act}
"""The whole table, in the order in which it is printed."""

DEALER_SECONDS: Final = frozenset(one.usual_permit for one in ACTS.values() if one.dealer_signs)
"""What a dealer may sign as the second person: chips that come, go or are counted at the table."""


def release_of(code: str) -> Release:
    """Return the role that lifts a hold without an entry in the profile."""
    kind = HOLD_KINDS.get(code) or OWN_KINDS.get(code, OF_NO_RECORD)
    return "pit" if kind.ruling is None else kind.ruling.release


_KINDS: Final = {**HOLD_KINDS, **OWN_KINDS}
DEALER_LIFTS: Final = frozenset(code for code in _KINDS if release_of(code) == "dealer")
"""Holds of no house's profile after which the dealer may go on alone; every other one is the pit's."""
ADMINISTRATOR_LIFTS: Final = frozenset(code for code, kind in _KINDS.items() if kind.administrator)
"""Holds that only an administrator lifts, and with them every other one that stands at that moment."""


@cache
def allowed(role: ActingRole, act: Act, situation: Situation) -> Permission:
    """Answer whether this role may do this act as the table stands: the one place that knows."""
    return _when(role, PERMISSIONS[act]).answer(situation)


def may_ever(role: ActingRole, act: Act) -> bool:
    """Whether this role may do this act in any situation."""
    return _when(role, PERMISSIONS[act]) != NEVER


def _when(role: ActingRole, row: Row) -> When:  # noqa: C901  # a case for each role
    match role:
        case "dealer":
            return row.dealer
        case "supervisor" | "pit_manager" | "pit":
            return row.pit
        case "shoe" | "camera":
            return row.device
        case "chips":
            return row.chips
        case "administrator":
            return row.administrator
        case "surveillance" | "tester":
            return row.onlooker
        case "system":
            return row.pit if row.system is None else row.system
        case "device":
            return NEVER
