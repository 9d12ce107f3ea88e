"""The configuration file: the shipped example works, and every mistake is named by its field."""

from pathlib import Path

import pytest

from controller.config import RETIRED, RetiredSetting, load_config
from controller.devices.cameras.setup import zones_of
from controller.domain import ConfigError
from controller.i18n import LANGUAGES, catalogue
from controller.main.doctor import check_settings
from controller.rules import load_rules
from controller.screens.felt import chip_kinds

EXAMPLE = Path(__file__).parents[2] / "examples" / "table.toml"

SMALL = """
[table]
name = "BJ1"
rules = "nl"
[journal]
file = "day.journal"
[shoe]
port = "/dev/shoe"
"""


def test_the_shipped_example_describes_a_whole_table() -> None:
    config = load_config(EXAMPLE)
    assert load_rules(config.table.rules, config.table.rule_overrides, EXAMPLE.parent).boxes == 7
    assert config.journal.undated == EXAMPLE.parent / "BJ1.journal"
    (camera,) = config.camera
    box_at = zones_of(camera)
    assert [box_at((zone.x, zone.y)) for zone in camera.boxes] == [1, 2, 3, 4, 5, 6, 7]
    assert camera.dealer is not None
    assert box_at((camera.dealer.x, camera.dealer.y)) == 0
    assert box_at((5, 5)) is None


