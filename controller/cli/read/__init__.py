"""Commands on pictures: reading, labelling, enrolling, calibrating."""
