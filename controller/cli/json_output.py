"""What commands print for programs: with `--json` one model a command, printed here, and errors alike.

Fields keep their names and their meaning (docs/json.md); a new one may be added.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from controller.cli.json_words import print_object


class JsonAnswer(BaseModel):
    """What one command answers; each has its own `type`."""

    model_config = ConfigDict(frozen=True)


class ErrorAnswer(JsonAnswer):
    """Why a command did not do it, on standard error; `where` is a file with its line, "" for none."""

    type: Literal["error"] = "error"
    where: str
    code: str
    params: dict[str, str | int]
    message: str


class VersionAnswer(JsonAnswer):
    """`--version`: what is installed.

    `release` is that of `verify --software`; `digest` is one hash of all files, `altered` how many of them
    are not as they were released; `commit` is "" where it is not known.
    """

    type: Literal["version"] = "version"
    version: str
    engine_compiled: bool
    reader_compiled: bool
    release: str
    commit: str
    digest: str
    altered: int


class KeyAnswer(JsonAnswer):
    """`key show`: the public key as 64 hexadecimal digits, and as a PEM."""

    type: Literal["key"] = "key"
    public: str
    pem: str


class TakeoverAnswer(JsonAnswer):
    """`takeover`: the journal, its entries from the copy, the last one that `key` has signed there."""

    type: Literal["takeover"] = "takeover"
    file: str
    entries: int
    vouched: int
    key: str


class ArchivedRow(BaseModel):
    """An archived journal: its entries, the last one that the table's `key` has signed; "" where none is."""

    journal: str
    table: str
    entries: int
    signed: int
    key: str


class FindingRow(BaseModel):
    """What did not fit: the file, the journal, and an error's code with its parameters; microseconds UTC."""

    source: str
    journal: str
    code: str
    params: dict[str, str | int]
    at_utc_us: int


class ArchiveAnswer(JsonAnswer):
    """`archive status`: the archived journals, and what did not fit so far."""

    type: Literal["archive"] = "archive"
    archive: str
    journals: tuple[ArchivedRow, ...]
    findings: tuple[FindingRow, ...]


class BroughtAnswer(JsonAnswer):
    """`archive follow`, a line each: new entries of a source, up to entry `end`; `error` is a code or ""."""

    type: Literal["brought"] = "brought"
    source: str
    journal: str
    entries: int
    end: int
    error: str


class AuthorityAnswer(JsonAnswer):
    """`tls ca`: the authority's two files."""

    type: Literal["tls_authority"] = "tls_authority"
    certificate: str
    key: str


class CertificateAnswer(JsonAnswer):
    """`tls cert`: a table's two files, and for how many days they hold."""

    type: Literal["tls_certificate"] = "tls_certificate"
    certificate: str
    key: str
    days: int


class PersonChangeAnswer(JsonAnswer):
    """`people add`, `disable`, `reset`; names of `[web] pins` that came along, and those that could not."""

    type: Literal["person"] = "person"
    change: Literal["added", "disabled", "reset"]
    id: str
    taken_over: tuple[str, ...] = ()
    not_taken_over: tuple[str, ...] = ()


class PersonRow(JsonAnswer):
    """One person of `people list`; never a PIN, a card's number or a hash of either."""

    id: str
    role: str
    name: str
    disabled: bool
    card: bool


class PeopleAnswer(JsonAnswer):
    """`people list`."""

    type: Literal["people"] = "people"
    people: tuple[PersonRow, ...]


class InitAnswer(JsonAnswer):
    """`init`: the configuration that was written, and the layout that it needs, "" without a camera."""

    type: Literal["init"] = "init"
    file: str
    layout: str


class ExportAnswer(JsonAnswer):
    """`export`: the recording that was cut out, its size, and how many things a replay finds otherwise.

    `first_round` is the round that it begins with: an earlier one where that was ruled on meanwhile.
    `unrecorded` is the code that says why a dispute file lacks bytes and pictures, "" where it lacks none.
    """

    type: Literal["export"] = "export"
    file: str
    first_round: int
    messages: int
    bytes: int
    differences: int
    unrecorded: str = ""


class MisfitRow(JsonAnswer):
    """The first entry of a journal that does not fit, and why."""

    seq: int
    code: str


class FeedAnswer(JsonAnswer):
    """`feed`: where it was written (None: standard output), how many lines and rounds it has."""

    type: Literal["feed"] = "feed"
    file: str | None
    expect: str | None
    lines: int
    rounds: int
    misfit: MisfitRow | None


class NotShownAnswer(JsonAnswer):
    """`shrink` of a file that does not show what was asked for."""

    type: Literal["not_shown"] = "not_shown"
    file: str


class RecordedDeviceRow(JsonAnswer):
    """What one device said while it was recorded."""

    name: str
    state: str
    messages: int
    bytes: int


class RecordAnswer(JsonAnswer):
    """`record`, when it ends; `dropped` messages came faster than they could be written."""

    type: Literal["record"] = "record"
    table: str
    files: tuple[str, ...]
    messages: int
    bytes: int
    dropped: int
    seconds: float
    devices: tuple[RecordedDeviceRow, ...]


class SheetAnswer(JsonAnswer):
    """`calibrate --make-sheet`: the file to print, and which sheet it is."""

    type: Literal["calibration_sheet"] = "calibration_sheet"
    file: str
    sheet: str


class ZoneRow(JsonAnswer):
    """What the camera makes of one zone (`vision.calibration.ZoneMeasurement`)."""

    kind: str
    box: int | None
    whole: bool
    px_per_mm: float
    rank_px: float
    spread_mm: float


class ComplaintRow(JsonAnswer):
    """What is wrong with a set-up; only one that `refuses` keeps the layout from being written."""

    code: str
    params: dict[str, str | int]
    refuses: bool
    message: str


class CalibrationAnswer(JsonAnswer):
    """`calibrate`: the layout that was written, None where the set-up is refused, and what was found."""

    type: Literal["calibration"] = "calibration"
    file: str | None
    found: tuple[str, ...]
    residual_px: float | None
    zones: tuple[ZoneRow, ...]
    complaints: tuple[ComplaintRow, ...]


class KillRow(JsonAnswer):
    """One kill of `bench crash`; `fault` is what was wrong after it, None where nothing was."""

    after_s: float
    seq: int
    back_s: float
    fault: str | None


class CrashAnswer(JsonAnswer):
    """`bench crash`: every kill, and whether every restart was exact."""

    type: Literal["bench_crash"] = "bench_crash"
    exact: bool
    kills: tuple[KillRow, ...]


def print_json(answer: JsonAnswer, *, err: bool = False) -> None:
    """Print an answer on a line of its own, on standard error where standard output has something else."""
    print_object(answer.model_dump(mode="json"), err=err, escaped=False)
