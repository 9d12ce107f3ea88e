"""A configuration file: gaming days, the table's sections, and how the file is read.

An unknown or misspelt field is an error, named by its field. `[journal] file` may name a file for each day:
`{table}` stands for the table's name and `{day}` for the gaming day as YYYY-MM-DD. The day is the house's: it
begins at `[journal] day_begins`, local time.

A setting that this version no longer has has the code of a sentence that names its replacement. For one
release a configuration with such a setting still opens, and the table says so. A setting that guards evidence
is refused instead. Recordings of earlier versions hold whole configurations: their retired settings are left
out for good.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple, Self

from pydantic import AfterValidator, Field, PrivateAttr, ValidationError, model_validator

from controller.config.sections import (
    BaudRate,
    Cameras,
    CameraSection,
    ChipsSection,
    FloorSection,
    Fraction,
    InputSection,
    KeysSection,
    Name,
    PeekSection,
    PeopleSection,
    RecordingSection,
    SecondPersonSection,
    Section,
    SigningSection,
    SoftwareSection,
    WitnessesSection,
)
from controller.domain import ConfigError, JournalError, digits_of
from controller.i18n import CENTS, Language
from controller.policy import DEFAULT_OPTIONS, TableOptions
from controller.policy.line import Mode, PayoutsBy
from controller.ports import SystemClock

DAY: Final = "{day}"

TABLE: Final = "{table}"

_BEGINS: Final = time(6)
"""A gaming day begins in the morning, after the last guests have left."""

BESIDE: Final = ("", ".head", ".mark", ".signed")
"""What a journal leaves in its folder: each of them says that there was one."""

_NOT_IN_NAMES: Final = re.compile(r"[/\\\0-\x1f\x7f]|^\.|^-|^\s|\s$|^$")
"""A name that leads elsewhere, hides its file, reads as an option, or is lost in a list."""


def gaming_day(utc_us: int, begins: time) -> date:
    """The gaming day of a moment, in microseconds since 1970 UTC."""
    local = datetime.fromtimestamp(utc_us / 1e6, UTC).astimezone()
    return (local - timedelta(hours=begins.hour, minutes=begins.minute)).date()


def fits_in_name(table: str) -> bool:
    """Whether a table's name can be part of a file name."""
    return _NOT_IN_NAMES.search(table) is None


class DayFiles:
    """The journals of one table, a file for each gaming day.

    >>> days = DayFiles(Path("/var/lib/stand17/{table}-{day}.journal"), "BJ1")
    >>> days.file_of(date(2026, 11, 28)).name
    'BJ1-2026-11-28.journal'
    >>> days.day_of("BJ1-2026-11-28.journal")
    datetime.date(2026, 11, 28)
    """

    def __init__(self, pattern: Path, table: str) -> None:
        """Take a `pattern`, a path whose name contains `{day}`."""
        self.folder: Final = pattern.parent
        self.undated: Final = self.folder / re.sub(r"[-_. ]?\{day\}", "", pattern.name.replace(TABLE, table))
        """A name without the day, for what a table keeps over all days, such as its recordings."""
        self._name = pattern.name.replace(TABLE, table)
        before, _, after = map(re.escape, self._name.partition(DAY))
        self._known = re.compile(rf"{before}(\d{{4}}-\d{{2}}-\d{{2}}){after}")

    def file_of(self, day: date) -> Path:
        """The journal of a day."""
        return self.folder / self._name.replace(DAY, day.isoformat())

    def day_of(self, name: str) -> date | None:
        """The day of a file by its name, None for a file of another table or kind."""
        found = self._known.fullmatch(name)
        try:
            return None if found is None else date.fromisoformat(found[1])
        except ValueError:
            return None

    def days(self, folder: Path | None = None) -> list[date]:
        """Return the days with a journal, or a file beside one, in a folder, the newest first."""
        return sorted(set(self._days_in(folder or self.folder)), reverse=True)

    def _days_in(self, folder: Path) -> Iterator[date]:
        for path in folder.iterdir() if folder.is_dir() else ():
            for ending in BESIDE:
                day = self.day_of(path.name.removesuffix(ending)) if path.name.endswith(ending) else None
                if day is not None:
                    yield day


DAY_S: Final = 86_400


