"""Signed heads kept elsewhere as they are made; the table waits for none of it.

Each place has a thread of its own and keeps trying: what could not be kept waits, and is told once as an
alert. A head vouches for every entry before it, so that a place which has missed some has lost nothing when
the next one arrives.
"""

import os
import re
import socket
import threading
import urllib.error
import urllib.request
from collections import deque
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from typing import Any, Final, Generic, Protocol, TypeVar

from controller.domain.errors import JournalError
from controller.journal.kept_heads import judged
from controller.journal.signed_heads import HeadReason, HeadSigner, SignedHead
from controller.journal.store import Journal
from controller.ports.clock import Clock
from controller.ports.sources import Report, ReportSink, Trouble

NAME: Final = "signer"
WAITING_MAX: Final = 256
RETRY_S: Final = 30.0
CLOSING_S: Final = 5.0
"""How long a place may take for what waits when the program ends."""

HTTP_S: Final = 5.0
_SYSLOG_PRIORITY: Final = 10 * 8 + 5
"""Facility authpriv, severity notice."""


Kept = TypeVar("Kept")
Taken_contra = TypeVar("Taken_contra", contravariant=True)


class KeepingPlace(Protocol[Taken_contra]):
    """Where something is kept elsewhere; `name` is what an alert calls it."""

    name: str

    def keep(self, item: Taken_contra, /) -> None:
        """Take one of them. Raises OSError where it was not taken, `KeptDiffers` where it must not be."""
        ...


HeadPlace = KeepingPlace[str]
"""A place of signed heads: each is a line, with its line feed."""


class KeptDiffers(Exception):
    """What a place holds contradicts the journal: nothing more may be written there."""


class FolderPlace:
    """A folder, on another disk or another machine: a file for each journal, appended to."""

    def __init__(self, folder: Path, journal: Path, public: str) -> None:
        """The folder has to be there: where a disk is not mounted, nothing is written in its stead."""
        self.name = str(folder)
        self._file, self._journal, self._public = kept_file(folder, journal), journal, public
        self._size: int | None = None

    def keep(self, line: str) -> None:
        """See `HeadPlace.keep`; the line is on the disk when this returns.

        Raises `KeptDiffers` where somebody else has written there, or the journal was put back.
        """
        self._require_as_left()
        with self._file.open("ab") as file:
            file.write(line.encode())
            file.flush()
            os.fsync(file.fileno())
            self._size = file.tell()

    def _require_as_left(self) -> None:
        """Look at the whole file where it has not the length that it was left with."""
        size = self._file.stat().st_size if self._file.exists() else 0
        if size == self._size:
            return
        if self._size is not None and size < self._size:
            raise KeptDiffers
        try:
            if judged(self._file, self._journal, self._public).code != "fits":
                raise KeptDiffers
        except JournalError as error:
            raise OSError(str(error)) from error


def kept_file(folder: Path, journal: Path) -> Path:
    """Where a folder keeps the signed heads of a journal."""
    return folder / f"{journal.name}.signed"


class SyslogPlace:
    """The machine's system log, which may pass it on."""

    def __init__(self, address: str = "/dev/log") -> None:
        """`address` is the socket of the log."""
        self.name = "syslog"
        self._address = address

    def keep(self, line: str) -> None:
        """See `HeadPlace.keep`."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as log:
            log.settimeout(HTTP_S)
            log.connect(self._address)
            log.send(f"<{_SYSLOG_PRIORITY}>stand17: {line}".encode())


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_arguments: Any) -> None:
        """Go nowhere that the configuration does not name."""


class HttpPlace:
    """An address that takes each head as the body of a POST and answers 2xx."""

    def __init__(self, url: str) -> None:
        """`url` begins with http:// or https://."""
        # Without what may be a secret of the house.
        self.name = re.sub(r"(?<=://)[^/@]*@", "", url.partition("?")[0])
        self._url = url
        self._opener = urllib.request.build_opener(_NoRedirect())

    def keep(self, line: str) -> None:
        """See `HeadPlace.keep`."""
        request = urllib.request.Request(
            self._url, line.encode(), {"Content-Type": "application/json"}, method="POST"
        )
        try:
            with self._opener.open(request, timeout=HTTP_S):
                pass
        except (HTTPException, ValueError) as error:
            raise OSError(str(error)) from error


