"""A shoe that sends pictures: firmware on a line, real driver, the table's own model, a live table."""

import sys
from importlib import import_module
from pathlib import Path

import numpy as np

from controller.domain.observations import Bet, Close
from tests.drivers.shoe.open_shoe.test_firmware import FIRMWARE, MODULES, on_a_line
from tests.main.live_kit import Live, play
from tests.vision.shoe_mouth.mouth_kit import WIDTH, mouth_picture, smeared
from vision.geometry.arrays import Image


def test_pictures_become_cards_and_a_smeared_one_is_asked_for(tmp_path: Path) -> None:
    sys.path.insert(0, str(FIRMWARE))
    try:
        firmware = {name: import_module(name) for name in MODULES}
    finally:
        sys.path.remove(str(FIRMWARE))
        for name in MODULES:
            sys.modules.pop(name, None)
    pictures = {rank: mouth_picture(rank, "s") for rank in ("K", "7")}

    with on_a_line(firmware) as device:

        async def draw(live: Live, picture: Image) -> None:
            before = live.now.state.shoe.seen
            device.draw(np.ascontiguousarray(picture).tobytes(), WIDTH)
            await live.until(lambda: live.now.state.shoe.seen == before + 1, 20)

        async def story(live: Live) -> None:
            await live.say(Bet(1, 0, 1000), Close())
            await draw(live, pictures["K"])
            await draw(live, pictures["7"])
            assert live.now.state.boxes[0].hands[0].cards[0].obs.rank == "K"
            assert live.now.state.dealer.cards[0].obs.rank == "7"
            assert live.holds == []
            await draw(live, smeared(pictures["K"], 15))
            assert live.now.state.boxes[0].hands[0].cards[1].obs.rank is None
            await draw(live, pictures["7"])
            assert live.now.expected.code == "WHICH_CARD"

        play(tmp_path, story, {"port": device.line.port, "protocol": "open", "baud": 115200, "certain": 0.95})
