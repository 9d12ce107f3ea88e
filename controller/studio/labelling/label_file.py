"""`labels.jsonl`: a line of JSON a picture, and beside it every line that was replaced."""

import hashlib
import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from controller.domain.errors import ConfigError
from controller.validation.strict_json import read_json_lines

LABELS: Final = "labels.jsonl"
HISTORY: Final = "labels.history.jsonl"
"""One object a line: when (UTC), and the line of the picture as it was until then, null where it had none."""

Rank = Literal["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
Suit = Literal["c", "d", "h", "s"]
Split = Literal["train", "valid", "test"]

Coordinate = Annotated[float, Field(allow_inf_nan=False)]
Point = tuple[Coordinate, Coordinate]
Quad = tuple[Point, Point, Point, Point]
"""Corners in pixels of the picture as it is stored, clockwise from one that a rank stands beside."""


def _ten(rank: object) -> object:
    """Older sets of photographs write the ten as one letter."""
    return "10" if rank == "T" else rank


class _Open(BaseModel):
    """Fields that this program does not know stay as they are: sets say where they come from."""

    model_config = ConfigDict(extra="allow", frozen=True)


class LabelCard(_Open):
    """One card. `bbox` is left, top, right, bottom in pixels; None where that is not known.

    `stack` is the place in the row's `stacks` of the hand that it lies in.
    """

    rank: Annotated[Rank | None, BeforeValidator(_ten)]
    suit: Suit | None
    bbox: tuple[Coordinate, Coordinate, Coordinate, Coordinate] | None = None
    quad: Quad | None = None

    @property
    def outline(self) -> Quad | None:
        """Its four corners; those of its box where only that is labelled."""
        if self.quad is not None or self.bbox is None:
            return self.quad
        left, top, right, bottom = self.bbox
        return ((left, top), (right, top), (right, bottom), (left, bottom))


class LabelRow(_Open):
    """The labels of one picture; `file` is its path below the folder."""

    file: str
    cards: tuple[LabelCard, ...]

    @property
    def stamp(self) -> str:
        """Another one as soon as anything in the row is different."""
        return hashlib.sha256(_line(self).encode()).hexdigest()


def _line(row: LabelRow) -> str:
    return json.dumps(row.model_dump(mode="json", exclude_unset=True), ensure_ascii=False)


class LabelFile:
    """The labels below one folder, read anew each time: somebody may edit them by hand meanwhile."""

    def __init__(self, folder: Path) -> None:
        """Nothing is read yet, and nothing has to be there."""
        self.path: Final = folder / LABELS
        self._history = folder / HISTORY

    def rows(self) -> dict[str, LabelRow]:
        """The labels by the pictures' paths, none where the file is missing.

        Raises ConfigError LABELS_UNREADABLE, MalformedLine or LABELS_WRONG with the first line that is none,
        or LABELS_TWICE with the line that names a picture once more.
        """
        rows: dict[str, LabelRow] = {}
        for number, line in self._read():
            row = self._row(number, line)
            if row.file in rows:
                raise ConfigError("LABELS_TWICE", path=str(self.path), line=number, file=row.file)
            rows[row.file] = row
        return rows

    def _read(self) -> list[tuple[int, Any]]:
        try:
            return list(read_json_lines(self.path)) if self.path.exists() else []
        except OSError as error:
            raise ConfigError("LABELS_UNREADABLE", path=str(self.path)) from error

    def _lines(self) -> list[str]:
        try:
            return self.path.read_text(encoding="utf-8").splitlines() if self.path.exists() else []
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError("LABELS_UNREADABLE", path=str(self.path)) from error

    def _row(self, number: int, line: object) -> LabelRow:
        try:
            return LabelRow.model_validate(line)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(one) for one in first["loc"]) or "JSON"
            raise ConfigError("LABELS_WRONG", path=str(self.path), line=number, field=where) from error

    def keep(self, row: LabelRow, utc_us: int) -> None:
        """Write the labels of a picture in place of those that it had, which the history keeps.

        Raises as `rows`, and ConfigError FILE_NOT_WRITTEN; the labels are then as they were.
        """
        self.rows()
        lines = [line for line in self._lines() if line.strip()]
        files = [json.loads(line)["file"] for line in lines]
        at = files.index(row.file) if row.file in files else len(lines)
        try:
            self._remember(row.file, lines[at] if at < len(lines) else "null", utc_us)
            # The lines of other pictures stay byte for byte.
            self._replace([*lines[:at], _line(row), *lines[at + 1 :]])
        except OSError as error:
            reason = error.strerror or str(error)
            raise ConfigError("FILE_NOT_WRITTEN", path=str(self.path), reason=reason) from error

    def _remember(self, file: str, was: str, utc_us: int) -> None:
        """On disk before the labels change: a line too many there says nothing wrong."""
        at = datetime.fromtimestamp(utc_us / 1e6, UTC).isoformat(timespec="seconds")
        fields = {"at": at, "file": file, "was": json.loads(was)}
        with self._history.open("a", encoding="utf-8") as history:
            history.write(json.dumps(fields, ensure_ascii=False) + "\n")
            history.flush()
            os.fsync(history.fileno())

    def _replace(self, lines: Sequence[str]) -> None:
        draft = self.path.with_name(f".{self.path.name}.new")
        with draft.open("w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self.path)
