"""Acts at screens, keypads and pedals as commands of the table, and their answers."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple, Protocol, assert_never

from controller.acts.catalogue import (
    RULINGS,
    Bet,
    CardSeen,
    Correct,
    DealerSeated,
    Insurance,
    Observation,
    Paid,
)
from controller.acts.declaring import Act
from controller.domain import TableError
from controller.engine.settle import in_progress, is_final
from controller.engine.state import BETS, TableState
from controller.feed.codec import from_wire
from controller.feed.wire import AnyObservation
from controller.policy.allowed import DEALER_SECONDS, may_ever
from controller.policy.money import winnings
from controller.runtime import api
from controller.screens import acts
from controller.screens.acts import ObserveAct
from controller.screens.evidence import NO_PICTURES, CardPictures, namings_of
from controller.screens.felt import (
    Bettor,
    ScreenState,
    UnfinishedStake,
    box_of,
    minor_units,
    stake_of,
    takes_bets,
)
from controller.screens.panels import still_holds
from controller.screens.prompts import entered_payout
from controller.screens.view import Key, TableView
from controller.screens.views import ViewBroadcaster, ViewBuilder, Views
from controller.screens.words import Words, described, say


class ScreenCommand(NamedTuple):
    """One act of a person known to the server; the fields are those of `api.Command`.

    `checked` is False without a sign-in (the demo): then the name that the page sends is overruled.
    """

    command_id: str
    expected_seq: int
    actor: str
    role: api.Role
    act: acts.ScreenAct
    second: str = ""
    checked: bool = True
    commander: str = ""


def name_of(act: acts.ScreenAct) -> str:
    """Return the name of an act for the journal: its observation, else its `do`."""
    return str(act.obs["obs"]) if isinstance(act, acts.ObserveAct) else act.do


def require_second(person: str, second: str, role: str | None, act: acts.ScreenAct) -> None:
    """Raise SECOND_SAME or SECOND_NOT_ALLOWED unless `second`, of this role on a line, may sign for it."""
    if second == person:
        raise TableError("SECOND_SAME", id=second)
    dealer_may = role == "dealer" and name_of(act) in DEALER_SECONDS
    if role != "pit" and not dealer_may:
        raise TableError("SECOND_NOT_ALLOWED", id=second)


def signed(action: api.Action, command: ScreenCommand) -> api.Action:
    """Sign the fact of a command with its person and second person.

    Raises ACTOR_DIFFERS when the page names another person; a role alone ("dealer", "pit") names none.
    """
    if not isinstance(action, api.Observe):
        return action
    observation = action.observation
    _require_own(observation, command)
    fields: dict[str, Any] = {}
    if hasattr(observation, "by") and not isinstance(observation, CardSeen):
        fields["by"] = command.actor
    if hasattr(observation, "second"):
        fields["second"] = command.second or None
    return api.Observe(observation._replace(**fields)) if fields else action


def _require_own(observation: Observation, command: ScreenCommand) -> None:
    if not command.checked:
        return
    # The page's own value: parsing a ruling without a person fills in the replay's pit.
    said = command.act.obs.get("by") if isinstance(command.act, acts.ObserveAct) else None
    if said not in (None, command.role, command.actor, f"{command.role}:{command.actor}"):
        raise TableError("ACTOR_DIFFERS", id=command.actor)
    if command.role == "dealer" and isinstance(observation, DealerSeated) and observation.id != command.actor:
        raise TableError("ACTOR_DIFFERS", id=command.actor)
    if getattr(observation, "second", None) not in (None, command.second):
        raise TableError("ACTOR_DIFFERS", id=command.actor)


class Commands(Protocol):
    """Executes a screen's commands: a `CommandHandler`, or a remote table."""

    async def take(self, command: ScreenCommand) -> int:
        """Execute a command; return the sequence of the last entry. Raises `TableError`."""


class RemoteTable(Protocol):
    """A table that is played elsewhere and may be reached from here."""

    def views(self, local: Views) -> Views:
        """Return its views; `local` are the views from its journal here."""

    def commands(self, local: Commands) -> Commands:
        """The way of commands to it; `local` refuses them."""


