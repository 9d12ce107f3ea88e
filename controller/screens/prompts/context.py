"""The input of a prompt, and the parts that all prompts share."""

from collections.abc import Iterable
from typing import NamedTuple

from controller.domain import Money
from controller.engine import Expected, OfferedAct
from controller.engine.settle import half_of
from controller.engine.state import BUST, NATURAL, SURRENDERED, Box, Hand, TableState
from controller.runtime.api import TableSnapshot
from controller.screens.evidence import NO_PICTURES, CardPictures
from controller.screens.screen_state import ScreenSettings, ScreenState
from controller.screens.shapes.acts import FreezeAct
from controller.screens.shapes.chips import Bettor, in_colours
from controller.screens.shapes.view import Bar, Key, Side
from controller.screens.shapes.words import ChipStack, Words, money, say


class PromptContext(NamedTuple):
    """The runtime's snapshot with the state of the screens."""

    snapshot: TableSnapshot
    screen: ScreenState
    settings: ScreenSettings
    pictures: CardPictures = NO_PICTURES

    @property
    def state(self) -> TableState:
        """The masked state: a face-down card has no rank here."""
        return self.snapshot.state

    @property
    def expected(self) -> Expected:
        """The expected act of the table."""
        return self.snapshot.expected

    def wanted(self, name: str) -> int | str:
        """Return a parameter of the expected act."""
        return dict(self.snapshot.expected.params)[name]

    def act(self, action: str, box: int, hand: int) -> OfferedAct | None:
        """Return the engine's answer on this act at this hand; None when the act is not offered."""
        for act in self.snapshot.acts:
            if (act.action, act.box, act.hand) == (action, box, hand):
                return act
        return None

    def chips(self, bettor: Bettor, stake: int, amount: int) -> ChipStack:
        """Return an amount in the chip colours of the bettor's stake."""
        bets = next((dict(box.bets) for box in self.state.boxes if box.box == bettor[0]), {})
        laid = self.screen.laid.of(bettor, stake, bets.get(bettor[1], 0))
        kinds = [chip.value_minor for chip in self.settings.chips]
        return ChipStack(chips=in_colours(amount, laid, kinds))

    def hand(self, box: int, number: int) -> tuple[Box, Hand]:
        """A hand that the engine has named."""
        entry = next(entry for entry in self.state.boxes if entry.box == box)
        return entry, next(hand for hand in entry.hands if hand.number == number)


def call_pit(*, main: bool = False) -> Key:
    """The key in the corner: hold it, and the table stops."""
    return Key(
        key="CALL_PIT",
        main=main,
        hotkeys=("!",),
        note=None if main else say("note.HOLD"),
        acts=(FreezeAct(),),
    )


def only_call(info: Words, note: Words | None = None) -> Bar:
    """A bar with the key Call pit alone, for when the next card is read by itself."""
    return Bar(keys=(call_pit(),), info=info, info_note=note)


def next_side(text: Words) -> Side:
    """Return the side block with the next act."""
    return Side(title=say("ui.next"), text=text)


def ranks_text(hand: Hand) -> str:
    """The ranks of a hand as they lie, an unread card as a question mark."""
    return " ".join(seen.obs.rank or "?" for seen in hand.cards)


def letter(box: Box, hand: Hand) -> str:
    """A, B, C... for the hands of a split box in playing order, none for a single one: A alone is an ace."""
    if len(box.hands) == 1:
        return ""
    return "ABCDEFGHIJKLMNOP"[box.hands.index(hand) % 16]


def collected(context: PromptContext, before: tuple[Box, Hand] | None = None) -> tuple[Words, ...]:
    """Return the sentences on the last hand's lost stake, which the dealer takes before the next hand.

    `before` is the acting hand; without it all hands have acted. A surrendered stake has one sentence per
    bettor: the house's share and the returned share, in chips.
    """
    order = [(box, hand) for box in context.state.boxes for hand in box.hands if hand.status != NATURAL]
    done = order[: order.index(before)] if before is not None else order
    if not done:
        return ()
    box, hand = done[-1]
    name = f"{box.box}{letter(box, hand)}"
    if hand.status == BUST:
        return (say("detail.TAKE_BUST", box=name, amount=money(sum(amount for _, amount in hand.stakes))),)
    if hand.status == SURRENDERED:
        return tuple(_halved(context, name, (box.box, seat), stake) for seat, stake in hand.stakes)
    return ()


def _halved(context: PromptContext, name: str, bettor: Bettor, stake: int) -> Words:
    """One bettor's surrendered stake: the house's half, and the player's, rounded by the house (G-01)."""
    back = half_of(context.snapshot.rules, Money(stake))
    chips = context.chips(bettor, stake, back)
    line = say("detail.TAKE_HALF", box=name, amount=money(stake - back), back=money(back), chips=chips)
    if not bettor[1]:
        return line
    return Words(code="detail.TAKE_HALF_BEHIND", params={**line.params, "seat": bettor[1]})


def joined(words: Iterable[Words | None]) -> tuple[Words, ...]:
    """The texts that there are."""
    return tuple(word for word in words if word is not None)
