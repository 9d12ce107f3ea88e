"""The udev rules that a table's machine gets: which adapters they know, and what they keep away from each."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RULES = (ROOT / "hardware" / "udev" / "70-stand17.rules").read_text()
SERIAL = re.compile(r'^SUBSYSTEM=="tty", ATTRS\{idVendor\}=="(\w{4})".*$', re.MULTILINE)
ADAPTERS = {
    "2e8a": "the reference reader",
    "0403": "FTDI",
    "067b": "Prolific",
    "10c4": "Silicon Labs CP2102, CP2104",
    "1a86": "WCH CH340",
}


@pytest.mark.parametrize("vendor", ADAPTERS, ids=ADAPTERS.get)
def test_every_adapter_is_the_tables_alone_and_no_modem(vendor: str) -> None:
    (line,) = (found[0] for found in SERIAL.finditer(RULES) if found[1] == vendor)
    assert 'GROUP="stand17", MODE="0660"' in line
    assert 'ENV{ID_MM_DEVICE_IGNORE}="1"' in line


def test_the_program_that_takes_two_of_them_is_named_where_somebody_looks() -> None:
    for told in (RULES, (ROOT / "docs" / "devices.md").read_text()):
        assert "brltty" in told
        assert "CH340" in told
        assert "CP2104" in told
