"""A recording gives back what was put in, whole or up to the place where it was cut."""

import json
import random
import stat
from pathlib import Path
from typing import Any

import pytest
from foxglove_schemas_protobuf import CompressedImage_pb2
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from mcap.decoder import DecoderFactory
from mcap.reader import make_reader
from mcap.records import Schema

from controller.i18n import catalogue
from controller.journal.copying import write_entry
from controller.recording.format import (
    IMAGE,
    RecordedSession,
    RecordingError,
    decode_entry,
    from_metadata,
    parse_topic,
    to_metadata,
    topic_of,
)
from controller.recording.recording_reader import Recorded, Recording, segments_in
from controller.recording.segments import SegmentWriter
from tests.recording.recording_kit import SOURCES, START_US, S, entry, session

CompressedImage = CompressedImage_pb2.CompressedImage


class JsonDecoder(DecoderFactory):
    """As a viewer reads JSON messages."""

    def decoder_for(self, message_encoding: str, schema: Schema | None) -> Any:
        return json.loads if message_encoding == "json" and schema is not None else None


MARK = b'{"state": "live", "reason": "OPENED"}'


def written(folder: Path, history: bytes = b"") -> Path:
    """A small segment with a message of each kind."""
    writer = SegmentWriter(folder, "small", session(), SOURCES, history)
    writer.write("mark", "shoe", 6 * S, MARK)
    writer.write("rx", "shoe", 7 * S, b"\x050D\x81\xbd\x034B")
    writer.write("tx", "shoe", 7 * S + 1, b"\x06")
    writer.write("jpeg", "camera", 8 * S, bytes(range(64)))
    writer.write("key", "pad", 9 * S, b"")
    writer.write("fact", "", 10 * S, write_entry(entry(3)))
    writer.close()
    return writer.final


def read(path: Path) -> list[Recorded]:
    with Recording(path) as recording:
        return list(recording)


def test_what_was_put_in_comes_out_in_order_with_both_times(tmp_path: Path) -> None:
    history = b"".join(write_entry(entry(number)) + b"\n" for number in (1, 2))
    with Recording(written(tmp_path, history)) as recording:
        found = list(recording)
        assert recording.session == session()
        assert recording.history == (entry(1), entry(2))
        assert recording.settings["rx", "shoe"] == {"baud": "4800"}
        assert not recording.cut
        assert not recording.damaged
    assert [(one.kind, one.source) for one in found] == [
        ("mark", "shoe"),
        ("rx", "shoe"),
        ("tx", "shoe"),
        ("jpeg", "camera"),
        ("key", "pad"),
        ("fact", ""),
    ]
    assert found[1] == Recorded("rx", "shoe", 7 * S, START_US * 1000 + 2 * S, b"\x050D\x81\xbd\x034B")
    assert found[3].data == bytes(range(64))
    assert decode_entry(found[5].data) == entry(3)


def test_other_viewers_find_schemas_chunks_and_an_index(tmp_path: Path) -> None:
    # Not above: its grammars take two seconds of every worker.
    import jsonschema  # noqa: PLC0415 - see the comment

    with written(tmp_path).open("rb") as file:
        viewer = make_reader(file, decoder_factories=[JsonDecoder()], validate_crcs=True)
        summary = viewer.get_summary()
        assert summary is not None
        assert summary.statistics is not None
        assert summary.statistics.message_count == 6
        assert {chunk.compression for chunk in summary.chunk_indexes} == {"lz4"}
        # By the index, newest first.
        found = [(channel.topic, message) for _, channel, message in viewer.iter_messages(reverse=True)]
        told = {
            schema.name: (json.loads(schema.data), decoded)
            for schema, _, _, decoded in viewer.iter_decoded_messages(topics=["mark/shoe", "fact"])
            if schema is not None
        }
        (image,) = (schema for schema in summary.schemas.values() if schema.name == IMAGE)
    assert [topic for topic, _ in found] == [
        "fact",
        "key/pad",
        "jpeg/camera",
        "tx/shoe",
        "rx/shoe",
        "mark/shoe",
    ]
    for schema, decoded in told.values():
        jsonschema.validate(decoded, {**schema, "additionalProperties": False})
    assert told["stand17.Mark"][1] == json.loads(MARK)
    picture = CompressedImage.FromString(found[2][1].data)
    assert (picture.data, picture.format, picture.frame_id) == (bytes(range(64)), "jpeg", "camera")
    assert picture.timestamp.ToNanoseconds() == found[2][1].log_time
    # The schema inside is the published one.
    published = FileDescriptorProto()
    CompressedImage_pb2.DESCRIPTOR.CopyToProto(published)
    assert published in FileDescriptorSet.FromString(image.data).file


def test_time_never_steps_back_within_a_segment(tmp_path: Path) -> None:
    writer = SegmentWriter(tmp_path, "late", session(), SOURCES)
    for at_ns in (9 * S, 8 * S, 10 * S):
        writer.write("rx", "shoe", at_ns, b"x")
    writer.close()
    assert [one.mono_ns for one in read(writer.final)] == [9 * S, 9 * S, 10 * S]


