"""The finder: one network that finds every index of a picture. Tiles, their store, training, comparison."""
