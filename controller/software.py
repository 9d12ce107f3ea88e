"""The program's own files: which were shipped, whether they are still the same, and who has released them.

The manifest of a release holds version, commit and the hash of every shipped file. `controller/manifest.json`
is JSON; `controller/manifest.sig` holds the Ed25519 signature of "stand17 manifest" LF and the bytes of that
file, 128 hexadecimal digits.
"""

import hashlib
import json
import marshal
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import CodeType
from typing import Final, Literal, NamedTuple

from controller.journal.head_file import is_signed_by

PACKAGES: Final = ("controller", "drivers", "stand17", "stand17_command", "vision")
"""Folders of the wheel that hold nothing but the program."""

_MODELS: Final = "models"
"""Where a source folder has the networks, which a wheel has in `vision/model`."""

MANIFEST: Final = "controller/manifest.json"
SIGNATURE: Final = "controller/manifest.sig"
COMMIT: Final = "controller/commit.txt"
"""In a wheel alone: the commit that it was built from, as git describes it."""

SHIPPED: Final = "controller/shipped"
"""Where a wheel has what its sources have in `hardware`, `docs` and `examples`."""

_NOT_SHIPPED: Final = {"__pycache__", "frontend", "node_modules"}
_NETWORK: Final = {".onnx", ".toml"}


def root_of_this_program() -> Path:
    """The folder that holds the packages: of the installation, or of the sources."""
    return Path(__file__).resolve().parents[1]


def shipped_folder(name: str = "hardware") -> Path:
    """The folder of files that a machine or a reader gets, such as units: of the sources, or of a wheel."""
    root = root_of_this_program()
    return root / name if (root / "pyproject.toml").is_file() else root / SHIPPED / name


def way_to_install(extra: str, *, prefix: Path | None = None) -> str:
    """Name an extra with this installation's command: apt, make, or pip by the lock's hashes."""
    at = Path(sys.prefix) if prefix is None else prefix
    by_hash = f"install --no-deps --require-hashes -r {shipped_folder('requirements') / extra}.txt"
    if at.parent == Path("/opt") and at.name.startswith("stand17-"):
        # Only Parquet is a package of its own; the others are in the program's.
        package = at.name.replace("stand17-", "stand17-table-") if extra == "table" else at.name
        command = f"sudo apt install --reinstall ./{package}_*.deb"
    elif at.parent.name == "venvs":
        command = f"pipx runpip stand17 {by_hash}"
    elif (at.parent / "Makefile").exists():
        command = "make setup"
    else:
        command = f"{at}/bin/python -m pip {by_hash}"
    return f"stand17[{extra}] ({command})"


def _program_files(root: Path) -> Iterator[str]:
    """Every file of the program below a folder, by its path there; the manifest itself is none of them."""
    for package in PACKAGES:
        for folder, inner, names in os.walk(root / package, followlinks=True):
            inner[:] = sorted(set(inner) - _NOT_SHIPPED)
            yield from ((Path(folder) / name).relative_to(root).as_posix() for name in sorted(names))


def _tree_files(root: Path) -> Iterator[str]:
    """Yield the program's files, with the networks of a source folder."""
    yield from _program_files(root)
    networks = (path for path in (root / _MODELS).glob("*/*") if path.suffix in _NETWORK)
    yield from sorted(path.relative_to(root).as_posix() for path in networks)


def hashed(root: Path, names: Iterable[str]) -> dict[str, str]:
    """Return the SHA-256 of each file in hexadecimal, by its path, without unreadable files."""
    found = {}
    for name in names:
        if name in {MANIFEST, SIGNATURE}:
            continue
        try:
            found[name] = hashlib.sha256((root / name).read_bytes()).hexdigest()
        except OSError:
            continue
    return found


def digest(files: Mapping[str, str]) -> str:
    """Return one hash for all files: SHA-256 of a line `hash path` for each, in the order of their paths."""
    lines = "".join(f"{files[name]} {name}\n" for name in sorted(files))
    return hashlib.sha256(lines.encode()).hexdigest()


_MARK: Final = b"stand17 manifest\n"
BYTES_MAX: Final = 5_000_000


class Manifest(NamedTuple):
    """A release; `files` maps paths to SHA-256 in hexadecimal. `commit` may be ""."""

    version: str
    commit: str
    files: Mapping[str, str]

    def encoded(self) -> bytes:
        """The bytes that are signed and shipped."""
        return (json.dumps(self._asdict(), sort_keys=True, indent=1) + "\n").encode()


class ShippedManifest(NamedTuple):
    """A manifest as it was found, with the bytes and the signature that came with it."""

    manifest: Manifest
    encoded: bytes
    signature: bytes

    @property
    def message(self) -> bytes:
        """Return the signed bytes."""
        return _MARK + self.encoded


def signed(manifest: Manifest, sign: Callable[[bytes], bytes]) -> dict[str, bytes]:
    """The files that a release carries, by their path."""
    encoded = manifest.encoded()
    return {MANIFEST: encoded, SIGNATURE: f"{sign(_MARK + encoded).hex()}\n".encode()}


