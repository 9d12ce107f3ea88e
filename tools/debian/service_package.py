"""The package `stand17-service`: units, accounts, names of devices, the command. It starts nothing."""

import shutil
from pathlib import Path
from typing import Final

from tools.compile import ROOT
from tools.debian.package_archive import Control, build
from tools.debian.user_files import put_documents, put_on_the_path

HARDWARE: Final = ROOT / "hardware"

PLACES: Final = {
    "systemd/stand17@.service": "usr/lib/systemd/system",
    "systemd/stand17-kiosk@.service": "usr/lib/systemd/system",
    "sysusers/stand17.conf": "usr/lib/sysusers.d",
    "udev/70-stand17.rules": "usr/lib/udev/rules.d",
}
"""Files of hardware/, and where a Debian machine looks for them."""

AFTER_UNPACKING: Final = """#!/bin/sh
set -e
if [ "$1" = configure ]; then
    systemd-sysusers stand17.conf
    install -d -m 750 -g stand17 /etc/stand17
    # Known at once, used at the next start: a table that is open goes on as it is.
    if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
    if [ -d /run/udev ]; then udevadm control --reload; fi
fi
"""

BEFORE_REMOVAL: Final = """#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ] && systemctl --quiet is-active 'stand17@*'; then
    echo "stand17-service: a table is open. Close it first: systemctl stop 'stand17@*'" >&2
    exit 1
fi
"""


def build_service(version: str, scratch: Path, folder: Path) -> Path:
    """Build it from hardware/ in an empty folder; the package is written into another."""
    tree = scratch / "service"
    for source, place in PLACES.items():
        (tree / place).mkdir(parents=True, exist_ok=True)
        shutil.copyfile(HARDWARE / source, tree / place / Path(source).name)
    put_on_the_path(tree, version)
    put_documents(tree, "stand17-service", pages=False)
    control = Control(
        package="stand17-service",
        version=version,
        architecture="all",
        depends="systemd, udev, stand17",
        recommends="cage, chromium",
        provides="",
        summary="blackjack table controller: service, kiosk, accounts",
        description="Runs the tables of /etc/stand17 with the version that /opt/stand17 leads to.",
    )
    scripts = {"postinst": AFTER_UNPACKING, "prerm": BEFORE_REMOVAL}
    return build(tree, control, scripts, folder)
