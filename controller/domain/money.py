"""Amounts of money: whole minor units (cents) of the table's currency, never a float.

How many digits a currency's minor unit has is ISO 4217's, as of 2024; locale data rounds some of them away.
"""

from collections.abc import Mapping
from typing import Final, NewType

Money = NewType("Money", int)
"""An amount in minor units, negative where it is taken away.

A type for the checker only: at run time, in feeds and in journals it is a plain integer. What devices and
people report is an integer, too, until the engine has taken it for an amount.
"""

MINOR: Final = 100
"""Minor units in one unit of the table's currency."""


def decimal(amount_minor: int, digits: int = 2) -> str:
    """An amount in units as a decimal string: 2250 is "22.50", -5 is "-0.05"; of a yen 2250 is "2250"."""
    sign = "-" if amount_minor < 0 else ""
    whole, part = divmod(abs(amount_minor), 10**digits)
    return f"{sign}{whole}.{part:0{digits}d}" if digits else f"{sign}{whole}"


DIGITS_OF: Final[Mapping[int, str]] = {
    0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
    2: (
        "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD "
        "CDF CHE CHF CHW CNY COP COU CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP "
        "GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL "
        "MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN "
        "QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD "
        "TWD TZS UAH USD USN UYU UZS VED VES WST XCD YER ZAR ZMW ZWG ZWL"
    ),
    3: "BHD IQD JOD KWD LYD OMR TND",
    4: "CLF UYW",
}
"""The currencies by the digits of their minor unit."""

_DIGITS: Final = {code: digits for digits, codes in DIGITS_OF.items() for code in codes.split()}

CURRENCY_WANTED: Final = "a currency of ISO 4217, such as EUR"


def digits_of(currency: str) -> int | None:
    """The digits of a currency's minor unit; None for what is no currency of ISO 4217."""
    return _DIGITS.get(currency)
