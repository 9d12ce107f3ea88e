"""The compiled functions are called only where they were built from the sources that lie here."""

import shutil
import subprocess
import sys
from pathlib import Path

from vision import native


def test_a_library_of_other_sources_is_not_called(tmp_path: Path) -> None:
    """Its functions may take other arguments, which would end the process in the middle of a round."""
    shutil.copytree(Path(native.__file__).parents[1], tmp_path / "vision")
    asked = [sys.executable, "-c", "from vision.native import is_compiled; print(is_compiled())"]
    same = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=True)
    with (tmp_path / "vision/native/ink.c").open("a", encoding="utf-8") as source:
        source.write("/* newer */")
    newer = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (same.stdout.strip(), newer.stdout.strip()) == ("True", "False")
