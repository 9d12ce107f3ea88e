"""Fields of observations: what may stand in them, and the words that a wrong value is answered with.

A number is no text here, and `true` is no number.
"""

from typing import Annotated, Any, Final, Literal, get_args, get_origin

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict

from controller.acts.rulings import HandName
from controller.domain.cards import RANKS, SUITS

AMOUNT_LIMIT: Final = 10**12
"""Largest amount in minor units that may be entered; above it a digit was typed twice."""

Amount = Annotated[int, Field(ge=0, le=AMOUNT_LIMIT, description="an amount in minor units")]
BoxNumber = Annotated[int, Field(ge=1, le=99, description="a box number from 1")]
SeatNumber = Annotated[int, Field(ge=0, le=99, description="a seat number from 0")]
HandNumber = Annotated[int, Field(ge=1, le=99, description="a hand number from 1")]
CardNumber = Annotated[int, Field(ge=1, le=10_000, description="a card number from 1")]
RoundNumber = Annotated[int, Field(ge=1, le=10**9, description="a round number from 1")]
Text = Annotated[str, Field(min_length=1, max_length=200, description="a text of at most 200 characters")]

exact = with_config(ConfigDict(strict=True, extra="forbid"))
"""A field that is not known is an error, unless a feed is read."""


@exact
class HandPlace(TypedDict):
    """See `HandName`."""

    box: BoxNumber
    hand: HandNumber


_INTEGERS: Final[dict[str, Any]] = {
    "box": BoxNumber,
    "seat": SeatNumber,
    "hand": HandNumber,
    "card": CardNumber,
    "cards": CardNumber,
    "round": RoundNumber,
    "decks": Annotated[int, Field(ge=1, le=60, description="1 to 60 packs")],
    "nth": Annotated[int, Field(ge=1, le=10_000, description="a number from 1")],
    **dict.fromkeys(("stake", "stake_min", "stake_max", "stake_step", "amount", "chips"), Amount),
}
"""What an integer may be, by the name of its field."""

_TEXTS: Final[dict[str, Any]] = {
    "guest": Annotated[
        str, Field(pattern=r"^[A-Z2-7]{8}$", description="a pseudonym, 8 letters A to Z and digits 2 to 7")
    ],
    "text": Annotated[str, Field(min_length=1, max_length=500, description="a text of 1 to 500 characters")],
}
"""Texts that may be longer than others."""

_SeatKey = Annotated[str, Field(pattern=r"^[0-9]{1,2}$")]
_ValueKey = Annotated[str, Field(pattern=r"^[1-9][0-9]{0,11}$")]
_CardName = Annotated[str, Field(pattern=r"^(A|[2-9]|10|J|Q|K)[cdhs]$")]
_MANY: Final[dict[str, Any]] = {
    "seats": Annotated[list[SeatNumber], Field(description="a list of seat numbers")],
    "stakes": Annotated[dict[_SeatKey, Amount], Field(description="an object seat: amount")],
    "chips": Annotated[
        dict[_ValueKey, Annotated[int, Field(ge=0, le=1_000_000)]],
        Field(description="an object value: pieces"),
    ],
    "cards": Annotated[list[_CardName], Field(description='a list of cards such as "Ah"')],
    "codes": Annotated[list[Text], Field(description="a list of codes of holds")],
}
"""What the domain keeps as a tuple, by the name of its field."""

_WORDS: Final = {"rank": "a rank " + " ".join(RANKS), "suit": "a suit " + " ".join(SUITS)}
"""Choices that are described otherwise than by themselves."""

_OTHERS: Final[dict[Any, Any]] = {
    bool: Annotated[bool, Field(description="true or false")],
    float: Annotated[
        Annotated[int, Field(ge=0, le=1)] | Annotated[float, Field(ge=0, le=1)],
        Field(description="a probability 0..1"),
    ],
    HandName: Annotated[HandPlace, Field(description="an object box, hand")],
    Literal["dealer"] | int: Annotated[
        Literal["dealer"] | BoxNumber, Field(description="dealer or a box number from 1")
    ],
}


def field_of(name: str, kind: Any) -> Any:
    """What a field of this name may be, where the domain has this type (without None) for it."""
    if get_origin(kind) is Literal:
        return Annotated[kind, Field(description=_WORDS.get(name, " | ".join(get_args(kind))))]
    if get_origin(kind) is tuple:
        return _MANY[name]
    if kind is int:
        return _INTEGERS[name]
    return _TEXTS.get(name, Text) if kind is str else _OTHERS[kind]
