"""Pictures of one resting camera in, cards that are certain by then out. Imports reader and what is below it.

Results for a card are joined over the pictures; a single picture
neither adds nor removes a card.
"""

from vision.sequence.resting_reader import RestingReader
from vision.sequence.sequence_reader import SequenceReader

__all__ = ["RestingReader", "SequenceReader"]
