"""Which journal a new one follows: the last head that its table has signed in the journal before.

A signed head tells no card that lies face down, and with the nonce, which stays beside the journal, it is
bound to one hash: a day that is missing from an archive, or was rewritten, does not fit what follows it.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from controller.journal.signed_heads import LINE_MAX, SignedHead, head_of, heads_path

HEADS: Final = ".journal.signed"


def head_before(journal: Path, table: str) -> SignedHead | None:
    """The newest head of this table in the folder's other journals, without its nonce; None for none.

    Files that cannot be read have nothing to say: a table opens all the same.
    """
    found = [_last(path) for path in journal.parent.glob(f"*{HEADS}") if path != heads_path(journal)]
    own = [head for head in found if head is not None and head.table == table and head.is_genuine]
    newest = max(own, key=lambda head: head.at_utc_us, default=None)
    return None if newest is None else newest._replace(nonce="")


def opened_of(opened: Sequence[tuple[str, bytes]]) -> Mapping[str, Any]:
    """What a journal's first entry says, from its entries of that kind; nothing where it cannot be read."""
    try:
        body = json.loads(opened[0][1]) if opened else {}
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def follows_of(opened: Sequence[tuple[str, bytes]]) -> Mapping[str, Any] | None:
    """The head that a journal's first entry names, from its entries of that kind; None for none."""
    follows = opened_of(opened).get("follows")
    return follows if isinstance(follows, dict) else None


def is_kept(follows: Mapping[str, Any], heads: Iterable[SignedHead | None]) -> bool:
    """Whether the head that a journal's first entry names is among these."""
    wanted = {name: follows.get(name) for name in ("table", "key", "number", "code")}
    return any(head is not None and wanted.items() <= head._asdict().items() for head in heads)


def _last(path: Path) -> SignedHead | None:
    """The last whole line's head: one that a power cut has torn does not count."""
    try:
        with path.open("rb") as file:
            file.seek(max(path.stat().st_size - 2 * LINE_MAX, 0))
            lines = file.read().rsplit(b"\n", 2)
    except OSError:
        return None
    return head_of(lines[-2]) if len(lines) > 1 else None
