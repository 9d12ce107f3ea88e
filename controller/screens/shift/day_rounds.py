"""The rounds of the day as the journal's entries tell them, one after the other."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from controller.runtime.api import AuditLine
from controller.screens.shift.round_clock import RoundClock
from controller.screens.shift.sentences import Body
from controller.screens.shift.win_sum import WinSum

Bettor = tuple[int, int]
"""Box and seat."""

RULINGS: Final = frozenset({"correct", "strike", "move", "void", "swap", "amend"})
NO_STOP: Final = frozenset({"CARD_IN_HAND", "CARD_UNREAD", "DECISION_UNCLEAR"})
"""Holds that only ask the dealer something: no stop of the round."""


class Payment(NamedTuple):
    """What a bettor was handed back in all, as last entered, and what was due then; minor units."""

    paid: int
    due: int
    how: str
    by: str
    at_utc_us: int
    seq: int


class Correction(NamedTuple):
    """A ruling on a round: the entry that holds it, and the house's result before it, minor units."""

    seq: int
    at_utc_us: int
    by: str
    reason: str
    house_before: int


@dataclass
class DayRound(RoundClock):
    """One round: when its parts began, by whom it was dealt, what was settled, paid and ruled.

    Times are microseconds since 1970; `settled` is the newest settlement as the feed format prints it,
    `returned` what each bettor gets by it and by every adjustment since.
    """

    number: int
    shoe: int
    dealer: str
    first_seq: int
    last_us: int = 0
    last_seq: int = 0
    cards: int = 0
    by_hand: int = 0
    misread: int = 0
    """Cards that a person named otherwise than they were read."""
    certainties: list[float] = field(default_factory=list)
    """Of its cards, once it has ended, from 0 to 1."""
    answers: list[tuple[int, int]] = field(default_factory=list)
    """Each decision: the box, and how long after what came before it, microseconds."""
    insured: bool = False
    opening: dict[Bettor, int] = field(default_factory=dict)
    settled: dict[str, Any] = field(default_factory=dict)
    staked: dict[Bettor, int] = field(default_factory=dict)
    returned: dict[Bettor, int] = field(default_factory=dict)
    payments: dict[Bettor, list[Payment]] = field(default_factory=dict)
    corrections: list[Correction] = field(default_factory=list)
    stops: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    late: list[int] = field(default_factory=list)
    """Entries about this round that came while another one ran."""
    remarks: list[tuple[int, str, str]] = field(default_factory=list)
    """What people noted about it: entry, who, and the text."""
    accepted: bool = False
    """A payout that differs was accepted, and the table let go on."""
    known_win: WinSum | None = field(default=None, repr=False, compare=False)
    """What `win` gave last; `DayRounds` forgets it with each entry about the round."""

    @property
    def win(self) -> WinSum:
        """The round by itself, to be added to others: of a day's seven hundred few still change."""
        if self.known_win is None:
            self.known_win = WinSum.of_round(self.won, sum(self.staked.values()), self.opening)
        return self.known_win

    @property
    def won(self) -> int:
        """What the house has won, minor units: by what was handed back, where that was entered."""
        return self.won_due - self.differs

    @property
    def won_due(self) -> int:
        """What the house has won by the settlement alone, minor units."""
        return sum(self.staked.values()) - sum(self.returned.values())

    def due(self, bettor: Bettor) -> int:
        """What a bettor is handed back by the settlement as it stands, stake included."""
        return self.returned.get(bettor, 0)

    def paid(self, bettor: Bettor) -> int | None:
        """What he was handed back, as last entered; None where nobody has said so.

        Of a bettor who gets nothing back nobody says anything: what lay there was taken with the round's end.
        """
        known = self.payments.get(bettor)
        if known:
            return known[-1].paid
        return 0 if self.ended_us and self.due(bettor) == 0 else None

    def difference(self, bettor: Bettor) -> int:
        """What he got too much (or, below 0, too little); 0 where nothing was entered."""
        paid = self.paid(bettor)
        return 0 if paid is None else paid - self.due(bettor)

    @property
    def differs(self) -> int:
        """The sum of the differences of its bettors, minor units."""
        return sum(self.difference(bettor) for bettor in self.payments)

    @property
    def is_open(self) -> bool:
        """Whether somebody got too much or too little, and nobody has accepted it."""
        return not self.accepted and any(self.difference(bettor) for bettor in self.payments)

    @property
    def corrected(self) -> bool:
        """Whether somebody ruled on it, or put a payout right."""
        return bool(self.corrections) or any(
            len({one.paid for one in entered}) > 1 for entered in self.payments.values()
        )


