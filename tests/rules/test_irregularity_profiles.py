"""The profile by which a house rules on faults: whole, checked word by word, each house its own."""

import ast
import inspect
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, get_args

import pytest
from feed_cases import FEEDS

from controller.acts.catalogue import ACTS, Bet, CardSeen, Decision, Observation, Reveal, Strike
from controller.domain import ConfigError
from controller.engine.state import new_table
from controller.feed.codec import parse
from controller.feed.feed_lines import open_feed
from controller.feed.feed_table import open_table_script, play_table
from controller.feed.replay import to_lines
from controller.irregularities import DEALER_RELEASES, FAULT_CODES, HOLD_KINDS, WAYS, Irregularity, OwnCode
from controller.policy import House, Person, TableLine, TableRun, decide
from controller.policy.run import Refusal
from controller.rules import HOUSES, load_file

ROOT: Final = Path(__file__).resolve().parents[2]
DREW = FEEDS / "faults" / "it" / "dealer_drew_on_17.feed.jsonl"
MONEY_AND_PLAY = [code for code in FAULT_CODES if code not in DEALER_RELEASES]


@pytest.mark.parametrize("house", HOUSES)
def test_a_house_rules_on_every_fault_and_says_where_it_has_it_from(house: str) -> None:
    profile = load_file(house, Path()).irregularities
    assert set(profile) == set(FAULT_CODES)
    assert [code for code, ruling in profile.items() if not ruling.source or not ruling.ways] == []


@pytest.mark.parametrize("house", HOUSES)
def test_no_fault_of_play_or_money_is_left_to_the_dealer(house: str) -> None:
    profile = load_file(house, Path()).irregularities
    assert [code for code in MONEY_AND_PLAY if profile[code].release == "dealer"] == []


def test_no_two_houses_rule_alike_on_everything() -> None:
    profiles = [
        {
            code: (ruling.release, ruling.ways)
            for code, ruling in load_file(house, Path()).irregularities.items()
        }
        for house in HOUSES
    ]
    assert all(one != other for at, one in enumerate(profiles) for other in profiles[:at])


def _house(folder: Path, ruling: str) -> Path:
    path = folder / "own.toml"
    path.write_text(f'base = "it"\nname = "own"\n\n{ruling}', encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("ruling", "field"),
    [
        ('[irregularities.DEALER_SNEEZED]\nrelease = "pit"\nways = ["burn"]', "irregularities"),
        (
            '[irregularities.WRONG_PAYOUT]\nrelease = "pit"\nways = ["shrug"]',
            "irregularities.WRONG_PAYOUT.ways",
        ),
        (
            '[irregularities.WRONG_PAYOUT]\nrelease = "dealer"\nways = ["paid"]',
            "irregularities.WRONG_PAYOUT.release",
        ),
        ('[irregularities.WRONG_PAYOUT]\nrelease = "pit"\nways = []', "irregularities.WRONG_PAYOUT.ways"),
        (
            '[irregularities.WRONG_PAYOUT]\nrelease = "pit"\nways = ["paid", "paid"]',
            "irregularities.WRONG_PAYOUT.ways",
        ),
        (
            '[irregularities.WRONG_PAYOUT]\nrelease = "pit"\nways = ["paid"]\nmood = "mild"',
            "irregularities.WRONG_PAYOUT.mood",
        ),
        ('[irregularities.WRONG_PAYOUT]\nrelease = "pit"', "irregularities.WRONG_PAYOUT.ways"),
        ("irregularities = 3", "irregularities"),
    ],
)
def test_what_no_table_can_enforce_is_refused_at_loading(tmp_path: Path, ruling: str, field: str) -> None:
    _house(tmp_path, ruling)
    with pytest.raises(ConfigError) as refused:
        load_file("own.toml", tmp_path)
    assert refused.value.params["field"] == field


