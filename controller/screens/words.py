"""Texts for a screen: a key of the catalogues with its parameters; and the faults of a simulated table."""

import errno
import os
import re
from collections.abc import Iterable
from typing import Final, Literal, Protocol, get_args

from pydantic import BaseModel, ConfigDict, Field

from controller.i18n import CARD_HOLES, catalogue, key_of, money_holes, units, with_signs, word_holes


class ViewModel(BaseModel):
    """A message to a screen: immutable, with every field present."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        json_schema_mode_override="serialization",
        json_schema_serialization_defaults_required=True,
    )


class Money(ViewModel):
    """An amount as a decimal string such as "22.50"; the screen writes it in the house's way."""

    money: str


class ChipStack(ViewModel):
    """Chips for a text, largest first, as (value, count); the screen writes how many of each."""

    chips: tuple[tuple[str, int], ...]


class Word(ViewModel):
    """A word inside a text, by its own key in the catalogues, in the reader's language."""

    word: str
    params: dict[str, int] = Field(default_factory=dict)


class Words(ViewModel):
    """A text by its key in the catalogues, with the values of its placeholders."""

    code: str
    params: dict[str, int | str | Money | ChipStack | Word] = Field(default_factory=dict)


class HiddenCard(ViewModel):
    """A face-down card, without any reading of it."""

    hidden: Literal[True] = True


class OpenCard(ViewModel):
    """An open card. `card` is its number in the round (for corrections); without a rank it is unread."""

    card: int
    rank: str | None
    suit: str | None
    across: bool = False


TEXT_MAX: Final = 500
"""Characters of a name, a reason or a note on a screen; the longest that a page sends has 200."""

_REASONS: Final = frozenset({"note", "reason", "text"})
"""Parameters that hold one of the pages' reasons or usual lines, or what somebody wrote instead."""
_SYSTEM: Final = {
    os.strerror(number): errno.errorcode[number]
    for number in (errno.EACCES, errno.EIO, errno.ENOENT, errno.ENOSPC, errno.EROFS)
}
"""What the system says in English of a file that it cannot write or read."""
_BOX: Final = re.compile(r"BOX (\d+)")
"""What is written down where the dealer calls the pit for a box."""


def described(
    kind: Literal["refused", "alert", "hold", "dispute", "finding"],
    code: str,
    params: Iterable[tuple[str, int | str]] = (),
) -> Words:
    """The text of a code from the engine or the runtime; `kind` is refused, alert, hold or dispute.

    The same fault may be reported as an alert, stop the table and dispute the round: it has one text, under
    the first of these kinds that the catalogues know. A code without any stands for itself.
    """
    params = tuple(params)
    key = key_of(code, (kind, "alert", "refused", "error"), params)
    if key is None:
        return Words(code="ui.other", params={"code": code})
    return Words(code=key, params={name: _filled(key, name, value) for name, value in params})


def _filled(key: str, name: str, value: int | str) -> int | str | Money | ChipStack | Word:
    """Return the value of a placeholder as an amount, a word, a card or as it is."""
    if name in _REASONS:
        return reason_of(str(value))
    if name in word_holes(key):
        return Word(word=f"{name}.{value}")
    if name in CARD_HOLES and isinstance(value, str):
        return with_signs(value)
    if isinstance(value, str):
        return cut(value)
    return money(value) if name in money_holes(key) else value


def cut(written: str) -> str:
    """A name, a reason or a note as screens show it: another table's journal holds any length."""
    return written if len(written) <= TEXT_MAX else f"{written[:TEXT_MAX]}…"


def box_note(box: int) -> str:
    """Return the note of a call for a box, which `reason_of` parses."""
    return f"BOX {box}"


def reason_of(written: str) -> str | Word:
    """A reason in the reader's language where it is one of ours or the system's, as it was written else."""
    if box := _BOX.fullmatch(written):
        return Word(word="ui.box", params={"box": int(box[1])})
    name = _SYSTEM.get(written, written)
    keys = (f"{kind}.{name}" for kind in ("reason", "misfit", "fault_name"))
    return next((Word(word=key) for key in keys if key in catalogue("en")), cut(written))


UNNAMED: Final = "fault_name.other"
"""The name of a fault that has none of its own."""


def short(code: str) -> Words:
    """Return the short name of a fault, for a chart, an alert's title or the line of a stop."""
    key = f"fault_name.{code}"
    return Words(code=key if key in catalogue("en") else UNNAMED)


def reason(code: str) -> Words:
    """Why a key is off, in few words."""
    key = f"why.{code}"
    return Words(code=key if key in catalogue("en") else "why.NOT_NOW")


def say(code: str, **params: int | str | Money | ChipStack | Word) -> Words:
    """A text of the screens themselves."""
    return Words(code=code, params=params)


def money(minor: int) -> Money:
    """An amount that lies somewhere, such as a stake: without a sign."""
    return Money(money=units(minor))


def moved(minor: int) -> Money:
    """Money that moves, such as "+10.00" or "-5.00": a page writes its sign."""
    return Money(money=f"{'+' if minor > 0 else ''}{units(minor)}")


DemoFault = Literal[
    "drew_on_17",
    "stood_on_16",
    "stuck_cards",
    "wrong_box",
    "missed_box",
    "unread_card",
    "one_too_many",
    "wrong_payout",
    "cable_pulled",
    "smeared_lens",
    "mistapped_stand",
]
"""A fault of the demo; `fault.<word>` in the catalogues."""

DEMO_FAULTS: Final[tuple[DemoFault, ...]] = get_args(DemoFault)


class FaultRow(ViewModel):
    """A fault that a simulated table can show; `round` is the round in which it happened, 0 before it has.

    `stage`: a `called` fault comes as soon as the round allows it. `as_planned`: the round paid what it would
    have paid without the fault; None while unknown.
    """

    fault: DemoFault
    stage: Literal["ready", "called", "stands", "mended"]
    round: int = 0
    as_planned: bool | None = None


class FaultBoard(Protocol):
    """The simulation's side: a real table has none."""

    speed: float | None
    """How many times as fast as people the simulation plays, 0 while it pauses; None: at once."""

    @property
    def possible(self) -> tuple[DemoFault, ...]:
        """The faults that can be called at this table."""

    def listed(self) -> tuple[FaultRow, ...]:
        """Return the called and the standing faults, and the last mended one."""

    def call(self, fault: DemoFault, *, left: bool = False) -> None:
        """Call a fault, or for a standing fault let the simulated hands do their part of the repair.

        `left`: the simulated pit does not mend it.

        Raises `TableError` FAULT_NOT_POSSIBLE when this table cannot show it.
        """
