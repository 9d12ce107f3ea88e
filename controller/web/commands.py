"""From a screen's act to the table's command, and back to an answer."""

from typing import Any, Final, NamedTuple

from controller.domain.errors import TableError
from controller.domain.observations import Bet, Correct, Observation
from controller.engine.constants import BETS
from controller.engine.state import TableState
from controller.feed.codec import parse
from controller.runtime import api
from controller.web import wire
from controller.web.desk import Bettor, Desk, Draft, stake_of, takes_bets
from controller.web.doubts import namings_of
from controller.web.eye import BLIND, Eye
from controller.web.money import minor_units
from controller.web.signin import Sessions

LIMITS: Final = frozenset({"STAKE_BELOW_MIN", "STAKE_NOT_A_MULTIPLE"})
"""Refusals after which chips stay in the circle without being a stake yet."""


class Answer(NamedTuple):
    """What a screen gets back: a sequence, or a code with parameters."""

    seq: int | None
    code: str = ""
    params: tuple[tuple[str, int | str], ...] = ()


class CommandDesk:
    """Takes commands of screens and passes on what the table has to decide."""

    def __init__(
        self, table: api.TablePort, hub: api.Hub, desk: Desk, sessions: Sessions, eye: Eye = BLIND
    ) -> None:
        """Bring table and screens together; `eye` are the cameras, which hear of corrections."""
        self._table = table
        self._hub = hub
        self._desk = desk
        self._sessions = sessions
        self._eye = eye

    async def take(self, body: wire.CommandBody) -> Answer:
        """Do what is asked, or say with a code why not."""
        try:
            if body.role == "pit":
                self._sessions.require(body.session, body.actor)
            return await self._act(body)
        except TableError as error:
            return Answer(None, error.code, tuple(error.params.items()))

    async def _act(self, body: wire.CommandBody) -> Answer:
        match body.act:
            case wire.ChipAct() as chip:
                return await self._lay_chip(body, chip)
            case wire.ClearAct(box=box):
                return await self._clear(body, box)
            case wire.EditingAct(on=on):
                return self._edit(body, on)
            case wire.NameAct() as name:
                return await self._submit(body, _naming(name), body.command_id)
            case act:
                return await self._rule(body, _action(act))

    async def _rule(self, body: wire.CommandBody, action: api.Action) -> Answer:
        """Pass it on; where the pit has corrected a card that a camera knows otherwise, tell the camera.

        The camera's correction is an act of its own, by the same person for the same reason.
        """
        before = self._hub.latest()
        answer = await self._submit(body, action, body.command_id)
        if answer.seq is None or body.role != "pit" or not isinstance(action, api.Observe):
            return answer
        if not isinstance(action.observation, Correct):
            return answer
        for naming in namings_of(self._eye, before, self._hub.latest(), action.observation):
            named = await self._submit(body, naming, f"{body.command_id}/camera")
            answer = answer if named.seq is None else named
        return answer

    async def _submit(self, body: wire.CommandBody, action: api.Action, command_id: str) -> Answer:
        if body.role == "dealer" and self._desk.editing_by() and isinstance(action, api.Observe):
            raise TableError("PIT_IS_EDITING")
        command = api.Command(command_id, body.actor, body.role, body.expected_seq, action)
        answer = await self._table.submit(command)
        if isinstance(answer, api.Accepted):
            return Answer(answer.seq)
        return Answer(None, answer.code, answer.params)

    def _edit(self, body: wire.CommandBody, on: bool) -> Answer:
        if body.role != "pit":
            raise TableError("NOT_ALLOWED", role=body.role)
        self._desk.edit(body.actor if on else None)
        return Answer(self._hub.latest().seq)

    async def _lay_chip(self, body: wire.CommandBody, chip: wire.ChipAct) -> Answer:
        state = self._hub.latest().state
        bettor = (chip.box, chip.seat)
        value = _value(chip.chip)
        lying = self._desk.lying(state, bettor)
        return await self._stake(body, bettor, max(lying - value if chip.off else lying + value, 0))

    async def _stake(self, body: wire.CommandBody, bettor: Bettor, stake: int) -> Answer:
        """Lay the stake; what the limits refuse stays in the circle as chips that are no stake yet."""
        state = self._hub.latest().state
        if not takes_bets(state):
            raise TableError("BETS_CLOSED", box=bettor[0], seat=bettor[1])
        if stake == stake_of(state, bettor):
            self._desk.lay(bettor, None)
            return Answer(self._hub.latest().seq)
        answer = await self._submit(body, api.Observe(Bet(*bettor, stake)), body.command_id)
        if answer.seq is not None or answer.code not in LIMITS:
            if answer.seq is not None:
                self._desk.lay(bettor, None)
            return answer
        return await self._keep_draft(body, bettor, Draft(stake, answer.code, dict(answer.params)))

    async def _keep_draft(self, body: wire.CommandBody, bettor: Bettor, draft: Draft) -> Answer:
        """Remember chips that are no stake; a stake that they replace no longer counts."""
        self._desk.lay(bettor, draft)
        if stake_of(self._hub.latest().state, bettor):
            taken = api.Observe(Bet(*bettor, 0))
            await self._submit(body, taken, f"{body.command_id}/0")
        return Answer(self._hub.latest().seq)

    async def _clear(self, body: wire.CommandBody, box: int) -> Answer:
        state = self._hub.latest().state
        for bettor in [entry for entry in self._desk.drafts if entry[0] == box]:
            self._desk.lay(bettor, None)
        answer = Answer(self._hub.latest().seq)
        for seat in _seats(state, box):
            action = api.Observe(Bet(box, seat, 0))
            answer = await self._submit(body, action, f"{body.command_id}/{seat}")
            if answer.seq is None:
                break
        return answer


def observation(obs: dict[str, Any]) -> Observation:
    """The observation of a feed object without its time; raises what the codec finds wrong."""
    return parse(obs)


def _action(act: wire.ScreenAct) -> api.Action:
    match act:
        case wire.ObserveAct(obs=obs):
            return api.Observe(observation(obs))
        case wire.FreezeAct(note=note):
            return api.Freeze(note)
        case wire.ResumeAct(without=without):
            return api.Resume(without)
        case wire.AlertAct():
            return api.AlertStep(act.alert, act.step, act.note)
        case wire.HandledAct():
            return api.BoxHandled(act.round, act.box)
        case wire.AutoplayAct(on=on):
            return api.Autoplay(on)
        case wire.OrderAct():
            return api.DeviceOrder(act.device, act.order, act.reason)
        case _:
            raise TableError("NOT_ALLOWED", role="screen")


def _naming(act: wire.NameAct) -> api.NameCard:
    if not act.card or not act.reason:
        raise TableError("NAMING_INCOMPLETE")
    return api.NameCard(act.camera, act.box, act.at, act.was, act.seen, act.card, act.reason)


def _value(chip: str) -> int:
    try:
        return minor_units(chip)
    except ValueError as error:
        raise TableError("CHIP_UNKNOWN", chip=chip) from error


def _seats(state: TableState, box: int) -> tuple[int, ...]:
    if state.phase != BETS:
        return ()
    return next((tuple(seat for seat, _ in entry.bets) for entry in state.boxes if entry.box == box), ())
