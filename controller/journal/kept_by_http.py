"""Signed heads kept at an address by HTTP: a witness, or any receiver."""

import re
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Any, Final

from controller.journal.keeping import KeptDiffers, NotWitnessed
from controller.journal.witnessed import BYTES_MAX, read_checkpoint

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
