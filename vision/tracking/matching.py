"""Match read cards with known ones: first unmoved ones, then those pushed or turned."""

from collections.abc import Callable, Iterable
from itertools import permutations
from typing import Final, NamedTuple

from vision.reading import ReadCard, may_be_one_card
from vision.tracking.card_pose import CardPose, crossed, distance_in_cards, facing, same_card_distance
from vision.tracking.track import Track


class MatchRule(NamedTuple):
    """Limits of a card's movement. Distances are in card lengths. Source: no measurement on record."""

    stayed: float = 0.15
    """A card read this near to where one of its name lay is that card."""

    other_corner: float = 0.35
    """The same where one read was of the one corner, the next of the other, and nothing has moved there.

    Source: the outlines of a ten of 22 pixels by its two corners, 0.24 apart; it was reported as two cards.
    """

    same_pose: float = 0.12
    """Another name read this near to a card is a vote on that card, not a new card."""

    one_back: float = 0.6
    """Backs this near are one card, whichever way its outline was read: two side by side are 0.72 apart."""

    pushed: float = 1.0
    """A push goes no further; beyond it a card was picked up."""

    turned_on_spot: float = 0.3
    turned_nearby: float = 2.5
    """How far a face-down card gets when it is turned: hardly, or over its edge and laid down again."""

    clearly: float = 0.5
    """One way to say like cards apart must be this much shorter than the next best, and by this share of its
    own length."""

    group_max: int = 5
    """More like cards than this that move at once are paired by nearness alone; none is surely itself."""


MATCH_RULE: Final = MatchRule()


class Matching(NamedTuple):
    """Pairs of track and read; reads of another name at a locked card's place; reads of no known card.

    `mixed` are numbers of tracks that may have been taken for a like card.
    """

    pairs: list[tuple[Track, ReadCard]]
    doubts: list[tuple[Track, ReadCard]]
    fresh: list[ReadCard]
    mixed: set[int]


def pose_of(card: ReadCard) -> CardPose:
    """Return the pose of a read card."""
    return CardPose(card.at, card.quad)


def match(
    tracks: Iterable[Track], cards: Iterable[ReadCard], vacated: Callable[[Track], bool], card_px: float
) -> Matching:
    """Pair tracks with reads, in the order of how sure it is.

    `vacated` says that a track surely lies elsewhere than it did; `card_px` is a card's long side.
    """
    left = _Unmatched(list(tracks), list(cards), card_px)
    left.nearest(_alike, MATCH_RULE.stayed)
    left.nearest(_by_other_corner, MATCH_RULE.other_corner)
    left.nearest(_votes_on, MATCH_RULE.same_pose)
    left.moved(vacated, MATCH_RULE.pushed)
    left.nearest(_both_down, MATCH_RULE.one_back)
    left.nearest(_turned, MATCH_RULE.turned_on_spot)
    left.moved(vacated, None)
    left.nearest(lambda track, card: _turned(track, card) and vacated(track), MATCH_RULE.turned_nearby)
    doubts = left.taken(_doubts, MATCH_RULE.same_pose)
    return Matching(left.pairs, doubts, left.cards, left.mixed)


def _alike(track: Track, card: ReadCard) -> bool:
    if card.face == "down":
        return _both_down(track, card)
    return may_be_one_card(track.best, card.name)


def _both_down(track: Track, card: ReadCard) -> bool:
    return track.down and card.face == "down"


def _by_other_corner(track: Track, card: ReadCard) -> bool:
    """Whether a read may be of an untouched card's other corner: its outline begins there."""
    if track.touched or track.down or not _alike(track, card):
        return False
    return facing(track.pose, pose_of(card))


def _votes_on(track: Track, card: ReadCard) -> bool:
    unsure = not track.down and track.name is None
    return unsure and card.face == "up" and not crossed(track.pose, pose_of(card))


def _turned(track: Track, card: ReadCard) -> bool:
    return track.down and card.face == "up"


def _doubts(track: Track, card: ReadCard) -> bool:
    locked = not track.down and track.name is not None
    return locked and card.face == "up" and not crossed(track.pose, pose_of(card))