class DayRounds:
    """All rounds since the table was last opened for the day, by number."""

    def __init__(self) -> None:
        """Nothing has happened yet."""
        self.rounds: dict[int, DayRound] = {}
        self._held_us: dict[str, int] = {}
        self._taken: Final[dict[str, Callable[[DayRound, AuditLine, Body], None]]] = {
            "fact": self._fact,
            "settled": self._settled,
            "adjusted": self._adjusted,
            "payout": self._payout,
            "held": self._held,
            "released": self._released,
            "resumed": self._resumed,
        }

    def clear(self) -> None:
        """Begin a new day; who holds the rounds of the last one keeps them."""
        self.rounds = {}

    def take(self, line: AuditLine, body: Body, shoe: int, dealer: str) -> None:
        """Add an entry; `shoe` is the number of the one in place, `dealer` who deals."""
        number = body.get("round") or line.round
        if not number:
            return
        known = self.rounds.get(number)
        if known is not None and known.settled and body.get("obs") == "bet":
            # The entry has the round in which the bet came: it ends that one, and is the next one's first.
            number, known = number + 1, self.rounds.get(number + 1)
        if known is None:
            if line.kind != "fact" or body.get("obs") not in ("bet", "card"):
                return
            self._end_last(line.at_utc_us)
            known = DayRound(number, shoe, dealer, line.seq, began_us=line.at_utc_us)
            self.rounds[number] = known
        if number != line.round and line.kind != "payout":
            known.late.append(line.seq)
        else:
            known.last_seq = max(known.last_seq, line.seq)
        known.dealer = known.dealer or dealer or _dealer_of(line.actor)
        take = self._taken.get(line.kind)
        if take is not None:
            take(known, line, body)
        known.known_win = None

    def _end_last(self, at_utc_us: int) -> None:
        """The first bet of a round ends the one before, where nobody has cleared the table."""
        last = next(reversed(self.rounds.values()), None)
        if last is not None and last.settled and not last.ended_us:
            last.ended_us = at_utc_us

    def _fact(self, known: DayRound, line: AuditLine, body: Body) -> None:
        before_us, known.last_us = known.last_us, line.at_utc_us
        match body["obs"]:
            case "decision" if before_us:
                known.answers.append((body["box"], line.at_utc_us - before_us))
            case "bet":
                known.opening[body["box"], body.get("seat", 0)] = body["stake"]
            case "card":
                self._card(known, line)
            case "note":
                known.remarks.append((line.seq, line.actor.partition(":")[2], str(body["text"])))
            case "resume" if "WRONG_PAYOUT" in (body.get("codes") or ()):
                known.accepted = True
            case "insurance":
                known.insured = known.insured or body["stake"] > 0
            case ruling if ruling in RULINGS and not _is_undo(line, body):
                by = line.actor.partition(":")[2] or line.actor
                known.misread += ruling == "correct"
                known.corrections.append(
                    Correction(line.seq, line.at_utc_us, by, str(body.get("reason", "")), known.won_due)
                )
        known.take(body["obs"], line.at_utc_us)

    def _card(self, known: DayRound, line: AuditLine) -> None:
        known.cards += 1
        if not line.actor.startswith("device:"):
            known.by_hand += 1

    def _settled(self, known: DayRound, line: AuditLine, body: Body) -> None:
        known.settled = dict(body)
        known.settled_us = known.settled_us or line.at_utc_us
        for bet in body["bets"]:
            known.staked[bet["box"], bet["seat"]] = bet["staked"]
            known.returned[bet["box"], bet["seat"]] = bet["returned"]

    def _adjusted(self, known: DayRound, _line: AuditLine, body: Body) -> None:
        for bet in body["bets"]:
            at = (bet["box"], bet["seat"])
            known.staked[at] = bet.get("staked_after", known.staked.get(at, 0))
            known.returned[at] = bet["returned_after"]

    def _payout(self, known: DayRound, line: AuditLine, body: Body) -> None:
        by = body["by"].partition(":")[2] or body["by"]
        entered = known.payments.setdefault((body["box"], body["seat"]), [])
        entered.append(Payment(body["paid"], body["expected"], body["how"], by, line.at_utc_us, line.seq))

    def _held(self, known: DayRound, line: AuditLine, body: Body) -> None:
        self._held_us.setdefault(body["code"], line.at_utc_us)
        if body["code"] not in NO_STOP:
            known.stops.append((body["code"], body.get("params", {})))

    def _released(self, known: DayRound, line: AuditLine, body: Body) -> None:
        self._waited(known, body["code"], line.at_utc_us)

    def _resumed(self, known: DayRound, line: AuditLine, body: Body) -> None:
        for code in tuple(self._held_us):
            self._waited(known, code, line.at_utc_us)
        if "WRONG_PAYOUT" in body.get("codes", ()):
            known.accepted = True

    def _waited(self, known: DayRound, code: str, at_utc_us: int) -> None:
        since = self._held_us.pop(code, None)
        if since is not None:
            known.held.append((since, at_utc_us))


def _dealer_of(actor: str) -> str:
    return actor.removeprefix("dealer:") if actor.startswith("dealer:") else ""


def _is_undo(line: AuditLine, body: Body) -> bool:
    """Whether a dealer took his own last tap back: no ruling of anybody."""
    return line.actor.startswith("dealer:") and body.get("obs") in ("amend", "correct")
