"""What a table trusts: its key and signed heads, its people, the page's certificate."""

import asyncio
import os
import secrets
import socket
import ssl
from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path
from typing import Final, NamedTuple

from cryptography import x509

from controller.config import PeopleSection, TableConfig, TlsSection, WebSection
from controller.domain import ConfigError
from controller.i18n import text
from controller.journal.head_file import CREDENTIAL, TableKey, is_signed_by, public_key
from controller.journal.heads import HeadSigner, RandomBytes, SignedHead
from controller.journal.keeping import FolderPlace, HeadKeeping, HeadPlace, HttpPlace, kept_file
from controller.journal.store import Journal, require_place
from controller.outputs import open_regular, read_regular
from controller.people.access import DEMO_DEALER, PIN, Access, AccessSettings, demo_book, table_access
from controller.people.person import DEMO, PeopleBook, PinHasher
from controller.people.sign_in import Note, Session, SessionLimits
from controller.people.store import BroughtPeople, PeopleFile
from controller.ports import MACHINE_DISK, Clock, Report, ReportSink, SideDisk, Trouble
from controller.runtime.api import Mode
from controller.runtime.ledger import Ledger
from controller.runtime.snapshot import logger


def key_file(config: TableConfig) -> Path:
    """Return the file of the table's key, unless systemd provides one."""
    return config.signing.key or config.journal.file.resolve().with_name(CREDENTIAL)


def table_key(config: TableConfig, chance: RandomBytes = secrets.token_bytes) -> TableKey:
    """Read the key of a table, or make one from a random source.

    Raises `JournalError` KEY_UNREADABLE, KEY_OPEN_TO_OTHERS, or the error of the journal's folder.
    """
    # No key is left where there will be no journal.
    require_place(config.journal.file)
    return TableKey.load_or_make(key_file(config), chance=chance)


def public_key_of(config: TableConfig) -> str:
    """The public half of a table's key, which has to be there. Raises `JournalError` KEY_UNREADABLE."""
    return TableKey.load(key_file(config)).public


def head_keeping(
    config: TableConfig,
    journal: Journal,
    key: TableKey,
    clock: Clock,
    chance: RandomBytes = secrets.token_bytes,
    *,
    before: SignedHead | None = None,
) -> HeadKeeping:
    """Return the signer of this journal's heads, before its first signature.

    `before` is the last head of the table's preceding journal.
    """
    path, since = config.journal.file.resolve(), journal.doubted_from
    signer = HeadSigner(path, config.table.name, key, chance, since=since, before=before, disk=journal.disk)
    return HeadKeeping(signer, journal, clock)


def kept_files(config: TableConfig) -> tuple[Path, ...]:
    """Return the readable files of signed heads; a missing one is skipped."""
    folder = config.signing.keep_folder
    return () if folder is None else (kept_file(folder, config.journal.file.resolve()),)


def places(config: TableConfig, public: str, disk: SideDisk = MACHINE_DISK) -> tuple[HeadPlace, ...]:
    """Return the further places of signed heads."""
    section, found = config.signing, list[HeadPlace]()
    if section.keep_folder is not None:
        found.append(FolderPlace(section.keep_folder, config.journal.file.resolve(), public, disk))
    if section.keep_url is not None:
        found.append(HttpPlace(section.keep_url, section.witness_key, public))
    return tuple(found)


NAME: Final = "people"
"""Names the list of people in its reports, beside the devices."""

TOKEN_BYTES: Final = 32
"""Of a session's token: nobody guesses 256 bits."""


class TablePeople(NamedTuple):
    """The people of a table, and the guest when nobody has signed in; `brought` is a list from elsewhere."""

    book: PeopleBook
    settings: AccessSettings
    guest: Session | None = None
    brought: BroughtPeople | None = None


def people_file(section: PeopleSection, journal: Path) -> PeopleFile:
    """Give the people's file of a table: in the journal's folder, as journals change each day."""
    return PeopleFile(section.file or journal.parent / "people.json")


def bring_first(people: TablePeople) -> None:
    """Take the newest list over before the table opens. Raises its fault when the table has no people.

    A table with an earlier list opens with that, and reports the fault later.
    """
    if people.brought is None:
        return
    try:
        people.brought.bring()
    except ConfigError:
        if not people.book.register().people:
            raise


async def follow_brought(
    people: BroughtPeople | None, post: ReportSink, clock: Clock, every_s: float
) -> None:
    """Take newer lists over until cancelled; why one is not taken is an alert, once until that changes."""
    reported = ""
    while people is not None:
        try:
            await asyncio.to_thread(people.bring)
            reported = ""
        except ConfigError as error:
            if error.code != reported:
                trouble = Trouble(error.code, tuple(error.params.items()), hold=False)
                post(Report(NAME, clock.mono_ns(), (), (trouble,)))
            reported = error.code
        await asyncio.sleep(every_s)
    await asyncio.Event().wait()


