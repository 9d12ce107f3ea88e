"""Pictures of one resting camera in, cards that are certain by then out. Imports reader and what is below it.

What each picture says of a card is joined over the pictures; a single one neither makes nor unmakes a card.
"""

from vision.sequence.resting_reader import RestingReader
from vision.sequence.sequence_reader import SequenceReader

__all__ = ["RestingReader", "SequenceReader"]
