"""Add the compiled engine and the reader's compiled C functions to a wheel.

hatch calls this for each wheel. STAND17_WHEEL=compiled demands the compiled parts, =pure leaves them out.
Without it they are compiled where possible, and the build reports where they are not. Nothing is compiled
for this machine's processor alone: a second library of the C functions, for processors with AVX2, lies
beside the first, and `vision.native` chooses.
"""

import os
import platform
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VARIABLE: Final = "STAND17_WHEEL"
FORMS: Final = ("compiled", "pure")

_ENGINE_FLAGS: Final = {
    "CFLAGS": "-O3 -flto -g0 -DNDEBUG -fno-plt -fno-semantic-interposition",
    "LDFLAGS": "-O3 -flto -s -Wl,-O1,-Bsymbolic",
}
"""As for this machine (`tools.compile`), but for every processor of its kind, and without debug symbols."""

KERNEL_FLAGS: Final = ["-O3", "-g0", "-s"]
_AVX2_FLAGS: Final = ["-mavx2", "-mfma", "-mbmi", "-mbmi2"]
"""What `runs_avx2` in mark.c asks the processor for."""


class CannotCompileError(RuntimeError):
    """The compiled parts were demanded and cannot be made here; says why."""


class CompiledParts(BuildHookInterface):  # type: ignore[type-arg]  # the interface of wheels has no such
    """Adds the compiled parts to a wheel, which thereby becomes one of this platform."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile into a folder of its own; raises CannotCompileError, or ValueError for another form."""
        form = os.environ.get(VARIABLE, "")
        if form not in {*FORMS, ""}:
            raise ValueError(f"{VARIABLE}={form}: say {' or '.join(FORMS)}")
        if version == "editable":
            return
        self._scratch = tempfile.TemporaryDirectory(prefix="stand17-wheel-")
        if commit := commit_of(Path(self.root)):
            kept = Path(self._scratch.name) / "commit.txt"
            kept.write_text(f"{commit}\n", encoding="utf-8")
            build_data["force_include"][str(kept)] = "controller/commit.txt"
        if form == "pure":
            return
        files, refused = _compiled_parts(Path(self.root), Path(self._scratch.name))
        if refused and form == "compiled":
            raise CannotCompileError(refused)
        if refused:
            self.app.display_warning(f"A pure wheel, several times slower, since: {refused}")
            return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        build_data["force_include"] |= {str(path): place for path, place in files.items()}

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002  # the interface's
        """Remove the compiled files after they are in the wheel."""
        if hasattr(self, "_scratch"):
            self._scratch.cleanup()


def commit_of(root: Path) -> str:
    """The commit that is built, as `controller.software` says it of a source folder; "" without git."""
    command = ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    if not (root / ".git").exists():
        return ""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return "" if done.returncode else done.stdout.strip()


def _compiled_parts(root: Path, scratch: Path) -> tuple[dict[Path, str], str]:
    """Each file that was compiled in `scratch` and its place in the wheel; then why there are none."""
    sys.path.insert(0, str(root))
    try:
        from mypyc import build  # noqa: F401, PLC0415  # whether it is there

        from tools import compile as tools  # noqa: PLC0415  # only the root knows it
        from vision.native import FAST_LIBRARY, LIBRARY  # noqa: PLC0415  # so, too
    except ModuleNotFoundError as error:
        return {}, f"{error.name} is not installed where the wheel is built."
    finally:
        sys.path.remove(str(root))
    if not tools.can_compile():
        return {}, "there is no C compiler with Python's headers."
    # Python's own link command may name a folder of the machine that Python was built on.
    link = {"LDSHARED": f"{shlex.join(tools.compiler() or ['cc'])} -shared"}
    engine, kernel = scratch / "engine", scratch / "kernel"
    kernel.mkdir()
    refused = tools.compile_engine(engine, _ENGINE_FLAGS | link)
    kernels = {LIBRARY: KERNEL_FLAGS}
    if platform.machine() == "x86_64":
        kernels[FAST_LIBRARY] = [*KERNEL_FLAGS, *_AVX2_FLAGS]
    for name, flags in kernels.items():
        refused = refused or tools.compile_kernel(kernel / name, flags)
    if refused:
        return {}, refused
    made = {engine / path: str(path) for path in tools.engine_files(engine)}
    return made | {kernel / name: f"vision/native/{name}" for name in kernels}, ""
