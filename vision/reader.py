"""The card reader: a picture in, certain cards and unclear spots out. Never a guess."""

import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Final, NamedTuple

import cv2
import numpy as np

from vision.acceptance import (
    Acceptance,
    WholeCardDoubts,
    accept_cards,
    doubts_of_whole_cards,
    has_pips_beside,
    whole_cards_to_check,
    with_whole_cards,
)
from vision.card_sized import assign_to_hands, foreground_mask
from vision.exposures import read_exposures, with_added_cards
from vision.face_witness import (
    one_card_a_quad,
    outlined_by_place,
    placed_faces,
    with_corner_faces,
    with_named_faces,
    with_warm_faces,
    without_own_print,
)
from vision.geometry import SURELY_SAME, Image, IndexPlace, bgr_picture, is_grey, within_reach
from vision.hands import covered_cards, face_up_cards, find_overlaps
from vision.heat_map import HeatMap, heat_map_input, propose_hot, shifted
from vision.heat_map_audit import (
    cards_without_heat,
    faint_places,
    is_strange_deck,
    may_have_pips_beside,
)
from vision.indices import (
    Index,
    poses_of,
    read_further,
    read_indices,
    read_likely,
    with_beside_checked,
    with_corners,
)
from vision.inference import default_models_dir
from vision.networks import Networks, Prototypes
from vision.proposal import coarse_sample, keep_likely, propose_beside, propose_indices
from vision.reading import Reading, Step, Unclear, UnclearReason
from vision.remaining import PictureEvidence, lone_papers, remaining_objects, unexplained_objects

Judge = Callable[[Acceptance], Acceptance]
"""Says anew which cards of a picture are certain, by what else is known of them: other pictures, say."""


_READ_AGAIN: Final[frozenset[UnclearReason]] = frozenset(
    {"uncertain", "occluded", "disagreement", "like_card", "unread", "missed"}
)
"""Why something is unclear that another exposure may say."""


class _Look(NamedTuple):
    """A picture's evidence before the reported cards are known.

    The foreground mask and the heat map may still be computed on the other thread. `beside`: the deck has its
    pips beside the ranks. `grey`: no colours, and no profile that learnt suits without them.
    """

    image: Image
    foreground: Callable[[], Image]
    heat_map: Callable[[], HeatMap]
    indices: list[Index]
    covered: list[Index]
    acceptance: Acceptance
    beside: bool = False
    card_px: float | None = None
    grey: bool = False


