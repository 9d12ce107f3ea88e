"""Whole rounds from pixels: what was played, drawn, read and followed.

    python -m tests.witnesses.drawn_rounds 12 nl de --seed 1 --times 2 --decks profiles --done FILE

plays so many rounds of each house, once with the camera alone and once with shoe and camera, on felts with
chips, print, shadows and arms, and writes a line of JSON a round; those that stand in FILE are not played
again. With `--decks FOLDER` the decks are those that were sealed once, each read with a profile that is made
from two pictures and kept in FOLDER; a deck that cannot be enrolled is read without.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, Final

from controller.acts.catalogue import CardSeen
from controller.devices.cameras.tracker import open_felt_camera
from controller.domain import TableError
from controller.feed.replay import Json
from controller.policy.holds import NOT_ARRIVED
from controller.witnesses.felt_view import DEALER_BOX
from tests.measures.sealed import OPENED, SEALED, style_of
from tests.vision.enrolment.deck_kit import spread
from tests.witnesses.drawn_felt import CARD_PX, DrawnFelt
from tests.witnesses.simulated_felt import USUAL
from tests.witnesses.simulated_round import SimulatedRound
from vision.enrolment import enrol, write_profile
from vision.reader import CardReader
from vision.synth import CASINO_STYLE, CardStyle

LAYOUT: Final = Path(__file__).resolve().parents[2] / "examples/layout.toml"


class DrawnRound(SimulatedRound):
    """A round whose felt is drawn: nothing else happens before the card in the dealer's hand lies."""

    def __init__(self, house: str, seed: int, felt: dict[str, Any], *, shoe: bool = False) -> None:
        """`felt` are the fields of the `DrawnFelt` beside its chance."""
        super().__init__(house, seed, USUAL, shoe=shoe)
        self.drawn = DrawnFelt(self.chance, **felt)
        self.felt = self.drawn  # type: ignore[assignment]  # the same face, in pixels
        self.found: dict[str | None, int] = {}

    def pass_time(self, ms: int) -> None:
        super().pass_time(ms + self.drawn.rests_ms - self.drawn.now_ms)

    def card_at(self, seen: CardSeen) -> int:
        """Of what has no track the first card of its box that no other one of the table's is."""
        others = (fact.obs for fact in self.state.log if isinstance(fact.obs, CardSeen))
        known = {super(DrawnRound, self).card_at(other) for other in others if other != seen}
        known |= {n for name, n in self.found.items() if name != seen.id}
        box = seen.box or DEALER_BOX
        left = [n for n, at in self.drawn.boxes.items() if at == box and n not in known and n in self.cards]
        self.found[seen.id] = super().card_at(seen) or next(iter(left), 0)
        return self.found[seen.id]

    def answer(self, hold: Json) -> None:
        """As any round; a card that is asked for while a hand still holds it lifts its own hold."""
        if hold["code"] == NOT_ARRIVED and self.drawn.coming is not None:
            self.asked.append(NOT_ARRIVED)
        else:
            super().answer(hold)


def profile(number: int, folder: Path, times: int) -> Path | None:
    """The profile of a sealed deck from two pictures as large as on the table; None where there is none."""
    made, refused = folder / f"{number}x{times}.profile", folder / f"{number}x{times}.refused"
    if refused.exists():
        return None
    if not made.exists():
        card_px = CARD_PX * times
        style = style_of(number, OPENED)
        pictures = [spread(style, seed, card_px).labelled(f"{seed}.png") for seed in range(2)]
        folder.mkdir(parents=True, exist_ok=True)
        try:
            write_profile(enrol(pictures, CardReader.open().networks), made)
        except TableError as error:
            refused.write_text(str(error))
            return None
    return made


def deck_of(seed: int, folder: Path | None, times: int) -> tuple[str, CardStyle, Path | None]:
    """Name, print and profile of the deck of a round: the demo's, or those that were sealed once in turn."""
    if folder is None:
        return "demo", CASINO_STYLE, None
    number = seed % len(SEALED)
    return SEALED[number].name, style_of(number, OPENED), profile(number, folder, times)


def played(house: str, seed: int, asked: argparse.Namespace, *, shoe: bool) -> dict[str, Any]:
    """What became of a round."""
    began = time.process_time()
    name, style, deck = deck_of(seed, asked.decks, asked.times)
    felt = {
        "camera": open_felt_camera(LAYOUT, deck),
        "style": style,
        "times": asked.times,
        "busy": asked.busy,
    }
    outcome = (run := DrawnRound(house, seed, felt, shoe=shoe)).play()
    return {
        "house": house,
        "seed": seed,
        "shoe": shoe,
        "deck": name,
        "profile": deck is not None,
        "verdict": outcome.verdict,
        "codes": outcome.codes,
        "asked": outcome.asked,
        "frames": len(run.looks),
        "cpu_s": round(time.process_time() - began, 1),
    }


def rounds(asked: argparse.Namespace) -> Iterator[tuple[str, int, bool]]:
    """The rounds that are not in the file of those that are done."""
    lines = asked.done.read_text().splitlines() if asked.done and asked.done.exists() else []
    known = {(line["house"], line["seed"], line["shoe"]) for line in map(json.loads, lines)}
    seeds = range(asked.seed, asked.seed + asked.rounds)
    witnesses = {"camera": [False], "both": [True]}.get(asked.witnesses, [False, True])
    yield from (one for one in product(asked.houses, seeds, witnesses) if one not in known)


def main() -> None:
    """Play what is asked."""
    parser = argparse.ArgumentParser()
    parser.add_argument("rounds", type=int)
    parser.add_argument("houses", nargs="+")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--decks", type=Path)
    parser.add_argument("--done", type=Path)
    parser.add_argument("--witnesses", choices=("camera", "both", "each"), default="each")
    parser.add_argument("--quiet", dest="busy", action="store_false", help="neither hands nor things")
    asked = parser.parse_args()
    for house, seed, shoe in rounds(asked):
        line = json.dumps(played(house, seed, asked, shoe=shoe)) + "\n"
        sys.stdout.write(line)
        sys.stdout.flush()
        if asked.done:
            with asked.done.open("a") as stream:
                stream.write(line)


if __name__ == "__main__":
    main()
