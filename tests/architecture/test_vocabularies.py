"""A word of a closed vocabulary is only compared with a value of it, so that mypy sees a slip."""

import ast
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, get_args

import pytest
from mypy import build, options
from mypy.config_parser import parse_config_file
from mypy.find_sources import create_source_list
from mypy.nodes import Expression, Node, TypeInfo, Var
from mypy.types import Instance, Type, UnionType, get_proper_type

from controller.domain import cards, notices, observations, rules, table_events
from controller.engine import constants

pytestmark = pytest.mark.long

ROOT: Final = Path(__file__).resolve().parents[2]

OTHER_VOCABULARIES: Final = {
    "entry.kind": "kinds of journal entries, an open set: later versions add some",
    "kind": "the same",
    "field": "names of fields",
    "word": "what a keypad says, from its configuration",
}
"""Expressions that share a word with a vocabulary and mean something else."""

OTHER_WORDS: Final = frozenset(get_args(observations.Presence))
"""Words that also name the states of a device's life, of a recording and of a table's mode."""


def words() -> frozenset[str]:
    found = {
        word
        for module in (cards, notices, observations, rules, table_events, constants)
        for kind in vars(module).values()
        for word in get_args(kind)
        if isinstance(word, str)
    }
    return frozenset(found) - OTHER_WORDS


def is_bare_text(kind: Type | None) -> bool:
    """Whether a str that could be anything; what is Any came from JSON and was checked there."""
    proper = get_proper_type(kind)
    if isinstance(proper, UnionType):
        return any(is_bare_text(item) for item in proper.items)
    return isinstance(proper, Instance) and proper.type.fullname == "builtins.str" and not is_literal(proper)


def is_literal(kind: Instance) -> bool:
    return kind.last_known_value is not None


Place = tuple[int, int, int | None, int | None]


def expressions(node: object, seen: set[int]) -> Iterator[Expression]:
    """Every expression below a node of mypy's tree, but not those of what it refers to."""
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, list | tuple):
        for item in node:
            yield from expressions(item, seen)
    if not isinstance(node, Node) or isinstance(node, TypeInfo | Var):
        return
    if isinstance(node, Expression):
        yield node
    names = {name for kind in type(node).__mro__ for name in getattr(kind, "__mypyc_attrs__", ())}
    for name in names - {"node", "info", "type", "names"}:
        yield from expressions(getattr(node, name, None), seen)


def constant_words(node: ast.expr) -> set[str]:
    match node:
        case ast.Constant(value=str(word)):
            return {word}
        case ast.Tuple(elts=items) | ast.Set(elts=items) | ast.List(elts=items):
            return {word for item in items for word in constant_words(item)}
        case ast.Name(id=name) if name.isupper():
            meant = getattr(constants, name, None)
            return {meant} if isinstance(meant, str) else set()
    return set()


def compared(tree: ast.Module) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            yield from (node.left, *node.comparators)


def unseen(tree: ast.Module, kinds: dict[Place, Type], known: frozenset[str]) -> Iterator[tuple[int, str]]:
    """(line, expression) of each comparison of a bare str with a word."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Compare):
            continue
        for left, right in zip([node.left, *node.comparators], node.comparators, strict=False):
            for word, value in ((left, right), (right, left)):
                place = (value.lineno, value.col_offset, value.end_lineno, value.end_col_offset)
                named = constant_words(word) & known and not constant_words(value)
                if named and is_bare_text(kinds.get(place)):
                    yield node.lineno, ast.unparse(value)


def checked(paths: list[str]) -> build.BuildResult:
    settings = options.Options()
    parse_config_file(settings, lambda: None, "pyproject.toml", sys.stdout, sys.stderr)
    # What packages from outside return is Any then, which takes a tenth of the time.
    settings.follow_imports = "skip"
    settings.incremental = False
    settings.cache_dir = os.devnull
    settings.export_types = True
    settings.preserve_asts = True
    return build.build(create_source_list(paths, settings), settings)


@pytest.mark.timeout(600)
def test_no_word_is_compared_with_a_text_that_could_be_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    result = checked(["controller"])
    known, found = words(), []
    for state in result.graph.values():
        path = Path(state.path or "").resolve()
        if state.tree is None or ROOT / "controller" not in path.parents:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        if not any(constant_words(side) & known for side in compared(tree)):
            # Most files compare no word: their expressions need not be looked for.
            continue
        kinds: dict[Place, Any] = {
            (node.line, node.column, node.end_line, node.end_column): result.types[node]
            for node in expressions(state.tree, set())
            if node in result.types
        }
        found += [f"{path.relative_to(ROOT)}:{line} {text}" for line, text in unseen(tree, kinds, known)]
    assert [line for line in found if line.partition(" ")[2] not in OTHER_VOCABULARIES] == []
