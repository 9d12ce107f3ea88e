"""Commands called one after another in a new interpreter, and what each of them has loaded there."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Final, NamedTuple

CALL: Final = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from controller.cli import main
for words in json.loads(sys.argv.pop()):
    sys.argv[1:] = words
    shown = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    status = 0
    try:
        with redirect_stdout(shown), redirect_stderr(shown):
            main()
    except SystemExit as ended:
        status = ended.code or 0
    print(json.dumps([status, shown.buffer.getvalue().decode(), *sys.modules]))
"""


class Called(NamedTuple):
    """How a command ended, what it printed, and the modules that are loaded after it."""

    status: int
    shown: str
    loaded: set[str]


def called(calls: list[tuple[str, ...]], folder: Path) -> dict[tuple[str, ...], Called]:
    """Call commands in this order in one new interpreter; what one of them loads stays loaded."""
    done = subprocess.run(
        [sys.executable, "-c", CALL, json.dumps(calls)],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=300, cwd=folder,
        env={**os.environ, "COLUMNS": "120"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = [json.loads(line) for line in done.stdout.splitlines()]
    return {
        words: Called(status, shown, set(modules))
        for words, (status, shown, *modules) in zip(calls, told, strict=True)
    }
