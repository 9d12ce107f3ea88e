"""What the table hears of a device that comes and goes, whatever kind of device it is."""

from typing import get_args

import pytest

from controller.acts.catalogue import DeviceSeen
from controller.devices.inputs import PresenceReporter
from controller.ports import DeviceState, Report, SystemClock, presence_of

LIFE: tuple[DeviceState, ...] = (
    *("opening", "live", "live", "stale", "live", "lost"),
    *("backoff", "absent", "opening", "live"),
)


def told(*states: DeviceState, required: bool = True, port: str | None = None) -> list[Report]:
    """Everything that is posted while the driver goes through these states."""
    posted: list[Report] = []
    reporter = PresenceReporter("left", SystemClock(), posted.append, required=required, port=port)
    for state in states:
        reporter.changed(state, "UNPLUGGED")
    return posted


@pytest.mark.parametrize("state", get_args(DeviceState))
def test_only_a_device_that_speaks_or_spoke_lately_is_there(state: DeviceState) -> None:
    assert presence_of(state) == (state if state in {"live", "stale"} else "lost")


def test_a_required_device_is_told_once_for_each_coming_and_going() -> None:
    seen = [report.observations for report in told(*LIFE)]
    assert seen == [(DeviceSeen("left", state),) for state in ("live", "stale", "live", "lost", "live")]


def test_another_device_only_warns_when_it_is_gone() -> None:
    reports = told(*LIFE, required=False)
    assert [report.observations for report in reports] == [(), ()]
    troubles = [trouble for report in reports for trouble in report.troubles]
    assert [(trouble.code, trouble.hold) for trouble in troubles] == [
        ("DEVICE_STALE", False),
        ("DEVICE_LOST", False),
    ]


def test_a_device_that_cannot_be_opened_is_told_as_lost() -> None:
    assert [report.observations for report in told("opening", "backoff", "opening", "backoff")] == [
        (DeviceSeen("left", "lost"),)
    ]


@pytest.mark.parametrize("required", [True, False])
def test_a_device_that_was_given_up_is_told_each_time_with_what_is_known(required: bool) -> None:
    reports = told("live", "fault", "backoff", "live", "fault", required=required, port="/dev/shoe")
    given_up = [one for report in reports for one in report.troubles if one.code == "DEVICE_FAULT"]
    assert [trouble.hold for trouble in given_up] == [required, required]
    assert dict(given_up[0].params) == {"name": "left", "port": "/dev/shoe", "reason": "UNPLUGGED"}
