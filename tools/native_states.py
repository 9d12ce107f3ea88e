"""Run mypyc over the engine with its states expanded: `python tools/native_states.py MODULE...`.

A state is a frozen dataclass, changed by `dataclasses.replace`. mypyc stores a dataclass's fields in a C
struct, but leaves its constructor and `replace` to the library, in Python: the engine was eighteen times
slower. This tool expands both before mypyc runs, in a copy of the sources: the constructor as text, and each
`replace(state, phase=...)` as a call of that constructor with the state's other fields. The sources
themselves contain none of this.
"""

import ast
import sys
from pathlib import Path
from typing import Final

from mypy.nodes import ARG_POS, CallExpr, RefExpr
from mypyc.build import mypycify
from mypyc.ir.ops import Value
from mypyc.ir.rtypes import RInstance
from mypyc.irbuild.builder import IRBuilder
from mypyc.irbuild.specialize import specialize_function
from setuptools import setup

_DECORATORS: Final = ["final", "dataclass(frozen=True, slots=True)"]
"""What stands over each state, in this order."""

_IMPORT: Final = "from dataclasses import "


def _written_out(source: str) -> str:
    """A module's text with the constructor of each state spelled out; every line keeps its number.

    A state that names fewer than two fields is a ValueError: there is no line left for the constructor.
    """
    lines = source.splitlines()
    states = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef) and _is_state(node)]
    for state in states:
        _write_out(state, lines)
    if states:
        at = next(index for index, line in enumerate(lines) if line.startswith(_IMPORT))
        lines[at] += "; from typing import TYPE_CHECKING"
        # mypyc reads its own decorator and drops it: the package that it comes from is not there at run time.
        lines[lines.index("", at)] = "if TYPE_CHECKING: from mypy_extensions import mypyc_attr"
    return "\n".join(lines) + "\n"


def _is_state(node: ast.ClassDef) -> bool:
    return [ast.unparse(decorator) for decorator in node.decorator_list] == _DECORATORS


def _write_out(state: ast.ClassDef, lines: list[str]) -> None:
    """Change the lines of one state: its fields on the first of their lines, the constructor on the last."""
    fields = [node for node in state.body if isinstance(node, ast.AnnAssign)]
    first, last = fields[0].lineno - 1, (fields[-1].end_lineno or 0) - 1
    if first == last:
        raise ValueError(state.name)
    names = [ast.unparse(field.target) for field in fields]
    kinds = [ast.unparse(field.annotation) for field in fields]
    lines[first : last + 1] = [""] * (last + 1 - first)
    lines[first] = "    " + "; ".join(f"{name}: {kind}" for name, kind in zip(names, kinds, strict=True))
    parameters = ", ".join(ast.unparse(field) for field in fields)
    values = "; ".join(f"self.{name} = {name}" for name in names)
    lines[last] = f"    def __init__(self, {parameters}) -> None: {values}  # type: ignore[misc]"
    # A state refers only to older objects, so the cycle collector need not track it.
    lines[state.decorator_list[0].lineno - 1] = "@mypyc_attr(acyclic=True)"
    lines[state.decorator_list[1].lineno - 1] = "@dataclass(frozen=True, init=False)"


@specialize_function("dataclasses.replace")
def constructor_call(builder: IRBuilder, call: CallExpr, _: RefExpr) -> Value | None:
    """`replace(state, field=value)` as the call of the state's constructor; None leaves it to the library."""
    kind = builder.node_type(call.args[0])
    if not isinstance(kind, RInstance):
        return None
    old = builder.accept(call.args[0])
    new = {name: builder.accept(arg) for name, arg in zip(call.arg_names[1:], call.args[1:], strict=True)}
    constructor = kind.class_ir.ctor
    fields = [field for field in constructor.sig.args if field.name in kind.class_ir.attributes]
    kept = {
        field.name: builder.builder.get_attr(old, field.name, field.type, call.line)
        for field in fields
        if field.name not in new
    }
    values = [(kept | new)[field.name] for field in fields]
    return builder.builder.call(constructor, values, [ARG_POS] * len(values), [None] * len(values), call.line)


@specialize_function("controller.domain.Money")
def same_integer(builder: IRBuilder, call: CallExpr, _: RefExpr) -> Value:
    """`Money(amount)` as the amount itself: a NewType is nothing but a call at run time."""
    return builder.accept(call.args[0])


def main() -> None:
    """Compile modules in place, in the working directory: a copy with expanded states."""
    for name in sys.argv[1:]:
        path = Path(name)
        path.write_text(_written_out(path.read_text(encoding="utf-8")), encoding="utf-8")
    modules = mypycify(sys.argv[1:], opt_level="3", debug_level="0")
    setup(name="engine", ext_modules=modules, script_args=["--quiet", "build_ext", "--inplace"])


if __name__ == "__main__":
    main()
