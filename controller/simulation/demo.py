"""The demo's parts: a shoe on a pseudo-terminal, a drawn camera, guests, and the real table around them."""

import asyncio
import json
from pathlib import Path
from typing import Final, NamedTuple

from controller.config import TableConfig
from controller.config.people import BY_ONE
from controller.devices.camera_setup import CameraSetup, StateListener
from controller.devices.card_source import CardSourceFactory
from controller.domain.errors import ConfigError, TableError
from controller.journal.entry import Entry
from controller.journal.store import JournalReader
from controller.ports import Clock, FrameSource, Tap
from controller.runtime.api import Autoplay, Command
from controller.runtime.table import Table
from controller.simulation.mouth import FPS as FPS_MOUTH
from controller.simulation.mouth import MouthShoe, cards_from, cut_rgb
from controller.simulation.play import MOUTH, PlayPace, SimulatedPeople
from controller.simulation.world import World
from drivers.camera import Camera, CameraConfig
from drivers.camera.config import Image
from drivers.lifecycle import LifePolicy
from drivers.simulated import PtyShoe
from vision.synth import TableView, hand_at, render_frame, table_scene

FPS: Final = 10.0
READ_EVERY_MS: Final = 300
SETTLE_MS: Final = 150
"""Drawn cards are cleared at once; only a picture that is being drawn may still show them."""

SILENCE_MS: Final = 15_000
"""A busy machine may need seconds for its first picture; that is no fault of a camera."""

SEED: Final = 17


# The simulated shoe deals faster than hands do, and its key draws a card for which nobody told a hit.
DRAWN_UNTOLD: Final = {"card_gap_ms": 0, "ask_hit_from": 0}


class DemoPlan(NamedTuple):
    """What the demo was asked for; `seed` None takes that of the folder, or the usual one."""

    folder: Path
    seed: int | None
    port: int
    speed: float
    rules: str
    rounds: int
    manual: bool
    mouth: bool = False
    """Whether a camera at the shoe's mouth sees the cards, and no shoe reads them."""


class Demo:
    """The simulated world of a demo, as the parts that a table is set up with. Close it at the end."""

    def __init__(self, plan: DemoPlan) -> None:
        """Make the folder, the shoe and the felt; nothing runs yet.

        Raises `ConfigError` as `open_folder` does, and for rules that are not there.
        """
        self._plan = plan
        self._seed = open_folder(plan.folder, plan.seed)
        self._shoe: PtyShoe | MouthShoe = MouthShoe(self._seed) if plan.mouth else PtyShoe()
        self._world = World(self._shoe, self._seed)
        journal = plan.folder / "demo.journal"
        self._loaded_in = round_of_shoe(journal)
        self.config = demo_config(plan, journal, self._shoe.port if isinstance(self._shoe, PtyShoe) else None)
        drawn = DrawnPictures(self._world, self._seed)
        self.cameras = (CameraSetup(self.config.table_cameras[0], drawn.camera, box_at),)

    @property
    def cards(self) -> CardSourceFactory | None:
        """What builds the source of cards; None where the configured shoe is one."""
        section = self.config.shoe_mouth
        if isinstance(self._shoe, MouthShoe) and section is not None:
            return cards_from(self._shoe, section)
        return None

    def draw(self) -> None:
        """Let a card leave the shoe, as the page asks for: the cut card where that lies before it.

        Raises `TableError` NO_SHOE before the first shoe is in place.
        """
        if not self._world.has_shoe:
            raise TableError("NO_SHOE")
        if self._world.cut_card_due:
            self._world.deal_cut_card()
        else:
            self._world.deal()

    async def people(self, table: Table, stop: asyncio.Event) -> None:
        """Let the simulated people play at the running table; sets `stop` when the rounds are done."""
        plan, world, loaded_in = self._plan, self._world, self._loaded_in
        state = table.hub.latest().state
        if loaded_in is not None:
            world.resume(loaded_in if not state.book.rules.shuffled_each_round else state.book.number, state)
        if plan.manual:
            await table.submit(Command("", "simulation", "system", None, Autoplay(on=False)))
        await SimulatedPeople(table, world, PlayPace(plan.speed, plan.rounds), self._seed).play(stop)

    def close(self) -> None:
        """Close the shoe's line."""
        self._shoe.close()


