"""Pictures of known cards in, a deck's profile out. Imports classifier, reader and what is below them.

The cards are known by labels, by the order in which they are spread, or by the shoe of the table on which
they lie. A profile has proven itself on pictures that it was not made from, or it is none.
"""

from vision.enrolment.dealt_cards import DealtCard, DealtRound, DealtTable, DoubtfulCard, RoundLooks
from vision.enrolment.deck_reader import open_with_deck
from vision.enrolment.known_cards import KnownCard, card_name, load_labels, parse_order
from vision.enrolment.laid_papers import LaidPaper, PaperWatch
from vision.enrolment.print_watch import PrintNotice, PrintWatch, print_distance
from vision.enrolment.profile_file import DeckProfile, EnrolFigures, load_profile, write_profile
from vision.enrolment.profile_making import EnrolPicture, enrol

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
