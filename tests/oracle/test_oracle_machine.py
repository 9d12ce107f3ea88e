"""A table driven at random, sense and nonsense mixed: what must hold after every single observation."""

from pathlib import Path
from typing import Any

from deal import RANKS
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from controller.domain import Refused, RoundResult, Settled
from controller.engine import OfferedAct, TableState, expected, legal, new_table
from controller.engine.table import step
from controller.feed.codec import parse, to_json
from controller.rules import HOUSES, load_rules

RANK = st.sampled_from(RANKS)
BOX = st.integers(1, 7)
NUMBER = st.integers(1, 25)
ACTIONS = ("hit", "stand", "double", "split", "surrender")
STAKES = {house: load_rules(house, {}, Path()).stake_min or 1000 for house in HOUSES}


class RandomTable(RuleBasedStateMachine):
    """One table of a random house; `journal` holds what was accepted."""

    @initialize(house=st.sampled_from(sorted(STAKES)), boxes=st.sets(BOX, min_size=1, max_size=3))
    def open_table(self, house: str, boxes: set[int]) -> None:
        """A fresh shoe and some bets, so that most runs get to play."""
        self.house = house
        self.house_rules = load_rules(house, {}, Path())
        self.state: TableState = new_table(self.house_rules)
        self.journal: list[dict[str, Any]] = []
        self.results: list[RoundResult] = []
        self.see({"obs": "shoe", "decks": self.house_rules.decks})
        for _ in range(self.house_rules.burn_cards):
            self.see({"obs": "card", "rank": "2", "suit": None, "to": "burn"})
        for box in sorted(boxes):
            self.see({"obs": "bet", "box": box, "seat": 0, "stake": STAKES[house]})

    def see(self, line: dict[str, Any]) -> str | None:
        """Take one observation; the refusal's code, or None."""
        observation = parse(line)
        after, notices = step(self.state, observation)
        refused = [notice.code for notice in notices if isinstance(notice, Refused)]
        if refused:
            assert after == self.state, f"refused {refused} and yet changed"
            return refused[0]
        self.state = after
        self.journal.append(to_json(observation))
        self.results += [notice.result for notice in notices if isinstance(notice, Settled)]
        return None

    @rule(rank=RANK, data=st.data())
    def what_is_due(self, rank: str, data: st.DataObject) -> None:
        """The card, answer or call that the table waits for."""
        code = expected(self.state).code
        if code == "PLAYER":
            acts = [act for act in legal(self.state) if act.code is None and act.action in ACTIONS]
            self.see(as_line(data.draw(st.sampled_from(acts))) if acts else {"obs": "end"})
        elif code == "INSURANCE":
            self.see({"obs": "insurance_closed"})
        elif code == "PEEK":
            self.see({"obs": "peek", "blackjack": data.draw(st.booleans())})
        elif code == "REVEAL":
            self.see({"obs": "reveal", "rank": rank, "suit": None})
        elif code in ("SETTLED", "PLACE_BETS"):
            self.see({"obs": "bet", "box": 1, "seat": 0, "stake": STAKES[self.house]})
        else:
            self.see({"obs": "card", "rank": rank, "suit": None})

    @rule(rank=RANK)
    def card(self, rank: str) -> None:
        self.see({"obs": "card", "rank": rank, "suit": None})

    @rule(rank=st.one_of(st.none(), RANK))
    def covered_card(self, rank: str | None) -> None:
        self.see({"obs": "card", "rank": rank, "suit": None, "face": "down"})

    @rule(rank=RANK, box=BOX, hand=st.integers(1, 3), pose=st.sampled_from((None, "across")))
    def card_to_a_box(self, rank: str, box: int, hand: int, pose: str | None) -> None:
        place = {"to": "box", "box": box, "hand": hand, "pose": pose}
        self.see({"obs": "card", "rank": rank, "suit": None, **place})

    @rule(rank=RANK, to=st.sampled_from(("dealer", "burn")))
    def card_to_the_dealer(self, rank: str, to: str) -> None:
        self.see({"obs": "card", "rank": rank, "suit": None, "to": to})

    @rule(box=BOX, hand=st.integers(1, 3), action=st.sampled_from(ACTIONS))
    def decision(self, box: int, hand: int, action: str) -> None:
        self.see({"obs": "decision", "box": box, "hand": hand, "action": action})

    @rule(box=BOX, stake=st.sampled_from((0, 100, 200, 500)))
    def insurance(self, box: int, stake: int) -> None:
        self.see({"obs": "insurance", "box": box, "seat": 0, "stake": stake})

    @rule(line=st.sampled_from(({"obs": "reveal"}, {"obs": "close"}, {"obs": "end"}, {"obs": "cut_card"})))
    def call(self, line: dict[str, Any]) -> None:
        self.see(line)

    @rule(number=NUMBER, rank=RANK)
    def correct(self, number: int, rank: str) -> None:
        self.see({"obs": "correct", "card": number, "rank": rank, "by": "pit", "reason": "seen"})

    @rule(number=NUMBER, burn=st.booleans())
    def strike(self, number: int, burn: bool) -> None:
        self.see({"obs": "strike", "card": number, "burn": burn, "by": "pit", "reason": "extra"})

    @rule(number=NUMBER, box=BOX)
    def move(self, number: int, box: int) -> None:
        target = {"to": "box", "box": box, "hand": 1}
        self.see({"obs": "move", "card": number, **target, "by": "pit", "reason": "wrong box"})

    @rule(box=st.one_of(st.none(), BOX))
    def void(self, box: int | None) -> None:
        self.see({"obs": "void", "box": box, "by": "pit", "reason": "withdrawn"})

    @invariant()
    def results_add_up(self) -> None:
        """Stakes and returns are the sums of their parts; no hand without a bet; no negative sum."""
        for result in self.results:
            boxes = {bet.box for bet in result.bets}
            assert {hand.box for hand in result.hands} <= boxes
            for bet in result.bets if result.status in ("settled", "voided") else ():
                assert bet.staked == sum(part.stake for part in bet.parts) > 0
                assert bet.returned == sum(part.returned for part in bet.parts) >= 0
            if result.status == "voided":
                assert all(bet.returned == bet.staked for bet in result.bets)
        self.results.clear()

    @invariant()
    def what_is_legal_is_accepted(self) -> None:
        """`legal` and `step` agree on every act, and on the reason where it is refused."""
        for act in [act for act in legal(self.state) if act.action in (*ACTIONS, "insurance", "even_money")]:
            _, notices = step(self.state, parse(as_line(act)))
            refused = [notice.code for notice in notices if isinstance(notice, Refused)]
            assert refused == ([] if act.code is None else [act.code]), act

    def teardown(self) -> None:
        """G-05: the journal alone gives the live state."""
        state = new_table(self.house_rules)
        for line in self.journal:
            state, _ = step(state, parse(line))
        assert state == self.state


def as_line(act: OfferedAct) -> dict[str, Any]:
    """The feed object of an act; an insurance is for its usual amount."""
    if act.action == "insurance":
        return {"obs": "insurance", "box": act.box, "seat": act.seat, "stake": act.amount_minor}
    if act.action == "even_money":
        return {"obs": "even_money", "box": act.box, "seat": act.seat}
    return {"obs": "decision", "box": act.box, "hand": act.hand, "action": act.action}


TestRandomTable = RandomTable.TestCase
TestRandomTable.settings = settings(
    max_examples=100,
    stateful_step_count=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
