"""Compile the hot parts in place with a C compiler; the Python sources stay authoritative.

mypyc compiles the engine (`tools.native_states`): its modules lie beside their sources and are imported
instead of them. The reader's work on pixels and ink is a few C functions, which `vision.native`
loads. `--kernel` compiles only these, `--clean` removes all. In-place code is for this machine's processor;
`tools.build_hook` compiles for a wheel with the same functions and other flags.
"""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from vision.native import LIBRARY, is_compiled, mark_of_sources

ROOT: Final = Path(__file__).resolve().parent.parent
PACKAGE: Final = ROOT / "controller/engine"
"""The hot and pure part: nothing else gains from it."""

_KERNEL: Final = ROOT / "vision/native" / LIBRARY
_KERNEL_SOURCES: Final = sorted(path.relative_to(ROOT) for path in ROOT.glob("vision/native/*.c"))

KERNEL_FLAGS: Final = ["-std=c11", "-ffp-contract=fast", "-shared", "-fPIC"]
"""Products and sums may be joined, as OpenCV joins them."""

_BROUGHT: Final = ROOT / ".venv/compiler/ziglang/zig"
"""A C compiler for machines that have none; it knows no headers of Python's, so the engine is left alone."""

FLAGS: Final = {
    "CFLAGS": "-O3 -flto -DNDEBUG -march=native -fno-plt -fno-semantic-interposition",
    "LDFLAGS": "-O3 -flto -march=native -Wl,-O1,-Bsymbolic",
}
"""For the machine that compiles; calls inside the engine are bound at once. A fifth faster."""


def sources() -> list[Path]:
    """Every module that is compiled."""
    return sorted(PACKAGE.rglob("*.py"))


def compiled() -> Iterator[Path]:
    """Yield all compiled files present; the engine's shared part lies in the root."""
    yield from ROOT.glob("*__mypyc*.so")
    yield from ROOT.glob("vision/**/_kernel.so")
    yield from PACKAGE.rglob("*.so")


def stale() -> list[Path]:
    """Return files compiled from other sources, and engine modules left uncompiled beside compiled ones."""
    old = [_KERNEL] if _KERNEL.is_file() and not is_compiled() else []
    times = {_stem(path): path.stat().st_mtime_ns for path in PACKAGE.rglob("*.so")}
    if not times:
        return old
    return old + [path for path in sources() if path.stat().st_mtime_ns > times.get(_stem(path), 0)]


def _stem(path: Path) -> Path:
    """A module without any suffix, the compiler's included."""
    return path.with_name(path.name.split(".")[0])


def compiler() -> list[str] | None:
    """The C compiler that Python was built with, else the machine's own; None without any."""
    for command in (shlex.split(sysconfig.get_config_var("CC") or "cc"), ["cc"]):
        if shutil.which(command[0]) is not None:
            return command
    return None


def can_compile() -> bool:
    """Whether there is a C compiler with Python's headers."""
    return compiler() is not None and (Path(sysconfig.get_path("include")) / "Python.h").is_file()


def _kernel_compiler() -> list[str]:
    """Return the machine's C compiler without its options, or the one from `tools/install compiler`."""
    command = compiler()
    if command is not None:
        return command[:1]
    if not _BROUGHT.is_file():
        sys.stdout.write("No C compiler here: one is brought, 415 MB, and removed afterwards\n")
        sys.stdout.flush()
        subprocess.run([ROOT / "tools/install", "compiler"], check=True)
    return [str(_BROUGHT), "cc"]


def compile_kernel(out: Path, flags: Sequence[str]) -> str:
    """Compile the reader's C functions, which need no headers of Python's; nothing, or why it failed."""
    mark = f"-DMARK={mark_of_sources()}u"
    files = [str(path) for path in _KERNEL_SOURCES]
    # From the sources' folder, so that the compiled files contain no path of this machine.
    done = subprocess.run(
        [*_kernel_compiler(), *flags, *KERNEL_FLAGS, mark, "-o", str(out.absolute()), *files, "-lm"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout + done.stderr if done.returncode else ""


def _build_kernel() -> None:
    """Compile the reader's C functions in place."""
    for flags in (["-O3", "-march=native"], ["-O2"]):
        refused = compile_kernel(_KERNEL, flags)
        if not refused:
            break
    # As large as all that a table needs, for three seconds of work.
    shutil.rmtree(_BROUGHT.parents[1], ignore_errors=True)
    if refused:
        sys.exit(refused)


def clean() -> None:
    """Go back to the sources."""
    for path in list(compiled()):
        path.unlink()


def main() -> None:
    """Compile, or say why not; exits with mypyc's status where the sources do not compile."""
    if "--kernel" in sys.argv[1:]:
        _build_kernel()
        return
    clean()
    if "--clean" in sys.argv[1:]:
        return
    _build_kernel()
    if not can_compile():
        sys.stdout.write("No C compiler with Python's headers here: the engine runs from its sources.\n")
        return
    with tempfile.TemporaryDirectory() as scratch:
        _build_engine(Path(scratch))


def _build_engine(scratch: Path) -> None:
    """Compile the engine in place."""
    # A compiler that does not know the flags gets its own defaults.
    for flags in (FLAGS, {}):
        refused = compile_engine(scratch, flags)
        if not refused:
            break
    if refused:
        sys.exit(refused)
    for path in engine_files(scratch):
        shutil.copy(scratch / path, ROOT / path)


def compile_engine(scratch: Path, flags: Mapping[str, str]) -> str:
    """Compile a copy out of reach of pyproject.toml, which setuptools would take for its own.

    Returns "" or the compiler's errors; `engine_files` names the results.
    """
    for package in ("controller/acts", "controller/forensics", "controller/engine"):
        sources_only = shutil.ignore_patterns("*.so", "__pycache__")
        shutil.copytree(ROOT / package, scratch / package, ignore=sources_only, dirs_exist_ok=True)
    for module in ("__init__", "domain", "irregularities"):
        shutil.copy(ROOT / f"controller/{module}.py", scratch / "controller")
    names = [str(path.relative_to(ROOT)) for path in sources()]
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools/native_states.py"), *names],
        cwd=scratch, env={**os.environ, **flags}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout + done.stderr if done.returncode else ""


def engine_files(scratch: Path) -> list[Path]:
    """Return the results of `compile_engine` with their places in the root."""
    made = (*scratch.glob("*.so"), *scratch.glob("controller/engine/**/*.so"))
    return [path.relative_to(scratch) for path in made]


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
