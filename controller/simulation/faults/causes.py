"""How each fault comes about: the acts that lead to it, as soon as the round leaves room for it."""

from collections.abc import Callable, Mapping
from typing import Final

from controller.acts.catalogue import End, Paid
from controller.domain import Card
from controller.engine.constants import BETS
from controller.engine.hands import hole_of
from controller.engine.state import TableState
from controller.runtime.api import Observe
from controller.screens.shapes.demo_faults import DemoFault
from controller.simulation.acts import DrawCard, Handle, PressKeys
from controller.simulation.faults.scene import Acts, FaultScene, mistapped_stand, stuck_cards

UNREAD: Final = Card(None)

STOPPED_ON: Final = range(12, 17)
"""Totals on which a dealer may believe to be done."""


def drew_on_17(scene: FaultScene) -> Acts:
    """The dealer is done and draws once more."""
    dealer = scene.snapshot.state.dealer
    done = dealer.revealed or dealer.hole < 0
    stood = done and 17 <= dealer.total <= 20 and len(dealer.cards) > 1
    if not (scene.is_paying and stood and scene.world.ahead(1)):
        return ()
    return (DrawCard(is_due=False),)


def stood_on_16(scene: FaultScene) -> Acts:
    """The dealer clears the table where one more card is due."""
    dealer = scene.snapshot.state.dealer
    if scene.code != "DRAW" or len(dealer.cards) < 2 or dealer.total not in STOPPED_ON:
        return ()
    return (PressKeys((Observe(End()),), "dealer", meant=()),)


def wrong_box(scene: FaultScene) -> Acts:
    """A drawn card is laid at the neighbour's hand."""
    state, at = scene.snapshot.state, scene.snapshot.state.current
    if scene.code != "CARD_OWED" or at is None or not scene.world.ahead(1):
        return ()
    others = [box.box for box in state.boxes if box.box != at[0].box and not box.void]
    nearest = sorted(others, key=lambda box: abs(box - at[0].box))
    return (DrawCard(lies_at=(nearest[0], 1)),) if nearest else ()


def missed_box(scene: FaultScene) -> Acts:
    """A box is passed over in the deal: its card lies at the next one."""
    due = scene.snapshot.state.due
    if scene.code != "DEAL_BOX" or len(due) < 2 or not due[1] or not scene.world.ahead(1):
        return ()
    return (DrawCard(lies_at=(due[1], 1)),)


def unread_card(scene: FaultScene) -> Acts:
    """The reader cannot read a card."""
    if scene.code not in ("DEAL_BOX", "CARD_OWED") or not scene.world.ahead(1):
        return ()
    return (DrawCard(read_as=UNREAD),)


def one_too_many(scene: FaultScene) -> Acts:
    """The reader takes a card for one of a kind of which none is left.

    The face-down card is none of that kind: before it is turned nobody may know of it.
    """
    coming = scene.world.ahead(1)
    if scene.code != "DEAL_BOX" or not coming:
        return ()
    hole = hole_of(scene.snapshot.state.dealer)
    down = None if hole is None else scene.world.truth(hole)
    kinds = [card for card in scene.world.used_up() if card.rank != coming[0].rank and card != down]
    return (DrawCard(read_as=kinds[0]),) if kinds else ()


def wrong_payout(scene: FaultScene) -> Acts:
    """The dealer pays a winner nothing beside the stake, or a push as if it had won."""
    result = scene.snapshot.result
    if not scene.is_paying or result is None:
        return ()
    for bet in result.bets:
        if bet.returned:
            amount = bet.staked if bet.returned != bet.staked else 2 * bet.staked
            return (PressKeys((Observe(Paid(bet.box, bet.seat, amount)),), "dealer", meant=()),)
    return ()


def cable_pulled(scene: FaultScene) -> Acts:
    """Somebody pulls the cable of the shoe in the middle of a round."""
    return (Handle("pull_cable"),) if _has_begun(scene.snapshot.state) else ()


def smeared_lens(scene: FaultScene) -> Acts:
    """The lens of the camera over the table is smeared while cards lie there."""
    return (Handle("smear_lens"),) if scene.code == "PLAYER" else ()


def _has_begun(state: TableState) -> bool:
    """Whether cards lie and bets are closed, and the round is not settled yet."""
    return state.phase != BETS and state.cards_seen > 0 and state.settlement.status == "open"


CAUSES: Final[Mapping[DemoFault, Callable[[FaultScene], Acts]]] = {
    "drew_on_17": drew_on_17,
    "stood_on_16": stood_on_16,
    "stuck_cards": stuck_cards,
    "wrong_box": wrong_box,
    "missed_box": missed_box,
    "unread_card": unread_card,
    "one_too_many": one_too_many,
    "wrong_payout": wrong_payout,
    "cable_pulled": cable_pulled,
    "smeared_lens": smeared_lens,
    "mistapped_stand": mistapped_stand,
}
