"""What cameras saw when the table held stays beside its alert until that is resolved, and no longer."""

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from sight_kit import StageCamera, at
from web_kit import Served

from controller.acts.catalogue import Bet, Close

CODE = "CAMERA_DISAGREES"


def held(served: Served) -> dict[str, Any]:
    (row,) = [row for row in served.state()["alerts"] if row["text"]["code"].endswith(CODE)]
    assert isinstance(row, dict)
    return row


def brightness(served: Served, path: str) -> float:
    picture = cv2.imdecode(np.frombuffer(served.get(path), np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    return float(np.max(picture))


def test_the_crop_of_the_moment_stays_while_the_felt_changes_and_goes_with_the_alert(tmp_path: Path) -> None:
    camera = StageCamera()
    with Served(tmp_path, camera=camera) as served:
        served.say(Bet(1, 0, 1000), Close())
        camera.lay(at(1, "8h"))
        served.deal("9h")
        served.until(lambda: any(hold.code == CODE for hold in served.now.holds))
        before = held(served)["held"]
        (crop,) = before["pictures"]
        assert crop["camera"] == "camera"
        assert (before["shoe"], brightness(served, crop["picture"]) > 80) == (None, True)
        jpeg = served.get(crop["picture"])
        camera.stage.lays = []
        served.until(lambda: not served.spots(1) or not any(one.in_sight for one in served.spots(1)))
        row = held(served)
        assert row["held"] == before, "a page that is loaded anew gets the same"
        assert served.get(crop["picture"]) == jpeg
        looked = {"obs": "resume", "codes": [CODE], "by": "S-02", "reason": "looked"}
        assert served.command({"do": "observe", "obs": looked}, actor="S-02", role="pit")[0] == 200
        # With the hold its alert is over.
        assert [row for row in served.state()["alerts"] if row["held"]] == []
        assert served.headers(crop["picture"])["content-length"] == "0", "nothing is kept of it"
        assert not list(tmp_path.rglob("*.jpg"))


def test_nothing_is_kept_of_the_dealers_cards_while_one_lies_face_down(tmp_path: Path) -> None:
    camera = StageCamera()
    with Served(tmp_path, camera=camera) as served:
        served.say(Bet(1, 0, 1000), Close())
        camera.lay(at(1, "8h"), at(0, "Ks"))
        served.deal("8h", "10s")
        served.until(lambda: any(hold.code == "CAMERA_DISAGREES_DEALER" for hold in served.now.holds))
        assert [row["held"] for row in served.state()["alerts"]] == [None]
        assert json.loads(served.get("/api/cameras"))
