"""Whether a command answers with JSON, and how an object is printed."""

import json
import sys
from itertools import takewhile
from typing import Final

from controller import domain

OPTION: Final = "--json"

SENTENCES: Final = frozenset(("replay", "read", "enrol", "verify"))
"""Commands whose errors stay sentences on standard error: others read them so, and had `--json` all along."""


def print_object(recorded: object, *, err: bool = False, escaped: bool = True) -> None:
    """Print an answer whose fields come from the thing printed, such as a report's, on a line of its own.

    `escaped`: letters beyond ASCII are written as JSON's escapes, as these commands have always done.
    """
    written = domain.escaped(json.dumps(recorded, ensure_ascii=escaped))
    print(written, file=sys.stderr if err else sys.stdout, flush=True)


def print_answer(kind: str, /, *, err: bool = False, **fields: object) -> None:
    """Print what one command answers, on standard error where standard output has something else.

    `kind` is its `type`. Fields keep their names and their meaning (docs/json.md); a new one may be added.
    """
    print_object({"type": kind, **fields}, err=err, escaped=False)


def wants_json() -> bool:
    """Whether errors are asked for as JSON; known even where the command line could not be read."""
    words = sys.argv[1:]
    return not SENTENCES.intersection(words[:1]) and OPTION in takewhile(lambda word: word != "--", words)
