"""Every code that the journal, the runtime and the program can raise has a sentence in the catalogues."""

import ast
from collections.abc import Iterator
from pathlib import Path

from controller.i18n import catalogue
from controller.policy.allowed.permissions import DEALER_LIFTS

ROOT = Path(__file__).parents[2]
PARTS = ("journal", "runtime", "main", "config", "simulation")
RAISED = {"TableError", "JournalError", "ConfigError", "DeviceError", "Trouble", "Rejected"}
KINDS = ("error", "refused", "hold", "alert")


def codes() -> Iterator[str]:
    """First arguments of everything that carries a code."""
    for part in PARTS:
        for path in sorted((ROOT / "controller" / part).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in RAISED:
                    first = node.args[0] if node.args else None
                    if isinstance(first, ast.Constant) and isinstance(first.value, str):
                        yield first.value


def test_every_code_has_a_sentence() -> None:
    found = set(codes())
    assert {"JOURNAL_IN_USE", "STALE_COMMAND", "CHAIN_BROKEN", "PORT_BUSY"} <= found
    known = catalogue("en")
    silent = {code for code in found | DEALER_LIFTS if not any(f"{kind}.{code}" in known for kind in KINDS)}
    assert silent == set()
