"""What the wheels of other packages bring along besides themselves: libraries of C, with version and licence.

A wheel does not say so in its metadata. Each compiled file of what the table needs has to be accounted for in
`BUNDLED` or `ALONE`; versions are read from the files themselves. As on Linux for x86-64.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatch
from importlib import import_module
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Final, NamedTuple

Version = Callable[[Distribution], str]

NOT_STATED: Final = "not stated"

GCC: Final = "GPL-3.0-or-later WITH GCC-exception-3.1, LGPL-2.1-or-later"


class Bundled(NamedTuple):
    """A library inside a wheel. `files`: patterns of its own shared files, none where it is linked in."""

    wheel: str
    name: str
    licence: str
    version: Version
    files: tuple[str, ...] = ()


def unknown(_: Distribution) -> str:
    """The wheel does not tell."""
    return NOT_STATED


def within(files: str, words: str) -> Version:
    """Read the version from the bytes of the first file of that pattern: the group in `words`."""

    def read(found: Distribution) -> str:
        name = next(name for name in compiled(found) if fnmatch(name, files))
        told = re.search(words.encode(), Path(str(found.locate_file(name))).read_bytes())
        return told[1].decode() if told else NOT_STATED

    return read


def built(words: str) -> Version:
    """Read the version from what OpenCV says of its build."""

    def read(_: Distribution) -> str:
        told = re.search(words, import_module("cv2").getBuildInformation())
        return told[1] if told else NOT_STATED

    return read


def listed(component: str) -> Version:
    """Read the version from the list of components (SBOM) that came with the wheel."""

    def read(found: Distribution) -> str:
        for file in found.files or ():
            if "/sboms/" in str(file):
                told = json.loads(Path(str(found.locate_file(file))).read_text(encoding="utf-8"))
                for one in told.get("components", ()):
                    if one.get("name") == component:
                        return str(one["version"])
        return NOT_STATED

    return read


def line_of_card(module: str, function: str) -> Version:
    """Ask a module."""
    return lambda _: str(getattr(import_module(module), function)())


CV2: Final = "opencv-python-headless"

BUNDLED: Final = (
    Bundled("apsw", "SQLite", "blessing (public domain)", line_of_card("apsw", "sqlite_lib_version")),
    Bundled("argon2-cffi-bindings", "Argon2", "CC0-1.0 OR Apache-2.0", unknown),
    Bundled("cffi", "libffi", "MIT", unknown),
    Bundled("cryptography", "OpenSSL", "Apache-2.0", within("*_rust*", r"OpenSSL (\d+\.\d+\.\d+) ")),
    Bundled("cryptography", "Rust crates, listed in its SBOM", "MIT, Apache-2.0, BSD-3-Clause", unknown),
    Bundled("lz4", "LZ4", "BSD-2-Clause", line_of_card("lz4", "library_version_string")),
    Bundled(
        "numpy", "OpenBLAS", "BSD-3-Clause", within("*openblas*", r"OpenBLAS (\d[\d.]*\d)"), ("*openblas*",)
    ),
    Bundled("numpy", "libgfortran, libquadmath", GCC, unknown, ("*libgfortran*", "*libquadmath*")),
    Bundled(
        "onnxruntime",
        "libraries named in its ThirdPartyNotices.txt",
        "MIT, BSD, Apache-2.0 and others named there",
        unknown,
        ("onnxruntime/capi/lib*",),
    ),
    Bundled(
        CV2,
        "FFmpeg",
        "LGPL-2.1-or-later",
        within("*libavformat*", r"FFmpeg version (\d[\w.]*)"),
        ("*libavcodec*", "*libavformat*", "*libavutil*", "*libswresample*", "*libswscale*"),
    ),
    Bundled(CV2, "OpenSSL", "OpenSSL AND SSLeay", listed("openssl-libs"), ("*libcrypto*", "*libssl*")),
    Bundled(CV2, "libvpx", "BSD-3-Clause", within("*libvpx*", r"\0v(\d+\.\d+\.\d+)"), ("*libvpx*",)),
    Bundled(CV2, "libaom", "BSD-2-Clause", within("*libaom*", r"\0v?(\d+\.\d+\.\d+)\0"), ("*libaom*",)),
    Bundled(CV2, "libavif", "BSD-2-Clause", built(r"AVIF: +avif \(ver ([\d.]+)"), ("*libavif*",)),
    Bundled(CV2, "libpng", "libpng-2.0", built(r"libpng\S* \(ver ([\d.]+)"), ("*libpng*",)),
    Bundled(CV2, "libdrm", "MIT", listed("libdrm"), ("*libdrm*",)),
    Bundled(CV2, "OpenBLAS", "BSD-3-Clause", listed("openblas-threads"), ("*openblas*",)),
    Bundled(CV2, "libgfortran, libquadmath", GCC, listed("libgfortran"), ("*libgfortran*", "*libquadmath*")),
    Bundled(CV2, "libjpeg-turbo", "IJG AND BSD-3-Clause", built(r"libjpeg-turbo \(ver ([\d.]+)")),
    Bundled(CV2, "libwebp", "BSD-3-Clause", unknown),
    Bundled(CV2, "LibTIFF", "libtiff", built(r"TIFF: .* - ([\d.]+)\)")),
    Bundled(CV2, "OpenJPEG", "BSD-2-Clause", built(r"JPEG 2000: .*\(ver ([\d.]+)")),
    Bundled(CV2, "Protocol Buffers", "BSD-3-Clause", built(r"Protobuf: .*\(([\d.]+)\)")),
    Bundled(CV2, "FlatBuffers", "Apache-2.0", built(r"Flatbuffers: .*\(([\d.]+)\)")),
    Bundled(CV2, "zlib", "Zlib", built(r"ZLib: .*\(ver ([\d.]+)")),
    Bundled(CV2, "Intel IPP", "Intel Simplified Software License", built(r"Intel IPP: +([\d.]+)")),
    Bundled(CV2, "Intel ITT", "BSD-3-Clause OR GPL-2.0-only", built(r"Intel ITT\(([\d.]+)")),
    Bundled("protobuf", "upb, utf8_range", "BSD-3-Clause, MIT", unknown),
    Bundled("pydantic-core", "Rust crates", "MIT, Apache-2.0", unknown),
    Bundled(
        "simplejpeg",
        "libjpeg-turbo",
        "IJG AND BSD-3-Clause",
        within("simplejpeg/*", r"libjpeg-turbo version (\d[\d.]*)"),
    ),
    Bundled(
        "zstandard",
        "Zstandard",
        "BSD-3-Clause OR GPL-2.0-only",
        within("*/backend_c*", r"\0(\d+\.\d+\.\d+)\0"),
    ),
)
"""Every library that came inside a wheel, and where its version stands."""

ALONE: Final = frozenset({"evdev-binary", "websockets"})
"""Wheels whose compiled files hold nothing of others."""


class BundledLibrary(NamedTuple):
    """One line of the notices."""

    wheel: str
    name: str
    version: str
    licence: str


def compiled(found: Distribution) -> Iterator[str]:
    """Every compiled file of a wheel; SQLite's loadable extensions are SQLite."""
    for file in found.files or ():
        name = str(file)
        if re.search(r"\.so(\.\w+)*$", name) and "sqlite_extra_binaries" not in name:
            yield name


