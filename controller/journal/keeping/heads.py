"""Signed heads kept elsewhere as they are made: in a folder, by HTTP."""

import re
import urllib.error
import urllib.request
from http.client import HTTPException
from pathlib import Path
from typing import Any, Final

from controller.domain.errors import JournalError
from controller.journal.keeping.appended_file import AppendedFile
from controller.journal.keeping.keeper import RETRY_S, KeepingPlace, KeptDiffers, PlaceKeeper, reason_of
from controller.journal.kept_heads import judged
from controller.journal.signed_heads import HeadReason, HeadSigner, SignedHead
from controller.journal.store import Journal
from controller.journal.witnessed import BYTES_MAX, read_checkpoint
from controller.ports.clock import Clock
from controller.ports.side_disk import MACHINE_DISK, SideDisk
from controller.ports.sources import Report, ReportSink, Trouble
from controller.ports.work import StartWork, WorkThread

NAME: Final = "signer"
HTTP_S: Final = 5.0
CONFLICT: Final = 409


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
        """See `KeepingPlace.keep`; the line is on the disk when this returns.

        Raises `KeptDiffers` where somebody else has written there, or the journal was put back.
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
    """Where a folder keeps the signed heads of a journal."""
    return folder / f"{journal.name}.signed"


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_arguments: Any) -> None:
        """Go nowhere that the configuration does not name."""


class NotWitnessed(OSError):
    """The address has answered 2xx, without the checkpoint that its witness signs for this head."""


class HttpPlace:
    """An address that takes each head as the body of a POST and answers 2xx: a witness, or any receiver."""

    def __init__(self, url: str, witness: str | None = None, public: str = "") -> None:
        """`url` begins with http:// or https://.

        `witness` is the key of the witness there, which signs for the heads of the key `public`; None: any
        answer counts.
        """
        # Without what may be a secret of the house.
        self.name = re.sub(r"(?<=://)[^/@]*@", "", url.partition("?")[0])
        self._url = url
        self._opener = urllib.request.build_opener(_NoRedirect())
        self._witness, self._public = witness, public
        self._heads = 0
        """The number of heads for which the witness has signed last."""

    def keep(self, line: str) -> None:
        """See `KeepingPlace.keep`; 409 is a witness that has seen another history.

        Raises `NotWitnessed` where the answer is not what the witness signs for one more head.
        """
        request = urllib.request.Request(
            self._url, line.encode(), {"Content-Type": "application/json"}, method="POST"
        )
        try:
            with self._opener.open(request, timeout=HTTP_S) as answer:
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


class HeadKeeping:
    """Signs the heads of a journal and has them kept."""

    def __init__(self, signer: HeadSigner, journal: Journal, clock: Clock) -> None:
        """Nothing is signed yet; the journal's note vouches for each head from then on."""
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
        """Sign where the journal ends now; what fails is an alert, the table goes on."""
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

    def _not_kept(self, place: str, error: OSError) -> None:
        if isinstance(error, NotWitnessed):
            self._warn("WITNESS_NOT_SIGNED", (("place", place),))
        else:
            self._warn("HEADS_NOT_KEPT", (("place", place), ("reason", reason_of(error))))

    def _warn(self, code: str, params: tuple[tuple[str, str], ...], *, hold: bool = False) -> None:
        if self._post is not None:
            self._post(Report(NAME, self._clock.mono_ns(), (), (Trouble(code, params, hold=hold),)))
