"""Turns the readable case files of tests/feeds/src into feeds, expectations and the requirement manifest.

A case file holds sections such as

    @ NL-09 what a user sees of this requirement
    == blackjack_bonus NL-06 NL-09
    : what this case shows
    house nl                         (in table.cases and rulings.cases; the other files are one house each)
    rules {"rounding": "player"}
    shoe 1
    bet 1 400
    Ah 7c Kd (10s)
    1 stand          !! refused
    --
    round 1 settled
    dealer 7 = 7
    bet 1 400 -> 1000 : h1 400 blackjack 1000

Every amount after the `--` was worked out by hand from the rule text; the builder only does the spelling
and checks that the parts add up. Run it as a script to write the files; `test_rules_corpus.py` fails when
the written files differ from their source.
"""

import json
import re
from pathlib import Path
from typing import NamedTuple

from case_words import CaseError, Json, observations, seat_of

from controller.rules import HOUSES

FEEDS = Path(__file__).resolve().parent.parent / "feeds"
FOLDERS = (*HOUSES, "table", "rulings", "shoe")
_STEP_SECONDS = 1.5


class Case(NamedTuple):
    """One case: its files' name, the requirements it shows, its feed, and what must come out."""

    house: str
    name: str
    requirements: tuple[str, ...]
    sees: str
    header: Json
    lines: tuple[Json, ...]
    expect: tuple[Json, ...]
    notices: tuple[Json, ...]


def _notice(text: str, line: int, obs: str) -> Json:
    """Read `refused CODE`, `alert CODE SEVERITY`, `refused|alert`, `adjustment BOX.SEAT WAS NOW, ...`."""
    kind, *rest = text.split(maxsplit=1)
    words = rest[0].split() if rest else []
    notice: Json = {"type": kind.split("|") if "|" in kind else kind, "line": line}
    if kind == "adjustment":
        changes = [part.split() for part in rest[0].split(",")]
        notice["bets"] = [_change(*change) for change in changes]
        return notice
    if kind == "refused":
        notice["obs"] = obs
    if words:
        notice["code"] = words[0]
    if words[1:]:
        notice["severity"] = words[1]
    return notice


def _change(who: str, before: str, after: str, staked: str = "") -> Json:
    """One bettor's line of an adjustment: `1.1 800 1600`, and `400>800` where the stake changed."""
    box, seat = seat_of(who)
    values = {"returned_before": int(before), "returned_after": int(after), "delta": int(after) - int(before)}
    if staked:
        values |= dict(zip(("staked_before", "staked_after"), map(int, staked.split(">")), strict=True))
    return {"box": box, "seat": seat} | values


def _feed_part(rows: list[str]) -> tuple[list[Json], list[Json], bool]:
    """Observations with their times, the marked notices, and whether other notices are allowed."""
    lines: list[Json] = []
    notices: list[Json] = []
    others = False
    for row in rows:
        text, *marks = [piece.strip() for piece in row.split("!!")]
        for observation in observations(text) if text else ():
            lines.append({"t": _STEP_SECONDS * (len(lines) + 1)} | observation)
        for mark in marks:
            if mark == "others allowed":
                others = True
            else:
                notices.append(_notice(mark, len(lines) + 1, lines[-1]["obs"]))
    return lines, notices, others


_OUTCOMES = (
    "win",
    "lose",
    "push",
    "blackjack",
    "bust",
    "surrender",
    "even_money",
    "insured",
    "insurance_lost",
    "void",
)


def _part(text: str) -> Json:
    """Read `h1 400 win 800` or `ins 200 insured 600`."""
    what, stake, outcome, returned = text.split()
    if outcome not in _OUTCOMES and outcome != "*":
        raise CaseError(f"unknown outcome {outcome}")
    kind = {"kind": "insurance"} if what == "ins" else {"kind": "main", "hand": int(what[1:])}
    told = {} if outcome == "*" else {"outcome": outcome}
    return kind | {"stake": int(stake)} | told | {"returned": int(returned)}


def _bet(text: str) -> Json:
    """Read `1.0 400 -> 1000 : h1 400 blackjack 1000`; without parts the sums, with `*` the stake."""
    sums, _, parts_text = text.partition(":")
    who, staked, arrow, returned = sums.split()
    if arrow != "->":
        raise CaseError(f"no arrow in {text}")
    box, seat = seat_of(who)
    bet: Json = {"box": box, "seat": seat, "staked": int(staked)}
    if returned != "*":
        bet |= {"returned": int(returned), "net": int(returned) - int(staked)}
    if parts_text:
        bet["parts"] = [_part(part) for part in parts_text.split(",")]
        sums_of_parts = [sum(part[key] for part in bet["parts"]) for key in ("stake", "returned")]
        if sums_of_parts != [int(staked), int(returned)]:
            raise CaseError(f"parts do not add up: {text}")
    return bet


def _dealer(text: str) -> Json:
    """Read `9 K = 19`, `= 24 bust`, `A K = 21 blackjack`."""
    cards, _, value = text.partition("=")
    total, *flags = value.split()
    shown: Json = {"cards": cards.split()} if cards.strip() else {}
    return shown | {"total": int(total), "blackjack": "blackjack" in flags, "bust": "bust" in flags}


def _hand(text: str) -> Json:
    """Read `1.2 8 3 K = 21`."""
    cards, _, total = text.partition("=")
    who, *ranks = cards.split()
    box, hand = seat_of(who)
    return {"box": box, "hand": hand or 1} | ({"cards": ranks} if ranks else {}) | {"total": int(total)}


