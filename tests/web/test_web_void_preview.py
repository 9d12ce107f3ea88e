"""What voiding a round or a box hands back, as the pit sees it before it signs."""

from typing import Final

from view_kit import after, cards, snapshot, table

from controller.acts.catalogue import Bet, Decision, HandName, Observation, Swap, Void
from controller.engine.state import TableState
from controller.runtime.api import HoldView
from controller.screens.rulings import preview_of

DEALT: Final[tuple[Observation, ...]] = (
    Bet(1, 0, 1000),
    Bet(2, 0, 2000),
    Bet(2, 1, 500),
    *cards("9", "9", "7", "K", "8"),
)


def handed_back(state: TableState, box: int | None) -> list[tuple[int, int, str, str]]:
    """Box, seat, and what lies there before and after the ruling."""
    shown = preview_of(snapshot(state), Void(box, "S-02", "OTHER"))
    assert shown.problem is None
    assert (shown.money, shown.house) == ((), ()), "before the settlement no money moves"
    return [(row.box, row.seat, row.before, row.after) for row in shown.stakes]


def test_every_stake_of_a_round_that_is_played_goes_back() -> None:
    state = after(table(hole_card="none"), *DEALT)
    everybody = [(1, 0, "10.00", "0.00"), (2, 0, "20.00", "0.00"), (2, 1, "5.00", "0.00")]
    assert handed_back(state, None) == everybody
    assert handed_back(state, 2) == everybody[1:]


def test_a_box_of_a_settled_round_gets_its_stake_instead_of_what_it_won() -> None:
    stood = (Decision(1, 1, "stand"), Decision(2, 1, "stand"))
    state = after(table(hole_card="none"), *DEALT, *stood, *cards("K"))
    shown = preview_of(snapshot(state), Void(1, "S-02", "OTHER"))
    assert [(row.box, row.before.money, row.after.money) for row in shown.money] == [(1, "+10.00", "0.00")]
    assert shown.house_change.money == "+10.00"


def test_two_people_sign_for_a_ruling_on_a_hold_that_two_lift() -> None:
    """Also for a swap that is entered at the other box, where the page's own question would not look."""
    state = after(table(hole_card="none"), *DEALT)
    held = HoldView("CARD_OWED", (), 0, "system:table", None, "two", ("swap", "void_round"), "", 1, 1, 1)
    seen = snapshot(state)._replace(holds=(held,))
    swap = Swap(HandName(2, 1), HandName(1, 1), "S-02", "OTHER")
    assert [preview_of(seen, ruling).second for ruling in (swap, Void(None, "S-02", "OTHER"))] == [True, True]
    assert not preview_of(seen, Void(2, "S-02", "OTHER")).second
    assert not preview_of(snapshot(state), swap).second
