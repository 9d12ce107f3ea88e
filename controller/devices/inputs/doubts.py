"""What a small device says that cannot be taken at its word: lost lines, words that are not its own."""

from controller.ports import Trouble
from drivers.keys import KeysLost
from drivers.text_line import LineRefused, LinesLost


def doubt_of(name: str, event: object) -> Trouble | None:
    """A warning for the pit; None for a damaged line, which is only counted.

    The jump of the device's counter tells when a damaged line was more than noise.
    """
    params = (("name", name),)
    match event:
        case KeysLost():
            return Trouble("KEYS_LOST", params, hold=False)
        case LinesLost():
            return Trouble("INPUT_LINES_LOST", params, hold=False)
        case LineRefused(code) if code != "WORD":
            return None
    return Trouble("INPUT_NOT_UNDERSTOOD", params, hold=False)
