"""Run the reader's C functions under gcc's address and undefined behaviour sanitizers.

In a copy of the reader whose library is built with them: first a call that reads past an array, which has to
be caught; then the tests that call C; then random calls (`tests.vision.native.fuzz_kernel`). The first byte
outside of an array, and the first overflow, end the process and the run.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tools.compile import ROOT, compile_kernel, compiler
from vision.native import LIBRARY

SANITIZERS: Final = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]
FLAGS: Final = ["-O1", "-g", "-march=native", *SANITIZERS]
"""With this machine's instructions, as in a source folder; little changed, so that a report names a line."""

RUNTIMES: Final = ("libasan.so", "libstdc++.so.6")
"""Loaded before Python: memory is watched from the first allocation on, and exceptions of C++ are known."""

SETTINGS: Final = {
    "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    # Python's own allocator would put small arrays side by side in one watched block.
    "PYTHONMALLOC": "malloc",
}

TESTS: Final = ("tests/vision/native", "tests/vision/inference", "tests/vision/proposal")
FUZZ: Final = "tests.vision.native.fuzz_kernel"
ITSELF: Final = "tests/vision/native/test_sanitizers.py"

CAUGHT: Final = "AddressSanitizer: heap-buffer-overflow"
PAST_THE_END: Final = """
import numpy as np
from vision.native import compiled_library
grey, out = np.zeros((64, 64), np.uint8), np.zeros((16, 16, 3), np.uint8)
compiled_library().sample_pixels(grey.ctypes.data, 192, 0, 4, 16, 16, out.ctypes.data)
"""
"""A grey picture, taken for one of three channels behind the back of every check."""


def runtimes() -> list[Path]:
    """The sanitizers' libraries; none where the compiler has not got all of them."""
    command = compiler()
    if command is None:
        return []
    asked = [[command[0], f"-print-file-name={name}"] for name in RUNTIMES]
    told = [subprocess.run(words, capture_output=True, text=True, check=False).stdout for words in asked]
    found = [Path(line.strip()) for line in told]
    return found if all(path.is_absolute() and path.exists() for path in found) else []


def prepare(folder: Path) -> None:
    """Fill a folder with what runs there; exits with the compiler's message where it has no sanitizers."""
    sources_only = shutil.ignore_patterns("*.so", "__pycache__")
    for name in ("vision", "tests/vision", "tools"):
        shutil.copytree(ROOT / name, folder / name, ignore=sources_only)
    for name in ("tests/conftest.py", "pyproject.toml"):
        shutil.copy(ROOT / name, folder / name)
    for name in ("controller", "drivers", "models"):
        (folder / name).symlink_to(ROOT / name)
    refused = compile_kernel(folder / "vision/native" / LIBRARY, FLAGS)
    if refused:
        sys.exit(refused)


def watched(folder: Path, arguments: Sequence[str], *, quiet: bool) -> subprocess.CompletedProcess[str]:
    """Run Python under the sanitizers in a prepared folder; its output is kept where `quiet`, else shown."""
    preload = ":".join(str(path) for path in runtimes())
    env = {**os.environ, **SETTINGS, "LD_PRELOAD": preload, "PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=env, capture_output=quiet, text=True, check=False
    )


def is_watching(folder: Path) -> bool:
    """Whether a read past an array's end is caught here."""
    done = watched(folder, ["-c", PAST_THE_END], quiet=True)
    return bool(done.returncode) and CAUGHT in done.stderr


def fuzz(folder: Path, calls: int, seed: int, *, quiet: bool = False) -> subprocess.CompletedProcess[str]:
    """Random calls under the sanitizers; figures on standard output."""
    return watched(folder, ["-m", FUZZ, "--calls", str(calls), "--seed", str(seed)], quiet=quiet)


def main() -> None:
    """Run all three; the exit status is that of the first one that fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=100_000, help="Random calls.")
    parser.add_argument("--seed", type=int, default=1, help="Other calls.")
    asked = parser.parse_args()
    if not runtimes():
        sys.exit("No compiler with sanitizers here: install gcc with libasan and libubsan.")
    with tempfile.TemporaryDirectory(prefix="stand17-sanitize-") as scratch:
        folder = Path(scratch)
        prepare(folder)
        if not is_watching(folder):
            sys.exit("The sanitizers do not catch a read past an array: nothing that they say counts.")
        options = ["-q", "-p", "no:cacheprovider", "-o", "timeout=600", f"--ignore={ITSELF}"]
        tested = watched(folder, ["-m", "pytest", *options, *TESTS], quiet=False)
        if tested.returncode:
            sys.exit(tested.returncode)
        sys.exit(fuzz(folder, asked.calls, asked.seed).returncode)


if __name__ == "__main__":
    main()
