"""What nobody may do, and what people do twice: commands that must change nothing, or no more than once."""

from random import Random

from controller.acts.catalogue import AmendStake, Correct, Limits, Move, Observation, ShoeVoided, Strike, Void
from controller.runtime.api import CallPit, Command, Observe, Resume, Role, TableAction, TableSnapshot

BY = ("d1", "slip of the hand")


def mischief(snapshot: TableSnapshot, chance: Random, name: str) -> Command:
    """A command of somebody who may not give it, or that nobody in his place would give."""
    roles: tuple[Role, ...] = ("dealer", "dealer", "surveillance", "tester", "administrator")
    role = chance.choice(roles)
    actions: list[TableAction] = [Resume(), CallPit("a word"), *map(Observe, _rulings(chance))]
    action = chance.choice(actions)
    if isinstance(action, CallPit) and role == "dealer":
        # That is his call for the pit.
        action = Resume()
    seen = chance.choice((None, snapshot.seq, snapshot.seq + 3, max(0, snapshot.seq - 9)))
    return Command(name, "d1", role, seen, action, meaning=f"{action}")


def _rulings(chance: Random) -> tuple[Observation, ...]:
    card, box = chance.randint(1, 9), chance.randint(1, 7)
    return (
        Void(None, *BY),
        Void(box, *BY),
        Strike(card, None, *BY),
        Move(card, None, "box", box, 1, *BY),
        AmendStake(box, 0, 1000, *BY),
        Correct(card, None, "9", "h", *BY),
        Limits(500, 50_000, 500, "d1"),
        ShoeVoided(*BY, ""),
    )
