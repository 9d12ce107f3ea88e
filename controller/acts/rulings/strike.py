"""`strike` of feed and journal."""

from typing import Literal, NamedTuple

from controller.acts.checks import card_is_named
from controller.acts.declaring import Declared
from controller.acts.permits import PIT_ALONE, Act
from controller.domain.irregularities import Way

StruckAs = Literal["extra", "double_read", "boxed", "defective", "foreign"]
"""Why a struck card does not belong to the round; a boxed card lay face up in the shoe."""


def _not_burned(strike: "Strike") -> "Strike":
    """A card is burned only where a line says so."""
    return strike._replace(burn=bool(strike.burn))


def _way(strike: "Strike", _: tuple[Way, ...]) -> Way:
    return "burn" if strike.burn else "strike"


@Declared(
    "strike",
    {Act.RULING: PIT_ALONE},
    unnamed="pit",
    renamed={"struck_as": "as"},
    check=card_is_named,
    finish=_not_burned,
    way=_way,
    about="card",
)
class Strike(NamedTuple):
    """A card does not belong to the round; `burn` marks it as burned, `struck_as` says what it was."""

    card: int | None
    id: str | None
    by: str
    reason: str
    burn: bool = False
    round: int | None = None
    struck_as: StruckAs | None = None
    second: str | None = None