class OptionsSection(Section):
    """The acts that the table infers and the questions that it asks; by default those of a live table."""

    stand_on_21: bool = DEFAULT_OPTIONS.stand_on_21
    turn_by_card: bool = DEFAULT_OPTIONS.turn_by_card
    paid_by_next_bet: bool = DEFAULT_OPTIONS.paid_by_next_bet
    unclear: Literal["ask", "mark"] = DEFAULT_OPTIONS.unclear
    later_hand: Literal["mark", "ask"] = DEFAULT_OPTIONS.later_hand
    card_gap_ms: int = Field(default=DEFAULT_OPTIONS.card_gap_ms, ge=0, le=60_000)
    ask_hit_from: int = Field(default=DEFAULT_OPTIONS.ask_hit_from, ge=0, le=21)
    shoe_runs_out: Literal["discards", "shoe"] = DEFAULT_OPTIONS.shoe_runs_out
    payouts: PayoutsBy = "confirm"
    """How the house knows what was given: one tap, an amount typed for each payout, or a chip source."""
    shuffle_watch: bool = DEFAULT_OPTIONS.shuffle_watch
    count_every: int = Field(default=DEFAULT_OPTIONS.count_every, ge=0, le=10_000)
    count_at_close: bool = DEFAULT_OPTIONS.count_at_close
    float_check: bool = DEFAULT_OPTIONS.float_check
    mode: Mode = DEFAULT_OPTIONS.mode
    """In `shadow` the table watches and journals, and never holds, locks or asks."""

    @property
    def settled(self) -> TableOptions:
        """The options as the table's policy reads them."""
        return TableOptions(**self.model_dump())


def _with_cents(currency: str) -> str:
    """Refuse an unknown currency, and one whose amounts cannot be typed at the screens.

    Raises `ConfigError` CONFIG_NO_CURRENCY or CONFIG_CURRENCY_DIGITS, which pydantic lets pass.
    """
    digits = digits_of(currency)
    if digits is None:
        raise ConfigError("CONFIG_NO_CURRENCY", currency=currency)
    if digits != CENTS:
        raise ConfigError("CONFIG_CURRENCY_DIGITS", currency=currency, digits=digits)
    return currency


class TableSection(Section):
    """The table: `rules` is a shipped house or the path of a rule file beside this one."""

    name: Name
    rules: str
    rule_overrides: dict[str, Any] = Field(default_factory=dict)
    currency: Annotated[str, AfterValidator(_with_cents)] = "EUR"
    chips_minor: tuple[Annotated[int, Field(gt=0)], ...] = ()
    """Values of the chips in the tray, in minor units; every kind that the screens know when left out."""
    options: OptionsSection = OptionsSection()
    second_person: SecondPersonSection = SecondPersonSection()


class JournalSection(Section):
    """`file` holds the record; a commit slower than `slow_ms` holds the table.

    A name with `{day}` is a file for each gaming day, which begins at `day_begins` in local time; `{table}`
    is the table's name. `load_config` puts the day's file in its place.
    In `copy_folder`, on another disk or another machine, the record is written once more beside the commits.
    `dispute_folder` keeps the files of `stand17 export --dispute`; left out, it is the journal's name with
    `.disputes` for its ending.
    """

    file: Path
    day_begins: time = _BEGINS
    copy_folder: Path | None = None
    dispute_folder: Path | None = None
    slow_ms: int = Field(default=250, gt=0)
    _days: DayFiles | None = PrivateAttr(default=None)

    @property
    def days(self) -> DayFiles | None:
        """The table's files per gaming day; None for a single file."""
        return self._days

    @property
    def undated(self) -> Path:
        """The journal's path without a day."""
        return self.file if self._days is None else self._days.undated

    def of_day(self, days: DayFiles, file: Path) -> Self:
        """The section with one day's file."""
        section = self.model_copy(update={"file": file})
        section._days = days  # noqa: SLF001  # its own copy
        return section


class TlsSection(Section):
    """PEM files of the page: its certificate with the chain to its authority, and the key."""

    certificate: Path
    key: Path


def _named_host(host: str) -> str:
    """Take an empty address for none: to a server it would mean all of the machine's."""
    return host.strip() or _LOOPBACK


def _each_once(places: tuple[str, ...]) -> tuple[str, ...]:
    """A floor on which no table has two places."""
    named = [place for place in places if place]
    if len(named) > len(set(named)):
        raise ValueError("a table has one place")
    return places


_LOOPBACK: Final = "127.0.0.1"


