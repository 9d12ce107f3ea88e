"""Sections of a configuration file, and their common base.

Keypads, pedals, peek devices and chip sources; people; the recorder; the table's key and signed heads; the
program's own files; the network of a floor.
"""

import re
from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from controller.domain import WANTED, is_plain
from controller.policy import SecondPerson


def _plain(name: str) -> str:
    """Refuse a name that could not be shown, logged and written down."""
    if not is_plain(name):
        raise ValueError(f"a name is {WANTED}")
    return name


Name = Annotated[str, Field(min_length=1, max_length=40), AfterValidator(_plain)]
"""What a table or a device is called."""

BaudRate = Annotated[int, Field(gt=0, le=4_000_000)]
"""Bits a second of a serial line; no line is faster."""

Fraction = Annotated[float, Field(ge=0, le=1)]


class Section(BaseModel):
    """Immutable and strict: an unknown or misspelt field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")


KeyWord = Literal[
    "hit", "stand", "double", "split", "surrender", "end", "freeze", "shoe", "shuffle", "cut_card"
]
"""What a key can mean; the table takes it as if the dealer had pressed that key on the screen."""


class InputSection(Section):
    """A small device. When a `required` one is lost the table holds; without any other one it only warns."""

    name: Name
    port: str = Field(min_length=1)
    baud: BaudRate = 9600
    required: bool = False


class KeysSection(InputSection):
    """A number pad or foot pedal.

    `kind`: `input` is an input device of the kernel, `serial` sends lines of text. `keys` are the key codes
    of an input device and their meanings; a plain number pad when left out.
    """

    name: Name = "keypad"
    kind: Literal["input", "serial"] = "input"
    keys: dict[Annotated[int, Field(gt=0, lt=0x300)], KeyWord] = Field(default_factory=dict)


class PeekSection(InputSection):
    """A device that looks at the face-down card and says only whether it makes a blackjack."""

    name: Name = "peek"


class ChipsSection(InputSection):
    """A chip source: it counts the chips in the circles, and the payouts, in lines of text.

    A reading below `certain` counts as chips that it cannot count.
    """

    name: Name = "chips"
    kind: Literal["serial"] = "serial"
    certain: Fraction = 0.98


class PeopleSection(Section):
    """The people who may sign in are in `file`, by default people.json in the journal's folder.

    `card_prefix` is the first character that a staff card's reader types, such as ";" for a magnetic stripe;
    without it the page takes no cards. `publish` is a file that is written, signed with the table's key, at
    each change of the people. Other tables have it as their `source`, with that key's public half (64 digits,
    or a file with it) as `source_key`.
    """

    file: Path | None = None
    publish: Path | None = None
    source: Path | None = None
    source_key: str = ""
    dealer_idle_minutes: int = Field(default=60, ge=1, le=720)
    """A dealer who touches nothing for so long is signed out."""
    idle_seconds: int = Field(default=120, ge=20, le=3600)
    """So is everybody else."""
    longest_hours: int = Field(default=12, ge=1, le=24)
    """No session is longer, whatever is done in it."""
    card_prefix: str = Field(default="", pattern=r"^[!-/:-@\[-`{-~]?$")

    @model_validator(mode="after")
    def _one_place(self) -> "PeopleSection":
        if (self.source is None) != (self.source_key == ""):
            raise ValueError("source and source_key go together: whose lists count")
        if self.source is not None and self.publish is not None:
            raise ValueError("a table either publishes its people or has them from a source")
        return self


class SecondPersonSection(Section):
    """Acts of the pit that take two people; the defaults are careful, a house may leave more to one.

    `over_minor` is in minor units: a payout or stake that is put right by more takes two; false means never.
    """

    void_round: bool = True
    ended_round: bool = True
    shoe_void: bool = True
    limits: bool = True
    fill: bool = True
    credit: bool = True
    float_count: bool = True
    over_minor: Literal[False] | Annotated[int, Field(ge=0)] = 50_000

    @property
    def settled(self) -> SecondPerson:
        """The list as the table's policy reads it."""
        over = None if self.over_minor is False else self.over_minor
        return SecondPerson(**{**self.model_dump(), "over_minor": over})


