"""Random calls of the bindings under gcc's sanitizers: no byte outside of an array, nothing undefined."""

import json
from pathlib import Path
from typing import Final

import pytest

from tests.vision.native import sanitize

pytestmark = pytest.mark.night

CALLS: Final = 10_000
"""About a third of a minute on a quiet machine; `make sanitize` makes as many calls as one likes."""

SEED: Final = 20


@pytest.mark.timeout(1800)
@pytest.mark.skipif(not sanitize.runtimes(), reason="no compiler with sanitizers on this machine")
def test_no_call_leaves_its_arrays(tmp_path: Path) -> None:
    sanitize.prepare(tmp_path)
    assert sanitize.is_watching(tmp_path)
    done = sanitize.fuzz(tmp_path, CALLS, SEED, quiet=True)
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["compiled"]
    assert figures["calls"] == CALLS
    assert figures["result"] > CALLS / 2
    assert figures["KERNEL_ARGUMENT"] > CALLS / 10
