"""`stand17 diff`: two files of a table, or one under other rules, and what differs."""

import json
from collections.abc import Iterator
from typing import Annotated

import typer

from controller.cli.amounts import difference_sentence
from controller.domain.errors import ConfigError
from controller.feed.json_report import Json
from controller.i18n import text
from controller.replay.other_rules import RoundsCompared, compare_under
from controller.replay.played_rounds import played_rounds
from controller.replay.round_diff import RoundDifference, diff_rounds
from controller.replay.told_file import ToldFile, open_told, with_rule_file


def diff(
    expected: Annotated[str, typer.Argument(help="A feed, journal or recording: as it should be.")],
    actual: Annotated[str | None, typer.Argument(help="The other one. Left out with --rules.")] = None,
    *,
    rules: Annotated[str | None, typer.Option(help="Play ACTUAL by this rule file or house.")] = None,
    number: Annotated[int | None, typer.Option("--round", min=1, help="This round alone.")] = None,
    table: Annotated[bool, typer.Option("--table", help="Through a table's door, holds too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON Lines.")] = False,
) -> None:
    """Tell how two feeds, journals or recordings differ, round by round, the first difference first.

    In a round the cause stands before what follows from it: stakes, cards, decisions, then what was paid.
    With --rules and one file, that file is compared with itself under other rules, each round on the table
    as it stood; its header's `rule_overrides` do not count there. A face-down card is not told, and a round
    in which it was never turned is left out there. Exit status 0; 1 when they differ; 2 when a file cannot
    be read.
    """
    if actual is None and rules is None:
        raise ConfigError("DIFF_ONE_FILE", file=expected)
    one = open_told(expected)
    other = one if actual is None else open_told(actual)
    if rules is not None:
        other = with_rule_file(other, rules)
    ruled = list(rule_differences(one, other))
    played = played_rounds(one, at_table=table)
    if actual is None:
        compared = compare_under(one, played, other, at_table=table)
    else:
        differences = diff_rounds(played, played_rounds(other, at_table=table))
        compared = RoundsCompared(tuple(differences), len(played))
    found = [each for each in compared.differences if number in {None, each.round}]
    counts = {"differences": len(found), "rounds": len({each.round for each in found}), "of": compared.rounds}
    if compared.left_out:
        counts["left_out"] = compared.left_out
    if as_json:
        _print_json([*ruled, *(each.to_json() for each in found), {"type": "summary", **counts}])
    else:
        _print(ruled, found, other.header.currency, counts)
    raise typer.Exit(1 if found else 0)


def rule_differences(one: ToldFile, other: ToldFile) -> Iterator[Json]:
    """The rules and the options of the table that are not the same."""
    pairs = zip(one.rules._asdict().items(), other.rules._asdict().values(), strict=True)
    for (field, value), new in pairs:
        if value != new:
            yield {"type": "rule", "field": field, "expected": value, "actual": new}


def _print_json(objects: list[Json]) -> None:
    for each in objects:
        typer.echo(json.dumps(each, ensure_ascii=False))


def _print(ruled: list[Json], found: list[RoundDifference], currency: str, counts: dict[str, int]) -> None:
    for rule in ruled:
        words = {key: json.dumps(rule[key]) for key in ("expected", "actual")}
        typer.echo(text("diff.rule", {"field": rule["field"], **words}))
    for each in found:
        typer.echo(difference_sentence(each, currency))
    typer.echo(text("diff.counted" if found else "diff.equal", {**counts}))
    if "left_out" in counts:
        typer.echo(text("diff.left_out", {"rounds": counts["left_out"]}))