class HeadKeeper(Generic[Kept]):
    """One place and the thread that writes to it. What is kept last vouches for all before it."""

    def __init__(
        self,
        place: KeepingPlace[Kept],
        told: Callable[[str, str], None],
        differs: Callable[[str], None],
        retry_s: float,
    ) -> None:
        """`told` hears the place's name and why nothing is kept there, once until it works again.

        `differs` hears the name of one that contradicts the journal; then nothing more is kept there.
        """
        self._place, self._told, self._differs, self._retry_s = place, told, differs, retry_s
        self._waiting: deque[Kept] = deque(maxlen=WAITING_MAX)
        self._change = threading.Condition()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name=f"heads to {place.name}", daemon=True)

    def open(self) -> None:
        """Start."""
        self._thread.start()

    def offer(self, item: Kept) -> None:
        """Have it kept; returns at once."""
        with self._change:
            self._waiting.append(item)
            self._change.notify()

    def close(self) -> None:
        """Try once more what waits, then stop."""
        with self._change:
            self._closing = True
            self._change.notify()
        if self._thread.is_alive():
            self._thread.join(CLOSING_S)

    def _run(self) -> None:
        while (item := self._next()) is not None:
            self._keep(item)

    def _next(self) -> Kept | None:
        """Wait for one, None at the end; of what is left then the newest vouches for all."""
        with self._change:
            self._change.wait_for(lambda: self._waiting or self._closing)
            if not self._waiting:
                return None
            item = self._waiting.pop() if self._closing else self._waiting.popleft()
            if self._closing:
                self._waiting.clear()
            return item

    def _keep(self, item: Kept) -> None:
        """Try until it is kept, or until the program ends."""
        told = False
        while True:
            try:
                self._place.keep(item)
                return
            except KeptDiffers:
                self._differs(self._place.name)
                with self._change:
                    self._closing = True
                    self._waiting.clear()
                return
            except OSError as error:
                if not told:
                    self._told(self._place.name, _reason(error))
                told = True
            with self._change:
                if self._change.wait_for(lambda: self._closing, self._retry_s):
                    return


class HeadKeeping:
    """Signs the heads of a journal and has them kept."""

    def __init__(self, signer: HeadSigner, journal: Journal, clock: Clock) -> None:
        """Nothing is signed yet; the journal's note vouches for each head from then on."""
        self._signer, self._journal, self._clock = signer, journal, clock
        self.public: Final = signer.public
        """The public half of the key that signs."""
        self._keepers: tuple[HeadKeeper[str], ...] = ()
        self._post: ReportSink | None = None
        self.last: SignedHead | None = None
        """The newest head that was signed since the program started."""

    def open(self, places: tuple[HeadPlace, ...], post: ReportSink, round_number: int) -> None:
        """Sign where the program starts, and keep it; warnings go to `post`."""
        self._post = post
        self._keepers = tuple(
            HeadKeeper(place, self._not_kept, self._kept_differs, RETRY_S) for place in places
        )
        for keeper in self._keepers:
            keeper.open()
        self.sign(round_number, "start")

    def sign(self, round_number: int, reason: HeadReason) -> None:
        """Sign where the journal ends now; what fails is an alert, the table goes on."""
        try:
            signed = self._signer.sign(self._journal.head(), round_number, self._clock.utc_us(), reason)
            self._journal.vouch(self._signer.mark)
        except OSError as error:
            self._warn("HEAD_NOT_SIGNED", (("reason", _reason(error)),))
            return
        self.last = signed
        for keeper in self._keepers:
            keeper.offer(signed.line(with_nonce=False))

    def doubt(self) -> None:
        """Vouch only for what is written from now on: something before it did not fit."""
        self._signer.doubt(self._journal.head().seq + 1)

    def close(self, round_number: int) -> None:
        """Sign the end, and give each place a last chance."""
        self.sign(round_number, "close")
        for keeper in self._keepers:
            keeper.close()

    def _kept_differs(self, place: str) -> None:
        self.doubt()
        self._warn("JOURNAL_KEPT_DIFFERS", (("place", place),), hold=True)

    def _not_kept(self, place: str, reason: str) -> None:
        self._warn("HEADS_NOT_KEPT", (("place", place), ("reason", reason)))

    def _warn(self, code: str, params: tuple[tuple[str, str], ...], *, hold: bool = False) -> None:
        if self._post is not None:
            self._post(Report(NAME, self._clock.mono_ns(), (), (Trouble(code, params, hold=hold),)))


def _reason(error: OSError) -> str:
    """Say it in one line without control characters."""
    words = error.strerror or str(error) or type(error).__name__
    return "".join(sign for sign in words if sign.isprintable())[:120]
