"""The shuffle watch of one table: each card beside the makers' order, earlier shoes, and the shoe itself."""

from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, final, get_args

from controller.forensics.archive import Order, Repeats, index_of
from controller.forensics.codes import STRUCK, UNKNOWN
from controller.forensics.makers import Runs, is_long, packed
from controller.forensics.runs import FOLLOWED, NO_TRACKS, Run, Tracks, advance, runs

SUSPECT_SUITED: Final = 12
_SUSPECT_RANKED: Final = 16
"""Runs of this length are reported (feed format, section 8); by chance: docs/measurements/forensics.md."""
SHOES_KEPT: Final = 8
ROUNDS_KEPT: Final = 50
"""Earlier shoes compared; in a house that shuffles its one pack for each round, packs of so many rounds."""
_FOUND_KEPT: Final = 16
_PREFERENCE: Final[dict[Repeats, int]] = {repeats: rank for rank, repeats in enumerate(get_args(Repeats))}


class Reported(NamedTuple):
    """A stretch of this shoe that was reported, and as what."""

    repeats: Repeats
    start: int
    end: int


@final
@dataclass(frozen=True, slots=True)
class Watch:
    """The state of the watch over the shoe's order.

    `number` counts shoes and shuffles; `loaded`: a shoe was loaded, before that nothing is watched. `present`
    are this shoe's cards in the order of the deal, `picked` in the order of the collection. `orders` are the
    earlier shoes, the oldest first, at most `kept`. `silenced` are the findings that the pit accepted for
    this shoe, `found` its runs from FOLLOWED cards on. `resting`: the shoe's rest is counted, and its cards
    are not watched.
    """

    kept: int = SHOES_KEPT
    number: int = 0
    loaded: bool = False
    resting: bool = False
    present: str = ""
    picked: str = ""
    orders: tuple[Order, ...] = ()
    tracks: Tracks = field(default=NO_TRACKS, repr=False)
    makers: Runs = field(default=(), repr=False)
    reported: tuple[Reported, ...] = ()
    silenced: tuple[Repeats, ...] = ()
    found: tuple[Run, ...] = ()

    def card(self, code: str) -> "Watch":
        """Add a card that has left the shoe."""
        if not self.loaded or self.resting:
            return self
        present = self.present
        # Spelled out: `replace` would take a fifth of a card's time.
        return Watch(
            self.kept,
            self.number,
            self.loaded,
            self.resting,
            present + code,
            self.picked,
            self.orders,
            advance(self.tracks, index_of(self.orders), present, code),
            packed(self.makers, code, len(present)),
            self.reported,
            self.silenced,
            self.found,
        )

    def suspect(self) -> "tuple[Watch, Run | None]":
        """Return the finding to report at the last card, and the watch that has reported it."""
        if not self.tracks.follows and not is_long(self.makers):
            return self, None
        going = [run for run in self._runs() if run.cards >= FOLLOWED]
        if not going or self.present[-1] in (UNKNOWN, STRUCK):
            return self, None
        watch = replace(self, found=_with_found(self.found, going))
        suspects = [run for run in going if run.suited >= SUSPECT_SUITED or run.cards >= _SUSPECT_RANKED]
        if not suspects:
            return watch, None
        first = min(suspects, key=lambda run: (_PREFERENCE[run.repeats], -run.cards, -run.shoe))
        return watch.report(first)

    def _runs(self) -> tuple[Run, ...]:
        """Every run that the card that came last belongs to."""
        end = len(self.present) - 1
        new = [Run("makers", 0, run.start, end, run.cards, run.suited) for run in self.makers]
        if not self.tracks.follows:
            return tuple(new)
        return (*new, *runs(self.tracks, index_of(self.orders), end))

    def report(self, run: Run) -> "tuple[Watch, Run | None]":
        """Report a run once: neither while it continues, nor when the pit accepted it."""
        known = [one for one in self.reported if one.repeats == run.repeats and one.end >= run.start]
        reported = tuple([one for one in self.reported if one not in known])
        start = min([run.start, *(one.start for one in known)])
        watch = replace(self, reported=(*reported, Reported(run.repeats, start, run.end)))
        return watch, None if known or run.repeats in self.silenced else run

    def let_stand(self) -> "Watch":
        """Accept the reported findings: the pit continues with this shoe."""
        silenced = (*self.silenced, *(one.repeats for one in self.reported))
        return replace(self, silenced=tuple(dict.fromkeys(silenced)))

    def pick_up(self, codes: str) -> "Watch":
        """A round's cards go to the discards."""
        return replace(self, picked=self.picked + codes) if self.loaded else self

    def next_shoe(self, *, told: bool, loaded: bool = False) -> "Watch":
        """Other cards are in the shoe; `told`: by a line, which counts, `loaded`: a fresh shoe."""
        dealt = self.present.replace(STRUCK, "")
        orders = (*self.orders, Order(self.number, dealt, self.picked)) if dealt else self.orders
        return Watch(self.kept, self.number + told, self.loaded or loaded, orders=orders[-self.kept :])

    def rest(self, *, resting: bool) -> "Watch":
        """The shoe's rest is counted from here on, or is no more."""
        return self if self.resting == resting else replace(self, resting=resting)


def _with_found(found: tuple[Run, ...], going: list[Run]) -> tuple[Run, ...]:
    """Add these runs to the findings; a continued run replaces its earlier state."""
    begun = {(run.repeats, run.shoe, run.start) for run in going}
    others = [run for run in found if (run.repeats, run.shoe, run.start) not in begun]
    return (*others, *going)[-_FOUND_KEPT:]
