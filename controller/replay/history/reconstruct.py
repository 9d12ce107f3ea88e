"""The causes of recorded entries: a person's command, or a device's report."""

from typing import Final, cast

from controller.acts.catalogue import CardSeen, HoldsLifted
from controller.domain import TableError
from controller.feed.codec import parse
from controller.journal.entry import Body, Entry, body_of
from controller.people.sign_in import event_of
from controller.ports import Report, Trouble
from controller.replay.history.feed_export import feed_object_of
from controller.runtime.api import Action, AlertStep, BoxHandled, CallPit, Command, Observe, Resume, Role
from controller.runtime.decide import GUARD
from controller.runtime.ledger import naming_of, params_of
from controller.runtime.restore import SYSTEM

_FELT_KINDS: Final = frozenset({"fact", "refused", "waiting"})
SHOWN: Final = frozenset({"decision", "reveal", "end", "correct"})
"""What people tell, and a camera that deals concludes."""


def device_of(entry: Entry) -> str | None:
    """Name the device that said this, None for people and the system."""
    role, _, name = entry.actor.partition(":")
    return name if role == "device" else None


def command_of(entry: Entry, absent: tuple[str, ...] = ()) -> Command | None:
    """Return the command that led to a person's entry; None when no present command does.

    `absent` are the missing devices: the person resumed without them.
    """
    role, _, name = entry.actor.partition(":")
    if role == "device" or entry.actor in {SYSTEM, GUARD}:
        return None
    body = body_of(entry)
    action = _action(entry.kind, body)
    lifted = action.observation if isinstance(action, Observe) else None
    if isinstance(lifted, HoldsLifted) and lifted.codes is None and "command" not in body:
        # Written by a resume of every hold, before the entry that says so.
        action = Resume(absent)
    if action is None:
        return None
    # The state that the person saw is not recorded, and the command was accepted as timely.
    second = str(body["signed"][-1]) if "signed" in body else ""
    return Command(str(body.get("command", "")), name, cast(Role, role), None, action, second)


def _action(kind: str, body: Body) -> Action | None:
    obs = feed_object_of(kind, body)
    if obs is not None:
        return Observe(parse(obs))
    match kind:
        case "ruled":
            return Observe(parse(body["ruling"]))
        case "held" if body["code"] == "FROZEN":
            return CallPit(body["params"]["note"])
        case "resumed":
            return Resume(tuple(body["without"]))
        case "handled":
            return BoxHandled(body["round"], body["box"])
        case "named":
            return naming_of(body)
        case "alert_step":
            return AlertStep(body["alert"], body["step"], body["note"])
        case _:
            return event_of(kind, body)


def is_visible(entry: Entry) -> bool:
    """Whether a camera over the layout has reported this: a card with its place, or a change of the layout.

    No single report of a device leads to it: it is derived from the layout over time. A card with a place is
    a camera's, since a shoe does not know the place of its card and no driver reports one.
    """
    obs = body_of(entry).get("obs") if entry.kind in _FELT_KINDS else None
    if isinstance(obs, dict):
        return obs.get("obs") in SHOWN
    return obs in SHOWN or (obs == "card" and "to" in body_of(entry))


def report_of(entry: Entry, name: str) -> Report | None:
    """Give a report that leads to a device's entry; None for a kind that no report makes."""
    body = body_of(entry)
    if entry.kind == "trouble":
        trouble = Trouble(body["code"], params_of(body), hold=body["severity"] == "critical")
        return Report(name, 0, (), (trouble,))
    if entry.kind == "held":
        return Report(name, 0, (), (Trouble(body["code"], params_of(body)),))
    obs = body if entry.kind == "waiting" else feed_object_of(entry.kind, body)
    return None if obs is None else Report(name, 0, (parse(obs),))


class CardIdMap:
    """Maps the ids of a replayed shoe's cards to the recorded ids.

    A shoe's driver counts the cards of its run, and each id contains the run's random name.
    """

    def __init__(self) -> None:
        """Know nothing until the first recorded card."""
        self._run: tuple[str, int] | None = None

    @property
    def known(self) -> bool:
        """Whether a recorded card has been matched with a replayed one."""
        return self._run is not None

    def learn(self, entry: Entry, report: Report) -> None:
        """Take the run's name and count from the first card that has both a recorded and a made id."""
        if self._run is not None:
            return
        try:
            recorded = str((feed_object_of(entry.kind, body_of(entry)) or body_of(entry)).get("id") or "")
        except TableError:
            return
        made = next((seen.id for seen in report.observations if isinstance(seen, CardSeen) and seen.id), "")
        run, _, number = recorded.rpartition(".")
        count = made.rpartition(".")[2]
        if run and number.isdigit() and count.isdigit():
            self._run = (run, int(number) - int(count))

    def translated(self, report: Report) -> Report:
        """Give the report with the recorded run's ids."""
        if self._run is None:
            return report
        run, ahead = self._run
        return report._replace(
            observations=tuple(
                seen._replace(id=f"{run}.{int(seen.id.rpartition('.')[2]) + ahead}")
                if isinstance(seen, CardSeen) and seen.id
                else seen
                for seen in report.observations
            )
        )
