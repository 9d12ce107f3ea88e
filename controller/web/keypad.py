"""Presses at a keypad or pedal: taken as the screen's keys, allowed and refused as they are."""

from collections.abc import Callable
from typing import Final, NamedTuple, Protocol

from controller.runtime import api
from controller.web.commands import observation
from controller.web.desk import Desk
from controller.web.playing import decision
from controller.web.prompts import prompts_of
from controller.web.scene import Scene
from controller.web.settings import WebSettings
from controller.web.view import Key, Notice, Words
from controller.web.wire import ObserveAct
from controller.web.words import say, told

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


class Table(api.TablePort, Protocol):
    """What is asked of the running table."""

    @property
    def hub(self) -> api.Hub:
        """Where its newest snapshot is."""
        ...

    def show(self) -> None:
        """Have the screens drawn anew."""
        ...


class KeyDesk:
    """Takes presses of devices. Refusals show on the screens for some seconds, as a notice of the desk."""

    def __init__(self, table: Table, desk: Desk, settings: WebSettings) -> None:
        """Join table and screens; the desk must be the one that the screens have."""
        self._table = table
        self._hub = table.hub
        self._desk = desk
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
        shot = self._hub.latest()
        if word == "freeze":
            return await self._submit(device, word, api.Command("", device, "dealer", None, api.Freeze()))
        self._look(shot, mono_ns)
        if mono_ns - self._changed_ns < REST_MS * 1_000_000:
            return self._refuse(device, word, say("why.TOO_SOON"))
        key = self._key(shot, word)
        if isinstance(key, Words):
            return self._refuse(device, word, key)
        return await self._act(device, word, key, shot.seq)

    def _look(self, shot: api.TableSnapshot, now_ns: int) -> None:
        scene = Scene(shot, self._desk, self._settings)
        stage, prompts = prompts_of(scene)
        keys = {(key.key, key.enabled, repr(key.acts)) for prompt in prompts for key in prompt.bar.keys}
        meaning = _Meaning(stage, tuple(sorted(keys)))
        if meaning != self._meaning:
            self._changed_ns = now_ns if self._meaning is not None else now_ns - REST_MS * 1_000_000
            self._meaning = meaning

    def _key(self, shot: api.TableSnapshot, word: str) -> Key | Words:
        """Find the key that the screen shows now, or why there is none."""
        scene = Scene(shot, self._desk, self._settings)
        if self._desk.editing_by():
            return told("refused", "PIT_IS_EDITING")
        if shot.holds:
            return told("refused", "TABLE_HELD")
        _, prompts = prompts_of(scene)
        shown = {key.key: key for prompt in prompts for key in prompt.bar.keys}
        if word == "hit" and scene.expected.code == "PLAYER":
            # A card says it by itself; a keypad may say it first.
            box, hand = scene.hand(int(scene.wanted("box")), int(scene.wanted("hand")))
            shown["HIT"] = decision(scene, box, hand, "hit", say("key.HIT"))
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
        self._desk.notify(None)
        answer = await self._table.submit(command)
        if isinstance(answer, api.Rejected):
            return self._refuse(device, word, told("refused", answer.code, answer.params))
        return True

    def _refuse(self, device: str, word: str, why: Words) -> bool:
        number = self._desk.notices + 1
        self._desk.notify(Notice(number=number, device=device, key=say(f"key.{KEYS[word]}"), why=why))
        self._table.show()
        return False
