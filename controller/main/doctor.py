"""The doctor: checks everything that a table needs; reports each fault and its remedy.

The start of a table refuses by the same functions.
"""

import ctypes
import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from controller.config import TableConfig
from controller.devices.cameras.setup import dealing_layouts, fitted, owned_boxes
from controller.devices.cameras.snapshots import (
    RANK_PX,
    RANK_PX_WISHED,
    has_reference,
    light_in,
    rank_heights,
)
from controller.devices.kept import recordings_folder
from controller.devices.trial import DeviceFinding, require_reader, try_devices
from controller.domain import ConfigError, JournalError, TableError
from controller.i18n import text
from controller.journal.entry import BESIDE
from controller.journal.keeping import HttpPlace
from controller.journal.store import require_place
from controller.main.beside import require_command
from controller.main.program import program_start
from controller.main.server import listen
from controller.main.trust import (
    OTHERS,
    WARN_DAYS,
    days_left,
    key_file,
    live_people,
    people_file,
    require_people,
    require_protected,
    server_context,
)
from controller.ports import Clock
from controller.rules import load_file, with_overrides
from controller.runtime.snapshot import logger

Level = Literal["fine", "advice", "problem"]
"""`advice`: worth mending, and no table is kept closed for it."""

Check = Literal[
    "rules",
    "program",
    "reader",
    "people",
    "page",
    "port",
    "settings",
    "clock",
    "disk",
    "files",
    "signing",
    "camera",
    "devices",
]
"""The checks in their order."""

FINE: Final = "doctor.FINE"

_MEGABYTE: Final = 1 << 20

ROOM_MB_MIN: Final = 100
"""A day's journal with its evidence; below it nothing should begin."""


_UNSYNCHRONISED: Final = 5
_TIMEX_BYTES: Final = 512
"""More than the kernel's record has on any architecture."""


class CheckResult(NamedTuple):
    """The result of one check. `key` names its text, `subject` the device or file that it is about."""

    check: Check
    level: Level
    key: str = FINE
    params: dict[str, str | int] = {}  # noqa: RUF012  # never written to
    subject: str = ""

    @property
    def code(self) -> str:
        """The code, which is the same in every language; "" where nothing is wrong."""
        return "" if self.level == "fine" else self.key.rpartition(".")[2]

    @property
    def is_ours(self) -> bool:
        """Whether only the doctor reports this."""
        return self.key.startswith("doctor.")

    def words(self, language: str) -> str:
        """Return the sentence of the fault and its remedy."""
        return text(self.key, self.params, language)

    def as_json(self, language: str) -> dict[str, Any]:
        """The finding for a program to read."""
        return {
            "check": self.check,
            "level": self.level,
            "code": self.code,
            "subject": self.subject,
            "params": self.params,
            "text": self.words(language),
        }


def _advice(check: Check, code: str, subject: str = "", **params: str | int) -> CheckResult:
    """A result that keeps no table closed."""
    return CheckResult(check, "advice", f"doctor.{code}", params, subject)


def _problem_of(check: Check, error: TableError) -> CheckResult:
    """The refusal of the table itself as a problem."""
    return CheckResult(check, "problem", f"error.{error.code}", dict(error.params))


def _looked(check: Check, look: Callable[[], Iterator[CheckResult]]) -> list[CheckResult]:
    """Run one check; return its results, the error that it raises as a problem, or a single "fine".

    A folder that this account may not search is a problem too.
    """
    found: list[CheckResult] = []
    try:
        found.extend(look())
    except TableError as error:
        found.append(_problem_of(check, error))
    except PermissionError as error:
        path = str(error.filename)
        found.append(CheckResult(check, "problem", "doctor.FILE_NOT_OURS", {"path": path}, path))
    return found or [CheckResult(check, "fine")]


def _check_rules(config: TableConfig, folder: Path) -> Iterator[CheckResult]:
    """Check that the rule set can be read and is consistent; `folder` is the folder of rule files."""
    with_overrides(load_file(config.table.rules, folder).rules, config.table.rule_overrides)
    return iter(())


def _check_program(config: TableConfig) -> Iterator[CheckResult]:
    """Check that the program is the released one."""
    for hold in program_start(config, "live").holds:
        yield CheckResult("program", "problem", f"hold.{hold.code}", dict(hold.params))


def _check_reader(config: TableConfig) -> Iterator[CheckResult]:
    """Check the hashes of networks and profiles, at a table with cameras."""
    if config.camera:
        require_reader(config)
    return iter(())