LIMITS: Final = frozenset({"STAKE_BELOW_MIN", "STAKE_NOT_A_MULTIPLE"})
"""Refusals after which chips stay in the circle without being a stake yet."""


DrawsCard = Callable[[], None]
"""Lets a card leave a simulated shoe; raises `TableError` where there is none."""


class CommandHandler:
    """Takes the commands of screens and submits them to the table."""

    def __init__(
        self,
        table: api.TablePort,
        hub: api.Hub,
        screen: ScreenState,
        pictures: CardPictures = NO_PICTURES,
        draw: DrawsCard | None = None,
    ) -> None:
        """Bring table and screens together; `pictures` are the cameras, which hear of corrections.

        `draw` lets a card leave a simulated shoe; None at a real table.
        """
        self._table = table
        self._hub = hub
        self._screen = screen
        self._pictures = pictures
        self._draw = draw

    async def take(self, command: ScreenCommand) -> int:  # noqa: C901  # a case for each act
        """Execute a command; return the sequence of the last journal entry that it led to.

        Raises `TableError` with the code of the refusal.
        """
        _require_role(command)
        match command.act:
            case acts.ChipAct() as chip:
                state = self._hub.latest().state
                bettor = (chip.box, chip.seat)
                value = _value(chip.chip)
                lying = self._screen.lying(state, bettor)
                self._screen.laid.lay(bettor, lying, value, off=chip.off)
                return await self._stake(
                    command, bettor, max(lying - value if chip.off else lying + value, 0)
                )
            case acts.StakeAct() | acts.InsureAct() | acts.GivenAct() as typed:
                return await self._type(command, typed)
            case acts.ClearAct(box=box):
                return await self._clear(command, box)
            case acts.EditingAct(on=on, card=card):
                return self._edit(command, on, card)
            case acts.DrawAct():
                if self._draw is None:
                    raise TableError("NOT_A_SIMULATION")
                self._draw()
                return self._hub.latest().seq
            case acts.NameAct() as name:
                return await self._submit(command, _naming(name), command.command_id)
            case acts.ObserveAllAct(obs=rulings):
                return await self._rule_all(command, rulings)
            case acts.AlertAct(step="resolve", alert=number):
                # Checked at the screens and not in the table: old journals contain such steps.
                snapshot = self._hub.latest()
                for alert in snapshot.alerts:
                    if alert.alert == number and still_holds(snapshot, alert):
                        raise TableError("ALERT_HOLDS")
                return await self._rule(command, _action(command.act))
            case act:
                return await self._rule(command, signed(_action(act), command))

    async def _rule_all(self, command: ScreenCommand, rulings: tuple[AnyObservation, ...]) -> int:
        """Apply rulings on one round, all or none."""
        read = [from_wire(obs) for obs in rulings]
        if not all(isinstance(one, (*RULINGS, Paid)) for one in read):
            raise TableError("NOT_ALLOWED", role=command.role)
        if len({getattr(one, "round", None) for one in read}) > 1:
            raise TableError("NOT_ALLOWED", role=command.role)
        before, asked = self._hub.latest(), []
        for nth, obs in enumerate(rulings):
            one = command._replace(act=acts.ObserveAct(obs=obs))
            command_id = f"{command.command_id}/{nth}" if nth else command.command_id
            asked.append(self._asked(one, signed(api.Observe(read[nth]), one), command_id))
        seq = self._accepted(await self._table.submit(*asked))
        return await self._name_to_cameras(command, before, read, seq)

    async def _rule(self, command: ScreenCommand, action: api.Action) -> int:
        """Submit a ruling; name a corrected card to each camera that reads it otherwise.

        The camera's correction is an act of its own, by the same person for the same reason.
        """
        before = self._hub.latest()
        seq = await self._submit(command, action, command.command_id)
        rulings = [action.observation] if isinstance(action, api.Observe) else []
        return await self._name_to_cameras(command, before, rulings, seq)

    async def _name_to_cameras(
        self, command: ScreenCommand, before: api.TableSnapshot, rulings: Sequence[Observation], seq: int
    ) -> int:
        """Name the cards that the pit has corrected to the cameras; return the last entry's sequence."""
        corrections = [one for one in rulings if isinstance(one, Correct)] if command.role == "pit" else []
        for nth, correction in enumerate(corrections):
            for naming in namings_of(self._pictures, before, self._hub.latest(), correction):
                # The accepted command stands, even if the camera's hold has ended.
                with suppress(TableError):
                    suffix = f"{nth}/camera" if nth else "camera"
                    seq = await self._submit(command, naming, f"{command.command_id}/{suffix}")
        return seq

    async def _submit(self, command: ScreenCommand, action: api.Action, command_id: str) -> int:
        """Submit an action to the table; raise its refusal."""
        if command.role == "dealer" and self._screen.editing_by() and isinstance(action, api.Observe):
            raise TableError("PIT_IS_EDITING")
        return self._accepted(await self._table.submit(self._asked(command, action, command_id)))

    @staticmethod
    def _asked(command: ScreenCommand, action: api.Action, command_id: str) -> api.Command:
        return api.Command(
            command_id,
            command.actor,
            command.role,
            command.expected_seq,
            action,
            command.second,
            command.act.model_dump_json(),
            command.commander,
        )

    @staticmethod
    def _accepted(answer: api.CommandAnswer) -> int:
        """Return the sequence of an accepted command; raise the refusal of another."""
        if isinstance(answer, api.Rejected):
            raise TableError(answer.code, **dict(answer.params))
        return answer.seq

    def _edit(self, command: ScreenCommand, on: bool, card: int | None) -> int:
        """Pause the dealers' keys while a card of the running round is corrected; not for a settled round."""
        snapshot = self._hub.latest()
        state = snapshot.state
        running = in_progress(state) and not is_final(state.settlement.status)
        of_round = card is not None and card <= state.cards_seen + snapshot.waiting
        box = box_of(state, card) if card is not None and of_round else None
        self._screen.edit(command.actor, box, on=on and running and of_round)
        return snapshot.seq

    async def _type(
        self, command: ScreenCommand, typed: acts.StakeAct | acts.InsureAct | acts.GivenAct
    ) -> int:
        """Take an amount that was typed for a bettor."""
        bettor, amount = (typed.box, typed.seat), _amount(typed.amount)
        match typed:
            case acts.StakeAct():
                return await self._stake(command, bettor, amount)
            case acts.InsureAct():
                return await self._submit(
                    command, api.Observe(Insurance(*bettor, amount)), command.command_id
                )
            case acts.GivenAct():
                # On top of the stakes. An amount entered before counts as given before: this one is added.
                snapshot = self._hub.latest()
                bets = snapshot.result.bets if snapshot.result is not None else ()
                bet = next((bet for bet in bets if (bet.box, bet.seat) == bettor), None)
                if bet is None:
                    raise TableError("NO_BET", box=bettor[0], seat=bettor[1])
                entered = entered_payout(snapshot.state, bet)
                before = bet.returned - winnings(bet) if entered is None else entered
                given = Paid(*bettor, before + amount, how="entered")
                return await self._submit(command, api.Observe(given), command.command_id)
            case _:
                assert_never(typed)

    async def _stake(self, command: ScreenCommand, bettor: Bettor, stake: int) -> int:
        """Enter a stake; chips that the limits refuse stay in the circle as an unfinished stake."""
        state = self._hub.latest().state
        if not takes_bets(state):
            raise TableError("BETS_CLOSED", box=bettor[0], seat=bettor[1])
        if stake == stake_of(state, bettor):
            self._screen.lay(bettor, None)
            return self._hub.latest().seq
        try:
            seq = await self._submit(command, api.Observe(Bet(*bettor, stake)), command.command_id)
        except TableError as refusal:
            if refusal.code not in LIMITS:
                raise
            # A stake that these chips replace no longer counts.
            self._screen.lay(bettor, UnfinishedStake(stake, refusal.code, refusal.params))
            if stake_of(self._hub.latest().state, bettor):
                # Refused, it stands as it stood; the chips show on top of it.
                with suppress(TableError):
                    await self._submit(command, api.Observe(Bet(*bettor, 0)), f"{command.command_id}/0")
            return self._hub.latest().seq
        self._screen.lay(bettor, None)
        return seq

    async def _clear(self, command: ScreenCommand, box: int) -> int:
        state = self._hub.latest().state
        for bettor in [entry for entry in self._screen.drafts if entry[0] == box]:
            self._screen.lay(bettor, None)
        seq = self._hub.latest().seq
        for seat in _seats(state, box):
            action = api.Observe(Bet(box, seat, 0))
            seq = await self._submit(command, action, f"{command.command_id}/{seat}")
        return seq


