"""The floor's page: tables at fixed places, the alerts of all in one column, answered there, and the wall."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Page, Route, expect
from web_kit import Served

from controller.acts.catalogue import Bet, Close, Decision, Reveal
from controller.web.parts import WebSettings
from tests.e2e.axe_kit import violations
from tests.e2e.fit_kit import WIDER, found_in_the_end
from tests.e2e.floors_kit import below_the_floors
from tests.e2e.sign_in_kit import Monitor
from tests.e2e.test_e2e_every_state import RECORDED
from tests.e2e.test_e2e_small_screens import keep_picture
from tests.e2e.test_e2e_sounds import LISTEN, heard

PLACES: Final = """() => [...document.querySelectorAll("[data-tile]")].map((tile) => {
  const at = tile.getBoundingClientRect();
  return [tile.dataset.tile, Math.round(at.left), Math.round(at.top)];
})"""
NEWS: Final = "**/api/tables/news*"
ALERT: Final = {
    "kind": "alert",
    "number": 7,
    "title": {"code": "fault_name.CAMERA_BUMPED", "params": {}},
    "money": None,
    "severity": "warning",
    "seen_by": "",
    "times": 1,
    "text": None,
    "ways": [],
}

Json = dict[str, Any]
MINUTE_US: Final = 60_000_000


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """A live table with its house's profile, beside one of which only the journal is here."""
    with Served(tmp_path, enforced=True, beside=(RECORDED,)) as running:
        yield running


def stops(served: Served) -> None:
    """The dealer draws on 17."""
    served.say(Bet(1, 0, 1000), Close())
    served.deal("10h", "6c", "9d", "10s")
    served.say(Decision(1, 1, "stand"), Reveal())
    served.deal("2d", "9h")


def as_floor_of(page: Page, change: Callable[[list[Json]], list[Json]]) -> None:
    """Have the page get other tiles than the server's own."""

    def answer(route: Route) -> None:
        # Asked for the first time each time: the answer has all tiles.
        response = route.fetch(url=route.request.url.partition("?")[0])
        news = response.json()
        tiles = change(news["tiles"])
        route.fulfill(json=news | {"tiles": tiles, "order": [tile["table"] for tile in tiles]})

    page.route(NEWS, answer)


def test_an_alert_is_answered_on_the_floor_while_its_tiles_stay(served: Served, monitor: Monitor) -> None:
    stops(served)
    pit = monitor(served, path="/pit/floor")
    expect(pit.locator("[data-tile]")).to_have_count(2)
    # One row of places, and no money of one table in it.
    assert pit.locator("nav").count() == 1
    expect(pit.locator("[data-floor-sum]")).to_contain_text("Win, shift")
    before = pit.evaluate(PLACES)
    recorded = next(name for name, _, _ in before if name != "BJ 04")
    stop = pit.locator("[data-hold='DEALER_DREW_ON_17']")
    expect(stop.locator(".alert-name")).to_have_text("BJ 04 \N{MIDDLE DOT} Dealer drew on 17")
    expect(stop.locator(".age")).to_be_visible()
    expect(pit.locator("[data-tile='BJ 04']")).to_contain_class("tile tone-stop whole")
    # Another table is looked at: its rulings stand in the middle, its acts are on no key.
    pit.locator(f"[data-tile='{recorded}']").click()
    expect(pit.locator(".live header b").first).to_have_text(recorded)
    expect(pit.locator("[data-key='FREEZE']")).to_have_count(0)
    other = pit.locator("[data-of='BJ 04']")
    expect(other).to_contain_text("BJ 04 \N{MIDDLE DOT} Dealer drew on 17")
    assert violations(pit) == []
    keep_picture(pit, "floor.other")
    assert pit.evaluate(PLACES) == before
    # Three taps from there: the answer, which goes to the alert's table, the reason, the signature.
    other.locator("[data-way='burn']").click()
    expect(stop.locator("[data-way='burn']")).to_have_attribute("aria-pressed", "true")
    assert "way=" not in pit.url, "the page opened again asks nothing"
    stop.locator("[data-reason='DEALER_ERROR']").click()
    stop.locator("[data-key='APPLY']").click()
    expect(pit.locator(".alert.stop")).to_have_count(0)
    assert served.now.holds == ()
    expect(pit.locator("[data-answered]").first).to_contain_text("BJ 04 \N{MIDDLE DOT} Dealer drew on 17")
    expect(pit.locator("[data-answered]").first).to_contain_text("answered in 0:")
    assert pit.evaluate(PLACES) == before
    assert violations(pit) == []


