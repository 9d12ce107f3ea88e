"""Each act, view of the history and public function has an example, and it does what it says."""

import doctest
import importlib
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import pytest

import stand17
from controller.acts.catalogue import (
    ACTS,
    DECLARED,
    RULINGS,
    ChipReading,
    Fill,
    Limits,
    MoneyAct,
    Paid,
    SlipVoided,
)
from controller.domain import ConfigError
from controller.feed.codec import parse, to_json
from controller.history.entry_line import EntryLine
from controller.history.history import History
from controller.history.tables import TABLES, VIEWS
from controller.i18n import catalogue
from controller.journal.entry import KINDS
from controller.main import archived_history
from controller.runtime.draft import CHANGES
from controller.screens.sentences import sentence_of_fact

ROOT: Final = Path(__file__).parents[2]
LINE: Final = re.compile(r"Example: `(.*?)`", re.DOTALL)
Line = dict[str, Any]
QUERY: Final = re.compile(r"^-- Example: (.*(?:\n--  .*)*)", re.MULTILINE)
RELATION: Final = re.compile(r"^CREATE (?:TABLE|VIEW) (\w+)", re.MULTILINE)
QUERIES: Final = [found.replace("\n--", "") for found in QUERY.findall(TABLES + VIEWS)]
WITHOUT_SENTENCE: Final = {ChipReading}
"""What a chip source sees; the stake or payout made of it has its own entry."""
NO_SENTENCE: Final = [("rest_card", "rank", None)]
"""A rest's card that was not read: the hold over it has its own entry."""
OTHERWISE_SAID: Final = {
    "fact",
    "alert",
    "trouble",
    "held",
    "disputed",
    "refused",
    "alert_step",
    "ordered",
    "adjusted",
}
"""Kinds whose sentence is chosen by what their body says."""
WITHOUT_KIND: Final = {"ruled", "carried", "day_ended"}
"""A ruling on a card that waits has its fact; the others join the files of two days."""
SIGNED: Final = {"by", "round"}
"""Fields that the record shows beside the sentence."""
UNSAID: Final = {
    "card": {"p", "to", "box", "hand", "pose", "id", "out"},
    "decision": {"hand", "seats", "stakes"},
    "reveal": {"rank", "suit", "early"},
    "exposed": {"who", "rank", "suit", "turned"},
    "correct": {"id"},
    "strike": {"id", "as"},
    "move": {"id", "hand"},
    "swap": {"from", "with"},
    "amend_decision": {"seats", "stakes"},
    "amend_peek": {"blackjack"},
    "shoe": {"decks", "cards", "set"},
    "shuffle": {"cards"},
    "shoe_end": {"cards"},
    "paid": {"how"},
    "slip_void": {"nth"},
    "drop": {"seat", "kind", "slip"},
    "limits": {"stake_step"},
    "resume": {"codes"},
}
"""Fields that the sentence of an act leaves out."""
TOLD: Final = [shape for shape in ACTS if shape not in WITHOUT_SENTENCE]
PUBLIC: Final = [
    part
    for part in (getattr(stand17, name) for name in stand17.__all__)
    # Records have fields alone.
    if getattr(part, "__module__", "").startswith("stand17.")
    and part not in (stand17.DealerView, stand17.HandView, stand17.RuleBroken)
]


def example_of(shape: type) -> Line:
    """The line in the description of an act."""
    found = LINE.search(inspect.getdoc(shape) or "")
    assert found is not None
    line: Line = json.loads(found[1].replace("\n", " "))
    return line


