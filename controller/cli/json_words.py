"""JSON answers: whether a command gives one, and how an object is printed."""

import json
import sys
from itertools import takewhile
from typing import Final

from controller import domain

OPTION: Final = "--json"

_SENTENCES: Final = frozenset(("replay", "read", "enrol", "verify"))
"""Commands whose errors stay sentences on standard error: others read them so, and had `--json` all along."""


def print_object(recorded: object, *, err: bool = False, escaped: bool = True) -> None:
    """Print an answer whose fields come from the printed object, such as a report, on a line of its own.

    `escaped`: letters beyond ASCII are JSON escapes, as these commands have always written them.
    """
    written = domain.escaped(json.dumps(recorded, ensure_ascii=escaped))
    print(written, file=sys.stderr if err else sys.stdout, flush=True)


def print_answer(kind: str, /, *, err: bool = False, **fields: object) -> None:
    """Print a command's answer; `err`: on standard error, when standard output has other content.

    `kind` is its `type`. Fields keep their names and their meaning (docs/json.md); a new one may be added.
    """
    print_object({"type": kind, **fields}, err=err, escaped=False)


def wants_json() -> bool:
    """Whether errors are wanted as JSON; known even for an unreadable command line."""
    words = sys.argv[1:]
    return not _SENTENCES.intersection(words[:1]) and OPTION in takewhile(lambda word: word != "--", words)
