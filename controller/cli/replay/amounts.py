"""Amounts and times of a replay as text."""

from datetime import timedelta

from controller.i18n import money


def clock(t: float) -> str:
    """Seconds since the header as `0:31:20.5`."""
    whole = timedelta(seconds=round(t, 3))
    return str(whole)[:-3] if whole.microseconds else str(whole)


def amount(amount_minor: int, currency: str) -> str:
    """An amount in the currency's own notation, such as `37.50 EUR`."""
    return money(amount_minor, currency=currency)


def signed_amount(amount_minor: int, currency: str) -> str:
    """Return a win or loss, such as `+7.50 EUR`."""
    return money(amount_minor, currency=currency, signed=True)
