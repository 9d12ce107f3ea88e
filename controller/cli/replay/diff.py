"""`stand17 diff`: the differences of two files, or of one file under other rules."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from controller.cli.json_words import print_object
from controller.cli.output import echo
from controller.cli.replay.amounts import amount, clock
from controller.domain import ConfigError
from controller.i18n import text

if TYPE_CHECKING:
    from controller.feed.replay import Json
    from controller.replay.files.table_file import ReadFile
    from controller.replay.rounds.compared_facts import FactName
    from controller.replay.rounds.difference import RoundDifference
    from controller.replay.rounds.other_rules import OtherPlay, RoundsCompared
    from controller.replay.rounds.played import PlayedRound


def diff(
    expected: Annotated[str, typer.Argument(help="A feed, journal or recording: as it should be.")],
    actual: Annotated[str | None, typer.Argument(help="The other one. Left out with --rules.")] = None,
    *,
    rules: Annotated[str | None, typer.Option(help="Play ACTUAL by this rule file or house.")] = None,
    profile: Annotated[
        str | None, typer.Option(help="Play ACTUAL by the irregularities of this rule file or house.")
    ] = None,
    options: Annotated[
        list[str] | None, typer.Option("--option", help="An option of the table: NAME=VALUE. Repeatable.")
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(help="Read a recording's pictures and bytes under these settings.", exists=True),
    ] = None,
    number: Annotated[int | None, typer.Option("--round", min=1, help="This round alone.")] = None,
    table: Annotated[bool, typer.Option("--table", help="Through a table's door, holds too.")] = False,
    times: Annotated[
        float | None, typer.Option(min=0, help="Compare times within a round, too, to so many seconds.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON Lines.")] = False,
) -> None:
    """Tell how two feeds, journals or recordings differ, round by round, the first difference first.

    In a round the cause stands before what follows from it: stakes, cards, decisions, then what is due.
    A suit that one of the two does not say differs from none; times are compared with --times alone.
    With --rules and one file, that file is compared with itself under other rules, each round on the table
    as it stood; its header's `rule_overrides` do not count there. A hidden card is not printed, and a round
    in which it was never turned is left out there. --profile and --option change what a table's door does, so
    they show with --table; they go together with --rules. With --config ACTUAL is what the
    devices of a recording report under other settings: models, a deck's profile, how sure a reader has to be.
    Exit status 0; 1 when they differ; 2 when a file cannot be read.
    """
    from controller.replay.files.table_file import read_table_file
    from controller.replay.rounds.difference import timed
    from controller.replay.rounds.other_rules import OtherPlay, parse_options
    from controller.replay.rounds.played import played_rounds

    how = OtherPlay(rules or "", profile or "", parse_options(options or []))
    _require_two_sides(expected, actual, config, how)
    one = read_table_file(expected)
    second = one if actual is None else read_table_file(actual)
    if not table and (one.history is None) != (second.history is None):
        # A feed that comes to no table's door knows of no holds.
        one, second = one.by_rules(), second.by_rules()
    at_table = table or (one.at_table and second.at_table)
    if config is not None:
        _print_found(_read_under(one, config), [], one.header.currency, number, as_json=as_json)
    other = how.of(second)
    ruled = list(_rule_differences(one, other))
    if how.profile or how.options:
        ruled += _house_differences(one, other)
    played = played_rounds(one, at_table=at_table)
    compared = _compared(one, played, other, under=actual is None, at_table=at_table)
    if times is not None and actual is not None:
        late = timed(played, played_rounds(other, at_table=at_table), times)
        found = sorted([*compared.differences, *late], key=lambda each: each.round)
        compared = compared._replace(differences=tuple(found))
    _print_found(compared, ruled, other.header.currency, number, as_json=as_json)


def _require_two_sides(expected: str, actual: str | None, config: Path | None, how: "OtherPlay") -> None:
    from controller.replay.rounds.other_rules import OtherPlay

    more = how != OtherPlay() or actual is not None
    if config is not None and more:
        raise ConfigError("DIFF_CONFIG_ALONE")
    if config is None and not more:
        raise ConfigError("DIFF_ONE_FILE", file=expected)


def _read_under(opened: "ReadFile", config: Path) -> "RoundsCompared":
    # Camera and reader, which no other comparison needs.
    from controller.config import load_config
    from controller.replay.rounds.other_rules import RoundsCompared
    from controller.studio.studio_file import StudioFile

    file = StudioFile(opened, at_table=False)
    return RoundsCompared(tuple(file.read_under(load_config(config))), len(file.rounds))


def _compared(
    one: "ReadFile", played: "list[PlayedRound]", other: "ReadFile", *, under: bool, at_table: bool
) -> "RoundsCompared":
    """Compare with another file, or the file with itself `under` the other's rules.

    A round that never ends hides no later one.
    """
    from controller.replay.rounds.after_open import with_rounds_behind
    from controller.replay.rounds.difference import diff_rounds
    from controller.replay.rounds.other_rules import RoundsCompared, compare_under
    from controller.replay.rounds.played import played_rounds

    expected = with_rounds_behind(one, played, at_table=at_table)
    behind = len(expected) - len(played)
    if under:
        return compare_under(one, expected, other, at_table=at_table)._replace(behind=behind)
    found = played_rounds(other, at_table=at_table)
    actual = with_rounds_behind(other, found, at_table=at_table)
    differences = tuple(diff_rounds(expected, actual))
    return RoundsCompared(differences, len(expected), behind=behind + len(actual) - len(found))


def _print_found(
    compared: "RoundsCompared", ruled: "list[Json]", currency: str, number: int | None, *, as_json: bool
) -> NoReturn:
    """Print the differences, of one round if given, and end with the exit status."""
    found = [each for each in compared.differences if number in {None, each.round}]
    counts = {"differences": len(found), "rounds": len({each.round for each in found}), "of": compared.rounds}
    if compared.left_out:
        counts["left_out"] = compared.left_out
    if compared.behind:
        counts["behind"] = compared.behind
    if as_json:
        _print_json([*ruled, *(each.to_json() for each in found), {"type": "summary", **counts}])
    else:
        _print(ruled, found, currency, counts)
    raise typer.Exit(1 if found else 0)


def _rule_differences(one: "ReadFile", other: "ReadFile") -> "Iterator[Json]":
    """The rules that are not the same."""
    yield from _fields(one.rules._asdict(), other.rules._asdict())


def _house_differences(one: "ReadFile", other: "ReadFile") -> "Iterator[Json]":
    """The options of the table that are not the same, and the faults on which the houses rule otherwise."""
    yield from _fields(one.house.options._asdict(), other.house.options._asdict())
    yield from _fields(_rulings(one), _rulings(other))


def _rulings(file: "ReadFile") -> dict[str, object]:
    """Return the house's ruling on each fault, without its source."""
    return {
        code: {"release": found.release, "ways": list(found.ways)}
        for code, found in file.house.profile.items()
    }