class WebSection(Section):
    """The address of the screens. Port 0 takes any free one.

    An address that other machines reach needs `tls`, and people who sign in.
    """

    host: Annotated[str, AfterValidator(_named_host)] = _LOOPBACK
    tls: TlsSection | None = None
    port: int = Field(default=8017, ge=0, le=65535)
    names: tuple[str, ...] = ()
    """Names and addresses under which tablets reach this machine; others are turned away."""
    pins: dict[str, str] = Field(default_factory=dict)
    """Argon2 hashes of PINs by name, as they stood here once; `stand17 people add` takes them over."""
    sound_percent: int = Field(default=40, ge=0, le=100)
    """How loud the screens are, of what the tablet's own speaker is set to; 0 is silent."""
    break_after_min: int = Field(default=60, ge=0, le=720)
    """After so long at the table a dealer's break is due; 0: never."""
    metrics_token_file: Path | None = None
    """File with the token that the house's monitoring names; without one only people read the figures."""
    beside: tuple[Path, ...] = ()
    """Journals of other tables, which the pit's page shows beside this one."""
    places: Annotated[tuple[str, ...], AfterValidator(_each_once)] = ()
    """The tables at their places on the floor, row by row of three; "" leaves a place empty."""


class ShoeSection(Section):
    """The shoe reader. `port`: a device path or `socket://host:port`.

    `bcc` is the Angel Eye's, as its manual has it. `certain` is the open protocol's: a card that the reader
    is less sure of counts as unread.
    """

    name: Name = "shoe"
    port: str
    protocol: Literal["angel_eye", "open"] = "angel_eye"
    baud: BaudRate = 4800
    bcc: Literal["without_start", "with_start", "ignored"] = "without_start"
    certain: Fraction = 0.98
    commands: bool = False
    """Whether the pit may lock, unlock and clear errors of the shoe from the page."""
    lock_while_held: bool = False
    """Whether the table itself locks the shoe while it waits for a ruling; needs `commands`."""

    @model_validator(mode="after")
    def _may_lock(self) -> "ShoeSection":
        if self.lock_while_held and not self.commands:
            raise ValueError("lock_while_held needs commands = true")
        return self


class ModelsSection(Section):
    """The folder of the trained models; the shipped ones by default."""

    folder: Path | None = None


class OnAlertSection(Section):
    """A command for holds and alerts that have waited `after_s` seconds for an answer.

    `command` is a program and its arguments; it gets a JSON object on standard input. `codes` are the kinds
    that it is run for, all of them when left out; `language` is that of the sentence in the object.
    """

    command: Annotated[tuple[str, ...], Field(min_length=1)]
    after_s: Annotated[int, Field(ge=0, le=DAY_S)] = 60
    codes: frozenset[str] = frozenset()
    language: Language = "en"


