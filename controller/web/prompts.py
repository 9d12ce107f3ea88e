"""Which prompt stands on the screen: holds first, then disputes, then what the engine expects."""

from collections.abc import Callable
from typing import Final

from controller.web import asking, betting, playing, stopped
from controller.web.scene import Scene
from controller.web.settling import settlement
from controller.web.view import Prompt

_BY_CODE: Final[dict[str, Callable[[Scene], Prompt]]] = {
    "NEW_SHOE": betting.new_shoe,
    "BURN": betting.burn,
    "PLACE_BETS": betting.place_bets,
    "DEAL_BOX": playing.deal_box,
    "DEAL_DEALER": playing.deal_dealer,
    "DEAL_DEALER_DOWN": playing.deal_dealer,
    "INSURANCE": asking.insurance,
    "PEEK": asking.peek,
    "PLAYER": playing.turn,
    "CARD_OWED": playing.card_owed,
    "REVEAL": asking.reveal,
    "DRAW": playing.draw,
    "STAND": playing.draw,
    "WHICH_CARD": asking.which_card,
    "DISPUTED": stopped.disputed,
}


def prompts_of(scene: Scene) -> tuple[str, tuple[Prompt, ...]]:
    """The stage and its prompts; there is always at least one."""
    by = scene.desk.editing_by()
    if by is not None:
        return "editing", (stopped.editing(by),)
    if scene.shot.holds:
        return "held", (stopped.stop(scene),)
    code = scene.expected.code
    result = scene.shot.result
    if code in ("SETTLED", "VOIDED") and result is not None:
        return settlement(scene, result)
    prompt = _BY_CODE[code](scene)
    return f"{code}-{scene.state.book.number}-{scene.state.cards_seen}", (prompt,)