def _fields(one: Mapping[str, object], other: Mapping[str, object]) -> "Iterator[Json]":
    for field in {**one, **other}:
        if one.get(field) != other.get(field):
            yield {"type": "rule", "field": field, "expected": one.get(field), "actual": other.get(field)}


def _print_json(objects: "list[Json]") -> None:
    for each in objects:
        print_object(each, escaped=False)


def _print(
    ruled: "list[Json]", found: "list[RoundDifference]", currency: str, counts: dict[str, int]
) -> None:
    for rule in ruled:
        words = {key: json.dumps(rule[key]) for key in ("expected", "actual")}
        echo(text("diff.rule", {"field": rule["field"], **words}))
    for each in found:
        echo(_sentence(each, currency))
    echo(text("diff.counted" if found else "diff.equal", {**counts}))
    if "left_out" in counts:
        echo(text("diff.left_out", {"rounds": counts["left_out"]}))
    if "behind" in counts:
        echo(text("diff.behind", {"rounds": counts["behind"]}))


def _place(what: "FactName") -> str:
    """The box, the bettor behind it, the hand, as far as a fact names them."""
    holes: dict[str, str | int] = {"box": what.box, "seat": what.seat, "hand": what.hand}
    if what.seat:
        return text("diff.at_seat", holes)
    return text("diff.at_hand" if what.hand else "diff.at_box", holes)


def _sentence(found: "RoundDifference", currency: str) -> str:
    """Return one difference in words: place, kind, expectation."""
    where = [text("diff.round", {"round": found.round})]
    if found.line is not None:
        where.append(text("diff.line", {"line": found.line, "t": clock(found.t or 0.0)}))
    if found.by is not None:
        where.append(found.by)
    return f"{', '.join(where)}: {_what(found, currency)}"


def _what(found: "RoundDifference", currency: str) -> str:
    from controller.replay.rounds.compared_facts import FactName

    if not isinstance(found.what, FactName):
        values = {name: _value(found, getattr(found, name), currency) for name in ("expected", "actual")}
        return text(f"diff.{found.what}", values)
    holes: dict[str, str | int] = {
        "place": _place(found.what),
        "code": found.what.code,
        "expected": _value(found, found.expected, currency),
        "actual": _value(found, found.actual, currency),
    }
    return text(f"diff.{found.what.kind}", holes)


def _value(found: "RoundDifference", value: Any, currency: str) -> str:
    if value is None:
        return text("diff.nothing")
    return amount(value, currency) if found.is_money else " ".join(map(str, value))
