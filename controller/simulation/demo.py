"""The demo's parts: folder and seed, a shoe on a pseudo-terminal, drawn cameras, guests, the real table."""

import asyncio
import json
import threading
from pathlib import Path
from typing import Any, Final, NamedTuple

from controller.config import BY_ONE, CardsFrom, FloorSection, TableConfig
from controller.devices.cameras.setup import CameraSetup, StateListener, layout_of
from controller.devices.shoes import CardSourceFactory
from controller.domain import ConfigError, TableError
from controller.journal.entry import Entry
from controller.journal.store import JournalReader
from controller.policy.line import DEFAULT_OPTIONS
from controller.ports import Clock, FrameSource, SystemClock, Tap
from controller.rules import load_rules
from controller.runtime.api import Autoplay, Command
from controller.runtime.door import TableTask
from controller.screens.felt import CHIPS
from controller.screens.words import DEMO_FAULTS, DemoFault
from controller.simulation.cameras import (
    MOUTH_FPS,
    OVERHEAD,
    MouthShoe,
    Overhead,
    cards_from,
    cut_rgb,
    write_layout,
)
from controller.simulation.faults import PlannedFaults
from controller.simulation.felt import SilentShoe, World
from controller.simulation.players import MOUTH, PlayPace, SimulatedPeople
from drivers.camera import Camera, CameraConfig
from drivers.camera.pictures import Image
from drivers.device_driver import LifePolicy
from drivers.simulated import PtyShoe
from vision.native import is_compiled
from vision.synth import DrawnTableView, hand_at, render_frame, smeared_picture, table_scene

SEED: Final = 17

_FOR_FAULTS: Final = "stacked"
"""Follows the seed in the file where the shoes were stacked to show faults."""


def open_folder(folder: Path, seed: int | None, *, faults: bool = False) -> int:
    """Make the folder of a kept demo and find its seed.

    Raises `ConfigError` DEMO_FOLDER where it cannot be made or written, and as `_kept_seed` does.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return _kept_seed(folder, seed, faults=faults)
    except OSError as error:
        raise ConfigError("DEMO_FOLDER", path=str(folder), reason=error.strerror or str(error)) from error


def _kept_seed(folder: Path, given: int | None, *, faults: bool = False) -> int:
    """Find the seed of a folder, or write the given one down.

    Raises `ConfigError` where its shoe would change its cards: DEMO_SEED when the folder was begun with
    another seed, DEMO_STACKED when it was begun without faults and now has some, or the other way round.
    """
    file = folder / "demo.seed"
    if not file.exists():
        seed = SEED if given is None else given
        # The seed gives every card of the shoe away.
        file.touch(mode=0o600)
        file.write_text(f"{seed} {_FOR_FAULTS}\n" if faults else f"{seed}\n", encoding="ascii")
        return seed
    first, *rest = file.read_text(encoding="ascii").split()
    kept = int(first)
    if given not in (None, kept):
        raise ConfigError("DEMO_SEED", path=str(folder), kept=kept, given=str(given))
    if faults != (_FOR_FAULTS in rest):
        raise ConfigError("DEMO_STACKED", path=str(folder))
    return kept


def _round_of_shoe(journal: Path) -> int | None:
    """Find the round in which the present shoe was put in place; None for a new journal."""
    if not journal.exists():
        return None
    reader = JournalReader(journal)
    try:
        loaded = [
            entry.round_id or 1
            for entry in reader.read()
            if isinstance(entry, Entry) and entry.kind == "fact" and json.loads(entry.body)["obs"] == "shoe"
        ]
    finally:
        reader.close()
    return loaded[-1] if loaded else None


FPS: Final = 10.0
_READ_EVERY_MS: Final = 300
PIXELS: Final = "overhead"
"""Name of the camera that deals by reading drawn pictures."""

_SETTLE_MS: Final = 150
"""Drawn cards are cleared at once; only a picture that is being drawn may still show them."""

SILENCE_MS: Final = 15_000
"""A busy machine may need seconds for its first picture; that is no fault of a camera."""

STACKED: Final = 24
"""Where faults are shown, every card of one kind lies among the first so many of a shoe: about one round."""

ANSWER_S: Final = 0.02
"""Between two looks of the simulated shoe at its line."""

_LOOK_US: Final = 6_000_000
"""So long a fault is left to be looked at before the simulated pit mends it, at speed 1."""

_NEED_PREPARING: Final[frozenset[DemoFault]] = frozenset(("one_too_many", "stuck_cards", "mistapped_stand"))
"""Faults that only a table with stacked shoes and the house's own patience with fast cards can show."""

SEEN_ON_SCREENS: Final[frozenset[DemoFault]] = frozenset(("wrong_payout", "smeared_lens"))
"""Faults that need neither a card that goes astray nor a cable; the others are a shoe's."""

# The simulated shoe deals faster than hands do, and its key draws a card without an entered hit.
_DRAWN_UNREPORTED: Final = {"card_gap_ms": 0, "ask_hit_from": 0}


