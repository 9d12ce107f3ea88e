"""Routes of a simulated table alone: no live table has them."""

from typing import Final

from fastapi import APIRouter

from controller.web.bodies import REFUSALS, CommandAccepted, FaultBody, SpeedBody
from controller.web.parts import Parts

router: Final = APIRouter()


@router.post("/api/faults", responses=REFUSALS)
async def call_fault(body: FaultBody, parts: Parts) -> CommandAccepted:
    """Let a fault happen as soon as the round leaves room for it."""
    parts.screens.call_fault(body.fault, left=body.left)
    return CommandAccepted(seq=parts.screens.hub.latest().seq)


@router.post("/api/speed", responses=REFUSALS)
async def set_speed(body: SpeedBody, parts: Parts) -> CommandAccepted:
    """Let the simulated people play faster or slower, or pause."""
    parts.screens.set_speed(body.speed)
    return CommandAccepted(seq=parts.screens.hub.latest().seq)
