"""Each act, view of the history and public function has an example, and it does what it says."""

import doctest
import importlib
import inspect
import json
import re
from pathlib import Path
from typing import Final

import pytest

from controller.acts.catalogue import DECLARED, RULINGS, ChipReading
from controller.feed.codec import parse, to_json
from controller.history.history import History
from controller.history.tables import TABLES, VIEWS
from controller.i18n import catalogue
from controller.screens.shift.sentences import sentence_of_fact
from stand17 import Door, Feed, Table, card, pack

ROOT: Final = Path(__file__).parents[2]
LINE: Final = re.compile(r"Example: `(.*?)`", re.DOTALL)
QUERY: Final = re.compile(r"^-- Example: (.*(?:\n--  .*)*)", re.MULTILINE)
RELATION: Final = re.compile(r"^CREATE (?:TABLE|VIEW) (\w+)", re.MULTILINE)
QUERIES: Final = [found.replace("\n--", "") for found in QUERY.findall(TABLES + VIEWS)]
WITHOUT_SENTENCE: Final = {ChipReading}
"""What a chip source sees; the stake or payout made of it has its own entry."""
PUBLIC: Final = (Table, Door, Feed, card, pack)


@pytest.mark.parametrize("shape", DECLARED, ids=lambda shape: shape.__name__)
def test_the_example_of_an_act_is_a_line_of_it(shape: type) -> None:
    found = LINE.search(inspect.getdoc(shape) or "")
    assert found is not None
    line = json.loads(found[1].replace("\n", " "))
    assert type(parse(line)) is shape
    assert to_json(parse(line)) == line
    # The record and the report have words for it: without them it would pass in silence.
    assert shape in WITHOUT_SENTENCE or sentence_of_fact("pit:P-02", line) is not None
    if shape in RULINGS:
        what = f"_{line['what']}" if "what" in line else ""
        assert f"shift_report.did.{line['obs']}{what}" in catalogue("en")


@pytest.mark.parametrize("query", QUERIES)
def test_the_example_of_a_view_runs(query: str) -> None:
    assert isinstance(History().rows(query), list)


def test_each_table_and_view_of_the_history_is_in_an_example() -> None:
    named = {word for query in QUERIES for word in re.findall(r"\w+", query)}
    assert set(RELATION.findall(TABLES + VIEWS)) <= named


@pytest.mark.parametrize("module", sorted({part.__module__ for part in PUBLIC}))
def test_the_examples_of_the_public_face_give_what_they_say(
    module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    outcome = doctest.testmod(importlib.import_module(module))
    assert outcome.failed == 0
    assert outcome.attempted > 0


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (f"{part.__name__}.{name}".removesuffix(".__call__"), inspect.getdoc(member) or "")
        for part in PUBLIC
        for name, member in (vars(part).items() if inspect.isclass(part) else [("__call__", part)])
        if (callable(member) or isinstance(member, property))
        and (name in ("__init__", "__call__") or name[0] != "_")
    ],
    ids=lambda text: text.splitlines()[0][:60] if text else "",
)
def test_each_public_operation_has_an_example(name: str, text: str) -> None:
    assert ">>>" in text, name