def demo_config(plan: DemoPlan, journal: Path, shoe_port: str | None) -> TableConfig:
    """Write the configuration that a real table would have in a file.

    Without a shoe's port a camera at its mouth sees the cards.
    """
    above = {
        "source": "rendered",
        "boxes": [],
        "dealer": {"x": 0, "y": 0, "radius": 1},
        "settle_ms": SETTLE_MS,
        "read_every_ms": READ_EVERY_MS,
    }
    cards = {"shoe": {"port": shoe_port}, "camera": [above]}
    if shoe_port is None:
        cards = {"camera": [above, mouth_settings()]}
    return TableConfig.model_validate(
        {
            "table": {"name": "DEMO", "rules": plan.rules, "options": DRAWN_UNTOLD, "second_person": BY_ONE},
            "journal": {"file": journal, "slow_ms": 5000},
            "web": {"port": plan.port},
            **cards,
        }
    )


def mouth_settings() -> dict[str, object]:
    """Configure the camera at the simulated shoe's mouth; its pictures are as late as the machine is busy."""
    return {
        "name": MOUTH,
        "profile": "shoe_mouth",
        "source": "rendered",
        "fps": FPS_MOUTH,
        "silence_ms": SILENCE_MS,
        "gap_ms": 5000,
        "cut_rgb": cut_rgb(),
    }


def open_folder(folder: Path, seed: int | None) -> int:
    """Make the folder of a kept demo and find its seed.

    Raises `ConfigError` DEMO_FOLDER where it cannot be made or written, and as `kept_seed` does.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return kept_seed(folder, seed)
    except OSError as error:
        raise ConfigError("DEMO_FOLDER", path=str(folder), reason=error.strerror or str(error)) from error


def kept_seed(folder: Path, given: int | None) -> int:
    """Find the seed of a folder, or write the given one down.

    Raises `ConfigError` DEMO_SEED when the folder was begun with another: its shoe would change its cards.
    """
    file = folder / "demo.seed"
    if not file.exists():
        seed = SEED if given is None else given
        # Whoever has the seed knows every card of the shoe.
        file.touch(mode=0o600)
        file.write_text(f"{seed}\n", encoding="ascii")
        return seed
    kept = int(file.read_text(encoding="ascii"))
    if given not in (None, kept):
        raise ConfigError("DEMO_SEED", path=str(folder), kept=kept, given=str(given))
    return kept


def round_of_shoe(journal: Path) -> int | None:
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


def box_at(at: tuple[float, float]) -> int | None:
    """Find the box by the demo's own layout."""
    place = hand_at(*at)
    return None if place is None else place[0]


class DrawnPictures:
    """Pictures of what lies on the felt, drawn anew only when it has changed; a `Grabber` of the camera."""

    paced = False
    finite = False
    watched = False

    def __init__(self, world: World, seed: int) -> None:
        """Begin without a picture."""
        self._world = world
        self._seed = seed
        self._shown: TableView | None = None
        self._picture: Image | None = None

    def camera(self, clock: Clock, changed: StateListener, tap: Tap | None = None) -> FrameSource:
        """Make the camera that looks at it, behind the same thread and mailbox as a real one."""
        life = LifePolicy(silence_ms=SILENCE_MS)
        config = CameraConfig("camera", "rendered", fps=FPS, life=life)
        return Camera(config, clock, connect=lambda _: self, changed=changed, tap=tap)

    def grab(self) -> Image:
        """Return the present picture; called from the camera's thread."""
        view = self._world.felt()
        if self._picture is None or view != self._shown:
            self._shown = view
            self._picture = render_frame(table_scene(view, self._seed), self._seed)
        return self._picture

    def close(self) -> None:
        """Do nothing: a drawn picture holds no device open."""
