"""Picture files in, pixels out; pixels in, excerpts that may be shown to people out. Imports geometry."""

from vision.pictures.excerpt import masked_excerpt
from vision.pictures.files import load_picture

__all__ = ["load_picture", "masked_excerpt"]
