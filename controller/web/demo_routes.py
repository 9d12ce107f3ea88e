"""Routes of a simulated table alone: no live table has them."""

from typing import Final

from fastapi import APIRouter

from controller.web.bodies import REFUSALS, CommandAccepted, FaultBody
from controller.web.parts import Parts

router: Final = APIRouter()


@router.post("/api/faults", responses=REFUSALS)
async def call_fault(body: FaultBody, parts: Parts) -> CommandAccepted:
    """Let a fault happen as soon as the round leaves room for it."""
    parts.screens.call_fault(body.fault)
    return CommandAccepted(seq=parts.screens.hub.latest().seq)
