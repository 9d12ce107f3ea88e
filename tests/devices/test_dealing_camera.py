"""A whole live table whose cards come from a network camera over the felt."""

import socket
import time
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import pytest

from controller.acts.catalogue import Bet, Close
from controller.journal.entry import body_of
from controller.recording.recording_reader import segments_in
from controller.witnesses import arrivals, joining
from tests.drivers.camera.camera_server import http_camera, jpeg, opening, part
from tests.main.live_kit import Live, play
from tests.replay.frames_kit import HEIGHT, LEFT, MM_A_PX, TOP, WIDTH, card, write_layout
from tests.replay.replay_kit import call, objects
from tests.runtime.runtime_kit import entries
from vision.synth import DrawnTableView, TableCard, TableHand, render_frame, table_scene

NOISE: Final = np.random.default_rng(17)
PAUSE_S: Final = 0.05
SILENCE_MS: Final = 15_000
"""A busy machine may need seconds for a picture; that is no fault of a camera."""


WHOLE: Final = (LEFT, TOP, WIDTH, HEIGHT)
NEAR: Final = (LEFT, TOP, 360, 620)
"""The part of the demo's picture in which box 3 lies: left, top, width, height."""

GROWN: Final = 1.5
"""The second camera has so many pixels for one of the first."""


class FeltFilm:
    """What a network camera over box 3 and the dealer shows at the moment, or over a part of it, enlarged."""

    def __init__(self, part: tuple[int, int, int, int] = WHOLE, grown: float = 1.0) -> None:
        self.hands: dict[tuple[int, int], list[TableCard]] = {}
        self.part, self.grown = part, grown
        self.show()

    def __call__(self, client: socket.socket) -> None:
        client.sendall(opening())
        while True:
            for picture in self.pictures:
                client.sendall(part(picture))
                time.sleep(PAUSE_S)

    def lay(self, box: int, laid: TableCard) -> None:
        self.hands.setdefault((box, 1), []).append(laid)
        self.show()

    def show(self) -> None:
        hands = tuple(TableHand(*place, tuple(cards)) for place, cards in self.hands.items())
        left, top, width, height = self.part
        whole = render_frame(table_scene(DrawnTableView(hands, (3,)), 5), 1)
        drawn = whole[top : top + height, left : left + width]
        if self.grown != 1.0:
            drawn = cv2.resize(drawn, None, fx=self.grown, fy=self.grown, interpolation=cv2.INTER_CUBIC)
        self.drawn = np.asarray(drawn, np.uint8)
        noises = [NOISE.integers(0, 3, drawn.shape, np.uint8) for _ in range(3)]
        self.pictures = [jpeg(np.asarray(cv2.add(drawn, noise), np.uint8)) for noise in noises]


def lying(live: Live) -> list[str]:
    """The cards of the boxes, and behind "|" those of the dealer."""
    boxes = [str(one.card) for box in live.now.state.boxes for hand in box.hands for one in hand.cards]
    return [*boxes, "|", *(str(one.card) for one in live.now.state.dealer.cards)]


def overhead(folder: Path, address: str) -> dict[str, Any]:
    return {
        "name": "overhead",
        "source": address,
        "width": WIDTH,
        "height": HEIGHT,
        "layout": write_layout(folder / "layout.toml"),
        "silence_ms": SILENCE_MS,
    }


def test_a_round_is_dealt_from_the_camera_alone_recorded_and_played_again(tmp_path: Path) -> None:
    film = FeltFilm()

    async def story(live: Live) -> None:
        await live.say(Bet(3, 0, 1000), Close())
        # One by one, as a dealer does: which of two cards of one picture came first nobody can know.
        film.lay(3, card("10h"))
        await live.until(lambda: lying(live) == ["10h", "|"])
        film.lay(0, card("9c"))
        await live.until(lambda: lying(live) == ["10h", "|", "9c"])
        film.lay(3, card("9d"))
        await live.until(lambda: lying(live) == ["10h", "9d", "|", "9c"])
        film.lay(0, card("Kc", face="down"))
        await live.until(lambda: lying(live) == ["10h", "9d", "|", "9c", "?"])
        film.hands[0, 1][1] = card("Kc")
        film.show()
        await live.until(lambda: live.now.state.settlement.result is not None)
        film.hands = {}
        film.show()
        await live.until(lambda: live.now.state.book.number == 2)
        assert live.holds == []

    with http_camera(film) as address:
        sections: dict[str, Any] = {"witnesses": {"source": "camera"}}
        play(tmp_path, story, None, camera=[overhead(tmp_path, address)], **sections)

    written = entries(tmp_path / "table.journal")
    (started,) = [body_of(entry) for entry in written if entry.kind == "started"]
    assert (started["witnesses"], started["degrade"]) == ("camera", "hold")
    seen = [entry for entry in written if entry.kind == "fact" and body_of(entry)["obs"] == "card"]
    assert {entry.actor for entry in seen} == {"device:overhead"}
    assert [body_of(entry)["what"] for entry in written if entry.kind == "inferred"] == ["stand"]
    (settled,) = [body_of(entry) for entry in written if entry.kind == "settled"]
    assert [bet["returned"] for bet in settled["bets"]] == [1000]
    (segment,) = segments_in(tmp_path / "table.recordings")
    replayed = call("replay", segment, "--json")
    assert (replayed[0], replayed[2]) == (0, "")
    (again,) = [line for line in objects(replayed) if line["type"] == "round" and line["round"] == 1]
    assert again["bets"] == settled["bets"]


