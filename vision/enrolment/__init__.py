"""Pictures of known cards in, a deck's profile out. Imports classifier, reader and what is below them.

Labels, the order of a spread, or the table's shoe name the cards. A profile is only made when it is proved
on pictures that it was not made from.
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
