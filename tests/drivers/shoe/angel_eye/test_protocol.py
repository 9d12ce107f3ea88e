"""Of everything that happens on an Angel Eye line: no card lost, doubled or changed without a word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.domain import DeviceError
from drivers.shoe.angel_eye import AngelEye, AngelEyeOptions
from drivers.shoe.reader import (
    BurnCount,
    CardOut,
    CardRepeated,
    CommandAnswered,
    CopiesDiffer,
    CutCardOut,
    FirmwareResult,
    Gap,
    LineFault,
    LockChanged,
    NotUnderstood,
    PresetChanged,
    ShoeCommand,
    ShoeError,
    ShoeErrorCleared,
    ShoeEvent,
    ShoeStarted,
    Standby,
)
from drivers.simulated import RANK_BYTES, SUIT_BYTES, card_bytes, report_frames
from tests.drivers.drivers_kit import cut

ACE = b"D" + card_bytes("A", "h")
NINE = b"D" + card_bytes("9", "c")


def one(seq: str, data: bytes) -> bytes:
    """One copy of a message."""
    return report_frames(ord(seq), data, copies=1)


def three(seq: str, data: bytes) -> bytes:
    return report_frames(ord(seq), data)


def damaged(copy: bytes) -> bytes:
    return copy[:3] + bytes((copy[3] ^ 0x01,)) + copy[4:]


def events(data: bytes, options: AngelEyeOptions | None = None) -> list[ShoeEvent]:
    return AngelEye(options).feed(data)


def cards(data: bytes) -> list[str]:
    return [f"{e.rank}{e.suit}" for e in events(data) if isinstance(e, CardOut)]


@pytest.mark.parametrize("rank", RANK_BYTES)
@pytest.mark.parametrize("suit", SUIT_BYTES)
def test_every_card_is_named(rank: str, suit: str) -> None:
    assert events(three("0", b"D" + card_bytes(rank, suit))) == [CardOut(1, rank, suit, "game", "player", 1)]


def test_the_card_bytes_are_those_of_the_line() -> None:
    assert card_bytes("A", "d", 0, 1) == b"\x81\x91"
    assert card_bytes("K", "h", 1, 2) == b"\x92\xcd"
    assert card_bytes(None, None, 2, 0) == b"\xa0\x80"


@pytest.mark.parametrize(
    ("data", "event"),
    [
        (b"S", ShoeStarted()),
        (b"P", Standby()),
        (b"C", CutCardOut()),
        (b"G\xc1", FirmwareResult("banker")),
        (b"E\xc1", ShoeError(1, "NO_READ", stopped=True)),
        (b"E\x84", ShoeError(4, "REVERSE_AT_EXIT", stopped=False)),
        (b"e\x87", ShoeErrorCleared(7, "DRAW_TIME_OUT")),
        (b"L\x81", LockChanged(locked=True)),
        (b"L\x80", LockChanged(locked=False)),
        (b"M010203", PresetChanged("01", "0203")),
        (b"D\x80\x80", CardOut(1, None, None, "game", "player", 0)),
        (b"D\xd7\x80", BurnCount(7)),
        (b"d\x80\xb8", CardOut(1, "8", "s", "locked", "", 0)),
        (b"d\x90\xb8", CardOut(1, "8", "s", "error", "", 0)),
        (b"d\xa0\xb8", CardOut(1, "8", "s", "setting", "", 0)),
        (b"D\x80\x8e", NotUnderstood(b"D\x80\x8e")),
        (b"D\x80\xd1", NotUnderstood(b"D\x80\xd1")),
        (b"D\x80", NotUnderstood(b"D\x80")),
        (b"D11", NotUnderstood(b"D11")),
        (b"Z", NotUnderstood(b"Z")),
    ],
)
def test_every_message_is_understood_once(data: bytes, event: ShoeEvent) -> None:
    assert events(three("0", data)) == [event]


def test_the_same_card_twice_is_two_cards() -> None:
    assert cards(three("0", ACE) + three("1", ACE)) == ["Ah", "Ah"]


def test_the_sequence_goes_round() -> None:
    stream = b"".join(three(str(n % 10), ACE if n % 2 else NINE) for n in range(40))
    assert len(cards(stream)) == 40
    assert not any(isinstance(event, Gap) for event in events(stream))


def test_a_restarted_shoe_may_use_the_same_number() -> None:
    stream = three("3", ACE) + three("3", b"S") + three("3", ACE)
    assert cards(stream) == ["Ah", "Ah"]
    assert not any(isinstance(event, Gap | CopiesDiffer) for event in events(stream))


def test_a_shoe_that_restarts_twice_has_started_twice() -> None:
    assert events(three("0", b"S") * 2) == [ShoeStarted(), ShoeStarted(again=True)]


def test_a_card_of_an_earlier_game_does_not_fit_a_repetition() -> None:
    again = b"R" + card_bytes("A", "h")
    assert events(three("0", ACE) + three("1", b"P") + three("2", again))[-1] == CardRepeated(
        "A", "h", known=False
    )


@pytest.mark.parametrize("lost", [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)])
def test_one_good_copy_is_enough(lost: tuple[int, ...]) -> None:
    copies = [damaged(one("1", NINE)) if n in lost else one("1", NINE) for n in range(3)]
    stream = three("0", ACE) + b"".join(copies) + three("2", ACE)
    assert cards(stream) == ["Ah", "9c", "Ah"]
    faults = [event for event in events(stream) if isinstance(event, LineFault)]
    assert [fault.code for fault in faults] == ["BCC_WRONG"] * len(lost)
    assert not any(isinstance(event, Gap) for event in events(stream))


def test_three_bad_copies_are_a_gap() -> None:
    stream = three("0", ACE) + damaged(one("1", NINE)) * 3 + three("2", ACE)
    assert cards(stream) == ["Ah", "Ah"]
    assert Gap("1", "2", 1) in events(stream)


def test_copies_that_differ_are_reported_and_the_first_stays() -> None:
    stream = one("0", ACE) + one("0", NINE) + one("0", ACE)
    assert events(stream) == [
        CardOut(1, "A", "h", "game", "player", 1),
        CopiesDiffer(b"0" + ACE, b"0" + NINE),
    ]


def test_a_fourth_copy_means_that_the_sequence_went_round_unseen() -> None:
    assert events(three("0", ACE) * 2) == [
        CardOut(1, "A", "h", "game", "player", 1),
        Gap("1", "0", None),
    ]


def test_a_stray_message_that_passes_the_check_is_no_card() -> None:
    stream = three("0", ACE) + one("1", NINE) + one("7", ACE) + one("1", NINE) + three("2", NINE)
    assert cards(stream) == ["Ah", "9c", "9c"]
    assert LineFault("STRAY", b"7" + ACE) in events(stream)
    assert Gap("2", "7", 5) in events(stream)


def test_the_only_copy_after_a_gap_counts_once_its_successor_comes() -> None:
    stream = three("0", ACE) + one("2", NINE)
    assert cards(stream) == ["Ah"]
    assert cards(stream + three("3", ACE)) == ["Ah", "9c", "Ah"]


def test_after_a_new_connection_the_same_message_is_not_a_copy() -> None:
    shoe = AngelEye()
    shoe.feed(one("0", ACE))
    shoe.connected()
    assert shoe.feed(one("0", ACE)) == [Gap("1", "0", None)]


def test_a_new_connection_goes_on_where_the_old_one_ended() -> None:
    shoe = AngelEye()
    shoe.feed(three("0", ACE) + one("1", ACE)[:3])
    shoe.connected()
    assert shoe.feed(three("1", NINE)) == [CardOut(2, "9", "c", "game", "player", 1)]


def test_a_repeated_card_is_never_counted() -> None:
    again, other = b"R" + card_bytes("A", "h"), b"R" + card_bytes("K", "h")
    stream = three("0", ACE) + three("1", again) + three("2", other)
    assert events(stream)[1:] == [CardRepeated("A", "h", known=True), CardRepeated("K", "h", known=False)]


def test_a_shoe_without_copies_can_be_told_so() -> None:
    options = AngelEyeOptions(copies=1)
    stream = one("0", ACE) + one("1", ACE) + one("3", NINE)
    assert [type(event) for event in events(stream, options)] == [CardOut, CardOut, Gap, CardOut]


def test_commands_are_off_unless_allowed() -> None:
    with pytest.raises(DeviceError, match="SHOE_COMMAND_NOT_ALLOWED"):
        AngelEye().request(ShoeCommand("lock"))
    with pytest.raises(DeviceError, match="SHOE_COMMAND_UNKNOWN"):
        AngelEye(AngelEyeOptions(commands=frozenset({"explode"}))).request(ShoeCommand("explode"))


@pytest.mark.parametrize(
    ("command", "body"),
    [
        (ShoeCommand("lock"), b"OPLK02"),
        (ShoeCommand("unlock"), b"OPLK01"),
        (ShoeCommand("clear_error", 4), b"OPEC04"),
        (ShoeCommand("confirm_game"), b"OPGP00"),
    ],
)
def test_commands_are_sent_one_by_one_and_answered(command: ShoeCommand, body: bytes) -> None:
    shoe = AngelEye(AngelEyeOptions(commands=frozenset({command.name})))
    shoe.request(command)
    shoe.request(command)
    _, sent = shoe.poll(0)
    assert sent[1:-3] == body
    assert shoe.poll(10) == ([], b"")
    assert shoe.feed(b"\x06") == [CommandAnswered(command.name, "")]
    assert shoe.poll(20)[1] == sent
    assert shoe.feed(b"\x15\x21") == [CommandAnswered(command.name, "BUSY")]
    assert shoe.poll(30) == ([], b"")


def test_a_command_without_an_answer_is_given_up() -> None:
    shoe = AngelEye(AngelEyeOptions(commands=frozenset({"lock"})))
    shoe.request(ShoeCommand("lock"))
    shoe.poll(0)
    assert shoe.poll(1001) == ([CommandAnswered("lock", "NO_ANSWER")], b"")


def test_an_answer_that_nobody_asked_for_is_a_line_fault() -> None:
    assert events(b"\x06") == [LineFault("UNASKED_ANSWER", b"")]


messages = st.tuples(
    st.sampled_from("0123456789"),
    st.one_of(
        st.just(b"S"),
        st.builds(
            lambda r, s: b"D" + card_bytes(r, s),
            st.sampled_from(list(RANK_BYTES)),
            st.sampled_from(list(SUIT_BYTES)),
        ),
        st.binary(min_size=1, max_size=4).map(lambda raw: bytes(byte | 0x80 for byte in raw)),
    ),
).map(lambda message: one(*message))
streams = st.lists(st.one_of(messages, messages.map(lambda m: m * 3), st.binary(max_size=9))).map(b"".join)


@given(streams, st.lists(st.integers(0, 500)))
def test_any_split_gives_the_same_events(data: bytes, places: list[int]) -> None:
    parts = AngelEye()
    assert events(data) == [event for chunk in cut(data, places) for event in parts.feed(chunk)]


@given(st.binary(max_size=400))
def test_no_bytes_can_break_it(data: bytes) -> None:
    shoe = AngelEye()
    shoe.feed(data)
    shoe.poll(0)
