"""Amounts, percentages, moments and plurals as a language writes them: the CLDR's rules, by Babel.

Babel and its tables come in when the first of them is written: most commands write none.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from decimal import Decimal
from typing import Final

from controller.domain import decimal, digits_of

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