def test_a_warning_of_another_table_is_seen_in_one_tap_and_resolved_in_three(
    served: Served, monitor: Monitor
) -> None:
    served.say(Bet(1, 0, 1000), Close())
    assert served.observe("bet", box=2, seat=0, stake=1500)[1]["code"] == "refused.BETS_CLOSED"
    pit = monitor(served, path="/pit/floor")
    expect(pit.locator("[data-tile]")).to_have_count(2)
    tables: list[str] = pit.locator("[data-tile]").evaluate_all("all => all.map((one) => one.dataset.tile)")
    pit.locator(f"[data-tile='{next(name for name in tables if name != 'BJ 04')}']").click()
    late = pit.locator("[data-of='BJ 04']")
    expect(late).to_contain_text("BJ 04 \N{MIDDLE DOT} ")
    chosen = pit.url
    late.locator("[data-step='ack']").click()
    # Who and how soon stands in its place; the page has not left the table that it shows.
    expect(late).to_contain_text("seen, S-02 \N{MIDDLE DOT} answered in 0:")
    assert [alert.status for alert in served.now.alerts] == ["acked"]
    assert pit.url == chosen
    assert violations(pit) == []
    keep_picture(pit, "floor.seen")
    late.locator("[data-step='ask']").click()
    own = pit.locator("[data-alert]")
    expect(own).to_contain_text("answered in 0:")
    own.locator("[data-reason='CHECKED']").click()
    own.locator("[data-step='resolve']").click()
    expect(pit.locator("[data-answered]").first).to_contain_text("answered in 0:")
    assert served.now.alerts == ()


def test_a_critical_alert_is_heard_again_until_it_is_answered(served: Served, monitor: Monitor) -> None:
    pit = monitor(served, path="/pit/floor")
    expect(pit.locator("[data-tile]")).to_have_count(2)
    pit.evaluate(LISTEN)
    # A browser plays nothing before its page was touched.
    pit.locator("[data-tile='BJ 04']").click()
    stops(served)
    heard(pit, 880, 660)
    heard(pit, 880, 660)


def test_a_table_that_goes_down_keeps_its_place(served: Served, monitor: Monitor) -> None:
    pit = monitor(served, path="/pit/floor")
    expect(pit.locator("[data-tile]")).to_have_count(2)
    before = pit.evaluate(PLACES)
    away = {"code": "alert.TABLE_AWAY", "params": {}}
    as_floor_of(pit, lambda tiles: [tiles[0] | {"away": True, "tone": "stop", "line": away}, *tiles[1:]])
    expect(pit.locator(".tile.away")).to_have_count(1)
    assert pit.evaluate(PLACES) == before


def test_a_place_stays_free_for_its_table_and_a_break_that_is_due_is_said(
    tmp_path_factory: pytest.TempPathFactory, monitor: Monitor
) -> None:
    places = WebSettings(places=("BJ 09", "BJ 04", ""))
    with Served(
        tmp_path_factory.mktemp("floor"), enforced=True, beside=(RECORDED,), settings=places
    ) as served:
        pit = monitor(served, path="/pit/floor")
        expect(pit.locator(".tiles > *")).to_have_count(4)
        named = pit.locator(".tiles > *").evaluate_all(
            "all => all.map((one) => one.dataset.place ?? one.dataset.tile)"
        )
        assert named[:3] == ["BJ 09", "BJ 04", ""]
        as_floor_of(pit, due)
        expect(pit.locator("[data-tile='BJ 04'] .tile-foot")).to_contain_text("break due, sits 6")
        expect(pit.locator(".dealers h2")).to_contain_text(" break due")
        assert violations(pit) == []


