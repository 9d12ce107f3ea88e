"""The input of `stand17 replay`, from any kind of file."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from controller.feed.replay import Json, Played


class ReplayFinding(NamedTuple):
    """Something in a file that is not as it was: the object that `--json` prints, and the sentence.

    Without a sentence it is for `--json` only.
    """

    json: Json
    sentence: str


class HeaderFacts(NamedTuple):
    """The facts of a feed's header: its rules, their differences ([says, house]), its options."""

    rules: str = ""
    overrides: dict[str, list[Any]] = {}  # noqa: RUF012 - a default of a tuple's field, never changed
    options: dict[str, Any] = {}  # noqa: RUF012 - as above


NO_HEADER: Final = HeaderFacts()


class ReplaySource(NamedTuple):
    """An opened file.

    `played` is iterated to its end; then `findings` yields the differences, and `summary` the result as an
    object and as a sentence. `currency` is that of its amounts, `header` contains the facts of a feed's
    header.
    """

    played: Iterable[Played]
    currency: str
    findings: Callable[[], Iterable[ReplayFinding]] = tuple
    summary: Callable[[], tuple[Json, str] | None] = lambda: None
    header: HeaderFacts = NO_HEADER


CardSource = Literal["camera", "both"]
"""Where the cards of a feed with pictures come from: these alone, or the feed's own lines as well."""


class FrameSettings(NamedTuple):
    """Pictures with the cards of a feed, and the files to read them with.

    `with_shoe`: the feed's cards are the shoe's, and both must agree.
    """

    folder: Path
    layout: Path
    deck: Path | None = None
    with_shoe: bool = False


class ReplaySettings(NamedTuple):
    """Settings of a replay: `speed` is a multiple of real time, 0 for as fast as possible.

    `step` waits for Enter before each message; `config` is a file with other settings than the recorded.
    `table`: a feed goes through the live table's door; `rejoin`: it continues behind a round that is held and
    never ruled on. `every`: lines without an effect count too. `frames`: its cards come from pictures.
    """

    speed: float
    step: bool = False
    config: Path | None = None
    table: bool = False
    rejoin: bool = False
    every: bool = True
    frames: FrameSettings | None = None
