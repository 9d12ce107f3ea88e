"""Deck profiles from recordings of a table: its cameras' pictures, named by the shoe or by people."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

from controller.acts.catalogue import CardSeen, Move, Strike, Swap
from controller.domain import ConfigError
from controller.engine import TableState
from controller.engine.hands import hidden_hole
from controller.engine.state import Seen
from controller.journal.entry import Entry
from controller.recording.format import decode_entry
from controller.recording.recording_reader import Recorded, Recording
from controller.replay.devices import recorded_config
from controller.replay.journal_feed import device_of
from controller.replay.recording_replayer import table_before
from controller.runtime.ledger import Ledger, open_ledger
from controller.runtime.restore import follow
from drivers.camera.pictures import PictureFault, picture_of
from vision.enrolment import (
    DealtCard,
    DealtRound,
    DealtTable,
    DoubtfulCard,
    EnrolPicture,
    LaidPaper,
    PaperWatch,
)
from vision.networks import Networks
from vision.reading import RANKS, SUITS, CardName

CAMERA: Final = "camera"
"""Begins what a card says of its source where that is a camera."""


class _NamedCard(NamedTuple):
    """A reported card: its number in the round, its time, and whether only a camera names it."""

    n: int
    mono_ms: int
    by_camera: bool
    down: bool = False


class RoundsOfRecording:
    """Gathers the rounds that begin and are cleared within a recording, from its journal entries."""

    def __init__(self, before: Ledger | None, cameras: frozenset[str]) -> None:
        """Begin at the table `before`; a report of one of these `cameras` is no independent witness."""
        self._ledger = before
        self._cameras = cameras
        self._named: list[_NamedCard] = []
        # A round in progress has cards from before the recording.
        self._whole = before is None or before.state.cards_seen == 0

    def take(self, entry: Entry, mono_ms: int) -> DealtRound | None:
        """Take the next entry; return the round that ends with it, None without one."""
        if self._ledger is None:
            self._ledger = open_ledger(entry)
            return None
        before = self._ledger.state
        self._ledger = follow(self._ledger, entry)
        after = self._ledger.state
        if after.book.number != before.book.number:
            cards = tuple(self._cards(before)) if self._whole else ()
            self._named, self._whole = [], True
            return DealtRound(cards, _moved(before)) if cards else None
        if hidden_hole(before.dealer) and after.dealer.revealed:
            # The card for which the dealer turned it, where one did, lay there later.
            hole = after.dealer.cards[after.dealer.hole]
            self._named.append(_NamedCard(hole.n, mono_ms, self._by_camera(hole.obs, None)))
        if after.cards_seen > before.cards_seen:
            self._named += [
                _NamedCard(
                    seen.n,
                    mono_ms,
                    self._by_camera(seen.obs, device_of(entry)),
                    _is_face_down(after, seen),
                )
                for seen in _cards_at_hands(after)
                if seen.n == after.cards_seen
            ]
        return None

    def _by_camera(self, seen: CardSeen, device: str | None) -> bool:
        """Whether only a camera of the table has reported a card; `device` is the fact's."""
        return device in self._cameras if seen.by is None else seen.by.startswith(CAMERA)

    def _cards(self, end: TableState) -> Iterator[DealtCard]:
        """Yield the cards by their last names; a card taken out of the round has none."""
        names = {seen.n: seen.card for seen in _cards_at_hands(end)}
        for recorded in self._named:
            card = names.get(recorded.n)
            if recorded.by_camera or card is None or card.rank is None or card.suit is None:
                yield DealtCard(recorded.mono_ms, None, recorded.down)
            else:
                yield DealtCard(recorded.mono_ms, CardName(str(card.rank), card.suit), recorded.down)


def _cards_at_hands(state: TableState) -> list[Seen]:
    """The cards of the boxes and of the dealer."""
    boxes = [seen for box in state.boxes for hand in box.hands for seen in hand.cards]
    return [*boxes, *state.dealer.cards]


def _moved(end: TableState) -> bool:
    """Whether a pair was split, or a ruling moved a card or removed it from the round."""
    ruled = any(isinstance(fact.obs, Move | Strike | Swap) for fact in end.log)
    return ruled or any(len(box.hands) > 1 for box in end.boxes)


def _is_face_down(state: TableState, seen: Seen) -> bool:
    """Whether the card is the dealer's face-down card."""
    return hidden_hole(state.dealer) and state.dealer.cards[state.dealer.hole].n == seen.n


GAP_MS: Final = 120
"""Pictures that come faster are left out: eight a second show when a card has come to rest.

Source: decoding and comparing a full HD picture takes about 15 ms; at 30 a second enrolment would take longer
than the rounds themselves on two slow cores.
"""

_FOLDS: Final = 5
"""The rounds are left out in so many parts, each once, to prove the profile of the others.

Source: no measurement on record.
"""