class _Unmatched:
    """The cards and tracks not yet paired."""

    def __init__(self, tracks: list[Track], cards: list[ReadCard], card_px: float) -> None:
        self.tracks = tracks
        self.cards = cards
        self.pairs: list[tuple[Track, ReadCard]] = []
        self.mixed: set[int] = set()
        self._card_px = card_px

    def nearest(self, fits: Callable[[Track, ReadCard], bool], limit: float) -> None:
        """Pair what fits within `limit` card lengths, the nearest first."""
        self.pairs += self.taken(fits, limit)

    def taken(self, fits: Callable[[Track, ReadCard], bool], limit: float) -> list[tuple[Track, ReadCard]]:
        """Return fitting pairs, the nearest first, and remove them from the rest."""
        near = [
            (distance, i, j)
            for i, track in enumerate(self.tracks)
            for j, card in enumerate(self.cards)
            if fits(track, card) and (distance := self._apart(track, card)) < limit
        ]
        used_tracks: set[int] = set()
        used_cards: set[int] = set()
        found = []
        for _, i, j in sorted(near):
            if i not in used_tracks and j not in used_cards:
                used_tracks.add(i)
                used_cards.add(j)
                found.append((self.tracks[i], self.cards[j]))
        self._remove(used_tracks, used_cards)
        return found

    def moved(self, vacated: Callable[[Track], bool], limit: float | None) -> None:
        """Pair like cards of which the old place was left, all of one name at once."""
        names = {(card.face, card.name) for card in self.cards}
        for face, name in sorted(names, key=str):
            cards = [j for j, card in enumerate(self.cards) if (card.face, card.name) == (face, name)]
            tracks = [
                i
                for i, track in enumerate(self.tracks)
                if _alike(track, self.cards[cards[0]]) and vacated(track)
            ]
            if tracks:
                self._pair_group(tracks, cards, limit)

    def _pair_group(self, tracks: list[int], cards: list[int], limit: float | None) -> None:
        ways = self._ways(tracks, cards)
        cost, pairs = ways[0]
        if len(ways) > 1 and ways[1][0] - cost < MATCH_RULE.clearly * (1 + cost):
            self.mixed |= {self.tracks[i].number for i in tracks}
        near = [
            (i, j) for i, j in pairs if limit is None or self._apart(self.tracks[i], self.cards[j]) < limit
        ]
        self.pairs += [(self.tracks[i], self.cards[j]) for i, j in near]
        self._remove({i for i, _ in near}, {j for _, j in near})

    def _ways(self, tracks: list[int], cards: list[int]) -> list[tuple[float, list[tuple[int, int]]]]:
        """The shortest way to pair a group, and the second shortest; lengths in card lengths."""
        if max(len(tracks), len(cards)) > MATCH_RULE.group_max:
            pairs = self._greedily(tracks, cards)
            return [(0.0, pairs), (0.0, pairs)]
        if len(tracks) <= len(cards):
            ways = [list(zip(tracks, order, strict=True)) for order in permutations(cards, len(tracks))]
        else:
            ways = [list(zip(order, cards, strict=True)) for order in permutations(tracks, len(cards))]
        costs = [(sum(self._apart(self.tracks[i], self.cards[j]) for i, j in way), way) for way in ways]
        return sorted(costs)[:2]

    def _greedily(self, tracks: list[int], cards: list[int]) -> list[tuple[int, int]]:
        pairs: list[tuple[int, int]] = []
        for _, i, j in sorted(
            (self._apart(self.tracks[i], self.cards[j]), i, j) for i in tracks for j in cards
        ):
            if all(i != one and j != other for one, other in pairs):
                pairs.append((i, j))
        return pairs

    def _apart(self, track: Track, card: ReadCard) -> float:
        measure = same_card_distance if _alike(track, card) else distance_in_cards
        return measure(track.pose, pose_of(card), self._card_px)

    def _remove(self, tracks: set[int], cards: set[int]) -> None:
        self.tracks = [track for i, track in enumerate(self.tracks) if i not in tracks]
        self.cards = [card for j, card in enumerate(self.cards) if j not in cards]
