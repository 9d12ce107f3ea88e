"""The card reader: a picture in, certain cards and unclear spots out. Never a guess."""

import time
from functools import partial
from pathlib import Path

import cv2

from vision.acceptance import accept_cards, contradicted_by_whole_card, whole_cards_to_check
from vision.assembly import covered_cards, face_up_cards, find_overlaps
from vision.classifier import Networks, read_indices
from vision.geometry import Image, bgr_picture
from vision.inference import default_models_dir
from vision.objects import (
    PictureEvidence,
    assign_to_hands,
    cards_without_heat,
    foreground_mask,
    remaining_objects,
    unexplained_objects,
)
from vision.proposal import coarse_sample, heat_map_input, propose_indices
from vision.reading import Reading


class CardReader:
    """Reads pictures. One instance may be used by one thread at a time."""

    def __init__(self, networks: Networks) -> None:
        """Use `open`."""
        self._networks = networks

    @classmethod
    def open(cls, models_dir: Path | None = None, threads: int = 2) -> "CardReader":
        """Loads the networks; ConfigError MODEL_MISSING or MODEL_CHANGED when they are not the trained ones.

        OpenCV's own threads are switched off for the process: they wait in turns that keep a core busy, and
        cameras, table and reader share few.
        """
        cv2.setNumThreads(1)
        return cls(Networks.open(models_dir or default_models_dir(), threads))

    def read(self, image: Image) -> Reading:
        """Reads one BGR picture: uint8, height x width x 3, up to `geometry.PIXELS_MAX`.

        Any other array raises a TableError, as `bgr_picture` does; a view whose pixels do not follow one
        another in memory is copied.

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
        overlaps = find_overlaps(acceptance.accepted, acceptance.deck, image)
        whole = whole_cards_to_check(image, acceptance.accepted, covered_cards(overlaps))
        whole_scores = aside(partial(networks.whole_cards.classify, whole.crops))
        objects = unexplained_objects(image, foreground(), acceptance, networks.indices)
        up, evidence = face_up_cards(overlaps), PictureEvidence(image, objects, covered, heat_map())
        down, spots = remaining_objects(evidence, acceptance, networks.indices)
        disagree = cards_without_heat(evidence.heat_map, acceptance.accepted)
        disagree |= contradicted_by_whole_card(acceptance.accepted, whole.numbers, whole_scores())
        if disagree:
            acceptance = acceptance.without(disagree)
            up = face_up_cards(find_overlaps(acceptance.accepted, acceptance.deck, image))
            down, spots = remaining_objects(evidence, acceptance, networks.indices)
        return Reading(tuple(assign_to_hands(up, down)), tuple(spots), (time.perf_counter() - started) * 1e3)