def _require_role(command: ScreenCommand) -> None:
    """Raise NOT_ALLOWED before an act that the table does not see, or sees last, changes anything."""
    act = _permit_of(command.act)
    if act is not None and not may_ever(command.role, act):
        raise TableError("NOT_ALLOWED", role=command.role)


def _permit_of(act: acts.ScreenAct) -> Act | None:  # noqa: C901  # a case for each act
    """The row of an act that the screens work on before the table hears of it; None for the table's own."""
    match act:
        case acts.ChipAct() | acts.StakeAct() | acts.ClearAct():
            return Act.BET
        case acts.InsureAct():
            return Act.INSURANCE
        case acts.GivenAct():
            return Act.PAID
        case acts.EditingAct():
            return Act.EDITING
        case acts.DrawAct():
            return Act.DRAW
        case acts.NameAct():
            return Act.NAME
        case acts.ObserveAct() | acts.ObserveAllAct() | acts.FreezeAct() | acts.ResumeAct() | acts.AlertAct():
            return None
        case acts.HandledAct() | acts.AutoplayAct() | acts.OrderAct():
            return None


def _action(act: acts.TableAct) -> api.Action:
    """Give the action of an act that is the table's own."""
    match act:
        # Not `ObserveAct(obs=obs)`: capturing this union takes mypy ten seconds.
        case acts.ObserveAct():
            return api.Observe(from_wire(act.obs))
        case acts.FreezeAct(note=note):
            return api.CallPit(note)
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
            assert_never(act)


