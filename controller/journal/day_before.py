"""Which journal a new one follows: the last head that its table has signed in the journal before.

A signed head tells no card that lies face down, and with the nonce, which stays beside the journal, it is
bound to one hash: a day that is missing from an archive, or was rewritten, does not fit what follows it.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from controller.journal.signed_heads import LINE_MAX, SignedHead, head_of, heads_path
from controller.outputs import open_regular

HEADS: Final = ".journal.signed"


def head_before(journal: Path, table: str) -> SignedHead | None:
    """The newest head of this table in the folder's other journals, without its nonce; None for none.

    Files that cannot be read have nothing to say: a table opens all the same.
    """
    found = [_last(path) for path in journal.parent.glob(f"*{HEADS}") if path != heads_path(journal)]
    own = [head for head in found if head is not None and head.table == table and head.is_genuine]
    newest = max(own, key=lambda head: head.at_utc_us, default=None)
    return None if newest is None else newest._replace(nonce="")


def opened_of(body: bytes) -> Mapping[str, Any]:
    """The fields of an entry's body, as of a journal's first one; none where it cannot be read."""
    try:
        said = json.loads(body)
    except (RecursionError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


def name_of(head: Mapping[str, Any]) -> tuple[str, ...]:
    """What names a signed head in the next journal's first entry: table, key, number, code."""
    return tuple(str(head.get(field)) for field in ("table", "key", "number", "code"))


def _last(path: Path) -> SignedHead | None:
    """The last whole line's head: one that a power cut has torn does not count."""
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            file.seek(max(path.stat().st_size - 2 * LINE_MAX, 0))
            lines = file.read().rsplit(b"\n", 2)
    except OSError:
        return None
    return head_of(lines[-2]) if len(lines) > 1 else None
