"""Amounts, percentages, moments and plurals as a language writes them: the CLDR's rules, by Babel.

Babel and its tables come in when the first of them is written: most commands write none.
"""

from datetime import datetime
from decimal import Decimal
from typing import Final

LOCALES: Final = {"en": "en_GB", "nl": "nl_NL", "de": "de_DE", "fr": "fr_FR", "it": "it_IT"}
"""The same as the pages' (`frontend/src/i18n/i18n.ts`)."""

UNSIGNED: Final = "#,##0.00"
SIGNED: Final = "+#,##0.00;-#,##0.00"


def money(amount_minor: int, language: str = "en", *, currency: str = "", signed: bool = False) -> str:
    """Minor units in units: 120450 is `1,204.50`, in German `1.204,50`; `signed`: with a plus where it moved.

    `currency` is written behind it where it is given, as in `37.50 EUR`.
    """
    from babel.numbers import format_decimal  # noqa: PLC0415 - see above

    pattern = SIGNED if signed and amount_minor else UNSIGNED
    written = format_decimal(Decimal(amount_minor).scaleb(-2), pattern, locale=LOCALES[language])
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
    """The form that so many things take: `one`, `other` and what else the language has."""
    from babel import Locale  # noqa: PLC0415 - see above

    return str(Locale.parse(LOCALES[language]).plural_form(count))
