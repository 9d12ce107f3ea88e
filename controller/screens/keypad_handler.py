"""Presses at a keypad or pedal: taken as the screen's keys, allowed and refused as they are."""

from collections.abc import Callable
from typing import Final, NamedTuple

from controller.feed.codec import from_wire
from controller.runtime import api
from controller.screens.screen_state import ScreenState
from controller.screens.shapes.acts import ObserveAct
from controller.screens.shapes.view import Key, TableView
from controller.screens.shapes.words import Words, described, say
from controller.screens.view_broadcaster import ViewBroadcaster
from controller.screens.view_builder import ViewBuilder

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


class _Meaning(NamedTuple):
    """The meaning of every key: a press counts only for the meaning that the dealer has seen."""

    stage: str
    keys: tuple[tuple[str, bool, str], ...]


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
        self._meaning: _Meaning | None = None
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
        meaning = _Meaning(view.stage, tuple(sorted(keys)))
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
        key = self._hit_key() if word == "hit" else shown.get(KEYS[word])
        if key is None:
            return say("why.NOT_NOW")
        return key if key.enabled else key.note or say("why.NOT_NOW")

    def _hit_key(self) -> Key | None:
        return self._builder.hit_key(self._hub.latest(), self._screen)

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
