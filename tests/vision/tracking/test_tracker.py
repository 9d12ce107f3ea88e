"""Sequences of pictures: cards stay themselves, hands hide and never delete, single errors count little."""

from collections.abc import Callable

import pytest

from tests.vision.tracking.stage_kit import CARD, Lay, Stage, names
from vision.geometry import Image
from vision.reading import CardName, ReadCard, Reading
from vision.tracking import CardTracker
from vision.tracking.track import (
    Appeared,
    Contradiction,
    Corrected,
    Covered,
    Gone,
    Locked,
    Moved,
    Turned,
    UnclearSpot,
)

EIGHT = Lay("8h", 40, 50)
THREE = Lay("3c", 50, 47)
TEN = Lay("10d", 200, 60)
HOLE = Lay("down", 300, 140)
UP = Lay("K" + "s", 260, 140)


@pytest.fixture
def stage() -> Stage:
    stage = Stage()
    stage.run(200)
    return stage


def states(stage: Stage) -> dict[str, str]:
    scene = stage.look()
    return {found: track.state for track in scene.tracks for found in [names(scene).get(track.track, "?")]}


def test_dealt_cards_are_locked_and_a_table_at_rest_is_not_read(stage: Stage) -> None:
    scene = stage.lay(EIGHT, THREE, TEN, UP, HOLE)
    assert sorted(names(scene).values()) == ["10d", "3c", "8h", "Ks", "down"]
    assert scene.unclear == ()
    reads = stage.reader.reads
    assert [stage.look().regions for _ in range(60)] == [0] * 60
    assert stage.reader.reads == reads
    assert len(stage.told(Appeared)) == 5
    assert len(stage.told(Locked)) == 4


def test_a_card_of_which_one_corner_shows_takes_more_reads(stage: Stage) -> None:
    stage.lay(EIGHT, THREE)
    reads = {event.name: event.reads for event in stage.told(Locked) if isinstance(event, Locked)}
    assert reads[CardName("3", "c")] < reads[CardName("8", "h")]


def test_a_card_that_is_pushed_fanned_or_turned_across_stays_itself(stage: Stage) -> None:
    before = names(stage.lay(EIGHT, THREE))
    stage.lays = [EIGHT, THREE._replace(x=THREE.x + 16)]
    stage.run(400)
    stage.lays = [lay._replace(y=lay.y + 22) for lay in stage.lays]
    stage.run(400)
    stage.lays[1] = stage.lays[1]._replace(across=True)
    scene = stage.run(400)
    assert names(scene) == before
    assert all(track.identity_certain for track in scene.tracks)
    assert stage.told(Moved)
    assert not stage.told(Gone)


def test_a_card_that_is_picked_up_and_laid_down_elsewhere_stays_itself(stage: Stage) -> None:
    before = names(stage.lay(EIGHT, TEN))
    stage.lays = [TEN]
    assert names(stage.run(300)) != before
    stage.lays = [TEN, EIGHT._replace(x=120, y=150)]
    assert names(stage.run(3000)) == before
    assert not stage.told(Gone)


def test_a_card_that_leaves_a_resting_hand_is_recognised_when_the_hand_is_gone(stage: Stage) -> None:
    before = names(stage.lay(EIGHT, TEN))
    stage.hands = [(54, 70, 30)]
    stage.lays = [TEN, EIGHT._replace(x=120, y=150)]
    scene = stage.run(600)
    newcomer = next(track for track in scene.tracks if track.perhaps is not None)
    assert (newcomer.name, newcomer.perhaps in before) == (CardName("8", "h"), True)
    stage.hands = []
    assert names(stage.run(600)) == before
    moved = stage.told(Moved)[-1]
    assert isinstance(moved, Moved)
    assert moved.into == newcomer.track


def test_a_card_that_a_hand_held_still_over_print_lies_there_no_more(stage: Stage) -> None:
    stage.print_block(110, 40, 40)
    stage.run(6000, 200)
    before = names(stage.lay(EIGHT._replace(x=112, y=40)))
    stage.lays = []
    stage.run(200)
    stage.lays = [EIGHT._replace(x=200, y=150)]
    scene = stage.run(600)
    assert (names(scene), [track.state for track in scene.tracks]) == (before, ["seen"])


def test_the_same_card_again_beside_a_hidden_one_is_another_card(stage: Stage) -> None:
    stage.lay(EIGHT)
    stage.hands = [(54, 70, 30)]
    stage.lay(EIGHT._replace(x=120, y=150), ms=600)
    stage.hands = []
    scene = stage.run(600)
    assert sorted(names(scene).values()) == ["8h", "8h"]
    assert all(track.perhaps is None for track in scene.tracks)


