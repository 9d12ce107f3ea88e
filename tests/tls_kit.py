"""A house's own certificate authority for tests, made as docs say it: with openssl."""

import subprocess
from pathlib import Path
from typing import NamedTuple

DAYS = "30"


class Pem(NamedTuple):
    certificate: Path
    key: Path


class Authority:
    """An authority in a folder of its own; `certificate` is what members trust."""

    def __init__(self, folder: Path, name: str = "House") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._key = folder, folder / "ca.key"
        self.certificate = folder / "ca.crt"
        _openssl(
            *("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"),
            *("-days", DAYS, "-subj", f"/CN={name}", "-keyout", self._key, "-out", self.certificate),
        )

    def issue(self, name: str, alternative: str = "") -> Pem:
        """A certificate for a name; `alternative` as in `IP:127.0.0.1`, its name where left out."""
        made = Pem(self._folder / f"{name}.crt", self._folder / f"{name}.key")
        _openssl(
            *("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"),
            *("-CA", self.certificate, "-CAkey", self._key, "-days", DAYS, "-subj", f"/CN={name}"),
            *("-addext", f"subjectAltName={alternative or f'DNS:{name}'}"),
            *("-addext", "basicConstraints=critical,CA:FALSE"),
            *("-keyout", made.key, "-out", made.certificate),
        )
        return made


def _openssl(*words: str | Path) -> None:
    subprocess.run(["openssl", *words], check=True, capture_output=True)
