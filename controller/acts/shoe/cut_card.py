"""`cut_card` of feed and journal."""

from typing import NamedTuple

from controller.acts.declaring import Declared
from controller.acts.permits import ALWAYS, Act, Row


@Declared("cut_card", {Act.CUT_CARD: Row(ALWAYS, ALWAYS, ALWAYS)}, timeless=True)
class CutCard(NamedTuple):
    """The cut card came out: shuffle before the next round."""
