"""A tile with the time at which it was shown in it: as its newest entry's time, and as its dealer's name."""

import time

from controller.screens.tiles import Tile
from controller.screens.words import Money, Word, Words

STOPPED = 20
"""One table of so many stands."""


def tile(name: str, seq: int) -> Tile:
    number, now_us = int(name.removeprefix("bj")), time.time_ns() // 1000
    stands = number % STOPPED == 0
    stop = Words(code="line.STOP", params={"fault": Word(word="fault_name.CAMERA_BUMPED")})
    return Tile(
        table=name,
        elsewhere=True,
        at_utc_us=now_us,
        since_utc_us=now_us - number * 60_000_000 if stands else 0,
        line=stop if stands else Words(code="line.PLACE_BETS"),
        tone="stop" if stands else "act",
        seats=("stake", "empty", "acts", "stake", "stake", "empty", "empty"),
        win=Money(money=f"{number * 37 - 3000}.00"),
        expected=Money(money="120.50"),
        beyond="below" if number % 33 == 0 else None,
        dealer=str(now_us // 1000),
        alerts=int(stands),
        round=seq,
    )
