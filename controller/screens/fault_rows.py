"""The faults that a simulated table can show, as rows for the page."""

from controller.screens.shapes.demo_faults import FaultBoard, FaultRow


def fault_rows(board: FaultBoard) -> tuple[FaultRow, ...]:
    """Every fault of this table, with where it stands."""
    shown = {one.fault: one for one in reversed(board.listed())}
    rows = []
    for fault in board.possible:
        one = shown.get(fault)
        if one is None:
            rows.append(FaultRow(fault=fault, stage="ready"))
        else:
            rows.append(FaultRow(**one._asdict()))
    return tuple(rows)
