"""Fields of observations: what may stand in them, and the words that a wrong value is answered with.

A number is no text here, and `true` is no number.
"""

from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field, with_config

from controller.domain.cards import RANKS, SUITS

AMOUNT_LIMIT: Final = 10**12
"""Largest amount in minor units that may be told; above it a digit was typed twice."""

Amount = Annotated[int, Field(ge=0, le=AMOUNT_LIMIT, description="an amount in minor units")]
BoxNumber = Annotated[int, Field(ge=1, le=99, description="a box number from 1")]
SeatNumber = Annotated[int, Field(ge=0, le=99, description="a seat number from 0")]
HandNumber = Annotated[int, Field(ge=1, le=99, description="a hand number from 1")]
CardNumber = Annotated[int, Field(ge=1, le=10_000, description="a card number from 1")]
RoundNumber = Annotated[int, Field(ge=1, le=10**9, description="a round number from 1")]
Text = Annotated[str, Field(min_length=1, max_length=200, description="a text of at most 200 characters")]
Remark = Annotated[str, Field(min_length=1, max_length=500, description="a text of 1 to 500 characters")]
Flag = Annotated[bool, Field(description="true or false")]
Rank = Annotated[
    Literal["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"],
    Field(description="a rank " + " ".join(RANKS)),
]
Suit = Annotated[Literal["c", "d", "h", "s"], Field(description="a suit " + " ".join(SUITS))]
Target = Annotated[Literal["box", "dealer", "burn"], Field(description="box | dealer | burn")]
Face = Annotated[Literal["up", "down"], Field(description="up | down")]
Pose = Annotated[Literal["along", "across"], Field(description="along | across")]
Action = Annotated[
    Literal["hit", "stand", "double", "split", "surrender"],
    Field(description="hit | stand | double | split | surrender"),
]
TakenOut = Annotated[Literal["struck", "burned"], Field(description="struck | burned")]
Probability = Annotated[
    Annotated[int, Field(ge=0, le=1)] | Annotated[float, Field(ge=0, le=1)],
    Field(description="a probability 0..1"),
]
Seats = Annotated[list[SeatNumber], Field(description="a list of seat numbers")]
Stakes = Annotated[
    dict[Annotated[str, Field(pattern=r"^[0-9]{1,2}$")], Amount], Field(description="an object seat: amount")
]
Presence = Annotated[Literal["live", "stale", "lost"], Field(description="live | stale | lost")]
PayoutKnown = Annotated[
    Literal["measured", "entered", "confirmed"], Field(description="measured | entered | confirmed")
]
ReadingKind = Annotated[Literal["stake", "payout"], Field(description="stake | payout")]
Nth = Annotated[int, Field(ge=1, le=99, description="a decision's number from 1")]
StruckAs = Annotated[
    Literal["extra", "double_read", "boxed", "defective", "foreign"],
    Field(description="extra | double_read | boxed | defective | foreign"),
]
Who = Annotated[Literal["dealer"] | BoxNumber, Field(description="dealer or a box number from 1")]
Shuffled = Annotated[Literal["discards", "all"], Field(description="discards | all")]
RestStep = Annotated[Literal["begin", "cancel"], Field(description="begin | cancel")]
CardName = Annotated[str, Field(pattern=r"^(A|[2-9]|10|J|Q|K)[cdhs]$")]
CardNames = Annotated[list[CardName], Field(description='a list of cards such as "Ah"')]
DayState = Annotated[Literal["open", "closed"], Field(description="open | closed")]
DealerStep = Annotated[Literal["in", "out"], Field(description="in | out")]
CountOccasion = Annotated[Literal["open", "close", "check"], Field(description="open | close | check")]
DropKind = Annotated[Literal["cash", "marker"], Field(description="cash | marker")]
Codes = Annotated[list[Text], Field(description="a list of codes of holds")]
Pieces = Annotated[
    dict[
        Annotated[str, Field(pattern=r"^[1-9][0-9]{0,11}$")],
        Annotated[int, Field(ge=0, le=1_000_000)],
    ],
    Field(description="an object value: pieces"),
]

exact = with_config(ConfigDict(strict=True, extra="forbid"))
"""A field that is not known is an error, unless a feed is read."""
