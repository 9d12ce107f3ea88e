"""A small certificate authority of the house: what tablets trust, and what tables show them.

Keys are elliptic (P-256), unencrypted files that only their owner can read. Whoever has the authority's key
can pass for any address on each tablet that trusts it: it belongs on a stick in the safe, not on a table.
"""

import os
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Final, NamedTuple

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from controller.domain.errors import ConfigError
from controller.outputs import FRESH, PRIVATE, PUBLIC, Outputs, read_regular

AUTHORITY: Final = "ca"
"""Name of the authority's two files, before `.crt` and `.key`."""

AUTHORITY_DAYS: Final = 3650

EARLIER: Final = timedelta(hours=1)
"""A tablet whose clock is late takes a new certificate all the same."""

_HOST_MAX: Final = 253


class Pair(NamedTuple):
    """A certificate and the private key that belongs to it, both PEM files."""

    certificate: Path
    key: Path


def make_authority(folder: Path, name: str, now_utc_us: int) -> Pair:
    """Make the authority's key and certificate in `folder`.

    Raises `ConfigError` TLS_EXISTS where one of the files is there: a second authority would make every
    certificate of the first worthless. TLS_FILE where they cannot be written.
    """
    pair = _pair(folder, AUTHORITY)
    for path in pair:
        if os.path.lexists(path):
            raise ConfigError("TLS_EXISTS", path=str(path))
    key, subject = ec.generate_private_key(ec.SECP256R1()), _named(name)
    draft = _draft(subject, subject, key.public_key(), now_utc_us, AUTHORITY_DAYS)
    draft = draft.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    draft = draft.add_extension(_usage(signs_certificates=True), critical=True)
    _write(pair.key, _key_bytes(key), PRIVATE, FRESH)
    signed = draft.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM)
    _write(pair.certificate, signed, PUBLIC, FRESH)
    return pair


def issue(folder: Path, hosts: tuple[str, ...], days: int, now_utc_us: int, *, renew: bool = False) -> Pair:
    """Give a table a certificate of the authority in `folder`, for the names and numbers in `hosts`.

    The files are called after the first of them. A key that is there already is kept; a certificate
    that is there is replaced with `renew` alone. Raises `ConfigError` TLS_FILE,
    TLS_NAME_WRONG, and as `Outputs.write`.
    """
    names = [_general_name(host) for host in hosts]
    authority = _pair(folder, AUTHORITY)
    issuer, issuer_key = load_certificate(authority.certificate), _load_key(authority.key)
    pair = _pair(folder, hosts[0].replace(":", "-"))
    outputs = Outputs(authority, renew)
    outputs.require_free(pair.certificate)
    key = _load_key(pair.key) if pair.key.exists() else ec.generate_private_key(ec.SECP256R1())
    draft = _draft(_named(hosts[0]), issuer.subject, key.public_key(), now_utc_us, days)
    draft = draft.add_extension(x509.SubjectAlternativeName(names), critical=False)
    draft = draft.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
    draft = draft.add_extension(_usage(signs_certificates=False), critical=True)
    # The table's own page, and its own name at the floor's servers.
    uses = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    draft = draft.add_extension(x509.ExtendedKeyUsage(uses), critical=False)
    by = x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key())
    draft = draft.add_extension(by, critical=False)
    if not pair.key.exists():
        _write(pair.key, _key_bytes(key), PRIVATE, outputs)
    signed = draft.sign(issuer_key, hashes.SHA256())
    _write(pair.certificate, signed.public_bytes(Encoding.PEM), PUBLIC, outputs)
    return pair


def load_certificate(path: Path) -> x509.Certificate:
    """Read the first certificate of a PEM file; raises `ConfigError` TLS_FILE."""
    try:
        return x509.load_pem_x509_certificate(read_regular(path, links=True))
    except OSError as error:
        raise ConfigError("TLS_FILE", path=str(path), reason=error.strerror or "") from error
    except ValueError as error:
        raise ConfigError("TLS_FILE", path=str(path), reason="PEM") from error


def _load_key(path: Path) -> ec.EllipticCurvePrivateKey:
    try:
        key = load_pem_private_key(path.read_bytes(), None)
    except OSError as error:
        raise ConfigError("TLS_FILE", path=str(path), reason=error.strerror or "") from error
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise ConfigError("TLS_FILE", path=str(path), reason="PEM") from error
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise ConfigError("TLS_FILE", path=str(path), reason="EC")
    return key


def _draft(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, now_utc_us: int, days: int
) -> x509.CertificateBuilder:
    """Begin a certificate that holds from now for so many days."""
    now = datetime.fromtimestamp(now_utc_us / 1e6, UTC)
    draft = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key)
    draft = draft.serial_number(x509.random_serial_number())
    draft = draft.not_valid_before(now - EARLIER).not_valid_after(now + timedelta(days=days))
    return draft.add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    """Tell what a key is for: certificates, or connections."""
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _named(name: str) -> x509.Name:
    # The standard allows 64 characters here; browsers read the alternative names alone.
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name[:64])])


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        pass
    labels = host.split(".")
    if len(host) > _HOST_MAX or not all(_is_label(label) for label in labels):
        raise ConfigError("TLS_NAME_WRONG", name=host[:40])
    return x509.DNSName(host)


def _is_label(label: str) -> bool:
    """Whether this can stand between two dots of a host's name."""
    inner = label.replace("-", "")
    return label.isascii() and inner.isalnum() and len(label) <= 63 and label.strip("-") == label


def _key_bytes(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _pair(folder: Path, name: str) -> Pair:
    return Pair(folder / f"{name}.crt", folder / f"{name}.key")


def _write(path: Path, data: bytes, mode: int, outputs: Outputs) -> None:
    """Write a file; its rights are right from its first byte on. Raises as `Outputs.write`, and TLS_FILE."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError("TLS_FILE", path=str(path), reason=error.strerror or "") from error
    outputs.write(path, data, mode)