@pytest.mark.parametrize("still", [True, False])
def test_cards_under_a_hand_are_kept(stage: Stage, still: bool) -> None:
    before = names(stage.lay(EIGHT, THREE, TEN))
    for step in range(90):
        stage.hands = [(64 if still else 58 + step % 12, 70, 34)]
        scene = stage.look()
    assert names(scene) == before
    assert sorted(track.state for track in scene.tracks) == ["hidden", "hidden", "seen"]
    stage.hands = []
    scene = stage.run(400)
    assert names(scene) == before
    assert {track.state for track in scene.tracks} == {"seen"}
    assert not stage.told(Gone)
    assert not stage.told(UnclearSpot)


def test_a_card_that_a_hand_takes_is_gone_when_its_place_is_seen_empty(stage: Stage) -> None:
    scene = stage.lay(EIGHT, TEN)
    taken = next(number for number, name in names(scene).items() if name == "8h")
    stage.hands = [(54, 70, 34)]
    stage.run(300)
    stage.lays = [TEN]
    stage.run(1500)
    assert not stage.told(Gone)
    stage.hands = []
    assert list(names(stage.run(300)).values()) == ["10d"]
    stage.run(2200)
    assert stage.told(Gone) == [Gone(taken)]


def test_a_cleared_table_is_empty(stage: Stage) -> None:
    stage.lay(EIGHT, THREE, TEN, UP, HOLE)
    stage.lays = []
    assert stage.run(400).tracks == ()
    stage.run(2200)
    assert len(stage.told(Gone)) == 5


def test_a_card_under_another_is_covered_and_comes_to_light_again(stage: Stage) -> None:
    stage.lay(TEN)
    scene = stage.lay(Lay("5s", TEN.x + 5, TEN.y - 5), ms=800)
    assert sorted(names(scene).values()) == ["10d", "5s"]
    assert states(stage) == {"10d": "covered", "5s": "seen"}
    assert len(stage.told(Covered)) == 1
    stage.lays = [TEN]
    scene = stage.run(2600)
    assert (list(names(scene).values()), scene.tracks[0].state) == (["10d"], "seen")
    assert len(stage.told(Gone)) == 1


