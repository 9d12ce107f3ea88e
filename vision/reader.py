"""The card reader: a picture in, certain cards and unclear spots out. Never a guess."""

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import cv2

from vision.acceptance import (
    Acceptance,
    accept_cards,
    doubts_of_whole_cards,
    has_pips_beside,
    whole_cards_to_check,
    with_whole_cards,
)
from vision.assembly import covered_cards, face_up_cards, find_overlaps
from vision.classifier import Networks, Prototypes, read_indices, read_likely
from vision.geometry import Image, IndexPoses, Points, bgr_picture
from vision.inference import default_models_dir
from vision.objects import (
    PictureEvidence,
    assign_to_hands,
    cards_without_heat,
    foreground_mask,
    is_strange_deck,
    may_have_pips_beside,
    remaining_objects,
    unexplained_objects,
)
from vision.proposal import coarse_sample, heat_map_input, propose_beside, propose_indices
from vision.reading import Reading, Unclear

FEW: Final = 2
"""Where more cards are accepted by rank and suit, their deck's layout is the usual one.

Source: no measurement on record; of an outside deck with the pips beside the ranks none was accepted so.
"""

Judge = Callable[[Acceptance], Acceptance]
"""Says anew which cards of a picture are certain, by what else is known of them: other pictures, say."""


class CardReader:
    """Reads pictures. One instance may be used by one thread at a time."""

    def __init__(self, networks: Networks) -> None:
        """Use `open`."""
        self._networks = networks

    @classmethod
    def open(
        cls, models_dir: Path | None = None, threads: int = 2, deck: Prototypes | None = None
    ) -> "CardReader":
        """Loads the networks; ConfigError MODEL_MISSING or MODEL_CHANGED when they are not the trained ones.

        With the prototypes of a `deck` only cards of that deck are told.

        OpenCV's own threads are switched off for the process: they wait in turns that keep a core busy, and
        cameras, table and reader share few.
        """
        cv2.setNumThreads(1)
        return cls(Networks.open(models_dir or default_models_dir(), threads, deck))

    @property
    def networks(self) -> Networks:
        """Its networks, to be used by the same thread."""
        return self._networks

    def read(self, image: Image, judge: Judge | None = None) -> Reading:
        """Reads one BGR picture: uint8, height x width x 3, up to `geometry.PIXELS_MAX`.

        `judge` may accept more or fewer cards than this picture does. Any other array raises a TableError, as
        `bgr_picture` does; a view whose pixels do not follow one another in memory is copied.

        What needs little of Python is left to the other thread (`aside`), in such an order that it is done
        when it is asked for: the heat map and the whole cards while indices become cards. Either of them
        seldom disagrees, so the rest goes on without their word; where they do, it is done again.
        """
        started, image = time.perf_counter(), bgr_picture(image)
        networks, aside = self._networks, self._networks.workers.aside
        sample = coarse_sample(image)
        foreground, patches = aside(partial(foreground_mask, sample)), aside(partial(heat_map_input, image))
        indices, covered = read_indices(image, propose_indices(image, sample), networks)
        heat_map = aside(lambda: networks.heat_map.look_at_input(*patches()))
        acceptance = accept_cards(indices, image)
        if acceptance.named <= FEW and may_have_pips_beside(heat_map(), acceptance):
            beside = propose_beside(image, heat_map(), sample)
            acceptance, covered = self._read_beside(image, beside, (acceptance, covered))
        if judge is not None:
            acceptance = judge(acceptance)
        overlaps = find_overlaps(acceptance.accepted, acceptance.deck, image)
        whole = whole_cards_to_check(image, acceptance.accepted, covered_cards(overlaps))
        whole_scores = aside(partial(networks.whole_cards.classify, whole.crops))
        objects = unexplained_objects(image, foreground(), acceptance, networks.indices)
        evidence = PictureEvidence(image, objects, covered, heat_map())
        down, spots = remaining_objects(evidence, acceptance, networks.indices)
        disagree = cards_without_heat(evidence.heat_map, acceptance.accepted)
        if is_strange_deck(evidence.heat_map, acceptance.shown):
            disagree = set(range(len(acceptance.accepted)))
        scores = whole_scores()
        doubts = doubts_of_whole_cards(acceptance.accepted, whole.numbers, scores)
        disagree |= doubts.cards
        cards = with_whole_cards(acceptance.accepted, whole.numbers, scores, doubts.suits)
        acceptance, overlaps = acceptance._replace(accepted=cards), overlaps._replace(cards=cards)
        if disagree:
            acceptance = acceptance.without(disagree)
            overlaps = find_overlaps(acceptance.accepted, acceptance.deck, image)
            down, spots = remaining_objects(evidence, acceptance, networks.indices)
        hands = face_up_cards(overlaps)
        spots += [Unclear(place, "order") for place in hands.guessed]
        ms = (time.perf_counter() - started) * 1e3
        return Reading(tuple(assign_to_hands(hands.cards, down)), tuple(spots), ms)

    def _read_beside(
        self, image: Image, beside: IndexPoses, otherwise: tuple[Acceptance, Points]
    ) -> tuple[Acceptance, Points]:
        """Cards and covered places of a deck with pips beside the ranks; `otherwise`: where it is none."""
        indices, covered = read_likely(image, beside, self._networks)
        acceptance = accept_cards(indices, image)
        return (acceptance, covered) if has_pips_beside(acceptance) else otherwise