def bundled(wheels: Iterable[str]) -> list[BundledLibrary]:
    """What these wheels bring along; exits where a compiled file is accounted for by nothing."""
    rows = []
    for wheel in sorted(wheels):
        found = distribution(wheel)
        inside = [one for one in BUNDLED if one.wheel == wheel]
        require_accounted(wheel, list(compiled(found)), inside)
        rows += [BundledLibrary(wheel, one.name, one.version(found), one.licence) for one in inside]
    return rows


def require_accounted(wheel: str, names: list[str], inside: list[Bundled]) -> None:
    """Exit with the file that nobody has looked at, or the line that no file stands for any more."""
    if names and not inside and wheel not in ALONE:
        raise SystemExit(f"{wheel} has compiled files: say in tests/release/bundled.py what they hold.")
    patterns = [pattern for one in inside for pattern in one.files]
    shared = [name for name in names if re.search(r"(\.libs/|/lib)[^/]*\.so", name)]
    for name in shared:
        if not any(fnmatch(name, pattern) for pattern in patterns):
            raise SystemExit(f"{wheel} brings {name}: name it in tests/release/bundled.py, with its licence.")
    for pattern in patterns:
        if not any(fnmatch(name, pattern) for name in shared):
            raise SystemExit(f"{wheel} has no {pattern} any more: strike it from tests/release/bundled.py.")