def _bonus(text: str) -> list[Json]:
    """Read `3 drink`, or `none` for a round that must not bring any."""
    if text == "none":
        return []
    box, bonus = text.split()
    return [{"box": int(box), "hand": 1, "bonus": bonus}]


def _expect_part(rows: list[str]) -> list[Json]:
    """The expected `round` objects, only with the keys that the specification fixes for this case."""
    rounds: list[Json] = []
    for row in rows:
        word, _, rest = row.partition(" ")
        if word == "round":
            number, status = rest.split()
            known = {} if status == "any" else {"status": status}
            rounds.append({"type": "round", "round": int(number), **known})
        elif word == "dealer":
            rounds[-1]["dealer"] = _dealer(rest)
        elif word == "bet":
            rounds[-1].setdefault("bets", []).append(_bet(rest))
        elif word == "hand":
            rounds[-1].setdefault("hands", []).append(_hand(rest))
        elif word == "order":
            rounds[-1]["settle_order"] = [int(box) for box in rest.split()]
        elif word == "bonus":
            rounds[-1].setdefault("bonuses", []).extend(_bonus(rest))
        else:
            raise CaseError(f"unknown expectation {row}")
    return rounds


def _case(house: str, title: str, rows: list[str]) -> Case:
    """Build one case from its title line and its rows."""
    name, *requirements = title.split()
    header: Json = {"feed": 1, "table": "BJ1", "rules": house, "rule_overrides": {}}
    header |= {"currency": "EUR", "started_at": "2026-11-20T19:00:00Z"}
    sees = " ".join(row[1:].strip() for row in rows if row.startswith(":"))
    rows = [row for row in rows if not row.startswith(":")]
    for row in [row for row in rows if row.startswith(("rules ", "house "))]:
        word, value = row.split(maxsplit=1)
        header |= {"rules": value} if word == "house" else {"rule_overrides": json.loads(value)}
    rows = [row for row in rows if not row.startswith(("rules ", "house "))]
    cut = rows.index("--") if "--" in rows else len(rows)
    lines, notices, others = _feed_part(rows[:cut])
    if notices or others:
        notices.insert(0, {"notices": 1, "others": "allowed" if others else "none"})
    expect = _expect_part(rows[cut + 1 :])
    return Case(house, name, tuple(requirements), sees, header, tuple(lines), tuple(expect), tuple(notices))


def read_cases(house: str) -> tuple[list[Case], dict[str, str]]:
    """All cases of one house, and what a user sees for each requirement that its file explains."""
    cases: list[Case] = []
    sees: dict[str, str] = {}
    text = (FEEDS / "src" / f"{house}.cases").read_text(encoding="utf-8")
    for block in re.split(r"^== ", text, flags=re.MULTILINE):
        rows = [row.split("##")[0].strip() for row in block.splitlines()]
        for row in [row for row in rows if row.startswith("@ ")]:
            _, number, words = row.split(maxsplit=2)
            sees[number] = words
        rows = [row for row in rows if row and not row.startswith("@ ")]
        if block is not text and rows and not text.startswith(block):
            cases.append(_build(house, rows))
    return cases, sees


def _build(house: str, rows: list[str]) -> Case:
    """Build a case and name it in any complaint."""
    try:
        return _case(house, rows[0], rows[1:])
    except (CaseError, ValueError, KeyError, IndexError) as error:
        raise CaseError(f"{house}/{rows[0]}: {error!r}") from error


def all_cases() -> tuple[list[Case], dict[str, str]]:
    """The cases of every house, in order, and the words for every requirement."""
    cases: list[Case] = []
    sees: dict[str, str] = {}
    for house in FOLDERS:
        more, words = read_cases(house)
        cases += more
        sees |= words
    return cases, sees


def _jsonl(objects: tuple[Json, ...]) -> str:
    """One compact object a line."""
    return "".join(json.dumps(thing, separators=(", ", ": ")) + "\n" for thing in objects)


def requirement_table(cases: list[Case], sees: dict[str, str]) -> dict[str, list[str]]:
    """Requirement number to the case paths that show it, in order."""
    table: dict[str, list[str]] = {number: [] for number in sees}
    for case in cases:
        for number in case.requirements:
            table.setdefault(number, []).append(f"{case.house}/{case.name}")
    return table


def built_files() -> dict[str, str]:
    """Every file that belongs into tests/feeds, by relative path, with its content."""
    cases, sees = all_cases()
    files: dict[str, str] = {}
    for case in cases:
        stem = f"{case.house}/{case.name}"
        files[f"{stem}.feed.jsonl"] = _jsonl((case.header, *case.lines))
        if case.expect:
            files[f"{stem}.expect.jsonl"] = _jsonl(case.expect)
        if case.notices:
            files[f"{stem}.notices.jsonl"] = _jsonl(case.notices)
    files["requirements.toml"] = _manifest(requirement_table(cases, sees), sees)
    return files


def _manifest(table: dict[str, list[str]], sees: dict[str, str]) -> str:
    """The TOML text of requirements.toml."""
    text = "# Written by tests/rules/feed_cases.py: which feeds show which requirement of the rule texts.\n"
    for number, names in table.items():
        listed = "".join(f'    "{name}",\n' for name in names)
        text += f'\n["{number}"]\nsees = {json.dumps(sees.get(number, ""))}\ncases = [\n{listed}]\n'
    return text


def write_files() -> int:
    """Write what is new or changed, remove what no case makes any more; return the number of cases."""
    files = built_files()
    for path in FEEDS.glob("*/*.jsonl"):
        if path.parent.name in FOLDERS and f"{path.parent.name}/{path.name}" not in files:
            path.unlink()
    for name, text in files.items():
        path = FEEDS / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    return len(all_cases()[0])


if __name__ == "__main__":
    write_files()
