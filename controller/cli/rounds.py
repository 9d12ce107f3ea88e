"""Commands on stored rounds: show, diff, table."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NoReturn

import typer

from controller.cli.application import AsJson
from controller.cli.output import amount, clock, echo, print_object, sentence, signed_amount
from controller.domain import ConfigError
from controller.i18n import text

if TYPE_CHECKING:
    from controller.feed.replay import Json
    from controller.replay.difference import FactName, OtherPlay, RoundDifference, RoundsCompared
    from controller.replay.played import PlayedRound
    from controller.replay.table_file import ReadFile

_BARE: Final = frozenset({"obs", "what", "action", "rank", "suit", "name", "state"})
"""Fields that are written without their name."""

APART: Final = frozenset({"by", "reason", "round"})
"""Fields that stand elsewhere in the line. Every other one is written with its name."""

AMOUNTS: Final = ("staked", "returned", "handed_back", "difference", "net")
"""The amounts of a bettor in an account; `returned` is what is due."""

_CERTAIN: Final = 0.999
"""The reader's own limit of a certain card: one below it is printed with its certainty."""


def show(
    file: Annotated[str, typer.Argument(help="A feed, gzip too, a journal, a recording; - is a feed.")],
    number: Annotated[int, typer.Option("--round", min=1, help="The round's number.")],
    *,
    table: Annotated[
        bool, typer.Option("--table", help="A feed: through a table's door, holds too.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show a round: cards by box, decisions, holds, rulings, payouts and the rules that decided.

    A face-down card stays masked until it is turned. Journals and recordings are played through
    their table's door. Exit status 0; 2 when the file cannot be read or has no such round.
    """
    from controller.replay.played import played_rounds
    from controller.replay.round_rows import round_account
    from controller.replay.table_file import read_table_file

    opened = read_table_file(file)
    at_table = table or opened.at_table
    rounds = played_rounds(opened, at_table=at_table)
    found = next((played for played in rounds if played.number == number), None)
    if found is None:
        raise ConfigError("ROUND_NOT_FOUND", round=number, last=rounds[-1].number if rounds else 0)
    account = round_account(opened, found)
    if as_json:
        print_object(account, escaped=False)
        return
    for line in _account_lines(account):
        echo(line)


def _account_lines(account: "Json") -> Iterator[str]:
    """The account in words."""
    first, last = account["lines"]
    begins, ends = account["t"]
    yield text(
        "show.head",
        {
            "round": account["round"],
            "status": account["status"],
            "table": account["table"] or "-",
            "rules": account["rules"],
            "first": first,
            "last": last,
            "begins": clock(begins),
            "ends": clock(ends),
        },
    )
    dealer = account["dealer"]
    yield text("show.dealer", {"cards": _cards(dealer), "total": dealer["total"]})
    currency = account["currency"]
    for box in account["boxes"]:
        yield from _box(box, account["money"], currency)
    yield from _certainty(account)
    yield from _listed("show.events", [_event(event, currency) for event in account["events"]])
    total = {key: sum(bet[key] for bet in account["money"]) for key in AMOUNTS}
    yield text("show.sum", _amounts(total, currency))


def _amounts(bet: Mapping[str, int], currency: str) -> dict[str, str]:
    """The holes of a sentence on a bettor's amounts, or on their sums."""
    return {
        "staked": amount(bet["staked"], currency),
        "due": amount(bet["returned"], currency),
        "given": amount(bet["handed_back"], currency),
        "difference": signed_amount(bet["difference"], currency),
        "net": signed_amount(bet["net"], currency),
    }


def _cards(hand: "Json") -> str:
    """The cards, each with its certainty where the reader's own limit of a certain card is not reached."""
    told = (
        card if p is None or p >= _CERTAIN else f"{card} ({p * 100:.2f} %)"
        for card, p in zip(hand["cards"], hand["p"], strict=True)
    )
    return " ".join(told) or "-"


def _certainty(account: "Json") -> Iterator[str]:
    """Yield the number of cards with a certainty, and the least of them."""
    hands = [account["dealer"], *(hand for box in account["boxes"] for hand in box["hands"])]
    cards = [(p, card) for hand in hands for card, p in zip(hand["cards"], hand["p"], strict=True)]
    known = [(p, card) for p, card in cards if p is not None]
    if known:
        least, card = min(known)
        holes = {"card": card, "percent": f"{least * 100:.2f}", "count": len(known), "of": len(cards)}
        yield text("show.certainty", holes)


def _box(box: "Json", money: "list[Json]", currency: str) -> Iterator[str]:
    yield text("diff.at_box", {"box": box["box"]}) + (f"  {text('show.to_act')}" if box["to_act"] else "")
    for hand in box["hands"]:
        stakes = ", ".join(_stake(each, currency) for each in hand["stakes"])
        holes = {"hand": hand["hand"], "cards": _cards(hand), "total": hand["total"], "stakes": stakes}
        yield "  " + text("show.hand", holes)
    for each in box["insurance"]:
        yield "  " + text("show.insurance", {"stake": _stake(each, currency)})
    for bet in money:
        if bet["box"] == box["box"]:
            yield from _bet(bet, currency)


def _stake(each: "Json", currency: str) -> str:
    behind = f" ({text('show.seat', {'seat': each['seat']})})" if each["seat"] else ""
    return amount(each["stake"], currency) + behind


def _bet(bet: "Json", currency: str) -> Iterator[str]:
    for part in bet["parts"]:
        rules = ", ".join(part["decided_by"])
        line = text(
            "show.part",
            {
                "seat": bet["seat"],
                "hand": part["hand"],
                "kind": part["kind"],
                "outcome": part["outcome"],
                "stake": amount(part["stake"], currency),
                "due": amount(part["returned"], currency),
            },
        )
        yield f"  {line}" + (f"  [{rules}]" if rules else "")
    key = "show.net_given" if bet["entered"] else "show.net"
    yield "  " + text(key, {"seat": bet["seat"], **_amounts(bet, currency)})


def _listed(title: str, lines: list[str]) -> Iterator[str]:
    if lines:
        yield text(title)
    yield from (f"  {line}" for line in lines)


def _event(event: "Json", currency: str) -> str:
    where = text("diff.line", {"line": event["line"], "t": clock(event["t"])})
    late = f" {text('show.late')}" if event.get("late") else ""
    by = f" {event['by']}" if "by" in event else ""
    return f"{where}{late}{by}: {_event_text(event, currency)}"


def _event_text(event: "Json", currency: str) -> str:
    if "told" in event:
        found = event["told"]
        words = [
            _word(key, value, currency)
            for key, value in found.items()
            if key not in APART and value is not None
        ]
        reason = f" ({found['reason']})" if found.get("reason") else ""
        ruling = f"{event['event']} " if event["event"] == "ruling" else ""
        return ruling + " ".join(words) + reason
    code = event.get("code", event.get("what", ""))
    ways = f" [{', '.join(event['ways'])}]" if event.get("ways") else ""
    kind = {"hold": "hold", "alert": "alert", "dispute": "alert", "refused": "refused"}.get(event["event"])
    meaning = sentence(kind, str(code), event.get("params", {})) if kind else ""
    if not kind and event.get("box"):
        meaning = text("diff.at_hand", event)
    return f"{event['event']} {code}{ways}: {meaning}" if meaning else f"{event['event']} {code}"


def _word(key: str, value: Any, currency: str) -> str:
    from controller.feed.codec import is_amount

    if key in _BARE:
        return str(value)
    if is_amount(key) and isinstance(value, int):
        return f"{key} {amount(value, currency)}"
    return f"{key} {value if isinstance(value, str) else json.dumps(value)}"


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
    from controller.replay.difference import OtherPlay, parse_options, timed
    from controller.replay.played import played_rounds
    from controller.replay.table_file import read_table_file

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
    ruled = list(_fields(one.rules._asdict(), other.rules._asdict()))
    if how.profile or how.options:
        # The options of the table, and the faults on which the houses rule otherwise.
        ruled += _fields(one.house.options._asdict(), other.house.options._asdict())
        ruled += _fields(_rulings(one), _rulings(other))
    played = played_rounds(one, at_table=at_table)
    compared = _compared(one, played, other, under=actual is None, at_table=at_table)
    if times is not None and actual is not None:
        late = timed(played, played_rounds(other, at_table=at_table), times)
        found = sorted([*compared.differences, *late], key=lambda each: each.round)
        compared = compared._replace(differences=tuple(found))
    _print_found(compared, ruled, other.header.currency, number, as_json=as_json)


def _require_two_sides(expected: str, actual: str | None, config: Path | None, how: "OtherPlay") -> None:
    from controller.replay.difference import OtherPlay

    more = how != OtherPlay() or actual is not None
    if config is not None and more:
        raise ConfigError("DIFF_CONFIG_ALONE")
    if config is None and not more:
        raise ConfigError("DIFF_ONE_FILE", file=expected)


def _read_under(opened: "ReadFile", config: Path) -> "RoundsCompared":
    # Camera and reader, which no other comparison needs.
    from controller.config import load_config
    from controller.replay.difference import RoundsCompared
    from controller.studio.studio_file import StudioFile

    file = StudioFile(opened, at_table=False)
    return RoundsCompared(tuple(file.read_under(load_config(config))), len(file.rounds))


def _compared(
    one: "ReadFile", played: "list[PlayedRound]", other: "ReadFile", *, under: bool, at_table: bool
) -> "RoundsCompared":
    """Compare with another file, or the file with itself `under` the other's rules.

    A round that never ends hides no later one.
    """
    from controller.replay.difference import RoundsCompared, compare_under, diff_rounds
    from controller.replay.played import played_rounds, with_rounds_behind

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
        for each in (*ruled, *(one.to_json() for one in found), {"type": "summary", **counts}):
            print_object(each, escaped=False)
    else:
        _print(ruled, found, currency, counts)
    raise typer.Exit(1 if found else 0)


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
    from controller.replay.difference import FactName

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
