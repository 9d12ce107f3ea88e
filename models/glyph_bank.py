"""Makes `vision/synth/glyphs.npz` (rank letters and suit signs) and `letters.npz` (those of other languages).

Both hold glyphs of free fonts as bit masks.

Run once, when fonts are added: `python -m models.glyph_bank FONT_DIR...`. The bank is committed, so neither
training nor rendering needs a font file. Fonts and licences: `models/MODEL_CARD.md`.
"""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import typer
from PIL import Image, ImageDraw, ImageFont

from vision.synth.style import BANK_PATH, GLYPHS, LETTERS, LETTERS_PATH, MASK_PX

_TRAIN = """
BebasNeue-Bold BebasNeue-Book BebasNeue-Regular Cabin-Bold Cabin-Regular Caladea-Bold Caladea-Regular
Cantarell-Bold Cantarell-Regular Carlito-Bold Carlito-Regular CourierPrime CourierPrimeBold Dosis-Bold
Dosis-Medium Dosis-Light GFSDidot GFSDidotBold GenBasB GenBkBasB Inter-Medium Inter-Bold
InterDisplay-Regular Lato-Regular Lato-Bold Lato-Black LinBiolinum_R LinLibertine_R LinLibertine_RB
OpenSans-CondBold OpenSans-CondLight OpenSans-Regular OpenSans-Semibold Quicksand-Medium Roboto-Medium
RobotoCondensed-Bold RobotoCondensed-Light RobotoCondensed-Regular RobotoSlab-Bold RobotoSlab-Regular
RobotoSlab-Light YanoneKaffeesatz-Regular YanoneKaffeesatz-Bold cmunrm cmunbx cmunss cmuntt cmunssdc
DejaVuSans DejaVuSansCondensed-Bold DejaVuSerif DejaVuSerifCondensed-Bold LiberationSansNarrow-Bold
LiberationSansNarrow-Regular LiberationSerif-Regular LiberationMono-Regular LiberationSans-Bold
NotoSerif-Regular NotoSerifDisplay-Bold
"""
_HELD_OUT = """
NotoSansDisplay-Regular NotoSans-Bold Comfortaa-Bold CourierPrimeSansBold LiberationSerif-Bold
DejaVuSansMono-Bold Cantarell-ExtraBold
"""
_TRAIN_FONTS = _TRAIN.split()
_HELD_OUT_FONTS = _HELD_OUT.split()
SUIT_SIGNS = "♣♦♥♠"


def _mask(font: ImageFont.FreeTypeFont, text: str) -> tuple[npt.NDArray[np.bool_], float]:
    """Return one glyph stretched to a square, and its aspect (width / height) before."""
    left, top, right, bottom = font.getbbox(text)
    size = (int(right - left), int(bottom - top))
    sheet = Image.new("L", size, 0)
    ImageDraw.Draw(sheet).text((-left, -top), text, fill=255, font=font)
    square = sheet.resize((MASK_PX, MASK_PX), Image.Resampling.BOX)
    return np.asarray(square) >= 128, size[0] / size[1]


def _has_suits(font: ImageFont.FreeTypeFont) -> bool:
    """Whether the font draws suit signs, and not its missing-glyph box."""
    boxes = [font.getbbox(sign) for sign in SUIT_SIGNS]
    if any(right <= left or bottom <= top for left, top, right, bottom in boxes):
        return False
    return len({bytes(font.getmask(sign)) for sign in SUIT_SIGNS}) == len(SUIT_SIGNS)


def main(font_dirs: list[Path]) -> None:
    """Rasterise every listed font found below the directories and write the bank."""
    found = {
        path.stem.replace(" ", ""): path for base in font_dirs for path in sorted(base.rglob("*.[to]tf"))
    }
    names = [name for name in _TRAIN_FONTS + _HELD_OUT_FONTS if name in found]
    fonts = [ImageFont.truetype(str(found[name]), 400) for name in names]
    ranks = [[_mask(font, glyph) for glyph in GLYPHS] for font in fonts]
    signs = [[_mask(font, sign) for sign in SUIT_SIGNS] for font in fonts if _has_suits(font)]
    np.savez_compressed(
        BANK_PATH,
        names=np.array(names),
        held_out=np.array([name in _HELD_OUT_FONTS for name in names]),
        ranks=np.packbits([[mask for mask, _ in row] for row in ranks], axis=-1),
        rank_aspects=np.array([[aspect for _, aspect in row] for row in ranks], np.float32),
        signs=np.packbits([[mask for mask, _ in row] for row in signs], axis=-1),
        sign_aspects=np.array([[aspect for _, aspect in row] for row in signs], np.float32),
    )
    letters = [[_mask(font, letter) for letter in LETTERS] for font in fonts]
    np.savez_compressed(
        LETTERS_PATH,
        letters=np.packbits([[mask for mask, _ in row] for row in letters], axis=-1),
        aspects=np.array([[aspect for _, aspect in row] for row in letters], np.float32),
    )
    typer.echo(f"{len(names)} fonts, {len(signs)} with suit signs, {BANK_PATH.stat().st_size} bytes")


if __name__ == "__main__":
    typer.run(main)