def _naming(act: acts.NameAct) -> api.NameCard:
    if not act.card or not act.reason:
        raise TableError("NAMING_INCOMPLETE")
    return api.NameCard(act.camera, act.box, act.at, act.was, act.seen, act.card, act.reason)


def _value(chip: str) -> int:
    try:
        return minor_units(chip)
    except ValueError as error:
        raise TableError("CHIP_UNKNOWN", chip=chip) from error


def _amount(text: str) -> int:
    try:
        return minor_units(text)
    except ValueError as error:
        raise TableError("AMOUNT_UNKNOWN", amount=text) from error


def _seats(state: TableState, box: int) -> tuple[int, ...]:
    if state.phase != BETS:
        return ()
    return next((tuple(seat for seat, _ in entry.bets) for entry in state.boxes if entry.box == box), ())


_REST_MS: Final = 350
_DOUBLE_MS: Final = 250
"""As at the screen: keys that have just changed their meaning rest, and a double press counts once."""

KEYS: Final = {
    "hit": "HIT",
    "stand": "STAND",
    "double": "DOUBLE",
    "split": "SPLIT",
    "surrender": "SURRENDER",
    "end": "CLEAR_TABLE",
    "freeze": "CALL_PIT",
    "shoe": "START_SHOE",
    "shuffle": "SHUFFLE",
    "cut_card": "CUT_CARD",
}
"""What a device says, and the screen's key that it stands for."""

HAPPENED: Final = frozenset({"cut_card"})
"""What may be entered while the table is held, too: it has happened."""


