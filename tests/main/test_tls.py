"""The page under TLS: made by the program's own commands, and refused where it would be reached without."""

import asyncio
import json
import socket
import ssl
import urllib.error
import urllib.request
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest
from typer.testing import CliRunner

from controller.cli.setup.tls import app
from controller.config import TableConfig, load_config
from controller.config.model import TlsSection, WebSection
from controller.domain.errors import ConfigError
from controller.main import TableSetup, issue, make_authority, run_table, server
from controller.main.tls import days_left, page_tls, require_protected
from drivers.simulated import PtyShoe
from tests import people_kit
from tests.main.live_kit import Live, play

DAY: Final = timedelta(days=1)
NOW: Final = datetime(2026, 11, 22, 12, tzinfo=UTC)
NOBODY: Final = "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$aaaaaaaaaaaaaaaaaaaaaa"


def us(moment: datetime) -> int:
    return int(moment.timestamp() * 1e6)


@pytest.fixture
def pair(tmp_path: Path) -> TlsSection:
    """A certificate for this machine that holds now, and the authority beside it."""
    for words in (["ca", "--name", "Casino"], ["cert", "127.0.0.1", "bj1.pit.example"]):
        done = CliRunner().invoke(app, [*words, "--folder", str(tmp_path / "tls")])
        assert done.exit_code == 0, done.output
    return TlsSection(certificate=tmp_path / "tls/127.0.0.1.crt", key=tmp_path / "tls/127.0.0.1.key")


def trusting(pair: TlsSection) -> ssl.SSLContext:
    """A tablet that has the house's authority."""
    return ssl.create_default_context(cafile=pair.certificate.with_name("ca.crt"))


def test_a_tablet_that_trusts_the_authority_reads_the_page_and_nobody_reads_it_in_clear(
    tmp_path: Path, pair: TlsSection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "HANDSHAKE_S", 1)
    seen: list[str] = []

    async def story(live: Live) -> None:
        seen.append(live.page)
        await asyncio.to_thread(looked_at, live.page, trusting(pair))

    with closing(PtyShoe()) as shoe:
        tls = {name: str(path) for name, path in pair.model_dump().items()}
        play(tmp_path, story, {"port": shoe.port}, trusting(pair), web={"port": 0, "tls": tls})
    assert seen[0].startswith("https://127.0.0.1:")


