"""What the pit reads of the shift: the payouts."""

from typing import Final

from fastapi import APIRouter

from controller.screens.shift.payouts import PayoutLedger, payout_ledger
from controller.web.parts import Parts
from controller.web.reading import ReadersOnly
from controller.web.routes import NOT_SIGNED_IN

shift_router: Final = APIRouter(dependencies=[ReadersOnly])


@shift_router.get("/api/payouts", responses=NOT_SIGNED_IN)
async def payouts(parts: Parts) -> PayoutLedger:
    """Give the payouts of the shift, those with a difference first, with their totals."""
    return payout_ledger(await parts.screens.shift.read())
