"""Resolve the lock files in requirements/ from pyproject.toml: public index, every hash, no address.

Pinned versions stay where they still fit; `--upgrade` takes the newest release of everything.
"""

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
FOLDER: Final = ROOT / "requirements"

SOURCES: Final[dict[str, tuple[str, ...]]] = {
    "dev": ("pyproject.toml", "--group", "dev"),
    "run": ("pyproject.toml",),
    "build": ("--group", "build"),
    "bench": ("pyproject.toml", "--group", "bench"),
    "table": ("pyproject.toml", "--extra", "table"),
    "floor": ("pyproject.toml", "--extra", "floor"),
    "report": ("pyproject.toml", "--extra", "report"),
    "train": ("pyproject.toml", "--extra", "train"),
    "node": ("--group", "node"),
    "compiler": ("--group", "compiler"),
    "lock": ("--group", "lock"),
    "audit": ("--group", "audit"),
    "hardware": ("pyproject.toml", "--group", "hardware"),
    "oldest-pip": ("--group", "oldest-pip"),
}
"""What each lock file is resolved from, the development lock first."""

TESTED: Final = ("run", "build", "bench", "table", "floor", "report", "train")
"""What these install is the version that the development lock installs, on which the tests run."""

_CPU_TORCH_SHA256: Final = "6746dbcbeb526eb61330b76b41ff1b4eb848951103a892eeb080dfa2b264667b"
"""PyTorch's own CPU-only build of the pinned version (CPython 3.11, Linux x86-64); the index lacks it."""

_GPU_ONLY: Final = re.compile(r"(cuda|nvidia|triton)[a-z0-9-]*==")
"""Packages that only the PyTorch build for graphics cards needs."""


def resolve(name: str, *options: str) -> None:
    """Write one lock; exits with the resolver's message where there is no solution."""
    # --no-config: a machine's own mirrors and wheel folders must not change the lock.
    command = [
        *("uv", "pip", "compile", "--quiet", "--no-config", "--universal", "--python-version", "3.11"),
        *("--generate-hashes", "--no-annotate", "--no-header", *options, *SOURCES[name]),
        *("--output-file", str(FOLDER / f"{name}.txt")),
        *(("--constraints", str(FOLDER / "dev.txt")) if name in TESTED else ()),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"requirements/{name}.txt: {done.stderr}")


def unpinned(lock: str) -> list[str]:
    """The entries of a lock that lack an exact version or a hash."""
    entries = re.split(r"\n(?=\S)", lock.strip())
    return [
        entry.split()[0]
        for entry in entries
        if not re.match(r"[a-z0-9-]+==\S+", entry) or "--hash=sha256:" not in entry
    ]


def _without_gpu(lock: str) -> str:
    """Return the training lock for a machine without a graphics card."""
    entries = re.split(r"\n(?=\S)", lock.rstrip("\n"))
    kept = [entry for entry in entries if not _GPU_ONLY.match(entry)]
    pin = f"    --hash=sha256:{_CPU_TORCH_SHA256}"
    return "\n".join(f"{entry} \\\n{pin}" if entry.startswith("torch==") else entry for entry in kept) + "\n"


def main() -> None:
    """Write every lock file."""
    for name in SOURCES:
        resolve(name, *sys.argv[1:])
    lock = (FOLDER / "train.txt").read_text(encoding="utf-8")
    (FOLDER / "train-cpu.txt").write_text(_without_gpu(lock), encoding="utf-8")


if __name__ == "__main__":
    main()