def looked_at(page: str, tablet: ssl.SSLContext) -> None:
    with urllib.request.urlopen(page + "/api/catalogue/en", timeout=20, context=tablet) as answer:
        assert json.load(answer)["error.PORT_BUSY"]
        assert "server" not in {name.lower() for name in answer.headers}
        assert int(answer.headers["Strict-Transport-Security"].removeprefix("max-age=")) > 180 * 86400
    body = json.dumps({"actor": people_kit.DEALER, "pin": people_kit.PINS[people_kit.DEALER]}).encode()
    asked = urllib.request.Request(page + "/api/session", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(asked, timeout=20, context=tablet) as answer:
        cookie = answer.headers["Set-Cookie"]
        assert {"Secure", "HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
        assert cookie.startswith("__Host-stand17="), "no other host of the house can set it"
    with pytest.raises(urllib.error.URLError, match="CERTIFICATE_VERIFY_FAILED"):
        urllib.request.urlopen(page, timeout=20, context=ssl.create_default_context()).close()
    with pytest.raises((OSError, urllib.error.URLError)):
        urllib.request.urlopen(page.replace("https", "http"), timeout=20).close()
    port = int(page.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), 20) as silent:
        # Nobody begins the handshake: the server hangs up.
        assert silent.recv(1) == b""
    name = "bj1.pit.example"
    with (
        socket.create_connection(("127.0.0.1", port), 20) as line,
        tablet.wrap_socket(line, server_hostname=name) as secured,
    ):
        assert secured.version() in ("TLSv1.2", "TLSv1.3")


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.7.20", "::"])
def test_what_others_reach_needs_tls_and_people(host: str, pair: TlsSection) -> None:
    with pytest.raises(ConfigError) as open_line:
        require_protected(WebSection(host=host), has_people=True)
    assert open_line.value.code == "ADDRESS_NEEDS_TLS"
    with pytest.raises(ConfigError) as open_door:
        require_protected(WebSection(host=host, tls=pair), has_people=False)
    assert open_door.value.code == "ADDRESS_NEEDS_PEOPLE"
    require_protected(WebSection(host=host, tls=pair), has_people=True)


def test_a_table_for_the_whole_network_does_not_open_without_tls(tmp_path: Path) -> None:
    raw = {
        "table": {"name": "BJ1", "rules": "nl"},
        "journal": {"file": tmp_path / "table.journal"},
        "web": {"host": "0.0.0.0", "port": 0, "pins": {"p7": NOBODY}},
        "shoe": {"port": "/dev/null"},
        "software": {"allow_unreleased": True},
    }
    told: list[str] = []
    with pytest.raises(ConfigError) as refused:
        asyncio.run(run_table(TableSetup(TableConfig.model_validate(raw), tmp_path, told.append)))
    assert (refused.value.code, told) == ("ADDRESS_NEEDS_TLS", [])
    assert not (tmp_path / "table.journal").exists()


@pytest.mark.parametrize("host", ["", " ", "127.0.0.1", "127.5.5.5", "localhost"])
def test_loopback_and_no_address_at_all_stay_on_this_machine(host: str) -> None:
    section = WebSection(host=host)
    require_protected(section, has_people=False)
    with socket.create_server((section.host, 0)) as server:
        assert server.getsockname()[0].startswith("127.")


def code_of(section: TlsSection, moment: datetime = NOW) -> str:
    with pytest.raises(ConfigError) as refused:
        page_tls(WebSection(tls=section), us(moment))
    return refused.value.code


def test_what_is_wrong_with_the_files_is_said(tmp_path: Path) -> None:
    make_authority(tmp_path, "Casino", us(NOW))
    first = TlsSection(**issue(tmp_path, ("bj1",), 397, us(NOW))._asdict())
    other = TlsSection(**issue(tmp_path, ("bj2",), 397, us(NOW))._asdict())
    assert page_tls(WebSection(tls=first), us(NOW)) is not None
    assert code_of(TlsSection(certificate=first.certificate, key=other.key)) == "TLS_PAIR"
    assert code_of(TlsSection(certificate=first.key, key=first.key)) == "TLS_FILE"
    assert code_of(TlsSection(certificate=first.certificate, key=tmp_path / "none")) == "TLS_FILE"
    assert code_of(first, NOW + 398 * DAY) == "TLS_EXPIRED"
    first.key.chmod(0o640)
    assert code_of(first) == "TLS_KEY_OPEN"


def test_a_certificate_that_ends_soon_is_told_at_each_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make_authority(tmp_path, "Casino", us(NOW))
    section = TlsSection(**issue(tmp_path, ("bj1",), 100, us(NOW))._asdict())
    page_tls(WebSection(tls=section), us(NOW + 69 * DAY))
    assert capsys.readouterr().err == ""
    page_tls(WebSection(tls=section), us(NOW + 71 * DAY))
    assert "29" in capsys.readouterr().err


def test_a_second_authority_does_not_take_the_place_of_the_first_and_a_certificate_is_renewed(
    tmp_path: Path,
) -> None:
    made = make_authority(tmp_path, "Casino", us(NOW))
    assert made.key.stat().st_mode & 0o777 == 0o600
    before = made.certificate.read_bytes()
    with pytest.raises(ConfigError) as refused:
        make_authority(tmp_path, "Casino", us(NOW))
    assert (refused.value.code, made.certificate.read_bytes()) == ("TLS_EXISTS", before)
    section = TlsSection(**issue(tmp_path, ("bj1",), 10, us(NOW))._asdict())
    key = section.key.read_bytes()
    issue(tmp_path, ("bj1",), 20, us(NOW), renew=True)
    assert (days_left(section, us(NOW)), section.key.read_bytes()) == (20, key)


@pytest.mark.parametrize("name", ["bj 1", "", "-bj1", "bj1..pit", "../bj1", "bj1\n", "x" * 64])
def test_no_certificate_is_made_for_what_is_no_address(tmp_path: Path, name: str) -> None:
    make_authority(tmp_path, "Casino", us(NOW))
    with pytest.raises(ConfigError) as refused:
        issue(tmp_path, (name,), 10, us(NOW))
    assert refused.value.code == "TLS_NAME_WRONG"


def test_relative_paths_are_those_of_the_configuration(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(
        '[table]\nname = "BJ1"\nrules = "nl"\n[journal]\nfile = "t.journal"\n[shoe]\nport = "/dev/null"\n'
        '[web.tls]\ncertificate = "tls/a.crt"\nkey = "tls/a.key"\n',
        encoding="utf-8",
    )
    tls = load_config(file).web.tls
    assert tls is not None
    assert (tls.certificate, tls.key) == (tmp_path / "tls/a.crt", tmp_path / "tls/a.key")