class TableConfig(Section):
    """A whole configuration file.

    Cards come from a shoe, from one camera that looks at a shoe's mouth, from both where the shoe only
    counts, or as `witnesses` says from a camera over the table.
    """

    table: TableSection
    journal: JournalSection
    web: WebSection = WebSection()
    people: PeopleSection = PeopleSection()
    shoe: ShoeSection | None = None
    camera: Cameras = ()
    keypad: tuple[KeysSection, ...] = ()
    peek: PeekSection | None = None
    chips: tuple[ChipsSection, ...] = ()
    witnesses: WitnessesSection = WitnessesSection()
    models: ModelsSection = ModelsSection()
    recording: RecordingSection = RecordingSection()
    signing: SigningSection = SigningSection()
    on_alert: OnAlertSection | None = None
    software: SoftwareSection = SoftwareSection()
    floor: FloorSection | None = None
    retired: Annotated[tuple[str, ...], Field(exclude=True)] = ()
    """Codes of settings in the file that this version no longer has; `load_config` finds them."""

    def with_journal(self, file: Path) -> Self:
        """The configuration with another day's journal."""
        return self.model_copy(update={"journal": self.journal.model_copy(update={"file": file})})

    @property
    def inputs(self) -> tuple[InputSection, ...]:
        """The small devices, in the order of the file's sections."""
        peek = () if self.peek is None else (self.peek,)
        return (*self.keypad, *peek, *self.chips)

    @property
    def table_cameras(self) -> tuple[CameraSection, ...]:
        """The cameras over the table."""
        return tuple(section for section in self.camera if section.profile == "table")

    @property
    def shoe_mouth(self) -> CameraSection | None:
        """The camera that looks at the shoe's mouth."""
        return next((section for section in self.camera if section.profile == "shoe_mouth"), None)

    @property
    def has_shoe(self) -> bool:
        """Whether a device sees the cards leave the shoe."""
        return self.shoe_name != ""

    @property
    def shoe_name(self) -> str:
        """The device that sees the cards leave the shoe, "" without one."""
        source = self.shoe or self.shoe_mouth
        return "" if source is None else source.name

    @property
    def dealing_cameras(self) -> tuple[CameraSection, ...]:
        """The dealing cameras over the table; none when the cards come from the shoe alone."""
        return self.witnesses.dealing_cameras(self.table_cameras, has_shoe=self.has_shoe)

    @model_validator(mode="after")
    def _cards_come_from_one(self) -> "TableConfig":
        """Raises `ConfigError` CONFIG_NO_CARDS or CONFIG_TWO_SHOES, which pydantic lets pass.

        A camera over the table that is the only witness needs neither.
        """
        sources = [section.name for section in self.camera if section.profile == "shoe_mouth"]
        mouth = self.shoe_mouth
        joined = self.shoe is not None and mouth is not None and bool(mouth.code)
        if self.shoe is not None:
            sources.insert(0, self.shoe.name)
            if joined and self.shoe.protocol != "open":
                raise ValueError('a camera with code needs a [shoe] of protocol = "open", which counts')
        elif mouth is not None and mouth.code:
            raise ValueError("a camera with code names what a [shoe] counts, and there is none")
        if not sources and self.witnesses.source != "camera":
            raise ConfigError("CONFIG_NO_CARDS")
        if len(sources) > 1 + joined:
            raise ConfigError("CONFIG_TWO_SHOES", first=sources[0], second=sources[1])
        return self

    @model_validator(mode="after")
    def _name_fits_in_files(self) -> "TableConfig":
        if TABLE in self.journal.file.name and not fits_in_name(self.table.name):
            raise ValueError(f"table.name {self.table.name!r} does not fit the file name of journal.file")
        return self

    @model_validator(mode="after")
    def _witnesses_are_there(self) -> "TableConfig":
        self.witnesses.dealing_cameras(self.table_cameras, has_shoe=self.has_shoe)
        return self

    @model_validator(mode="after")
    def _chips_are_counted(self) -> "TableConfig":
        # With a retired chip source the table runs as with a lost one: the dealer enters amounts.
        counted = self.chips or "RETIRED_LLRP" in self.retired
        if self.table.options.payouts == "measure" and not counted:
            raise ValueError('payouts = "measure" needs a [[chips]] that counts them')
        return self

    @model_validator(mode="after")
    def _names_differ(self) -> "TableConfig":
        cameras, inputs = (tuple(section.name for section in part) for part in (self.camera, self.inputs))
        names = [*(() if self.shoe is None else (self.shoe.name,)), *cameras, *inputs]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"each device needs a name of its own, and {twice} is used twice")
        return self


class RetiredSetting(NamedTuple):
    """A setting of the file: all sections of a list, those of one `kind`, or one field of each.

    `refused`: the table does not open with it.
    """

    place: tuple[str, ...]
    code: str
    kind: str = ""
    refused: bool = False


RETIRED: Final = (
    RetiredSetting(("signing", "keep_syslog"), "RETIRED_KEEP_SYSLOG", refused=True),
    RetiredSetting(("notify",), "RETIRED_NOTIFY"),
    RetiredSetting(("telemetry",), "RETIRED_TELEMETRY"),
    RetiredSetting(("rack",), "RETIRED_RACK"),
    RetiredSetting(("chips",), "RETIRED_LLRP", kind="llrp"),
    RetiredSetting(("chips", "antennas"), "RETIRED_LLRP"),
    RetiredSetting(("chips", "values"), "RETIRED_LLRP"),
)


def without_retired(raw: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[RetiredSetting, ...]]:
    """A configuration as it is read without its retired settings, and those of them that had a value."""
    kept = dict(raw)
    return kept, tuple(one for one in RETIRED if any(_take(kept, one.place, one.kind)))


def _take(section: dict[str, Any], place: tuple[str, ...], kind: str) -> list[object]:
    """Take a setting out of a section, or out of each section of a list; its values."""
    name, *rest = place
    if name not in section:
        return []
    if not (rest or kind):
        return [section.pop(name)]
    inside = section[name]
    parts = [dict(one) if isinstance(one, dict) else one for one in _listed(inside)]
    taken = [one for one in parts if kind and isinstance(one, dict) and one.get("kind") == kind]
    parts = [one for one in parts if one not in taken]
    section[name] = parts if isinstance(inside, list) else next(iter(parts), {})
    if not rest:
        return [*taken]
    return [value for one in parts if isinstance(one, dict) for value in _take(one, tuple(rest), "")]


