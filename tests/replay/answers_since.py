"""Whether every feed, journal and recording of an older commit's tests is answered as it was then.

    .venv/bin/python -m tests.replay.answers_since REV

plays the files of that commit with its code and with the code of this tree, each through `replay`,
`replay --table`, `feed` and `show`, and lists the answers that differ. Both sides run from their sources.
"""

import difflib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

WAYS = (("replay", "--json"), ("replay", "--table", "--json"), ("feed",), ("show",))
LIVE = Path(__file__).parents[2]
PLAYER = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from controller.cli import main
for call in json.load(sys.stdin):
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    sys.argv, status = ["stand17", *call], 0
    with redirect_stdout(out), redirect_stderr(out):
        try:
            main()
        except SystemExit as end:
            status = end.code
    print(json.dumps([status, out.buffer.getvalue().decode()]), flush=True)
"""


def calls(folder: Path) -> list[list[str]]:
    """Every way for every file that has it, with paths below the folder."""
    files = sorted(str(path.relative_to(folder)) for path in folder.glob("[te][ex]*/**/*") if is_played(path))
    return [[*way, file] for way in WAYS for file in files if has_way(way, file)]


def is_played(path: Path) -> bool:
    """Whether this is a feed, a journal or a recording."""
    return path.name.endswith((".feed.jsonl", ".journal", ".mcap"))


def has_way(way: tuple[str, ...], file: str) -> bool:
    """Whether a command takes such a file: `--table` a feed alone, `feed` what is none."""
    return (
        file.endswith(".feed.jsonl")
        if "--table" in way
        else way != ("feed",) or not file.endswith(".feed.jsonl")
    )


def answers(code: Path, folder: Path, asked: list[list[str]]) -> list[list[object]]:
    """Exit status and output of each call, by that code, with the files of that folder."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(code),
        "NO_COLOR": "1",
        "COLUMNS": "100",
        "LANG": "C.UTF-8",
    }
    done = subprocess.run(
        [sys.executable, "-P", "-c", PLAYER],
        cwd=folder,
        env=environment,
        input=json.dumps(asked),
        text=True,
        stdout=-1,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def differences(before: list[list[object]], now: list[list[object]], asked: list[list[str]]) -> Iterator[str]:
    """The call and the lines that differ, of each answer that does."""
    for call, old, new in zip(asked, before, now, strict=True):
        if old != new:
            yield f"=== {' '.join(call)} (exit status {old[0]}, {new[0]})"
            yield from difflib.unified_diff(
                str(old[1]).splitlines(), str(new[1]).splitlines(), lineterm="", n=0
            )


def main(revision: str) -> int:
    """Compare, print, and tell by the exit status whether anything differs."""
    with TemporaryDirectory() as place:
        packed = subprocess.run(["git", "archive", revision], cwd=LIVE, stdout=-1, check=True).stdout
        subprocess.run(["tar", "-x", "-C", place], input=packed, check=True)
        asked = calls(Path(place))
        before, now = (answers(code, Path(place), asked) for code in (Path(place), LIVE))
        found = list(differences(before, now, asked))
    differ = sum(line.startswith("=== ") for line in found)
    sys.stdout.write("\n".join([*found, f"{len(asked)} answers, {differ} differ", ""]))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
