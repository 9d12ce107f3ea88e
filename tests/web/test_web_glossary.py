"""One word for one thing: the key, the dealer's line and the log name it alike in every language."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from controller import i18n
from controller.i18n import LANGUAGES, catalogue

GLOSSARY: dict[str, Any] = json.loads(Path(i18n.__file__).with_name("glossary.json").read_text("utf-8"))
"""`terms`: the texts that name a term, and the forms of its word by language; `forbidden`: other words.

`voice`: forms of the verb that a group of texts does not take, such as the past tense in the Dutch log.
"""


INVARIANT = {"report.rate", "note.ALL_DONE"}
"""In one language their noun has one form, or none is said."""


def plain(said: str) -> str:
    return said.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_key_the_line_and_the_log_use_the_same_word(language: str) -> None:
    texts = catalogue(language)
    others = [
        (term, key, texts[key])
        for term, named in GLOSSARY["terms"].items()
        for key in named["keys"]
        if not any(plain(form) in plain(texts[key]) for form in named[language])
    ]
    assert others == []
    assert len(GLOSSARY["terms"]) >= 60


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_uses_a_word_that_the_glossary_has_replaced(language: str) -> None:
    used = [
        (pattern, key, said)
        for pattern in GLOSSARY["forbidden"][language]
        for key, said in catalogue(language).items()
        if re.search(pattern, plain(said))
    ]
    assert used == []


@pytest.mark.parametrize("voice", GLOSSARY["voice"], ids=lambda voice: voice["language"])
def test_texts_beside_each_other_speak_in_one_way(voice: dict[str, str]) -> None:
    others = [
        (key, said)
        for key, said in catalogue(voice["language"]).items()
        if re.match(voice["keys"], key) and re.search(voice["forbidden"], plain(said))
    ]
    assert others == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_counted_has_a_form_for_one(language: str) -> None:
    """A count beside a noun is a plural of ICU wherever English has two forms of the noun."""
    english, texts = catalogue("en"), catalogue(language)
    lacks = {key for key, said in english.items() if ", plural," in said and ", plural," not in texts[key]}
    assert lacks - INVARIANT == set()