def test_two_like_cards_that_cross_are_not_taken_for_certain(stage: Stage) -> None:
    left, right = EIGHT, EIGHT._replace(x=150)
    stage.lay(left, right)
    for step in range(0, 111, 10):
        stage.lays = [left._replace(x=left.x + step, y=left.y + step // 4), right._replace(x=150 - step)]
        scene = stage.look()
    scene = stage.run(600)
    assert sorted(names(scene).values()) == ["8h", "8h"]
    assert not any(track.identity_certain for track in scene.tracks)
    assert sorted(card.at[0] > 100 for card in scene.cards) == [False, True]


def test_like_cards_that_stay_apart_stay_themselves(stage: Stage) -> None:
    stage.lay(EIGHT, EIGHT._replace(x=250))
    stage.lays[0] = EIGHT._replace(y=EIGHT.y + 15)
    scene = stage.run(500)
    assert all(track.identity_certain for track in scene.tracks)
    assert len(stage.told(Appeared)) == 2


def test_light_noise_and_lost_pictures_change_nothing() -> None:
    stage = Stage(noise=3.0)
    stage.light = 0.85
    stage.run(200)
    before = names(stage.lay(EIGHT, THREE, TEN, ms=900))
    told = len(stage.events)
    stage.light = 0.7
    stage.run(400)
    stage.light = 1.0
    stage.run(400)
    for step in range(40):
        stage.light = 1.0 - 0.05 * (step % 3)
        scene = stage.look(step_ms=(33, 33, 150, 66)[step % 4])
    assert names(scene) == before
    assert len(stage.events) == told


def misread(every: int) -> Callable[[ReadCard, int], ReadCard]:
    return lambda card, read: card._replace(rank="2", suit="s") if read % every == 0 else card


@pytest.mark.parametrize("every", [2, 3, 4])
def test_single_misreads_do_not_win(stage: Stage, every: int) -> None:
    stage.reader.err = misread(every)
    scene = stage.lay(TEN, ms=2500)
    assert set(names(scene).values()) <= {"10d"}
    assert bool(names(scene)) == (every > 3)
    assert not any(
        event.name == CardName("2", "s") for event in stage.told(Locked) if isinstance(event, Locked)
    )


def test_a_misread_of_a_locked_card_changes_nothing(stage: Stage) -> None:
    before = names(stage.lay(TEN))
    wrong = iter([True])
    stage.reader.err = lambda card, _: card._replace(rank="2") if next(wrong, False) else card
    stage.hands = [(210, 80, 30)]
    stage.run(300)
    stage.hands = []
    stage.lays = [TEN._replace(x=TEN.x + 1)]
    assert names(stage.run(900)) == before
    assert not stage.told(Contradiction)


def test_a_reader_that_keeps_saying_something_else_contradicts_once_and_a_person_decides(
    stage: Stage,
) -> None:
    scene = stage.lay(TEN)
    track = scene.tracks[0].track
    stage.reader.err = lambda card, _: card._replace(rank="2", suit="s") if card.suit == "d" else card
    # Nobody touches it: a card that is laid beside it has its place read anew.
    scene = stage.lay(Lay("9c", TEN.x + CARD[0] + 3, TEN.y), ms=3000)
    assert names(scene)[track] == "10d"
    told = stage.told(Contradiction)
    assert len(told) == 1
    assert told[0][:3] == (track, CardName("10", "d"), CardName("2", "s"))
    stage.watcher.correct(track, CardName("2", "s"), "pit:p7", "looked at it")
    assert names(stage.run(1000))[track] == "2s"
    assert stage.told(Corrected) == [
        Corrected(track, CardName("10", "d"), CardName("2", "s"), "pit:p7", "looked at it")
    ]
    assert len(stage.told(Contradiction)) == 1


def test_what_a_person_has_overruled_is_not_told_again(stage: Stage) -> None:
    track = stage.lay(TEN).tracks[0].track
    stage.reader.err = lambda card, _: card._replace(rank="2", suit="s") if card.suit == "d" else card
    stage.lay(Lay("9c", TEN.x + CARD[0] + 3, TEN.y), ms=1500)
    assert len(stage.told(Contradiction)) == 1
    stage.watcher.correct(track, CardName("10", "d"), "pit:p7", "it is the ten")
    scene = stage.lay(Lay("4c", TEN.x + CARD[0] + 3, TEN.y + CARD[1] + 3), ms=1500)
    assert names(scene)[track] == "10d"
    assert len(stage.told(Contradiction)) == 1


def test_a_hint_of_an_unread_card_is_what_its_reads_agree_on(stage: Stage) -> None:
    reader, ranks = stage.reader, iter("88898")

    class Unsure:
        forget = reader.forget

        def read(self, image: Image, *_: float | None) -> Reading:
            reading = reader.read(image)
            spots = [spot._replace(rank=next(ranks, "8"), p=0.7) for spot in reading.unclear]
            return reading._replace(unclear=tuple(spots))

    stage.watcher = CardTracker(Unsure())
    stage.lays = [Lay("?", 150, 80)]
    hints = [[(spot.rank, spot.p) for spot in stage.look().unclear] for _ in range(40)]
    told = [hint for hint in hints if hint]
    assert (told[0], told[-1]) == ([(None, 0.0)] * 2, [("8", 0.7)] * 2)
    assert {rank for hint in told for rank, _ in hint} == {None, "8"}


def test_a_card_that_was_exchanged_under_a_hand_is_another_card(stage: Stage) -> None:
    old = names(stage.lay(TEN, EIGHT))
    stage.hands = [(214, 80, 34)]
    stage.run(300)
    stage.lays[0] = Lay("9c", TEN.x + 1, TEN.y)
    stage.hands = []
    scene = stage.run(700)
    assert sorted(names(scene).values()) == ["8h", "9c"]
    assert stage.told(Gone) == [Gone(number) for number, name in old.items() if name == "10d"]
    assert not stage.told(Contradiction)


def test_nobody_names_a_card_that_lies_face_down_or_not_at_all(stage: Stage) -> None:
    scene = stage.lay(HOLE)
    for track in (scene.tracks[0].track, 999):
        with pytest.raises(KeyError):
            stage.watcher.correct(track, CardName("A", "s"), "pit:p7", "guess")


@pytest.mark.parametrize("off", [0, 16])
def test_a_turned_card_stays_itself_though_its_first_read_is_off(stage: Stage, off: int) -> None:
    scene = stage.lay(UP, HOLE)
    hole = next(number for number, name in names(scene).items() if name == "down")
    reads = stage.reader.reads

    def err(card: ReadCard, number: int) -> ReadCard:
        if card.rank != "A" or number > reads + 1 or card.quad is None:
            return card
        top, right, foot, left = ((x, y + off) for x, y in card.quad)
        return card._replace(quad=(top, right, foot, left), at=(card.at[0], card.at[1] + off))

    stage.reader.err = err
    stage.lays[1] = Lay("A" + "h", HOLE.x + 2, HOLE.y)
    scene = stage.run(500)
    assert names(scene)[hole] == "Ah"
    assert stage.told(Turned) == [Turned(hole)]
    assert not stage.told(Gone)


def test_a_card_that_is_turned_and_laid_beside_stays_itself(stage: Stage) -> None:
    scene = stage.lay(UP, HOLE)
    hole = next(number for number, name in names(scene).items() if name == "down")
    stage.lays[1] = Lay("A" + "h", HOLE.x + CARD[0] + 4, HOLE.y)
    assert names(stage.run(600))[hole] == "Ah"
    assert stage.told(Turned) == [Turned(hole)]


def test_a_corner_lifted_for_a_peek_tells_nothing(stage: Stage) -> None:
    stage.lay(UP, HOLE)

    def lifted(card: ReadCard, _: int) -> ReadCard:
        if card.face == "up" or card.quad is None:
            return card
        left, top = card.quad[0]
        return ReadCard("A", "h", 0.999, (left + 6.0, top + 6.0), None, "up", 0, 1)

    stage.reader.err = lifted
    stage.lays[1] = HOLE._replace(x=HOLE.x + 1)
    hints = {spot.rank for _ in range(45) for spot in stage.look().unclear}
    assert "A" not in hints
    scene = stage.look()
    assert CardName("A", "h") not in [track.name for track in scene.tracks]
    assert "A" not in [card.rank for card in scene.cards]
    assert not stage.told(Turned)


def test_what_stays_unread_is_told_once(stage: Stage) -> None:
    stage.lay(Lay("?", 100, 100), ms=1000)
    assert not stage.told(UnclearSpot)
    scene = stage.run(4000)
    assert {event.reason for event in stage.told(UnclearSpot) if isinstance(event, UnclearSpot)} == {
        "uncertain"
    }
    assert len(stage.told(UnclearSpot)) == 2, "one for each corner"
    assert {spot.reason for spot in scene.unclear} == {"uncertain"}
    stage.lays = [Lay("7s", 100, 100)]
    scene = stage.run(600)
    assert (list(names(scene).values()), scene.unclear) == (["7s"], ())


def test_pictures_of_another_size_are_another_cameras(stage: Stage) -> None:
    stage.lay(EIGHT, TEN)
    smaller = stage.picture()[:200, :300]
    scene = stage.watcher.update(smaller, stage.now_ms + 33)
    assert (scene.tracks, scene.events) == ((), ())
    for step in range(12):
        scene = stage.watcher.update(smaller, stage.now_ms + 33 * (step + 2))
    assert sorted(names(scene).values()) == ["10d", "8h"]


def without_suit(card: ReadCard, _: int) -> ReadCard:
    return card._replace(suit=None)


def test_a_suit_that_comes_later_completes_the_card(stage: Stage) -> None:
    stage.reader.err = lambda card, number: without_suit(card, number) if number < 12 else card
    before = names(stage.lay(EIGHT))
    assert set(before.values()) == {"8"}
    after = stage.run(3000)
    assert names(after) == dict.fromkeys(before, "8h")
    assert [event.name for event in stage.told(Locked) if isinstance(event, Locked)] == [
        ("8", None),
        ("8", "h"),
    ]
    assert len(stage.told(Appeared)) == 1
    assert not stage.told(Contradiction)


def test_a_suit_that_never_comes_stays_open_and_the_table_comes_to_rest(stage: Stage) -> None:
    stage.reader.err = without_suit
    assert sorted(names(stage.lay(EIGHT, THREE, ms=9000)).values()) == ["3", "8"]
    reads = stage.reader.reads
    stage.run(2000)
    assert stage.reader.reads == reads
    assert stage.look().unclear == ()


def test_another_suit_than_the_locked_one_is_a_contradiction_and_none_is_not(stage: Stage) -> None:
    before = names(stage.lay(EIGHT))
    stage.reader.err = without_suit
    stage.light = 0.9
    stage.lay(TEN, ms=2000)
    assert before.items() <= names(stage.look()).items()
    assert not stage.told(Contradiction)


def test_another_rank_than_one_locked_without_a_suit_is_a_contradiction(stage: Stage) -> None:
    stage.reader.err = without_suit
    stage.lay(EIGHT, ms=1000)
    stage.reader.err = lambda card, _: card._replace(rank="9", suit=None)
    stage.run(1500)
    (told,) = (event for event in stage.told(Contradiction) if isinstance(event, Contradiction))
    assert (told.locked, told.reads_as) == (("8", None), ("9", None))
