"""The table itself: rules, program, networks, people, page and cameras, as its start would look at them."""

from collections.abc import Iterator
from pathlib import Path

from controller.config import TableConfig
from controller.devices.cameras.layouts import fitted, owned_boxes
from controller.devices.cameras.setup import dealing_layouts
from controller.devices.cameras.snapshots import (
    RANK_PX,
    RANK_PX_WISHED,
    has_reference,
    light_of,
    rank_heights,
)
from controller.devices.trial import DeviceFinding, require_reader, try_devices
from controller.main.doctor.findings import CheckResult, Level, advice
from controller.main.server import listen
from controller.main.software import program_start
from controller.main.table_people import live_people, require_people
from controller.main.tls import WARN_DAYS, days_left, require_protected, server_context
from controller.ports import Clock
from controller.rules import load_file, with_overrides


def rules(config: TableConfig, folder: Path) -> Iterator[CheckResult]:
    """Whether the rule set can be read and fits together; `folder` is where rule files lie."""
    with_overrides(load_file(config.table.rules, folder).rules, config.table.rule_overrides)
    return iter(())


def program(config: TableConfig) -> Iterator[CheckResult]:
    """Whether the program is the one that was released."""
    for hold in program_start(config, "live").holds:
        yield CheckResult("program", "problem", f"hold.{hold.code}", dict(hold.params))


def reader(config: TableConfig) -> Iterator[CheckResult]:
    """Whether networks and profiles are those of their hashes; only where cameras read."""
    if config.camera:
        require_reader(config)
    return iter(())


def people(config: TableConfig) -> Iterator[CheckResult]:
    """Whether anybody may sign in; a list that comes from elsewhere is looked at, and not taken over here."""
    people = live_people(config.people, config.journal.file)
    if people.brought is None or not people.brought.signed_document():
        require_people(people, "live")
    return iter(())


def page(config: TableConfig, now_utc_us: int) -> Iterator[CheckResult]:
    """Whether whoever reaches the page is kept from what is not theirs."""
    known = live_people(config.people, config.journal.file).book.register()
    require_protected(config.web, has_people=bool(known.working))
    if (tls := config.web.tls) is not None:
        server_context(tls, now_utc_us)
        if (days := days_left(tls, now_utc_us)) <= WARN_DAYS:
            path = str(tls.certificate)
            yield CheckResult("page", "advice", "tls.ends", {"path": path, "days": days}, path)


def port(config: TableConfig) -> Iterator[CheckResult]:
    """Whether the page's port is free; a table that runs has it."""
    listen(config.web.host, config.web.port, 1).close()
    return iter(())


def cameras(config: TableConfig) -> Iterator[CheckResult]:
    """How high a rank is at each box, by the layout; whether a blurred or moved camera would show at once."""
    for section in config.table_cameras:
        heights = rank_heights(section)
        if not heights:
            yield advice("camera", "LAYOUT_MISSING", section.name, camera=section.name)
        for box, px in heights:
            yield _rank(section.name, box, px)
        if not has_reference(section):
            yield advice("camera", "REFERENCE_MISSING", section.name, camera=section.name)
    yield from _owners(config)


def _owners(config: TableConfig) -> Iterator[CheckResult]:
    """Which of several cameras that deal together owns each box; raises as `fitted`."""
    layouts = dealing_layouts(config)
    fitted(layouts)
    for one in owned_boxes(layouts) if len(layouts) > 1 else ():
        place: dict[str, str | int] = {"box": one.box, "px": f"{one.px_per_mm:.2f}"}
        yield CheckResult("camera", "fine", "doctor.BOX_OWNED", place, one.camera)


def _rank(camera: str, box: int, px: float) -> CheckResult:
    """The reader leaves what is too small for it unread by itself: no table is kept closed for it."""
    shown = f"{px:.1f}"
    if px >= RANK_PX_WISHED:
        return CheckResult("camera", "fine", "doctor.RANK", {"box": box, "px": shown}, camera)
    if px >= RANK_PX:
        return advice("camera", "RANK_SMALL", camera, box=box, px=shown, least=round(RANK_PX_WISHED))
    return advice("camera", "RANK_TOO_SMALL", camera, box=box, px=shown, least=round(RANK_PX))


def devices(config: TableConfig, clock: Clock, seconds: float) -> Iterator[CheckResult]:
    """What each device does in so many seconds, and the light in the cameras' pictures."""
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
    light = light_of(tried.frame)
    if light.is_low:
        yield advice("camera", "LIGHT_LOW", name, camera=name, level=round(light.level))
    if light.is_burnt:
        yield advice("camera", "LIGHT_BURNT", name, camera=name, percent=round(100 * light.burnt))