class KeypadHandler:
    """Takes presses of devices. A refusal shows on the screens for some seconds."""

    def __init__(
        self,
        table: api.TablePort,
        hub: api.Hub,
        screen: ScreenState,
        broadcaster: ViewBroadcaster,
        builder: ViewBuilder,
        *,
        dealer: Callable[[], str | None],
    ) -> None:
        """Connect table and screens: a press has the meaning of the view that the broadcaster shows.

        `dealer` returns the id of the dealer who is signed in at this table and makes the presses.
        """
        self._dealer = dealer
        self._table = table
        self._hub = hub
        self._broadcaster = broadcaster
        self._screen = screen
        self._builder = builder
        self._meaning: object = None
        """The stage and every key: a press counts only for the meaning that the dealer has seen."""
        self._changed_ns = 0
        self._pressed_ns: dict[str, int] = {}

    async def follow(self, mono_ns: Callable[[], int]) -> None:
        """Notice when the keys change their meaning, until cancelled."""
        async for rendered in self._broadcaster.views():
            self._look(rendered.view, mono_ns())

    async def press(self, device: str, word: str, mono_ns: int) -> bool:
        """Execute the key's current meaning; False when the press was refused or ignored.

        "freeze" stops the table with or without a signed-in dealer. `mono_ns` is the time of the press: a
        view shown for less than `_REST_MS` by then is not what the dealer pressed for.
        """
        before_ns = self._pressed_ns.get(word, mono_ns - _DOUBLE_MS * 1_000_000)
        self._pressed_ns[word] = mono_ns
        if mono_ns - before_ns < _DOUBLE_MS * 1_000_000:
            return False
        if word == "freeze":
            return await self._submit(device, word, api.Command("", device, "dealer", None, api.CallPit()))
        view = self._broadcaster.latest().view
        self._look(view, mono_ns)
        if mono_ns - self._changed_ns < _REST_MS * 1_000_000:
            return self._refuse(device, word, say("why.TOO_SOON"))
        key = self._key(view, word)
        if isinstance(key, Words):
            return self._refuse(device, word, key)
        dealer = self._dealer()
        if dealer is None:
            return self._refuse(device, word, described("refused", "SIGN_IN_NEEDED"))
        return await self._act(device, word, key, view.seq, dealer)

    def _look(self, view: TableView, now_ns: int) -> None:
        keys = {(key.key, key.enabled, repr(key.acts)) for prompt in view.prompts for key in prompt.bar.keys}
        meaning = view.stage, keys
        if meaning != self._meaning:
            self._changed_ns = now_ns if self._meaning is not None else now_ns - _REST_MS * 1_000_000
            self._meaning = meaning

    def _key(self, view: TableView, word: str) -> Key | Words:
        """Find the key that the screen shows now, or why there is none."""
        if view.editing_by is not None:
            return described("refused", "PIT_IS_EDITING")
        if view.holds and word not in HAPPENED:
            return described("refused", "TABLE_HELD")
        shown = {key.key: key for key in view.shoe.keys}
        shown |= {key.key: key for prompt in view.prompts for key in prompt.bar.keys}
        if word == "hit":
            key = self._builder.hit_key(self._hub.latest(), self._screen)
        else:
            key = shown.get(KEYS[word])
        if key is None:
            return say("why.NOT_NOW")
        return key if key.enabled else key.note or say("why.NOT_NOW")

    async def _act(self, device: str, word: str, key: Key, seq: int, dealer: str) -> bool:
        for act in key.acts:
            assert isinstance(act, ObserveAct), "the keys of a keypad report facts"
            command = api.Command("", dealer, "dealer", seq, api.Observe(from_wire(act.obs)))
            if not await self._submit(device, word, command):
                return False
        return True

    async def _submit(self, device: str, word: str, command: api.Command) -> bool:
        self._screen.forget_notice()
        answer = await self._table.submit(command)
        if isinstance(answer, api.Rejected):
            return self._refuse(device, word, described("refused", answer.code, answer.params))
        return True

    def _refuse(self, device: str, word: str, why: Words) -> bool:
        self._screen.refuse_press(device, say(f"key.{KEYS[word]}"), why)
        self._broadcaster.wake()
        return False
