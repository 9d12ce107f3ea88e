"""Where the tester's screen leads in a file without a truth file, and what the machine takes for it."""

from pathlib import Path
from random import Random
from statistics import quantiles
from time import perf_counter
from typing import Final, NamedTuple

from controller.replay.files.table_file import open_told
from controller.replay.rounds.other_rules import compare_under
from controller.replay.rounds.what_if import OtherPlay
from controller.studio.step_view import step_view
from controller.studio.studio_file import StudioFile

SEEKS: Final = 400
CONCLUDED: Final = "studio.inferred"


class Hunted(NamedTuple):
    """What one file led to.

    `place` is the entry of the list, from 1, that says what is wrong in the round, 0 where none does. What
    the table concluded by itself says nothing of a fault. `presses`: how often a tester presses N to come
    there, a step that several entries name counts once. `of` is the list's length; `text` the key of what is
    said there. `open_s` is until the file is played, `list_s` until its time line and list are written for
    the page.
    """

    place: int
    presses: int
    of: int
    text: str
    steps: int
    open_s: float
    list_s: float
    seek_p95_ms: float
    step_p95_ms: float


def hunt(path: Path, round_number: int) -> Hunted:
    """Open a file as the screen does, and look where its list leads to this round."""
    begun = perf_counter()
    file = StudioFile(open_told(str(path)), at_table=True)
    opened = perf_counter()
    view = file.view(path.name)
    view.model_dump_json()
    listed = perf_counter()
    place = next(
        (
            number
            for number, one in enumerate(view.findings, 1)
            if one.round == round_number and one.text.code != CONCLUDED
        ),
        0,
    )
    text = view.findings[place - 1].text.code if place else ""
    random = Random(1)
    seeks = [random.randrange(len(file.steps)) for _ in range(SEEKS)]
    first = seeks[0]
    return Hunted(
        place=place,
        presses=len({one.step for one in view.findings[:place]}),
        of=len(view.findings),
        text=text,
        steps=len(file.steps),
        open_s=round(opened - begun, 2),
        list_s=round(listed - opened, 2),
        seek_p95_ms=_p95_ms(file, seeks),
        step_p95_ms=_p95_ms(file, [(first + one) % len(file.steps) for one in range(SEEKS)]),
    )


def differences_under(path: Path, house: str) -> tuple[int, float]:
    """How much differs where a file is played by a house's own rules, and the seconds that it took."""
    told = open_told(str(path))
    file = StudioFile(told, at_table=True)
    begun = perf_counter()
    other = OtherPlay(house).of(told)
    found = compare_under(told, tuple(file.rounds.values()), other, at_table=True).differences
    return len(found), round(perf_counter() - begun, 2)


def _p95_ms(file: StudioFile, steps: list[int]) -> float:
    """Each step drawn up and written as the page gets it."""
    took = []
    for at in steps:
        begun = perf_counter()
        step_view(file.told, file.steps[at], at).model_dump_json()
        took.append((perf_counter() - begun) * 1000)
    return round(quantiles(took, n=20)[-1], 2)
