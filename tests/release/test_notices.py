"""THIRD_PARTY.md tells what is installed, down to the libraries inside other packages' wheels."""

import platform
import sys
from importlib.metadata import distribution

import pytest

from tests.release.bundled import ALONE, BUNDLED, Bundled, compiled, require_accounted, unknown
from tests.release.notices import NOTED_ON, TARGET, installed, page


@pytest.mark.skipif(
    platform.machine() != "x86_64" or sys.version_info[:2] != NOTED_ON,
    reason="other wheels carry other libraries",
)
def test_the_page_is_what_is_installed() -> None:
    assert page() == TARGET.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "line",
    [
        "| opencv-python-headless | OpenSSL | 1.1.1k",
        "| opencv-python-headless | FFmpeg | 8.1.1 | LGPL-2.1-or-later |",
        "| cryptography | OpenSSL | 4.0.3 | Apache-2.0 |",
        "| simplejpeg | libjpeg-turbo | 3.1.2 | IJG AND BSD-3-Clause |",
        "| apsw | SQLite | 3.54.1 |",
    ],
)
def test_what_is_carried_is_named_with_version_and_licence(line: str) -> None:
    assert line in TARGET.read_text(encoding="utf-8")


def test_each_wheel_with_compiled_files_has_been_looked_into() -> None:
    with_code = {package.name for package in installed() if any(compiled(distribution(package.name)))}
    assert with_code == {one.wheel for one in BUNDLED} | ALONE


@pytest.mark.parametrize(
    ("names", "inside", "said"),
    [
        (["new/_c.abi3.so"], [], "say in tests/release/bundled.py"),
        (["new.libs/libz-17.so.1.2k"], [Bundled("new", "x", "MIT", unknown)], "brings new.libs/libz"),
        (["new/_c.so"], [Bundled("new", "zlib", "Zlib", unknown, ("*libz*",))], "no .libz. any more"),
    ],
)
def test_a_library_that_nobody_has_named_stops_the_notices(
    names: list[str], inside: list[Bundled], said: str
) -> None:
    with pytest.raises(SystemExit, match=said):
        require_accounted("new", names, inside)