def test_two_profiles_rule_differently_on_the_same_feed(tmp_path: Path) -> None:
    """One house burns the card drawn on 17 with one supervisor, the other demands two and a void."""
    strict = '[irregularities.DEALER_DREW_ON_17]\nrelease = "two"\nways = ["void_round"]\n'
    mild = '[irregularities.DEALER_DREW_ON_17]\nrelease = "pit"\nways = ["burn"]\n'
    answers = {}
    for name, ruling in (("strict", strict), ("mild", mild)):
        folder = tmp_path / name
        folder.mkdir()
        _house(folder, ruling)
        header, *rest = DREW.read_text(encoding="utf-8").splitlines()
        told = json.dumps({**json.loads(header), "rules": "own.toml"})
        path = folder / "drew.feed.jsonl"
        path.write_text("\n".join([told, *rest, ""]), encoding="utf-8")
        with open_feed(str(path)) as stream:
            script = open_table_script(stream, folder)
            answers[name] = [
                line
                for played in play_table(script)
                for line in to_lines(played, "drew", lambda code, _: code)
            ]
    holds = {name: next(line for line in lines if line["type"] == "hold") for name, lines in answers.items()}
    assert (holds["mild"]["release"], holds["mild"]["ways"]) == ("pit", ["burn"])
    assert (holds["strict"]["release"], holds["strict"]["ways"]) == ("two", ["void_round"])
    assert [line["code"] for line in answers["strict"] if line["type"] == "refused"][1] == "NOT_IN_PROFILE"
    assert [line for line in answers["strict"] if line["type"] == "released"] == []
    assert [line["code"] for line in answers["mild"] if line["type"] == "released"] == ["DEALER_DREW_ON_17"]


def test_the_example_of_a_house_of_its_own_loads_and_differs_where_it_says() -> None:
    examples = Path(__file__).resolve().parents[2] / "examples"
    own, base = load_file("own_house.toml", examples), load_file("spielbank", Path())
    assert own.rules._replace(name="spielbank") == base.rules
    changed = {code for code in FAULT_CODES if own.irregularities[code] != base.irregularities[code]}
    assert changed == {"DEALER_DREW_ON_17", "MISSED_CARD", "HOLE_CARD_EXPOSED"}


@pytest.mark.parametrize(
    ("second", "code"),
    [
        (None, "SECOND_NEEDED"),
        ("", "SECOND_NEEDED"),
        ("pit:P1", "SECOND_NEEDED"),
        ("dealer:D2", "SECOND_NEEDED"),
        ("P2", None),
        ("pit:P2", None),
    ],
)
def test_where_two_people_release_one_of_them_is_not_enough(second: str | None, code: str | None) -> None:
    ruling = Irregularity("two", ("burn",))
    profile = {**load_file("it", Path()).irregularities, "DEALER_DREW_ON_17": ruling}
    run = TableRun(new_table(load_file("it", Path()).rules))
    told: list[Observation] = [
        *(Bet(1, 0, 1000), CardSeen("10"), CardSeen("9"), CardSeen("7")),
        *(CardSeen("8", face="down"), Decision(1, 1, "stand"), Reveal(), CardSeen("5")),
    ]
    for mark, observation in enumerate(told):
        run = decide(House(profile), run, TableLine(observation, Person("pit", "P1"), mark, 2000 * mark)).run
    assert [hold.release for hold in run.holds] == ["two"]
    strike = Strike(5, None, "pit:P1", "drawn on 17", burn=True)
    outcome = decide(House(profile), run, TableLine(strike, Person("pit", "P1"), 9, 30_000, second))
    refused = [effect.code for effect in outcome.effects if isinstance(effect, Refusal)]
    assert refused == ([] if code is None else [code])
    assert bool(outcome.run.holds) == (code is not None)


def _number_of(house: str) -> str:
    """The letters of the house's own numbers: those that its fields' sources have most."""
    cited = Counter(one[:2] for cited in load_file(house, Path()).sources.values() for one in cited)
    return next(letters for letters, _ in cited.most_common() if letters.isupper())


OWN = "|".join(_number_of(house) for house in HOUSES)
CITATION = re.compile(
    rf"(?:{OWN})-\d\d(?:, (?:{OWN})-\d\d)*|NSW (?:BJ|Bacc|WPI) [\d., -]+|South Dakota [\d:]+"
    r"|Queensland 2010|NZ 19\d\d rule [\w.()]+|Bavaria SpielbO § 8\(3\)|Venice|house's choice"
)


@pytest.mark.parametrize("house", HOUSES)
def test_every_fault_names_its_source_and_the_houses_own_number_first(house: str) -> None:
    """Citations only: screens say the rest in the reader's language."""
    prefix = _number_of(house)
    for code, ruling in load_file(house, Path()).irregularities.items():
        parts = ruling.source.split("; ")
        assert all(CITATION.fullmatch(part) for part in parts), (code, ruling.source)
        own = [part for part in parts if re.match(rf"(?:{OWN})-", part)]
        assert own in ([], [parts[0]]), code
        assert all(part.startswith(prefix) for part in own), code


