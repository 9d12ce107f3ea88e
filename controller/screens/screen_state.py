"""State of the screens alone: the house's settings, unfinished stakes, the person correcting a card."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from controller.engine.state import BETS, COMPLETE, TableState
from controller.runtime.api import TableSnapshot
from controller.screens.shapes.chips import Bettor, LaidChips
from controller.screens.shapes.view import Notice
from controller.screens.shapes.words import Words

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
    """`chips` are the kinds in the tray, smallest first; `rail` is how many of them the dealer may tap.

    `sound_percent` is how loud the screens are, 0 is silent. `dealer_may_miss` are the witnesses without
    which the house lets a dealer go on. After `break_after_min` at the table a break is due, 0: never.
    """

    chips: tuple[ChipKind, ...] = CHIPS
    rail: int = 5
    sound_percent: int = 40
    dealer_may_miss: frozenset[str] = frozenset()
    break_after_min: int = 60


def _chip_kinds(values_minor: Iterable[int]) -> tuple[ChipKind, ...]:
    """The kinds of chips of these values, smallest first, in the usual colours."""
    colours = {chip.value_minor: (chip.face, chip.ink) for chip in CHIPS}
    return tuple(ChipKind(value, *colours.get(value, PLAIN)) for value in sorted(set(values_minor)))


def screen_settings(
    chips_minor: Iterable[int],
    sound_percent: int = 40,
    dealer_may_miss: frozenset[str] = frozenset(),
    break_after_min: int = 60,
) -> ScreenSettings:
    """Give the screens the house's chips, by their values in minor units; the usual ones for ()."""
    kinds = _chip_kinds(chips_minor) or CHIPS
    return ScreenSettings(
        kinds,
        sound_percent=sound_percent,
        dealer_may_miss=dealer_may_miss,
        break_after_min=break_after_min,
    )


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
        self._drafts: dict[Bettor, UnfinishedStake] = {}
        self._round = 0
        self._missed = False
        self._editing: tuple[str, int | None, float] | None = None
        self._notice: tuple[Notice | None, float] = (None, 0.0)
        self._notices = 0
        self.version = 0
        """Counts the changes of what is known here."""

    @property
    def drafts(self) -> Mapping[Bettor, UnfinishedStake]:
        """Chips that are no stake yet, by bettor."""
        return self._drafts

    @property
    def missed(self) -> bool:
        """Whether the bets closed over an unfinished stake: a person must look."""
        return self._missed

    def touch(self) -> None:
        """Count a change that the screens have to show."""
        self.version += 1

    def lay(self, bettor: Bettor, draft: UnfinishedStake | None) -> None:
        """Keep (or forget) chips of a bettor that are no stake yet."""
        if self._drafts.get(bettor) == draft:
            return
        self.touch()
        if draft is None:
            del self._drafts[bettor]
        else:
            self._drafts[bettor] = draft

    def lying(self, state: TableState, bettor: Bettor) -> int:
        """Minor units that lie in the circle for this bettor, legal stake or not."""
        draft = self._drafts.get(bettor)
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
            if self._round != state.book.number and not self._drafts:
                self._missed = False
        elif self._drafts:
            self.touch()
            self._missed = True
            self._drafts.clear()
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
