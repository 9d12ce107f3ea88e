"""Whether the program's files are those that were released."""

import marshal
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import CodeType
from typing import Final, Literal, NamedTuple

from controller.journal.table_key import is_signed_by
from controller.software.files import COMMIT, PACKAGES, digest, hashed, program_files, tree_files
from controller.software.manifest import Manifest, ShippedManifest, read_manifest

ReleaseState = Literal["released", "forged", "unvouched", "unreleased"]
"""Signed by the key that was asked for · signed by another, or changed since · nobody said which key has to
have signed it · there is no manifest: a source folder, or a wheel that was never released."""

FileChange = Literal["changed", "missing", "added"]

GIT_S: Final = 5.0


class FileDifference(NamedTuple):
    """A file that is not as it was released."""

    kind: FileChange
    path: str


class SoftwareReport(NamedTuple):
    """What is installed. `digest` is one hash of all files that are there; `commit` may be ""."""

    state: ReleaseState
    version: str
    commit: str
    digest: str
    differences: tuple[FileDifference, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether it is what somebody has released, whole."""
        return self.state == "released" and not self.differences


def check_software(root: Path, public: str = "", *, caches: bool = False) -> SoftwareReport:
    """Hash what lies in a folder and compare it with the manifest there.

    `public` is the key that has to have signed it, "" where that is not known. `caches`: compile each module
    and compare it with what Python has kept of it, which takes seconds.
    """
    shipped = read_manifest(root)
    if shipped is None:
        files = hashed(root, tree_files(root))
        return SoftwareReport("unreleased", _version(), commit_of(root), digest(files))
    manifest = shipped.manifest
    files = hashed(root, {*program_files(root), *manifest.files})
    found = [*_differences(manifest, files)]
    if caches:
        found += [FileDifference("changed", path) for path in altered_caches(root, PACKAGES)]
    state = _state(shipped, public)
    return SoftwareReport(state, manifest.version, manifest.commit, digest(files), tuple(found))


def digest_of(root: Path) -> str:
    """The digest of `check_software` alone."""
    shipped = read_manifest(root)
    names = tree_files(root) if shipped is None else {*program_files(root), *shipped.manifest.files}
    return digest(hashed(root, names))


def commit_of(root: Path) -> str:
    """The commit of a source folder, or of what a wheel was built from; else "".

    "-dirty" stands behind it where something was changed since.
    """
    if (commit := root / COMMIT).is_file():
        return commit.read_text(encoding="utf-8").strip()
    git = shutil.which("git")
    if git is None or not (root / ".git").exists():
        return ""
    command = [git, "-C", str(root), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=GIT_S, check=False)
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


def altered_caches(root: Path, packages: Iterable[str]) -> Iterator[str]:
    """Each kept file that this Python would run and that is not what its source compiles to."""
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
