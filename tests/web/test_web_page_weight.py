"""The dealer's page: how much it weighs, and that it is sent every text it can show."""

import ast
import gzip
import json
import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import grimp
import pytest
from web_kit import Served

from controller.i18n import LANGUAGES, catalogue
from controller.web.packed_files import ERRORS_AT_THE_TABLE
from controller.web.parts import STATIC

ROOT = Path(__file__).parents[2]
WEIGHT_MAX = 120_000
SERVED = ("controller.web", "controller.runtime")
"""What a dealer's page is answered by, with everything that it imports."""
CAUGHT = ("controller.devices", "drivers", "vision.calibration.layout", "vision.calibration.outcome_files")
"""What runs beside: its own errors are reported, those of the modules that it imports stop the start."""


def constants(module: str) -> set[str]:
    path = ROOT.joinpath(*module.split("."))
    alone = path.with_suffix(".py")
    file = alone if alone.exists() else path / "__init__.py"
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with Served(tmp_path) as running:
        yield running


@pytest.fixture(scope="module")
def said() -> set[str]:
    """Every string in the modules that can answer a dealer's page."""
    graph = grimp.build_graph("controller", "drivers", "vision", cache_dir=None)
    modules = {module for module in graph.modules if module.startswith(SERVED + CAUGHT)}
    for package in SERVED:
        modules |= graph.find_upstream_modules(package, as_package=True)
    return set().union(*(constants(module) for module in modules - {"controller.web.packed_files"}))


def fetched(served: Served, path: str) -> bytes:
    asked = urllib.request.Request(served.url + path, headers={"Accept-Encoding": "gzip"})
    with urllib.request.urlopen(asked, timeout=20) as answer:
        body: bytes = answer.read()
        return body


def test_the_errors_that_the_dealers_page_can_be_sent_are_those_it_has_texts_for(said: set[str]) -> None:
    errors = {code for kind, _, code in (key.partition(".") for key in catalogue("en")) if kind == "error"}
    assert errors & said == ERRORS_AT_THE_TABLE


def test_the_dealers_page_has_every_text_that_the_server_and_its_own_files_name(
    served: Served, said: set[str]
) -> None:
    sent = json.loads(served.get("/api/catalogue/en?at_the_table=true"))
    files = "".join(
        (STATIC / "assets" / name).read_text()
        for name in re.findall(r"/static/assets/([^\"]+\.js)", served.get("/").decode())
    )
    said = said | set(re.findall(r"[\"'`](\w+\.\w+)[\"'`]", files))
    whole = json.loads(served.get("/api/catalogue/en"))
    assert said & (whole.keys() - sent.keys()) == set()
    prefixes = set(re.findall(r"`(\w+\.)[\w.]*\$\{", files))
    assert prefixes, "the page builds keys, such as `ui.rank_${rank}`"
    assert {key for key in whole.keys() - sent.keys() if key.startswith(tuple(prefixes))} == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_dealers_page_stays_light_in_every_language(served: Served, language: str) -> None:
    page = served.get("/").decode()
    files = re.findall(r"(?:src|href)=\"(/static/assets/[^\"]+)\"", page)
    assert {Path(file).suffix for file in files} == {".js", ".css"}
    texts = f"/api/catalogue/{language}?at_the_table=true"
    bodies = [fetched(served, path) for path in (*files, texts)]
    assert all(body.startswith(b"\x1f\x8b") for body in bodies)
    assert len(gzip.compress(page.encode())) + sum(map(len, bodies)) < WEIGHT_MAX
