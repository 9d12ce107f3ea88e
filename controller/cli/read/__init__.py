"""Commands on pictures: reading, enrolling, calibrating."""