def due(tiles: list[Json]) -> list[Json]:
    """The dealer of the live table came 65 minutes ago, and the house lets a dealer go on for an hour."""
    return [
        tile
        | {
            "dealing_since_utc_us": tile["at_utc_us"] - 65 * MINUTE_US,
            "break_at_utc_us": tile["at_utc_us"] - 5 * MINUTE_US,
        }
        if tile["table"] == "BJ 04"
        else tile
        for tile in tiles
    ]


def twelve(tiles: list[Json]) -> list[Json]:
    """As many tables, each with an alert but the last."""
    live = next(tile for tile in tiles if tile["table"] == "BJ 04")
    since_us = live["at_utc_us"]
    return [
        live
        | {
            "table": f"BJ {number:02}",
            "waits": [ALERT | {"since_utc_us": since_us}] if number < 12 else [],
            "alerts": 1,
        }
        for number in range(1, 13)
    ]


def test_twelve_tables_and_their_alerts_are_in_sight_on_a_small_screen(
    served: Served, monitor: Monitor
) -> None:
    pit = monitor(served, path="/pit/floor")
    as_floor_of(pit, twelve)
    expect(pit.locator("[data-tile]")).to_have_count(12)
    expect(pit.locator("[data-waits]")).to_have_count(10)
    for width, height in ((1280, 800), (1920, 1080)):
        pit.set_viewport_size({"width": width, "height": height})
        for shown in (*pit.locator("[data-tile]").all(), *pit.locator("[data-waits]").all()):
            expect(shown).to_be_in_viewport(ratio=1)
        keep_picture(pit, f"floor.twelve.{width}")
    assert violations(pit) == []
    for width, height in ((1920, 1080), (1280, 800), (1024, 768), (390, 844)):
        pit.set_viewport_size({"width": width, "height": height})
        assert below_the_floors(pit, "textpath", "DISCARD", "SHOE") == [], width
        assert found_in_the_end(pit, WIDER) == [], width
        keep_picture(pit, f"floor.floors.{width}")


def test_the_strip_of_a_tablet_shows_the_chosen_table_and_leaves_room_for_the_message(
    served: Served, monitor: Monitor
) -> None:
    pit = monitor(served)
    as_floor_of(pit, lambda tiles: sorted(twelve(tiles), key=lambda tile: str(tile["table"]) == "BJ 04"))
    expect(pit.locator("[data-tile]")).to_have_count(12)
    for width, height in ((1500, 900), (1366, 768), (1280, 800), (1024, 768)):
        pit.set_viewport_size({"width": width, "height": height})
        pit.reload()
        expect(pit.locator("[data-tile='BJ 04']")).to_be_in_viewport(ratio=1)
        expect(pit.locator(".message-line input")).to_be_in_viewport(ratio=1)
        foot, bar = pit.locator(".message-line").bounding_box(), pit.locator(".sheet-bar").bounding_box()
        assert foot is not None
        assert bar is not None
        assert foot["y"] + foot["height"] <= bar["y"], (width, "the bar lies over the message")
        keep_picture(pit, f"pit.strip.{width}")


def test_the_wall_has_no_keys_and_escape_ends_it(served: Served, monitor: Monitor) -> None:
    stops(served)
    pit = monitor(served, path="/pit/floor")
    expect(pit.locator("[data-tile]")).to_have_count(2)
    pit.keyboard.press("w")
    expect(pit.locator(".wall [data-tile]")).to_have_count(2)
    assert pit.url.endswith("/floor?wall=1")
    assert pit.locator("button, a, input, select").count() == 0
    expect(pit.locator(".wall .tone-stop em").first).to_contain_text("Dealer drew on 17")
    assert violations(pit) == []
    pit.keyboard.press("Escape")
    expect(pit.locator(".alerts-box")).to_be_visible()