def live_people(section: PeopleSection, journal: Path) -> TablePeople:
    """Give the people of a live table. Raises `JournalError` KEY_UNREADABLE for a source_key that is none."""
    limits = SessionLimits(
        section.dealer_idle_minutes * 60.0, float(section.idle_seconds), section.longest_hours * 3600.0
    )
    settings = AccessSettings(limits, section.card_prefix)
    file, brought = people_file(section, journal), None
    if section.source is not None:
        key = public_key(section.source_key)
        brought = BroughtPeople(file, section.source, lambda message, sign: is_signed_by(key, message, sign))
    return TablePeople(file, settings, brought=brought)


def access_to(people: TablePeople, note: Note, clock: Clock, ledger: Ledger) -> Access:
    """Give the screens' server the people of a table; `ledger` knows which PINs were wrong before."""
    return table_access(
        people.book,
        note,
        clock,
        lambda: secrets.token_urlsafe(TOKEN_BYTES),
        tries=ledger.tries,
        settings=people.settings,
        guest=people.guest,
    )


def demo_people() -> TablePeople:
    """Give the people of the demo, who need no sign-in to deal."""
    settings = AccessSettings(SessionLimits(other_idle_s=3600.0), demo_pin=PIN)
    return TablePeople(demo_book(PinHasher()), settings, DEMO_DEALER)


def require_people(people: TablePeople, mode: Mode) -> None:
    """Raise `ConfigError` when a live table would open without people, or with those of the demo.

    PEOPLE_MISSING: nobody could sign in, or lift a hold; DEMO_PEOPLE: their PINs are public.
    """
    if mode != "live":
        return
    working = people.book.register().working
    if people.guest is not None or any(one.id.startswith(DEMO) for one in working):
        raise ConfigError("DEMO_PEOPLE")
    if not working:
        raise ConfigError("PEOPLE_MISSING")


OTHERS: Final = 0o077
"""Rights of group and others, of which a private key has none."""

WARN_DAYS: Final = 60
"""Days before its end from which each start tells of it: browsers refuse the page on the day after."""


def require_protected(section: WebSection, *, has_people: bool) -> None:
    """Raise `ConfigError` ADDRESS_NEEDS_TLS or ADDRESS_NEEDS_PEOPLE for an unprotected public page.

    Loopback addresses need neither: a person at this machine can read its files as well.
    """
    if is_loopback(section.host):
        return
    if section.tls is None:
        raise ConfigError("ADDRESS_NEEDS_TLS", host=section.host)
    if not has_people:
        raise ConfigError("ADDRESS_NEEDS_PEOPLE", host=section.host)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    try:
        found = socket.getaddrinfo(host, None)
    except (OSError, UnicodeError):
        # The later call to listen reports the error.
        return False
    return all(ip_address(address[4][0]).is_loopback for address in found)


def page_tls(section: WebSection, now_utc_us: int) -> ssl.SSLContext | None:
    """Return the page's TLS context, None for plain HTTP; log a certificate that ends soon.

    Raises as `server_context`.
    """
    if section.tls is None:
        return None
    context, days = server_context(section.tls, now_utc_us), days_left(section.tls, now_utc_us)
    if days <= WARN_DAYS:
        sentence = text("tls.ends", {"path": str(section.tls.certificate), "days": days})
        logger().warning("certificate ends", days=days, text=sentence)
    return context


def server_context(section: TlsSection, now_utc_us: int) -> ssl.SSLContext:
    """Load certificate and key; TLS 1.2 and newer.

    Raises `ConfigError` TLS_FILE (missing, none), TLS_KEY_OPEN (others may read it), TLS_PAIR (the key is not
    the certificate's), TLS_EXPIRED.
    """
    _require_private(section.key)
    if (days := days_left(section, now_utc_us)) < 0:
        raise ConfigError("TLS_EXPIRED", path=str(section.certificate), days=-days)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        # An encrypted key is refused here; without the function OpenSSL would ask the console and wait.
        context.load_cert_chain(section.certificate, section.key, lambda: b"")
    except ssl.SSLError as error:
        raise ConfigError("TLS_PAIR", certificate=str(section.certificate), key=str(section.key)) from error
    return context


def days_left(section: TlsSection, now_utc_us: int) -> int:
    """Give the whole days until the certificate ends, negative when it has; raises `ConfigError` TLS_FILE."""
    path = str(section.certificate)
    try:
        certificate = x509.load_pem_x509_certificate(read_regular(section.certificate, links=True))
    except OSError as error:
        raise ConfigError("TLS_FILE", path=path, reason=error.strerror or "") from error
    except ValueError as error:
        raise ConfigError("TLS_FILE", path=path, reason="PEM") from error
    return (certificate.not_valid_after_utc - datetime.fromtimestamp(now_utc_us / 1e6, UTC)).days


def _require_private(path: Path) -> None:
    try:
        # OpenSSL would wait for a pipe.
        os.close(open_regular(path, links=True))
        mode = path.stat().st_mode
    except OSError as error:
        raise ConfigError("TLS_FILE", path=str(path), reason=error.strerror or "") from error
    if mode & OTHERS:
        raise ConfigError("TLS_KEY_OPEN", path=str(path))