def near_layout(path: Path) -> Path:
    """The layout of the camera that sees box 3 alone, enlarged."""
    text = write_layout(path).read_text(encoding="utf-8")
    mm = MM_A_PX / GROWN
    half_px = (1 / GROWN - 1) / 2
    corner = [(side + half_px) * MM_A_PX for side in NEAR[:2]]
    rows = f"[{mm}, 0.0, {corner[0]}], [0.0, {mm}, {corner[1]}], [0.0, 0.0, 1.0]]"
    before, after = text.index("homography = [") + 15, text.index("[cards]")
    dealer = text.index('[[zone]]\nkind = "dealer"')
    text = text[:before] + rows + "\n" + text[after:dealer] + text[text.index("[origin]") :]
    text = text.replace(f"width = {WIDTH}", f"width = {round(NEAR[2] * GROWN)}")
    path.write_text(
        text.replace(f"height = {HEIGHT}", f"height = {round(NEAR[3] * GROWN)}"), encoding="utf-8"
    )
    return path


@pytest.mark.night
def test_two_cameras_deal_a_round_together_each_its_own_box(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A busy machine may need seconds for three pictures of a card: that is no card that nobody can read,
    # nor one that the other camera alone has seen.
    monkeypatch.setattr(arrivals, "UNREAD_MS", 60_000)
    monkeypatch.setattr(joining, "ALONE_MS", 60_000)
    films = FeltFilm(), FeltFilm(NEAR, GROWN)

    def lay(box: int, *laid: TableCard) -> None:
        for film in films:
            film.hands[box, 1] = [*laid]
            film.show()

    async def story(live: Live) -> None:
        await live.say(Bet(3, 0, 1000), Close())
        lay(3, card("10h"))
        await live.until(lambda: lying(live) == ["10h", "|"])
        lay(0, card("9c"))
        await live.until(lambda: lying(live) == ["10h", "|", "9c"])
        lay(3, card("10h"), card("2d"))
        await live.until(lambda: lying(live) == ["10h", "2d", "|", "9c"])
        lay(0, card("9c"), card("7c", face="down"))
        await live.until(lambda: lying(live) == ["10h", "2d", "|", "9c", "?"])
        for film, drawn in zip(films, ("8s", "2s"), strict=True):
            film.lay(3, card(drawn))
        await live.until(lambda: "CAMERAS_DIFFER" in live.holds)

    with http_camera(films[0]) as first, http_camera(films[1]) as second:
        near = overhead(tmp_path, second) | {"name": "near", "layout": near_layout(tmp_path / "near.toml")}
        near |= {"width": round(NEAR[2] * GROWN), "height": round(NEAR[3] * GROWN)}
        sections: dict[str, Any] = {"witnesses": {"source": "camera", "camera": ["overhead", "near"]}}
        play(tmp_path, story, None, camera=[overhead(tmp_path, first), near], **sections)

    written = entries(tmp_path / "table.journal")
    seen = [(body_of(entry), entry.actor) for entry in written if entry.kind == "fact"]
    told = {(body.get("box", 0), actor) for body, actor in seen if body["obs"] == "card"}
    assert told == {(3, "device:near"), (0, "device:overhead")}
    (held,) = [
        body_of(entry)["params"]
        for entry in written
        if entry.kind == "held" and b"CAMERAS_DIFFER" in entry.body
    ]
    assert held == {"box": 3, "camera": "near", "seen": "2s", "beside": "overhead", "reads": "8s"}
    (segment,) = segments_in(tmp_path / "table.recordings")
    assert call("replay", segment, "--json")[0::2] == (0, "")