LEFT = [
    '{"feed": 1, "table": "BJ1", "rules": "%s"}',
    '{"t": 1, "obs": "shoe", "decks": 6}',
    '{"t": 2, "obs": "bet", "box": 1, "seat": 0, "stake": 1000}',
    *(f'{{"t": {at}, "obs": "card", "rank": "{rank}"}}' for at, rank in enumerate(("10", "9", "8"), 3)),
    '{"t": 6, "obs": "card", "rank": "9", "face": "down"}',
    '{"t": 7, "obs": "leave", "box": 1, "seat": 0}',
    '{"t": 8, "obs": "decision", "box": 1, "hand": 1, "action": "stand"}',
]
"""The holder of box 1 leaves when it is his turn; the dealer stands for him."""
VOIDED = '\n{"t": 9, "obs": "void", "box": 1, "reason": "gone"}'


def test_a_house_whose_absent_players_hand_does_not_stand_holds_for_the_pit(tmp_path: Path) -> None:
    _house(tmp_path, '[irregularities.BETTOR_LEFT]\nrelease = "pit"\nways = ["void_box"]\n')
    told = {}
    for rules, then in (("it", ""), ("own.toml", VOIDED)):
        feed = tmp_path / "left.feed.jsonl"
        feed.write_text("\n".join(LEFT) % rules + then, encoding="utf-8")
        with open_feed(str(feed)) as stream:
            played = list(play_table(open_table_script(stream, tmp_path)))
        lines = [line for one in played for line in to_lines(one, "left", lambda code, _: code)]
        told[rules] = [line["code"] for line in lines if line["type"] in ("hold", "refused", "released")]
    assert told["it"] == []
    assert told["own.toml"] == ["BETTOR_LEFT", "TABLE_HELD", "BETTOR_LEFT"]


def literals(path: Path, shape: type[ast.AST]) -> Iterator[str]:
    """Each text in a syntax of this shape of a module."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, shape):
            yield from (
                one.value
                for one in ast.walk(node)
                if isinstance(one, ast.Constant) and isinstance(one.value, str)
            )


def test_each_case_of_a_hold_is_a_word_of_the_vocabulary() -> None:
    """A case of a word that the vocabulary lacks is never reached, and mypy does not say so."""
    cased = set(literals(ROOT / "controller/irregularities.py", ast.MatchValue))
    assert cased == set(get_args(OwnCode)) | HOLD_KINDS.keys()


def test_each_critical_alert_of_the_engine_has_a_record() -> None:
    """A critical alert holds the table: a code without a record would be ruled as a dispute."""
    codes: set[str] = set()
    for path in (ROOT / "controller/engine").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Name(id="Alert"),
                    args=[ast.Constant(value=str(code)), ast.Constant("critical"), *_],
                ):
                    codes.add(code)
                case ast.Call(func=ast.Name(id="_critical"), args=[_, ast.Constant(value=str(code)), *_]):
                    codes.add(code)
                case _:
                    pass
    assert len(codes) > 5
    assert codes <= HOLD_KINDS.keys()


TAKEN_BY_A_CARD: Final = {"draw"}
"""Ways that no act names: the card that is owed ends the hold."""


def test_each_way_out_is_taken_by_an_act() -> None:
    """A way that no act takes is offered on the pit's page and ends nothing."""
    taken = {
        said.lifts.way_out(act, (way,))
        for shape, said in ACTS.items()
        if said.lifts is not None
        for act in acts_of(shape)
        for way in WAYS
    }
    assert set(WAYS) - taken == TAKEN_BY_A_CARD


def acts_of(shape: type) -> Iterator[Any]:
    """The example of an act, and the same with each truth value and without a box."""
    found = re.search(r"Example: `(.*?)`", inspect.getdoc(shape) or "", re.DOTALL)
    assert found is not None
    act: Any = parse(json.loads(found[1].replace("\n", " ")))
    yield act
    if "burn" in act._fields:
        yield from (act._replace(burn=burn) for burn in (False, True))
    if "box" in act._fields:
        yield from (act._replace(box=box) for box in (1, None))