def read_manifest(root: Path) -> ShippedManifest | None:
    """Return the manifest of an installation; None without a readable one."""
    try:
        with (root / MANIFEST).open("rb") as file:
            text = file.read(BYTES_MAX)
        fields = json.loads(text)
        files = {str(name): str(value) for name, value in fields["files"].items()}
        manifest = Manifest(str(fields["version"]), str(fields["commit"]), files)
    except (AttributeError, KeyError, OSError, RecursionError, TypeError, ValueError):
        return None
    try:
        signature = bytes.fromhex((root / SIGNATURE).read_text(encoding="ascii"))
    except (OSError, ValueError):
        signature = b""
    return ShippedManifest(manifest, text, signature)


ReleaseState = Literal["released", "forged", "unvouched", "unreleased"]
"""Signed by the key that was asked for · signed by another, or changed since · nobody said which key has to
have signed it · there is no manifest: a source folder, or a wheel that was never released."""

FileChange = Literal["changed", "missing", "added"]

_GIT_S: Final = 5.0


class FileDifference(NamedTuple):
    """A file that is not as it was released."""

    kind: FileChange
    path: str


class SoftwareReport(NamedTuple):
    """The installed program. `digest` is one hash of all present files; `commit` may be ""."""

    state: ReleaseState
    version: str
    commit: str
    digest: str
    differences: tuple[FileDifference, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether it is a complete release."""
        return self.state == "released" and not self.differences


def check_software(root: Path, public: str = "", *, caches: bool = False) -> SoftwareReport:
    """Hash the files of a folder and compare them with its manifest.

    `public` is the key that must have signed it, "" when unknown. `caches`: compile each module and compare
    it with Python's cached file, which takes seconds.
    """
    shipped = read_manifest(root)
    if shipped is None:
        files = hashed(root, _tree_files(root))
        return SoftwareReport("unreleased", _version(), commit_of(root), digest(files))
    manifest = shipped.manifest
    files = hashed(root, {*_program_files(root), *manifest.files})
    found = [*_differences(manifest, files)]
    if caches:
        found += [FileDifference("changed", path) for path in _altered_caches(root, PACKAGES)]
    state = _state(shipped, public)
    return SoftwareReport(state, manifest.version, manifest.commit, digest(files), tuple(found))


def digest_of(root: Path) -> str:
    """The digest of `check_software` alone."""
    shipped = read_manifest(root)
    names = _tree_files(root) if shipped is None else {*_program_files(root), *shipped.manifest.files}
    return digest(hashed(root, names))


def commit_of(root: Path) -> str:
    """Return the commit of a source folder, or of a wheel's sources; else "".

    "-dirty" is appended when a file was changed since.
    """
    if (commit := root / COMMIT).is_file():
        return commit.read_text(encoding="utf-8").strip()
    git = shutil.which("git")
    if git is None or not (root / ".git").exists():
        return ""
    command = [git, "-C", str(root), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_GIT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if not done.returncode else ""


def _state(shipped: ShippedManifest, public: str) -> ReleaseState:
    if not public:
        return "unvouched"
    return "released" if is_signed_by(public, shipped.message, shipped.signature) else "forged"


def _differences(manifest: Manifest, files: dict[str, str]) -> Iterator[FileDifference]:
    for name in sorted({*manifest.files, *files}):
        if name not in files:
            yield FileDifference("missing", name)
        elif name not in manifest.files:
            yield FileDifference("added", name)
        elif files[name] != manifest.files[name]:
            yield FileDifference("changed", name)


def _version() -> str:
    try:
        return version("stand17")
    except PackageNotFoundError:
        return ""


_HEADER: Final = 16
"""Bytes before the code: magic number, flags, and the source's time and size or hash."""


def _altered_caches(root: Path, packages: Iterable[str]) -> Iterator[str]:
    """Yield each cached file that this Python would run and that differs from its compiled source."""
    for package in packages:
        for cache in sorted((root / package).rglob("__pycache__/*.pyc")):
            if not _fits(cache):
                yield cache.relative_to(root).as_posix()
        # Beside a source or without one it would be imported too.
        for lone in sorted((root / package).rglob("*.pyc")):
            if lone.parent.name != "__pycache__":
                yield lone.relative_to(root).as_posix()


def _fits(cache: Path) -> bool:
    name, _, rest = cache.name.partition(".")
    source = cache.parent.parent / f"{name}.py"
    level = next((int(word[4:]) for word in rest.split(".") if word[:4] == "opt-" and word[4:].isdigit()), 0)
    try:
        kept = cache.read_bytes()
        if kept[:4] != MAGIC_NUMBER:
            return True
        code = marshal.loads(kept[_HEADER:])
        made = compile(source.read_bytes(), str(source), "exec", dont_inherit=True, optimize=level)
    except (EOFError, OSError, SyntaxError, TypeError, ValueError):
        return False
    return isinstance(code, CodeType) and code == made