def test_a_small_file_is_enough_and_its_paths_are_relative_to_it(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(SMALL + '[models]\nfolder = "models"\n', encoding="utf-8")
    config = load_config(path)
    assert config.journal.file == tmp_path / "day.journal"
    assert config.models.folder == tmp_path / "models"
    assert config.camera == ()
    assert len(chip_kinds(config.table.chips_minor)) > 3


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (("[shoe]", "[shoe]\nbuad = 9600"), "shoe.buad"),
        (('rules = "nl"', ""), "table.rules"),
        (('name = "BJ1"', 'name = ""'), "table.name"),
        (("[shoe]", '[shoe]\nbcc = "sometimes"'), "shoe.bcc"),
        (("[shoe]", "[web]\nport = 70000\n[shoe]"), "web.port"),
        (("[shoe]", '[shoe]\nname = "camera"'), "file"),
        (("[table]\nname", "retired = []\n[table]\nname"), "retired"),
    ],
)
def test_a_mistake_is_named_by_its_field(tmp_path: Path, change: tuple[str, str], field: str) -> None:
    path = tmp_path / "table.toml"
    camera = '[camera]\nsource = "0"\nboxes = []\ndealer = {x = 0, y = 0, radius = 1}\n'
    path.write_text(SMALL.replace(*change) + camera, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert caught.value.code == "CONFIG_WRONG"
    assert caught.value.params["field"] == field


RETIRED_SECTIONS = """
[[notify]]
urls = ["ntfys://user:secret@ntfy.example/pit"]
[telemetry]
endpoint = "http://127.0.0.1:4318/v1/traces"
"""


def test_a_file_with_retired_settings_opens_and_names_what_replaces_them(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(SMALL + RETIRED_SECTIONS, encoding="utf-8")
    config = load_config(path)
    assert config.retired == ("RETIRED_NOTIFY", "RETIRED_TELEMETRY")
    advice = list(check_settings(config))
    assert [one.code for one in advice] == list(config.retired)
    for one in advice:
        assert {"[on_alert]", "/metrics"} & set(one.words("en").replace(".", " ").split())
        assert len({one.words(language) for language in LANGUAGES}) == len(LANGUAGES)
    assert load_config(EXAMPLE).retired == ()


@pytest.mark.parametrize("value", ["true", "false"])
def test_a_retired_setting_that_guards_evidence_is_refused_and_never_dropped(
    tmp_path: Path, value: str
) -> None:
    path = tmp_path / "table.toml"
    path.write_text(SMALL + f"[signing]\nkeep_syslog = {value}\n", encoding="utf-8")
    if value == "false":
        assert load_config(path).retired == ()
        return
    with pytest.raises(ConfigError) as refused:
        load_config(path)
    assert (refused.value.code, refused.value.params) == ("RETIRED_KEEP_SYSLOG", {"path": str(path)})
    assert "keep_url" in catalogue("en")["error.RETIRED_KEEP_SYSLOG"]


@pytest.mark.parametrize("setting", RETIRED)
def test_each_retired_setting_has_a_sentence(setting: RetiredSetting) -> None:
    assert f"{'error' if setting.refused else 'doctor'}.{setting.code}" in catalogue("en")


@pytest.mark.parametrize("folder", [".", "../{name}"])
def test_heads_are_not_kept_over_the_tables_own(tmp_path: Path, folder: str) -> None:
    path = tmp_path / "table.toml"
    kept = folder.format(name=tmp_path.name)
    path.write_text(SMALL + f'[signing]\nkeep_folder = "{kept}"\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="CONFIG_KEPT_BESIDE"):
        load_config(path)


def test_a_file_that_is_no_toml_and_one_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert caught.value.code == "CONFIG_MISSING"
    path.write_text("[table", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert caught.value.code == "CONFIG_NOT_TOML"


@pytest.mark.parametrize(
    ("sections", "field"),
    [
        ('[[keypad]]\nport = "a"\n[[keypad]]\nport = "b"\n', "file"),
        ('[peek]\nname = "shoe"\nport = "a"\n', "file"),
        ('[[keypad]]\nport = "a"\nkeys = { 78 = "jump" }\n', "keypad.0.keys.78"),
        ('[[keypad]]\nport = "a"\nkeys = { plus = "hit" }\n', "keypad.0.keys.plus.[key]"),
        ("[peek]\nbaud = 9600\n", "peek.port"),
    ],
)
def test_a_mistake_in_a_small_device_is_named_by_its_field(tmp_path: Path, sections: str, field: str) -> None:
    path = tmp_path / "table.toml"
    path.write_text(SMALL + sections, encoding="utf-8")
    with pytest.raises(ConfigError) as refusal:
        load_config(path)
    assert (refusal.value.code, refusal.value.params["field"]) == ("CONFIG_WRONG", field)


def test_several_keypads_and_what_their_keys_mean_are_read(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    pedal = '[[keypad]]\nname = "pedal"\nport = "b"\nkind = "serial"\nrequired = true\n'
    path.write_text(SMALL + '[[keypad]]\nport = "a"\nkeys = { 48 = "freeze" }\n' + pedal, encoding="utf-8")
    first, second = load_config(path).keypad
    assert (first.name, first.kind, first.keys, first.required) == ("keypad", "input", {48: "freeze"}, False)
    assert (second.name, second.kind, second.baud, second.required) == ("pedal", "serial", 9600, True)


LAID_OUT = '[[camera]]\nname = "overhead"\nsource = "0"\nlayout = "felt.toml"\n'
NO_SHOE = ('[shoe]\nport = "/dev/shoe"\n', "")


@pytest.mark.parametrize(
    ("change", "added", "reason"),
    [
        (NO_SHOE, LAID_OUT + '[witnesses]\nsource = "camera"\n', ""),
        (("", ""), LAID_OUT + '[witnesses]\nsource = "both"\ndegrade = "shoe_only"\n', ""),
        (("", ""), LAID_OUT + '[witnesses]\nsource = "camera"\n', "needs no shoe"),
        (NO_SHOE, LAID_OUT + '[witnesses]\nsource = "both"\n', "CONFIG_NO_CARDS"),
        (("", ""), '[witnesses]\nsource = "both"\n', "over the table: none"),
        (("", ""), LAID_OUT + '[witnesses]\nsource = "both"\ncamera = "other"\n', "over the table: overhead"),
        (("", ""), LAID_OUT + 'required = false\n[witnesses]\nsource = "both"\n', "leave required out"),
        (
            ("", ""),
            LAID_OUT.replace('layout = "felt.toml"', "dealer = {x = 0, y = 0, radius = 1}")
            + '[witnesses]\nsource = "both"\n',
            "with a layout",
        ),
        (NO_SHOE, LAID_OUT + '[witnesses]\nsource = "camera"\ndegrade = "camera_only"\n', "needs witnesses"),
        (("", ""), '[witnesses]\ndegrade = "shoe_only"\n', "needs witnesses"),
        (("", ""), '[witnesses]\ndegrade_by = "dealer"\n', "to go on with"),
    ],
)
def test_a_camera_deals_only_where_it_can(
    tmp_path: Path, change: tuple[str, str], added: str, reason: str
) -> None:
    path = tmp_path / "table.toml"
    path.write_text(SMALL.replace(*change) + added, encoding="utf-8")
    if not reason:
        config = load_config(path)
        assert [one.name for one in config.dealing_cameras] == ["overhead"]
        assert config.has_shoe == (change != NO_SHOE)
        return
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert reason in str(caught.value.params.get("reason", caught.value.code))


SECOND = LAID_OUT.replace("overhead", "near")


@pytest.mark.parametrize(
    ("named", "dealing"),
    [
        ('["near", "overhead"]', ["near", "overhead"]),
        ('"near"', ["near"]),
        ('["near"]', ["near"]),
        ('["near", "near"]', None),
        ('["near", "far"]', None),
        ("[]", None),
        ('""', None),
    ],
)
def test_several_cameras_deal_where_they_are_named(
    tmp_path: Path, named: str, dealing: list[str] | None
) -> None:
    path = tmp_path / "table.toml"
    witnesses = f'[witnesses]\nsource = "both"\ncamera = {named}\n'
    path.write_text(SMALL + LAID_OUT + SECOND + witnesses, encoding="utf-8")
    if dealing is not None:
        assert [one.name for one in load_config(path).dealing_cameras] == dealing
        return
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert "over the table: overhead, near" in str(caught.value.params["reason"])
