"""Texts: the same keys and holes in every language, and one for everything that can be said."""

import json
import re
from collections import Counter
from itertools import takewhile
from pathlib import Path
from typing import get_args

import pytest

from controller.i18n import CARD_HOLES, HOLE, LANGUAGES, PLURAL, catalogue, money_holes, text, word_holes
from controller.irregularities import HOLD_KINDS, WAYS
from controller.policy.everyday import Stage
from controller.screens.words import described

ROOT = Path(__file__).parents[2]
WEB = ROOT / "controller" / "web"
KINDS = "line|ui|key|note|detail|info|outcome|reason|why"


def sources(*patterns: str) -> str:
    files = [file for pattern in patterns for file in sorted(ROOT.glob(pattern))]
    assert files
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


def holes(said: str) -> set[str]:
    """The parameters of a text; what Italian has one form for needs no number to choose it."""
    return {*HOLE.findall(PLURAL.sub(r"{\1}\2", said))} - {""}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_keys_and_holes(language: str) -> None:
    english, other = catalogue("en"), catalogue(language)
    assert english.keys() ^ other.keys() == set()
    different = {key for key in english if holes(english[key]) != holes(other[key])}
    assert different == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_key_stands_twice(language: str) -> None:
    """The second text would take the place of the first without a word."""
    written = (ROOT / "controller" / "i18n" / f"{language}.json").read_text(encoding="utf-8")
    keys = [key for key, _ in json.loads(written, object_pairs_hook=list)]
    assert [key for key, often in Counter(keys).items() if often > 1] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_knows_the_same_amounts(language: str) -> None:
    amounts = {key: money_holes(key) for key in catalogue("en")}
    assert {key: money_holes(key, language) for key in catalogue(language)} == amounts


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_amount_is_told_in_units_and_a_count_as_it_is(language: str) -> None:
    paid = text("alert.WRONG_PAYOUT", {"box": 3, "paid": 120450, "expected": 2250}, language)
    due, given = {"en": ("22.50", "1,204.50"), "fr": ("22,50", "1\u202f204,50")}.get(
        language, ("22,50", "1.204,50")
    )
    assert (due in paid, given in paid, "2250" in paid) == (True, True, False)
    assert "1000000" in text("error.FEED_LINE_TOO_LONG", {"limit": 1000000}, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_thing_is_said_otherwise_than_two(language: str) -> None:
    for key, known in catalogue(language).items():
        if counted := PLURAL.findall(known):
            one, two = (text(key, dict.fromkeys((name for name, _ in counted), n), language) for n in (1, 2))
            assert "plural" not in one + two, key
            assert one.replace("1", "2") != two, key


@pytest.mark.parametrize("language", LANGUAGES)
def test_how_far_the_round_had_come_is_told_in_words(language: str) -> None:
    assert word_holes("alert.LATE_BET") == {"stage"}
    for stage in get_args(Stage):
        told = text("alert.LATE_BET", {"box": 2, "seat": 1, "stake": 1000, "stage": stage}, language)
        assert catalogue(language)[f"stage.{stage}"] in told
        assert (("10.00" if language == "en" else "10,00") in told, "{" in told) == (True, False)


@pytest.mark.parametrize("language", LANGUAGES)
def test_catalogues_are_sorted_and_nothing_is_empty(language: str) -> None:
    known = catalogue(language)
    assert list(known) == sorted(known)
    assert not [key for key, sentence in known.items() if not sentence.strip()]


def test_every_way_out_has_its_words() -> None:
    assert {f"way.{way}" for way in WAYS} - catalogue("en").keys() == set()


def test_every_text_that_the_screens_name_exists() -> None:
    named = set(
        re.findall(
            rf'"((?:{KINDS})\.[A-Za-z_0-9]+)"',
            sources(
                "controller/screens/**/*.py", "controller/web/*.py", "controller/web/frontend/src/**/*.ts*"
            ),
        )
    )
    assert len(named) > 100
    assert named - catalogue("en").keys() == set()


def test_every_code_of_engine_and_runtime_has_a_text() -> None:
    code = "\n".join(
        file.read_text(encoding="utf-8")
        for folder in ("engine", "runtime")
        for file in sorted((ROOT / "controller" / folder).rglob("*.py"))
    )
    raised = set(
        re.findall(r'(?:refuse|fault|Alert|hold|Trouble|TableError|Rejected)\(\s*"([A-Z][A-Z_0-9]+)"', code)
    )
    assert len(raised) > 40
    known = {key.partition(".")[2] for key in catalogue("en")}
    assert raised - known == set()


def test_every_fault_has_its_rule_in_one_sentence() -> None:
    rules = {key.removeprefix("rule.") for key in catalogue("en") if key.startswith("rule.")}
    assert set(HOLD_KINDS) - rules == set()


def test_a_missing_text_never_hides_the_code() -> None:
    assert text("refused.NO_SUCH_CODE", {"box": 3}) == "refused.NO_SUCH_CODE (box=3)"
    assert text("ui.box", {"box": 3}, "nl") == "Box 3"


def test_the_lock_file_names_no_registry() -> None:
    lock = (WEB / "frontend" / "package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in lock


COMMAND_LINE = re.compile(
    "calibrate|crash|demo|devices|diff|doctor|enrol|error|export|files|init|mark|misfit|people|read|record"
    "|replay|report|run|setup|show|shrink|signed|software|tls|verify|version"
)
"""Kinds of texts that a terminal or paper shows: they may name options and fields."""

ADDRESSED = {
    "en": r"\b[Tt]old\b|[Pp]ut (it |what \w+ )?right|let it stand",
    "de": r"\b[Dd]u\b|\bdein|\bgesagt\b|\bpatt\b",
    "fr": r"[Pp]lus d'assurance|\btu\b|\btes\b|\b[Bb]ox\b|\bBOX\b",
    "it": r"puntator|\bLei\b|(^|[.:;] )([Cc]ontate|[Gg]uardate|[Cc]hiedete|[Vv]eda|[Gg]uardi) [a-z]"
    r"|(^|[.:;] )([Gg]uard|[Tt]occ|[Uu]s|[Ss]blocc|[Cc]onfront|[Ii]ndic|[Cc]ontroll|[Dd]igit|[Ss]post)are",
    "nl": r"\bje\b|\bjij\b|\bjouw\b",
}
"""Another way to address a reader than the rest of the screens has, and words that nobody says."""


def glossary(*heads: str) -> list[dict[str, str]]:
    """The rows of the table of docs/glossary.md that has these heads."""
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("| ")
    ]
    later = rows[rows.index([*heads]) + 1 :]
    return [
        dict(zip(heads, row, strict=True)) for row in takewhile(lambda row: len(row) == len(heads), later)
    ]


def other_words(language: str) -> str:
    """The words after "not" in docs/glossary.md, as one expression; "-" is any ending."""
    named = [row[language] for row in glossary("word", "nl", "de", "fr", "it")]
    words = [word for cell in named for word in cell.partition("; not ")[2].split(", ") if word]
    assert len(words) > 10
    return "|".join(
        rf"\b{re.escape(word.removesuffix('-'))}" + ("" if word[-1] == "-" else r"\b") for word in words
    )


def on_screens(language: str) -> dict[str, str]:
    """The texts of the dealer's screen and the pit's, without their holes."""
    texts = catalogue(language).items()
    return {key: HOLE.sub("", said) for key, said in texts if not COMMAND_LINE.fullmatch(key.split(".")[0])}


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_word_stands_for_one_thing(language: str) -> None:
    texts, english = on_screens(language), on_screens("en")
    assert {key: said for key, said in texts.items() if re.search(ADDRESSED[language], said)} == {}
    if language != "en":
        other = re.compile(other_words(language), re.IGNORECASE if language == "nl" else 0)
        assert {key: said for key, said in catalogue(language).items() if other.search(said)} == {}
    # Keys and lines have names of their own wherever English gives them one.
    meant: dict[str, set[str]] = {}
    for key, said in texts.items():
        if key.split(".")[0] in ("key", "line"):
            meant.setdefault(said.lower(), set()).add(english[key].lower())
    assert {said: names for said, names in meant.items() if len(names) > 1} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_screen_says_a_code_a_field_or_json(language: str) -> None:
    named = re.compile(r"[A-Z]{2,}_[A-Z]+|[a-z]+_[a-z]+|\bJSON\b")
    screens = on_screens(language)
    assert [key for key, said in screens.items() if named.search(said)] == []
    assert [key for key in screens if "{code}" in catalogue(language)[key]] == []
    # A card that fills a hole is read by its sign, in a sentence of a journal as on a screen.
    for key in screens:
        cards = [(name, "10d") for name in HOLE.findall(catalogue(language)[key]) if name in CARD_HOLES]
        assert "10d" not in text(key, dict(cards), language)
        if key.split(".")[0] in ("alert", "hold", "dispute"):
            assert "10d" not in described("alert", key.partition(".")[2], cards).params.values()
