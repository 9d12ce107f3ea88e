"""What must hold after each step, whatever was done; nothing here asks the policy who may what."""

from collections.abc import Sequence, Set
from typing import Final

from controller.acts.catalogue import (
    AmendEvenMoney,
    AmendInsurance,
    AmendPeek,
    AmendReveal,
    AmendStake,
    CardSeen,
    ChipReading,
    Limits,
    Move,
    ShoeVoided,
    Strike,
    Swap,
    Void,
)
from controller.irregularities import Irregularity
from controller.policy.holds import STAKE_ASKED
from controller.ports import Report
from controller.runtime.api import Accepted, CallPit, Command, CommandAnswer, Observe, Resume
from controller.runtime.felt_witness import FeltLook
from controller.runtime.inbox import Item, SubmittedCommand
from controller.runtime.ledger import Ledger
from tests.whole.broken import require

RULINGS: Final = (
    AmendEvenMoney,
    AmendInsurance,
    AmendPeek,
    AmendReveal,
    AmendStake,
    Limits,
    Move,
    ShoeVoided,
    Strike,
    Swap,
    Void,
)
"""What no dealer may enter; written down here a second time, for the policy must not vouch for itself."""

DEALERS_HOLDS: Final = frozenset(
    {
        "CARD_IN_HAND",
        "CARD_READ_DIFFERENTLY",
        "CARD_UNREAD",
        "DECISION_UNCLEAR",
        "DEVICE_LOST",
        "DEVICE_STALE",
        "HOLE_CARD_UNREAD",
        "INSURANCE_UNCLEAR",
        "JOURNAL_SLOW",
        "RESTARTED",
        "STAKE_DIFFERS",
    }
)
"""Holds that a dealer ends, by going on or by the answer that is asked for; a house's profile has more."""

SEEN_LATER: Final = frozenset({"CARD_UNREAD", "CARD_IN_HAND", "CARD_NOT_ARRIVED", "HOLE_CARD_UNREAD"})
"""Holds that a camera's next looks may answer."""

AFTER_RESTART: Final = frozenset({"RESTARTED", "JOURNAL_NOTE_BEHIND", "ENTRIES_UNCONFIRMED"})
"""What a table may hold for after a kill or a power cut. Anything else would be a false alarm."""

AFTER_LIE: Final = AFTER_RESTART | {"JOURNAL_HEADS_CUT"}
"""Also where a disk has lost signed heads that it had said to keep."""

NAMED_AFTER_LIE: Final = frozenset({"JOURNAL_HEADS_CUT", "KEPT_DIFFERS", "VOUCHED_SINCE"})
"""What a check and the next start may say of a journal whose disk has."""

Answers = Sequence[tuple[Command, CommandAnswer]]
Reason = tuple[str, object]


def check_step(before: Ledger, items: Sequence[Item], answers: Answers, after: Ledger) -> None:
    """Compare the table before and after it has taken some items; raises `Broken`."""
    asked = [item.command for item in items if isinstance(item, SubmittedCommand)]
    require(len(answers) == len(asked), "NOT_ANSWERED", f"{len(asked)} asked, {len(answers)} answered")
    taken = [command for command, answer in answers if isinstance(answer, Accepted)]
    for command in taken:
        _check_right(command)
        # A key of a keypad has no name by which it could be sent again.
        known = not command.command_id or after.answered.find(command.command_id) is not None
        known = known or after.seq == before.seq
        require(known, "ANSWER_FORGOTTEN", f"{command.action} is done again where it is sent again")
    _check_holds(before, items, taken, after)
    if len(asked) == len(items) and not taken:
        same = before.state.boxes == after.state.boxes and before.state.dealer == after.state.dealer
        require(same, "REFUSED_AND_DONE", f"{answers}")


def _check_right(command: Command) -> None:
    """Nobody rules who may not."""
    found = command.action.observation if isinstance(command.action, Observe) else command.action
    ruled = isinstance(found, (*RULINGS, CallPit))
    called = isinstance(found, CallPit) and command.role == "dealer"
    require(command.role == "pit" or not ruled or called, "RULED_BY_OTHERS", f"{command.role}: {found}")


def _check_holds(before: Ledger, items: Sequence[Item], taken: Sequence[Command], after: Ledger) -> None:
    """A hold ends by its ruling alone, or by the answer that it asks for."""
    left = {_reason(hold) for hold in after.holds}
    ended = [hold for hold in before.holds if _reason(hold) not in left]
    if not ended or any(command.role == "pit" for command in taken):
        return
    profile: dict[str, Irregularity] = dict(before.opening.house.profile.items())
    # Also what could not be written when it was reported, and is with what comes next.
    seen = any(isinstance(item, FeltLook) or _of(item, CardSeen) for item in items)
    seen = seen or not {*_cards_of(after)} <= {*_cards_of(before)}
    for hold in ended:
        if "draw" in hold.ways and seen:
            # The card that was missed has come.
            continue
        if hold.code in SEEN_LATER and any((card.id or "").startswith("camera") for card in _cards_of(after)):
            continue
        if hold.code == STAKE_ASKED and any(_of(item, ChipReading) for item in items):
            # The chips lie as they were entered.
            continue
        dealers = hold.code in DEALERS_HOLDS
        if hold.code in profile:
            dealers = profile[hold.code].release == "dealer" or (hold.round != 0 and not _lifted(taken))
        require(bool(taken) and dealers, "HOLD_VANISHED", f"{hold.code} after {[*items]!r:.300}")


def _of(item: Item, kind: type[CardSeen] | type[ChipReading]) -> bool:
    """Whether a report holds one of these."""
    found = item.observations if isinstance(item, Report) else ()
    return any(isinstance(observation, kind) for observation in found)


def _cards_of(ledger: Ledger) -> list[CardSeen]:
    return [fact.obs for fact in ledger.state.log if isinstance(fact.obs, CardSeen)]


def _lifted(taken: Sequence[Command]) -> bool:
    return any(isinstance(command.action, Resume) for command in taken)


def _reason(hold: object) -> Reason:
    return getattr(hold, "code", ""), getattr(hold, "params", ())


def check_restart(
    shown: Ledger, folded: Ledger, again: Ledger, after: Ledger, may_hold: Set[str] = AFTER_RESTART
) -> None:
    """Compare what was shown last with the journal up to there, and with the table that came up again.

    `folded` is the journal up to what was shown, `again` all of it before the start was noted, `after` the
    table that is shown now, which may hold for `may_hold`.
    """
    require(folded == shown, "SHOWN_NOT_DURABLE", f"entry {shown.seq} was shown, {folded.seq} is there")
    require(after.seq >= again.seq >= shown.seq, "SHOWN_NOT_DURABLE", f"{shown.seq} {again.seq} {after.seq}")
    require(after.state == again.state, "RESTARTED_ELSEWHERE", "the table came up with another state")
    held = {_reason(hold) for hold in after.holds}
    lost = [hold.code for hold in again.holds if _reason(hold) not in held]
    require(not lost, "HOLD_LOST", f"{lost} at the restart")
    known = {_reason(hold) for hold in again.holds}
    new = {hold.code for hold in after.holds if _reason(hold) not in known}
    require(new <= may_hold, "FALSE_ALARM", f"{sorted(new - may_hold)}")
