"""Keep heads in folders and with witnesses.

The table waits for no witness. A head that could not be stored waits, is tried again, and is an alert once.
The last head vouches for all before it: a place that has missed some loses nothing when the next one arrives.
"""

import os
import re
import urllib.error
import urllib.request
from collections import deque
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from typing import Any, Final, Generic, Protocol, TypeVar

from controller.domain import JournalError
from controller.journal.heads import BYTES_MAX, HeadReason, HeadSigner, SignedHead, judged, read_checkpoint
from controller.journal.store import Journal
from controller.outputs import open_regular
from controller.ports import (
    MACHINE_DISK,
    UNTIL_WOKEN,
    Clock,
    Report,
    ReportSink,
    SideDisk,
    StartWork,
    Trouble,
    Turns,
    Work,
    WorkThread,
)

WAITING_MAX: Final = 256
RETRY_S: Final = 30.0
CLOSING_S: Final = 5.0
"""How long a place may take for what waits when the program ends."""

Kept = TypeVar("Kept")
Taken_contra = TypeVar("Taken_contra", contravariant=True)


class KeptDiffers(Exception):
    """A place contradicts the journal: nothing more may be written there."""


class KeepingPlace(Protocol[Taken_contra]):
    """A place for copies; `name` is its name in an alert."""

    name: str

    def keep(self, item: Taken_contra, /) -> None:
        """Take one of them. Raises OSError where it was not taken, `KeptDiffers` where it must not be."""
        ...


class PlaceKeeper(Generic[Kept]):
    """One place and the thread that writes to it."""

    def __init__(
        self,
        place: KeepingPlace[Kept],
        failed: Callable[[str, OSError], None],
        differs: Callable[[str], None],
        retry_s: float,
    ) -> None:
        """Prepare the keeper; `failed` gets the place's name and error, once until it works again.

        `differs` gets the name of a place that contradicts the journal; then nothing more is stored there.
        """
        self._place, self._failed, self._differs, self._retry_s = place, failed, differs, retry_s
        # A full queue drops the oldest: the last head covers all before it.
        self._waiting: deque[Kept] = deque(maxlen=WAITING_MAX)
        self._closing = self._barred = False
        self._work: Work | None = None

    def open(self, start: StartWork = WorkThread) -> None:
        """Start."""
        self._work = start(f"keeps in {self._place.name}", self._run())

    def offer(self, item: Kept) -> None:
        """Have it kept; returns at once."""
        self._waiting.append(item)
        if self._work is not None:
            self._work.wake()

    def close(self) -> None:
        """Try once more to write the waiting items, then stop."""
        self._closing = True
        if self._work is not None:
            self._work.wake()
            self._work.join(CLOSING_S)

    def _run(self) -> Turns:
        while True:
            closing = self._closing
            while self._waiting and not self._barred:
                yield from self._keep(self._next(newest=closing))
            if closing:
                return
            yield UNTIL_WOKEN

    def _next(self, *, newest: bool) -> Kept:
        """Return the oldest item; at the end the newest, which vouches for all of them."""
        if not newest:
            return self._waiting.popleft()
        item = self._waiting.pop()
        self._waiting.clear()
        return item

    def _keep(self, item: Kept) -> Turns:
        """Try until it is kept, or until the program ends."""
        warned = False
        while True:
            try:
                self._place.keep(item)
                return
            except KeptDiffers:
                self._barred = True
                self._differs(self._place.name)
                return
            except OSError as error:
                if not warned:
                    self._failed(self._place.name, error)
                warned = True
            if self._closing:
                return
            yield self._retry_s
            if self._closing:
                # The last chance is that of the newest.
                self._waiting.appendleft(item)
                return


def reason_of(error: OSError) -> str:
    """Say it in one line without control characters."""
    words = error.strerror or str(error) or type(error).__name__
    return "".join(sign for sign in words if sign.isprintable())[:120]


PUBLIC: Final = 0o666
"""As the process's umask has it."""

_APPEND: Final = os.O_RDWR | os.O_CREAT | os.O_APPEND


class AppendedFile:
    """Written behind its end; `mode` as `os.open` has it."""

    def __init__(self, path: Path, mode: int = PUBLIC, disk: SideDisk = MACHINE_DISK) -> None:
        """Prepare the file without opening it."""
        self.path: Final = path
        self._mode, self._disk = mode, disk
        self._left: int | None = None

    def size(self) -> int:
        """Its length now, 0 where it is not there."""
        return self.path.stat().st_size if self.path.exists() else 0

    def look_again(self, look: Callable[[], None]) -> None:
        """Check the whole file when its length differs from the last one.

        `look` raises the file's fault. Raises `KeptDiffers` for a file that was cut.
        """
        size = self.size()
        if self._left is not None and size < self._left:
            raise KeptDiffers
        if size != self._left:
            look()
            self._left = size

    def append(self, data: bytes) -> None:
        """Write lines at the end; they are on the disk when this returns. Raises OSError.

        A line torn by a kill or a full disk is ended first: otherwise the next line could not be read.
        """
        handle = open_regular(self.path, _APPEND, self._mode, opened=self._disk.open)
        try:
            size = os.fstat(handle).st_size
            if not size:
                self._disk.keep_name(self.path)
            elif os.pread(handle, 1, size - 1) != b"\n":
                data = b"\n" + data
            self._disk.write(self.path, handle, data, size)
            self._disk.sync(self.path, handle)
            self._left = os.fstat(handle).st_size
        finally:
            os.close(handle)


NAME: Final = "signer"


HeadPlace = KeepingPlace[str]
"""A place of signed heads: each is a line, with its line feed."""