def _check_people(config: TableConfig) -> Iterator[CheckResult]:
    """Check that a person can sign in; a list from elsewhere is read, and not taken over."""
    people = live_people(config.people, config.journal.file)
    if people.brought is None or not people.brought.signed_document():
        require_people(people, "live")
    return iter(())


def _check_page(config: TableConfig, now_utc_us: int) -> Iterator[CheckResult]:
    """Check that access control is on, and that the certificate lasts."""
    known = live_people(config.people, config.journal.file).book.register()
    require_protected(config.web, has_people=bool(known.working))
    if (tls := config.web.tls) is not None:
        server_context(tls, now_utc_us)
        if (days := days_left(tls, now_utc_us)) <= WARN_DAYS:
            path = str(tls.certificate)
            yield CheckResult("page", "advice", "tls.ends", {"path": path, "days": days}, path)


def _check_port(config: TableConfig) -> Iterator[CheckResult]:
    """Check that the page's port is free; a running table uses it."""
    listen(config.web.host, config.web.port, 1).close()
    return iter(())


def _check_cameras(config: TableConfig) -> Iterator[CheckResult]:
    """Check the height of a rank at each box by the layout, and the reference pictures."""
    for section in config.table_cameras:
        heights = rank_heights(section)
        if not heights:
            yield _advice("camera", "LAYOUT_MISSING", section.name, camera=section.name)
        for box, px in heights:
            yield _rank(section.name, box, px)
        if not has_reference(section):
            yield _advice("camera", "REFERENCE_MISSING", section.name, camera=section.name)
    yield from _owners(config)


def _owners(config: TableConfig) -> Iterator[CheckResult]:
    """Yield the owner of each box among cameras that deal together; raises as `fitted`."""
    layouts = dealing_layouts(config)
    fitted(layouts)
    for one in owned_boxes(layouts) if len(layouts) > 1 else ():
        place: dict[str, str | int] = {"box": one.box, "px": f"{one.px_per_mm:.2f}"}
        yield CheckResult("camera", "fine", "doctor.BOX_OWNED", place, one.camera)


def _rank(camera: str, box: int, px: float) -> CheckResult:
    """Return the result for a rank's height; a too small rank is advice, since it only stays unread."""
    shown = f"{px:.1f}"
    if px >= RANK_PX_WISHED:
        return CheckResult("camera", "fine", "doctor.RANK", {"box": box, "px": shown}, camera)
    if px >= RANK_PX:
        return _advice("camera", "RANK_SMALL", camera, box=box, px=shown, least=round(RANK_PX_WISHED))
    return _advice("camera", "RANK_TOO_SMALL", camera, box=box, px=shown, least=round(RANK_PX))


def _check_devices(config: TableConfig, clock: Clock, seconds: float) -> Iterator[CheckResult]:
    """Check the reports of each device for `seconds`, and the light in the cameras' pictures."""
    optional = {section.name for section in config.camera if not section.required}
    optional |= {section.name for section in config.inputs if not section.required}
    for tried in try_devices(config, clock, seconds, lambda _: None):
        name = tried.health.name
        if tried.problem:
            level: Level = "advice" if name in optional else "problem"
            yield CheckResult("devices", level, f"devices.problem.{tried.problem}", subject=name)
        else:
            yield CheckResult("devices", "fine", subject=name)
        yield from _light(name, tried)


def _light(name: str, tried: DeviceFinding) -> Iterator[CheckResult]:
    if tried.frame is None:
        return
    light = light_in(tried.frame.image)
    if light.is_low:
        yield _advice("camera", "LIGHT_LOW", name, camera=name, level=round(light.level))
    if light.is_burnt:
        yield _advice("camera", "LIGHT_BURNT", name, camera=name, percent=round(100 * light.burnt))


def check_settings(config: TableConfig) -> Iterator[CheckResult]:
    """Yield the retired settings of the file with their replacements; raises `require_command`."""
    if config.on_alert is not None:
        require_command(config.on_alert)
    for code in config.retired:
        yield _advice("settings", code)


def _check_clock(_: TableConfig) -> Iterator[CheckResult]:
    """Check that the kernel's clock is synchronised; nothing is reported when the kernel does not know."""
    record = ctypes.create_string_buffer(_TIMEX_BYTES)
    if ctypes.CDLL(None).adjtimex(record) == _UNSYNCHRONISED:
        yield _advice("clock", "CLOCK_UNSYNCHRONISED")


