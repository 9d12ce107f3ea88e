"""PINs and staff cards as argon2id hashes; neither is kept in any other form."""

import re
from typing import Final

from argon2 import PasswordHasher, Type
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.low_level import hash_secret_raw

KIND: Final = "$argon2id$"

SALT_BYTES: Final = 16

CARD_PATTERN: Final = r"^[\x21-\x7e]{4,64}$"
"""What a staff card's reader types: letters, digits and signs, no space."""


class PinHasher:
    """Makes and checks hashes. Without arguments at the library's cost: RFC 9106, low memory."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        """`hasher` is for tests that sign many people in."""
        self._hasher: Final = hasher or PasswordHasher(type=Type.ID)
        self._nobody = ""

    def hash(self, pin: str) -> str:
        """Hash a PIN with a salt of its own."""
        return self._hasher.hash(pin)

    def matches(self, hashed: str, pin: str) -> bool:
        """Whether this is the PIN. "" is the hash of nobody: checked as long as any, and never right."""
        known = hashed.startswith(KIND)
        try:
            return self._hasher.verify(hashed if known else self._of_nobody(), pin) and known
        except (VerificationError, InvalidHashError):
            return False

    def card(self, number: str, salt: bytes) -> str:
        """Hash a card's number. One salt for the whole file: the hash is what a card is found by."""
        cost = self._hasher
        return hash_secret_raw(
            number.encode(), salt, cost.time_cost, cost.memory_cost, cost.parallelism, cost.hash_len, Type.ID
        ).hex()

    def _of_nobody(self) -> str:
        """Give a hash as dear as the others, so that a wrong id takes as long as a wrong PIN."""
        if not self._nobody:
            self._nobody = self._hasher.hash("nobody")
        return self._nobody


def is_card(number: str) -> bool:
    """Whether this can be a card's number."""
    return re.fullmatch(CARD_PATTERN, number) is not None
