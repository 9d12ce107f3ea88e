"""A word of a closed vocabulary is only compared with a value of it, so that mypy sees a slip."""

import ast
import shutil
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import Any, Final, get_args

import pytest
from mypy import build
from mypy.main import process_options
from mypy.nodes import Expression, Node, TypeInfo, Var
from mypy.types import Instance, Type, UnionType, get_proper_type

from controller import acts, domain
from controller.acts.desk import Presence
from controller.engine import state

pytestmark = pytest.mark.night

ROOT: Final = Path(__file__).resolve().parents[2]

OTHER_VOCABULARIES: Final = {
    "entry.kind": "kinds of journal entries, an open set: later versions add some",
    "kind": "the same",
    "line.kind": "the same, as the audit trail has them",
    "field": "names of fields",
    "path": "the same, of an expectation",
    "(source := answers.get('cards'))": "an answer at the set-up, checked against its choices",
    "word": "what a keypad says, from its configuration",
    "role": "what stands before the colon of a name, until it is one of the roles",
    "name": "the name of a device",
    "key": "the name of a parameter",
    **dict.fromkeys(
        ("obs", "occasion", "columns.state", "columns.what", "one.status", "self.status"),
        "a column of the history, which holds what any journal says",
    ),
    **dict.fromkeys(("hold.code", "alert.code"), "a code of the runtime; FROZEN is no hand's status there"),
    "str(named[0])": "the command line's first word",
}
"""Expressions that share a word with a vocabulary and mean something else."""

OTHER_WORDS: Final = frozenset(get_args(Presence))
"""Words that also name the states of a device's life, of a recording and of a table's mode."""


def _acts() -> Iterator[ModuleType]:
    for module in walk_packages(acts.__path__, "controller.acts."):
        yield import_module(module.name)


def _own(module: ModuleType) -> Iterator[str]:
    """The names that a module gives a value itself; what it imports is another room's."""
    path = ROOT.joinpath(*module.__name__.split("."))
    file = path.with_suffix(".py")
    source = file if file.exists() else path / "__init__.py"
    for node in ast.parse(source.read_text(encoding="utf-8")).body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name


def words() -> frozenset[str]:
    found = {
        word
        for module in (domain, state, *_acts())
        for name in _own(module)
        for word in get_args(getattr(module, name))
        if isinstance(word, str)
    }
    return frozenset(found) - OTHER_WORDS - {""}


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
            meant = getattr(state, name, None)
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


def comparing(known: frozenset[str]) -> dict[str, ast.Module]:
    """The syntax of each module, by its name, that compares anything with a word."""
    trees = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in (ROOT / "controller").rglob("*.py")
    }
    parsed = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in trees.items()}
    return {
        name: tree
        for name, tree in parsed.items()
        if any(constant_words(side) & known for side in compared(tree))
    }


def checked(modules: Iterable[str], folder: Path) -> build.BuildResult:
    """What mypy finds out about these modules; all others come from the cache that `make lint` leaves."""
    sources, settings = process_options(["controller"])
    settings.cache_dir = str(folder / "mypy")
    if (ROOT / ".mypy_cache").is_dir():
        shutil.copytree(ROOT / ".mypy_cache", settings.cache_dir)
    settings.export_types = True
    settings.preserve_asts = True
    for module in modules:
        # An option unlike the cache's has it look at a module anew, and changes nothing that is asked here.
        settings.per_module_options[module] = {"warn_no_return": False}
    return build.build(sources, settings)


@pytest.mark.timeout(600)
def test_no_word_is_compared_with_a_text_that_could_be_anything(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(ROOT)
    known = words()
    trees = comparing(known)
    result, found = checked(trees, tmp_path), []
    for name, tree in trees.items():
        state = result.graph[name]
        kinds: dict[Place, Any] = {
            (node.line, node.column, node.end_line, node.end_column): result.types[node]
            for node in expressions(state.tree, set())
            if node in result.types
        }
        assert kinds, name
        found += [f"{name}:{line} {text}" for line, text in unseen(tree, kinds, known)]
    assert [line for line in found if line.partition(" ")[2] not in OTHER_VOCABULARIES] == []
