"""The calibrated table: where a pixel of a fixed camera lies on the felt, and in whose box."""
