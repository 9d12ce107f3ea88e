"""Numpy computes in the command's own thread: its waiting threads would keep a core busy."""

import os
import subprocess
import sys
from pathlib import Path

PROBE = """
import os
from stand17_command import main
try:
    main()
except SystemExit:
    pass
import numpy as np
large = np.ones((900, 900))
large @ large
print(len(os.listdir("/proc/self/task")))
"""


def test_a_product_starts_no_thread_of_its_own() -> None:
    given = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run(
        [sys.executable, "-c", PROBE, "--version"],
        env=given,
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split()[-1] == "1"
