"""Sheets on a felt in, layouts out; readings in, cards by box out. Imports geometry, pictures, report.

A layout maps the pixels of a fixed camera to the felt and its
boxes. `sheet`, `sheet_page`: printed sheets; `sheet_detection`, `print_matching`: detection; `plane_fit`,
`homography`: camera pose; `requirements`: refusals; `layout`, `layout_files`: the file; `box_assignment`:
its use.
"""

from vision.calibration.box_assignment import BoxedCard, BoxedReading, TableMap, boxed_object
from vision.calibration.calibrate import (
    CalibrationInputs,
    CalibrationOutcome,
    CalibrationPicture,
    FoundTarget,
    calibrate_by_print,
    calibrate_by_sheets,
)
from vision.calibration.homography import FeltPlane, Lens
from vision.calibration.layout import (
    BOXES_MAX,
    DEALER,
    CameraPart,
    CardsPart,
    Layout,
    LensPart,
    Origin,
    PlanePart,
    Zone,
    check_zones,
    zone_name,
)
from vision.calibration.layout_files import layout_text, load_layout, load_reference
from vision.calibration.layout_history import LayoutFile, keep_anew, latest_layout, layout_with
from vision.calibration.layout_writer import CalibrationRecord, reference_beside, write_layout
from vision.calibration.plan import Plan, SheetPlace, disc, load_plan
from vision.calibration.png import png_bytes
from vision.calibration.print_matching import FeltPrint, art_print, picture_print
from vision.calibration.recalibration import Recalibration, recalibrate
from vision.calibration.requirements import SETUP_LIMITS, Complaint, ZoneMeasurement
from vision.calibration.result_picture import draw_outcome, write_outcome
from vision.calibration.sheet import SQUARE_MM
from vision.calibration.sheet_detection import find_sheets
from vision.calibration.sheet_page import write_sheet

__all__ = [
    "BOXES_MAX",
    "DEALER",
    "SETUP_LIMITS",
    "SQUARE_MM",
    "BoxedCard",
    "BoxedReading",
    "CalibrationInputs",
    "CalibrationOutcome",
    "CalibrationPicture",
    "CalibrationRecord",
    "CameraPart",
    "CardsPart",
    "Complaint",
    "FeltPlane",
    "FeltPrint",
    "FoundTarget",
    "Layout",
    "LayoutFile",
    "Lens",
    "LensPart",
    "Origin",
    "Plan",
    "PlanePart",
    "Recalibration",
    "SheetPlace",
    "TableMap",
    "Zone",
    "ZoneMeasurement",
    "art_print",
    "boxed_object",
    "calibrate_by_print",
    "calibrate_by_sheets",
    "check_zones",
    "disc",
    "draw_outcome",
    "find_sheets",
    "keep_anew",
    "latest_layout",
    "layout_text",
    "layout_with",
    "load_layout",
    "load_plan",
    "load_reference",
    "picture_print",
    "png_bytes",
    "recalibrate",
    "reference_beside",
    "write_layout",
    "write_outcome",
    "write_sheet",
    "zone_name",
]
