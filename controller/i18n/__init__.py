"""Texts of screens and command line: one flat JSON catalogue per language, with `{name}` placeholders.

A placeholder for an amount says so in its text: `{stake:money}`. Parameters come from journals and feeds,
where an amount is an integer like any other, so only the text knows which of them is money. A placeholder for
a word of a closed vocabulary says so too: `{stage:word}` is filled with the text `stage.deal` for "deal". A
count has a form per number in ICU's syntax, `{count, plural, one {# card} other {# cards}}`.

Amounts, percentages, moments and plurals follow the CLDR's rules, by Babel. It is imported when the first of
them is written: most commands write none.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Final, Literal, get_args

from controller.domain import decimal, digits_of, escaped

LOCALES: Final = {"en": "en_GB", "nl": "nl_NL", "de": "de_DE", "fr": "fr_FR", "it": "it_IT"}
"""The same as the pages' (`frontend/src/i18n/i18n.ts`)."""

UNSIGNED: Final = "#,##0.00"
CENTS: Final = 2
_TOLD: Final = ContextVar("told digits", default=CENTS)
"""Digits of an amount whose currency is not given: those of the file that is being told of."""


def digits_or_cents(currency: str) -> int:
    """The digits of a currency's minor unit; two where it is none, as old journals may have it."""
    known = digits_of(currency)
    return CENTS if known is None else known


@contextmanager
def told_in(currency: str) -> Iterator[None]:
    """Write amounts that name no currency in the digits of this one."""
    before = _TOLD.set(digits_or_cents(currency))
    try:
        yield
    finally:
        _TOLD.reset(before)


def units(amount_minor: int) -> str:
    """Minor units in units of the told currency, as they go to a page: 2250 is "22.50", of a yen "2250"."""
    return decimal(amount_minor, _TOLD.get())


def money(
    amount_minor: int,
    language: str = "en",
    *,
    currency: str = "",
    signed: bool = False,
    digits: int | None = None,
) -> str:
    """Minor units in units: 120450 is `1,204.50`, in German `1.204,50`; `signed`: with a plus where it moved.

    `currency` is written behind it where it is given, as in `37.50 EUR`; its minor unit has its own digits,
    as in `3,750 JPY`. `digits` are those of a currency that is named elsewhere.
    """
    from babel.numbers import format_decimal  # noqa: PLC0415 - see above

    if digits is None:
        digits = digits_or_cents(currency) if currency else _TOLD.get()
    pattern = "#,##0" + ("." + "0" * digits if digits else "")
    if signed and amount_minor:
        pattern = f"+{pattern};-{pattern}"
    written = format_decimal(Decimal(amount_minor).scaleb(-digits), pattern, locale=LOCALES[language])
    return f"{written} {currency}" if currency else written


def percent(value: float, language: str = "en") -> str:
    """A share in hundredths, with two decimals: 2.5 is `2.50 %`, in German `2,50 %`."""
    from babel.numbers import format_decimal  # noqa: PLC0415 - see above

    return f"{format_decimal(value, UNSIGNED, locale=LOCALES[language])} %"


def clock(moment: datetime, language: str = "en") -> str:
    """Hours and minutes."""
    from babel.dates import format_time  # noqa: PLC0415 - see above

    return format_time(moment, "short", locale=LOCALES[language])


def day(moment: datetime, language: str = "en") -> str:
    """Day, month and year, such as `26 Nov 2026`."""
    from babel.dates import format_date  # noqa: PLC0415 - see above

    return format_date(moment, "medium", locale=LOCALES[language])


def plural_form(count: int, language: str = "en") -> str:
    """Return the plural form of a count: `one`, `other` and the language's further forms."""
    from babel import Locale  # noqa: PLC0415 - see above

    return str(Locale.parse(LOCALES[language]).plural_form(count))


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