def _check_disk(config: TableConfig) -> Iterator[CheckResult]:
    """Check that the journal can be written and has room; raises `JournalError`."""
    folder = require_place(config.journal.file).parent
    if not os.access(folder, os.W_OK):
        raise JournalError("JOURNAL_CANNOT_OPEN", path=str(folder), reason=os.strerror(13))
    free_mb = shutil.disk_usage(folder).free // _MEGABYTE
    if free_mb < ROOM_MB_MIN:
        named: dict[str, str | int] = {"path": str(folder), "free_mb": free_mb, "least_mb": ROOM_MB_MIN}
        yield CheckResult("disk", "problem", "doctor.DISK_FULL", named, str(folder))
        return
    recording = config.recording
    wanted_mb = recording.reserve_mb + recording.disk_budget_mb - _held_mb(config)
    if recording.enabled is not False and free_mb < wanted_mb:
        yield _advice(
            "disk", "DISK_SMALL", str(folder), path=str(folder), free_mb=free_mb, wanted_mb=wanted_mb
        )


def _check_files(config: TableConfig) -> Iterator[CheckResult]:
    """Check that other accounts cannot read the table's files, and that the table can write them."""
    journal = config.journal.file
    own = [Path(f"{journal}{ending}") for ending in BESIDE]
    own += [people_file(config.people, journal).path, key_file(config)]
    if config.web.metrics_token_file is not None:
        own.append(config.web.metrics_token_file)
    for path in own:
        if not path.exists():
            continue
        if path.stat().st_mode & OTHERS:
            yield _advice("files", "FILE_OPEN_TO_OTHERS", str(path), path=str(path))
        is_ours = path.stat().st_uid == path.parent.stat().st_uid
        if not (is_ours and os.access(path, os.R_OK | os.W_OK)):
            yield _advice("files", "FILE_NOT_OURS", str(path), path=str(path))


def _check_signing(config: TableConfig) -> Iterator[CheckResult]:
    """Check that a witness signs the heads sent by HTTP; another kind of receiver is allowed."""
    url, key = config.signing.keep_url, config.signing.witness_key
    if url is not None and key is None:
        place = HttpPlace(url).name
        yield _advice("signing", "RECEIVER_UNSIGNED", place, place=place)


def _held_mb(config: TableConfig) -> int:
    """Return the size of the present recordings."""
    folder = recordings_folder(config)
    return sum(path.stat().st_size for path in folder.glob("*") if path.is_file()) // _MEGABYTE


def examine(config: TableConfig, folder: Path, clock: Clock, seconds: float) -> list[CheckResult]:
    """Run every check; listen to each device for at most `seconds` (0: to none).

    `folder` is where relative rule files lie. Nothing is written.
    """
    found = [
        *_looked("rules", partial(_check_rules, config, folder)),
        *_looked("program", partial(_check_program, config)),
        *_looked("reader", partial(_check_reader, config)),
        *_looked("people", partial(_check_people, config)),
        *_looked("page", partial(_check_page, config, clock.utc_us())),
        *_looked("port", partial(_check_port, config)),
        *_of_the_place(config),
    ]
    if seconds > 0:
        found += _looked("devices", partial(_check_devices, config, clock, seconds))
    return found


def before_opening(config: TableConfig) -> None:
    """Run the checks that the start of a table does not make itself; advice goes to the log.

    A people's file readable by others is closed to them after the advice: its PINs may be known. Raises
    `ConfigError` DOCTOR_REFUSES with the first problem in words. The start's own refusals are left to it.
    """
    for finding in _of_the_place(config):
        if finding.level == "problem" and finding.is_ours:
            raise ConfigError("DOCTOR_REFUSES", reason=finding.words("en"))
        if finding.level == "advice":
            logger().warning("doctor", check=finding.check, code=finding.code, text=finding.words("en"))
    people_file(config.people, config.journal.file).close_to_others()


def _of_the_place(config: TableConfig) -> list[CheckResult]:
    return [
        *_looked("settings", partial(check_settings, config)),
        *_looked("clock", partial(_check_clock, config)),
        *_looked("disk", partial(_check_disk, config)),
        *_looked("files", partial(_check_files, config)),
        *_looked("signing", partial(_check_signing, config)),
        *_looked("camera", partial(_check_cameras, config)),
    ]
