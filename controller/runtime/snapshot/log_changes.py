"""The program's own log: one line for each hold, alert and change of a device, on standard error."""

import sys
from typing import Final

import structlog

from controller.i18n import key_of, text
from controller.runtime.api import Hub, Params, TableSnapshot

_KINDS: Final = ("hold", "alert", "refused", "error")


def logger() -> structlog.typing.FilteringBoundLogger:
    """Make the log: JSON lines for journald, aligned lines where a person looks at a terminal."""
    render = structlog.dev.ConsoleRenderer() if sys.stderr.isatty() else structlog.processors.JSONRenderer()
    made: structlog.typing.FilteringBoundLogger = structlog.wrap_logger(
        structlog.PrintLogger(sys.stderr),
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            render,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(20),
    )
    return made


async def log_changes(hub: Hub, log: structlog.typing.FilteringBoundLogger) -> None:
    """Follow the table until cancelled. Snapshots are masked, so no face-down card gets into the log."""
    holds: set[tuple[str, Params]] = set()
    alerts: set[int] = set()
    devices: dict[str, str] = {}
    async for _, now in hub.subscribe():
        held = {(hold.code, hold.params) for hold in now.holds}
        for code, params in held - holds:
            log.warning("held", code=code, table=now.table, text=sentence(code, params))
        if holds and not held:
            log.info("resumed", table=now.table)
        for alert in now.alerts:
            if alert.alert not in alerts:
                entered = sentence(alert.code, alert.params)
                log.warning(
                    "alert", alert=alert.alert, code=alert.code, severity=alert.severity, text=entered
                )
        _log_devices(now, devices, log)
        holds, alerts = held, {alert.alert for alert in now.alerts}


def sentence(code: str, params: Params) -> str:
    """Say a code in words, from whichever kind of text the catalogues have for it."""
    return text(key_of(code, _KINDS, params) or code, dict(params))


def _log_devices(
    now: TableSnapshot, devices: dict[str, str], log: structlog.typing.FilteringBoundLogger
) -> None:
    for device in now.devices:
        if devices.get(device.name) != device.state:
            devices[device.name] = device.state
            log.info("device", name=device.name, state=device.state, age_ms=device.age_ms)
