"""What became of the archive's sources, as its commands print it."""

from controller.cli.json_words import print_answer
from controller.cli.output import echo
from controller.domain import JournalError
from controller.floor.journal_archive import Brought
from controller.i18n import text


class BroughtWords:
    """Prints what has changed with each source since it was printed last."""

    def __init__(self, *, as_json: bool) -> None:
        """Nothing is printed yet."""
        self._as_json = as_json
        self._printed: dict[str, JournalError | None] = {}

    def __call__(self, one: Brought) -> None:
        """Entries each time, an error once until it is another one."""
        error, before = one.error, self._printed.get(one.source)
        is_new = error is not None and str(before) != str(error)
        self._printed[one.source] = error
        if self._as_json:
            if one.entries or is_new:
                print_answer("brought", **one._asdict() | {"error": "" if error is None else error.code})
            return
        if one.entries:
            echo(text("archive.brought", {"journal": one.journal, "entries": one.entries, "end": one.end}))
        if error is not None and is_new:
            echo(f"{one.source}: {text(f'error.{error.code}', error.params)}", err=True)
