"""The page's certificate; none for a page that only this machine can reach."""

import os
import socket
import ssl
from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from cryptography import x509

from controller.config.model import TlsSection, WebSection
from controller.domain import ConfigError
from controller.i18n import text
from controller.outputs import open_regular, read_regular
from controller.runtime.snapshot import logger

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