def test_only_the_owner_may_read_a_recording_open_or_closed(tmp_path: Path) -> None:
    writer = SegmentWriter(tmp_path, "secret", session(), SOURCES)
    assert stat.S_IMODE(writer.path.stat().st_mode) == 0o600
    writer.close()
    assert stat.S_IMODE(writer.final.stat().st_mode) == 0o600


def test_a_file_cut_at_any_byte_gives_every_whole_chunk_before_the_cut(tmp_path: Path) -> None:
    writer = SegmentWriter(tmp_path, "small", RecordedSession("T", "EUR", "0.1", "live", START_US, 0), ())
    writer.write("mark", "shoe", 6 * S, MARK)
    writer.flush()
    writer.write("rx", "shoe", 7 * S, b"abc")
    # What was handed to the system is whole, whatever becomes of the process.
    writer.flush()
    assert len(read(writer.path)) == 2
    writer.write("jpeg", "camera", 8 * S, bytes(range(64)))
    writer.close()
    path = writer.final
    whole, data = read(path), path.read_bytes()
    counts, codes = [], set()
    for length in range(len(data)):
        cut = tmp_path / "cut.mcap"
        cut.write_bytes(data[:length])
        try:
            with Recording(cut) as recording:
                found = list(recording)
                assert recording.cut, length
        except RecordingError as error:
            codes.add(error.code)
            continue
        assert found == whole[: len(found)], length
        counts.append(len(found))
    assert codes == {"RECORDING_EMPTY"}
    assert counts == sorted(counts)
    assert set(counts) == set(range(len(whole) + 1))


def test_a_changed_byte_is_noticed_and_never_crashes_the_reader(tmp_path: Path) -> None:
    path = written(tmp_path, write_entry(entry(1)) + b"\n")
    whole, data, chance = read(path), path.read_bytes(), random.Random(17)
    end_of_data = data.index(b"\x0f" + (4).to_bytes(8, "little"))
    silent, codes = [], set()
    for _ in range(250):
        place = chance.randrange(end_of_data)
        spoilt = bytearray(data)
        spoilt[place] ^= 1 << chance.randrange(8)
        path.write_bytes(spoilt)
        try:
            with Recording(path) as recording:
                found = list(recording)
                if found != whole and not (recording.cut or recording.damaged):
                    silent.append(place)
        except RecordingError as error:
            codes.add(error.code)
    assert silent == []
    assert codes <= {"NOT_A_RECORDING", "RECORDING_EMPTY", "RECORDING_TOO_NEW"}


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "RECORDING_EMPTY"),
        (b"\x89MCAP", "RECORDING_EMPTY"),
        (b"SQLite format 3\0" * 20, "NOT_A_RECORDING"),
        (b"\x89MCAP0\r\n\x05" + b"\xff" * 60, "NOT_A_RECORDING"),
        (random.Random(1).randbytes(5000), "NOT_A_RECORDING"),
    ],
)
def test_what_is_no_recording_is_called_so(tmp_path: Path, content: bytes, code: str) -> None:
    path = tmp_path / "any.mcap"
    path.write_bytes(content)
    with pytest.raises(RecordingError) as caught:
        Recording(path)
    assert caught.value.code == code


def test_a_missing_file_and_a_later_format_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(RecordingError) as caught:
        Recording(tmp_path / "none.mcap")
    assert caught.value.code == "RECORDING_MISSING"
    with pytest.raises(RecordingError) as caught:
        from_metadata(to_metadata(session()) | {"version": "3"}, "x")
    assert caught.value.params == {"path": "x", "found": 3, "known": 2}


@pytest.mark.parametrize("missing", ["version", "table", "start_utc_us"])
def test_metadata_without_a_field_is_no_recording_of_this_program(missing: str) -> None:
    metadata = {key: value for key, value in to_metadata(session()).items() if key != missing}
    with pytest.raises(RecordingError) as caught:
        from_metadata(metadata, "x")
    assert caught.value.code == "NOT_A_RECORDING"


def test_channels_are_told_by_their_names_and_foreign_ones_are_not_ours() -> None:
    assert parse_topic(topic_of("rx", "shoe/1")) == ("rx", "shoe/1")
    assert parse_topic(topic_of("fact", "")) == ("fact", "")
    assert [parse_topic(name) for name in ("fact/shoe", "rx", "/camera/image", "")] == [None] * 4


def test_segments_are_found_closed_and_cut_and_nothing_else(tmp_path: Path) -> None:
    for name in ("b.mcap", "a.mcap.partial", "a.pins.jsonl", ".lock", "c.txt"):
        (tmp_path / name).touch()
    assert [path.name for path in segments_in(tmp_path)] == ["a.mcap.partial", "b.mcap"]


def test_every_code_of_a_recording_has_a_sentence() -> None:
    sources = Path(__file__).parents[2] / "controller" / "recording"
    text = "".join(path.read_text(encoding="utf-8") for path in sources.glob("*.py"))
    codes = {word for word in text.replace('"', " ").split() if word.startswith("RECORDING_")}
    codes = {code for code in codes if code.isupper() and not code.endswith((",", ".", ";", "_"))}
    assert {"RECORDING_DISK_LOW", "RECORDING_IN_USE", "RECORDING_EXISTS"} <= codes
    assert {code for code in codes if f"error.{code}" not in catalogue("en")} == set()
