"""The command `stand17`: sees that the program's packages are its own, then hands over to `controller.cli`.

Other distributions have packages called `controller`, `drivers` or `vision`, too. Where one of them comes
first, the program would end in an ImportError that nobody understands. Nothing of the program is imported
before that is known, so the sentence stands here and not in the catalogues.
"""

import os
import sys
from importlib.machinery import PathFinder
from typing import Final

PACKAGES: Final = ("controller", "drivers", "stand17", "vision")
ROOT: Final = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))  # noqa: PTH120 - loads less

SHADOWED: Final = (
    "stand17 cannot start: the package {name} of another program stands before its own, in {place}. "
    "Install stand17 with pipx, or in an environment of its own, and start it without PYTHONPATH.\n"
)


def shadowing() -> tuple[str, str] | None:
    """Find the first of our packages that would be another program's, and where that lies."""
    for name in PACKAGES:
        found = PathFinder.find_spec(name)
        places = list(found.submodule_search_locations or ()) if found is not None else []
        place = places[0] if places else str(found and found.origin)
        if os.path.realpath(place) != os.path.join(ROOT, name):  # noqa: PTH118 - as above
            return name, place
    return None


def main() -> None:
    """Run the command; exit status 2 with a sentence where it cannot be ours."""
    if (other := shadowing()) is not None:
        name, place = other
        sys.exit(_said(SHADOWED.format(name=name, place=place)))
    # Numpy reads it when it is imported. Its threads wait in turns that keep a core busy, and the reader's
    # matrices are small: a picture with a deck's profile took up to twice the processor's time with them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from controller.cli import main as command  # noqa: PLC0415 - only now it is known to be ours

    command()


def _said(sentence: str) -> int:
    sys.stderr.write(sentence)
    return 2