def _listed(inside: object) -> list[object]:
    return inside if isinstance(inside, list) else [inside]


BYTES_MAX: Final = 1_000_000
"""Size of the largest file that is taken for a configuration."""

_NO_FILE: Final = "not a regular file"


def load_config(path: Path) -> TableConfig:
    """Read and check a TOML file; relative paths in it are relative to its folder.

    Raises `ConfigError`: CONFIG_MISSING, CONFIG_NOT_TOML, CONFIG_KEPT_BESIDE, CONFIG_WRONG with the first
    wrong `field`, the code of a retired setting that guards evidence. `JournalError` as `_of_day`.
    """
    try:
        if path.exists() and not path.is_file():
            raise ConfigError("CONFIG_MISSING", path=str(path), reason=_NO_FILE)
        with path.open("rb") as file:
            data = file.read(BYTES_MAX + 1)
        if len(data) > BYTES_MAX:
            raise ConfigError("CONFIG_NOT_TOML", path=str(path), reason=f"more than {BYTES_MAX} bytes")
        raw = tomllib.loads(data.decode("utf-8"))
    except OSError as error:
        raise ConfigError("CONFIG_MISSING", path=str(path), reason=error.strerror or "") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError("CONFIG_NOT_TOML", path=str(path), reason=str(error)) from error
    try:
        return _rooted(TableConfig.model_validate(_current(raw, path)), path.parent)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(_place(first["loc"], raw)) or "file"
        raise ConfigError("CONFIG_WRONG", path=str(path), field=field, reason=first["msg"]) from error


def _current(raw: dict[str, Any], path: Path) -> dict[str, Any]:
    """The file's settings without the retired ones, and the codes of these; raises as `load_config`."""
    if "retired" in raw:
        raise ConfigError("CONFIG_WRONG", path=str(path), field="retired", reason="no setting of this name")
    kept, retired = without_retired(raw)
    for setting in retired:
        if setting.refused:
            raise ConfigError(setting.code, path=str(path))
    return {**kept, "retired": [*dict.fromkeys(setting.code for setting in retired)]}


def _place(loc: tuple[int | str, ...], raw: dict[str, Any]) -> list[str]:
    """Write where a mistake is as the file has it: a single `[camera]` has no number."""
    parts = [str(part) for part in loc]
    if parts[:2] == ["camera", "0"] and isinstance(raw.get("camera"), dict):
        del parts[1]
    return parts


def _of_day(journal: JournalSection, table: str) -> JournalSection:
    """The section with the newest day's file, or with that of today where there is none.

    Raises `JournalError` JOURNAL_CANNOT_OPEN for a folder that this account may not read.
    """
    if DAY not in journal.file.name:
        named = journal.file.with_name(journal.file.name.replace(TABLE, table))
        return journal.model_copy(update={"file": named})
    days = DayFiles(journal.file, table)
    today = gaming_day(SystemClock().utc_us(), journal.day_begins)
    try:
        newest = next(iter(days.days()), today)
    except OSError as error:
        raise JournalError(
            "JOURNAL_CANNOT_OPEN", path=str(days.folder), reason=error.strerror or ""
        ) from error
    return journal.of_day(days, days.file_of(newest))


def _rooted(config: TableConfig, folder: Path) -> TableConfig:
    journal = _of_day(config.journal.rooted(folder), config.table.name)
    web, signing = config.web.rooted(folder), config.signing.rooted(folder)
    if web.tls is not None:
        web = web.model_copy(update={"tls": web.tls.rooted(folder)})
    kept = signing.keep_folder
    if kept is not None and kept.resolve() == journal.file.parent.resolve():
        # The kept file has the name of the table's own one, and would be written over it.
        raise ConfigError("CONFIG_KEPT_BESIDE", path=str(kept))
    parts = {
        name: getattr(config, name).rooted(folder) for name in ("people", "models", "recording", "software")
    }
    parts |= {"journal": journal, "signing": signing, "web": web}
    parts |= {
        "floor": config.floor and config.floor.rooted(folder),
        "camera": tuple(section.rooted(folder) for section in config.camera),
    }
    return config.model_copy(update=parts)
