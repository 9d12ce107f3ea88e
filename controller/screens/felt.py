"""The layout on screen: boxes, stakes in chips, hands, the dealer's cards; the state of the screens alone."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple, get_args

from controller.acts.catalogue import CardSeen
from controller.domain import MINOR, RoundResult
from controller.engine.state import (
    ACTIVE,
    BETS,
    BUST,
    COMPLETE,
    NATURAL,
    QUEUED,
    SURRENDERED,
    Box,
    Hand,
    Seen,
    TableState,
)
from controller.i18n import units
from controller.runtime.api import TableSnapshot
from controller.runtime.contradictions import DEALER_BOX
from controller.screens.view import BoxView, DealerView, HandView, Notice, Outcome, SeatView
from controller.screens.words import HiddenCard, OpenCard, Words, described

Stack = tuple[tuple[str, int], ...]
"""Chips that lie on each other, largest first, as (value, count)."""


def minor_units(text: str) -> int:
    """The amount of a decimal string; ValueError where it is none or has more than two places."""
    whole, _, cents = text.partition(".")
    if not (whole.isdecimal() and (cents.isdecimal() or not cents) and len(cents) <= 2):
        raise ValueError(text)
    return int(whole) * MINOR + int(cents.ljust(2, "0"))


def _in_few_chips(minor: int, values: Iterable[int]) -> tuple[int, ...]:
    """The amount in as few chips as these kinds allow, largest first; nothing where they cannot make it."""
    left, chips = minor, list[int]()
    for value in sorted(values, reverse=True):
        count, left = divmod(left, value)
        chips += [value] * count
    return () if left else tuple(chips)


def counted(chips: Iterable[int]) -> Stack:
    """Chips by their values, largest first."""
    return tuple((units(value), count) for value, count in sorted(Counter(chips).items(), reverse=True))


def in_colours(minor: int, laid: Sequence[int], values: Iterable[int]) -> Stack:
    """A payment of `minor` beside the chips of a bet: colour for colour, a part of them in smaller chips.

    Even money, and each multiple of it, is the bet's own chips again. Anything else is made of chips no
    larger than the bet's largest, or of any kind where those cannot make it.
    """
    known, staked = tuple(values), sum(laid)
    if staked and minor % staked == 0:
        return counted(tuple(laid) * (minor // staked))
    largest = max(laid, default=0)
    fitting = [value for value in known if value <= largest]
    return counted(_in_few_chips(minor, fitting) or _in_few_chips(minor, known))


Bettor = tuple[int, int]
"""Box and seat."""


class LaidChips:
    """The chips that each bettor has laid; a restart forgets them and draws the stake in few chips.

    Laid chips are used only when their sum equals the stake.
    """

    def __init__(self, values: Iterable[int]) -> None:
        """Know the kinds of chips of the house, in minor units; no chip is known to lie anywhere yet."""
        self._values = tuple(values)
        self._laid: dict[Bettor, tuple[int, ...]] = {}

    def lay(self, bettor: Bettor, lying: int, chip: int, *, off: bool) -> None:
        """Add a chip to, or (`off`) remove it from, a bettor's `lying` minor units."""
        chips = list(self.of(bettor, lying))
        if not off:
            chips.append(chip)
        elif chip in chips:
            chips.remove(chip)
        self._laid[bettor] = tuple(chips)

    def of(self, bettor: Bettor, stake: int, bet: int = 0) -> tuple[int, ...]:
        """Return the chips of a stake in minor units; a double or split repeats the chips of the bet.

        `bet` is the stake before the deal, 0 without additions.
        """
        base = bet or stake
        laid = self._laid.get(bettor, ())
        if sum(laid) != base:
            laid = _in_few_chips(base, self._values)
        return laid * (stake // base) if base and stake % base == 0 else _in_few_chips(stake, self._values)


PLAIN: Final = ("#5d6b78", "#ffffff")


class ChipKind(NamedTuple):
    """A kind of chip: value in minor units, its colour and the colour of its print."""

    value_minor: int
    face: str
    ink: str


CHIPS: Final = (
    ChipKind(50, "#9aa7b1", "#12161a"),
    ChipKind(100, "#e8e4da", "#12161a"),
    ChipKind(250, "#d98cb3", "#12161a"),
    ChipKind(500, "#c8553d", "#ffffff"),
    ChipKind(2500, "#3f9b6c", "#ffffff"),
    ChipKind(10000, "#23272d", "#f3efe6"),
    ChipKind(50000, "#7a5bb5", "#ffffff"),
)
"""Chips of a house that says nothing else, smallest first."""


class ScreenSettings(NamedTuple):
    """`chips` are the kinds in the tray, smallest first.

    `sound_percent` is how loud the screens are, 0 is silent. `dealer_may_miss` are the witnesses without
    which the house lets a dealer go on. After `break_after_min` at the table a break is due, 0: never.
    """

    chips: tuple[ChipKind, ...] = CHIPS
    sound_percent: int = 40
    dealer_may_miss: frozenset[str] = frozenset()
    break_after_min: int = 60


def chip_kinds(chips_minor: Iterable[int]) -> tuple[ChipKind, ...]:
    """Return the house's chips by their values in minor units; the usual ones for ()."""
    colours = {chip.value_minor: (chip.face, chip.ink) for chip in CHIPS}
    return tuple(ChipKind(value, *colours.get(value, PLAIN)) for value in sorted(set(chips_minor))) or CHIPS


_EDITING_S: Final = 4.0
"""A page says again and again that it corrects a card; one that is gone frees the table after so long."""

_NOTICE_S: Final = 4.0

_USUAL_CHIPS_MINOR: Final = tuple(kind.value_minor for kind in CHIPS)


class UnfinishedStake(NamedTuple):
    """Chips on the felt that the rules do not take as a stake (yet), and why not."""

    stake: int
    code: str
    params: Mapping[str, int | str]


class ScreenState:
    """Short-lived knowledge of the screens; a restart forgets it and nothing is lost by that."""

    def __init__(
        self,
        mono_s: Callable[[], float],
        chips_minor: Iterable[int] = _USUAL_CHIPS_MINOR,
    ) -> None:
        """Begin empty, with the house's kinds of chips."""
        self._mono_s = mono_s
        self.laid: Final = LaidChips(chips_minor)
        """Which chips make up the stakes."""
        self.drafts: Final[dict[Bettor, UnfinishedStake]] = {}
        """Chips that are no stake yet, by bettor."""
        self._round = 0
        self.missed = False
        """Whether the bets closed over an unfinished stake: a person must look."""
        self._editing: tuple[str, int | None, float] | None = None
        self._notice: tuple[Notice | None, float] = (None, 0.0)
        self._notices = 0
        self.version = 0
        """Counts the changes of what is known here."""

    def touch(self) -> None:
        """Count a change that the screens have to show."""
        self.version += 1

    def lay(self, bettor: Bettor, draft: UnfinishedStake | None) -> None:
        """Keep (or forget) chips of a bettor that are no stake yet."""
        if self.drafts.get(bettor) == draft:
            return
        self.touch()
        if draft is None:
            del self.drafts[bettor]
        else:
            self.drafts[bettor] = draft

    def lying(self, state: TableState, bettor: Bettor) -> int:
        """Minor units that lie in the circle for this bettor, legal stake or not."""
        draft = self.drafts.get(bettor)
        return draft.stake if draft else stake_of(state, bettor)

    def edit(self, actor: str, box: int | None, *, on: bool) -> None:
        """Begin or end a person's correction of a card; another person's correction is unaffected."""
        before = self.editing()
        if on:
            self._editing = actor, box, self._mono_s()
        elif before is not None and before[0] == actor:
            self._editing = None
        if self.editing() != before:
            self.touch()

    def editing(self) -> tuple[str, int | None] | None:
        """Return the person who corrects a card and its box; forgotten `_EDITING_S` after the last report."""
        if self._editing is None or self._mono_s() - self._editing[2] > _EDITING_S:
            return None
        return self._editing[:2]

    def editing_by(self) -> str | None:
        """Return the person who corrects a card now."""
        editing = self.editing()
        return None if editing is None else editing[0]

    def refuse_press(self, device: str, key: Words, why: Words) -> None:
        """Show for some seconds why a press at a keypad was refused."""
        self.touch()
        self._notices += 1
        self._notice = Notice(number=self._notices, device=device, key=key, why=why), self._mono_s()

    def forget_notice(self) -> None:
        """Show no refusal of a keypad's press any more."""
        if self.notice() is not None:
            self.touch()
        self._notice = None, 0.0

    def notice(self) -> Notice | None:
        """Return the notice about the last keypad press, for `_NOTICE_S`."""
        notice, since_s = self._notice
        return notice if self._mono_s() - since_s < _NOTICE_S else None

    def follow(self, snapshot: TableSnapshot) -> None:
        """Keep step with the table: drafts end with the round's bets, missed ones stay until it is over."""
        state = snapshot.state
        if takes_bets(state):
            if self._round != state.book.number and not self.drafts:
                self.missed = False
        elif self.drafts:
            self.touch()
            self.missed = True
            self.drafts.clear()
        self._round = state.book.number


def takes_bets(state: TableState) -> bool:
    """Whether chips may be laid: bets are open, or the round is settled and the next one may begin."""
    return state.phase == BETS or (
        state.phase == COMPLETE and state.settlement.status in ("settled", "voided")
    )


def stake_of(state: TableState, bettor: Bettor) -> int:
    """The legal stake of a bettor in the round that takes bets; 0 where the last round still lies there."""
    if state.phase != BETS:
        return 0
    box, seat = bettor
    return next((dict(entry.bets).get(seat, 0) for entry in state.boxes if entry.box == box), 0)


_OUTCOME: dict[str, Outcome] = {word: word for word in get_args(Outcome)}
OPEN_RESULTS = frozenset({"settled", "voided"})
_BY_STATUS: dict[str, Outcome] = {BUST: "bust", SURRENDERED: "surrender"}


def total_text(hard: int, aces: int, unread: int, *, soft: bool) -> str:
    """A total as dealers say it: "7/17" while an ace may count either way and matters, else one number."""
    best = hard + 10 if aces and hard <= 11 else hard
    if unread:
        return f"{best}+?"
    return f"{hard}/{best}" if soft and hard < best < 21 else str(best)


def boxes_view(
    state: TableState,
    result: RoundResult | None,
    handled: tuple[int, ...],
    drafts: Mapping[Bettor, UnfinishedStake],
    laid: LaidChips,
) -> tuple[BoxView, ...]:
    """Every box of the table, from 1 on, whether anything lies there or not."""
    boxes = {box.box: box for box in state.boxes}
    felt = _Felt(state, outcomes_of(state, result), handled, drafts, laid)
    return tuple(
        _box_view(felt, number, boxes.get(number)) for number in range(1, state.book.rules.boxes + 1)
    )


class _Felt(NamedTuple):
    """The common input of all drawn boxes."""

    state: TableState
    outcomes: Mapping[tuple[int, int], Outcome]
    handled: tuple[int, ...]
    drafts: Mapping[Bettor, UnfinishedStake]
    laid: LaidChips


def outcomes_of(state: TableState, result: RoundResult | None) -> dict[tuple[int, int], Outcome]:
    """(box, hand) -> outcome of the holder's main stake, once the round has a result."""
    if result is None or result.round != state.book.number or result.status not in OPEN_RESULTS:
        return {}
    found: dict[tuple[int, int], Outcome] = {}
    for bet in reversed(result.bets):
        for part in bet.parts:
            if part.kind == "main":
                found[bet.box, part.hand] = _OUTCOME[part.outcome]
    return found


def dealer_view(state: TableState, result: RoundResult | None) -> DealerView:
    """Return the dealer's cards; a face-down card is only marked as present."""
    dealer = state.dealer
    hidden = -1 if dealer.revealed else dealer.hole
    cards = tuple(
        HiddenCard() if index == hidden else open_card(seen) for index, seen in enumerate(dealer.cards)
    )
    open_count = sum(isinstance(card, OpenCard) for card in cards)
    ours = result if result and result.round == state.book.number and result.status in OPEN_RESULTS else None
    total = total_text(dealer.hard, dealer.aces, dealer.unread, soft=ours is None)
    return DealerView(
        cards=cards,
        total=total if open_count else None,
        outcome="bust" if dealer.total > 21 else "blackjack" if ours and ours.dealer.blackjack else None,
    )


def cards_aside(state: TableState) -> tuple[OpenCard, ...]:
    """Cards of the round that no rule has a place for: the pit strikes or moves them."""
    return tuple(
        open_card(Seen(fact.n, fact.obs))
        for fact in state.log
        if isinstance(fact.obs, CardSeen) and fact.fault not in (None, QUEUED)
    )


def box_of(state: TableState, number: int) -> int | None:
    """Return the box of this card of the round, 0 for the dealer; None for a card without a box."""
    boxes = (DEALER_BOX, *(box.box for box in state.boxes))
    return next((box for box in boxes if any(seen.n == number for seen in cards_at(state, box))), None)


def cards_at(state: TableState, box: int) -> list[Seen]:
    """The cards of a box, or of the dealer (0), in the order in which they lie."""
    if box == DEALER_BOX:
        return list(state.dealer.cards)
    return [seen for entry in state.boxes if entry.box == box for hand in entry.hands for seen in hand.cards]


def open_card(seen: Seen) -> OpenCard:
    """A card that lies open, with its number in the round."""
    return OpenCard(card=seen.n, rank=seen.obs.rank, suit=seen.obs.suit, across=seen.obs.pose == "across")


def hand_view(hand: Hand, outcome: Outcome | None, *, active: bool) -> HandView:
    """A hand of a box."""
    return HandView(
        hand=hand.number,
        cards=tuple(open_card(seen) for seen in hand.cards),
        total=total_text(hand.hard, hand.aces, hand.unread, soft=hand.status == ACTIVE) if hand.cards else "",
        blackjack=hand.status == NATURAL,
        doubled=hand.doubled,
        active=active,
        outcome=outcome or _BY_STATUS.get(hand.status),
    )


def _box_view(felt: _Felt, number: int, box: Box | None) -> BoxView:
    seats = _seats(number, box, felt.drafts)
    stake = sum(amount for _, amount, _ in seats)
    taken = _lost(felt, box) if box else ()
    lies = [
        (seat, amount - sum(dict(hand.stakes).get(seat, 0) for hand in taken), draft)
        for seat, amount, draft in seats
    ]
    lies = [one for one in lies if one[1]]
    at = felt.state.current
    here = at is not None and at[0].box == number
    hands = box.hands if box and felt.state.phase != BETS else ()
    return BoxView(
        box=number,
        stake=units(stake) if seats else None,
        chips=counted(chip for seat, amount, _ in lies for chip in _chips(felt, number, box, seat, amount)),
        seats=tuple(
            _seat_view(box, seat, amount, draft, _chips(felt, number, box, seat, amount))
            for seat, amount, draft in lies
        ),
        hands=tuple(
            hand_view(
                hand,
                felt.outcomes.get((number, hand.number)),
                active=here and at is not None and at[1].number == hand.number,
            )
            for hand in hands
            if hand.cards
        ),
        active=here,
        handled=number in felt.handled,
        voided=box.void if box else False,
    )


def _lost(felt: _Felt, box: Box) -> tuple[Hand, ...]:
    """Return the hands whose stakes are already in the rack."""
    if box.box not in felt.handled:
        return ()
    return tuple(hand for hand in box.hands if felt.outcomes.get((box.box, hand.number)) in ("lose", "bust"))


def _chips(felt: _Felt, number: int, box: Box | None, seat: int, amount: int) -> tuple[int, ...]:
    bet = dict(box.bets).get(seat, 0) if box and box.hands else 0
    return felt.laid.of((number, seat), amount, bet)


def _seats(
    number: int, box: Box | None, drafts: Mapping[Bettor, UnfinishedStake]
) -> tuple[tuple[int, int, UnfinishedStake | None], ...]:
    """Return (seat, amount, unfinished stake) of each bettor on the box."""
    lying: dict[int, tuple[int, UnfinishedStake | None]] = {}
    for seat, stake in box.bets if box else ():
        lying[seat] = (main_stake(box, seat) if box and box.hands else stake, None)
    for (at, seat), draft in drafts.items():
        if at == number:
            lying[seat] = (draft.stake, draft)
    return tuple((seat, *lying[seat]) for seat in sorted(lying))


def main_stake(box: Box, seat: int) -> int:
    """Return a bettor's stake on all hands of the box, doubles and splits included."""
    return sum(dict(hand.stakes).get(seat, 0) for hand in box.hands)


def _seat_view(
    box: Box | None, seat: int, amount: int, draft: UnfinishedStake | None, chips: tuple[int, ...]
) -> SeatView:
    insurance = dict(box.insurance).get(seat) if box else None
    return SeatView(
        seat=seat,
        stake=units(amount),
        chips=counted(chips),
        insurance=units(insurance) if insurance else None,
        short=described("refused", draft.code, draft.params.items()) if draft else None,
    )
