"""Files and functions stay small enough to be read in one go."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import median, quantiles
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = ("controller", "drivers", "models", "stand17", "tools", "vision")

SCREENS: Final = ROOT / "controller/web/frontend/src"
GENERATED: Final = SCREENS / "view.ts"
"""Made by `npm run check`, where that was run."""

FILE_LINES_MAX: Final = 600
FUNCTION_LINES_MAX: Final = 60
FUNCTION_LINES_REVIEW: Final = 40
REVIEWED: Final[dict[str, str]] = {
    "controller/cli/rounds.py:diff": "its options, and what each of them starts",
    "controller/cli/read.py:calibrate": "its options, and what each of them starts",
    "controller/cli/plan.py:plan_camera": "its options, and the plan of what they say",
    "controller/runtime/draft.py:adopt": "a case for each thing that can follow from a decision",
    "controller/screens/views.py:build": "one line for each field of the view, and nothing else",
}
"""Functions above the review line that somebody looked at, each with the reason to leave them whole."""


class Function(NamedTuple):
    """A function and its length in lines, its docstring left out."""

    name: str
    lines: int


def sources() -> Iterator[Path]:
    for package in PACKAGES:
        yield from sorted((ROOT / package).rglob("*.py"))


def screens() -> Iterator[Path]:
    for suffix in ("*.ts", "*.tsx"):
        yield from (path for path in sorted(SCREENS.rglob(suffix)) if path != GENERATED)


def functions(path: Path) -> Iterator[Function]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield Function(f"{path.relative_to(ROOT)}:{node.name}", length(node))


def length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    whole = (node.end_lineno or node.lineno) - node.lineno + 1
    first = node.body[0]
    if isinstance(first, ast.Expr) and ast.get_docstring(node) is not None:
        return whole - ((first.end_lineno or first.lineno) - first.lineno + 1)
    return whole


@cache
def all_functions() -> list[Function]:
    return [function for path in sources() for function in functions(path)]


def test_no_file_is_longer_than_a_reader_bears() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in (*sources(), *screens())}
    assert {str(path): lines for path, lines in lengths.items() if lines > FILE_LINES_MAX} == {}


def test_long_functions_are_none_or_reviewed() -> None:
    long = {
        f.name: f.lines for f in all_functions() if f.lines > FUNCTION_LINES_REVIEW and f.name not in REVIEWED
    }
    assert long == {}
    assert {f.name: f.lines for f in all_functions() if f.lines > FUNCTION_LINES_MAX} == {}


def test_the_review_list_names_only_long_functions() -> None:
    assert {f.name for f in all_functions() if f.lines > FUNCTION_LINES_REVIEW} >= set(REVIEWED)


def test_functions_are_short_as_a_rule() -> None:
    lines = [function.lines for function in all_functions()]
    assert median(lines) <= 8
    assert quantiles(lines, n=20)[-1] <= FUNCTION_LINES_REVIEW


def test_a_match_with_a_condition_says_its_default() -> None:
    """mypy asks for each case only of matches without conditions: `case X() if …` goes unasked."""
    silent = []
    for package in ("controller", "drivers", "stand17", "vision"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.Match) or not any(case.guard for case in node.cases):
                    continue
                last = node.cases[-1]
                if last.guard or not isinstance(last.pattern, ast.MatchAs) or last.pattern.pattern:
                    silent.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert silent == []
