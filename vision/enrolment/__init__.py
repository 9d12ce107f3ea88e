"""Pictures of known cards in, a deck's profile out. Imports reader and what is below it.

Labels, the order of a spread, or the table's shoe name the cards. A profile is only made when it is proved
on pictures that it was not made from.
"""

from vision.enrolment.dealt_cards import (
    DealtCard,
    DealtRound,
    DealtTable,
    DoubtfulCard,
    LaidPaper,
    PaperWatch,
    PrintNotice,
    PrintWatch,
    RoundLooks,
    print_distance,
)
from vision.enrolment.named_indices import KnownCard, card_name, load_labels, parse_order
from vision.enrolment.profile import (
    DeckProfile,
    EnrolFigures,
    EnrolPicture,
    enrol,
    load_profile,
    open_with_deck,
    write_profile,
)

__all__ = [
    "DealtCard",
    "DealtRound",
    "DealtTable",
    "DeckProfile",
    "DoubtfulCard",
    "EnrolFigures",
    "EnrolPicture",
    "KnownCard",
    "LaidPaper",
    "PaperWatch",
    "PrintNotice",
    "PrintWatch",
    "RoundLooks",
    "card_name",
    "enrol",
    "load_labels",
    "load_profile",
    "open_with_deck",
    "parse_order",
    "print_distance",
    "write_profile",
]
