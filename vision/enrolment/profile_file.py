"""A deck's profile as a file: prototypes, the pictures that it was made from, its figures and its hash."""

import base64
import hashlib
import json
import struct
from pathlib import Path
from typing import Any, Final, NamedTuple

import cv2
import numpy as np

from controller.domain import ConfigError
from controller.outputs import FRESH, PUBLIC, Outputs, read_regular
from controller.validation import read_json
from vision.classifier import CARDS, FACE_CROP, Classes, Faces, Prototypes
from vision.geometry import IndexPlace, Points
from vision.labels import RANKS, SUITS

FORMAT: Final = "stand17 deck profile 1"
BYTES_MAX: Final = 8 << 20
"""A profile has the faces, 1.2 MB before they are packed, and some thousand numbers.

Source: no measurement on record.
"""


class EnrolFigures(NamedTuple):
    """A profile's results on indices that it was not made from.

    `right` and `wrong` count the reported ones among `indices` of sufficient size; the rest was unclear.
    `bound` (0..1) is the one-sided 95 % Clopper-Pearson bound of the wrong share among the reported. `cards`
    counts the different cards of the pictures.
    """

    indices: int
    right: int
    wrong: int
    bound: float
    cards: int


class DeckProfile(NamedTuple):
    """A deck's appearance and its proof.

    `pictures` are names and SHA-256 of the source pictures; `network` is the SHA-256 of the index network
    whose features it contains; `sha256` is that of the profile itself.
    """

    deck: Prototypes
    figures: EnrolFigures
    pictures: tuple[tuple[str, str], ...]
    network: str
    sha256: str = ""


def _rows(values: Points) -> list[list[float | None]]:
    return [[None if np.isnan(value) else round(float(value), 5) for value in row] for row in values]


def _classes_object(classes: Classes) -> dict[str, Any]:
    return {"axes": _rows(classes.axes), "means": _rows(classes.means), "reach": round(classes.reach, 4)}


def _faces_text(faces: Faces) -> str:
    """Return the faces stacked in a PNG in base64; pixels not seen on all faces are transparent."""
    shown = np.broadcast_to(faces.shown[..., None] * np.uint8(255), (*faces.tones.shape[:3], 1))
    sheet = np.concatenate([faces.tones, shown], 3).reshape(-1, FACE_CROP.width_px, 4)
    return base64.b64encode(cv2.imencode(".png", sheet)[1].tobytes()).decode()


def _faces(text: str) -> Faces:
    data = base64.b64decode(text, validate=True)
    # The picture's own header, before a decoder takes memory by it: its sizes, eight bits, with transparency.
    if data[12:26] != b"IHDR" + struct.pack(">IIBB", FACE_CROP.width_px, CARDS * FACE_CROP.height_px, 8, 6):
        raise ValueError(text[:20])
    sheet = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED)
    if sheet is None or sheet.size != CARDS * FACE_CROP.height_px * FACE_CROP.width_px * 4:
        raise ValueError(text[:20])
    cards = np.asarray(sheet, np.uint8).reshape(CARDS, *FACE_CROP, 4)
    return Faces(cards[..., :3], cards[0, ..., 3] > 0)


def _profile_object(profile: DeckProfile) -> dict[str, Any]:
    """The profile as JSON, without its hash."""
    deck = profile.deck
    return {
        "format": FORMAT,
        "network": profile.network,
        "pictures": [{"file": file, "sha256": sha256} for file, sha256 in profile.pictures],
        "figures": {**profile.figures._asdict(), "bound": round(profile.figures.bound, 6)},
        "temperature": round(deck.temperature, 4),
        "index_px": deck.index_px,
        "beside": deck.beside,
        "place": None if deck.place is None else [round(share, 4) for share in deck.place],
        "faces": None if deck.faces is None else _faces_text(deck.faces),
        "foot_differs": deck.foot_differs,
        "ranks": _classes_object(deck.ranks),
        "suits": _classes_object(deck.suits),
    }


def _sha256(entry: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(entry, sort_keys=True).encode()).hexdigest()


def write_profile(profile: DeckProfile, path: Path, outputs: Outputs = FRESH) -> DeckProfile:
    """Write the file; returns the profile with its hash. Raises as `Outputs.write`."""
    entry = _profile_object(profile)
    sha256 = _sha256(entry)
    outputs.write(path, (json.dumps({"sha256": sha256, **entry}) + "\n").encode(), PUBLIC)
    return profile._replace(sha256=sha256)


def load_profile(path: Path) -> DeckProfile:
    """A profile's file.

    Raises ConfigError DECK_MISSING, or DECK_CHANGED when it is no profile, or not as it was written.
    """
    try:
        data = read_regular(path, BYTES_MAX + 1, links=True)
    except OSError as error:
        raise ConfigError("DECK_MISSING", path=str(path)) from error
    try:
        if len(data) > BYTES_MAX:
            raise ValueError(len(data))
        entry = read_json(data)
        sha256 = entry.pop("sha256")
        if entry["format"] != FORMAT or _sha256(entry) != sha256:
            raise ValueError(sha256)
        return _profile(entry, sha256)
    except (ConfigError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise ConfigError("DECK_CHANGED", path=str(path)) from error


def _classes(entry: dict[str, Any], count: int) -> Classes:
    axes, means = (np.array(entry[name], np.float64) for name in ("axes", "means"))
    if means.shape[0] != count or axes.shape[1] != means.shape[1]:
        raise ValueError(means.shape)
    return Classes(axes, means, float(entry["reach"]))


def _profile(entry: dict[str, Any], sha256: str) -> DeckProfile:
    classes = _classes(entry["ranks"], len(RANKS)), _classes(entry["suits"], len(SUITS))
    deck = Prototypes(
        *classes,
        float(entry["temperature"]),
        float(entry["index_px"]),
        bool(entry.get("beside", False)),
        None if entry.get("place") is None else IndexPlace(*map(float, entry["place"])),
        None if entry.get("faces") is None else _faces(entry["faces"]),
        bool(entry.get("foot_differs", False)),
    )
    pictures = tuple((str(one["file"]), str(one["sha256"])) for one in entry["pictures"])
    return DeckProfile(deck, EnrolFigures(**entry["figures"]), pictures, str(entry["network"]), sha256)