BY_ONE: Final = SecondPersonSection(
    void_round=False,
    ended_round=False,
    shoe_void=False,
    limits=False,
    fill=False,
    credit=False,
    float_count=False,
    over_minor=False,
)
"""A table at which one person is enough for everything: the demo's."""


_BUDGET_MB_MIN = 64


class RecordingSection(Section):
    """The recorded messages between devices and program, beside the journal.

    `enabled` left out means: on a live table, not in a simulation. Left out, `folder` is the journal's name
    with `.recordings` for its ending.
    """

    enabled: bool | None = None
    folder: Path | None = None
    keep_minutes: int = Field(default=20, gt=0, le=1440)
    """The last minutes that are always kept."""
    segment_minutes: int = Field(default=5, gt=0, le=60)
    """A file for so many minutes; whole files are kept and removed."""
    disk_budget_mb: int = Field(default=20_000, ge=_BUDGET_MB_MIN)
    """For everything in the folder, pinned files too; what does not fit goes, oldest first."""
    reserve_mb: int = Field(default=2_000, ge=0)
    """Free room on the disk that is left to the journal: below it nothing is recorded."""
    pinned_days: int = Field(default=30, gt=0, le=3650)
    """How long the minutes around holds, corrections, voids, disputes and device faults are kept."""

    @model_validator(mode="after")
    def _segments_fit(self) -> "RecordingSection":
        if self.segment_minutes > self.keep_minutes:
            raise ValueError("segment_minutes is longer than keep_minutes")
        return self


class SigningSection(Section):
    """The signature of the journal, and the further places of signed heads.

    `key` left out is `table.key` beside the journal; a missing one is made, and a systemd credential of that
    name precedes it. `keep_folder` must exist, on another disk. `keep_url` takes each head as the body of a
    POST: a witness with the public key `witness_key`, or without one any receiver.
    """

    key: Path | None = None
    keep_folder: Path | None = None
    keep_url: Annotated[str, Field(pattern="^https?://[^\\s/]+")] | None = None
    witness_key: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None

    def rooted(self, folder: Path) -> Self:
        """Read relative paths from this folder."""
        rooted = {
            name: path and folder / path
            for name, path in (("key", self.key), ("keep_folder", self.keep_folder))
        }
        return self.model_copy(update=rooted)


_DIGITS: Final = re.compile(r"[0-9a-fA-F]{64}")


class SoftwareSection(Section):
    """The release that a live table may run.

    `release_key` is the public key of the release: its 64 digits, or a file. `allow_unreleased` lets a live
    table run sources, or an unsigned wheel.
    """

    release_key: str = ""
    allow_unreleased: bool = False

    def rooted(self, folder: Path) -> Self:
        """Read a relative path from this folder."""
        if not self.release_key or _DIGITS.fullmatch(self.release_key):
            return self
        return self.model_copy(update={"release_key": str(folder / self.release_key)})


Server = Annotated[str, Field(pattern=r"^(nats|tls)://[^\s/@]+$")]
PublicKey = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class FloorSection(Section):
    """The floor's NATS servers, and the keys that may command over them.

    `certificate` and `key` are the table's own, PEM files; `authority` signs the servers', by default the
    machine's authorities. `user` signs in with the password in `password_file`. `commanders` are the public
    keys of the pit's servers that may command, 64 digits each; without them none may. `archives` are those of
    the archives whose receipts count; without them any receipt on the network counts. `inbox` begins the
    subjects of answers to this member: the server lets only this member read them.
    """

    servers: Annotated[tuple[Server, ...], Field(min_length=1)]
    authority: Path | None = None
    certificate: Path | None = None
    key: Path | None = None
    user: str = ""
    password_file: Path | None = None
    commanders: tuple[PublicKey, ...] = ()
    archives: tuple[PublicKey, ...] = ()
    inbox: Annotated[str, Field(pattern="^[A-Za-z0-9_-]{1,80}$")] = "_INBOX"

    def rooted(self, folder: Path) -> Self:
        """Read relative paths from this folder."""
        return self.model_copy(
            update={name: folder / value for name, value in self if isinstance(value, Path)}
        )

    @model_validator(mode="after")
    def _key_with_certificate(self) -> Self:
        if (self.certificate is None) != (self.key is None):
            raise ValueError("certificate and key belong together")
        return self
