"""What did not hold."""


class Broken(Exception):
    """An invariant of the table does not hold. `code` is its name; `text` says what was found."""

    def __init__(self, code: str, text: str) -> None:
        """Keep both."""
        super().__init__(f"{code}: {text}")
        self.code, self.text = code, text

    @property
    def kind(self) -> tuple[str, str]:
        """What a shorter script has to show: the code, and of what there was no way out."""
        return self.code, self.text.partition(":")[0] if self.code == "NO_WAY_OUT" else ""


def require(holds: object, code: str, text: str) -> None:
    """Raise `Broken` where something does not hold."""
    if not holds:
        raise Broken(code, text)
