"""From a screen's act to the table's command, and back to an answer."""

from typing import Any, Final, NamedTuple

from controller.domain.errors import TableError
from controller.domain.observations import Bet, Correct, Observation
from controller.engine.state import TableState
from controller.engine.words import BETS
from controller.feed.codec import parse
from controller.runtime import api
from controller.screens import acts
from controller.screens.camera_doubts import namings_of
from controller.screens.card_pictures import NO_PICTURES, CardPictures
from controller.screens.chips import minor_units
from controller.screens.screen_state import Bettor, ScreenState, UnfinishedStake, stake_of, takes_bets
from controller.web.signin import Sessions

LIMITS: Final = frozenset({"STAKE_BELOW_MIN", "STAKE_NOT_A_MULTIPLE"})
"""Refusals after which chips stay in the circle without being a stake yet."""


class CommandOutcome(NamedTuple):
    """What a screen gets back: a sequence, or a code with parameters."""

    seq: int | None
    code: str = ""
    params: tuple[tuple[str, int | str], ...] = ()


class CommandHandler:
    """Takes commands of screens and passes on what the table has to decide."""

    def __init__(
        self,
        table: api.TablePort,
        hub: api.Hub,
        screen: ScreenState,
        sessions: Sessions,
        pictures: CardPictures = NO_PICTURES,
    ) -> None:
        """Bring table and screens together; `pictures` are the cameras, which hear of corrections."""
        self._table = table
        self._hub = hub
        self._screen = screen
        self._sessions = sessions
        self._pictures = pictures

    async def take(self, body: acts.CommandBody) -> CommandOutcome:
        """Do what is asked, or say with a code why not."""
        try:
            if body.role == "pit":
                self._sessions.require(body.session, body.actor)
            return await self._act(body)
        except TableError as error:
            return CommandOutcome(None, error.code, tuple(error.params.items()))

    async def _act(self, body: acts.CommandBody) -> CommandOutcome:
        match body.act:
            case acts.ChipAct() as chip:
                return await self._lay_chip(body, chip)
            case acts.ClearAct(box=box):
                return await self._clear(body, box)
            case acts.EditingAct(on=on):
                return self._edit(body, on)
            case acts.NameAct() as name:
                return await self._submit(body, _naming(name), body.command_id)
            case act:
                return await self._rule(body, _action(act))

    async def _rule(self, body: acts.CommandBody, action: api.Action) -> CommandOutcome:
        """Pass it on; where the pit has corrected a card that a camera knows otherwise, tell the camera.

        The camera's correction is an act of its own, by the same person for the same reason.
        """
        before = self._hub.latest()
        answer = await self._submit(body, action, body.command_id)
        if answer.seq is None or body.role != "pit" or not isinstance(action, api.Observe):
            return answer
        if not isinstance(action.observation, Correct):
            return answer
        for naming in namings_of(self._pictures, before, self._hub.latest(), action.observation):
            named = await self._submit(body, naming, f"{body.command_id}/camera")
            answer = answer if named.seq is None else named
        return answer

    async def _submit(self, body: acts.CommandBody, action: api.Action, command_id: str) -> CommandOutcome:
        if body.role == "dealer" and self._screen.editing_by() and isinstance(action, api.Observe):
            raise TableError("PIT_IS_EDITING")
        command = api.Command(command_id, body.actor, body.role, body.expected_seq, action)
        answer = await self._table.submit(command)
        if isinstance(answer, api.Accepted):
            return CommandOutcome(answer.seq)
        return CommandOutcome(None, answer.code, answer.params)

    def _edit(self, body: acts.CommandBody, on: bool) -> CommandOutcome:
        if body.role != "pit":
            raise TableError("NOT_ALLOWED", role=body.role)
        self._screen.edit(body.actor if on else None)
        return CommandOutcome(self._hub.latest().seq)

    async def _lay_chip(self, body: acts.CommandBody, chip: acts.ChipAct) -> CommandOutcome:
        state = self._hub.latest().state
        bettor = (chip.box, chip.seat)
        value = _value(chip.chip)
        lying = self._screen.lying(state, bettor)
        return await self._stake(body, bettor, max(lying - value if chip.off else lying + value, 0))

    async def _stake(self, body: acts.CommandBody, bettor: Bettor, stake: int) -> CommandOutcome:
        """Lay the stake; what the limits refuse stays in the circle as chips that are no stake yet."""
        state = self._hub.latest().state
        if not takes_bets(state):
            raise TableError("BETS_CLOSED", box=bettor[0], seat=bettor[1])
        if stake == stake_of(state, bettor):
            self._screen.lay(bettor, None)
            return CommandOutcome(self._hub.latest().seq)
        answer = await self._submit(body, api.Observe(Bet(*bettor, stake)), body.command_id)
        if answer.seq is not None or answer.code not in LIMITS:
            if answer.seq is not None:
                self._screen.lay(bettor, None)
            return answer
        return await self._keep_draft(body, bettor, UnfinishedStake(stake, answer.code, dict(answer.params)))

    async def _keep_draft(
        self, body: acts.CommandBody, bettor: Bettor, draft: UnfinishedStake
    ) -> CommandOutcome:
        """Remember chips that are no stake; a stake that they replace no longer counts."""
        self._screen.lay(bettor, draft)
        if stake_of(self._hub.latest().state, bettor):
            taken = api.Observe(Bet(*bettor, 0))
            await self._submit(body, taken, f"{body.command_id}/0")
        return CommandOutcome(self._hub.latest().seq)

    async def _clear(self, body: acts.CommandBody, box: int) -> CommandOutcome:
        state = self._hub.latest().state
        for bettor in [entry for entry in self._screen.drafts if entry[0] == box]:
            self._screen.lay(bettor, None)
        answer = CommandOutcome(self._hub.latest().seq)
        for seat in _seats(state, box):
            action = api.Observe(Bet(box, seat, 0))
            answer = await self._submit(body, action, f"{body.command_id}/{seat}")
            if answer.seq is None:
                break
        return answer


def observation(obs: dict[str, Any]) -> Observation:
    """The observation of a feed object without its time; raises what the codec finds wrong."""
    return parse(obs)


def _action(act: acts.ScreenAct) -> api.Action:
    match act:
        case acts.ObserveAct(obs=obs):
            return api.Observe(observation(obs))
        case acts.FreezeAct(note=note):
            return api.Freeze(note)
        case acts.ResumeAct(without=without):
            return api.Resume(without)
        case acts.AlertAct():
            return api.AlertStep(act.alert, act.step, act.note)
        case acts.HandledAct():
            return api.BoxHandled(act.round, act.box)
        case acts.AutoplayAct(on=on):
            return api.Autoplay(on)
        case acts.OrderAct():
            return api.DeviceOrder(act.device, act.order, act.reason)
        case _:
            raise TableError("NOT_ALLOWED", role="screen")


def _naming(act: acts.NameAct) -> api.NameCard:
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
