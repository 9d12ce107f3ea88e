"""Layout files and plans from disk, with every mistake named by its field; layout files to disk."""

import hashlib
import json
import tomllib
from pathlib import Path
from typing import Final, TypeVar

from pydantic import BaseModel, ValidationError

from controller.domain import ConfigError
from controller.outputs import read_regular
from vision.calibration.layout import Layout, Zone
from vision.geometry import Image
from vision.pictures import load_picture

BYTES_MAX: Final = 1_000_000
"""A layout has some hundred lines; a larger file is something else."""

Model = TypeVar("Model", bound=BaseModel)


def read_toml(path: Path, model: type[Model]) -> Model:
    """Check a TOML file against a model.

    Raises `ConfigError`: LAYOUT_MISSING, LAYOUT_NOT_TOML, LAYOUT_WRONG with the first wrong `field`.
    """
    try:
        data = read_regular(path, BYTES_MAX + 1, links=True)
        if len(data) > BYTES_MAX:
            raise ConfigError("LAYOUT_NOT_TOML", path=str(path), reason=f"more than {BYTES_MAX} bytes")
        return model.model_validate(tomllib.loads(data.decode("utf-8")))
    except OSError as error:
        raise ConfigError("LAYOUT_MISSING", path=str(path), reason=error.strerror or "") from error
    except ValidationError as error:
        raise wrong(path, error) from error
    except (ValueError, RecursionError) as error:
        raise ConfigError("LAYOUT_NOT_TOML", path=str(path), reason=str(error)) from error


def wrong(path: Path, error: ValidationError) -> ConfigError:
    """Name the first mistake that a model found in a file."""
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"]) or "file"
    return ConfigError("LAYOUT_WRONG", path=str(path), field=field, reason=first["msg"])


def load_layout(path: Path) -> Layout:
    """Read a layout file; raises as `read_toml` does."""
    return read_toml(path, Layout)


def load_reference(layout: Layout, path: Path) -> Image | None:
    """Read the reference picture beside a layout file; None where there is none.

    Raises `ConfigError` LAYOUT_REFERENCE_CHANGED when its hash differs from the one in the layout, and what
    `load_picture` raises.
    """
    if layout.origin.reference is None:
        return None
    picture = path.parent / layout.origin.reference
    image = load_picture(picture)
    if hashlib.sha256(picture.read_bytes()).hexdigest() != layout.origin.sha256:
        raise ConfigError("LAYOUT_REFERENCE_CHANGED", path=str(picture))
    return image


def layout_text(layout: Layout) -> str:
    """Return a layout as TOML with comments for whoever edits it."""
    camera, plane, cards, origin = layout.camera, layout.plane, layout.cards, layout.origin
    lines = [
        "# Where a camera sees felt and boxes; stand17 calibrate made it, docs/layout.md explains it.",
        f"layout = {layout.layout}",
        *("", "[camera]", f"width = {camera.width}", f"height = {camera.height}"),
        *("", "[plane]", "# From pixels (of the straight picture where there is a lens) to millimetres."),
        *("homography = [", *(f"    {_value(row)}," for row in plane.homography), "]"),
    ]
    if plane.lens is not None:
        lines += ["", "[plane.lens]", *_fields(plane.lens)]
    lines += ["", "[cards]", "# The index is the height of its letter or number alone.", *_fields(cards)]
    for zone in layout.zone:
        lines += _zone_lines(zone)
    lines += ["", "[origin]", *_fields(origin)]
    return "\n".join(lines) + "\n"


def _zone_lines(zone: Zone) -> list[str]:
    number = [] if zone.box is None else [f"box = {zone.box}"]
    corners = ", ".join(_value(corner) for corner in zone.outline_mm)
    return ["", "[[zone]]", f"kind = {_value(zone.kind)}", *number, f"outline_mm = [{corners}]"]


def _fields(part: BaseModel) -> list[str]:
    """Lines of a section, by the names that the file has for its fields."""
    names = {name: field.alias or name for name, field in type(part).model_fields.items()}
    return [f"{names[name]} = {_value(value)}" for name, value in part if value is not None]


def _value(value: object) -> str:
    """Format numbers, strings and their lists, which JSON and TOML write alike."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
