"""Texts of screens and command line: one flat JSON catalogue per language, with `{name}` placeholders.

A placeholder for an amount says so in its text: `{stake:money}`. Parameters come from journals and feeds,
where an amount is an integer like any other, so only the text knows which of them is money. A placeholder for
a word of a closed vocabulary says so too: `{stage:word}` is filled with the text `stage.deal` for "deal". A
count has a form per number in ICU's syntax, `{count, plural, one {# card} other {# cards}}`.
"""

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Final, Literal, get_args

from controller.domain import escaped
from controller.i18n.numbers import money, plural_form

Language = Literal["en", "nl", "de", "fr", "it"]
LANGUAGES: Final[tuple[Language, ...]] = get_args(Language)
"""Shipped languages, in the order in which a switch offers them."""

HOLE: Final = re.compile(r"\{(\w+)\}")
_KIND: Final = re.compile(r"\{(\w+):(?:money|word)\}")
_MONEY: Final = re.compile(r"\{(\w+):money\}")
_WORD: Final = re.compile(r"\{(\w+):word\}")
_CARD: Final = re.compile(r"\b(10|[2-9AJQK])([cdhs])\b")
SUIT_SIGNS: Final = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
CARD_HOLES: Final = frozenset(("card", "cards", "extra", "known", "missing", "reads", "seen", "was"))
"""Parameters that name cards, in every text that has them; a card's number passes through them as it is."""
PLURAL: Final = re.compile(r"\{(\w+), plural,((?: \w+ \{[^{}]*\})+)\}")
_FORM: Final = re.compile(r"(\w+) \{([^{}]*)\}")


@cache
def _written(language: str) -> dict[str, str]:
    """The catalogue as it is written, with the kinds of its holes; KeyError where it is not shipped."""
    if language not in LANGUAGES:
        raise KeyError(language)
    text = Path(__file__).with_name(f"{language}.json").read_text(encoding="utf-8")
    loaded: dict[str, str] = json.loads(text)
    return loaded


@cache
def catalogue(language: str) -> dict[str, str]:
    """All texts of one language, each hole as `{name}`; KeyError for a language that is not shipped."""
    return {key: _KIND.sub(r"{\1}", text) for key, text in _written(language).items()}


@cache
def money_holes(key: str, language: str = "en") -> frozenset[str]:
    """The parameters of a text that are amounts in minor units; none for a key without a text."""
    return frozenset(_MONEY.findall(_written(language).get(key, "")))


@cache
def word_holes(key: str) -> frozenset[str]:
    """The parameters of a text that are words with texts of their own, `HOLE.VALUE`."""
    return frozenset(_WORD.findall(_written("en").get(key, "")))


def with_signs(cards: str) -> str:
    """Return cards with their suit signs: "10h 9c" is `10♥ 9♣`; other text stays as it is."""
    return _CARD.sub(lambda card: card[1] + SUIT_SIGNS[card[2]], cards)


def key_of(code: str, kinds: Iterable[str], params: Iterable[tuple[str, str | int]] = ()) -> str | None:
    """Return the key of a code's text: the first of these kinds in the catalogues; None without one.

    A fault without a box (`box` is 0) may have a text of its own.
    """
    known, kinds = catalogue("en"), tuple(kinds)
    own = [f"{kinds[0]}.{code}_NO_BOX"] if ("box", 0) in params else []
    return next((key for key in (*own, *(f"{kind}.{code}" for kind in kinds)) if key in known), None)


def text(key: str, params: Mapping[str, str | int] | None = None, language: str = "en") -> str:
    """Return the sentence for a key with its placeholders filled from `params`, amounts as 15.00.

    A placeholder without a parameter stays visible, and a key without a text is shown as itself with its
    parameters: a missing translation must never hide an error. Control characters in parameters are escaped:
    they may come from foreign files.
    """
    known = {
        name: escaped(value) if isinstance(value, str) else value for name, value in (params or {}).items()
    }
    sentence = catalogue(language).get(key)
    if sentence is None:
        inner = ", ".join(f"{name}={value}" for name, value in known.items())
        return f"{key} ({inner})" if inner else key
    amounts, words = money_holes(key), word_holes(key)

    def filled(hole: re.Match[str]) -> str:
        value = known.get(hole[1], hole[0])
        if hole[1] in words:
            return catalogue(language).get(f"{hole[1]}.{value}", str(value))
        if hole[1] in CARD_HOLES:
            return with_signs(str(value))
        return money(value, language) if hole[1] in amounts and isinstance(value, int) else str(value)

    def counted(plural: re.Match[str]) -> str:
        count, forms = known.get(plural[1]), dict(_FORM.findall(plural[2]))
        form = plural_form(count, language) if isinstance(count, int) else "other"
        return str(forms.get(form, forms["other"])).replace("#", str(count))

    return HOLE.sub(filled, PLURAL.sub(counted, sentence))
