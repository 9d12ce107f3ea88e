"""Presses at a keypad or pedal: taken as the screen's keys, allowed and refused as they are."""

from collections.abc import Callable
from typing import Final, NamedTuple, Protocol

from controller.runtime import api
from controller.screens.acts import ObserveAct
from controller.screens.command_handler import observation
from controller.screens.prompts.context import PromptContext
from controller.screens.prompts.play import decision
from controller.screens.prompts.stage import prompts_of
from controller.screens.screen_state import ScreenState
from controller.screens.texts import say, told
from controller.screens.view import Key, Notice, Words
from controller.web.settings import WebSettings

REST_MS: Final = 350
DOUBLE_MS: Final = 250
"""As at the screen: keys that have just changed their meaning rest, and a double press counts once."""

KEYS: Final = {
    "hit": "HIT",
    "stand": "STAND",
    "double": "DOUBLE",
    "split": "SPLIT",
    "surrender": "SURRENDER",
    "end": "CLEAR_TABLE",
    "freeze": "CALL_PIT",
}
"""What a device says, and the screen's key that it stands for."""


class _Meaning(NamedTuple):
    """What every key would do: while this is the same, a press means what the dealer has seen."""

    stage: str
    keys: tuple[tuple[str, bool, str], ...]


class KeypadTable(api.TablePort, Protocol):
    """What is asked of the running table."""

    @property
    def hub(self) -> api.Hub:
        """Where its newest snapshot is."""
        ...

    def show(self) -> None:
        """Have the screens drawn anew."""
        ...


class KeypadHandler:
    """Takes presses of devices. Refusals show on the screens for some seconds, as a notice of the screen."""

    def __init__(self, table: KeypadTable, screen: ScreenState, settings: WebSettings) -> None:
        """Join table and screens; the screen must be the one that the screens have."""
        self._table = table
        self._hub = table.hub
        self._screen = screen
        self._settings = settings
        self._meaning: _Meaning | None = None
        self._changed_ns = 0
        self._pressed_ns: dict[str, int] = {}

    async def follow(self, mono_ns: Callable[[], int]) -> None:
        """Notice when the keys change their meaning, until cancelled."""
        async for _, snapshot in self._hub.subscribe():
            self._look(snapshot, mono_ns())

    async def press(self, device: str, word: str, mono_ns: int) -> bool:
        """Do what the key means now; False when it was refused or not counted.

        `mono_ns` is when the key went down: what the screen has shown for less than `REST_MS` by then is
        not what the dealer pressed for.
        """
        before_ns = self._pressed_ns.get(word, mono_ns - DOUBLE_MS * 1_000_000)
        self._pressed_ns[word] = mono_ns
        if mono_ns - before_ns < DOUBLE_MS * 1_000_000:
            return False
        snapshot = self._hub.latest()
        if word == "freeze":
            return await self._submit(device, word, api.Command("", device, "dealer", None, api.Freeze()))
        self._look(snapshot, mono_ns)
        if mono_ns - self._changed_ns < REST_MS * 1_000_000:
            return self._refuse(device, word, say("why.TOO_SOON"))
        key = self._key(snapshot, word)
        if isinstance(key, Words):
            return self._refuse(device, word, key)
        return await self._act(device, word, key, snapshot.seq)

    def _look(self, snapshot: api.TableSnapshot, now_ns: int) -> None:
        context = PromptContext(snapshot, self._screen, self._settings)
        stage, prompts = prompts_of(context)
        keys = {(key.key, key.enabled, repr(key.acts)) for prompt in prompts for key in prompt.bar.keys}
        meaning = _Meaning(stage, tuple(sorted(keys)))
        if meaning != self._meaning:
            self._changed_ns = now_ns if self._meaning is not None else now_ns - REST_MS * 1_000_000
            self._meaning = meaning

    def _key(self, snapshot: api.TableSnapshot, word: str) -> Key | Words:
        """Find the key that the screen shows now, or why there is none."""
        context = PromptContext(snapshot, self._screen, self._settings)
        if self._screen.editing_by():
            return told("refused", "PIT_IS_EDITING")
        if snapshot.holds:
            return told("refused", "TABLE_HELD")
        _, prompts = prompts_of(context)
        shown = {key.key: key for prompt in prompts for key in prompt.bar.keys}
        if word == "hit" and context.expected.code == "PLAYER":
            # A card says it by itself; a keypad may say it first.
            box, hand = context.hand(int(context.wanted("box")), int(context.wanted("hand")))
            shown["HIT"] = decision(context, box, hand, "hit", say("key.HIT"))
        key = shown.get(KEYS[word])
        if key is None:
            return say("why.NOT_NOW")
        return key if key.enabled else key.note or say("why.NOT_NOW")

    async def _act(self, device: str, word: str, key: Key, seq: int) -> bool:
        for act in key.acts:
            assert isinstance(act, ObserveAct), "the keys of a keypad report facts"
            command = api.Command("", device, "dealer", seq, api.Observe(observation(act.obs)))
            if not await self._submit(device, word, command):
                return False
        return True

    async def _submit(self, device: str, word: str, command: api.Command) -> bool:
        self._screen.notify(None)
        answer = await self._table.submit(command)
        if isinstance(answer, api.Rejected):
            return self._refuse(device, word, told("refused", answer.code, answer.params))
        return True

    def _refuse(self, device: str, word: str, why: Words) -> bool:
        number = self._screen.notices + 1
        self._screen.notify(Notice(number=number, device=device, key=say(f"key.{KEYS[word]}"), why=why))
        self._table.show()
        return False
