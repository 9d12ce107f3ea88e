"""The reader's tuned numbers, as its source files hold them: name, value, place, and what is said of them.

A tuned number is one in a constant of a module, or in a field of a parameter object: a `NamedTuple` all of
whose fields have values.
"""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class TunedNumber(NamedTuple):
    """One number of a source file.

    `name` is CONSTANT, Class.field or either with a position, as in Class.field[1]; `sourced` tells whether
    a docstring beside it says where it comes from.
    """

    path: Path
    name: str
    value: float
    sourced: bool


class _Entry(NamedTuple):
    """A constant or a field, and the docstrings that speak of it."""

    name: str
    value: ast.expr | None
    texts: list[str]


def _entries(body: list[ast.stmt], prefix: str, texts: list[str]) -> list[_Entry]:
    """What a module or a class assigns; a docstring speaks of all assignments that stand right above it."""
    following, entries = "", []
    for node in reversed(body):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            following = str(node.value.value)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            entries.append(_Entry(prefix + node.target.id, node.value, [*texts, following]))
        else:
            following = ""
    return entries[::-1]


def _is_named_tuple(node: ast.stmt) -> bool:
    return isinstance(node, ast.ClassDef) and any(ast.unparse(base) == "NamedTuple" for base in node.bases)


def _all_entries(tree: ast.Module) -> Iterator[_Entry]:
    texts = [ast.get_docstring(tree) or ""]
    yield from _entries(tree.body, "", texts)
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and _is_named_tuple(node):
            fields = _entries(node.body, f"{node.name}.", [*texts, ast.get_docstring(node) or ""])
            if all(field.value is not None for field in fields):
                yield from fields


def _fields(tree: ast.Module) -> dict[str, list[str]]:
    """The names of the fields of each of a module's named tuples."""
    return {
        node.name: [field.name for field in _entries(node.body, "", [])]
        for node in tree.body
        if isinstance(node, ast.ClassDef) and _is_named_tuple(node)
    }


def _inner(name: str, value: ast.expr, fields: dict[str, list[str]]) -> list[tuple[str, ast.expr]]:
    """What a value is made of, each with its name."""
    match value:
        case ast.UnaryOp():
            return [(name, value.operand)]
        case ast.BinOp():
            return [(name, value.left), (name, value.right)]
        case ast.Tuple() | ast.List():
            return [(f"{name}[{place}]", part) for place, part in enumerate(value.elts)]
        case ast.Dict():
            return [(f"{name}[{place}]", part) for place, part in enumerate(value.values)]
        case ast.Call():
            own = [f".{field}" for field in fields.get(ast.unparse(value.func), [])]
            names = own or [f"[{place}]" for place in range(len(value.args))]
            return [(name + part, arg) for part, arg in zip(names, value.args, strict=False)]
    return []


def _parts(name: str, value: ast.expr, fields: dict[str, list[str]]) -> Iterator[tuple[str, ast.Constant]]:
    """The numbers in a value, each with its name."""
    if isinstance(value, ast.Constant) and type(value.value) in {int, float}:
        yield name, value
    for inner, part in _inner(name, value, fields):
        yield from _parts(inner, part, fields)


def tuned_numbers(path: Path) -> list[TunedNumber]:
    """All of them in one source file."""
    tree = ast.parse(path.read_bytes())
    fields, found = _fields(tree), []
    for entry in _all_entries(tree):
        sourced = any("Source" in text for text in entry.texts)
        for name, part in _parts(entry.name, entry.value, fields) if entry.value else ():
            assert isinstance(part.value, int | float)
            found.append(TunedNumber(path, name, part.value, sourced))
    return found
