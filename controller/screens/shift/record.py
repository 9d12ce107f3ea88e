"""What the entries of a journal add up to, one after the other."""

import json
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from controller.runtime.api import AuditLine
from controller.runtime.audit import BROKEN

Bettor = tuple[int, int]
"""Box and seat."""


class BetSum(NamedTuple):
    """What a bettor of a round staked in all and gets back by the settlement, minor units."""

    staked: int
    returned: int


class RoundRecord(NamedTuple):
    """A round as last settled or put right: when, by whom dealt, out of which shoe.

    `opening` is the stake of each bettor before doubles and splits; `hands` counts those that were played.
    """

    number: int
    at_utc_us: int
    shoe: int
    dealer: str
    bets: dict[Bettor, BetSum]
    opening: dict[Bettor, int]
    hands: int

    @property
    def won(self) -> int:
        """What the house has won, by the settlement."""
        return sum(bet.staked - bet.returned for bet in self.bets.values())


class PayoutRecord(NamedTuple):
    """A payout as it was last told: what was due then, what was given, how that is known, by whom."""

    round: int
    box: int
    seat: int
    expected: int
    paid: int
    how: str
    by: str
    at_utc_us: int


class HoldRecord(NamedTuple):
    """How often the table has waited for one reason, and for how long in all; `since` of one that stands."""

    times: int = 0
    waited_us: int = 0
    since: int | None = None


class ShiftRecord:
    """The shift so far, since the table was last opened for the day."""

    def __init__(self) -> None:
        """Nothing has happened yet."""
        self.next_seq = 1
        self.rounds: dict[int, RoundRecord] = {}
        self.payouts: dict[tuple[int, int, int], PayoutRecord] = {}
        self.holds: dict[str, HoldRecord] = {}
        self.drop = 0
        self.kinds: set[str] = set()
        self.broken: tuple[int, str] | None = None
        """The first entry that does not fit the journal's chain, and what is wrong with it."""
        self.shoe = 1
        self.dealer = ""
        self._opening: dict[int, dict[Bettor, int]] = {}
        self._taken: Final[dict[str, Callable[[AuditLine, dict[str, Any]], None]]] = {
            "fact": self._fact,
            "settled": self._settled,
            "adjusted": self._adjusted,
            "payout": self._payout,
            "held": self._held,
            "released": self._released,
            "resumed": self._resumed,
        }

    def take(self, line: AuditLine) -> None:
        """Add the next entry."""
        self.next_seq = line.seq + 1
        self.kinds.add(line.kind)
        if line.kind == BROKEN:
            self.broken = self.broken or (line.seq, json.loads(line.body)["code"])
        take = self._taken.get(line.kind)
        if take is not None:
            body = json.loads(line.body)
            if "unreadable" not in body:
                take(line, body)

    def _fact(self, line: AuditLine, body: dict[str, Any]) -> None:
        match body["obs"]:
            case "bet":
                stakes = self._opening.setdefault(line.round or 0, {})
                stakes[body["box"], body.get("seat", 0)] = body["stake"]
            case "shoe":
                self.shoe += bool(self.rounds)
            case "dealer":
                self.dealer = body["id"] if body["at"] == "in" else ""
            case "drop":
                self.drop += body["amount"]
            case "table" if body["state"] == "open":
                self.rounds, self.payouts, self.holds, self.drop = {}, {}, {}, 0

    def _settled(self, line: AuditLine, body: dict[str, Any]) -> None:
        number = body["round"]
        bets = {(bet["box"], bet["seat"]): BetSum(bet["staked"], bet["returned"]) for bet in body["bets"]}
        before = self.rounds.get(number)
        at, shoe, dealer = (
            (line.at_utc_us, self.shoe, self.dealer)
            if before is None
            else (before.at_utc_us, before.shoe, before.dealer)
        )
        opening = self._opening.get(number, {})
        self.rounds[number] = RoundRecord(number, at, shoe, dealer, bets, opening, len(body["hands"]))

    def _adjusted(self, _line: AuditLine, body: dict[str, Any]) -> None:
        known = self.rounds.get(body["round"])
        if known is None:
            return
        for bet in body["bets"]:
            at = (bet["box"], bet["seat"])
            staked = bet.get("staked_after", known.bets.get(at, BetSum(0, 0)).staked)
            known.bets[at] = BetSum(staked, bet["returned_after"])

    def _payout(self, line: AuditLine, body: dict[str, Any]) -> None:
        place = (body["round"], body["box"], body["seat"])
        by = body["by"].partition(":")[2] or body["by"]
        self.payouts[place] = PayoutRecord(
            *place, body["expected"], body["paid"], body["how"], by, line.at_utc_us
        )

    def _held(self, line: AuditLine, body: dict[str, Any]) -> None:
        known = self.holds.get(body["code"], HoldRecord())
        since = line.at_utc_us if known.since is None else known.since
        self.holds[body["code"]] = known._replace(times=known.times + 1, since=since)

    def _released(self, line: AuditLine, body: dict[str, Any]) -> None:
        self._end(body["code"], line.at_utc_us)

    def _resumed(self, line: AuditLine, _body: dict[str, Any]) -> None:
        for code in self.holds:
            self._end(code, line.at_utc_us)

    def _end(self, code: str, at_utc_us: int) -> None:
        known = self.holds.get(code)
        if known is not None and known.since is not None:
            waited = known.waited_us + at_utc_us - known.since
            self.holds[code] = known._replace(waited_us=waited, since=None)

    def due(self, payout: PayoutRecord) -> int:
        """What the bettor gets by the settlement as it stands now; as it was told where that is not known."""
        known = self.rounds.get(payout.round)
        bet = None if known is None else known.bets.get((payout.box, payout.seat))
        return payout.expected if bet is None else bet.returned
