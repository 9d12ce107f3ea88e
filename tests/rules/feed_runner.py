"""Plays a feed and compares what comes out with the expectation beside it, on the keys written there."""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from controller.feed.feed_lines import open_feed
from controller.feed.replay import open_script, play, to_lines

Json = dict[str, Any]
LOUD = ("refused", "alert", "dispute")


def replay(path: Path) -> list[Json]:
    """Every JSON line that the replay of one feed prints, the summary left out."""
    with open_feed(str(path)) as stream:
        script = open_script(stream, path.parent)
        steps = play(script.rules, script.lines)
        return [line for played in steps for line in to_lines(played, path.name, _code_only)]


def _code_only(code: str, _params: dict[str, Any]) -> str:
    return code


def read_jsonl(path: Path) -> list[Json]:
    """The objects of a JSON Lines file; an absent file has none."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def differences(path: Path, lines: list[Json]) -> list[str]:
    """What differs between the replayed lines of a feed and the files beside it, in words."""
    stem = path.name.removesuffix(".feed.jsonl")
    found = _round_differences(read_jsonl(path.with_name(f"{stem}.expect.jsonl")), lines)
    return found + _notice_differences(read_jsonl(path.with_name(f"{stem}.notices.jsonl")), lines)


def _round_differences(expected: list[Json], lines: list[Json]) -> list[str]:
    """Each expected round against the last line of that round: a correction prints the round again."""
    last = {line["round"]: line for line in lines if line["type"] == "round"}
    found: list[str] = []
    for want in expected:
        got = last.get(want["round"])
        place = f"round {want['round']}"
        found += [f"{place}: no such line"] if got is None else differs(want, got, place)
    return found


def differs(want: object, got: object, place: str) -> list[str]:
    """The differences on the keys of `want`; lists must agree in length, their objects go by identity."""
    if isinstance(want, dict) and isinstance(got, dict):
        missing = [f"{place}: no {key}" for key in want if key not in got]
        shared = [key for key in want if key in got]
        return missing + [line for key in shared for line in differs(want[key], got[key], f"{place}.{key}")]
    if isinstance(want, list) and isinstance(got, list) and want and isinstance(want[0], dict):
        if len(want) != len(got):
            return [f"{place}: expected {len(want)} entries, got {json.dumps(got)}"]
        pairs = zip(sorted(want, key=_identity), sorted(got, key=_identity), strict=True)
        return [line for a, b in pairs for line in differs(a, b, f"{place}[{_identity(a)}]")]
    return [] if want == got else [f"{place}: expected {want!r}, got {got!r}"]


def _identity(item: Json) -> str:
    """What an entry of a list is about: a bettor, a hand, or a part of a bet."""
    if "kind" in item:
        return f"{item['kind'] != 'main'}-{item.get('hand', 1) if item['kind'] == 'main' else ''}"
    return "-".join(f"{item[key]:>2}" for key in ("box", "seat", "hand") if key in item)


def broken_adjustments(lines: list[Json]) -> list[str]:
    """Where the money trail of a round breaks: first settlement plus every difference must be the last one.

    Each adjustment must also start from what the one before it left.
    """
    found: list[str] = []
    for number in {line["round"] for line in lines if line["type"] == "round"}:
        trail = [line for line in lines if line.get("round") == number]
        held: dict[tuple[int, int], int] | None = None
        for line in trail:
            if line["type"] == "adjustment" and held is not None:
                found += [f"{line}: held {held}" for bet in line["bets"] if not _follows(bet, held)]
            elif line["type"] == "round" and line["status"] in ("settled", "voided"):
                told = {(bet["box"], bet["seat"]): bet["returned"] for bet in line["bets"]}
                found += (
                    [f"round {number}: adjusted to {held}, told {told}"] if held not in (None, told) else []
                )
                held = told
    return found


def _follows(bet: Json, held: dict[tuple[int, int], int]) -> bool:
    """Whether an adjustment starts from what the bettor holds; books its end."""
    who = (bet["box"], bet["seat"])
    fits = held[who] == bet["returned_before"]
    held[who] = bet["returned_after"]
    return bool(fits and bet["delta"] == bet["returned_after"] - bet["returned_before"])


def _notice_differences(expected: list[Json], lines: list[Json]) -> list[str]:
    """Each expected notice must be there; others only where the file allows them."""
    header, *wanted = expected or [{"others": "none"}]
    by_line = defaultdict(list)
    for line in lines:
        by_line[line.get("line")].append(line)
    found = [
        f"line {want['line']}: expected {want}, got {by_line[want['line']]}"
        for want in wanted
        if not any(_fits(want, line) for line in by_line[want["line"]])
    ]
    if header["others"] == "allowed":
        return found
    marked = {want["line"] for want in wanted}
    loud = [line for line in lines if line["type"] in LOUD and line.get("line") not in marked]
    return found + [f"not expected: {line}" for line in loud]


def _fits(want: Json, line: Json) -> bool:
    """Whether a notice line is the wanted one, on the keys that are written."""
    kinds = want["type"] if isinstance(want["type"], list) else [want["type"]]
    rest = {key: value for key, value in want.items() if key != "type"}
    return line["type"] in kinds and not differs(rest, line, "notice")
