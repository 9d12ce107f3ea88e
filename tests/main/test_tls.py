"""The page under TLS: certificates of earlier versions, renewed ones, a proxy, and what is refused."""

import asyncio
import json
import shutil
import socket
import ssl
import subprocess
import urllib.error
import urllib.request
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest

from controller.config import TableConfig, TlsSection, WebSection, load_config
from controller.domain import ConfigError
from controller.i18n import text
from controller.main import server
from controller.main.compose import TableSetup, run_table
from controller.main.trust import days_left, page_tls, require_protected, server_context
from controller.ports import SystemClock
from drivers.simulated import PtyShoe
from tests import people_kit
from tests.main.live_kit import Live, play
from tests.replay.replay_kit import call
from tests.tls_kit import Authority

DAY: Final = timedelta(days=1)
NOW: Final = datetime(2026, 11, 30, 12, tzinfo=UTC)
END: Final = datetime(2036, 11, 25, 22, 45, 1, tzinfo=UTC)
NOBODY: Final = "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$aaaaaaaaaaaaaaaaaaaaaa"


def us(moment: datetime) -> int:
    return int(moment.timestamp() * 1e6)


MADE: Final = Path(__file__).parent / "certificates"
"""Of `stand17 tls` in version 0.3: an authority, and a certificate for 127.0.0.1 and bj1.pit.example."""


@pytest.fixture
def pair(tmp_path: Path) -> TlsSection:
    """A table with a certificate that an earlier version made."""
    folder = tmp_path / "tls"
    shutil.copytree(MADE, folder)
    for key in folder.glob("*.key"):
        key.chmod(0o600)
    return TlsSection(certificate=folder / "127.0.0.1.crt", key=folder / "127.0.0.1.key")


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
    with urllib.request.urlopen(page + "/api/catalogue/en", timeout=60, context=tablet) as answer:
        assert json.load(answer)["error.PORT_BUSY"]
        assert "server" not in {name.lower() for name in answer.headers}
        assert int(answer.headers["Strict-Transport-Security"].removeprefix("max-age=")) > 180 * 86400
    body = json.dumps({"actor": people_kit.DEALER, "pin": people_kit.PINS[people_kit.DEALER]}).encode()
    asked = urllib.request.Request(page + "/api/session", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(asked, timeout=60, context=tablet) as answer:
        cookie = answer.headers["Set-Cookie"]
        assert {"Secure", "HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
        assert cookie.startswith("__Host-stand17_"), "no other host of the house can set it"
    with pytest.raises(urllib.error.URLError, match="CERTIFICATE_VERIFY_FAILED"):
        urllib.request.urlopen(page, timeout=60, context=ssl.create_default_context()).close()
    with pytest.raises((OSError, urllib.error.URLError)):
        urllib.request.urlopen(page.replace("https", "http"), timeout=60).close()
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


def test_what_is_wrong_with_the_files_is_said(tmp_path: Path, pair: TlsSection) -> None:
    made = Authority(tmp_path / "other").issue("bj2")
    assert page_tls(WebSection(tls=pair), us(NOW)) is not None
    assert code_of(TlsSection(certificate=pair.certificate, key=made.key)) == "TLS_PAIR"
    assert code_of(TlsSection(certificate=pair.key, key=pair.key)) == "TLS_FILE"
    assert code_of(TlsSection(certificate=pair.certificate, key=tmp_path / "none")) == "TLS_FILE"
    assert code_of(pair, END + DAY) == "TLS_EXPIRED"
    pair.key.chmod(0o640)
    assert code_of(pair) == "TLS_KEY_OPEN"


def test_a_certificate_that_ends_within_sixty_days_is_told_at_each_start(
    pair: TlsSection, capsys: pytest.CaptureFixture[str]
) -> None:
    page_tls(WebSection(tls=pair), us(END - 61 * DAY))
    assert capsys.readouterr().err == ""
    page_tls(WebSection(tls=pair), us(END - 60 * DAY))
    assert "ends in 60 days" in capsys.readouterr().err


def test_a_certificate_is_renewed_by_the_commands_of_the_docs(tmp_path: Path, pair: TlsSection) -> None:
    """They keep its key and its names, and tablets trust it as before."""
    key = pair.key.read_bytes()
    docs = (Path(__file__).parents[2] / "docs" / "running.md").read_text(encoding="utf-8")
    commands = [line.strip() for line in docs.splitlines() if line.startswith("    openssl x509 ")]
    assert len(commands) == 2
    for command in commands:
        words = command.replace("tls/bj1", "tls/127.0.0.1").split()
        subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    assert 395 <= days_left(pair, SystemClock().utc_us()) <= 397
    assert pair.key.read_bytes() == key
    server, tablet = server_context(pair, SystemClock().utc_us()), trusting(pair)
    for name in ("127.0.0.1", "bj1.pit.example"):
        handshake(server, tablet, name)
    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(server, tablet, "bj2.pit.example")


def handshake(server: ssl.SSLContext, tablet: ssl.SSLContext, name: str) -> None:
    """Both ends of a connection, without a network; raises what the tablet makes of the certificate."""
    to_server, to_tablet = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [
        tablet.wrap_bio(to_tablet, to_server, server_hostname=name),
        server.wrap_bio(to_server, to_tablet, server_side=True),
    ]
    for _ in range(3):
        for end in ends:
            with suppress(ssl.SSLWantReadError):
                end.do_handshake()


def test_run_takes_certificate_and_key_by_path(tmp_path: Path, pair: TlsSection) -> None:
    """They take the place of the configuration's; one without the other is refused."""
    config = tmp_path / "table.toml"
    config.write_text(
        '[table]\nname = "BJ1"\nrules = "nl"\n[journal]\nfile = "t.journal"\n[shoe]\nport = "/dev/null"\n'
        '[web]\nhost = "0.0.0.0"\nport = 0\n[software]\nallow_unreleased = true\n',
        encoding="utf-8",
    )
    both = ("--certificate", pair.certificate, "--key", pair.key)
    for options, code in ((both[:2], "TLS_HALF"), ((), "ADDRESS_NEEDS_TLS"), (both, "ADDRESS_NEEDS_PEOPLE")):
        done = call("run", config, *options)
        assert (done.returncode, text(f"error.{code}", {"host": "0.0.0.0"}) in done.stderr) == (78, True)


def test_a_page_behind_a_proxy_is_signed_in_to_under_the_proxys_name(tmp_path: Path) -> None:
    """The proxy passes on name and scheme, as the docs say; a page of another name is refused."""
    name = "bj1.pit.example"

    async def story(live: Live) -> None:
        passed_on = {"Host": name, "X-Forwarded-Proto": "https", "Content-Type": "application/json"}
        body = {"actor": people_kit.DEALER, "pin": people_kit.PINS[people_kit.DEALER]}
        for origin, status in ((f"https://{name}", 200), ("https://elsewhere.example", 403)):
            asked = urllib.request.Request(
                live.page + "/api/session", json.dumps(body).encode(), {**passed_on, "Origin": origin}
            )
            try:
                with await asyncio.to_thread(urllib.request.urlopen, asked, timeout=60) as answer:
                    found = answer.status
                    assert "Secure" in answer.headers["Set-Cookie"]
                    assert answer.headers["Set-Cookie"].startswith("__Host-")
            except urllib.error.HTTPError as refused:
                found = refused.code
            assert found == status, origin

    with closing(PtyShoe()) as shoe:
        play(tmp_path, story, {"port": shoe.port}, web={"port": 0, "names": [name]})


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
