"""Two days of a table under the one file name of its configuration, held against the heads kept elsewhere."""

import json
from pathlib import Path

from controller.journal.head_file import Head, TableKey
from controller.journal.heads import HeadSigner, heads_path
from drivers.simulated import PtyShoe
from tests.main.live_kit import Live, play
from tests.main.test_heads_witness import verified
from tests.main.test_signing import one_round


def test_each_of_two_days_under_one_file_name_fits_what_was_kept_of_it(tmp_path: Path) -> None:
    kept, days = tmp_path / "kept", ("thursday", "friday", "saturday")
    kept.mkdir()
    shoe = PtyShoe()

    async def story(live: Live) -> None:
        await one_round(live)

    try:
        for day in days:
            play(tmp_path, story, {"port": shoe.port}, signing={"keep_folder": str(kept)})
            (tmp_path / day).mkdir()
            for file in tmp_path.glob("table.journal*"):
                file.rename(tmp_path / day / file.name)
    finally:
        shoe.close()
    heads, key = kept / "table.journal.signed", TableKey.load(tmp_path / "table.key").public
    for day in days:
        status, signed = verified(tmp_path / day / "table.journal", "--key", key, "--kept", heads)
        assert (status, signed["fault"], signed["kept"]) == (0, None, 3), day
    # A head that is missing beside its own day is still found, and so is a second history of its hours.
    thursday = tmp_path / "thursday" / "table.journal"
    cut, given = heads_path(thursday), ("--key", key, "--kept", heads)
    whole = cut.read_bytes()
    cut.write_bytes(b"".join(whole.splitlines(keepends=True)[:-1]))
    assert verified(thursday, *given)[1]["fault"] == {"code": "KEPT_DIFFERS", "line": 3, "seq": 0}
    cut.write_bytes(whole)
    (tmp_path / "anew").mkdir()
    signer = HeadSigner(tmp_path / "anew" / "table.journal", "BJ1", TableKey.load(tmp_path / "table.key"))
    hour_us = json.loads(whole.splitlines()[1])["at_utc_us"]
    with heads.open("a") as kept_heads:
        kept_heads.write(signer.sign(Head(1, bytes(32)), 1, hour_us, "start").line(with_nonce=False))
    assert verified(thursday, *given)[1]["fault"] == {"code": "TWO_HISTORIES", "line": 10, "seq": 0}
    assert verified(tmp_path / "friday" / "table.journal", *given)[0] == 0