class FolderPlace:
    """A folder, on another disk or another machine: a file for each journal, appended to."""

    def __init__(self, folder: Path, journal: Path, public: str, disk: SideDisk = MACHINE_DISK) -> None:
        """The folder has to be there: where a disk is not mounted, nothing is written in its stead."""
        self.name = str(folder)
        self._file = AppendedFile(kept_file(folder, journal), disk=disk)
        self._journal, self._public = journal, public

    def keep(self, line: str) -> None:
        """Store a head as a line, which is on the disk when this returns.

        Raises `KeptDiffers` when another program has written there, or the journal was restored.
        """
        self._file.look_again(self._require_fit)
        self._file.append(line.encode())

    def _require_fit(self) -> None:
        try:
            if judged(self._file.path, self._journal, self._public).code != "fits":
                raise KeptDiffers
        except JournalError as error:
            raise OSError(str(error)) from error


def kept_file(folder: Path, journal: Path) -> Path:
    """Return the file of a journal's signed heads in a folder."""
    return folder / f"{journal.name}.signed"


class NotWitnessed(OSError):
    """The address has answered 2xx, without the checkpoint that its witness signs for this head."""


class HeadKeeping:
    """Signs the heads of a journal and has them kept."""

    def __init__(self, signer: HeadSigner, journal: Journal, clock: Clock) -> None:
        """Prepare the signing; the journal's note vouches for each later head."""
        self._signer, self._journal, self._clock = signer, journal, clock
        self.key: Final = signer.key
        """The key that signs."""
        self._keepers: tuple[PlaceKeeper[str], ...] = ()
        self._post: ReportSink | None = None
        self.last: SignedHead | None = None
        """The newest head that was signed since the program started."""

    def open(
        self,
        places: tuple[HeadPlace, ...],
        post: ReportSink,
        round_number: int,
        start: StartWork = WorkThread,
    ) -> None:
        """Sign where the program starts, and keep it; warnings go to `post`."""
        self._post = post
        self._keepers = tuple(
            PlaceKeeper(place, self._not_kept, self._kept_differs, RETRY_S) for place in places
        )
        for keeper in self._keepers:
            keeper.open(start)
        self.sign(round_number, "start")

    def sign(self, round_number: int, reason: HeadReason) -> None:
        """Sign the present end of the journal; a failure is an alert, and the table continues."""
        try:
            signed = self._signer.sign(self._journal.head(), round_number, self._clock.utc_us(), reason)
            self._journal.vouch(self._signer.mark)
        except OSError as error:
            self._warn("HEAD_NOT_SIGNED", (("reason", reason_of(error)),))
            return
        self.last = signed
        for keeper in self._keepers:
            keeper.offer(signed.line(with_nonce=False))

    def doubt(self) -> None:
        """Vouch only for later entries: an earlier one did not fit."""
        self._signer.doubt(self._journal.head().seq + 1)

    def close(self, round_number: int) -> None:
        """Sign the end, and give each place a last chance."""
        self.sign(round_number, "close")
        for keeper in self._keepers:
            keeper.close()

    def _kept_differs(self, place: str) -> None:
        self.doubt()
        self._warn("JOURNAL_KEPT_DIFFERS", (("place", place),), hold=True)

    def _not_kept(self, place: str, error: OSError) -> None:
        if isinstance(error, NotWitnessed):
            self._warn("WITNESS_NOT_SIGNED", (("place", place),))
        else:
            self._warn("HEADS_NOT_KEPT", (("place", place), ("reason", reason_of(error))))

    def _warn(self, code: str, params: tuple[tuple[str, str], ...], *, hold: bool = False) -> None:
        if self._post is not None:
            self._post(Report(NAME, self._clock.mono_ns(), (), (Trouble(code, params, hold=hold),)))


_HTTP_S: Final = 5.0
CONFLICT: Final = 409


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_arguments: Any) -> None:
        """Go nowhere that the configuration does not name."""


class HttpPlace:
    """An address that takes each head as the body of a POST and answers 2xx: a witness, or any receiver."""

    def __init__(self, url: str, witness: str | None = None, public: str = "") -> None:
        """`url` begins with http:// or https://.

        `witness` is the key of the witness there, which signs for the heads of the key `public`; None: any
        answer counts.
        """
        # Without parts that may be secret.
        self.name = re.sub(r"(?<=://)[^/@]*@", "", url.partition("?")[0])
        self._url = url
        self._opener = urllib.request.build_opener(_NoRedirect())
        self._witness, self._public = witness, public
        self._heads = 0
        """The number of heads for which the witness has signed last."""

    def keep(self, line: str) -> None:
        """Send a head; status 409 comes from a witness that has seen another history.

        Raises `NotWitnessed` for an answer other than the witness's signature for one more head.
        """
        request = urllib.request.Request(
            self._url, line.encode(), {"Content-Type": "application/json"}, method="POST"
        )
        try:
            with self._opener.open(request, timeout=_HTTP_S) as answer:
                self._require_witnessed(answer.read(BYTES_MAX))
        except urllib.error.HTTPError as error:
            if error.code == CONFLICT:
                raise KeptDiffers from error
            raise
        except (HTTPException, ValueError) as error:
            raise OSError(str(error)) from error

    def _require_witnessed(self, answer: bytes) -> None:
        """An answer that the witness gave earlier is no answer to this head: its tree grows with each."""
        if self._witness is None:
            return
        signed = read_checkpoint(answer.decode(errors="replace"), self._witness)
        if signed is None or signed.key != self._public or signed.size <= self._heads:
            raise NotWitnessed
        self._heads = signed.size