class DemoPlan(NamedTuple):
    """The requested demo; `seed` None takes that of the folder, or the usual one."""

    folder: Path
    seed: int | None
    port: int
    speed: float
    rules: str
    rounds: int
    manual: bool
    mouth: bool = False
    """Whether a camera at the shoe's mouth sees the cards, and no shoe reads them."""
    faults: bool = False
    """Whether faults happen, as planned and as the page calls them."""
    source: CardsFrom = "shoe"
    """Who reports the cards: the shoe, a camera over the layout, or both."""
    name: str = "DEMO"
    copies: Path | None = None
    """The table's name, and where its journal is written once more, None for nowhere."""
    floor: FloorSection | None = None
    """The network that it is on."""

    @property
    def journal(self) -> Path:
        """The journal in the folder."""
        return self.folder / "demo.journal"

    @property
    def sees_pixels(self) -> bool:
        """Whether the dealing camera reads drawn pictures; above people's speed it is simulated too."""
        return self.source != "shoe" and 0 < self.speed <= 1


class Demo:
    """The simulated world of a demo, as the parts that a table is set up with. Close it at the end."""

    def __init__(self, plan: DemoPlan) -> None:
        """Make the folder, the shoe and the felt; nothing runs yet.

        Raises `ConfigError` as `open_folder` does, and for rules that are not there.
        """
        self._plan = plan
        self._seed = open_folder(plan.folder, plan.seed, faults=plan.faults)
        self._shoe = _shoe_of(plan, self._seed)
        self._world = World(
            self._shoe,
            self._seed,
            stacked=STACKED if plan.faults else 0,
            camera_deals=plan.source != "shoe",
        )
        self.faults = self._planned_faults()
        self._loaded_in = _round_of_shoe(plan.journal)
        self.config = demo_config(
            plan, plan.journal, self._shoe.port if isinstance(self._shoe, PtyShoe) else None
        )
        self._closed = threading.Event()
        self._answering = threading.Thread(target=self._answer, name="demo-shoe", daemon=True)
        self._answering.start()
        section = self.config.table_cameras[0]
        drawn = DrawnPictures(self._world, self._seed, section.name)
        # A pure wheel has no reader: the shoe deals all the same, and nothing is compared with the felt.
        looks = plan.source != "shoe" or is_compiled()
        found = (CameraSetup(section, drawn.camera, box_at, layout_of(section)),)
        self.cameras = found if looks else ()

    def _planned_faults(self) -> PlannedFaults:
        plan = self._plan
        look_us = int(_LOOK_US / plan.speed) if plan.speed else 0
        shown = frozenset(DEMO_FAULTS) if plan.source == "shoe" else SEEN_ON_SCREENS
        without = frozenset(DEMO_FAULTS) - shown
        if plan.faults:
            return PlannedFaults(
                self._world,
                self._seed,
                mouth=plan.mouth,
                look_us=look_us,
                without=without,
                speed=plan.speed or None,
            )
        return PlannedFaults(
            self._world,
            self._seed,
            mouth=plan.mouth,
            look_us=look_us,
            every_rounds=0,
            without=_NEED_PREPARING | without,
            speed=plan.speed or None,
        )

    @property
    def cards(self) -> CardSourceFactory | None:
        """Return the factory of the source of cards; None when the configured shoe is one."""
        section = self.config.shoe_mouth
        if isinstance(self._shoe, MouthShoe) and section is not None:
            return cards_from(self._shoe, section)
        return None

    def draw(self) -> None:
        """Let a card leave the shoe, as the page asks for: the cut card where that lies before it.

        Raises `TableError` NO_SHOE before the first shoe is in place, SHOE_LOCKED where nothing can leave it.
        """
        if not self._world.has_shoe:
            raise TableError("NO_SHOE")
        if self._world.cut_card_due:
            self._world.deal_cut_card()
        elif self._world.deal() is None:
            raise TableError("SHOE_LOCKED")

    async def people(self, table: TableTask, stop: asyncio.Event) -> None:
        """Let the simulated people play at the running table; sets `stop` when the rounds are done."""
        plan, world, loaded_in = self._plan, self._world, self._loaded_in
        state = table.hub.latest().state
        if loaded_in is not None:
            world.resume(loaded_in if not state.book.rules.shuffled_each_round else state.book.number, state)
        if plan.manual:
            await table.submit(Command("", "simulation", "system", None, Autoplay(on=False)))
        pace = PlayPace(plan.speed, plan.rounds)
        people = SimulatedPeople(table, world, pace, self._seed, self.faults)
        if plan.source == "shoe" or plan.sees_pixels:
            await people.play(stop)
            return
        async with asyncio.TaskGroup() as both:
            both.create_task(Overhead(world, SystemClock(), plan.speed).look_on(table))
            both.create_task(people.play(stop))

    def close(self) -> None:
        """Close the shoe's line."""
        self._closed.set()
        self._answering.join()
        if not isinstance(self._shoe, SilentShoe):
            self._shoe.close()

    def _answer(self) -> None:
        """Let the shoe carry out the table's orders, until it is closed."""
        while isinstance(self._shoe, PtyShoe) and not self._closed.wait(ANSWER_S):
            self._shoe.answer(0)


