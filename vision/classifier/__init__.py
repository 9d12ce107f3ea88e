"""Proposals in, indices with their posteriors out, certain or not. Imports geometry, inference, proposal.

Also the network that reads a whole card by its pips and court art, with the index blanked.
"""

from vision.classifier.beside_check import with_beside_checked
from vision.classifier.deck_network import FEATURES, WITNESS_SURE, DeckIndexNetwork, named_by_deck
from vision.classifier.exposures import read_exposures
from vision.classifier.faces import (
    CARDS,
    FACE_CROP,
    FACE_RULE,
    Faces,
    NamedFace,
    face_planes,
    face_tones,
    in_sight_of,
)
from vision.classifier.index import Index, poses_of
from vision.classifier.index_network import (
    HEADS,
    INDEX_CROP,
    KNOWN,
    UNKNOWN_BELOW,
    IndexNetwork,
    WholeCardNetwork,
)
from vision.classifier.index_reading import indices_of, read_further, read_indices, read_likely, with_corners
from vision.classifier.networks import Networks
from vision.classifier.prototypes import (
    Classes,
    DeckScores,
    Prototypes,
    deck_scores,
    fit_classes,
    print_distances,
)
from vision.classifier.scores import LIKELIER, STATE_INDEX, Scores, softmax_heads
from vision.classifier.test_time_augmentation import Augmentation, augmented_views
from vision.classifier.view_fusion import Posterior, fuse_labels, fuse_views
from vision.classifier.whole_card import WHOLE_CARD_CROP, blank_corners, crop_whole_cards

__all__ = [
    "CARDS",
    "FACE_CROP",
    "FACE_RULE",
    "FEATURES",
    "HEADS",
    "INDEX_CROP",
    "KNOWN",
    "LIKELIER",
    "STATE_INDEX",
    "UNKNOWN_BELOW",
    "WHOLE_CARD_CROP",
    "WITNESS_SURE",
    "Augmentation",
    "Classes",
    "DeckIndexNetwork",
    "DeckScores",
    "Faces",
    "Index",
    "IndexNetwork",
    "NamedFace",
    "Networks",
    "Posterior",
    "Prototypes",
    "Scores",
    "WholeCardNetwork",
    "augmented_views",
    "blank_corners",
    "crop_whole_cards",
    "deck_scores",
    "face_planes",
    "face_tones",
    "fit_classes",
    "fuse_labels",
    "fuse_views",
    "in_sight_of",
    "indices_of",
    "named_by_deck",
    "poses_of",
    "print_distances",
    "read_exposures",
    "read_further",
    "read_indices",
    "read_likely",
    "softmax_heads",
    "with_beside_checked",
    "with_corners",
]
