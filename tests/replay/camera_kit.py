"""A round under a camera: two cards at box 1 and the dealer's, and a card that nobody has dealt."""

from drivers.simulated import PtyShoe
from tests.main.live_kit import Live
from vision.synth import DEALER, TableCard, TableHand

BOX = TableHand(1, 1, (TableCard("10", "s"), TableCard("7", "d")))
BANK = TableHand(DEALER, 1, (TableCard("9", "h"),))
STRANGER = TableHand(5, 1, (TableCard("K", "c"),))


async def deal(live: Live, shoe: PtyShoe) -> None:
    """Let the four cards leave the shoe, each once the table has the one before it."""
    for rank, suit in (("10", "s"), ("9", "h"), ("7", "d"), ("8", "c")):
        before = live.now.state.cards_seen
        shoe.deal(rank, suit)
        await live.until(lambda: live.now.state.cards_seen > before)  # noqa: B023 - within the turn
