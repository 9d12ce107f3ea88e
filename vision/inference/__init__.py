"""Pictures and poses in, raw outputs of networks out. Imports geometry, native.

Crops, model files and threads are shared by all networks. `proposal` and `classifier` say what each network
is for.
"""

from vision.inference.arithmetic import require_arithmetic
from vision.inference.crop_network import CropNetwork, CropOutputs, open_session
from vision.inference.crop_sampling import (
    INDEX_SHARE,
    CropSize,
    crop_matrices,
    crops_by_matrix,
    cut_crops,
)
from vision.inference.illumination import (
    PAPER_TONE,
    PreparedCrops,
    normalise_illumination,
    prepare_crops,
    space_to_depth,
    white_levels,
)
from vision.inference.manifest import default_models_dir, read_manifest, verified_model
from vision.inference.workers import Workers

__all__ = [
    "INDEX_SHARE",
    "PAPER_TONE",
    "CropNetwork",
    "CropOutputs",
    "CropSize",
    "PreparedCrops",
    "Workers",
    "crop_matrices",
    "crops_by_matrix",
    "cut_crops",
    "default_models_dir",
    "normalise_illumination",
    "open_session",
    "prepare_crops",
    "read_manifest",
    "require_arithmetic",
    "space_to_depth",
    "verified_model",
    "white_levels",
]