class CardReader:
    """Reads pictures. One instance may be used by one thread at a time."""

    def __init__(self, networks: Networks) -> None:
        """Use `open`."""
        self.networks = networks

    @classmethod
    def open(
        cls, models_dir: Path | None = None, threads: int = 2, deck: Prototypes | None = None
    ) -> "CardReader":
        """Loads the networks; ConfigError MODEL_MISSING or MODEL_CHANGED when they are not the trained ones.

        With the prototypes of a `deck` only cards of that deck are reported.

        OpenCV's own threads are switched off for the process: they wait in turns that keep a core busy, and
        cameras, table and reader share few.
        """
        cv2.setNumThreads(1)
        return cls(Networks.open(models_dir or default_models_dir(), threads, deck))

    def read(
        self,
        image: Image,
        judge: Judge | None = None,
        *,
        thorough: bool = False,
        card_px: float | None = None,
    ) -> Reading:
        """Reads one BGR picture: uint8, height x width x 3, up to `geometry.PIXELS_MAX`.

        `judge` may accept more or fewer cards than this picture does. `thorough`: where something stays
        unclear, it is also read as other exposures show it, which may take several times as long; not with
        a deck's profile, which was proved without. Any other array raises a TableError, as `bgr_picture`
        does; a view whose pixels do not follow one another in memory is copied. `card_px` is a card's long
        side where the camera's place says so: a back that no network knows is seen by it where it lies alone.
        """
        started = time.perf_counter()
        look = self._read_corners(self._look_at(image, card_px))
        reading, acceptance = None, look.acceptance
        again = thorough and not look.beside and self.networks.deck is None
        if again:
            reading = self._reading(look, acceptance)
            acceptance = self._read_again(look, reading)
        if judge is not None:
            acceptance = judge(acceptance)
        if reading is None or acceptance is not look.acceptance:
            reading = self._reading(look, acceptance)
        on: dict[Step, bool] = {
            "profile": self.networks.deck is not None,
            "card_size": card_px is not None,
            "grey": look.grey,
            "pips_beside": look.beside,
            "other_exposures": again,
        }
        steps = tuple(step for step, is_on in on.items() if is_on)
        return reading._replace(ms=(time.perf_counter() - started) * 1e3, steps=steps)

    def _read_again(self, look: _Look, reading: Reading) -> Acceptance:
        """Return the acceptance with other exposures of places that are unclear, or faint on the heat map."""
        spots = [spot.at for spot in reading.unclear if spot.reason in _READ_AGAIN]
        faint = faint_places(look.heat_map(), look.acceptance.accepted, look.acceptance.deck)
        places = np.concatenate([np.array(spots).reshape(-1, 2), faint])
        if not len(places):
            return look.acceptance
        joined = read_exposures(look.image, look.indices, places, self.networks)
        return with_added_cards(look.acceptance, accept_cards(joined, look.image, grey=look.grey))

    def _look_at(self, image: Image, card_px: float | None) -> _Look:
        """Return indices and all other evidence that does not depend on the reported cards."""
        image, networks, aside = bgr_picture(image), self.networks, self.networks.workers.aside
        sample = coarse_sample(image)
        foreground = cache(aside(partial(foreground_mask, sample)))
        patches = aside(partial(heat_map_input, image))
        heat_map = cache(aside(lambda: networks.heat_map.look_at_input(*patches())))
        blank = _Look(image, foreground, heat_map, [], [], accept_cards([]))
        blank = blank._replace(card_px=card_px, grey=networks.deck is None and is_grey(sample))
        if networks.deck is not None and networks.deck.beside:
            return self._read_further(self._read_as_beside(blank, sample))
        indices, covered = read_indices(image, propose_indices(image, sample), networks)
        look = self._with_indices(blank._replace(covered=covered), indices)
        if networks.deck is None and may_have_pips_beside(heat_map(), look.acceptance):
            beside = self._read_as_beside(look, sample)
            look = beside if has_pips_beside(beside.acceptance) else look
        return look if look.beside else self._read_further(look)

    def _read_further(self, look: _Look) -> _Look:
        """The same picture with the indices that the heat map alone has seen.

        Of a deck with pips beside the ranks no filter sorts out the faint places: three times the time.
        """
        cards = look.acceptance.accepted
        whole = [card.corners for card in cards if len(card.indices) > 1 and card.corners is not None]
        lying_open = np.array(whole).reshape(-1, 4, 2)
        place = None if look.beside else self._place(look)
        index_px = place.tall * look.card_px if place and look.card_px else None
        explained = poses_of(look.covered if index_px is None else []).centres
        hot = propose_hot(look.heat_map(), poses_of(look.indices), explained, lying_open, index_px)
        filtered = hot if look.beside else keep_likely(look.image, hot, self.networks.proposal_filter)
        more, covered = read_further(look.image, look.indices, filtered, self.networks)
        if look.beside:
            more = with_beside_checked(look.image, more, self.networks.indices)
        if index_px is not None:
            known, found = poses_of(look.covered), poses_of(covered)
            again = within_reach(found.centres, known.centres, SURELY_SAME * known.index_px)
            beside = [index for index, near in zip(covered, again, strict=True) if not near.any()]
            look = look._replace(covered=[*look.covered, *beside])
        return self._with_indices(look, [*look.indices, *more]) if more else look

    def _place(self, look: _Look) -> IndexPlace | None:
        """Return the position of an index on a card, where deck and camera give it."""
        deck = self.networks.deck
        return None if deck is None or look.card_px is None else deck.place

    def _read_corners(self, look: _Look) -> _Look:
        """The same picture with the indices of cards that lie open and unread, where their deck has them."""
        deck, networks = self.networks.deck, self.networks
        card_px = look.card_px
        if deck is None or deck.place is None or card_px is None:
            return look
        mask = look.foreground().copy()
        papers = lone_papers(look.image, mask, look.acceptance, networks.indices, card_px)
        places = shifted(deck.place.at_both_ends(papers))
        corners, _ = read_likely(look.image, places, networks, in_corners=True)
        read = self._with_indices(look, with_corners(look.indices, corners))
        fewer = len(read.acceptance.accepted) < len(look.acceptance.accepted)
        look = look if fewer else read
        if deck.faces is None:
            return look
        placed = placed_faces(look.image, papers, look.acceptance, networks, card_px)
        seen = [*look.indices, *corners]
        outlined = outlined_by_place(look.acceptance, deck.place, card_px)
        acceptance = with_named_faces(outlined, placed, seen, deck)
        acceptance = with_corner_faces(look.image, acceptance, deck, card_px)
        acceptance = with_warm_faces(look.image, acceptance, networks, card_px, look.heat_map())
        return look._replace(acceptance=one_card_a_quad(acceptance, card_px))

    def _read_as_beside(self, look: _Look, sample: Image) -> _Look:
        """The same picture, read as of a deck with pips beside the ranks."""
        places = propose_beside(look.image, look.heat_map(), sample)
        indices, covered = read_likely(look.image, places, self.networks)
        indices = with_beside_checked(look.image, indices, self.networks.indices)
        return self._with_indices(look._replace(covered=covered, beside=True), indices)

    def _with_indices(self, look: _Look, indices: list[Index]) -> _Look:
        """The same picture with other indices; by a profile those with the pip beside them differ in width.

        Ranks of one such deck are up to 1.7 times as wide as others: docs/measurements/reader.md, Sealed
        decks.
        """
        same_size = not look.beside or self.networks.deck is None
        acceptance = accept_cards(indices, look.image, same_size=same_size, grey=look.grey)
        return look._replace(indices=indices, acceptance=acceptance)

    def _reading(self, look: _Look, acceptance: Acceptance) -> Reading:
        """Return the reading of an acceptance; whole cards and the heat map may contradict it."""
        image, networks, aside = look.image, self.networks, self.networks.workers.aside
        overlaps = find_overlaps(acceptance.accepted, acceptance.deck, image)
        whole = whole_cards_to_check(image, acceptance.accepted, covered_cards(overlaps))
        whole_scores = aside(partial(networks.whole_cards.classify, whole.crops))
        foreground = look.foreground()
        objects = unexplained_objects(image, foreground.copy(), acceptance, networks.indices, look.card_px)
        evidence = PictureEvidence(
            image,
            objects,
            look.covered,
            look.heat_map(),
            foreground,
            look.beside,
            look.card_px,
            self._place(look),
        )
        down, spots = remaining_objects(evidence, acceptance)
        disagree = cards_without_heat(evidence.heat_map, acceptance.accepted)
        if is_strange_deck(evidence.heat_map, acceptance.shown):
            disagree = set(range(len(acceptance.accepted)))
        scores = whole_scores()
        if look.grey:
            scores = scores._replace(suit=np.zeros_like(scores.suit))
        doubts = WholeCardDoubts(set(), set())
        if networks.deck is None or networks.deck.faces is None:
            doubts = doubts_of_whole_cards(acceptance.accepted, whole.numbers, scores)
        disagree |= doubts.cards
        cards = with_whole_cards(acceptance.accepted, whole.numbers, scores, doubts.suits)
        acceptance, overlaps = acceptance._replace(accepted=cards), overlaps._replace(cards=cards)
        if disagree:
            acceptance = acceptance.without(disagree)
            overlaps = find_overlaps(acceptance.accepted, acceptance.deck, image)
            down, spots = remaining_objects(evidence, acceptance)
        spots = without_own_print(image, spots, acceptance.accepted, networks.deck)
        hands = face_up_cards(overlaps)
        spots += [Unclear(place, "order") for place in hands.guessed]
        return Reading(tuple(assign_to_hands(hands.cards, down)), tuple(spots), 0.0)