_LOOKS_EACH: Final = 4
"""More looks of one card, rank and suit, are left alone.

Source: 208 looks of 52 cards are as many indices as six pictures of a whole deck show, which prove themselves
(docs/measurements/reader.md, "Deck profiles"); all 392 of 40 drawn rounds took
twice as long and read the same.
"""


class DeckLooks(NamedTuple):
    """The pictures of a deck in recordings, from `used` of `rounds` rounds.

    `cards` were open in these rounds. `doubts` counts the reasons for leaving a card out; `enough` counts the
    cards with enough pictures already. In `differing` rounds the generic network is certain of another rank
    than the reported one.
    """

    pictures: tuple[EnrolPicture, ...]
    rounds: int
    used: int
    cards: int
    doubts: Counter[DoubtfulCard]
    enough: int
    differing: int

    @property
    def not_pictured(self) -> list[CardName]:
        """The cards of which there is no look, by rank and suit."""
        shown = {card.name for picture in self.pictures for card in picture.cards}
        every = (CardName(rank, suit) for rank in RANKS for suit in SUITS)
        return [name for name in every if name not in shown]


class _Watched(NamedTuple):
    """One recording: the cards of its rounds, and the cards that each camera saw arrive."""

    rounds: tuple[DealtRound, ...]
    papers: dict[str, list[LaidPaper]]


def deck_looks(paths: Sequence[Path], networks: Networks) -> DeckLooks:
    """Find pictures of cards with undoubted names, in every recording and of every camera.

    A name comes from the shoe, as corrected by people, or from a person; never from a camera. Raises
    `RecordingError` and `JournalError` for another kind of file, `ConfigError` ENROL_NO_ROUNDS for a
    recording without a whole round or without pictures of a camera over the table.
    """
    looks = DeckLooks((), 0, 0, 0, Counter(), 0, 0)
    for path in paths:
        watched = _watch(path)
        looks = _with_recording(looks, (path.name, _sha256(path)), watched, networks)
    return looks


def _with_recording(
    before: DeckLooks, source: tuple[str, str], watched: _Watched, networks: Networks
) -> DeckLooks:
    """The looks of one more recording; `source` has its name and hash."""
    tables = [DealtTable(watched.rounds, papers) for papers in watched.papers.values()]
    pictures, doubts = list(before.pictures), before.doubts.copy()
    shown = Counter(picture.cards[0].name for picture in pictures)
    used, enough, differing = before.used, before.enough, before.differing
    for number in range(len(watched.rounds)):
        found = [table.looks(number, networks) for table in tables]
        # A card seen well by one of several cameras is usable.
        best = max(found, key=lambda one: len(one.looks))
        doubts += best.doubts
        differing += DoubtfulCard.DIFFERS in best.doubts
        for look in chain.from_iterable(one.looks for one in found):
            name = look.cards[0].name
            if shown[name] < _LOOKS_EACH:
                pictures.append(EnrolPicture(*source, look.image, look.cards, fold=used % _FOLDS))
            enough += shown[name] >= _LOOKS_EACH
            shown[name] += 1
        used += any(one.looks for one in found)
    cards = sum(not card.down for dealt in watched.rounds for card in dealt.cards)
    rounds = before.rounds + len(watched.rounds)
    return DeckLooks(tuple(pictures), rounds, used, before.cards + cards, doubts, enough, differing)


def _watch(path: Path) -> _Watched:
    """Play the pictures and the journal of a recording, once."""
    with Recording(path) as recording:
        config = recorded_config(recording)
        over_table = () if config is None else tuple(section.name for section in config.table_cameras)
        every = () if config is None else tuple(section.name for section in config.camera)
        rounds = RoundsOfRecording(table_before(recording), frozenset(every))
        cameras: dict[str, _WatchedCamera] = {}
        found: list[DealtRound] = []
        for recorded in recording:
            if recorded.kind == "jpeg" and recorded.source in over_table:
                cameras.setdefault(recorded.source, _WatchedCamera()).take(recorded)
            elif recorded.kind == "fact":
                entry = decode_entry(recorded.data, str(path))
                dealt = rounds.take(entry, recorded.mono_ns // 1_000_000)
                found += [dealt] if dealt is not None else []
    if not found or not cameras:
        raise ConfigError("ENROL_NO_ROUNDS", path=str(path))
    return _Watched(tuple(found), {name: camera.papers for name, camera in cameras.items()})


class _WatchedCamera:
    """One camera's thinned pictures; `papers` are the cards laid so far."""

    def __init__(self) -> None:
        """Begin before the first picture."""
        self.papers: list[LaidPaper] = []
        self._watch = PaperWatch()
        self._due_ms = 0

    def take(self, recorded: Recorded) -> None:
        """Read the next picture; skip a damaged one."""
        mono_ms = recorded.mono_ns // 1_000_000
        if mono_ms < self._due_ms:
            return
        try:
            image = picture_of(recorded.data).full()
        except PictureFault:
            return
        self._due_ms = mono_ms + GAP_MS
        self.papers += self._watch.look(image, mono_ms)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
