"""The card reader: a picture in, certain cards and unclear spots out. Never a guess."""

import time
from functools import partial
from pathlib import Path

import cv2

from vision.acceptance.card_acceptance import judge
from vision.acceptance.whole_card_check import bodies_of, named_otherwise
from vision.assembly.overlaps import covered_cards, make_pile
from vision.classifier.index_reading import read_indices
from vision.classifier.networks import Networks, default_models_dir
from vision.geometry.arrays import Image
from vision.objects.card_sized import things_on
from vision.objects.face_down import with_hands
from vision.objects.heat_map_audit import unseen
from vision.objects.unclear_spots import Seen, besides, face_up, lone_sheets
from vision.proposal.heat_map import patches_of
from vision.proposal.index_pairs import find_candidates
from vision.proposal.paper_mask import sample_of
from vision.reading import Reading


class CardReader:
    """Reads pictures. One instance may be used by one thread at a time."""

    def __init__(self, networks: Networks) -> None:
        """Use `open`."""
        self._networks = networks

    @classmethod
    def open(cls, models_dir: Path | None = None, threads: int = 2) -> "CardReader":
        """Loads the model; ConfigError MODEL_MISSING or MODEL_CHANGED when it is not the trained one.

        OpenCV's own threads are switched off for the process: they wait in turns that keep a core busy, and
        cameras, table and reader share few.
        """
        cv2.setNumThreads(1)
        return cls(Networks.open(models_dir or default_models_dir(), threads))

    def read(self, image: Image) -> Reading:
        """Reads one BGR picture of any size.

        What needs little of Python is left to the other thread, in such an order that it is done when it is
        asked for: the survey and the second reader while the indices become cards. That something is doubted
        by one of them is rare; what was found out meanwhile is then found out again.
        """
        started = time.perf_counter()
        networks, aside = self._networks, self._networks.workers.aside
        sample = sample_of(image)
        things, patches = aside(partial(things_on, sample)), aside(partial(patches_of, image))
        indices, hidden = read_indices(image, find_candidates(image, sample), networks)
        look = aside(lambda: networks.surveys.see(*patches()))
        verdict = judge(indices, image)
        pile = make_pile(verdict.sure, verdict.deck, image)
        bodies = bodies_of(image, verdict.sure, covered_cards(pile))
        second = aside(partial(networks.bodies.classify, bodies.crops))
        sheets = lone_sheets(image, things(), verdict, networks.indices)
        up, seen = face_up(pile), Seen(image, sheets, hidden, look())
        down, spots = besides(seen, verdict, networks.indices)
        doubted = unseen(seen.survey, verdict.sure)
        doubted |= named_otherwise(verdict.sure, bodies.numbers, second())
        if doubted:
            verdict = verdict.doubting(doubted)
            up = face_up(make_pile(verdict.sure, verdict.deck, image))
            down, spots = besides(seen, verdict, networks.indices)
        return Reading(tuple(with_hands(up, down)), tuple(spots), (time.perf_counter() - started) * 1e3)