def _shoe_of(plan: DemoPlan, seed: int) -> PtyShoe | MouthShoe | SilentShoe:
    """The simulated shoe: read by itself, by a camera at its mouth, or by nothing.

    Raises `ConfigError` DEMO_NO_TERMINAL on a machine without pseudo-terminals.
    """
    if plan.source == "camera":
        return SilentShoe()
    try:
        return MouthShoe(seed) if plan.mouth else PtyShoe()
    except OSError as error:
        raise ConfigError("DEMO_NO_TERMINAL", reason=error.strerror or str(error)) from error


def demo_config(plan: DemoPlan, journal: Path, shoe_port: str | None) -> TableConfig:
    """Write the configuration that a real table would have in a file.

    Without a shoe's port a camera sees the cards: at its mouth, or over the layout where `source` is camera.
    """
    above = {
        "source": "rendered",
        "boxes": [],
        "dealer": {"x": 0, "y": 0, "radius": 1},
        "settle_ms": _SETTLE_MS,
        "read_every_ms": _READ_EVERY_MS,
    }
    locks = {"commands": True, "lock_while_held": True} if plan.faults else {}
    cards: dict[str, Any] = {"shoe": {"port": shoe_port, **locks}, "camera": [above]}
    if shoe_port is None:
        cards = {"camera": [above] if plan.source == "camera" else [above, _mouth_settings()]}
    if plan.source != "shoe":
        name = PIXELS if plan.sees_pixels else OVERHEAD
        deals = {"name": name, "source": "rendered", "layout": write_layout(plan.folder)}
        others = [one for one in cards["camera"] if one is not above or not plan.sees_pixels]
        cards["camera"] = [deals, *others] if plan.sees_pixels else [*others, deals]
        cards["witnesses"] = {"source": plan.source, "camera": name}
    return TableConfig.model_validate(
        {
            "table": {
                "name": plan.name,
                "rules": plan.rules,
                "chips_minor": chips_for(load_rules(plan.rules, {}, Path()).stake_step),
                "options": _options(plan),
                "second_person": BY_ONE,
            },
            "journal": {"file": journal, "slow_ms": 5000, "copy_folder": plan.copies},
            "web": {"port": plan.port},
            "floor": plan.floor,
            **cards,
        }
    )


def _options(plan: DemoPlan) -> dict[str, int]:
    """Return the table's option for cards in quick succession, at the demo's speed."""
    if not plan.faults:
        return _DRAWN_UNREPORTED
    gap_ms = DEFAULT_OPTIONS.card_gap_ms
    return {"card_gap_ms": min(round(gap_ms / plan.speed), gap_ms) if plan.speed else 0}


def chips_for(step: int) -> tuple[int, ...]:
    """The tray of a house with steps that no usual chip makes: with chips of one and of five steps."""
    usual = tuple(chip.value_minor for chip in CHIPS)
    return () if step in {0, *usual} else tuple(sorted({*usual, step, 5 * step}))


def _mouth_settings() -> dict[str, object]:
    """Configure the camera at the simulated shoe's mouth; its pictures are as late as the machine is busy."""
    return {
        "name": MOUTH,
        "profile": "shoe_mouth",
        "source": "rendered",
        "fps": MOUTH_FPS,
        "silence_ms": SILENCE_MS,
        "gap_ms": 5000,
        "cut_rgb": cut_rgb(),
    }


def box_at(at: tuple[float, float]) -> int | None:
    """Find the box by the demo's own layout."""
    place = hand_at(*at)
    return None if place is None else place[0]


class DrawnPictures:
    """Pictures of the layout, drawn again only after a change; a `Grabber` of the camera."""

    paced = False
    finite = False
    watched = False

    def __init__(self, world: World, seed: int, name: str) -> None:
        """Begin without a picture, of the camera of this name."""
        self._name = name
        self._world = world
        self._seed = seed
        self._shown: tuple[DrawnTableView, bool] | None = None
        self._picture: Image | None = None

    def camera(self, clock: Clock, changed: StateListener, tap: Tap | None = None) -> FrameSource:
        """Make the camera that looks at it, behind the same thread and mailbox as a real one."""
        life = LifePolicy(silence_ms=SILENCE_MS)
        config = CameraConfig(self._name, "rendered", fps=FPS, life=life)
        return Camera(config, clock, connect=lambda _: self, changed=changed, tap=tap)

    def grab(self) -> Image:
        """Return the present picture; called from the camera's thread."""
        shown = self._world.felt(), self._world.smeared
        if self._picture is None or shown != self._shown:
            view, smeared = self._shown = shown
            picture = render_frame(table_scene(view, self._seed), self._seed)
            self._picture = smeared_picture(picture) if smeared else picture
        return self._picture

    def close(self) -> None:
        """Do nothing: a drawn picture holds no device open."""
