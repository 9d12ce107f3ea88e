"""A feed or recording as a test: its differences from the expectation."""

from pathlib import Path
from typing import NamedTuple

from controller.domain import TableError
from controller.feed.feed_lines import MalformedFeed
from controller.feed.replay import compare, load_expected, round_json
from controller.i18n import text
from controller.replay.files.file_kind import kind_of
from controller.replay.files.table_file import read_table_file, with_rule_file
from controller.replay.live.differences import one_line
from controller.replay.rounds.played import played_rounds
from controller.replay.rounds.value_words import value_words


class Case(NamedTuple):
    """A file to check: a feed with its expectation, or a recording (`expect` None).

    `rules` is a rule file or house that replaces the feed's own; `table`: play it through a table's door.
    """

    file: str
    expect: Path | None
    rules: str | None = None
    table: bool = False


def case_faults(case: Case) -> list[str]:
    """Return a sentence per difference; an unreadable file is a difference."""
    try:
        if case.expect is None and kind_of(case.file) == "recording":
            return _recording_faults(Path(case.file))
        return _feed_faults(case)
    except TableError as error:
        line = f":{error.line}" if isinstance(error, MalformedFeed) else ""
        return [f"{case.file}{line}: {text(f'error.{error.code}', dict(error.params))}"]


def _feed_faults(case: Case) -> list[str]:
    file = read_table_file(case.file)
    if case.rules is not None:
        file = with_rule_file(file, case.rules)
    expected = [] if case.expect is None else load_expected(case.expect)
    played = played_rounds(file, at_table=case.table)
    results = [round_json(one.result) for one in played if one.result is not None]
    found = compare([{**one, "feed": ""} for one in expected], [{**one, "feed": ""} for one in results])
    rounds = {int(one["round"]): one for one in results}
    rows = [one.placed(rounds.get(one.round, {})) for one in found]
    currency = file.header.currency
    return [f"{text('diff.round', {'round': row['round']})}: {value_words(row, currency)}" for row in rows]


def _recording_faults(path: Path) -> list[str]:
    # Drivers and the card reader are loaded for a recording alone.
    from controller.recording.recording_reader import Recording  # noqa: PLC0415 - see above
    from controller.replay.live.recording_replayer import RecordingReplayer  # noqa: PLC0415 - see above

    with Recording(path) as recording:
        replayer = RecordingReplayer(recording)
        for _ in replayer.play():
            pass
    return [_difference(found.to_json(replayer.secret)) for found in replayer.differences]


def _difference(fields: dict[str, object]) -> str:
    recorded, made = fields.get("recorded"), fields.get("made")
    holes = {
        "t": f"{fields['t']:.3f}",
        "device": str(fields["device"]),
        "recorded": one_line(recorded if isinstance(recorded, dict) else None),
        "made": one_line(made if isinstance(made, dict) else None),
    }
    return text(f"replay.{fields['code']}", holes)
