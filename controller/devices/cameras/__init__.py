"""Cameras of a table: set-up, tracking, placing, snapshots, calibration in place."""
