"""Sections of a configuration file, and their common base.

Keypads, pedals, peek devices and chip sources; people; the recorder; the table's key and signed heads; the
program's own files; the network of a floor; one `[camera]`, or several `[[camera]]` where one alone does not
see the table; which witnesses report a table's cards.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

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

    def rooted(self, folder: Path) -> Self:
        """The section with its relative paths from this folder on."""
        return self.model_copy(
            update={name: folder / value for name, value in self if isinstance(value, Path)}
        )


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

    @model_validator(mode="after")
    def _key_with_certificate(self) -> Self:
        if (self.certificate is None) != (self.key is None):
            raise ValueError("certificate and key belong together")
        return self


ADDRESS = "://"
"""What tells the address of a stream from the path of a device, file or folder."""


class ZoneSection(Section):
    """The place of a box's cards in the picture: a circle in pixels.

    `box` is the box's number; the place in the list, from 1, when left out.
    """

    x: float
    y: float
    radius: float = Field(gt=0)
    box: int | None = Field(default=None, ge=1)


NonNegative = Annotated[float, Field(ge=0)]

ColourLevel = Annotated[int, Field(ge=0, le=255)]

_MOUTH_ONLY: Final = ("window", "turn_deg", "mirrored", "leaves", "cut_rgb", "gap_ms", "code")

_CODE_LIGHTS: Final = 6
"""Lights with which a reader that counts shows the camera which card a picture is of."""

_TABLE_ONLY: Final = (
    "boxes",
    "dealer",
    "layout",
    "deck",
    "reference",
    "votes",
    "settle_ms",
    "read_every_ms",
    "certain",
)
"""Fields that mean something to one profile and nothing to the other."""


class CameraSection(Section):
    """A camera over the table, with its boxes and dealer; or one that looks at the shoe's mouth.

    `source` is a V4L2 device (its path or number), a video file, a folder of pictures, or the address of a
    stream (http, https, rtsp). When a `required` camera is lost the table holds; the loss of another one only
    warns. `exposure`, `gain`, `white_balance` and `focus` fix what a device would otherwise change by itself,
    in the device's own units. `reference` is a picture of the empty table, against which a moved camera
    shows. `layout` is the file of `stand17 calibrate`; it replaces boxes and dealer, and a reference that is
    not named. `deck` is the profile of `stand17 enrol`: with it only cards of that deck are reported.

    With the profile `shoe_mouth` the camera is the table's source of cards, in place of a shoe that reads by
    itself. `window` is the part of the picture where the index passes: left, top, width, height in pixels, or
    in shares of the picture where none is above 1. It is turned clockwise by `turn_deg`, so that the index
    is upright; for a camera that looks into a mirror, `mirrored` exchanges left and right after that.
    `leaves` is the side of that window where a drawn card goes out of sight. A sheet of the colour `cut_rgb`
    is the cut card. Without a picture for `gap_ms` a card may have passed unseen.

    With `code`, the middles of the six lights of a reader that counts (x and y in pixels of the whole
    picture), the camera names the cards that `[shoe]` counts.
    """

    name: Name = "camera"
    profile: Literal["table", "shoe_mouth"] = "table"
    source: str = Field(min_length=1)
    width: int = Field(default=1920, ge=0)
    height: int = Field(default=1080, ge=0)
    fps: float = Field(default=0, ge=0, le=240)
    loop: bool = False
    """Whether a file or folder begins again at its end."""
    required: bool = True
    silence_ms: int = Field(default=1000, ge=100)
    """Time without a good picture after which the camera counts as stale."""
    exposure: float | None = None
    gain: float | None = None
    white_balance: float | None = None
    focus: float | None = None
    reference: Path | None = None
    layout: Path | None = None
    deck: Path | None = None
    record_fps: float = Field(default=5, ge=0, le=60)
    """Pictures a second, at most, that are encoded for the recording when the source gives no JPEG."""
    boxes: tuple[ZoneSection, ...] = ()
    dealer: ZoneSection | None = None
    read_every_ms: int = Field(default=300, gt=0)
    """How often the table hears where cards lie; the pictures between are followed all the same."""
    settle_ms: int = Field(default=2000, gt=0)
    """Time that hands need to clear the table, or to lay cards as the pit has ruled."""
    votes: int = Field(default=3, gt=0)
    """Pictures in a row that must show the same contradiction before the table is held."""
    certain: Fraction = 0.98
    """Readings below this probability contradict nobody."""
    window: tuple[NonNegative, NonNegative, NonNegative, NonNegative] = (0, 0, 1, 1)
    turn_deg: Literal[0, 90, 180, 270] = 0
    mirrored: bool = False
    leaves: Literal["bottom", "top", "right", "left"] = "bottom"
    cut_rgb: tuple[ColourLevel, ColourLevel, ColourLevel] | None = None
    gap_ms: int = Field(default=200, ge=50, le=5000)
    code: tuple[tuple[NonNegative, NonNegative], ...] = ()

    @property
    def fixed(self) -> tuple[tuple[str, float], ...]:
        """The fixed settings, by name."""
        named = {
            "exposure": self.exposure,
            "gain": self.gain,
            "white_balance": self.white_balance,
            "focus": self.focus,
        }
        return tuple((name, value) for name, value in named.items() if value is not None)

    @model_validator(mode="after")
    def _sees_something(self) -> "CameraSection":
        _require_own_fields(self)
        if self.profile == "shoe_mouth":
            return _require_mouth(self)
        circles = bool(self.boxes) or self.dealer is not None
        if circles and self.layout is not None:
            raise ValueError("a camera has a layout or boxes and dealer, not both")
        if not circles and self.layout is None:
            raise ValueError("a camera needs at least one of boxes and dealer, or a layout")
        return self

    def rooted(self, folder: Path) -> Self:
        """Make relative paths those of `folder`, that of a device, file or folder too."""
        section = super().rooted(folder)
        if ADDRESS in self.source or self.source.isdigit():
            return section
        return section.model_copy(update={"source": str(folder / self.source)})


def _require_own_fields(section: CameraSection) -> None:
    """Raise ValueError for a field of the other profile: it would be ignored in silence."""
    foreign = _MOUTH_ONLY if section.profile == "table" else _TABLE_ONLY
    name = next((name for name in foreign if name in _given(section)), None)
    if name is not None:
        raise ValueError(f"{name} means nothing to a camera of the profile {section.profile}")


def _given(section: CameraSection) -> set[str]:
    """Name the fields that differ from their default: a recorded configuration has them all."""
    fields = type(section).model_fields
    return {name for name in section.model_fields_set if getattr(section, name) != fields[name].default}


def _require_mouth(section: CameraSection) -> CameraSection:
    left, top, width, height = section.window
    if min(width, height) <= 0 or (max(section.window) <= 1 and max(left + width, top + height) > 1):
        raise ValueError("window is left, top, width and height of a part of the picture")
    if len(section.code) not in {0, _CODE_LIGHTS}:
        raise ValueError(f"code has the places of {_CODE_LIGHTS} lights")
    if not section.required:
        raise ValueError("the table cannot go on without the camera that sees its cards: leave required out")
    return section


def _listed(value: object) -> object:
    """Take a single `[camera]` for a list of one."""
    return (value,) if isinstance(value, dict | CameraSection) else value


Cameras = Annotated[tuple[CameraSection, ...], BeforeValidator(_listed), Field(max_length=8)]

CardsFrom = Literal["shoe", "camera", "both"]
"""Who tells the cards: what comes out of the shoe, what lies on the felt, or both, which have to agree."""

Degrade = Literal["hold", "shoe_only", "camera_only"]
"""What a person may go on with while a witness is missing: nothing, the shoe alone, the camera alone."""

ARRIVES_MS: Final = 2000
"""Milliseconds from the shoe to the felt where the house says nothing."""

DegradeBy = Literal["pit", "dealer"]
"""Who may go on without a witness: the pit alone, or the dealer as well."""


class WitnessesSection(Section):
    """With `source = "shoe"` cameras only contradict; with `camera` or `both` one or several of them deal.

    `camera` names the dealing camera, or several over one layout; left out, it is the only camera over the
    table. Each witness of `source` is required: without it the table holds. `degrade` names the witness with
    which the table may continue, `degrade_by` the role that may decide it; the journal names the person.

    A card that left the shoe is laid within `arrives_ms`, the speed of the house's dealers. A card that comes
    before the due one waits as long for it.
    """

    source: CardsFrom = "shoe"
    camera: str | tuple[Name, ...] = ""
    degrade: Degrade = "hold"
    degrade_by: DegradeBy = "pit"
    arrives_ms: int = Field(default=ARRIVES_MS, ge=500, le=10_000)

    @property
    def recorded(self) -> tuple[tuple[str, str], ...]:
        """The settings for the journal's `started`."""
        who = (("degrade_by", self.degrade_by),) if self.degrade != "hold" else ()
        late = (("arrives_ms", str(self.arrives_ms)),) if self.arrives_ms != ARRIVES_MS else ()
        return ("witnesses", self.source), ("degrade", self.degrade), *who, *late

    def dealing_cameras(
        self, cameras: Sequence[CameraSection], *, has_shoe: bool
    ) -> tuple[CameraSection, ...]:
        """Return the dealing cameras over the table, in the order of their names.

        Raises ValueError for a camera that is missing, has no layout or is not required, for two witnesses
        without a shoe, for an unused shoe, and for a `degrade` that does not fit the witnesses.
        """
        if self.source != "both" and self.degrade != "hold":
            raise ValueError(f'witnesses.degrade = "{self.degrade}" needs witnesses.source = "both"')
        if self.degrade == "hold" and self.degrade_by != "pit":
            raise ValueError(
                f'witnesses.degrade_by = "{self.degrade_by}" needs a witnesses.degrade to go on with'
            )
        if self.source == "shoe":
            if self.camera:
                raise ValueError('witnesses.camera means nothing with witnesses.source = "shoe"')
            return ()
        if self.source == "both" and not has_shoe:
            raise ValueError('witnesses.source = "both" needs a [shoe], or a camera at the shoe\'s mouth')
        if self.source == "camera" and has_shoe:
            raise ValueError('witnesses.source = "camera" needs no shoe: take it out, or say "both"')
        return self._named(cameras)

    def _named(self, cameras: Sequence[CameraSection]) -> tuple[CameraSection, ...]:
        known = {one.name: one for one in cameras}
        wanted = (self.camera,) if isinstance(self.camera, str) else self.camera
        names = tuple(known) if wanted == ("",) and len(known) == 1 else wanted
        if not names or len(set(names)) < len(names) or not known.keys() >= set(names):
            there = ", ".join(known) or "none"
            raise ValueError(f"witnesses.camera has to name the camera that deals; over the table: {there}")
        return tuple(_dealing(known[name]) for name in names)


def _dealing(camera: CameraSection) -> CameraSection:
    """The camera, if it can deal; raises ValueError."""
    if camera.layout is None:
        raise ValueError(f"the camera {camera.name} deals only with a layout (stand17 calibrate)")
    if not camera.required:
        raise ValueError(f"the camera {camera.name} deals and cannot be missing: leave required out")
    return camera
