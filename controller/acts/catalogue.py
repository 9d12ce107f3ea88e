"""All acts, and what each says of itself: the one list of them, from which all else imports their shapes."""

from collections.abc import Mapping
from typing import Any, Final, get_args

from controller.acts.declaring import DECLARED, Declared
from controller.acts.desk.dealer_seated import DealerSeated
from controller.acts.desk.device_seen import DeviceSeen
from controller.acts.desk.freeze import Freeze
from controller.acts.desk.holds_lifted import HoldsLifted
from controller.acts.desk.message import Message
from controller.acts.desk.note import Note
from controller.acts.desk.rated import Rated
from controller.acts.desk.table_day import TableDay
from controller.acts.money.chip_reading import ChipReading
from controller.acts.money.credit import Credit
from controller.acts.money.drop import Drop
from controller.acts.money.fill import Fill
from controller.acts.money.float_counted import FloatCounted
from controller.acts.money.limits import Limits
from controller.acts.money.paid import Paid
from controller.acts.money.slip_voided import SlipVoided
from controller.acts.round.bank import Bank
from controller.acts.round.bet import Bet
from controller.acts.round.card_seen import CardSeen
from controller.acts.round.chips import Chips
from controller.acts.round.close import Close
from controller.acts.round.decision import Decision
from controller.acts.round.end import End
from controller.acts.round.even_money import EvenMoney
from controller.acts.round.exposed import Exposed
from controller.acts.round.insurance import Insurance
from controller.acts.round.insurance_closed import InsuranceClosed
from controller.acts.round.leave import Leave
from controller.acts.round.peek import Peek
from controller.acts.round.reveal import Reveal
from controller.acts.rulings.amend_close import AmendClose
from controller.acts.rulings.amend_decision import AmendDecision
from controller.acts.rulings.amend_even_money import AmendEvenMoney
from controller.acts.rulings.amend_insurance import AmendInsurance
from controller.acts.rulings.amend_peek import AmendPeek
from controller.acts.rulings.amend_reveal import AmendReveal
from controller.acts.rulings.amend_stake import AmendStake
from controller.acts.rulings.correct import Correct
from controller.acts.rulings.move import Move
from controller.acts.rulings.strike import Strike
from controller.acts.rulings.swap import Swap
from controller.acts.rulings.void import Void
from controller.acts.shoe.cut_card import CutCard
from controller.acts.shoe.rest_card import RestCard
from controller.acts.shoe.rest_counting import RestCounting
from controller.acts.shoe.shoe_ended import ShoeEnded
from controller.acts.shoe.shoe_loaded import ShoeLoaded
from controller.acts.shoe.shoe_shuffled import ShoeShuffled
from controller.acts.shoe.shoe_voided import ShoeVoided

TableEvent = (
    ShoeShuffled
    | ShoeEnded
    | RestCounting
    | RestCard
    | ShoeVoided
    | Limits
    | TableDay
    | DealerSeated
    | FloatCounted
    | Fill
    | Credit
    | SlipVoided
    | Drop
    | HoldsLifted
    | Note
    | Freeze
    | Message
    | Rated
)
"""What happens to the shoe, the table and its float beside the play of a round."""
Amend = AmendStake | AmendDecision | AmendInsurance | AmendEvenMoney | AmendPeek | AmendReveal | AmendClose
"""What people entered wrongly about a round, put right."""
Ruling = Correct | Strike | Move | Void | Swap | Amend
"""What somebody rules about a round: the round is folded anew with it."""
Observation = (
    ShoeLoaded
    | Bet
    | Close
    | CardSeen
    | Decision
    | Insurance
    | EvenMoney
    | InsuranceClosed
    | Peek
    | Reveal
    | CutCard
    | Correct
    | Strike
    | Move
    | Void
    | AmendStake
    | AmendDecision
    | AmendInsurance
    | AmendEvenMoney
    | AmendPeek
    | AmendReveal
    | AmendClose
    | Swap
    | Paid
    | ChipReading
    | Exposed
    | Leave
    | TableEvent
    | DeviceSeen
    | Chips
    | Bank
    | End
)
"""What happens at a table."""

ACTS: Final[Mapping[type[Any], Declared]] = {kind: DECLARED[kind] for kind in get_args(Observation)}
RULINGS: Final = get_args(Ruling)


def declared(observation: Observation) -> Declared:
    """What the act of an observation says of itself."""
    return ACTS[type(observation)]
