"""A simulated Angel Eye II-EX: its bytes (`wire`) and the shoe that sends them (`shoe`)."""

from drivers.simulated.angel_eye.shoe import AngelEyeShoe, PtyShoe, ShoeSettings
from drivers.simulated.angel_eye.wire import RANKS, SUITS, card_bytes, report_frames

__all__ = [
    "RANKS",
    "SUITS",
    "AngelEyeShoe",
    "PtyShoe",
    "ShoeSettings",
    "card_bytes",
    "report_frames",
]
