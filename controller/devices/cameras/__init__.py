"""What a camera is to the table: set-up, tracking, placing, snapshots, calibration in place."""
