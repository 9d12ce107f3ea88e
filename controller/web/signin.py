"""Who works at a screen: names, PINs, sessions of the pit."""

import secrets
from collections.abc import Callable, Mapping

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from controller.domain.errors import TableError

TRIES = 5
LOCK_S = 300.0
IDLE_S = 120.0


class PinBook:
    """Checks PINs against argon2 hashes; five wrong ones lock a person out for five minutes."""

    def __init__(self, pins: Mapping[str, str], mono_s: Callable[[], float]) -> None:
        """`pins` maps a person to a hash; without any, every name is taken as it is given."""
        self._pins = dict(pins)
        self._mono_s = mono_s
        self._hasher = PasswordHasher()
        self._failed: dict[str, tuple[int, float]] = {}

    def check(self, actor: str, pin: str) -> None:
        """Pass, or raise PIN_WRONG (unknown people too: a name is no secret to confirm) or PIN_LOCKED."""
        if not self._pins:
            return
        failures, last = self._failed.get(actor, (0, 0.0))
        left = LOCK_S - (self._mono_s() - last)
        # Before the PIN is looked at: while it is locked, the right one does not open it either.
        if failures >= TRIES and left > 0:
            raise TableError("PIN_LOCKED", seconds=int(left) + 1)
        if self._matches(actor, pin):
            self._failed.pop(actor, None)
            return
        self._failed[actor] = (1 if failures >= TRIES else failures + 1, self._mono_s())
        raise TableError("PIN_WRONG", left=max(TRIES - self._failed[actor][0], 0))

    def _matches(self, actor: str, pin: str) -> bool:
        try:
            return self._hasher.verify(self._pins.get(actor, ""), pin)
        except (VerificationError, InvalidHashError):
            return False


class PitSessions:
    """Opaque tokens of signed-in pit people; one rests for two minutes and is over."""

    def __init__(self, mono_s: Callable[[], float]) -> None:
        """Begin with nobody signed in."""
        self._mono_s = mono_s
        self._people: dict[str, tuple[str, float]] = {}

    def open(self, actor: str) -> str:
        """Return a new session of this person."""
        token = secrets.token_urlsafe(24)
        self._people[token] = (actor, self._mono_s())
        return token

    def require(self, token: str | None, actor: str) -> None:
        """Pass and count as active, or raise SIGN_IN_NEEDED."""
        known, last = self._people.get(token or "", ("", 0.0))
        if known != actor or self._mono_s() - last > IDLE_S:
            self._people.pop(token or "", None)
            raise TableError("SIGN_IN_NEEDED")
        self._people[token or ""] = (actor, self._mono_s())
