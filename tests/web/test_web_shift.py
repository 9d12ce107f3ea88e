"""What the pit reads of the shift: payouts, figures, the audit trail."""

import json
from pathlib import Path
from typing import Any

from web_kit import Served

from controller.domain.observations import Bet, Close, Decision, Paid, Reveal
from controller.domain.table_events import DealerSeated


def pushes_and_wins(served: Served) -> None:
    """Box 1 pushes on 17, box 2 wins with 19 and box 3 loses with 16; the dealer has 17."""
    served.say(Bet(1, 0, 1000), Bet(2, 0, 1500), Bet(3, 0, 5000), Close())
    served.deal("10h", "10c", "10d", "9c", "7s", "9d", "6d", "8s")
    served.say(*(Decision(box, 1, "stand") for box in (1, 2, 3)), Reveal())


def asked(served: Served, path: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(served.get(path))
    return found


def test_payouts_are_listed_box_by_box_and_added_up(tmp_path: Path) -> None:
    with Served(tmp_path, enforced=True) as served:
        assert asked(served, "/api/payouts") == {"rows": [], "more": 0, "totals": []}
        served.say(DealerSeated("D-17", "in"))
        pushes_and_wins(served)
        served.say(Paid(1, 0, 1000), Paid(3, 0, 0), Paid(2, 0, 2500))
        ledger = asked(served, "/api/payouts")
        first, *others = ledger["rows"]
        told = {key: first[key] for key in ("round", "box", "expected", "paid", "difference", "how", "by")}
        assert told == {
            "round": 1,
            "box": 2,
            "expected": "30.00",
            "paid": "25.00",
            "difference": "-5.00",
            "how": "entered",
            "by": "kit",
        }
        assert [(row["box"], row["difference"], row["how"]) for row in others] == [
            (1, "0.00", "confirmed"),
            (3, "0.00", "confirmed"),
        ]
        totals = {(one["of"], one["name"]): one for one in ledger["totals"]}
        assert list(totals) == [("round", "1"), ("shoe", "1"), ("shift", ""), ("dealer", "D-17")]
        assert {(one["count"], one["wrong"], one["difference"]) for one in totals.values()} == {
            (3, 1, "-5.00")
        }