def parts_of(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def closed_values(hint: Any) -> Iterator[object]:
    """Each value of a closed vocabulary, of a truth value, and null."""
    for part in parts_of(hint):
        if get_origin(part) is Literal:
            yield from get_args(part)
        elif part is bool:
            yield from (False, True)
        elif part is NoneType:
            yield None


def some_values(hint: Any) -> Iterator[object]:
    """Values of a field that a sentence could tell apart."""
    yield from closed_values(hint)
    yield from (
        1,
        2,
        90_000,
        100_000,
        "pit:P-07",
        "X-1",
        "QX7K2MZA",
        "QX7K2MZB",
        0.5,
        [1],
        [2],
        ["FROZEN"],
        ["LOST"],
        ["Ah"],
        ["2h"],
    )
    yield from ({"1": 500}, {"1": 600}, {"500": 1}, {"box": 3, "hand": 1}, {"box": 4, "hand": 1})


def lines_of(shape: type) -> Iterator[tuple[str, Line]]:
    """The example with each closed value in each field, and the field."""
    line = example_of(shape)
    for name, hint in get_type_hints(shape).items():
        key = ACTS[shape].renamed.get(name, name)
        yield from ((key, {**line, key: value}) for value in closed_values(hint))


def is_line(line: Line) -> bool:
    try:
        parse(line)
    except ConfigError:
        return False
    return True


@pytest.mark.parametrize("shape", TOLD, ids=lambda shape: shape.__name__)
def test_each_word_of_an_act_has_a_sentence(shape: type) -> None:
    """A new word of a closed field needs its sentence `did.` in the five catalogues."""
    silent = [
        (line["obs"], key, line[key])
        for key, line in lines_of(shape)
        if is_line(line) and sentence_of_fact("pit:P-02", line) is None
    ]
    assert [one for one in silent if one not in NO_SENTENCE] == []


@pytest.mark.parametrize("shape", TOLD, ids=lambda shape: shape.__name__)
def test_each_field_of_an_act_is_in_its_sentence_or_named_here(shape: type) -> None:
    """A new field: into the sentence `did.` (a hole, or a word of `_VARIANTS`), or into `UNSAID` above."""
    about = ACTS[shape]
    bases = [example_of(shape), *(line for _, line in lines_of(shape))]
    unsaid = set()
    name = f"{about.name}_{about.what}" if about.what else about.name
    # Without it every field below would count as left out.
    assert any(sentence_of_fact("pit:P-02", base) for base in bases), f"no did.{name}… in controller/i18n"
    for field, hint in get_type_hints(shape).items():
        key = about.renamed.get(field, field)
        told = (
            {
                str(sentence_of_fact("pit:P-02", line))
                for value in some_values(hint)
                if is_line(line := {**base, key: value})
            }
            for base in bases
        )
        if not any(len(sentences) > 1 for sentences in told):
            unsaid.add(key)
    assert unsaid - SIGNED == UNSAID.get(name, set())


def test_each_kind_of_entry_has_a_sentence_or_is_named_here() -> None:
    """A new kind of `controller.journal.entry` needs its sentence `did.KIND` in the five catalogues."""
    known = catalogue("en")
    silent = {kind for kind in KINDS if not any(key.startswith(f"did.{kind}") for key in known)}
    assert silent - OTHERWISE_SAID == WITHOUT_KIND


def test_each_kind_of_entry_says_what_it_means_to_the_ledger() -> None:
    """A new kind of `controller.journal.entry` is a key of `CHANGES`; without one it would mean nothing."""
    assert {"fact", *CHANGES} == set(KINDS)


WITHOUT_FLOAT: Final = {Paid, ChipReading, Limits}
"""Acts of money that move nothing of the float: a payout counts in the round's result."""


@pytest.mark.parametrize(
    "shape", sorted(set(get_args(MoneyAct)) - WITHOUT_FLOAT, key=repr), ids=lambda shape: shape.__name__
)
def test_each_act_of_the_float_is_in_the_history(shape: type) -> None:
    """A new act of money: a case of `History._float`, or a name in `WITHOUT_FLOAT` above."""
    fill = example_of(Fill)
    lines = [fill, {"obs": "slip_void", "kind": "fill", "slip": fill["slip"], "by": "P-02", "reason": "X"}]
    history, example = History(), example_of(shape)
    for seq, line in enumerate(lines if shape is SlipVoided else [example], 1):
        history.take([EntryLine(seq, "fact", seq, 1, "pit:P-02", line)])
    assert len(history.rows("SELECT * FROM movement")) == len(lines if shape is SlipVoided else [example])


@pytest.mark.parametrize("shape", DECLARED, ids=lambda shape: shape.__name__)
def test_the_example_of_an_act_is_a_line_of_it(shape: type) -> None:
    line = example_of(shape)
    assert type(parse(line)) is shape
    assert to_json(parse(line)) == line
    # The record and the report have words for it: without them it would pass in silence.
    name = f"{line['obs']}_{line['what']}" if "what" in line else line["obs"]
    said = shape in WITHOUT_SENTENCE or sentence_of_fact("pit:P-02", line) is not None
    assert said, f"no did.{name} in controller/i18n"
    assert shape not in RULINGS or f"shift_report.did.{name}" in catalogue("en")


@pytest.mark.parametrize("query", QUERIES)
def test_the_example_of_a_view_runs(query: str) -> None:
    assert isinstance(History().rows(query), list)


def test_each_table_and_view_of_the_history_is_in_an_example() -> None:
    named = {word for query in QUERIES for word in re.findall(r"\w+", query)}
    assert set(RELATION.findall(TABLES + VIEWS)) <= named


WITHOUT_DATABASE: Final = {"pause", "open_alert", "shadow", "device"}
"""Views of which no database has a table: the pages of one table and its report read them."""


def test_each_view_is_in_the_database_or_named_here() -> None:
    assert set(RELATION.findall(VIEWS)) - set(archived_history.VIEWS) == WITHOUT_DATABASE


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
